"""Every screen and sheet of the board's page, each with the state and the taps that show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from playwright.sync_api import Browser, Page

from cardtable.config.model import AccessConfig
from cardtable.history.pages import Answers, history_routes
from cardtable.languages import Language, translator
from cardtable.paper.drawings import qr_pattern
from cardtable.web.screens import GameScreen
from cardtable.web.server import Board
from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.rules.wording import describe
from engine.texts import text
from tests.cardtable.boards import board_for
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.web.chromium import open_page
from tests.cardtable.web.states import (
    ASLEEP,
    LONGEST,
    MENU,
    NAMES,
    in_words,
    lobby,
    result_state,
    states_of_a_game,
)

SINCE: Final = 1_763_800_000.0
CAMERA: Final = Path(__file__).parents[3] / "docs" / "pictures" / "table.jpg"
NOTHING: Final = AccessConfig(say=(), accuse=(), undo=(), correct=(), host=())
State = dict[str, Any]
Taps = Callable[[Page], None]


@dataclass(frozen=True)
class Screen:
    """What is shown after `taps` on a page that has got `state`. `shows`: a selector of what must be visible then.

    `watches`: the page may do nothing, as that of a spectator. `path`: the page, if it is not the board.
    """

    name: str
    state: State
    shows: str
    taps: Taps = lambda page: None
    watches: bool = False
    path: str = ""


def _tap(*names: str) -> Taps:
    def taps(page: Page) -> None:
        for name in names:
            page.get_by_role("button", name=in_language_of(page, name)).first.click()

    return taps


def _bid(page: Page) -> None:
    page.get_by_role("button", name=f"{in_language_of(page, 'bid')}…").first.click()


def in_language_of(page: Page, template: str) -> str:
    """Return the text in the language of the page."""
    return translator(page.locator("html").get_attribute("lang") or "en")(template)


def _in_the_history(*names: str) -> Taps:
    """Open the history, then tap these buttons in it."""

    def taps(page: Page) -> None:
        _tap("History")(page)
        page.locator("#past .list").wait_for()
        page.locator("#past-note:empty").wait_for(state="attached")  # all highlights are found
        for name in names:
            page.locator('#past-body[aria-busy="false"]').wait_for()
            page.locator("#past").get_by_role("button", name=in_language_of(page, name)).first.click()

    return taps


def _code(page: Page) -> None:
    """Show a code, always the same one."""
    url = "http://192.168.1.23:8015/phone"
    qr = qr_pattern(f"{url}#K7QX4M").astype(int).tolist()
    answer = {"player": "Ann", "code": "K7QX4M", "seconds": 180, "url": url, "qr": qr}
    page.route("**/phone/code", lambda route: route.fulfill(json=answer))
    page.evaluate("import('./sheets.js').then((sheets) => sheets.newCode())")
    _tap("Menu", "Your phone")(page)
    page.locator("#phones .qr").wait_for()
    page.unroute("**/phone/code")


class States:
    """The states of random games in a language."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def of_phase(self, game: str, players: int, phase: str) -> State:
        return next(state for state in self.of(game, players) if state["phase"] == phase)

    def usual(self, game: str) -> State:
        """Return a state of the game for the most players: of the play, if it has a phase of this name."""
        states = self.of(game, load_game(game).seats[-1])
        return next((state for state in states if state["phase"] == "play"), states[0])

    def counts(self, game: str, players: int) -> State:
        return max(self.of(game, players), key=lambda state: len(state["counts"]))

    def bridge(self, shows: Callable[[State], float]) -> State:
        """Return the state of a random game of bridge that shows the most of something."""
        return max(states_of_a_game("bridge", 4, seed=2, most=LONGEST, language=self._language), key=shows)

    def of(self, game: str, players: int) -> list[State]:
        return states_of_a_game(game, players, language=self._language)


def _bids(state: State) -> float:
    """Count the bids that can be made after other calls."""
    return sum(bool(word["group"]) for seat in state["seats"] for word in seat["words"]) * bool(state["auction"])


def _open(state: State) -> float:
    """Count the cards of the dummy that lie open, and those of the trick."""
    return sum(card["zone"] == "show" for card in state["lying"]) * (state["phase"] == "play")


WORKING_CAMERA: Final = {"name": "camera", "camera": True, "trouble": None, "works": True}


