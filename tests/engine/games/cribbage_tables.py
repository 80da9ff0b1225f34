"""Tables of Cribbage in play, hands hidden or known."""

from __future__ import annotations

from engine.table import Table
from tests.engine.talk import do, table_of

ANN = "4S 5S 6S KD 2C 3C"
BO = "7H 8H 9H QD 2D 3D"


def dealt(ann: str = ANN, bo: str = BO, starter: str = "JC", dealer: int = 0, **options: object) -> Table:
    """A game for two in which the last two cards of each hand were laid away."""
    table = table_of("cribbage", 2, dealer, **options)
    for seat, cards in enumerate((ann, bo)):
        do(table, f"{seat} deal {cards}", f"{seat} discard {' '.join(cards.split()[4:])}")
    do(table, f"turn {starter}")
    return table


def hidden(players: int = 2, starter: str = "AC", **options: object) -> Table:
    table = table_of("cribbage", players, 0, **options)
    do(table, f"turn {starter}")
    return table
