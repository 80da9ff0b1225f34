"""Accuracy of reading learned decks: `python -m lab.benchmarks.decks`.

Drawn decks of several styles; each card is learned from one photograph in white light, then every second card is
photographed in other light, at a smaller scale, blurred, rotated and tilted. With the whole deck learned: how many
cards are read right, wrong, or not at all. With the card missing from the deck: how many are misread as another.
`differs`: the largest difference between a card and itself at its worst place, and the smallest between it and any
other card.
"""

from __future__ import annotations

import sys
import time
from typing import Final

import numpy as np

from engine.cards import Card
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing.decks import STYLES, drawn_deck, learned, photograph, seen_face
from vision.decks.matching import Matcher

CONDITIONS: Final = (
    ("white", 2.0, 0.7), ("warm lamp", 2.0, 0.7), ("cold", 1.5, 0.7), ("white", 2.0, 1.6), ("dim", 1.25, 1.0),
    ("shadow", 2.0, 0.7),
)  # fmt: skip
"""Light, pixels per millimetre, standard deviation of the blur in pixels."""
GOAL: Final = 0.97
"""Required fraction read right, in styles in which every card has a distinct face."""
SIMILAR: Final = "small print"
"""The style whose court cards differ only in a sign of 4 mm: they may stay unread, but must not be misread."""


def main() -> int:
    """Print the table; return 1 if a goal is missed."""
    print("deck         light      px/mm blur   cards  right  wrong  unread  differs: itself  others", end="")
    print("  guessed    ms  of YOLO")
    missed = False
    for style in STYLES:
        for light, px_per_mm, blur in CONDITIONS:
            missed |= _row(style, light, px_per_mm, blur)
    return int(missed)


def _row(style: str, light: str, px_per_mm: float, blur: float) -> bool:
    rng = np.random.default_rng(1)
    deck = learned(style)
    whole = Matcher(deck.faces)
    right = wrong = unread = guessed = 0
    itself: list[float] = []
    others: list[float] = []
    seconds = 0.0
    cards: list[Card] = list(drawn_deck(style))[::2]
    for card in cards:
        face = seen_face(*photograph(drawn_deck(style)[card], rng, px_per_mm, blur, light))
        if face is None:
            unread += 1
            continue
        started = time.process_time()
        match = whole.match(face)
        seconds += time.process_time() - started
        right, wrong, unread = (
            right + (match.card is card),
            wrong + (match.card not in (card, None)),
            unread + (match.card is None),
        )
        without = Matcher({other: seen for other, seen in deck.faces.items() if other is not card}).match(face)
        guessed += without.card is not None
        itself.append(match.difference if match.nearest is card else np.inf)
        others.append(without.difference)
    ms = 1000 * seconds / len(cards)
    print(
        f"{style:12} {light:10} {px_per_mm:5} {blur:4} {len(cards):7} {right:6} {wrong:6} {unread:7} "
        f"{max(itself):15.1f} {min(others):7.1f} {guessed:8} {ms:5.0f} {share_of_yolo(ms):>8}",
        flush=True,
    )
    return wrong > 0 or (style != SIMILAR and (right < GOAL * len(cards) or guessed > 0))


if __name__ == "__main__":
    sys.exit(main())
