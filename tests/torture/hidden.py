"""Hidden is hidden: one hidden card changed leaves every output of the table as it is, byte for byte.

A game is played twice with the same observations, but for one card that only RFID readers know: in a hand, or laid away
into a crib. Each output (`tests.torture.hidden_outputs`) must have written the same, until the card is seen or the
rules themselves judge the two games differently: a known hand must follow suit, a known crib is counted.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cardtable.play.controller import Controller
from engine.cards import Card
from engine.games import HOUSE, load_game
from engine.observations import Dealt, LaidAway, Observation, Said, Scene, Sighting, Zone
from engine.record import Header
from engine.table import Table
from tests.cardtable.people.people import People
from tests.torture.harness import Figure, Scale
from tests.torture.hidden_outputs import OUTPUTS
from tests.torture.hidden_table import READERS, HiddenTable

GAMES: Final = tuple((game, players) for game in HOUSE for players in load_game(game).seats)
SWAPS: Final = 12
"""Cards changed in each game, in the long form."""
ACTS: Final = 130
"""Acts of the robots' plan that are played: two or three deals."""
LONG_ENOUGH: Final = 8
"""Observations for which a card must stay hidden, at least."""
COMPARED_EVERY: Final = 25
"""The outputs are compared after so many observations, and at the end."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A hidden card and the one that takes its place, in the observations from `first` until before `end`.

    `seats`: the seat to which it was dealt, and the one to which the other card was dealt, if it was; each then has the
    other's card. Empty if it lies face down on a reader.
    """

    seats: tuple[int, ...]
    card: Card
    other: Card
    first: int
    end: int

    def apply(self, number: int, observation: Observation) -> Observation:
        """Return the observation `number` with the card changed."""
        if number < self.first:
            return observation
        if isinstance(observation, Dealt | LaidAway) and observation.seat in self.seats:
            return replace(observation, cards=tuple(self._other(card) for card in observation.cards))
        if isinstance(observation, Scene) and observation.source == READERS:
            changed = (
                replace(each, face=self._other(each.face)) if isinstance(each.face, Card) else each
                for each in observation.sightings
            )
            return replace(observation, sightings=tuple(changed))
        return observation

    def _other(self, card: Card) -> Card:
        if card == self.card:
            return self.other
        return self.card if card == self.other and len(self.seats) == 2 else card


@dataclass(slots=True)
class Compared:
    """What one game showed. `differing`: outputs that differ although they must not, each with its first difference.

    `changed`: outputs that differ, as they may. `observations`: how many were the same to the rules in both games.
    """

    swap: Swap
    observations: int = 0
    differing: dict[str, str] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)


class Recorded(People):
    """People at a table whose observations are kept. Cards are dealt across readers if the game allows it."""

    def __init__(self, game: str, players: int, seed: int) -> None:
        self.observed: list[Observation] = []
        super().__init__(game, players, seed, known=True)

    def observe(self, observation: Observation) -> None:
        self.observed.append(observation)
        super().observe(observation)


def observations(game: str, players: int, seed: int, acts: int = ACTS) -> tuple[Header, list[Observation]]:
    """Return the header of a game that robots play, and what is observed of its first `acts` acts."""
    people = Recorded(game, players, seed)
    people.play(0.0, [], acts)
    return people.table.header, people.observed


def with_readers(header: Header, observed: Sequence[Observation], rng: random.Random) -> list[Observation]:
    """Add what RFID readers below the zones for cards face down would read: those cards, and one of the stock."""
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
            out.append(Scene(observation.time, READERS, named))
    return out


def face_down_swaps(header: Header, observed: Sequence[Observation], rng: random.Random, count: int) -> list[Swap]:
    """Return up to `count` swaps of cards that lie face down on a reader."""
    deck = load_game(header.game).deck.cards
    faces = {
        each.face: each.zone
        for scene in observed
        if isinstance(scene, Scene) and scene.source == READERS
        for each in scene.sightings
        if isinstance(each.face, Card)
    }
    # The second one is of the stock, the others of the other zones.
    cards = sorted(faces, key=lambda card: (faces[card] == Zone("stock"), rng.random()))
    chosen = [*cards[:1], *cards[-1:], *cards[1:-1]][:count]
    return [Swap((), card, rng.choice([o for o in deck if o not in faces]), 0, len(observed)) for card in chosen]


def swaps(header: Header, observed: Sequence[Observation], rng: random.Random, count: int) -> list[Swap]:
    """Return up to `count` swaps of cards that were dealt, with which the rules judge a while as without them."""
    deck = load_game(header.game).deck.cards
    possible = []
    for first, observation in enumerate(observed):
        if isinstance(observation, Dealt):
            for card in observation.cards:
                same_suit = rng.random() < 0.5  # then the rules judge it alike for longer
                other = rng.choice([o for o in deck if o != card and (o.suit == card.suit or not same_suit)])
                seats = _dealt_to(observed[first:], len(header.players), card, other)
                possible.append(Swap(seats, card, other, first, _end(observed, first, seats, card, other)))
    rng.shuffle(possible)
    found: list[Swap] = []
    for swap in sorted(possible, key=lambda swap: swap.first - swap.end):
        end = _judged_alike(header, observed, swap)
        if end - swap.first >= LONG_ENOUGH:
            found.append(replace(swap, end=end))
        if len(found) == count:
            break
    return found


