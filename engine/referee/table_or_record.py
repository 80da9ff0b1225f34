"""What to do if the table and the record differ: correct the record (`follow_table`), or move the cards (`moves`).

If the table is right, the smallest correction of the record is sought after which it agrees with the cards that lie
there. A correction is tried by passing the corrected record and the last scenes to a new referee, as after a restart.
The two agree if that referee does not ask the players to move or name a card (`DIFFERENCES`).

If the record is right, the players are told which card goes where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.corrections import Correction, add_card, give_to_seat, laid_by, remove_card, replace_card
from engine.observations import ActionCard, Scene, Zone
from engine.record import Header
from engine.referee.corrections import SeenCard
from engine.referee.matching import is_same_place
from engine.referee.prompts import place
from engine.referee.referee import Referee
from engine.table import Table
from engine.texts import Text, text
from engine.views import TableCard

MAX_TRIALS: Final = 60
"""The most corrections that are tried, the smallest first; each replays the game. More: the answer takes longer. Fewer:
a large correction is not found."""
LAST_REMOVED: Final = 8
"""Removing one action is tried for this many of the last actions. More: an earlier action that never happened is found.
Fewer: other corrections are tried instead."""
LAST_UNDONE: Final = 12
"""Undoing is tried for up to this many actions. More: a table that was put back further is followed. Fewer: other
corrections are tried instead."""
MAX_ALTERNATIVES: Final = 4
"""The most faces that are tried for a card that counts, the likeliest first. More: a worse misreading is put right.
Fewer: larger corrections of other actions are tried instead."""
LOSS_WEIGHT: Final = 3
"""Weight of a later action that no longer fits and is lost, in steps (actions to undo and to do again). Higher: many
actions are undone and done again rather than losing one. Lower: actions are lost."""
DIFFERENCES: Final = frozenset(("take-back", "put-back", "misread", "unclear", "two-cards"))
"""The kinds of prompts that say that the record and the table differ."""
_PLACES: Final = ("play", "turn-up", "table", "bid", "show")
"""The zones in which cards that the record knows lie face up."""

_Trial = Callable[[], Correction]
"""Makes one correction. Raises `ValueError` if there is nothing to correct, or `Refused` if the rules forbid it."""


def follow_table(
    header: Header, table: Table, seen: Sequence[SeenCard], scenes: Sequence[Scene]
) -> tuple[Correction, list[Scene]] | None:
    """Return the smallest correction after which nothing that lies there is wrong, and the scenes to judge then.

    `seen`: the cards observed now, as the present referee judges them. `scenes`: the last scene of every source. They
    are returned without what a new referee must not judge again: action cards, and cards that have had their effect.
    Returns None if no correction explains what lies there.
    """
    best: tuple[int, int] | None = None
    found: tuple[Correction, list[Scene]] | None = None
    for weight, correction in corrections_to_try(header, table, seen):
        if best is not None and weight > best[0]:
            break
        rest = _to_judge(header, correction, seen, scenes)
        concluded = _agrees(header, correction, rest)
        # Between equal weights, the correction after which the referee has to add fewer actions explains more.
        if concluded is not None and (best is None or (weight + concluded, concluded) < best):
            best, found = (weight + concluded, concluded), (correction, rest)
    return found


def _agrees(header: Header, correction: Correction, scenes: Sequence[Scene]) -> int | None:
    """Return how many actions a new referee adds to the corrected record; None if it finds something wrong."""
    table = Table(header)
    for action in correction.actions:
        table.do(action)
    referee = Referee(table, [scene.source for scene in scenes], watched=True)
    done = sum(len(referee.observe(scene)) for scene in scenes)
    return None if any(prompt.kind in DIFFERENCES for prompt in referee.prompts) else done


def _to_judge(header: Header, correction: Correction, seen: Sequence[SeenCard], scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes without action cards, and without cards that have had their effect (`SeenCard.done`).

    A card that has had its effect stays if the corrected record has it on the table.
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


def corrections_to_try(header: Header, table: Table, seen: Sequence[SeenCard]) -> list[tuple[int, Correction]]:
    """Return the corrections to try, each with its weight, the lightest first.

    They are: the record as it is, what the cards on the table suggest, removing one of the last actions, and undoing.
    The weight is the number of steps, plus `LOSS_WEIGHT` for each action lost.
    """
    actions = table.actions
    missing = [entry for entry in table.lying if entry.firm and not _is_seen(entry, seen)]
    extra = [(card.face, card.zone) for card in seen if card.refused and card.face and card.zone]
    numbers = range(len(actions))
    trials: list[_Trial] = [
        *_of_missing(header, actions, missing, extra),
        *_of_extra(header, actions, seen, extra),
        *(partial(remove_card, header, actions, number) for number in numbers[-LAST_REMOVED:]),
        *(partial(Correction, actions, actions[:number]) for number in numbers[-LAST_UNDONE:]),
    ]
    weights: dict[Correction, int] = {}
    for correction in (Correction(actions, actions), *_possible(trials)):
        weights[correction] = correction.steps + LOSS_WEIGHT * len(correction.lost)
    by_weight = sorted(weights, key=weights.__getitem__)
    return [(weights[correction], correction) for correction in by_weight[:MAX_TRIALS]]


def _possible(trials: Iterable[_Trial]) -> Iterator[Correction]:
    for trial in trials:
        with suppress(ValueError):
            yield trial()


def _is_seen(entry: TableCard, seen: Iterable[SeenCard]) -> bool:
    return any(card.face == entry.card and is_same_place(card.zone, entry.zone) for card in seen)


def _of_missing(
    header: Header, actions: Sequence[Action], missing: Iterable[TableCard], extra: Sequence[tuple[Card, Zone]]
) -> Iterator[_Trial]:
    """Yield corrections for a recorded card that is not there: it is another card, another seat's, or never was."""
    for entry in missing:
        if (number := laid_by(actions, entry)) is not None:
            for face, zone in extra:
                if zone.seat == entry.zone.seat:
                    yield partial(replace_card, header, actions, number, entry.card, face)
                if face == entry.card and zone.seat is not None:
                    yield partial(give_to_seat, header, actions, number, zone.seat)
            yield partial(remove_card, header, actions, number, entry.card)


