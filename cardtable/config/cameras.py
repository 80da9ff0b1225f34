"""What `table.toml` says about cameras: `[camera]` for one, `[[cameras]]` for each of several.

Documented in docs/configuration.md; read by `cardtable.config.model`. Nothing is opened here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator

from cardtable.config.hardware import Strict
from engine.texts import text
from vision.cameras.settings import SYSTEM_PYTHON, CameraSettings, Kept


def _kept_or(what: str, low: float, high: float) -> PlainValidator:
    """`auto`, `lock`, or a number of `what`."""

    def read(value: object) -> Kept | float:
        if value == "auto":
            return "auto"
        if value == "lock":
            return "lock"
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            told = 'should be "auto", "lock", or {what} from {low:g} to {high:g}'
            raise ValueError(text(told, what=what, low=low, high=high))
        return float(value)

    return PlainValidator(read, json_schema_input_type=Kept | Annotated[float, Field(ge=low, le=high)])


class CameraKeys(Strict):
    """What may be said of any camera. `calibration`: where its last view of the mat is kept.

    `deck`: a deck of one's own that it sees.
    """

    name: str = Field(default="camera", min_length=1)
    calibration: Path | None = Field(default=None, strict=False)
    width: int = Field(default=1920, ge=320, le=8192)
    height: int = Field(default=1080, ge=240, le=8192)
    fps: int = Field(default=30, ge=1, le=240)
    exposure: Annotated[Any, _kept_or(text("milliseconds"), 0.05, 1000)] = "auto"
    white_balance: Annotated[Any, _kept_or(text("kelvin"), 1000, 12000)] = "auto"
    focus: Annotated[Any, _kept_or(text("a number"), 0, 1023)] = "auto"
    python: str = Field(default=SYSTEM_PYTHON, min_length=1)
    deck: str | None = Field(default=None, min_length=1)

    @property
    def settings(self) -> CameraSettings:
        """What is asked of the camera."""
        return CameraSettings(
            self.width, self.height, self.fps, self.exposure, self.white_balance, self.focus, self.python
        )


class CameraConfig(CameraKeys):
    """One camera. `source` as `cardtable watch` takes it."""

    source: str = Field(min_length=1)


class OneCameraConfig(CameraKeys):
    """The table's only camera; its `source` may also stand at the top of the file."""

    source: str | None = Field(default=None, min_length=1)
