"""What the controller shows of the cards on the table besides the view, and of what was corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from cardtable.board.snapshot import CardInPicture, CorrectionEntry, LogEntry, LyingDetail
from cardtable.play.stored_corrections import MadeCorrection
from engine.actions import Action
from engine.correcting import laid_by
from engine.referee.rewriting import SeenCard
from engine.table import Table

Corners = tuple[tuple[float, float], ...]
Places = Callable[[], Mapping[str, Mapping[str, Corners]]]
"""Returns, by camera and then by card, the corners of each card as fractions of the picture's width and height."""


def no_places() -> dict[str, dict[str, Corners]]:
    """Return no places: for a table without a camera."""
    return {}


def lying_details(table: Table, seen: Sequence[SeenCard], history: Sequence[LogEntry]) -> tuple[LyingDetail, ...]:
    """Return for each card that lies there by the record: which line laid it, and what else a camera takes it for."""
    details = []
    free = [card for card in seen if card.number is not None]
    for entry in table.lying:
        same = next((card for card in free if card.face == entry.card and card.zone == entry.zone), None)
        if same is not None:
            free.remove(same)
        number = laid_by(table.actions, entry)
        line = history[number].n if number is not None and number < len(history) else None
        details.append(LyingDetail(line, same.alternatives if same else ()))
    return tuple(details)


def placed_cards(
    seen: Iterable[SeenCard], places: Mapping[str, Mapping[str, Corners]], history: Sequence[LogEntry]
) -> tuple[CardInPicture, ...]:
    """Return the cards that cameras see, with their places in the pictures."""
    found = []
    for card in seen:
        line = history[card.number].n if card.number is not None and card.number < len(history) else None
        for source, card_id in card.sightings:
            corners = places.get(source, {}).get(card_id)
            if corners is not None:
                found.append(CardInPicture(source, card_id, card.face, line, card.alternatives, corners))
    return tuple(found)


def correction_entries(made: Iterable[MadeCorrection], players: tuple[str, ...]) -> tuple[CorrectionEntry, ...]:
    """Return the corrections as they are shown; line 1 of the record is its header."""
    return tuple(CorrectionEntry(each.n + 2, each.who, each.what.sentence(players)) for each in made)


def go_back_to(table: Table, actions: Sequence[Action]) -> None:
    """Undo and redo until exactly `actions` stand; the table has accepted all of them before."""
    now = table.actions
    common = 0
    while common < min(len(now), len(actions)) and now[common] == actions[common]:
        common += 1
    for _ in now[common:]:
        table.undo()
    for action in actions[common:]:
        table.do(action)
