"""*The table is right*: find the smallest correction of the record after which it agrees with the cards that lie there.

A correction is tried by giving the corrected record and the current scenes to a new referee, as after a restart. It
agrees if that referee does not ask the players to move or name a card (`DIFFERENCES`). Small corrections are tried
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.correcting import Correction, add_card, give_to_seat, laid_by, remove_card, replace_card, undo_to
from engine.errors import Refused
from engine.observations import ActionCard, Scene
from engine.record import Header
from engine.referee.reconciliation import is_same_place
from engine.referee.referee import Referee
from engine.referee.rewriting import SeenCard
from engine.table import Table
from engine.views import TableCard

DIFFERENCES: Final = frozenset(("take-back", "put-back", "misread", "unclear", "two-cards"))
"""The kinds of prompts that say that the record and the table differ."""
_MOST_TRIALS: Final = 60
"""Upper limit of the corrections tried. Each one replays the whole game."""
_LAST_ACTIONS: Final = 8
"""Leaving out one action is tried for this many of the last actions."""
_LAST_UNDONE: Final = 12
"""Undoing is tried back to this many actions before the end."""
_ALTERNATIVES: Final = 4
"""Other faces that are tried for a card that counts, the likeliest first."""
_LOSS: Final = 3
"""Weight, in steps, of an action that no longer fits and is lost."""


def follow_table(
    header: Header, table: Table, seen: Sequence[SeenCard], scenes: Sequence[Scene]
) -> tuple[Correction, list[Scene]] | None:
    """Return the smallest correction after which nothing that lies there is wrong; None if there is none.

    `seen`: the cards observed now, as the present referee judges them. `scenes`: the last one of every source. Also
    returns these scenes without what a new referee must not judge again: action cards, and cards that have had their
    effect.
    """
    best: tuple[int, int] | None = None
    found: tuple[Correction, list[Scene]] | None = None
    candidates = sorted(_candidates(header, table, seen), key=_weight)
    for correction in islice(dict.fromkeys(candidates), _MOST_TRIALS):
        weight = _weight(correction)
        if best is not None and weight > best[0]:
            break
        rest = _to_judge(header, correction, seen, scenes)
        concluded = _agrees(header, correction, rest)
        # Between equal weights, the correction after which the referee has to add fewer actions explains more.
        if concluded is not None and (best is None or (weight + concluded, concluded) < best):
            best, found = (weight + concluded, concluded), (correction, rest)
    return found


def _weight(correction: Correction) -> int:
    return correction.steps + _LOSS * len(correction.lost)


def _agrees(header: Header, correction: Correction, scenes: Sequence[Scene]) -> int | None:
    """Return how many actions a new referee finds in these scenes after the correction; None if something is wrong."""
    table = Table(header)
    for action in correction.actions:
        table.do(action)
    done: list[Action] = []

    def apply(action: Action) -> None:
        table.do(action)
        done.append(action)

    referee = Referee(table, apply, [scene.source for scene in scenes], watched=True)
    for scene in scenes:
        referee.observe(scene)
    return None if any(prompt.kind in DIFFERENCES for prompt in referee.prompts) else len(done)


def _to_judge(header: Header, correction: Correction, seen: Sequence[SeenCard], scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes without action cards, and without cards that have had their effect (`SeenCard.done`).

    A card that has had its effect is kept if the corrected record has it on the table.
    """
    table = Table(header)
    for action in correction.actions:
        table.do(action)
    wanted = [*table.lying]
    for card in seen:
        same = _entry_of(card, wanted)
        if not card.done and same is not None:
            wanted.remove(same)
    left_out = set()
    for card in seen:
        if card.done:
            same = _entry_of(card, wanted)
            if same is None:
                left_out |= set(card.sightings)
            else:
                wanted.remove(same)
    return [
        replace(
            scene,
            sightings=tuple(
                each
                for each in scene.sightings
                if not isinstance(each.face, ActionCard) and (scene.source, each.card_id) not in left_out
            ),
        )
        for scene in scenes
    ]


def _entry_of(card: SeenCard, entries: Iterable[TableCard]) -> TableCard | None:
    return next((entry for entry in entries if entry.card == card.face and is_same_place(card.zone, entry.zone)), None)


def _candidates(header: Header, table: Table, seen: Sequence[SeenCard]) -> Iterator[Correction]:
    """Yield the corrections to try: those that what lies there suggests, and undoing."""
    actions = table.actions
    yield Correction(actions, actions)
    present = [card for card in seen if card.face is not None]
    missing = [entry for entry in table.lying if entry.firm and _seen_of(entry, present) is None]
    extra = [card for card in present if card.refused and card.zone is not None]
    for make in (
        *_of_missing(header, table, missing, extra),
        *_of_extra(header, table, present, extra),
        *(_removed(header, table, number) for number in range(max(0, len(actions) - _LAST_ACTIONS), len(actions))),
        *(_undone(header, table, number) for number in range(max(0, len(actions) - _LAST_UNDONE), len(actions))),
    ):
        try:
            yield make()
        except (Refused, ValueError):
            continue


Make = Callable[[], Correction]
"""Makes one correction. Raises `Refused` if the rules do not allow it, `ValueError` if there is nothing to correct."""


def _seen_of(entry: TableCard, seen: Iterable[SeenCard]) -> SeenCard | None:
    return next((card for card in seen if card.face == entry.card and is_same_place(card.zone, entry.zone)), None)


def _of_missing(
    header: Header, table: Table, missing: Iterable[TableCard], extra: Sequence[SeenCard]
) -> Iterator[Make]:
    """Corrections for a recorded card that is not there: it is another card, another seat's, or was never there."""
    actions = table.actions
    for entry in missing:
        number = laid_by(actions, entry)
        if number is None:
            continue
        for card in extra:
            if card.face is not None and card.zone is not None and card.zone.seat == entry.zone.seat:
                yield _replaced(header, table, number, entry.card, card.face)
            if card.face == entry.card and card.zone is not None and card.zone.seat is not None:
                yield _given(header, table, number, card.zone.seat)
        yield _removed(header, table, number, entry.card)


def _of_extra(header: Header, table: Table, present: Sequence[SeenCard], extra: Sequence[SeenCard]) -> Iterator[Make]:
    """Corrections for a card that the rules refused: it was laid earlier and missed, or an earlier card was misread."""
    for card in extra:
        if card.face is None or card.zone is None:
            continue
        yield _added(header, table, card)
        for other in present:
            if other.face == card.face and other.number is not None:
                for alternative in other.alternatives[:_ALTERNATIVES]:
                    yield _replaced(header, table, other.number, card.face, alternative)


def _replaced(header: Header, table: Table, number: int, was: Card, card: Card) -> Make:
    return lambda: replace_card(header, table.actions, number, was, card)


def _removed(header: Header, table: Table, number: int, card: Card | None = None) -> Make:
    return lambda: remove_card(header, table.actions, number, card)


def _given(header: Header, table: Table, number: int, seat: int) -> Make:
    return lambda: give_to_seat(header, table.actions, number, seat)


def _undone(header: Header, table: Table, number: int) -> Make:
    return lambda: undo_to(header, table.actions, number)


def _added(header: Header, table: Table, card: SeenCard) -> Make:
    assert card.face is not None and card.zone is not None
    face, zone = card.face, card.zone
    return lambda: add_card(header, table.actions, face, zone)
