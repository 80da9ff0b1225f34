"""The state machine of an observed card: every status, and everything that may happen to it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import engine
from engine.actions import Action
from engine.observations import Zone
from engine.referee.observed_cards import ObservedCard, Status
from tests.engine.referee.cards_in_states import (
    BEG,
    JACK,
    KING,
    LATER,
    PHASE,
    PLAY,
    STAND,
    STATUSES,
    assumed,
    in_status,
)

METHODS = """
| method | open | counted | refused | misread | spent | left-over | nudged |
| --- | --- | --- | --- | --- | --- | --- | --- |
| `count` a card | counted | counted | counted | counted | counted | – | counted |
| `count` an action card | spent | spent | spent | spent | spent | – | spent |
| `recognise` | counted | – | counted | counted | – | – | – |
| `refuse` | refused | refused | refused | refused | refused | refused | refused |
| `mark_misread` | misread | misread | – | – | misread | – | misread |
| `reject_assumption`, if assumed | – | open | – | – | – | – | – |
| `reject_assumption`, otherwise | – | – | – | – | – | – | – |
| `reopen` | – | – | open | open | – | – | – |
| `move` | open | open | open | open | – | – | – |
| `retire` | spent | spent | – | spent | spent | – | nudged |
| `revive`, if undone | – | – | counted | – | counted | counted | counted |
| `revive`, otherwise | – | – | – | – | counted | counted | counted |
| `leave_over` | left-over | – | – | – | – | – | – |
| `nudge` | nudged | – | – | – | – | – | – |
| `predate` | open | – | – | – | – | – | – |
| `set_put_back_count` | open | – | – | – | – | – | – |
| `suppose` | open | – | refused | – | – | – | – |
| `name` | open | counted | refused | misread | spent | left-over | nudged |
| `see_in` | open | counted | refused | misread | spent | left-over | nudged |
"""

READINGS = """
| method | open | counted | refused | misread | spent | left-over | nudged |
| --- | --- | --- | --- | --- | --- | --- | --- |
| `read_as` in the same hand phase | open | counted * | open | open | spent | refused | refused |
| `read_as`, if refused as `before` | | | refused | | | | |
| `read_as` in a later hand phase | open | counted * | refused | misread | spent | refused | refused |
| `read_as` what it counted as, later | | | | spent | | | |
| `read_as`, a card with action number | open | counted * | | open | spent * | | nudged * |
| `read_as`, an action card with action number | open | | | | misread | | |
| `read_as`, a card face down with action number | open | open | | | open | | open |
| `read_as`, such a card in a later hand phase | | refused | | | refused | | refused |
"""

Event = Callable[[ObservedCard], object]

EVENTS: dict[str, Event] = {
    "`count` a card": lambda card: card.count(PLAY, 5),
    "`count` an action card": lambda card: card.count(Action("say", 1, word="beg"), 5),
    "`recognise`": lambda card: card.recognise(KING, (2, PLAY), assumed=True),
    "`refuse`": lambda card: card.refuse("wrong-phase", "Not now."),
    "`mark_misread`": lambda card: card.mark_misread(),
    "`reject_assumption`, if assumed": lambda card: card.reject_assumption(),
    "`reject_assumption`, otherwise": lambda card: card.reject_assumption(),
    "`reopen`": lambda card: card.reopen(),
    "`move`": lambda card: card.move(Zone("show", 1), 9.0),
    "`retire`": lambda card: card.retire(),
    "`revive`, if undone": lambda card: card.revive(),
    "`revive`, otherwise": lambda card: card.revive(),
    "`leave_over`": lambda card: card.leave_over(),
    "`nudge`": lambda card: card.nudge(),
    "`predate`": lambda card: card.predate(2),
    "`set_put_back_count`": lambda card: card.set_put_back_count(1),
    "`suppose`": lambda card: card.suppose(JACK),
    "`name`": lambda card: card.name(JACK, Zone("play", 0)),
    "`see_in`": lambda card: card.see_in(Zone("play", 0)),
    "`read_as` in the same hand phase": lambda card: card.read_as(JACK, PHASE),
    "`read_as`, if refused as `before`": lambda card: card.read_as(JACK, PHASE),
    "`read_as` in a later hand phase": lambda card: card.read_as(JACK, LATER),
    "`read_as` what it counted as, later": lambda card: card.read_as(KING, LATER),
    "`read_as`, a card with action number": lambda card: card.read_as(JACK, PHASE),
    "`read_as`, an action card with action number": lambda card: card.read_as(STAND, PHASE),
    "`read_as`, a card face down with action number": lambda card: card.read_as(KING, PHASE),
    "`read_as`, such a card in a later hand phase": lambda card: card.read_as(KING, LATER),
}

CARDS: dict[str, Callable[[Status], ObservedCard]] = {
    "`count` an action card": lambda status: in_status(status, BEG),
    "`reject_assumption`, if assumed": assumed,
    "`revive`, if undone": lambda status: in_status(status, code="undone"),
    "`read_as`, if refused as `before`": lambda status: in_status(status, code="before"),
    "`read_as`, a card with action number": lambda status: in_status(status, numbered=True),
    "`read_as`, an action card with action number": lambda status: in_status(status, BEG, numbered=True),
    "`read_as`, a card face down with action number": lambda status: in_status(status, None, numbered=True),
    "`read_as`, such a card in a later hand phase": lambda status: in_status(status, None, numbered=True),
}
"""Special cards for events that not every card in the status allows."""


def rows(table: str) -> Iterator[tuple[str, dict[Status, str]]]:
    """Yield each row of a table: the event, and by the status before it the content of the cell, if there is one."""
    header, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines())
    assert tuple(header[1:]) == STATUSES
    for event, *outcomes in lines:
        yield event, {status: cell for status, cell in zip(STATUSES, outcomes, strict=True) if cell}


def state(card: ObservedCard) -> list[object]:
    return [getattr(card, name) for name in ObservedCard.__slots__]


@pytest.mark.parametrize(("event", "outcomes"), [*rows(METHODS), *rows(READINGS)])
def test_every_row_of_the_tables(event: str, outcomes: dict[Status, str]) -> None:
    for status, outcome in outcomes.items():
        card = CARDS[event](status) if event in CARDS else in_status(status)
        if outcome == "–":
            before = state(card)
            with pytest.raises(ValueError, match=f"^{event.split('`')[1]}: "):
                EVENTS[event](card)
            assert state(card) == before
        else:
            corrects = EVENTS[event](card)
            assert card.status == outcome.removesuffix(" *"), status
            assert (card.status == "misread") <= (card.code == "misread")
            if "read_as" in event:
                assert corrects is outcome.endswith("*"), status


def test_the_documented_tables_are_the_tested_ones() -> None:
    documented = inspect.getdoc(ObservedCard) or ""
    assert METHODS in documented + "\n"
    assert READINGS in documented + "\n"


def test_every_method_that_changes_a_card_is_in_a_table() -> None:
    methods = {name for name, _ in inspect.getmembers(ObservedCard, inspect.isfunction) if not name.startswith("_")}
    tested = {event.split("`")[1] for event in EVENTS}
    assert methods - tested == {"agrees_with", "lies_in", "sight", "lose_sight"}, "they change no status"
    assert {event for event, _ in [*rows(METHODS), *rows(READINGS)]} == EVENTS.keys()


@pytest.mark.slow
def test_only_the_state_machine_assigns_the_fields_of_a_card() -> None:
    """In `engine/`, an attribute of another object that has the name of such a field, or an item of it, is never
    assigned or deleted.
    """
    package = Path(inspect.getfile(engine)).parent
    found = [
        f"{path.name}:{node.lineno}: {changed.attr}"
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for changed in [node.value if isinstance(node, ast.Subscript) else node]
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
        if isinstance(changed, ast.Attribute) and changed.attr in ObservedCard.__slots__
        if not (isinstance(changed.value, ast.Name) and changed.value.id == "self")
    ]
    assert found == []
