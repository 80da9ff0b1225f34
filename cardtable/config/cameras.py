"""The cameras in `table.toml`: `[camera]` for the only one, `[[cameras]]` for each of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, PlainValidator

from cardtable.config.section import Section
from engine.texts import text
from vision.cameras.settings import MAINS_HZ, SYSTEM_PYTHON, CameraSettings, Exposure, Flicker, Kept


def _word_or(words: Any, what: str, low: float, high: float) -> PlainValidator:
    """Return a validator for one of the `words` of a `Literal`, or a number of `what` from `low` to `high`."""

    def read(value: object) -> str | float:
        if isinstance(value, str) and value in get_args(words):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            named = ", ".join(f'"{word}"' for word in get_args(words))
            template = "should be {words}, or {what} from {low:g} to {high:g}"
            raise ValueError(text(template, words=named, what=what, low=low, high=high))
        return float(value)

    return PlainValidator(read, json_schema_input_type=words | Annotated[float, Field(ge=low, le=high)])


def _flicker(value: object) -> Flicker:
    """Read `auto`, `off`, or the frequency of the mains. Raises `ValueError`."""
    if value == "auto" or value == "off":
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value in MAINS_HZ:
        return value
    raise ValueError(text('should be "auto", "off", 50 or 60'))


CardSide = Annotated[float, Field(ge=30, le=130)]
"""A side of a card, millimetres."""
_SOURCE = text('the camera or recording; also "picamera", "url:http://192.168.1.20:8080/video"')


class OneCameraConfig(Section):
    """The table's only camera. Its `source` may also be set at the top of the file."""

    name: str = Field(default="camera", min_length=1, description=text("its name in messages"))
    source: str | None = Field(default=None, min_length=1, description=_SOURCE, examples=["usb:0"])
    calibration: Path | None = Field(
        default=None,
        strict=False,
        description=text("the file with its view of the mat: `cardtable calibrate`"),
        examples=["camera.calibration.json"],
    )
    width: int = Field(default=1920, ge=320, le=8192, description=text("the width of its picture, pixels"))
    height: int = Field(default=1080, ge=240, le=8192, description=text("the height of its picture, pixels"))
    fps: int = Field(default=30, ge=1, le=240, description=text("frames per second"))
    exposure: Annotated[Any, _word_or(Exposure, text("milliseconds"), 0.05, 1000)] = Field(
        default="cards",
        description=text(
            '"auto"; "lock": the value it has found shortly after the start; "cards": the same, then slowly changed so '
            "that the white of the cards is bright and not burnt out; or milliseconds"
        ),
    )
    white_balance: Annotated[Any, _word_or(Kept, text("kelvin"), 1000, 12000)] = Field(
        default="auto", description=text('"auto", "lock", or kelvin')
    )
    focus: Annotated[Any, _word_or(Kept, text("a number"), 0, 1023)] = Field(
        default="auto",
        description=text('"auto", "lock", or a number: in the camera\'s own unit (USB), in dioptres (Raspberry Pi)'),
    )
    flicker: Annotated[
        Any, PlainValidator(_flicker, json_schema_input_type=Literal["auto", "off"] | Literal[50, 60])
    ] = Field(
        default="auto",
        description=text('the frequency of the mains, 50 (Europe) or 60 Hz, whose flicker it avoids; "off"; or "auto"'),
    )
    python: str = Field(
        default=SYSTEM_PYTHON, min_length=1, description=text("the Python interpreter that has picamera2")
    )
    deck: str | None = Field(
        default=None,
        min_length=1,
        description=text("german-suits, or a deck of your own: `cardtable deck learn my-deck`"),
        examples=["my-deck"],
    )
    card_mm: tuple[CardSide, CardSide] | None = Field(
        default=None,
        strict=False,
        description=text("width and height of its ordinary cards, millimetres; without it they are learned"),
        examples=[[57, 88]],
    )

    @property
    def settings(self) -> CameraSettings:
        """The settings that the camera is asked for."""
        return CameraSettings(
            *(self.width, self.height, self.fps),
            *(self.exposure, self.white_balance, self.focus, self.flicker),
            self.python,
        )


class CameraConfig(OneCameraConfig):
    """A camera. Its `source` is written as for `cardtable watch`."""

    source: str = Field(min_length=1, description=_SOURCE, examples=["usb:0"])