def _judged_alike(header: Header, observed: Sequence[Observation], swap: Swap) -> int:
    """Return the number of the first observation that the rules judge in another way with the swap, or its `end`."""
    one, two = (Controller(Table(header), None, lambda snapshot: None) for _ in range(2))
    for number, observation in enumerate(observed[: swap.end]):
        if not (isinstance(observation, Scene) and observation.source == READERS):
            one.take(observation)
            two.take(swap.apply(number, observation))
            if _judged_differently(one.table, two.table) or _taken_up(one.table, swap):
                return number
    return swap.end


def _taken_up(table: Table, swap: Swap) -> bool:
    """Whether a seat has taken up the other card, which was dealt to no seat, and may see it: it lay in the skat."""
    if len(swap.seats) != 1 or table.phase == "cut":
        return False
    others = (seat for seat in range(len(table.header.players)) if seat not in swap.seats)
    return any(swap.other in table.view(seat).hands[seat].cards for seat in others)


def _dealt_to(observed: Sequence[Observation], players: int, card: Card, other: Card) -> tuple[int, ...]:
    """Return the seat to which `card` is dealt first, and the one that gets `other` in the same deal, if any does."""
    deals = [each for each in observed if isinstance(each, Dealt)][:players]
    return tuple(each.seat for dealt in (card, other) for each in deals if dealt in each.cards)


def _end(observed: Sequence[Observation], first: int, seats: tuple[int, ...], card: Card, other: Card) -> int:
    """Return the number of the first observation from `first` on by which anybody sees or is dealt one of the two.

    If they are exchanged between two `seats`, a card that is passed on ends it as well: a third seat may see it then.
    """
    pair = {card, other}
    dealt = 0
    for number in range(max(first - 1, 0), len(observed)):
        observation = observed[number]
        if isinstance(observation, Scene) and observation.source != READERS:
            if pair & {sighting.face for sighting in observation.sightings}:
                return number
        elif isinstance(observation, Dealt | LaidAway) and number >= first and pair & set(observation.cards):
            if isinstance(observation, Dealt):
                dealt += 1
                if dealt > len(seats):
                    return number
            elif len(seats) == 2 or observation.seat != seats[0] or other in observation.cards:
                return number
    return len(observed)


def compare(
    header: Header,
    observed: Sequence[Observation],
    swap: Swap,
    language: str,
    whole: bool,
    names: set[str] | None = None,
) -> Compared:
    """Play the game with and without the swap, and compare what every output has written.

    `whole`: at the end also the commands and the other routes of the server. `names` gets the names of the outputs.
    """
    compared = Compared(swap)
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("one", "two")]
        for place in places:
            place.mkdir()
        one = HiddenTable(header, places[0], language)
        try:
            two = HiddenTable(header, places[1], language)
            try:
                for number, observation in enumerate(observed[: swap.end]):
                    one.take(observation)
                    two.take(swap.apply(number, observation))
                    if _judged_differently(one.table, two.table):
                        break
                    compared.observations += 1
                    if number > swap.first and number % COMPARED_EVERY == 0:
                        _note(compared, one.outputs(), two.outputs())
                else:
                    for said in probes(header, swap, observed[swap.end - 1].time):
                        one.take(said)
                        two.take(said)
                    if not _judged_differently(one.table, two.table) and not _taken_up(one.table, swap):
                        _note(compared, one.outputs(whole), two.outputs(whole))
                if names is not None:
                    names.update(one.outputs(whole))
                if one.journal_modes() != {0o600}:
                    compared.differing["journal"] = f"the modes of its files are {one.journal_modes()}"
            finally:
                two.close()
        finally:
            one.close()
    return compared


def _judged_differently(one: Table, two: Table) -> bool:
    """Whether the rules have judged the two games differently: by what was accepted, scored, or counted openly."""

    def public(table: Table) -> tuple[object, ...]:
        done = tuple(action for action in table.actions if action.do not in ("deal", "discard"))
        return len(table.actions), done, table.scores, table.view().counted

    return public(one) != public(two)


def _note(compared: Compared, one: Mapping[str, bytes], two: Mapping[str, bytes]) -> None:
    for name in one.keys() | two.keys():
        before, after = one.get(name, b""), two.get(name, b"")
        if before == after:
            continue
        compared.changed.add(name)
        if not OUTPUTS[name].may_show(compared.swap.seats):
            compared.differing.setdefault(name, first_difference(before, after))


def first_difference(one: bytes, two: bytes) -> str:
    """Return the text around the first byte in which they differ."""
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    around = slice(max(at - 60, 0), at + 40)
    return f"{one[around]!r} became {two[around]!r}"


def probes(header: Header, swap: Swap, time: float) -> Iterator[Said]:
    """Yield every word of the game, said by every seat with each of the two cards, against the seat that has one."""
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
        language = ("en", "fr")[number % 2]
        yield game, players, [compare(header, observed, swap, language, k == 0) for k, swap in enumerate(chosen)]


def run(scale: Scale) -> Iterator[Figure]:
    """Change hidden cards of all games; a row for each game and number of players."""
    for game, players, compared in games(scale, scale.of(SWAPS)):
        scale.report(f"hidden: {game} for {players}")
        failures = [
            f"{game} for {players}: {each.swap}: {name}: {why}"
            for each in compared
            for name, why in sorted(each.differing.items())
        ]
        note = f"{sum(each.observations for each in compared):,} observations, {len(OUTPUTS)} outputs each"
        yield Figure(f"one hidden card changed, {game} for {players}", len(compared), tuple(failures), note)
