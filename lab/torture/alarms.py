"""False alarms: no prompt may stay red for long in a game without mistakes. Run: `torture alarms`.

Robots play short games of all kinds before an imitated camera (`bare_stage.Eye`), which reads some cards late. Like
people, they lay bids, the crib and shown hands card by card. A prompt for something under way is calm; it is red
(`Prompt.urgent`) if something is wrong, which here happens only when a card is read so late that it is laid again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cardtable.simulation.director import Director, GaveUp, ShownBoard
from cardtable.simulation.stage import FPS
from cardtable.table.live_game import LiveGame
from engine.games import HOUSE, load_game
from engine.table import Table
from lab.torture.bare_stage import BareStage, Eye, known_mat
from lab.torture.cut_games import plan
from lab.torture.harness import Figure, Scale

GAMES: Final = 10
"""Games of each kind, for each number of players."""
MOST: Final = 0.02
"""Largest share of the time in which a prompt may be red."""
LONGEST: Final = 40_000
"""Frames after which a game counts as stuck: 22 minutes."""


@dataclass
class Alarms:
    """What was shown: `seconds` of play, those with a red prompt, those of each red text, and stuck games."""

    seconds: float = 0.0
    red: float = 0.0
    texts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def play(game: str, players: int, seed: int, alarms: Alarms) -> None:
    """Play one game, and add what was shown to `alarms`."""
    whole = plan(game, players, seed)
    rng = random.Random(f"alarms/{whole.name}")
    stage = BareStage(known_mat(game, players), rng)
    director = Director(stage, iter(whole.acts), rng, ())
    table = Table(whole.header)
    live = LiveGame(table, None, (), (), ["camera"])
    director.board = ShownBoard(lambda: live.snapshot.view, lambda: live.snapshot.prompts)
    eye, script, time = Eye(stage, rng), director.run(), 0.0
    for frame in range(LONGEST):
        try:
            next(script)
        except StopIteration:
            break
        except GaveUp as reason:
            alarms.failures.append(f"{whole.name}: {reason}")
            break
        time = frame / FPS
        stage.move_on(time)
        if scene := eye.look(time):
            live.take(scene)
        live.pass_time("camera", time)
        red = [prompt for prompt in live.snapshot.prompts if prompt.urgent]
        alarms.red += bool(red) / FPS
        alarms.texts.update(str(prompt.text) for prompt in red)
    else:
        alarms.failures.append(f"{whole.name}: it does not end within {LONGEST} frames")
    alarms.seconds += time


def run(scale: Scale) -> Iterator[Figure]:
    """Yield a figure for each game."""
    for game in HOUSE:
        if not scale.has(game):
            continue
        alarms, games = Alarms(), 0
        for players in load_game(game).seats:
            for seed in range(scale.seed, scale.seed + scale.of(GAMES)):
                play(game, players, seed, alarms)
                games += 1
        for words, frames in alarms.texts.most_common(5):
            scale.report(f"{game}: red for {frames / FPS:.1f} s: {words}")
        failures = list(alarms.failures)
        if alarms.red > MOST * alarms.seconds:
            failures.append(f"{game}: red for {alarms.red:.1f} of {alarms.seconds:.0f} s")
        note = f"a red prompt for {alarms.red:.1f} of {alarms.seconds:,.0f} s"
        yield Figure(f"{game} without mistakes", games, tuple(failures), note)
