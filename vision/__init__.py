"""Computer vision for card tables: frames in, observations out.

    import vision
    for reading in vision.read("photo.jpg"):
        print(reading.face, reading.confidence, reading.outline)

`read` takes a picture; `vision.camera_pipeline.CameraPipeline` follows a table over time. Names are imported when they
are first used, so that `import vision` alone loads neither OpenCV nor a model.

    >>> import vision
    >>> vision.__all__
    ['NotAPicture', 'Reader', 'Reading', 'load_picture', 'read', 'readers_for']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["NotAPicture", "Reader", "Reading", "load_picture", "read", "readers_for"]

if TYPE_CHECKING:
    from vision.readings import Reader, Reading
    from vision.see import NotAPicture, load_picture, read, readers_for
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("vision.readings" if name in ("Reader", "Reading") else "vision.see"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
