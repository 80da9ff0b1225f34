"""Calibrating a camera."""
