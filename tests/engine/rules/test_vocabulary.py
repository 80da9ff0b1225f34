"""What a game declares: its words, reasons of points and sentences of events, joined with those of its bases."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.rules.game import Game
from engine.rules.penalties import CALL, REVOKE, PenaltyTrickGame
from engine.texts import text
from engine.views import EventKind
from engine.words import Word


def test_a_word_of_a_game_is_not_taken_for_an_accusation() -> None:
    with pytest.raises(ValueError, match="Auction: the word 'call' is an accusation here"):
        type("Auction", (PenaltyTrickGame,), {"words": (Word("call", needs=("card",)),)})
    assert type("Hold", (PenaltyTrickGame,), {"words": (REVOKE, CALL)}).vocabulary.keys() == {"revoke", "call"}


def test_declarations_of_a_game_are_joined_with_those_of_its_bases() -> None:
    class Base(Game):
        name = "base"
        title = "Base"
        words = (Word("beg"),)
        reasons = ("run", "pair")
        event_kinds = {"sweep": EventKind(lambda name, card: text("{name} sweeps", name=name))}  # noqa: RUF012

    class Plain(Base):
        pass

    class Derived(Base):
        words = (Word("stand"), Word("call", needs=("card",)))
        reasons = ("pair", "flush")
        event_kinds = {  # noqa: RUF012
            "hand-over": EventKind(lambda name, card: text("Over")),
            "sweep": EventKind(lambda name, card: text("{name} takes all", name=name)),
        }

    assert list(Base.vocabulary) == list(Plain.vocabulary) == ["beg"]
    assert list(Derived.vocabulary) == ["stand", "call"] and Derived.vocabulary["call"].keys == ("card",)
    assert Base.reasons[:2] == ("run", "pair") and Plain.reasons == Base.reasons
    assert Derived.reasons == ("pair", "flush", "run", *Base.reasons[2:])
    assert Game.event_kinds.keys() < Base.event_kinds.keys() == Derived.event_kinds.keys()
    assert Plain.event_kinds["sweep"].sentence("Bo", "") == "Bo sweeps"
    assert Derived.event_kinds["sweep"].sentence("Bo", "") == "Bo takes all"
    assert Derived.event_kinds["hand-over"].sentence("", "") == "Over" != Base.event_kinds["hand-over"].sentence("", "")


def test_an_action_without_a_seat_has_no_hand() -> None:
    class Bare(Game):
        name = "bare"
        title = "Bare"

    game = Bare(("Ann", "Bo"), 0, {})
    for action in (Action("undo"), Action("show", "crib", cards=())):
        with pytest.raises(TypeError) as error:
            game.hand_of(action)
        assert str(error.value) == f"{action} has no seat with a hand"
