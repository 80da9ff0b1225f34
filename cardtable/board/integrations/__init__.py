"""Interfaces for other programs: health, figures for Prometheus, and the overlay for video streams."""
