"""`cardtable see`: read the cards in single pictures."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.config.decks import ORDINARY, find_deck, is_printed, suits_of
from cardtable.terminal.output import translated
from cardtable.terminal.progress import Progress, load
from engine.games import word_marks
from engine.texts import spaced, text

if TYPE_CHECKING:
    from vision import Reader, Reading

SUMMARY = text("read the cards in pictures")
ACTIVITY = text("reading the pictures")
EXAMPLE = "cardtable see trick.jpg --json"
MARKS = ("faces", "qr", "aruco", "all")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "images", nargs="+", metavar="IMAGE", help=text("a picture: JPEG, PNG, or another format that OpenCV reads")
    )
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each picture"))
    parser.add_argument(
        "--deck",
        default=ORDINARY,
        metavar="D",
        help=text(
            "the deck in the pictures: ordinary (default), german-suits (acorns and leaves), or a learned deck "
            "(see cardtable deck list)"
        ),
    )
    parser.add_argument(
        "--marks", default="all", choices=MARKS, help=text("what to read: printed faces, marks, or all")
    )


def run(args: argparse.Namespace) -> int:
    """Read the pictures in order; return 1 if one of them could not be read, else 0."""
    load("cv2", "vision")
    from vision import readers_for  # OpenCV and the models are loaded only if they are needed

    deck = None if is_printed(args.deck) else find_deck(args.deck)
    readers = readers_for(args.marks, deck, word_marks(), suits=suits_of(args.deck))
    failed = False
    with Progress(shown=not args.json) as progress:
        for name in progress.each(args.images, text("reading the pictures")):
            seen = _see(name, readers)
            failed = failed or "error" in seen
            progress.clear()
            if args.json:
                print(json.dumps(seen, ensure_ascii=False), flush=True)
            else:
                print(_text(seen), file=sys.stderr if "error" in seen else sys.stdout, flush=True)
    return 1 if failed else 0


def _see(name: str, readers: list[Reader]) -> dict[str, Any]:
    import vision

    try:
        picture = vision.load_picture(Path(name))
    except vision.NotAPicture as error:
        return {"image": name, "error": str(error)}
    begun = time.perf_counter()
    readings = vision.read(picture, readers=readers)
    ms = (time.perf_counter() - begun) * 1000
    height, width = picture.shape[:2]
    return {
        "image": name,
        "width": width,
        "height": height,
        "ms": round(ms, 1),
        "cards": [_entry(reading) for reading in readings],
    }


def _entry(reading: Reading) -> dict[str, Any]:
    entry = {
        "card": str(reading.face),
        "confidence": round(float(reading.confidence), 4),
        "by": reading.by,
        "outline": [[round(float(x), 1), round(float(y), 1)] for x, y in reading.outline],
    }
    return entry if reading.outline_from == "edges" else entry | {"outline_from": reading.outline_from}


def _text(seen: dict[str, Any]) -> str:
    if "error" in seen:
        return translated(text("{file}: {error}", file=seen["image"], error=seen["error"]))
    cards = spaced([_glyph(entry["card"]) for entry in seen["cards"]]) if seen["cards"] else text("no card")
    return translated(text("{file}: {cards}", file=seen["image"], cards=cards))


def _glyph(card: str) -> str:
    from engine.cards import UnknownCard, parse_card

    try:
        return parse_card(card).glyph
    except UnknownCard:
        return card
