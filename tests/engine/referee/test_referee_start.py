"""The referee starts in the middle of a game: cards reported late, cards missing, cards face down that are not seen."""

from __future__ import annotations

from engine.cards import parse_card
from engine.observations import Lost, Scene, Sighting, Zone
from engine.referee.referee import Referee
from tests.engine.referee.table_top import TableTop


def restarted(top: TableTop) -> TableTop:
    """The program starts again; nothing is reported yet, and what lay there came to rest before."""
    top.referee = Referee(top.table)
    top.done.clear()
    return top


def trick() -> TableTop:
    """Bo led KS, Ann won with AS."""
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("AS", "play", 0)
    return top


def report(top: TableTop, time: float, *names: str) -> None:
    """The camera reports only these cards."""
    top.referee.observe(Scene(time, "camera", tuple(top.lying[name] for name in names)))


def test_cards_of_a_trick_reported_in_turn_were_not_picked_up() -> None:
    top = restarted(trick())
    turned, led, won = top.lying
    for time, names in (
        (10.0, [turned]),
        (10.2, [turned, led]),
        (11.1, [turned, led, won]),
        (12.5, [turned, led, won]),
    ):
        report(top, time, *names)
        assert top.done == []
    assert top.kinds == ["turn"]


def test_a_lead_withdrawn_meanwhile_is_withdrawn() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    restarted(top)
    for time in (10.0, 10.9):
        assert not top.referee.is_due("camera", time)
        report(top, time, *list(top.lying)[:1])
        assert top.done == []
    assert not top.referee.is_due("camera", 11.8) and top.referee.is_due("camera", 11.9)
    report(top, 11.9, *list(top.lying)[:1])
    assert top.done == [{"do": "withdraw", "seat": 1, "card": "KS"}]


def test_a_source_lost_after_its_first_scene_holds_nothing_up() -> None:
    top = restarted(trick())
    top.referee = Referee(top.table, ("camera", "readers"))
    top.referee.observe(Scene(5.0, "readers", ()))
    report(top, 10.0, *list(top.lying)[:1])
    top.referee.observe(Lost(6.0, "readers", "The board is away."))
    report(top, 11.0, *list(top.lying)[:1])
    assert top.done == [{"do": "gather", "seat": 0}]


def test_a_card_reported_late_that_lay_there_is_no_new_one() -> None:
    """It is a turn-up of before, or a card of an earlier trick; one laid since the start counts."""
    top = restarted(TableTop())
    old = top.put("2H", "turn-up", since=8.0)
    report(top, 9.0)
    report(top, 9.3, old)
    assert top.done == [] and top.kinds == ["take-back", "turn"]
    top.clock = 9.5
    top.lift(old)
    top.lay("2H", "turn-up")
    assert top.done == [{"do": "turn", "card": "2H"}]


def test_a_card_of_an_earlier_trick_that_is_reported_late_does_not_count() -> None:
    top = trick()
    top.lift(*list(top.lying)[1:])
    restarted(top)
    old = top.put("KS", "play", 1, since=1.0)
    report(top, 10.0, *list(top.lying)[:1])
    report(top, 10.2, *top.lying)
    assert top.done == [] and top.kinds == ["turn"]
    assert old in top.lying


# It's 15: a camera that starts does not see the cards that lie there face down


def drawing() -> TableTop:
    top = TableTop(("Ann", "Bo"), 0, game="its-15")
    top.lay("green-5", "table")
    return restarted(top)


def test_a_card_drawn_beside_one_that_is_not_seen_is_asked_about() -> None:
    top = drawing()
    top.show()
    drawn = top.lay(None, "show", 0)
    assert top.done == [] and top.kinds == ["drawn", "turn"]
    assert top.text("drawn") == "Ann: say “card” if the card laid face down was drawn now."
    top.say(0, "card")
    assert top.done == [{"do": "say", "seat": 0, "word": "card"}] and top.kinds == ["turn"]
    top.lay(None, "show", 1)
    assert top.text("drawn").startswith("Bo:")
    top.say(1, "stay")
    assert top.kinds == ["turn"] and drawn in top.lying


def test_a_card_seen_before_and_after_a_glance_is_not_asked_about() -> None:
    top = drawing()
    hidden = top.put(None, "show", 0, since=0.5)
    top.show()
    top.lift(hidden)
    top.lay(None, "show", 0)
    assert top.done == [] and top.kinds == ["turn"]
    top.lay(None, "show", 0)
    assert top.done == [{"do": "say", "seat": 0, "word": "card"}]


def test_a_card_that_is_drawn_in_a_later_round_says_card() -> None:
    top = drawing()
    top.show()
    for seat in (0, 1):
        top.say(seat, "stay")
    for seat in (0, 1):
        top.say(seat, "pass")
    top.lay("brown-9", "show", 0)
    top.lay("brown-3", "show", 1)
    top.lift(*top.lying)
    top.lay(None, "show", 0)
    top.lay("green-7", "table")
    top.done.clear()
    top.lay(None, "show", 0)
    assert top.done == [{"do": "say", "seat": 0, "word": "card"}]


def test_a_sighting_of_another_source_decides_by_its_own_clock() -> None:
    top = restarted(TableTop())
    report(top, 9.0)
    sighting = Sighting("tag", parse_card("2H"), Zone("turn-up"), 3.0)
    top.referee.observe(Scene(4.0, "readers", (sighting,)))
    assert top.done == [{"do": "turn", "card": "2H"}], "the readers reported nothing at the start"
