"""What the players are asked: what the game waits for, and why a card must be taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cards import parse_card
from engine.observations import ActionCard, Zone
from engine.referee import prompts
from engine.referee.observed_cards import ObservedCard
from engine.table import Table
from engine.views import Prompt, TableCard
from engine.words import Word
from tests.engine.referee.cards_in_states import laid


@pytest.mark.parametrize(
    ("phase", "turn", "expected"),
    [
        ("cut", None, Prompt("turn", None, "Cut for the deal: everybody lays the card they cut in front of them.")),
        ("deal", None, Prompt("turn", 0, "Ann deals and turns the next card up.")),
        ("turn", None, Prompt("turn", 0, "Ann deals and turns the next card up.")),
        ("discard", None, Prompt("turn", None, "Lay the cards away face down.")),
        ("show", None, Prompt("turn", None, "Lay the cards face up to be counted.")),
        ("play", None, Prompt("turn", None, "The table waits.")),
        ("play", 1, Prompt("turn", 1, "Bo leads.")),
        ("bid", 1, Prompt("turn", 1, "Bo: bid, or say something.")),
    ],
)
def test_what_the_game_waits_for(phase: str, turn: int | None, expected: Prompt) -> None:
    view = Table("all-fives", ["Ann", "Bo"], dealer=0).view()
    assert prompts.turn(replace(view, phase=phase, turn=turn, hint="")) == expected


EARLY = "Bo: take back K♠, it came too early: lay it again."
REFUSED = {
    "not-your-turn": "Bo: take back K♠, it is Ann’s turn.",
    "wrong-phase": "Bo: take back K♠, no card may be laid there now.",
    "no-such-word": "Bo: take back K♠, it cannot be said now.",
    "before": "Bo: pick up K♠; it is left over.",
    "undone": "Bo: pick up K♠; that play was undone.",
    "said": "Bo: take back K♠, it was said already.",
    "wrong-count": "Bo: take back K♠, it was not counted.",
    "wrong-amount": "Bo: take back K♠, it was not counted.",
    "already-seen": "Bo: take back K♠, it was seen already: lay it again if it was misread.",
    "must-follow-suit": "Bo: take back K♠, diamonds were led.",
    "not-in-hand": "Bo: take back K♠. Not now.",
}
"""What is said about the king of spades in front of Bo while Ann is on turn and diamonds were led, by the code."""


def refused(code: str) -> ObservedCard:
    card = laid()
    card.refuse(code, "Not now.")
    return card


@pytest.mark.parametrize("code", REFUSED)
@pytest.mark.parametrize("turn", [0, 1])
def test_why_a_card_must_be_taken_back(code: str, turn: int) -> None:
    led = TableCard(parse_card("2D"), Zone("play", 0))
    view = replace(Table("all-fives", ["Ann", "Bo"], dealer=0).view(), phase="play", turn=turn, lying=(led,))
    early = turn == 1 and code in ("not-your-turn", "wrong-phase", "no-such-word")
    assert prompts.about(view, refused(code), ()) == Prompt("take-back", 1, EARLY if early else REFUSED[code])


def test_cards_outside_zones_and_two_at_once_have_their_own_prompts() -> None:
    view = Table("all-fives", ["Ann", "Bo"], dealer=0).view()
    assert prompts.about(view, refused("two-cards"), ()) == Prompt(
        "two-cards", 1, "Bo laid two cards at once: take one of them back."
    )
    assert prompts.about(view, refused("unclear"), ()) == Prompt(
        "unclear", 1, "Bo: take up the trick if K♠ leads; if it replaces a card, undo and lay it again."
    )
    card = refused("undone")
    card.see_in(None)
    card.move(None, 2.0)
    card.refuse("undone", "")
    assert prompts.about(view, card, ()) == Prompt("take-back", None, "Pick up K♠; that play was undone.")


def test_the_request_for_evidence_of_a_word_that_has_none_of_its_own() -> None:
    doubt = Word("doubt", needs=("against", "evidence"))
    view = Table("all-fives", ["Ann", "Bo"], dealer=0).view()
    view = replace(view, vocabulary={"doubt": doubt}, words=((), ("doubt",)))
    assert prompts.waiting_word(view, ActionCard("doubt"), Zone("say", 1)) == Prompt(
        "evidence", 1, "Bo says “doubt”: lay a card as proof in the show zone of the other player."
    )


def test_where_a_card_lies() -> None:
    players = ("Ann", "Bo")
    zones = (None, Zone("play", 1), Zone("turn-up"), Zone("say", 0))
    assert [prompts.place(zone, players) for zone in zones] == [
        "outside the zones",
        "in front of Bo",
        "in the turn-up zone",
        "in the say zone of Ann",
    ]


@pytest.mark.parametrize(
    ("scores", "winners", "lowest_wins", "result"),
    [
        ((31, 12), (0,), False, "Ann won, 31–12"),
        ((2, 11), (1,), False, "Bo won, 11–2"),
        ((-5, 12), (1,), False, "Bo won, 12 : −5"),
        ((7, 7), (0, 1), False, "Ann and Bo won, 7–7"),
        ((20, 22, 21), (1,), False, "Bo won, 22–21–20"),
        ((104, 31, 50), (1,), True, "Bo won, 31–50–104"),
        ((12, 11), (1,), False, "Bo won, 11–12"),
    ],
)
def test_how_a_game_has_ended(
    scores: tuple[int, ...], winners: tuple[int, ...], lowest_wins: bool, result: str
) -> None:
    view = Table("hearts" if lowest_wins else "all-fives", ["Ann", "Bo", "Cy"][: len(scores)], dealer=0).view()
    assert view.lowest_wins == lowest_wins
    over = replace(view, over=True, scores=scores, winners=winners)
    assert prompts.turn(over) == Prompt("over", None, f"The game is over: {result}.")


@pytest.mark.parametrize(("turn", "actor", "seat"), [(1, None, 1), (1, 0, 0), (None, None, None)])
def test_a_hint_is_for_the_player_who_acts(turn: int | None, actor: int | None, seat: int | None) -> None:
    view = replace(Table("all-fives", ["Ann", "Bo"], dealer=0).view(), turn=turn, actor=actor, hint="Show a card.")
    assert prompts.turn(view) == Prompt("turn", seat, "Show a card.")
