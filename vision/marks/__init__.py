"""Marked cards: QR codes and ArUco marks, their meaning and their readers."""

from __future__ import annotations

from vision.marks.aruco import ArucoReader
from vision.marks.names import WordMarks, aruco_id, faces_by_id, qr_face, qr_text
from vision.marks.qr import MissingLibrary, QrReader

__all__ = ["ArucoReader", "MissingLibrary", "QrReader", "WordMarks", "aruco_id", "faces_by_id", "qr_face", "qr_text"]
