"""What the voice says: short, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from engine.record import Header
from engine.referee.prompts import Prompt, turn
from engine.table import Outcome, Table
from engine.views import Event
from hardware.speech import Speech, speakable
from tests.engine.talk import do

BACK = Prompt("take-back", 1, "Bo: take back K♠, it is Ann’s turn.")


class Told:
    """A game, and what is said about it."""

    def __init__(self, speech: Speech, game: str = "all-fives") -> None:
        self.speech = speech
        self.table = Table(Header(game, ("Ann", "Bo"), 0))
        self.n = 0

    def after(self, *texts: str, prompts: Sequence[Prompt] = ()) -> list[str]:
        outcome = do(self.table, *texts) if texts else Outcome()
        self.n += len(texts)
        view = self.table.view(None)
        return self.speech.news(self.n, view, [*prompts, turn(view)], outcome.points, outcome.events)


def test_prompts_only() -> None:
    told = Told(Speech("prompts"))
    assert told.after("turn 4H") == ["Bo: stand or beg?"]
    assert told.after("1 say beg") == ["Ann: take one or change?"]
    assert told.after("0 say take-one") == []  # the point is everything's, and that Bo leads is seen
    assert told.after("1 play KS") == []
    assert told.after("0 play 2S") == []


def test_everything() -> None:
    told = Told(Speech("everything"))
    told.after("turn 4H")
    told.after("1 say beg")
    assert told.after("0 say take-one") == ["Bo: 1.", "Bo leads."]
    assert told.after("1 play KS") == ["Ann plays."]
    assert told.after("0 play 2S") == ["Bo wins the trick.", "Bo leads."]


def test_points_of_one_action_are_added_up() -> None:
    told = Told(Speech("everything"), "cribbage")
    told.after("turn 4H")
    told.after("1 play 5S")
    assert told.after("0 play 5D") == ["Ann: 2.", "Bo plays."]


def test_nothing_is_said_twice() -> None:
    told = Told(Speech("prompts"))
    told.after("turn 4H")
    assert told.after(prompts=[BACK]) == ["Bo: take back king of spades, it is Ann’s turn."]
    for _ in range(3):
        assert told.after(prompts=[BACK]) == []
        assert told.after() == []  # a hand hides the card for a moment
    assert told.after("1 say stand", prompts=[BACK]) == []  # it stands all the time
    assert told.after("1 play 2S") == []
    assert told.after(prompts=[BACK]) == ["Bo: take back king of spades, it is Ann’s turn."]  # again, and later


def test_of_several_new_prompts_the_first_is_said() -> None:
    lost = Prompt("source", None, "Plug the camera in.")
    assert Told(Speech("prompts")).after("turn 4H", prompts=[lost, BACK]) == ["Plug the camera in."]


def test_scores_are_told_at_the_end_of_a_hand_and_at_the_end_the_winner_alone() -> None:
    told = Told(Speech("everything"))
    told.after("turn 4H")
    view = told.table.view(None)
    hand_over = (Event("trick", 0), Event("hand-over"))
    assert told.speech.news(9, view, [], (), hand_over) == ["Ann wins the trick.", "Ann 0, Bo 0."]
    over = Prompt("over", None, "The game is over: Bo won, 40–61.")
    ended = (Event("trick", 0), Event("hand-over"), Event("game-over"))
    assert told.speech.news(10, view, [over], (), ended) == ["The game is over: Bo won, 40, 61."]


def test_cards_are_spoken_as_people_name_them() -> None:
    french = {"{rank} of {suit}": "{rank} de {suit}", "king": "roi", "diamonds": "carreau", "spades": "pique"}
    assert speakable("K♦ et 10♠", french.__getitem__) == "roi de carreau et 10 de pique"
    assert speakable("lay brown 7 back") == "lay brown 7 back"
