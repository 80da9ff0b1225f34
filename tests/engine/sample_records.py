"""Write the sample records of the games that no other program has written samples of.

    python -m tests.engine.sample_records

Each game has two random games from fixed seeds in `tests/engine/records`: `…-g000`, legal actions only, and `…-g001`,
with mistakes and undos among them. An expectation is what the replay answers when it is written: it shows every later
change of behaviour. Whether the behaviour is right is shown by `python -m lab.twins.twins`.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Final

from engine.games import game_names, load_game
from engine.record import Header, write_record
from engine.table import replay
from tests.engine.properties.plays import LEGAL, NAMES, Play

RECORDS: Final = Path(__file__).parent / "records"
SAMPLED: Final = ("all-fives", "cribbage", "fifteen", "its-15", "le-quinze")
"""Games whose samples come from a second implementation."""
ACTIONS: Final = (250, 100)
"""The length of the first and of the second game of each."""
KEYS: Final = ("n", "ok", "error", "scores", "turn", "phase", "points", "events")
"""The keys of an answer that are expected; messages may be worded better."""


def play(game: str, number: int) -> Play:
    """Return a finished random game: the same one at each call."""
    rng = random.Random(f"{game}/{number}")
    seats = load_game(game).seats
    header = Header(game, NAMES[: rng.choice(seats)], 0)
    steps = [(rng.randrange(LEGAL if number == 0 else 100), rng.randrange(1 << 24)) for _ in range(ACTIONS[number])]
    return Play(header, steps, naming=1.0 if number == 0 else 0.5).finished()


def main() -> int:
    """Write the records and their expectations; return 0."""
    for game in game_names():
        for number in range(len(ACTIONS)) if game not in SAMPLED else ():
            played = play(game, number)
            lines = [*write_record(played.header, played.tried)]
            answers = [*replay(lines)]
            expected = [{key: each[key] for key in KEYS if key in each} for each in answers[:-1]] + answers[-1:]
            name = f"{game}-g00{number}"
            (RECORDS / f"{name}.record.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
            text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in expected)
            (RECORDS / f"{name}.expect.jsonl").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