def _of_extra(
    header: Header, actions: Sequence[Action], seen: Sequence[SeenCard], extra: Iterable[tuple[Card, Zone]]
) -> Iterator[_Trial]:
    """Yield corrections for a card that the rules refused: it was missed earlier, or an earlier card was misread."""
    for face, zone in extra:
        yield partial(add_card, header, actions, face, zone)
        for other in seen:
            if other.face == face and other.number is not None:
                for alternative in other.alternatives[:MAX_ALTERNATIVES]:
                    yield partial(replace_card, header, actions, other.number, face, alternative)


def moves(table: Table, scenes: Iterable[Scene]) -> list[Text]:
    """Return which cards the players must move so that the table agrees with the record; empty if it does.

    `scenes`: the last scene of every source. Cards that may have been cleared away need not lie there.
    """
    view = table.view()
    lying = _lying(scenes)
    missing = []
    for entry in sorted(table.lying, key=lambda entry: not entry.firm):
        same = next((each for each in lying if each[0] == entry.card and is_same_place(each[1], entry.zone)), None)
        if same is not None:
            lying.remove(same)
        elif entry.firm:
            missing.append(entry)
    out: list[Text] = []
    wanted = [entry.card for entry in missing]
    for card, zone in lying:
        if card in wanted:
            wanted.remove(card)  # it is to be moved
        else:
            out.append(text("Take {card} away: it lies {place}.", card=card.glyph, place=place(zone, view.players)))
    for entry in missing:
        where = place(entry.zone, view.players)
        out.append(text("Lay {card} {place}.", card=entry.card.glyph, place=where))
    return out


def _lying(scenes: Iterable[Scene]) -> list[tuple[Card, Zone]]:
    """Return the cards that lie face up in `_PLACES`; a card that several sources see is returned once."""
    found: list[tuple[Card, Zone]] = []
    for scene in scenes:
        before = list(found)
        for sighting in scene.sightings:
            zone, face = sighting.zone, sighting.face
            if zone is None or zone.name not in _PLACES or not isinstance(face, Card):
                continue
            if (face, zone) in before:
                before.remove((face, zone))
            else:
                found.append((face, zone))
    return found
