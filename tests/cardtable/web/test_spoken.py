"""A game can be followed by listening alone: after every action a listener knows turn, scores and cards played."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from cardtable.languages import LANGUAGES, translate_prompts, translator
from cardtable.table.live_game import LiveGame
from cardtable.table.snapshot import (
    LogEntry,
    Snapshot,
    action_sentence,
    fact_sentences,
    news_sentences,
    outcome_sentences,
    standing_sentences,
)
from cardtable.web.state import HistoryLines, state_of
from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from engine.texts import as_written
from engine.views import Point, side_names
from hardware.voice import Speech, speakable
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.people.people import observations
from tests.cardtable.shown import Shown

GAMES = [*((game, load_game(game).seats[0]) for game in HOUSE), ("cribbage", 4), ("its-15", 4)]

UNSPOKEN = re.compile(r"\b[A-Z]{2,}\b|(?<!\w)-\d|\b1 (clubs|diamonds|hearts|spades|tricks|points|plis)\b")


class Listener:
    """Hears what the page says at the level `full`, and knows the game from that alone."""

    def __init__(self) -> None:
        self.turn = self.scores = ""
        self.known: list[str] = []
        self._prompts: list[str] = []
        self._heard = 0

    def hear(self, state: dict[str, Any]) -> list[str]:
        """Hear what is new in a state, as speech.js chooses it; return the sentences about actions."""
        if not self.scores:  # the page begins with how the game stands
            self.scores = state["standing"].partition(". ")[0].rstrip(".")
        new = [entry for entry in reversed(state["history"]) if entry["n"] > self._heard]
        self._heard = max([self._heard, *(entry["n"] for entry in new)])
        for entry in new:
            if found := re.search(r"(?:^|[.!?] )((?:\S[^.]*? -?\d+, )+\S[^.,]*? -?\d+)\.$", entry["outcome"]):
                self.scores = found[1]
        prompts = [prompt["spoken"] for prompt in state["prompts"] if prompt["kind"] in ("turn", "over")]
        for prompt in prompts:
            if prompt not in self._prompts:
                self.turn = prompt
        self._prompts = prompts
        return [entry["spoken"] for entry in new]


@cache
def played(game: str, players: int) -> list[Snapshot]:
    """The snapshots of a game that robots play, of a hundred acts."""
    shown: list[Snapshot] = []
    header, observed = observations(game, players, 1, 100)
    live = LiveGame(Table(header), None, [Shown(shown.append)])
    for observation in observed:
        live.take(observation)
    return shown


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_a_listener_knows_turn_scores_and_cards(game: str, players: int) -> None:
    listener, cards, lines = Listener(), 0, HistoryLines(as_written)
    for snapshot in played(game, players):
        view, state = snapshot.view, dict(state_of(snapshot, "Title", history=lines))
        sentences = listener.hear(state)
        if view.turn is not None and not view.over:
            assert view.players[view.turn] in listener.turn
        if any(view.scores):
            names = side_names(view.players, len(view.scores))
            scores = (f"{name} {score}" for name, score in zip(names, view.scores, strict=True))
            spoken = ", ".join(scores).replace("-", "minus ")
            assert listener.scores.endswith(spoken)
        for done in snapshot.news:
            if done.action.card is not None and done.action.do in ("play", "turn", "cut", "take"):
                cards += 1
                assert any(speakable(done.action.card.glyph) in sentence for sentence in sentences)
        for seat_cards in (lying.card for lying in view.lying):
            assert speakable(seat_cards.glyph) in state["standing"]
        for name, value in view.facts:
            if name in ("count", "pot", "bid"):
                assert f"{name} {value}." in state["spoken_facts"] and f"{name} {value}." in state["standing"]
    assert cards > 3


@pytest.mark.sampled(4)
@pytest.mark.parametrize("game", HOUSE)
def test_nothing_is_spoken_that_has_no_sound(game: str) -> None:
    """Every level of the voice, and the page, in both languages: words and numbers, no signs, no abbreviations."""
    for language in LANGUAGES:
        translate = translator(language)
        levels = [Speech(amount, translate) for amount in ("prompts", "everything", "full")]
        lines = HistoryLines(translate)
        sentences: set[str] = set()
        for shown in played(game, load_game(game).seats[0]):
            prompts = translate_prompts(shown.prompts, translate)
            events = [event for done in shown.new_events for event in done.events]
            points = [point for done in shown.new_events for point in done.points]
            news = news_sentences(shown, translate)
            for level in levels:
                sentences |= {*level.news(shown.n, shown.view, prompts, points, events, news)}
            state = state_of(shown, "Title", translate, history=lines)
            sentences |= {
                *news,
                *state["spoken_facts"],
                state["standing"],
                *(each["spoken"] for each in state["prompts"]),
            }
        assert len(sentences) > 20
        assert not {each for each in sentences if not re.fullmatch(r"[\w\s.,:;¿?¡!'’-]+", each)}
        assert not {each for each in sentences if UNSPOKEN.search(each)}


def test_a_count_is_said_hand_by_hand_and_an_undo_in_words() -> None:
    points = [Point(0, 2, "fifteen"), Point(0, 2, "fifteen"), Point(0, 3, "run"), Point(1, 2, "pair")]
    view = Table(Header("cribbage", ("Ann", "Bo"), 0)).view()
    done = LogEntry(9, Action("undo"), tuple(points), (), (7, 2), None, "play")
    assert outcome_sentences(view, done, (7, 2)) == "Ann: 4 for fifteen, 3 for run. Bo: 2 for pair."
    assert action_sentence(view, done) == "The last action is taken back."


def test_the_trumps_and_the_tricks_bid_are_said() -> None:
    table = Table(Header("oh-hell", ("Ann", "Bo", "Cy"), 0))
    for action in ("turn 2C", "1 say 3", "2 say 2", "0 say 0"):
        table.do(action)
    view = table.view()
    assert fact_sentences(view)[0] == "clubs are trumps."
    assert "Bo: 0 tricks of 3. Cy: 0 tricks of 2." in standing_sentences(view)


def test_the_full_voice_says_actions_results_and_prompts_in_order() -> None:
    table = AtTheTable()
    speech = Speech("full")
    sentences: list[str] = []

    def show(shown: Snapshot) -> None:
        sentences.extend(speech.news(shown.n, shown.view, shown.prompts, actions=news_sentences(shown)))

    table.game = LiveGame(Table(table.header), None, [Shown(show)])
    table.game.take(table.scenes.again())
    table.lay(("4H", "turn-up", None))
    table.say(1, "beg")
    table.say(0, "take-one")
    table.board.close()
    assert (
        sentences[-6:]
        == [
            "4 of hearts is turned.",
            "Bo: stand or beg?",
            "Bo: beg.",
            "Ann: take one or change?",
            "Ann: take one.",
            "Bo: 1 for beg. Ann 0, Bo 1.",
            "Bo leads.",
        ][-6:]
    )


def test_sentences_are_in_the_language_of_the_table() -> None:
    shown = played("all-fives", 2)
    entry = next(
        entry
        for snapshot in shown
        for entry in state_of(snapshot, "Title", translator("fr"))["history"]
        if entry["text"].startswith("Bo joue")
    )
    card = r"(le \d+|l’as|le roi|la dame|le valet) de (pique|cœur|carreau|trèfle)"
    assert re.fullmatch(rf"Bo joue {card}\.", entry["spoken"])