def _lost(state: State) -> State:
    missing = text("Corner {mark} is missing: uncover it, or point the camera at it.", mark=2)
    sources = [WORKING_CAMERA | {"trouble": missing, "works": False}]
    wrong = {"kind": "source", "seat": None, "text": missing, "urgent": True}
    return state | {"sources": sources, "prompts": [wrong, *state["prompts"]]}


def _asking(state: State) -> State:
    """Return the state with a card that must be taken back."""
    asked = text("{name}: pick up {card}", name="Bartholomew", card="Q♠")
    return state | {"prompts": [{"kind": "take-back", "seat": 1, "text": asked, "urgent": True}, *state["prompts"]]}


def _checking(state: State) -> State:
    """Return the result with a request to check what ended the game."""
    not_seen = text("Not seen: {what}. If that is wrong, undo.", what=describe(Action.parse("1 play 7D"), NAMES))
    check = {"kind": "check", "seat": None, "text": not_seen, "urgent": False}
    return state | {
        "prompts": [check, *state["prompts"]],
        "result": state["result"] | {"notes": [not_seen, *state["result"]["notes"]]},
    }


@cache
def every_screen(language: Language = "en") -> list[Screen]:
    """Return the screens in the order of an evening, then one of each other game; each name once."""
    states, full = States(language), lobby(language)
    ready = full | {"players": ["Ann", "Bo"], "ready": True, "why_not": None}
    play = states.of_phase("all-fives", 3, "play")
    accusing = next(
        state
        for state in states.of("all-fives", 3)
        if any("against" in word["needs"] for seat in state["seats"] for word in seat["words"])
    )
    word = next(word for seat in accusing["seats"] for word in seat["words"] if "against" in word["needs"])
    screens = [
        Screen("lobby", ready, "#lobby"),
        Screen("lobby-full", full, "#lobby"),
        Screen("lobby-menu", ready | {"menu": MENU}, "#menu"),
        Screen(
            "lobby-options",
            full,
            "#options-sheet[open]",
            lambda page: page.locator("#lobby [aria-keyshortcuts=O]").click(),
        ),
        Screen("lobby-checks", full, "#checks-sheet[open]", lambda page: page.locator("#checks .light").click()),
        Screen("lobby-add-player", ready, "#player-sheet[open]", _tap("Add a player")),
        Screen("lobby-player", ready, "#ask[open]", lambda page: page.locator(".chip", has_text="Ann").click()),
        Screen("lobby-go-on", ready, "#ask[open]", _tap("Go on…")),
        Screen(
            "lobby-notice",
            ready | {"notice": text("it stopped because of a fault: {why}", why="ValueError")},
            "#notice",
        ),
        Screen("all-fives", play, "#table"),
        Screen("cribbage", states.of_phase("cribbage", 2, "play"), "#pegs"),
        Screen("its-15", states.of_phase("its-15", 6, "bid"), "#table"),
        Screen("hearts", states.of_phase("hearts", 4, "play"), "#table"),
        Screen("oh-hell", states.of_phase("oh-hell", 7, "bid"), "#table"),
        Screen("take-back-card", _asking(states.of_phase("oh-hell", 7, "bid")), "#prompts.alert"),
        Screen("german-whist", states.of_phase("german-whist", 2, "turn"), "#table"),
        Screen("bridge-bid", states.bridge(_bids), "#ask[open] .grid", _bid),
        Screen("bridge", states.bridge(_open), ".dummy"),
        Screen("skat-bid", states.of_phase("skat", 4, "bid"), "#table"),
        Screen("cribbage-show", states.counts("cribbage", 4), "#counting"),
        Screen("hearts-count", states.counts("hearts", 4), "#counting"),
        Screen("spectator", play, "#table", watches=True),
        Screen("spectator-lobby", full, "#lobby", watches=True),
        Screen("camera-lost", _lost(play), "#prompts.alert"),
        Screen(
            "not-stored",
            play | {"trouble": text("the disk is full: make room, the game goes on by itself")},
            "#prompts.alert",
        ),
        Screen("camera", play | {"sources": [WORKING_CAMERA]}, "#camera", _tap("Menu", "Camera")),
        Screen("menu", play | {"between_hands": True}, "#menu-sheet[open]", _tap("Menu")),
        Screen("rules", states.of_phase("hearts", 4, "play"), "#rules[open]", _tap("Menu", "Rules")),
        Screen("what-happened", play | {"between_hands": True}, "#history-sheet[open]", _tap("Menu", "What happened")),
        Screen("break-off", play, "#ask[open]", _tap("Menu", "Break off")),
        Screen(
            "join",
            play | {"between_hands": True, "remembered": ["Flo", "Gus"]},
            "#player-sheet[open]",
            _tap("Menu", "Add a player"),
        ),
        Screen("word", accusing, "#ask[open]", _tap("Menu", word.get("label") or word["word"].replace("-", " "))),
        Screen("settings", play, "#settings-sheet[open]", _tap("Menu", "Settings")),
        Screen("keys", play, "#keys-sheet[open]", lambda page: page.keyboard.press("?")),
        Screen("phones-not-let-in", play, "#phones-sheet[open] .main", _tap("Menu", "Your phone")),
        Screen("phone-code", play, "#phones .qr", _code),
        Screen("director", play, "#phones .digits", _tap("Menu", "Your phone", "Director…")),
        Screen("take-back", play, "#undo.sure", lambda page: page.locator("#undo").click()),
        Screen("result", result_state("cribbage", 2, language), "#result"),
        Screen("result-six", result_state("its-15", 6, language), "#result"),
        Screen("result-check", _checking(result_state("cribbage", 2, language)), "#result .notes"),
        Screen("asleep", ASLEEP, "#asleep"),
        Screen("history", ready, "#past .tally", _in_the_history()),
        Screen("history-evening", ready, "#past .story", _in_the_history("Cribbage")),
        Screen("history-player", ready, "#past .held", _in_the_history("Players")),
        Screen("history-records", ready, "#past .held", _in_the_history("Records")),
        Screen("history-versus", ready, "#past .met", _in_the_history("Head to head")),
        Screen("replay", ready, "#seats .seat", _in_the_history("Cribbage", "Replay")),
    ]
    shown = {screen.state.get("game") for screen in screens if screen.state["screen"] == "game"}
    screens += [Screen(game, states.usual(game), "#table") for game in HOUSE if game not in shown]
    return [replace(screen, state=in_words(screen.state, language)) for screen in screens]


