"""The cameras' pictures for the page, and what they have read so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2

from cardtable.board.integrations.measures import CameraCounts
from vision.camera_pipeline import CameraPipeline

_WIDTH: Final = 960
"""Largest width of a picture, pixels."""


def picture_of(cameras: Sequence[CameraPipeline], name: str) -> bytes | None:
    """Return the last frame of the camera `name` as JPEG; None if there is none.

    An empty `name` stands for any camera, preferably one that misses corner marks.
    """
    named = (camera for camera in cameras if name in ("", camera.name))
    found = sorted(named, key=lambda camera: not camera.missing_marks)
    frame = next((camera.frame for camera in found if camera.frame is not None), None)
    if frame is None:
        return None
    height, width = frame.image.shape[:2]
    scale = min(_WIDTH / width, 1.0)
    small = cv2.resize(frame.image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return data.tobytes() if done else None


def counts_of(cameras: Sequence[CameraPipeline]) -> list[CameraCounts]:
    """Return what each camera has done, and how many cards it sees. Called in any thread."""
    return [
        CameraCounts(
            camera.name,
            camera.processed,
            camera.tracker.reads,
            len(camera.places),
            getattr(camera.source, "restarts", 0),
        )
        for camera in cameras
    ]
