"""The referee: each thing that happens at a table has a defined outcome and a prompt that says who does what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Back, Lost, Said, Scene, Sighting, UndoAsked, Zone
from engine.record import Header
from engine.referee import Referee
from engine.table import Table
from tests.engine.table_top import TableTop, play, read


def test_a_hand_begins_with_turn_up_and_word() -> None:
    top = TableTop()
    assert top.text("turn") == "Ann deals and turns the next card up."
    top.lay("2H", "turn-up")
    assert top.text("turn") == "Bo: stand or beg?"
    top.say(1, "stand")
    assert top.done == [{"do": "turn", "card": "2H"}, {"do": "say", "seat": 1, "word": "stand"}]
    assert top.text("turn") == "Bo leads."


def test_cards_cut_for_the_deal() -> None:
    top = TableTop(dealer=None)
    a = top.lay("9S", "play", 0)
    b = top.lay("KD", "play", 1)
    top.lift(a, b)
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done] == ["cut", "cut", "turn"]
    assert top.table.view(None).dealer == 1


def test_a_trick_is_played_and_gathered() -> None:
    top = TableTop().started()
    led = top.lay("KS", "play", 1)
    answer = top.lay("3S", "play", 0)
    top.lift(led)
    assert len(top.done) == 2, "half a trick taken up is not gathered"
    top.lift(answer)
    assert top.done == [play(1, "KS"), play(0, "3S"), {"do": "gather", "seat": 1}]
    assert top.kinds == ["turn"]


def test_the_next_lead_implies_the_gather() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("3S", "play", 0)
    top.lay("QS", "play", 1)
    assert top.done == [play(1, "KS"), play(0, "3S"), play(1, "QS")]
    assert top.kinds == ["turn"], "the old trick may still lie there"


def test_out_of_turn_is_told_and_counted_when_its_turn_comes() -> None:
    top = TableTop().started()
    top.lay("3S", "play", 0)
    assert top.done == []
    assert top.text("take-back") == "Ann: take back 3♠, it is Bo’s turn."
    top.lay("KS", "play", 1)
    assert top.done == [play(1, "KS"), play(0, "3S")]
    assert top.kinds == ["turn"]


def test_out_of_turn_and_taken_back() -> None:
    top = TableTop().started()
    top.lift(top.lay("3S", "play", 0))
    assert (top.done, top.kinds) == ([], ["turn"])


def test_a_revoke_from_a_known_hand_is_refused_with_the_suit_led() -> None:
    top = TableTop()
    hand = tuple(parse_card(card) for card in ("KD", "4H", "5H", "6H", "7C", "8C"))
    top.table.do(Action("deal", seat=0, cards=hand))
    top.started()
    top.lay("2D", "play", 1)
    wrong = top.lay("4H", "play", 0)
    assert top.text("take-back") == "Ann: take back 4♥, diamonds were led."
    top.lift(wrong)
    top.lay("KD", "play", 0)
    assert top.done == [play(1, "2D"), play(0, "KD")]


def test_the_last_card_taken_up_is_withdrawn() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy")).started()
    top.lay("KS", "play", 1)
    second = top.lay("4D", "play", 2)
    top.lift(second)
    top.lay("4S", "play", 2)
    assert top.done[2:] == [{"do": "withdraw", "seat": 2, "card": "4D"}, play(2, "4S")]


def test_a_lead_taken_up_is_withdrawn() -> None:
    top = TableTop().started()
    top.lift(top.lay("KS", "play", 1))
    assert top.done == [play(1, "KS"), {"do": "withdraw", "seat": 1, "card": "KS"}]


def test_the_last_card_of_a_complete_trick_exchanged_is_withdrawn() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    answer = top.lay("3D", "play", 0)
    top.lift(answer)
    assert len(top.done) == 2, "it may be the beginning of a gather"
    top.lay("3S", "play", 0)
    assert top.done[2:] == [{"do": "withdraw", "seat": 0, "card": "3D"}, play(0, "3S")]


@pytest.mark.parametrize("gathers", [True, False])
def test_whether_the_winner_exchanges_his_card_or_leads_is_asked(gathers: bool) -> None:
    top = TableTop().started()
    led = top.lay("3S", "play", 1)
    top.lift(top.lay("KS", "play", 0))
    lead = top.lay("4S", "play", 0)
    assert top.done == [play(1, "3S"), play(0, "KS")], "nothing is counted that may be wrong"
    assert top.text("unclear") == (
        "Ann: take up the rest of the trick if 4♠ leads to the next one. "
        "If it replaces the card taken up, press undo on the page and lay it again."
    )
    if gathers:
        top.lift(led)
        assert top.done[2:] == [{"do": "gather", "seat": 0}, play(0, "4S")]
    else:
        top.referee.observe(UndoAsked(9.0, "page"))
        assert top.text("take-back") == "Ann: take back 4♠, it was undone."
        top.lift(lead)
        top.lay("4S", "play", 0)
        assert top.done[2:] == [{"do": "undo"}, play(0, "4S")]
    assert top.kinds == ["turn"]


def test_another_card_of_the_trick_taken_up_is_to_be_put_back() -> None:
    top = TableTop(players=("Ann", "Bo", "Cy")).started()
    led = top.lay("KS", "play", 1)
    top.lay("4S", "play", 2)
    top.lift(led)
    assert len(top.done) == 2
    assert top.text("put-back") == "Lay K♠ back in front of Bo."
    top.lay("KS", "play", 1)
    assert (len(top.done), top.kinds) == (2, ["turn"])


def test_two_cards_at_once_count_only_when_one_is_left() -> None:
    top = TableTop().started()
    top.put("KS", "play", 1)
    second = top.put("QD", "play", 1)
    top.show()
    assert top.done == []
    assert top.text("two-cards") == "Bo laid two cards at once: take one of them back."
    top.lift(second)
    assert top.done == [play(1, "KS")]


def test_two_players_in_one_scene_count_in_the_order_of_play() -> None:
    top = TableTop().started()
    top.put("3S", "play", 0)
    top.put("KS", "play", 1)
    top.show()
    assert top.done == [play(1, "KS"), play(0, "3S")]


def test_a_card_read_wrongly_is_put_right_in_the_record() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.lay("3C", "play", 0)
    top.turns_out(misread, "QC")
    undo = {"do": "undo"}
    assert top.done[2:] == [undo, undo, play(1, "QC"), play(0, "3C")]
    assert [action.to_json() for action in top.table.actions][-2:] == [play(1, "QC"), play(0, "3C")]
    assert top.kinds == ["turn"]


def test_a_correction_that_the_rules_refuse_changes_nothing_and_is_told() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.lay("3C", "play", 0)
    before = top.table.view(None)
    top.turns_out(misread, "2H")
    assert top.table.view(None) == before
    assert "Q♠ was counted in front of Bo, but 2♥ lies there" in top.text("misread")


def test_a_refused_card_that_is_read_again_is_judged_again() -> None:
    top = TableTop().started()
    misread = top.lay("2H", "play", 1)
    assert top.text("take-back") == "Bo: take back 2♥, it has been seen already; if it was read wrongly, lay it again."
    top.turns_out(misread, "3H")
    assert top.done == [play(1, "3H")]


@pytest.mark.parametrize("zone", ["turn-up", "say", None])
def test_a_card_in_the_wrong_zone_is_never_a_play(zone: str | None) -> None:
    top = TableTop().started()
    seat = 1 if zone == "say" else None
    top.lay("KS", zone, seat)
    assert top.done == []
    assert len(top.kinds) == 2
    assert top.kinds[0] in ("take-back", "outside")


def test_an_unreadable_card_is_asked_for_again_and_the_stock_is_not() -> None:
    top = TableTop().started()
    top.lay(None, "stock")
    assert top.kinds == ["turn"]
    unread = top.lay(None, "play", 1)
    assert top.text("unreadable") == "The card in front of Bo cannot be read: lay it again, face up."
    top.turns_out(unread, "KS")
    assert top.done == [play(1, "KS")]


def test_a_card_exposed_by_accident_is_called_and_must_be_played() -> None:
    top = TableTop().started()
    exposed = top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    top.say(1, "call")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "call", "card": "9S"}
    other = top.lay("3S", "play", 0)
    assert "take-back" in top.kinds
    top.lift(other)
    top.lift(exposed)
    top.lay("9S", "play", 0)
    assert top.done[-1] == play(0, "9S")


def test_an_exposed_card_that_is_moved_to_its_play_zone_is_played() -> None:
    top = TableTop().started()
    exposed = top.lay("9S", "show", 1)
    top.lying[exposed] = Sighting(exposed, read("9S"), Zone("play", 1), top.clock)
    top.show()
    assert top.done[-1] == play(1, "9S")
    assert top.kinds == ["turn"]


def test_a_call_that_would_revoke_is_refused() -> None:
    top = TableTop().started()
    top.lay("9D", "show", 0)
    top.lay("KS", "play", 1)
    top.lay("say:call", "say", 1)
    assert top.done[-1] == play(1, "KS")
    assert "take-back" in top.kinds


def test_with_two_exposed_cards_the_page_is_asked_which_is_called() -> None:
    top = TableTop().started()
    top.lay("9S", "show", 0)
    top.lay("8S", "show", 0)
    top.lay("KS", "play", 1)
    top.lay("say:call", "say", 1)
    assert top.text("which-card") == "Bo says “call”: choose on the page which card is meant."


def test_a_revoke_is_called_with_evidence_in_either_order() -> None:
    for first_word in (True, False):
        top = TableTop().started()
        top.lay("KS", "play", 1)
        top.lay("3D", "play", 0)
        if first_word:
            top.lay("say:revoke", "say", 1)
            assert top.text("evidence").startswith("Bo calls a revoke: lay a card of spades")
            top.lay("4S", "show", 0)
        else:
            top.lay("4S", "show", 0)
            top.lay("say:revoke", "say", 1)
        assert top.done[-1] == {"do": "say", "seat": 1, "word": "revoke", "against": 0, "card": "4S"}
        assert top.table.scores[0] == -3


@pytest.mark.parametrize("first_word", [True, False])
def test_evidence_of_a_revoke_that_was_misread_is_put_right(first_word: bool) -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.lay("3D", "play", 0)
    if first_word:
        top.lay("say:revoke", "say", 1)
    evidence = top.lay("4S", "show", 0)
    if not first_word:
        top.lay("say:revoke", "say", 1)
    top.turns_out(evidence, "5S")
    assert str(top.table.actions[-1].card) == "5S"
    assert top.kinds == ["turn"]


def test_a_word_said_by_button_and_its_refusal() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.referee.observe(Said(3.0, "page", 0, "stand"))
    assert top.kinds == ["refused", "turn"]
    top.referee.observe(Said(4.0, "page", 1, "stand"))
    assert top.kinds == ["turn"]
    assert top.table.phase == "play"


def test_an_undone_card_is_to_be_taken_back_and_does_not_count_again() -> None:
    top = TableTop().started()
    led = top.lay("KS", "play", 1)
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.text("take-back") == "Bo: take back K♠, it was undone."
    top.show()
    assert top.done == [play(1, "KS"), {"do": "undo"}]
    top.lift(led)
    top.lay("KS", "play", 1)
    assert top.done[2:] == [play(1, "KS")]


def test_undoing_a_gather_does_not_gather_again_by_itself() -> None:
    top = TableTop().started()
    trick = [top.lay("KS", "play", 1), top.lay("3S", "play", 0)]
    top.lift(*trick)
    top.referee.observe(UndoAsked(9.0, "page"))
    top.show()
    assert top.done[-1] == {"do": "undo"}


def test_two_sources_report_one_card_laid_once() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.show("readers")
    assert top.done == [play(1, "KS")]
    top.lying.clear()
    top.show("camera")
    assert top.done == [play(1, "KS")], "the readers still see it"


def test_a_game_taken_up_again_knows_the_cards_that_lie_there() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.referee = Referee(top.table, top._act)
    top.done.clear()
    top.show()
    assert (top.done, top.kinds) == ([], ["turn"])
    top.lay("3S", "play", 0)
    assert top.done == [play(0, "3S")]


def test_a_word_left_lying_from_before_a_restart_is_not_said_again() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.lay("say:stand", "say", 1)
    top.referee = Referee(top.table, top._act)
    top.done.clear()
    top.show()
    assert (top.done, top.kinds) == ([], ["turn"])


def test_what_lies_there_before_a_game_begins_is_to_be_laid_again() -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0, {}))
    referee = Referee(table, table.do)
    old = Sighting("a", parse_card("2H"), Zone("turn-up"), 0.0)
    referee.observe(Scene(1.0, "camera", (old,)))
    assert table.actions == ()
    assert referee.prompts[0].text == "Take back 2♥, it lay there before: lay it again if it is to count."
    referee.observe(Scene(2.0, "camera", ()))
    assert [prompt.kind for prompt in referee.prompts] == ["turn"]
    referee.observe(Scene(9.0, "camera", (replace(old, piece="b", since=9.0),)))
    assert [action.do for action in table.actions] == ["turn"]


def test_what_was_done_with_before_a_restart_may_lie_on() -> None:
    """The tricks before, all seen to lie at one moment: neither laid two at once, nor to be taken back."""
    top = TableTop().started()
    for card, seat in (("KS", 1), ("3S", 0), ("QS", 1), ("4S", 0), ("JS", 1)):
        top.lay(card, "play", seat)
    for name, old in top.lying.items():
        top.lying[name] = replace(old, since=99.0)
    top.clock = 99.0
    top.referee = Referee(top.table, top._act)
    top.show()
    assert top.kinds == ["turn"]
    top.lay("5S", "play", 0)
    assert top.done[-1] == play(0, "5S")
    top.referee.observe(UndoAsked(101.0, "page"))
    top.referee.observe(UndoAsked(101.0, "page"))
    assert "put-back" not in top.kinds, "the trick before lies there still"


def test_a_word_laid_while_the_program_was_off_is_to_be_laid_again() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.put("say:stand", "say", 1)
    top.referee = Referee(top.table, top._act)
    top.show()
    assert top.table.phase == "say"
    assert top.text("take-back").startswith("Bo: take back the card “stand”, it lay there before")


def test_a_card_misread_before_a_restart_is_put_right_after_it() -> None:
    top = TableTop().started()
    misread = top.lay("QS", "play", 1)
    top.referee = Referee(top.table, top._act)
    top.show()
    top.lay("3C", "play", 0)
    top.turns_out(misread, "QC")
    assert [action.to_json() for action in top.table.actions][-2:] == [play(1, "QC"), play(0, "3C")]


def test_a_card_recognised_after_a_restart_is_taken_back_when_it_is_undone() -> None:
    top = TableTop().started()
    top.lay("QS", "play", 1)
    top.referee = Referee(top.table, top._act)
    top.show()
    top.referee.observe(UndoAsked(9.0, "page"))
    assert top.text("take-back") == "Bo: take back Q♠, it was undone."


def test_a_card_cut_before_a_neighbour_is_moved_to_its_owner() -> None:
    for pushed in (True, False):
        top = TableTop(dealer=None)
        cut = top.lay("9S", "play", 1)
        if pushed:
            top.lying[cut] = replace(top.lying[cut], zone=Zone("play", 0))
            top.show()
        else:
            top.lift(cut)
            top.lay("9S", "play", 0)
        assert [action.to_json() for action in top.table.actions] == [{"do": "cut", "seat": 0, "card": "9S"}]
        assert top.kinds == ["turn"]


def test_a_card_exposed_before_a_neighbour_is_moved_to_its_owner() -> None:
    top = TableTop().started()
    shown = top.lay("9S", "show", 0)
    top.lying[shown] = replace(top.lying[shown], zone=Zone("play", 1))
    top.show()
    assert [action.to_json() for action in top.table.actions][2:] == [play(1, "9S")]
    assert top.kinds == ["turn"]


def test_a_card_to_be_laid_back_is_not_to_be_taken_back_as_well() -> None:
    top = TableTop().started()
    shown = top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    top.lift(shown)
    top.lay("9S", "turn-up")
    assert top.kinds == ["put-back", "turn"]


def test_a_card_refused_in_one_hand_is_never_led_in_the_next() -> None:
    top = TableTop().started()
    for rank in ("K", "Q", "J", "9", "8", "7"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}C", "play", 0))
    assert top.table.phase == "deal"
    top.lift(*top.lying)
    top.lay("4D", "play", 0)
    assert "take-back" in top.kinds
    top.lay("2D", "turn-up")
    top.say(0, "stand")
    assert top.done[-1] == {"do": "say", "seat": 0, "word": "stand"}, "Ann leads, but has not laid a card since"
    assert top.kinds == ["take-back", "turn"]


def test_a_source_that_is_lost_and_back() -> None:
    top = TableTop()
    top.referee.observe(Lost(1.0, "camera", "The camera is unplugged: plug it in."))
    assert top.text("source") == "The camera is unplugged: plug it in."
    top.referee.observe(Back(2.0, "camera"))
    assert top.kinds == ["turn"]


def test_an_action_that_cannot_be_stored_is_found_again() -> None:
    top = TableTop().started()
    trick = [top.lay("KS", "play", 1), top.lay("3S", "play", 0)]
    full = [True]
    store = top.act

    def act(action: Action) -> object:
        if full[0]:
            raise OSError("disk full")
        return store(action)

    top.act = act
    with pytest.raises(OSError, match="disk full"):
        top.lift(*trick)
    full[0] = False
    top.show()
    assert top.done[-1] == {"do": "gather", "seat": 1}


def test_the_same_card_turned_up_in_the_next_hand_counts() -> None:
    top = TableTop(options={"target": 1000})
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    ranks = ("3", "4", "5", "6", "7", "8")
    for rank in ranks:
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
        if rank != "8":
            assert top.table.turn == 1
    assert top.table.phase == "deal"
    turns = [action for action in top.done if action["do"] == "turn"]
    assert len(turns) == 1
    top.lift(turned)
    top.clock += 5  # the pack is shuffled and dealt
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_turn_up_that_is_looked_at_after_the_hand_is_not_turned_again() -> None:
    top = TableTop(options={"target": 1000})
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    for rank in ("3", "4", "5", "6", "7", "8"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
    top.lift(turned)
    again = top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 1
    assert top.kinds == ["turn"]
    top.lift(again)
    again = top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 1
    assert top.kinds == ["take-back", "turn"], "who lays it once more may mean it, and is asked"
    top.lift(again)
    top.lay("2H", "turn-up")
    assert [action["do"] for action in top.done].count("turn") == 2


def test_a_card_bumped_between_two_hands_is_not_turned_again() -> None:
    top = TableTop()
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    for rank in ("3", "4", "5", "6", "7", "8"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
    top.lying["bumped"] = replace(top.lying.pop(turned), piece="bumped")
    top.show()
    assert [action["do"] for action in top.done].count("turn") == 1


def test_the_same_card_cut_again_by_those_tied_counts() -> None:
    top = TableTop(dealer=None)
    cut = [top.lay("9S", "play", 0), top.lay("9D", "play", 1)]
    top.lift(*cut)
    top.clock += 5
    cut = [top.lay("9S", "play", 0), top.lay("KD", "play", 1)]
    assert [action["do"] for action in top.done] == ["cut"] * 4
    assert top.table.view(None).dealer == 1


def test_what_came_too_early_is_not_counted_after_an_undo() -> None:
    top = TableTop().started()
    top.lay("5S", "play", 1)
    top.lay("6S", "play", 1)
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert [prompt.text for prompt in top.referee.prompts if prompt.kind == "take-back"] == [
        "Bo: take back 5♠, it was undone.",
        "Bo: take back 6♠, it was undone.",
    ]
    top.show()
    assert top.done[-1] == {"do": "undo"}


def test_a_word_misread_is_said_and_not_counted_anew() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    word = top.lay("say:beg", "say", 1)
    top.turns_out(word, "say:stand")
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "beg"}
    assert "the card “beg” was counted" in top.text("misread")
    top.lift(word)
    assert "misread" not in top.kinds


def test_a_card_of_a_trick_that_is_over_is_said_to_be_misread() -> None:
    top = TableTop().started()
    top.lay("5S", "play", 1)
    king = top.lay("KS", "play", 0)
    top.lay("3D", "play", 0)
    top.turns_out(king, "2S")
    assert "K♠ was counted" in top.text("misread")


def test_those_tied_are_named_for_the_next_cut() -> None:
    top = TableTop(("Ann", "Bo", "Cy"), dealer=None)
    assert top.text("turn") == "Cut for the deal: everybody lays the card cut in front of himself."
    top.lift(top.lay("KS", "play", 0), top.lay("KH", "play", 1), top.lay("2H", "play", 2))
    assert top.text("turn") == "Cut for the deal: Ann and Bo still to cut."


def test_running_the_cards_is_asked_for() -> None:
    top = TableTop(options={"discard_to_six": True})
    top.lay("2H", "turn-up")
    top.say(1, "beg")
    top.say(0, "change")
    assert top.text("turn") == "Ann deals 3 more each and turns the next card up."
    top.lay("9C", "turn-up")
    assert top.text("turn") == "Everybody lays away face down all but 6 cards; then Bo leads."
    top.lay("KS", "play", 1)
    assert top.text("turn") == "Ann plays."


def test_what_came_too_early_is_to_be_laid_again_when_its_time_has_come() -> None:
    top = TableTop().started()
    top.lay("say:stand", "say", 0)
    top.lay("KS", "play", 1)
    assert "Ann: take back" in top.text("take-back")
    assert "lay it again" not in top.text("take-back")
    for index, rank in enumerate(("K", "Q", "J", "9", "8", "7")):
        led = [top.lay(f"{rank}S", "play", 1)] if index else [name for name, _ in list(top.lying.items())[-1:]]
        top.lift(*led, top.lay(f"{rank}C", "play", 0))
    top.lay("4D", "turn-up")
    assert top.text("turn") == "Ann: stand or beg?"
    assert top.text("take-back") == "Ann: take back the card “stand”, it came too early: lay it again."


def test_a_revoke_that_nobody_can_have_made_asks_for_no_evidence() -> None:
    top = TableTop()
    card = top.lay("say:revoke", "say", 1)
    assert top.text("take-back") == "Bo: take back the card “revoke”, it cannot be said now."
    top.lift(card)
    assert top.kinds == ["turn"]
