"""The documents of the configuration: every key is described, and the examples are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware.wiring import KINDS, check_pins
from tests.cardtable.config.configs import GOOD, read
from tests.hardware.bench import board
from tools.config_tables import sections
from tools.docs_hook import tables_in, with_tables

DOCS = Path(__file__).parents[3] / "docs"


def test_every_section_has_a_table() -> None:
    shown = [name for path in DOCS.rglob("*.md") for name in tables_in(path.read_text("utf-8"), "keys")]
    assert sorted(shown) == sorted(sections().keys() - {"cameras"})  # which has the keys of `camera`


@pytest.mark.parametrize("section", sections())
def test_every_key_is_described(section: str) -> None:
    assert [key for key, field in sections()[section].items() if not field.description] == []


def test_a_marker_becomes_a_table() -> None:
    page = with_tables("Before.\n\n<!-- keys: buzzer -->\n\nAfter.\n")
    assert page.startswith("Before.\n\n| `[buzzer]` | default | meaning |\n")
    assert "\n| `pin` | required | a GPIO number |\n" in page and page.endswith("|\n\nAfter.\n")


def test_the_examples_of_the_configuration_are_valid(tmp_path: Path) -> None:
    text = (DOCS / "reference" / "configuration.md").read_text("utf-8")
    whole, single, cameras = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(read(tmp_path, whole).cameras) == 1
    assert len(read(tmp_path, GOOD + cameras).cameras) == 2
    (locked,) = read(tmp_path, GOOD + single).cameras
    assert (locked.exposure, locked.white_balance, locked.source) == ("cards", "lock", "picamera")


def test_the_examples_of_wired_hardware_are_valid(tmp_path: Path) -> None:
    text = (DOCS / "how-to" / "wired-hardware.md").read_text("utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        config = read(tmp_path, GOOD + example)
        check_pins(board(), [use for seat in config.seat for use in seat.wiring.uses()])
        assert config.seat or config.display or config.voice.say != "off"


def test_the_document_of_displays_names_every_kind() -> None:
    text = (DOCS / "how-to" / "wired-hardware.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_the_example_of_the_readers_is_valid(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (DOCS / "how-to" / "rfid.md").read_text("utf-8"), re.DOTALL)
    assert len(read(tmp_path, GOOD + example).reader) == 1
