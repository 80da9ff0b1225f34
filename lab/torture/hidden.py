"""Hidden cards stay hidden: changing one of them leaves every output of the table as it is, byte for byte.

A game is played twice with the same observations, except for one card that only RFID readers know: in a hand, or laid
away into a crib. Each output (`lab.torture.hidden_outputs`) must write the same bytes until the card is seen, or until
the rules themselves treat the two games differently: a known hand must follow suit, a known crib is counted.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cardtable.languages import LANGUAGES
from engine.cards import Card
from engine.games import HOUSE, load_game
from engine.observations import Observation, Said, Scene, Sighting, Zone
from engine.record import Header
from engine.table import Table
from lab.torture.harness import Figure, Scale
from lab.torture.hidden_outputs import OUTPUTS
from lab.torture.hidden_swaps import Swap, face_down_swaps, judged_differently, swaps, taken_up
from lab.torture.hidden_table import READERS, HiddenTable
from tests.cardtable.people.people import observations

GAMES: Final = tuple((game, players) for game in HOUSE for players in load_game(game).seats)
SWAPS: Final = 12
"""Cards changed in each game, in the long form."""
ACTS: Final = 130
"""How many acts of the robots' plan are played: two or three deals."""
COMPARED_EVERY: Final = 25
"""After how many observations the outputs are compared; also at the end."""


@dataclass(slots=True)
class Compared:
    """What one game showed.

    `differing`: outputs that differ although they must not, each with its first difference. `changed`: outputs that may
    differ and do. `observations`: how many the rules treated alike in both games. `seats`: those that have held the
    card; in Fifteen, the crib with the others' discards may become a hand.
    """

    swap: Swap
    observations: int = 0
    differing: dict[str, str] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    seats: set[int] = field(default_factory=set)


def with_readers(header: Header, observed: Sequence[Observation], rng: random.Random) -> list[Observation]:
    """Add what RFID readers below the face-down zones would read: the cards there, and one of the stock."""
    deck = load_game(header.game).deck.cards
    seen = {each.face for scene in observed if isinstance(scene, Scene) for each in scene.sightings}
    hidden = [card for card in deck if card not in seen] or list(deck)
    rng.shuffle(hidden)
    faces: dict[str, Card] = {}
    out: list[Observation] = []
    for observation in observed:
        out.append(observation)
        if isinstance(observation, Scene):
            below = [each for each in observation.sightings if each.face is None and each.zone is not None]
            below.append(Sighting("stock", None, Zone("stock"), 0.0))
            for each in below:
                faces.setdefault(each.card_id, hidden[len(faces) % len(hidden)])
            named = tuple(replace(each, face=faces[each.card_id]) for each in below)
            out.append(Scene(observation.time, READERS, named, through_backs=True))
    return out


def compare(
    header: Header,
    observed: Sequence[Observation],
    swap: Swap,
    language: str,
    whole: bool,
    names: set[str] | None = None,
) -> Compared:
    """Play the game with and without the swap, and compare what every output has written.

    `whole`: at the end, compare the commands and the server's other routes too. The names of the outputs are added to
    `names`.
    """
    compared = Compared(swap)
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("one", "two")]
        for place in places:
            place.mkdir()
        first = HiddenTable(header, places[0], language)
        try:
            second = HiddenTable(header, places[1], language)
            try:
                for number, observation in enumerate(observed[: swap.end]):
                    first.take(observation)
                    second.take(swap.apply(number, observation))
                    if judged_differently(first.table, second.table):
                        break
                    compared.observations += 1
                    compared.seats |= {
                        *swap.seats,
                        *holders(first.table, swap.card),
                        *holders(second.table, swap.other),
                    }
                    if number > swap.first and number % COMPARED_EVERY == 0:
                        _note(compared, first.outputs(), second.outputs())
                else:
                    for probe in probes(header, swap, observed[swap.end - 1].time):
                        first.take(probe)
                        second.take(probe)
                    if not judged_differently(first.table, second.table) and not taken_up(first.table, swap):
                        _note(compared, first.outputs(whole), second.outputs(whole))
                if names is not None:
                    names.update(first.outputs(whole))
                if first.journal_modes() != {0o600}:
                    compared.differing["journal"] = f"the modes of its files are {first.journal_modes()}"
            finally:
                second.close()
        finally:
            first.close()
    return compared


def holders(table: Table, card: Card) -> list[int]:
    """Return the seats that know the card because it is in their hand."""
    return [seat for seat in range(len(table.header.players)) if card in (table.view(seat).hands[seat].cards or ())]


def _note(compared: Compared, first: Mapping[str, bytes], second: Mapping[str, bytes]) -> None:
    for name in first.keys() | second.keys():
        before, after = first.get(name, b""), second.get(name, b"")
        if before == after:
            continue
        compared.changed.add(name)
        if not OUTPUTS[name].may_show(tuple(compared.seats)):
            compared.differing.setdefault(name, first_difference(before, after))


def first_difference(first: bytes, second: bytes) -> str:
    """Return the text around the first byte in which they differ."""
    at = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    around = slice(max(at - 60, 0), at + 40)
    return f"{first[around]!r} became {second[around]!r}"


def probes(header: Header, swap: Swap, time: float) -> Iterator[Said]:
    """Yield every word of the game, said by every seat with each of the two cards, against a seat that holds one."""
    for word in load_game(header.game).words:
        for seat in range(len(header.players)):
            against = swap.seats[0] if swap.seats and "against" in word.keys else None
            for card in (swap.card, swap.other) if "card" in word.keys else (None,):
                yield Said(time, "page", seat, word.name, card, against)


def games(scale: Scale, count: int, acts: int = ACTS) -> Iterator[tuple[str, int, list[Compared]]]:
    """Play each game for each number of players with up to `count` swaps; yield what was compared."""
    for number, (game, players) in enumerate(GAMES):
        if not scale.has(game):
            continue
        rng = random.Random(f"hidden/{scale.seed}/{game}/{players}")
        header, seen = observations(game, players, scale.seed, acts)
        observed = with_readers(header, seen, rng)
        dealt = swaps(header, observed, rng, count)
        chosen = [*dealt, *face_down_swaps(header, observed, rng, max(1, count - len(dealt)))]
        language = LANGUAGES[number % len(LANGUAGES)]
        yield game, players, [compare(header, observed, swap, language, k == 0) for k, swap in enumerate(chosen)]


def run(scale: Scale) -> Iterator[Figure]:
    """Change hidden cards in all games; yield a row for each game and number of players."""
    for game, players, compared in games(scale, scale.of(SWAPS)):
        scale.report(f"hidden: {game} for {players}")
        failures = [
            f"{game} for {players}: {each.swap}: {name}: {why}"
            for each in compared
            for name, why in sorted(each.differing.items())
        ]
        note = f"{sum(each.observations for each in compared):,} observations, {len(OUTPUTS)} outputs each"
        yield Figure(f"one hidden card changed, {game} for {players}", len(compared), tuple(failures), note)
