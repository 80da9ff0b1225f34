"""Reads printed faces: cards found as quadrilaterals, read by the index in their corners."""

from vision.faces.reader import FaceReader

__all__ = ["FaceReader"]
