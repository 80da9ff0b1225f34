"""Read printed faces: cards are found as quadrilaterals and read by the index in their corners."""

from vision.faces.reader import FaceReader
from vision.faces.settings import ReaderSettings

__all__ = ["FaceReader", "ReaderSettings"]
