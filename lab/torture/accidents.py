"""Hands and accidents: after each accident the record is right, or the table asks for exactly what is wrong.

Most accidents happen to scenes with identities, without pixels. In each game robots plan what is really played (the
script). Simulated people play it, have accidents, follow the prompts, and repeat what the board does not show. A figure
fails if the record has anything that was not done, if the people cannot correct it, or if it differs from the script at
the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.games import HOUSE, load_game
from lab.torture import accidents_of_hands, accidents_of_sight
from lab.torture.accidents_judge import difference
from lab.torture.accidents_table import AccidentTable
from lab.torture.harness import Figure, Scale
from tests.cardtable.people.people import Mishap
from tests.cardtable.people.table_top import Wrong

ACCIDENTS: Final[tuple[Mishap, ...]] = (
    accidents_of_sight.camera_bumped,
    accidents_of_sight.lamp_off_and_on,
    accidents_of_sight.sleeve_over_half,
    accidents_of_sight.turned_before_read,
    accidents_of_sight.taken_before_read,
    accidents_of_sight.swept_and_laid_again,
    accidents_of_sight.blinked,
    accidents_of_hands.two_play_at_once,
    accidents_of_hands.foreign_card,
    accidents_of_hands.second_deck,
    accidents_of_hands.word_of_another_game,
    accidents_of_hands.a_player_leaves,
    accidents_of_hands.card_pushed_across,
    accidents_of_hands.shown_by_accident,
)
GAMES: Final = tuple((game, players) for game in HOUSE for players in load_game(game).seats)
TOTAL: Final = 10_000
"""Accidents at full length, at the level of scenes."""
SHARE: Final = 0.25
"""Share of the acts with an accident."""
ACTS: Final = 300
"""Largest number of acts of one game."""


@dataclass
class Tally:
    """How often each accident happened, how often people were asked or repeated something, and what failed."""

    happened: Counter[str] = field(default_factory=Counter)
    helped: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def play(game: str, players: int, seed: int, accidents: tuple[Mishap, ...], tally: Tally, acts: int = ACTS) -> None:
    """Play one game, or its first `acts`, with accidents; judge its record and add the result to `tally`."""
    known = seed % 2 == 1
    people = AccidentTable(game, players, seed, known, tally.happened)
    while acts < len(people.plan) and not (people.plan[acts - 1].action and people.plan[acts - 1].expect):
        acts += 1  # to the next action that the board shows at once
    name = f"{game}, {players} players, seed {seed}"
    try:
        people.play(SHARE, accidents, acts)
    except Wrong as wrong:
        tally.failures.append(f"{name}, {people.last}: {str(wrong).rpartition('*** ')[2]}")
    else:
        early = [act.action for act in people.coming() if act.action]  # a card laid before the act that comes next
        header, record = people.table.header, people.table.actions
        wrong_record = difference(header, record, people.truth)
        if people.sees and wrong_record and difference(header, record, [*people.truth, *early]):
            tally.failures.append(f"{name}: {wrong_record}")
    tally.helped += people.helped
    del tally.happened[""]


def scenes(scale: Scale) -> Tally:
    """Play games of all kinds until `scale` accidents have happened; report them after each round."""
    tally, number, seed = Tally(), scale.of(TOTAL), scale.seed * 1000
    while tally.happened.total() < number:
        for game, players in GAMES:
            if not scale.has(game):
                continue
            play(game, players, seed, ACCIDENTS, tally)
            if tally.happened.total() >= number:
                break
        scale.report(f"seed {seed}: {tally.happened.total():,} accidents, {len(tally.failures)} failed")
        seed += 1
    return tally


def run(scale: Scale) -> Iterator[Figure]:
    """Yield the figures for all accidents together and for each kind."""
    tally = scenes(scale)
    note = f"people were asked {tally.helped['asked']:,} times, and did something again {tally.helped['again']:,} times"
    yield Figure("accidents to scenes", tally.happened.total(), tuple(tally.failures), note)
    for name, times in sorted(tally.happened.items()):
        yield Figure(name.replace("_", " "), times)
