"""Frames in, observations out: sources, the mat, marks, faces, the scene."""
