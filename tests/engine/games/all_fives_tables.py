"""Tables of All Fives in play, hands hidden or known."""

from __future__ import annotations

from engine.table import Table
from tests.engine.talk import all_fives, do


def hidden(players: int = 2, **options: object) -> Table:
    """Hidden hands, clubs trumps; the seat left of seat 0 leads."""
    table = all_fives(players, **options)
    do(table, "turn 2C", "1 say stand")
    return table


def known(ann: str, bo: str, **options: object) -> Table:
    """Both hands known, clubs trumps; Bo leads."""
    table = all_fives(**options)
    do(table, f"0 deal {ann}", f"1 deal {bo}", "turn 2C", "1 say stand")
    return table


ANN = "AS KS 3H 4H 5C 6D"
BO = "QS JS AH KH AC AD"


def barred(target: int, **options: object) -> Table:
    """Ann revokes in the first trick and is called; she then wins every trump that counts, 22 points."""
    table = hidden(target=target, **options)
    do(table, "1 play 2S", "0 play 4C", "1 say revoke 0 9S")
    do(table, "0 play AC", "1 play 10C", "0 play KC", "1 play 5C", "0 play QC", "1 play 6C")
    do(table, "0 play 9S", "1 play 3S", "0 play AH", "1 play 3H")
    return table
