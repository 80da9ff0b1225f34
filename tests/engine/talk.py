"""Actions as tests write them: `1 play 10H`, `turn QS`, `0 say revoke 2 5S`, `0 deal AS KS QS`, `crib show 5H 6H`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from engine.actions import Action
from engine.cards import Card, UnknownCard, parse_card
from engine.corrections import Correction
from engine.errors import Refused
from engine.record import Header
from engine.table import Outcome, Table


def card(text: str) -> Card:
    try:
        return parse_card(text)
    except UnknownCard:
        return Card(text, "")


action = Action.parse


def do(table: Table, *texts: str) -> Outcome:
    """Do each action; return the outcome of the last one."""
    outcome = Outcome()
    for text in texts:
        outcome = table.do(action(text))
    return outcome


def refusal(table: Table, text: str) -> str:
    """The code with which the table refuses; "" if it accepts (the action is not done)."""
    if table.can(action(text)):
        return ""
    try:
        table.do(action(text))
    except Refused as error:
        assert error.message
        return error.code
    raise AssertionError(f"can() said no to {text}, do() did it")


def all_fives(players: int = 2, dealer: int | None = 0, **options: object) -> Table:
    return Table(Header("all-fives", ("Ann", "Bo", "Cy")[:players], dealer, options))


def events(outcome: Outcome) -> list[str]:
    """`trick 1`, `revoke-proven 0 9H`, `hand-over`."""
    parts = ((event.event, event.seat, event.card) for event in outcome.events)
    return [" ".join(str(part) for part in event if part is not None) for event in parts]


def points(outcome: Outcome) -> list[tuple[int, int, str]]:
    return [(point.seat, point.points, point.reason) for point in outcome.points]


def table_of(game: str, players: int = 2, dealer: int | None = 0, **options: object) -> Table:
    return Table(Header(game, ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus")[:players], dealer, options))


def rules_of(table: Table) -> Any:
    """Return the game that the table plays, for what no view shows; before its end."""
    return next(iter(table.question.offers.values())).game


def legal(table: Table) -> list[str]:
    """What may be done now, in short: `play 10H`, `say go`, `take 6S 2D`."""
    out = []
    for each in table.legal_actions():
        cards = [each.card] if each.card else each.cards or ()
        out.append(" ".join([each.do, *([each.word] if each.word else []), *map(str, cards)]))
    return out


def played(header: Header, actions: Sequence[Action]) -> Table:
    table = Table(header)
    for each in actions:
        table.do(each)
    return table


def apply(header: Header, correction: Correction) -> Table:
    """Apply a correction as a record does: undo what is not kept, then do the rest."""
    table = played(header, correction.old)
    while len(table.actions) > correction.kept:
        table.undo()
    for each in correction.redone:
        table.do(each)
    assert table.actions == correction.actions
    return table


def play_honestly(table: Table, rng: random.Random) -> Outcome:
    """Play a card that proves no revoke, chosen at random from those that follow suit; return the outcome."""
    plays = [action for action in table.legal_actions() if action.do == "play"]
    rng.shuffle(plays)
    led = table.view().led
    plays.sort(key=lambda action: action.card is None or action.card.suit != led)
    for action in plays:
        outcome = table.do(action)
        if not any(event.event == "revoke-proven" for event in outcome.events):
            return outcome
        table.undo()
    raise AssertionError(f"every card proves a revoke: {table}")
