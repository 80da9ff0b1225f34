"""Marked cards: QR codes and ArUco marks, what they mean and how they are read."""

from __future__ import annotations

from vision.marks.names import aruco_face, aruco_id, qr_face, qr_text

__all__ = ["aruco_face", "aruco_id", "qr_face", "qr_text"]
