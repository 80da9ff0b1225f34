"""Computer vision for card tables: frames in, observations out.

    import vision
    for reading in vision.read("photo.jpg"):
        print(reading.face, reading.confidence, reading.outline)

`read` takes a picture; a `CameraPipeline` follows a table over time (docs/how-to/python.md). Names are imported when
they are first used, so that `import vision` alone loads neither OpenCV nor a model.

    >>> import vision
    >>> vision.__all__  # doctest: +ELLIPSIS
    ['CameraPipeline', 'NotAPicture', 'Reader', 'Reading', 'lay_out', 'load_picture', 'open_source', 'read', ...]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from vision.camera_pipeline import CameraPipeline
    from vision.cameras.sources import open_source
    from vision.image_files import NotAPicture, load_picture
    from vision.mat.layout import lay_out
    from vision.readings import Reader, Reading
    from vision.see import read, readers_for

__all__ = [
    "CameraPipeline", "NotAPicture", "Reader", "Reading",
    "lay_out", "load_picture", "open_source", "read", "readers_for",
]  # fmt: skip

_MODULES: Final = {
    "CameraPipeline": "vision.camera_pipeline",
    "NotAPicture": "vision.image_files",
    "Reader": "vision.readings",
    "Reading": "vision.readings",
    "lay_out": "vision.mat.layout",
    "load_picture": "vision.image_files",
    "open_source": "vision.cameras.sources",
    "read": "vision.see",
    "readers_for": "vision.see",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
