"""Random evenings: any message from any device, action cards, buttons and restarts, at any time: `torture messages`.

The evening is the program's own: host, lobby, sessions, journal, board and access. People play (their scenes are
recorded beforehand) while paired phones, a director, a spectator and the board send random messages of every kind in
the interface's schema, random action cards are laid, buttons are pressed, and the program is restarted. After each step

- nothing has been raised, and the log has no error;
- every action that was stored is still stored: the journal of a game only grows, also by an undo;
- the table that is shown is the stored one;
- what every device is shown, and each refusal, has the documented shape;
- a message of a device that may not send it is refused, and nothing has been stored.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from lab.torture.harness import Figure, Scale
from lab.torture.messages_evening import GAMES, Attacked

STEPS: Final = 200_000
"""Steps at full length."""
EACH: Final = 400
"""Steps of one evening."""


def evening(game: tuple[str, int], seed: int, steps: int, tally: Counter[str]) -> str | None:
    """Attack one evening; return what went wrong."""
    with tempfile.TemporaryDirectory() as folder, closing(Attacked(Path(folder), game, seed, tally)) as attacked:
        try:
            for _ in range(steps):
                attacked.step()
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            return f"{game[0]} with {game[1]}, seed {seed}: {what}; before: {attacked.did[-6:]}"
    return None


def run(scale: Scale) -> Iterator[Figure]:
    """Yield one figure: the steps of all evenings."""
    tally: Counter[str] = Counter()
    failures: list[str] = []
    number, steps = 0, scale.of(STEPS)
    games = [game for game in GAMES if scale.has(game[0])]
    while number * EACH < steps:
        failed = evening(games[number % len(games)], scale.seed * 1000 + number, min(EACH, steps), tally)
        failures += [failed] if failed else []
        number += 1
        scale.report(f"evening {number}: {len(failures)} failed; {dict(tally)}")
    note = f"{tally['accepted']:,} messages accepted, {tally['forbidden']:,} forbidden and refused"
    yield Figure("random steps of evenings", number * min(EACH, steps), tuple(failures), note)
