"""What the voice says, each sentence once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cardtable.languages import translator
from engine.record import Header
from engine.referee.prompts import turn
from engine.table import Outcome, Table
from engine.views import Event, Prompt
from hardware.voice import Speech, event_sentence, speakable
from tests.engine.talk import do

BACK = Prompt("take-back", 1, "Bo: take back K♠, it is Ann’s turn.", True)


class SpokenGame:
    """A game, and what the voice says about it."""

    def __init__(self, speech: Speech, game: str = "all-fives") -> None:
        self.speech = speech
        self.table = Table(Header(game, ("Ann", "Bo"), 0))
        self.n = 0

    def after(self, *texts: str, prompts: Sequence[Prompt] = ()) -> list[str]:
        outcome = do(self.table, *texts) if texts else Outcome()
        self.n += len(texts)
        view = self.table.view()
        return self.speech.news(self.n, view, [*prompts, turn(view)], outcome.points, outcome.events)


def test_prompts_about_moving_cards_or_partial_bids_are_not_spoken() -> None:
    game = SpokenGame(Speech("prompts"))
    game.after("turn 4H")
    assert game.after(prompts=[replace(BACK, urgent=False)]) == []
    assert game.after(prompts=[Prompt("unfinished", 1, "3 more cards, please.")]) == []
    assert game.after(prompts=[BACK]) == [speakable(BACK.text)]


def test_prompts_only() -> None:
    game = SpokenGame(Speech("prompts"))
    assert game.after("turn 4H") == ["Bo: stand or beg?"]
    assert game.after("1 say beg") == ["Ann: take one or change?"]
    assert game.after("0 say take-one") == []  # points need "everything"; turns in the play do too
    assert game.after("1 play KS") == []
    assert game.after("0 play 2S") == []


def test_everything() -> None:
    game = SpokenGame(Speech("everything"))
    game.after("turn 4H")
    game.after("1 say beg")
    assert game.after("0 say take-one") == ["Bo: 1 point.", "Bo leads."]
    assert game.after("1 play KS") == ["Ann plays."]
    assert game.after("0 play 2S") == ["Bo takes the trick.", "Bo leads."]


def test_tricks_are_told_in_several_ways() -> None:
    view = SpokenGame(Speech()).table.view()
    told = [event_sentence(view, Event("trick", 0, won=True), n) for n in range(20)]
    assert {*told} == {"Ann wins the trick", "The trick goes to Ann", "Ann takes the trick"}
    assert told == [event_sentence(view, Event("trick", 0, won=True), n) for n in range(20)]


def test_points_of_one_action_are_added_up() -> None:
    game = SpokenGame(Speech("everything"), "cribbage")
    game.after("turn 4H")
    game.after("1 play 5S")
    assert game.after("0 play 5D") == ["Ann: 2 points.", "Bo plays."]


def test_no_prompt_is_spoken_twice() -> None:
    game = SpokenGame(Speech("prompts"))
    game.after("turn 4H")
    assert game.after(prompts=[BACK]) == ["Bo: take back king of spades, it is Ann’s turn."]
    for _ in range(3):
        assert game.after(prompts=[BACK]) == []
        assert game.after() == []  # a hand hides the card for a moment
    assert game.after("1 say stand", prompts=[BACK]) == []  # the same prompt is still shown
    assert game.after("1 play 2S") == []
    assert game.after(prompts=[BACK]) == ["Bo: take back king of spades, it is Ann’s turn."]  # again, and later


def test_first_of_several_new_prompts_is_said() -> None:
    lost = Prompt("source", None, "Plug the camera in.", True)
    assert SpokenGame(Speech("prompts")).after("turn 4H", prompts=[lost, BACK]) == ["Plug the camera in."]


def test_scores_after_a_hand_and_the_winner_after_the_game() -> None:
    game = SpokenGame(Speech("everything"))
    game.after("turn 4H")
    view = game.table.view()
    hand_over = (Event("trick", 0, won=True), Event("hand-over", ends="hand"))
    assert game.speech.news(9, view, [], (), hand_over) == ["Ann takes the trick.", "Ann 0, Bo 0."]
    over = Prompt("over", None, "The game is over: Bo won, 40–61.")
    ended = (*hand_over, Event("game-over", ends="game"))
    assert game.speech.news(10, view, [over], (), ended) == ["The game is over: Bo won, 40 to 61."]


def test_names_of_spoken_cards() -> None:
    assert speakable("K♦ et 10♠", translator("fr")) == "le roi de carreau et le 10 de pique"
    assert speakable("lay brown 7 back") == "lay brown 7 back"


def test_signs_are_spoken_as_words() -> None:
    assert speakable("Ann: “call” · 7♦") == "Ann: call, 7 of diamonds"
    assert speakable("Bo to call: 1\u202f♥ ×4 by Cy") == "Bo to call: 1 heart redoubled by Cy"
    assert speakable("Cy -220, Di 10, knock-out") == "Cy minus 220, Di 10, knock-out"
