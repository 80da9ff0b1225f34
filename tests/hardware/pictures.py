"""The reference pictures of small displays, and the content of each.

`python -m tests.hardware.pictures` draws them again after an intended change of the layout; check them by eye.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from luma.core.device import dummy
from PIL import Image

from engine.actions import Action
from engine.record import Header
from engine.referee.prompts import turn
from engine.table import Table
from engine.views import Prompt
from hardware.displays import draw
from hardware.screen import Screen, screen_of
from tests.engine.talk import do

FOLDER = Path(__file__).parent / "pictures"


def begging() -> Table:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    table.do(Action.from_json({"do": "turn", "card": "4H"}))
    return table


def three_words() -> Table:
    table = Table(Header("fifteen", ("Ann", "Bo"), 0))
    do(table, "turn 4H")
    return table


def known() -> Table:
    """Both hands were dealt across a reader; seat 1 has led."""
    table = Table(Header("all-fives", ("Ann", "Élodie"), 0))
    do(table, "0 deal AS 2H 10D JC 5S 3S", "1 deal KS QH 10H 2D 5C 3C", "turn 4H", "1 say stand", "1 play KS")
    return table


def counting() -> Table:
    table = Table(Header("cribbage", ("Ann", "Bo"), 0))
    do(table, "turn 5H", "1 play 10S", "0 play 7D")
    return table


def four_bid() -> Table:
    table = Table(Header("its-15", ("Ann", "Bo", "Christophe", "Dee"), 0))
    do(table, "turn green-5")
    return table


def shown(table: Table, seat: int | None = None, *prompts: Prompt, chosen: str | None = None) -> Screen:
    view = table.view(seat)
    return screen_of(view, [*prompts, turn(view)], seat, chosen)


MISPLACED = Prompt("take-back", 0, "Ann: take back A♠, it is Élodie’s turn.", True)

SCREENS: Mapping[str, tuple[Screen, tuple[int, int], str]] = {
    "begging-128x64": (shown(begging(), 1), (128, 64), "1"),
    "begging-128x32": (shown(begging(), 1), (128, 32), "1"),
    "begging-public-96x16": (shown(begging()), (96, 16), "1"),
    "three-words-128x64": (shown(three_words(), 1), (128, 64), "1"),
    "three-words-128x32": (shown(three_words(), 1), (128, 32), "1"),
    "chosen-128x64": (shown(begging(), 1, chosen="beg"), (128, 64), "1"),
    "own-hand-240x240": (shown(known(), 1), (240, 240), "RGB"),
    "public-240x240": (shown(known()), (240, 240), "RGB"),
    "take-back-160x128": (shown(known(), 0, MISPLACED), (160, 128), "RGB"),
    "count-128x64": (shown(counting()), (128, 64), "1"),
    "four-250x122": (shown(four_bid()), (250, 122), "1"),
}


def on_a_dummy(screen: Screen, size: tuple[int, int], mode: str) -> Image.Image:
    """The picture on a display of this size and mode, drawn through luma's dummy device."""
    device = dummy(*size, mode=mode)
    device.display(draw(screen, device.size, device.mode))
    return device.image


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, entry in SCREENS.items():
        on_a_dummy(*entry).save(FOLDER / f"{name}.png", optimize=True)