@cache
def large_screens(language: Language = "en") -> list[Screen]:
    """Return the wall, the page for streamers, and each style of the overlay."""
    states = States(language)
    play, bridge = (in_words(state, language) for state in (states.of_phase("hearts", 4, "play"), states.bridge(_open)))
    return [
        Screen("wall", play, "#table", path="wall"),
        Screen("wall-lobby", lobby(language), "#asleep", path="wall"),
        Screen("wall-result", result_state("cribbage", 2, language), "#result", path="wall"),
        Screen("overlay-planks", play, ".seat", path="overlay"),
        Screen("overlay-column", play, ".seat", path="overlay?style=column"),
        Screen("overlay-strip", play, ".seat", path="overlay?style=strip"),
        Screen("overlay-bridge", bridge, ".seat", path="overlay"),
    ]


class Showing:
    """A page that shows one screen after the other."""

    def __init__(self, board: Board, page: Page) -> None:
        self._board = board
        self.page = page
        self.url = board.url
        self._path = ""

    def show(self, screen: Screen) -> None:
        """Show the screen; wait until everything is drawn."""
        page = self.page
        if screen.path != self._path:
            page.goto(f"{self.url}/{screen.path}")
            self._path = screen.path
        page.evaluate("for (const open of document.querySelectorAll('dialog[open]')) open.close()")
        page.evaluate("document.getElementById('camera-close')?.click()")
        page.evaluate("document.getElementById('replay-close')?.click()")
        self._board.access.permissions._config = NOTHING if screen.watches else AccessConfig()
        state = screen.state
        self._board.announce(state["notice"], state["menu"], state.get("remembered", ()), state["calm"])
        calm = {"moments": []} if "moments" in state else {}  # which would cover it
        self._board.show_screen(cast(GameScreen, json.loads(json.dumps(state | calm))))
        page.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=self._board._version)
        screen.taps(page)
        page.wait_for_selector(screen.shows, state="visible")


@contextmanager
def showing(browser: Browser, language: Language = "en", **options: Any) -> Iterator[Showing]:
    """Open a page whose screens the test chooses; `options`: those of the browser's page."""
    translate = translator(language)
    with TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.sqlite"
        store(journal, some_games(1), since=SINCE)
        answers = Answers(journal, translate, lambda: None)
        picture = CAMERA.read_bytes()
        more = history_routes(answers, translate)
        board = board_for("", lambda message, sender: None, lambda name: picture, port=0, more=more, language=language)
        try:
            with open_page(browser, board.url, **{"timezone_id": "UTC"} | options) as page:
                page.set_default_timeout(30_000)
                yield Showing(board, page)
        finally:
            board.close()
