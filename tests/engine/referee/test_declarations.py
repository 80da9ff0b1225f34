"""A word said with an action card or a button, completed by what lies on the table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.games import add_game, remove_added_games
from engine.observations import Said, Scene, Zone
from engine.referee.interpretation import accusation, declaration, is_incomplete
from engine.referee.observed_cards import ObservedCards, hand_phase
from engine.referee.trace import NotTaken
from engine.rules.game import Game, Rules
from engine.words import Word
from tests.engine.referee.table_top import TableTop


def revoked(players: tuple[str, ...] = ("Ann", "Bo", "Cy")) -> TableTop:
    """Hearts are trumps; Bo has led the king of spades, and every other player has not followed suit."""
    top = TableTop(players=players).started()
    top.lay("KS", "play", 1)
    for seat in range(2, len(players)):
        top.lay("4D", "play", seat)
    top.lay("3D", "play", 0)
    return top


class Asking(Game):
    """A game in which Bo asks other players, again and again."""

    name = "asking"
    title = "Asking"
    seats = range(2, 4)
    words = (Word("ask", needs=("against",)),)

    def hand(self) -> Rules[None]:
        self.new_pack()
        while True:
            yield from self.say(1, "ask")


def test_which_words_are_incomplete_without_a_card_or_a_seat() -> None:
    table = TableTop().started().table
    card = parse_card("4S")
    assert is_incomplete(Said(0.0, "page", 1, "revoke"), table)
    assert is_incomplete(Said(0.0, "page", 1, "call"), table)
    assert not is_incomplete(Said(0.0, "page", 1, "stand"), table)
    assert not is_incomplete(Said(0.0, "page", 1, "hello"), table)
    assert not is_incomplete(Said(0.0, "page", 1, "revoke", card=card), table)
    assert not is_incomplete(Said(0.0, "page", 1, "revoke", against=0), table)


def test_a_word_that_needs_nothing_and_a_word_that_the_game_does_not_have() -> None:
    table = TableTop().started().table
    assert declaration(1, "stand", [], table) == Action("say", 1, word="stand")
    assert declaration(1, "hello", [], table) == Action("say", 1, word="hello")
    assert declaration(1, "revoke", [], table) is None


def observed(top: TableTop) -> ObservedCards:
    """Return the cards on the table, none of them judged."""
    cards = ObservedCards()
    cards.update(Scene(top.clock, "camera", tuple(top.lying.values())), hand_phase(top.table))
    return cards


def test_a_call_is_completed_by_the_only_exposed_card() -> None:
    top = TableTop().started()
    assert declaration(1, "call", [], top.table) == Action("say", 1, word="call")
    top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    assert declaration(1, "call", [], top.table) == Action("say", 1, parse_card("9S"), word="call")
    top.lay("8S", "show", 0)
    assert declaration(1, "call", [], top.table) is None


@pytest.mark.parametrize("caller", [1, 2])
def test_evidence_laid_after_a_button_accuses_the_seat_beside_it(caller: int) -> None:
    top = revoked()
    top.referee.observe(Said(top.clock, "buttons", caller, "revoke"))
    assert "evidence" in top.kinds
    top.lay("4S", "show", 0)
    assert top.done[-1] == {"do": "say", "seat": caller, "word": "revoke", "against": 0, "card": "4S"}


def test_the_accusation_that_evidence_completes() -> None:
    top = revoked()
    zone, card = Zone("show", 0), parse_card("4S")
    expected = Action("say", 2, card, word="revoke", against=0)
    assert accusation(zone, card, [], top.table) is None
    assert accusation(zone, card, [], top.table, Said(0.0, "page", 2, "revoke")) == expected
    assert accusation(zone, card, [], top.table, Said(0.0, "page", 0, "revoke")) is None
    wrong = parse_card("4H")  # the answer says why it proves nothing
    assert accusation(zone, wrong, [], top.table, Said(0.0, "page", 2, "revoke")) == Action(
        "say", 2, wrong, word="revoke", against=0
    )
    assert accusation(zone, card, [], top.table, Said(0.0, "page", 2, "call")) is None


def test_the_action_card_that_evidence_completes() -> None:
    top = revoked()
    top.lay("say:revoke", "say", 2)
    found = accusation(Zone("show", 0), parse_card("4S"), observed(top), top.table)
    assert found == Action("say", 2, parse_card("4S"), word="revoke", against=0)
    assert accusation(Zone("show", 2), parse_card("4S"), observed(top), top.table) is None


def test_an_action_card_that_was_refused_waits_for_no_evidence() -> None:
    top = revoked()
    top.lay("say:revoke", "say", 2)
    cards = observed(top)
    word = next(card for card in cards if card.zone == Zone("say", 2))
    word.refuse("bad-call")
    assert accusation(Zone("show", 0), parse_card("4S"), cards, top.table) is None


def test_a_word_said_on_the_page_with_its_card_and_its_seat() -> None:
    top = revoked()
    top.referee.observe(Said(top.clock, "page", 2, "revoke", card=parse_card("4S"), against=0))
    assert top.done[-1] == {"do": "say", "seat": 2, "word": "revoke", "against": 0, "card": "4S"}


def test_the_answer_to_a_word_is_for_the_seat_that_said_it() -> None:
    top = TableTop().started()
    top.referee.observe(Said(top.clock, "page", 0, "stand"))
    assert (top.referee.prompts[0].kind, top.referee.prompts[0].seat) == ("refused", 0)
    (event,) = [event for event in top.trace if isinstance(event, NotTaken)]
    assert (event.action, event.code) == (Action("say", 0, word="stand"), "no-such-word")
    assert event.message == top.referee.prompts[0].text


def test_a_card_outside_the_show_zone_of_the_accused_is_no_evidence() -> None:
    top = revoked()
    top.lay("4S", "play", 0)  # too much
    top.lay("5S", "show", 2)
    top.lay(None, "show", 0)
    assert declaration(2, "revoke", observed(top), top.table) is None
    top.lay("6S", "show", 0)
    assert declaration(2, "revoke", observed(top), top.table) == Action(
        "say", 2, parse_card("6S"), word="revoke", against=0
    )


def test_a_call_said_with_a_button_is_completed_by_the_exposed_card() -> None:
    top = TableTop().started()
    top.lay("9S", "show", 0)
    top.lay("KS", "play", 1)
    top.referee.observe(Said(top.clock, "buttons", 1, "call"))
    assert top.done[-1] == {"do": "say", "seat": 1, "word": "call", "card": "9S"}


@pytest.fixture
def asking() -> Iterator[None]:
    add_game(Asking)
    yield
    remove_added_games()


@pytest.mark.usefixtures("asking")
def test_a_word_about_another_player_needs_to_name_one_only_of_several() -> None:
    top = TableTop(game="asking")
    top.say(1, "ask")
    assert top.done == [{"do": "say", "seat": 1, "word": "ask", "against": 0}]
    top = TableTop(("Ann", "Bo", "Cy"), game="asking")
    top.say(1, "ask")
    top.lay("say:ask", "say", 1)
    assert top.done == []
    assert top.text("which-card") == "Bo says “ask”: tap the player who is meant."
