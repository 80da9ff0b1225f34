"""The referee at Le Quinze: cards taken are cards picked up."""

from __future__ import annotations

from engine.cards import Card
from engine.games.le_quinze import FIFTEEN, VALUE, sums
from engine.observations import UndoAsked
from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop, play


def le_quinze(*table: str) -> tuple[TableTop, list[str]]:
    """A game in which Bo, to the right of the dealer Ann, plays next, and the names of the four table cards."""
    top = TableTop(("Ann", "Bo"), 0, game="le-quinze")
    names = [top.lay(card, "table") for card in table]
    top.done.clear()
    return top, names


def test_cards_picked_up_with_the_card_just_played_are_taken() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, two, seven)
    assert top.done == [
        {"do": "play", "seat": 1, "card": "7C"},
        {"do": "take", "seat": 1, "cards": ["6S", "2D"]},
    ]
    assert top.kinds == ["turn"]


def test_a_take_can_be_picked_up_card_by_card() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(two)
    assert top.kinds == ["turn"]
    top.lift(seven)
    assert (len(top.done), top.kinds) == (1, ["turn"])
    top.lift(six)
    assert top.done[-1] == {"do": "take", "seat": 1, "cards": ["6S", "2D"]}


def test_cards_that_do_not_make_fifteen_must_be_put_back() -> None:
    top, (six, jack, *_) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, jack, seven)
    assert len(top.done) == 1
    assert top.kinds.count("put-back") == 3


def test_an_undone_take_can_be_put_back_card_by_card() -> None:
    top, (six, _, two, _) = le_quinze("6S", "JH", "2D", "KC")
    seven = top.lay("7C", "play", 1)
    top.lift(six, two, seven)
    top.referee.observe(UndoAsked(9.0, "page"))
    assert sorted(prompt.text for prompt in top.referee.prompts if prompt.kind == "put-back") == [
        "Lay 2♦ back in the table zone.",
        "Lay 6♠ back in the table zone.",
        "Lay 7♣ back in front of Bo.",
    ]
    top.done.clear()
    for card, zone, seat in (("7C", "play", 1), ("6S", "table", None), ("2D", "table", None)):
        top.lay(card, zone, seat)
    assert (top.done, top.kinds) == ([], ["turn"])


def test_the_last_card_of_a_deal_is_not_turned_for_the_next() -> None:
    top = TableTop(dealer=0, game="le-quinze")
    while sum(action.do == "play" for action in top.table.actions) < 35:
        can = [action for action in top.table.legal_actions() if action.do in ("take", "turn", "play")]
        top.table.do(max(can, key=lambda action: action.do))
    top.done.clear()
    top.referee = Referee(top.table)
    for lying in top.table.lying:
        top.put(str(lying.card), lying.zone.name, lying.zone.seat)
    top.show()
    plays = [action for action in top.table.legal_actions() if action.do == "play"]
    last = next(str(a.card) for a in plays if not takes(cards_on_table(top), a.card))
    played = top.lay(last, "play", 0)
    assert top.table.phase in ("deal", "turn")
    top.lift(played)
    top.lay(last, "table")
    assert top.done == [play(0, last)]


def cards_on_table(top: TableTop) -> list[Card]:
    return [lying.card for lying in top.table.lying]


def takes(table: list[Card], card: Card | None) -> bool:
    return card is None or any(sums(table, FIFTEEN - VALUE[card.rank], VALUE))


def test_a_card_that_cannot_take_must_be_put_back() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lift(top.lay("4S", "play", 1))
    assert top.text("put-back") == "Lay 4♠ back in front of Bo."


def test_the_dealer_is_asked_to_deal_a_new_packet() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    for card, seat in zip(["AS", "AH", "2S", "2H", "3S", "3H"], [1, 0] * 3, strict=True):
        top.lay(card, "play", seat)
    assert top.text("turn") == "Ann deals 3 each. Bo plays."


def test_a_card_laid_onto_the_table_is_played_by_the_seat_on_turn() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lay("3C", "table")
    assert top.done == [{"do": "play", "seat": 1, "card": "3C"}]
    top.lay("AC", "play", 0)
    assert top.kinds == ["turn"]
    assert [str(lying.card) for lying in top.table.lying] == ["6S", "JH", "2D", "KC", "3C", "AC"]


def test_a_card_that_did_not_take_may_be_pushed_to_the_table_or_stay() -> None:
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    played = top.lay("3C", "play", 1)
    top.lift(played)
    top.lay("3C", "table")
    top.lay("AC", "play", 0)
    top.lay("2C", "play", 1)
    assert [action["do"] for action in top.done] == ["play", "play", "play"]
    assert top.kinds == ["turn"]


def test_a_pushed_card_lies_where_it_was_pushed_despite_a_late_read() -> None:
    """The camera still reports where it was, reads it there late, and then sees that it has gone."""
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lift(top.lay("3C", "play", 1))
    late = top.lay(None, "play", 1)
    pushed = top.lay("3C", "table")
    top.turns_out(late, "3C")
    top.lift(late)
    assert top.kinds == ["turn"]
    top.lay("AC", "play", 0)
    assert [action["do"] for action in top.done] == ["play", "play"]
    assert top.kinds == ["turn"]
    top.lift(pushed)
    assert top.text("put-back") == "Lay 3♣ back in the table zone."


def test_a_card_read_as_one_that_lies_there_still_is_not_taken_for_it() -> None:
    """By the record 3♣ lies on the table; it has stayed in front of Bo, who now lays a card that is read as 3♣."""
    top, _ = le_quinze("6S", "JH", "2D", "KC")
    top.lay("3C", "play", 1)
    top.lay("AC", "play", 0)
    top.clock += 5
    top.lay("3C", "play", 1)
    assert top.text("take-back").startswith("Bo: take back 3♣, it was seen already")
    assert len(top.done) == 2
