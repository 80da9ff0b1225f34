"""Calibration of a camera: the marks and zones that it sees, and the stored position of the mat in its picture."""
