"""Faces in every kind of scene: `python -m benchmarks.scenes [--decks FOLDER] [--rounds N]`.

Cards apart, thrown on one another, in a row and in a fan; their indices from 14 to 200 pixels high; on five grounds, in
four lights, the camera above or at the side: each deck lies in each way at each height, the rest by chance, seeds
fixed. Nothing is told of scale or deck. A card of which nine tenths of an index are seen has to be read; what else lies
there may be. Printed by each of these in turn: the share read, and how many readings were wrong.

The decks are drawn ones that nothing was learned from, or with `--decks` folders of pictures `<deck>/<card>.png`, as
`python -m vision.training render --unseen` writes them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks.tables import CAMERAS, GROUNDS, LIES, LIGHTS, Deck, Kind, drawn_decks, packaged_decks, scene
from engine.cards import Card
from engine.observations import ActionCard
from vision.faces import FaceReader

HEIGHTS: Final = (14, 17, 22, 32, 50, 80, 130, 200)
"""Of an index, from the rank's top to the suit's foot, pixels."""
FAIR: Final = 30
"""From this height on the goals hold."""
GOAL, MOST_WRONG = 0.9, 0.01


@dataclass
class Score:
    """What was to be read, what was, and what was read that does not lie there."""

    cards: int = 0
    right: int = 0
    wrong: int = 0

    def add(self, other: Score) -> None:
        """The other's scenes as well."""
        self.cards, self.right, self.wrong = (
            self.cards + other.cards,
            self.right + other.right,
            self.wrong + other.wrong,
        )

    def __str__(self) -> str:
        return f"{self.right / max(self.cards, 1):7.1%} of {self.cards:5} {self.wrong:6} wrong"


def kinds(decks: Sequence[str], rounds: int) -> Iterator[tuple[Kind, int]]:
    """Every kind of scene so many times, and the seed of each."""
    rng = np.random.default_rng(7)
    for seed in range(rounds * len(decks) * len(HEIGHTS) * len(LIES)):
        rest, lie = divmod(seed, len(LIES))
        rest, height = divmod(rest, len(HEIGHTS))
        ground, light = list(GROUNDS)[rng.integers(len(GROUNDS))], LIGHTS[rng.integers(len(LIGHTS))]
        camera = CAMERAS[int(rng.random() < 0.4)]
        yield Kind(decks[rest % len(decks)], HEIGHTS[height], LIES[lie], ground, light, camera), seed


def told(read: Counter[Card | ActionCard], must: Sequence[Card], may: Sequence[Card]) -> Score:
    """How what was read fits what has to be read, and what may be."""
    strange = read - Counter(must) - Counter(may)
    return Score(len(must), (read & Counter(must)).total(), strange.total())


def measured(reader: FaceReader, decks: dict[str, Deck], rounds: int) -> list[tuple[Kind, Score, float]]:
    """Each scene's kind, what was read in it, and the seconds of processor time that took."""
    rows = []
    for kind, seed in kinds(list(decks), rounds):
        picture, must, may = scene(decks[kind.deck], kind, seed)
        begun = time.process_time()
        read = Counter(reading.face for reading in reader.read(picture))
        seconds = time.process_time() - begun
        rows.append((kind, told(read, must, may), seconds))
    return rows


def main(argv: list[str] | None = None) -> int:
    """Prints the tables; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scenes", description=__doc__)
    parser.add_argument("--decks", type=Path, help="folder with rendered decks; without it drawn ones")
    parser.add_argument("--rounds", type=int, default=1, help="how often each deck lies in each way at each height")
    args = parser.parse_args(argv or [])
    cv2.setNumThreads(1)
    decks = packaged_decks(args.decks) if args.decks else drawn_decks()
    rows = measured(FaceReader(), decks, args.rounds)
    fair = Score()
    for field in fields(Kind):
        scores: dict[object, Score] = {}
        for kind, score, _ in rows:
            scores.setdefault(getattr(kind, field.name), Score()).add(score)
        print(field.name)
        for value, score in scores.items():
            print(f"    {value!s:24} {score}")
    for kind, score, _ in rows:
        if kind.height >= FAIR:
            fair.add(score)
    print(
        f"indices of {FAIR} pixels and more: {fair}; {sum(row[2] for row in rows) / len(rows) * 1000:.0f} ms a picture"
    )
    return int(fair.right < GOAL * fair.cards or fair.wrong > MOST_WRONG * fair.right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
