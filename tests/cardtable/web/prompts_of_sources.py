"""What cameras report to the players, with long values: every text of the modules that watch pictures and light."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from engine.texts import Text, both, text
from tests.cardtable.french import FRENCH
from vision import camera_pipeline, unread_cards
from vision.cameras import live, network, usb
from vision.light import watch
from vision.tracking import picture_checks

MODULES: Final = (camera_pipeline, live, network, usb, watch, picture_checks, unread_cards)
_MARKS: Final = both([text("mark {number} ({corner})", number=n, corner=text("bottom right")) for n in (1, 2)])
VALUES: Final = {
    "name": "usb:0",
    "camera": "/dev/video0",
    "there": "/dev/video2",
    "device": "/dev/video0",
    "seconds": 10,
    "why": text("No space left on device"),
    "place": text("at the bottom right"),
    "mark": text("mark {number} ({corner})", number=2, corner=text("bottom right")),
    "marks": _MARKS,
    "scale": "2.31",
    "least": 3.0,
    "size": "8192 × 6144",
    "address": "http://192.168.0.20/video",
}


def prompts_of_sources() -> list[Text]:
    """Return the sentences that a camera reports while a game is played."""
    return [text(template, **VALUES) for module in MODULES for template in _sentences(module)]


def _sentences(module: ModuleType) -> Iterator[str]:
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        words = node.value if isinstance(node, ast.Constant) else None
        if isinstance(words, str) and words.endswith(".") and words in FRENCH:
            yield words
