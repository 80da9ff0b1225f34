"""Calibration of a camera: what it sees of the mat, and where the mat is stored to lie in its picture."""
