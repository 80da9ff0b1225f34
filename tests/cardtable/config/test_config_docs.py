"""The documents of the configuration name every key, and their examples are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from cardtable.config.cameras import CameraConfig
from cardtable.config.hardware import BuzzerConfig, DisplayConfig, SeatConfig, VoiceConfig
from cardtable.config.model import BoardConfig, TableConfig
from cardtable.config.readers import ReaderConfig
from hardware.display_wiring import KINDS
from hardware.pins import check_pins
from tests.cardtable.config.configs import GOOD, read
from tests.hardware.bench import board

FOLDER = Path(__file__).parents[3] / "docs"


def test_the_document_names_every_key_and_its_examples_are_valid(tmp_path: Path) -> None:
    text = (FOLDER / "configuration.md").read_text("utf-8")
    whole, one, cameras = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(read(tmp_path, whole).cameras) == 1
    assert len(read(tmp_path, GOOD + cameras).cameras) == 2
    (locked,) = read(tmp_path, GOOD + one).cameras
    assert (locked.exposure, locked.white_balance, locked.source) == ("lock", "lock", "picamera")
    fields = {*TableConfig.model_fields, *CameraConfig.model_fields, *BoardConfig.model_fields}
    keys = set(re.findall(r"^\| `\[?(\w+)\]?` \|", text, re.MULTILINE))
    assert keys == fields - {"camera", "cameras", "board", "seat", "buzzer", "display", "voice", "reader"}


@pytest.mark.parametrize(
    ("name", "parts"),
    [("seats", (SeatConfig, BuzzerConfig)), ("displays", (DisplayConfig,)), ("voice", (VoiceConfig,))],
)
def test_the_documents_of_wired_things_name_every_key_too(
    tmp_path: Path, name: str, parts: tuple[type[BaseModel], ...]
) -> None:
    text = (FOLDER / f"{name}.md").read_text("utf-8")
    keys = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert keys == {key for part in parts for key in part.model_fields}
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        config = read(tmp_path, GOOD + example)
        check_pins(board(), [use for seat in config.seat for use in seat.wiring.uses()])
        assert config.seat or config.display or config.voice.say != "off"


def test_the_document_of_displays_names_every_kind() -> None:
    text = (FOLDER / "displays.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_the_document_of_the_readers_names_every_key_and_its_example_is_valid(tmp_path: Path) -> None:
    text = (FOLDER / "rfid.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(read(tmp_path, GOOD + example).reader) == 1
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(ReaderConfig.model_fields)
