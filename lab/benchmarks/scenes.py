"""Accuracy in all kinds of scenes: `python -m lab.benchmarks.scenes [--decks FOLDER] [--rounds N]`.

Cards apart, thrown on one another, in a row and in a fan; their indices 14 to 200 pixels high; on five backgrounds, in
four lights, with the camera above or at the side. Every deck is laid in every layout at every height; everything else
is random with fixed seeds. Neither scale nor deck is given. A card of which nine tenths of an index are visible has to
be read; other cards may be. Printed for each of these properties: the fraction read, and the number of wrong readings.

The decks are drawn ones that no network was trained on, or with `--decks` folders of pictures `<deck>/<card>.png`, as
`python -m lab.training render --unseen` writes them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

import numpy as np

from engine.cards import Card
from engine.observations import ActionCard
from lab.benchmarks.score import Score
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing.tables import CAMERAS, GROUNDS, LIES, LIGHTS, Deck, Kind, drawn_decks, packaged_decks, scene
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread

HEIGHTS: Final = (14, 17, 22, 32, 50, 80, 130, 200)
"""Heights of an index, from the rank's top to the suit's foot, pixels."""
FAIR: Final = 30
"""Least height of an index to which the goals apply, pixels."""
GOAL, MOST_WRONG = 0.9, 0.01


def _line(score: Score) -> str:
    return f"{score.recall:7.1%} of {score.cards:5} {score.wrong:6} wrong"


def kinds(decks: Sequence[str], rounds: int) -> Iterator[tuple[Kind, int]]:
    """Yield every kind of scene `rounds` times, with the seed of each."""
    rng = np.random.default_rng(7)
    for seed in range(rounds * len(decks) * len(HEIGHTS) * len(LIES)):
        rest, lie = divmod(seed, len(LIES))
        rest, height = divmod(rest, len(HEIGHTS))
        ground, light = list(GROUNDS)[rng.integers(len(GROUNDS))], LIGHTS[rng.integers(len(LIGHTS))]
        camera = CAMERAS[int(rng.random() < 0.4)]
        yield Kind(decks[rest % len(decks)], HEIGHTS[height], LIES[lie], ground, light, camera), seed


def score_scene(read: Counter[Card | ActionCard], must: Sequence[Card], may: Sequence[Card], seconds: float) -> Score:
    """Return the score of one scene: the cards in `must` have to be read, those in `may` can be."""
    wrong = read - Counter(must) - Counter(may)
    return Score(len(must), (read & Counter(must)).total(), wrong.total(), [1000 * seconds])


def measure(reader: FaceReader, decks: dict[str, Deck], rounds: int) -> list[tuple[Kind, Score]]:
    """Return the kind and the score of each scene."""
    rows = []
    for kind, seed in kinds(list(decks), rounds):
        picture, must, may = scene(decks[kind.deck], kind, seed)
        begun = time.process_time()
        read = Counter(reading.face for reading in reader.read(picture))
        seconds = time.process_time() - begun
        rows.append((kind, score_scene(read, must, may, seconds)))
    return rows


def main(argv: list[str] | None = None) -> int:
    """Print the tables; return 1 if the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.scenes", description=__doc__)
    parser.add_argument("--decks", type=Path, help="folder with rendered decks; without it drawn ones")
    parser.add_argument("--rounds", type=int, default=1, help="how often each deck lies in each way at each height")
    args = parser.parse_args(argv or [])
    use_one_thread()
    decks = packaged_decks(args.decks) if args.decks else drawn_decks()
    rows = measure(FaceReader(), decks, args.rounds)
    fair = Score()
    for field in fields(Kind):
        scores: dict[object, Score] = {}
        for kind, score in rows:
            scores.setdefault(getattr(kind, field.name), Score()).add(score)
        print(field.name)
        for value, score in scores.items():
            print(f"    {value!s:24} {_line(score)}")
    for kind, score in rows:
        if kind.height >= FAIR:
            fair.add(score)
    ms = sum(score.mean_ms for _, score in rows) / len(rows)
    print(f"indices of {FAIR} pixels and more: {_line(fair)}")
    print(f"{ms:.0f} ms a picture, {share_of_yolo(ms)} of a graph shaped like YOLOv8n")
    return int(fair.right < GOAL * fair.cards or fair.wrong > MOST_WRONG * fair.right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
