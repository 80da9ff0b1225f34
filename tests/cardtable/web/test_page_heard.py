"""What the page says: whole games are followed by listening alone, and a screen reader hears each alert once."""

from __future__ import annotations

import json
import random
import re
from contextlib import closing
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.table.snapshot import LogEntry, Snapshot, scores_sentence
from cardtable.web.screens import GameScreen
from cardtable.web.state import HistoryLines, state_of
from engine.games import load_game
from engine.observations import Back, Lost
from engine.record import Header
from engine.referee.referee import Done
from engine.table import Table
from engine.texts import as_written
from hardware.voice import speakable
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, VOICE, open_page
from tests.cardtable.web.states import NAMES, choose, snapshot_of

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

GAMES = [("hearts", 4, 30), ("bridge", 4, 48), ("skat", 3, 36), ("cribbage", 2, 28), ("le-quinze", 2, 24)]
"""Games, players, and how many actions are heard."""
READ = """() => { window.read = []; for (const id of ["polite", "assertive"])
    new MutationObserver((changes) => { for (const { addedNodes } of changes)
        for (const node of addedNodes) read.push(node.textContent);
    }).observe(document.getElementById(id), { childList: true }); }"""
"""Keeps what a screen reader reads out."""


def game_of(game: str, players: int, most: int) -> list[Snapshot]:
    """Return what is shown after each action of a random game, for which Hearts begins with passing."""
    rng, table = random.Random(2), Table(Header(game, NAMES[:players], 0))
    history: list[LogEntry] = []
    snapshots = [snapshot_of(table, history)]
    while not table.over and len(history) < most:
        done = Done.of(table, choose(table, rng))
        points, events, moments = done.outcome
        entry = LogEntry(len(history) + 2, done.action, points, events, done.scores, done.turn, done.phase, moments)
        history.append(entry)
        snapshots.append(snapshot_of(table, history))
    return snapshots


def spoken(page: Page, board: Any, snapshots: list[Snapshot], title: str) -> list[list[str]]:
    """Show each snapshot; return what was said about it."""
    lines, said = HistoryLines(as_written), list[list[str]]()
    for snapshot in snapshots:
        state = dict(state_of(snapshot, title, history=lines)) | {"moments": []}
        before = page.evaluate("heard.length = 0, document.body.dataset.version ?? null")
        board.show_screen(cast(GameScreen, json.loads(json.dumps(state))))
        page.wait_for_function("before => (document.body.dataset.version ?? null) !== before", arg=before)
        said.append(list(page.evaluate("new Promise((done) => setTimeout(() => done(heard)))")))
    return said


def test_whole_games_are_followed_from_the_spoken_words_alone(browser: Browser) -> None:
    """After each action a listener knows who acts, what was laid, who has won the trick, and the scores."""
    with (
        closing(board_for("Card table", lambda message, sender: None, port=0)) as board,
        open_page(browser, board.url, before=VOICE) as page,
    ):
        for game, players, most in GAMES:
            snapshots = game_of(game, players, most)
            turn = scores = ""
            nil = scores_sentence(snapshots[0].view, snapshots[0].view.scores)
            told = re.compile(re.escape(nil).replace("0", r"(?:minus )?\d+"))
            cards = tricks = 0
            for snapshot, said in zip(snapshots, spoken(page, board, snapshots, load_game(game).title), strict=True):
                view, text = snapshot.view, " ".join(said)
                asked = [prompt for prompt in snapshot.prompts if prompt.kind in ("turn", "over")]
                turn = next((each for each in said if each in {speakable(prompt.text) for prompt in asked}), turn)
                scores = next((found[0] for each in said if (found := told.search(each))), scores)
                acts = next((prompt.seat for prompt in asked if prompt.seat is not None), view.turn)
                if acts is not None and not view.over:
                    assert any(view.players[acts] in each for each in (turn, *said)), (game, said)
                if any(view.scores):
                    assert scores == speakable(scores_sentence(view, view.scores)), (game, said)
                if not snapshot.history:
                    continue
                done = snapshot.history[-1]
                if done.action.card is not None and done.action.do in ("play", "turn", "cut", "bid"):
                    cards += 1
                    assert speakable(done.action.card.glyph) in text, (game, said)
                for event in done.events:
                    if event.won and event.seat is not None:
                        tricks += 1
                        assert view.players[event.seat] in text, (game, said)
            assert cards > 8, game
            assert tricks or game in ("cribbage", "le-quinze"), game
        page.evaluate("heard.length = 0")


def test_what_has_happened_is_said_even_if_more_happens_meanwhile(table: AtTheTable, browser: Browser) -> None:
    slow = VOICE.replace("queueMicrotask(() => utterance.onend());", "window.now = utterance;")
    with open_page(browser, table.board.url, before=slow) as page:
        expect(page.locator("#table")).to_be_visible()
        page.wait_for_function("heard.length === 1")
        table.lay(("4H", "turn-up", None))
        expect(page.get_by_role("button", name="beg")).to_be_visible()
        table.say(1, "stand")
        table.lay(("KD", "play", 1))
        expect(page.get_by_role("button", name="king of diamonds")).to_be_visible()
        for _ in range(20):
            page.evaluate("now.onend()")
        heard = page.evaluate("heard")
        told = ["4 of hearts is turned up.", "Bo: stand.", "Bo plays king of diamonds.", "Ann plays."]
        assert [each for each in heard if each in {*told, "Bo leads.", "Bo: stand or beg?"}] == told


def test_a_screen_reader_hears_an_alert_once_and_finds_no_old_one(table: AtTheTable, page: Page) -> None:
    table.lay(("4H", "turn-up", None))
    expect(page.locator("#polite")).to_contain_text("Bo: stand or beg?")
    page.evaluate(READ)
    missing = "Mark 2 (bottom right) is missing: uncover it."
    table.game.take(Lost(1.0, "camera", missing))
    expect(page.locator("#assertive")).to_have_text(missing)
    version = page.evaluate("document.body.dataset.version")
    page.evaluate("import('./connection.js').then(({ reconnect }) => reconnect())")
    page.wait_for_function("version => document.body.dataset.version >= version", arg=version)
    table.game.take(Back(2.0, "camera"))
    expect(page.locator("#assertive")).to_be_empty()
    table.game.take(Lost(3.0, "camera", missing))
    expect(page.locator("#prompts.alert")).to_be_visible()
    table.game.take(Back(4.0, "camera"))
    table.say(1, "beg")
    expect(page.locator("#polite")).to_contain_text("Ann: take one or change?")
    expect(page.locator("#assertive")).to_be_empty()
    assert page.evaluate("read") == [missing, "Bo: beg. Ann: take one or change?"]
