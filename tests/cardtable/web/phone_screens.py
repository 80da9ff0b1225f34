"""Every screen and sheet of the page of phones: unpaired, a seat's, the director's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, cast

from playwright.sync_api import Browser, Page

from cardtable.languages import Language
from cardtable.web.screens import GameScreen
from cardtable.web.server import Board
from engine.texts import text
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import open_page
from tests.cardtable.web.states import ASLEEP, LOBBY, in_words, lobby, result_state, states_of_a_game

State = dict[str, Any]
Who = Literal["unpaired", "director", "seat", "directing seat"]
HAND: Final = ("AS", "KD", "10H", "9C", "8S", "7D")
ENTER_PIN: Final = """() => fetch("director", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pin: "1234" }),
}).then((answer) => answer.ok)"""


@dataclass(frozen=True)
class PhoneScreen:
    """What the phone of `who` shows after `taps`, with a hand or without. `shows`: what must be visible then."""

    name: str
    who: Who
    state: State
    shows: str
    hand: tuple[str, ...] = ()
    taps: Callable[[Page], None] = lambda page: None


def _tap(what: str) -> Callable[[Page], None]:
    return lambda page: page.click(what)


@cache
def phone_screens(language: Language = "en") -> list[PhoneScreen]:
    """Return the screens in the order in which one phone can show them; each name once."""
    states = states_of_a_game("all-fives", 2, language=language)
    say = next(state for state in states if state["turn"] is not None and state["seats"][state["turn"]]["words"])
    turn = say if say["turn"] == 0 else say | {"turn": 0, "seats": say["seats"][::-1]}
    play = next(state for state in states if state["phase"] == "play" and state["lying"])
    waits = play | {"turn": 1}
    names = [seat["name"] for seat in play["seats"]]
    full, asleep = lobby(language), in_words(ASLEEP, language)
    two = full | {"players": ["Ann", "Bo"]}
    asked = in_words(text("{name}: pick up {card}", name="Ann", card="7♦"), language)
    wrong = {"kind": "take-back", "seat": 0, "text": asked, "urgent": True, "spoken": asked}
    lost = play | {"turn": 0, "prompts": [wrong, *play["prompts"]]}
    skat = next(state for state in states_of_a_game("skat", 3, language=language) if state["phase"] == "play")
    named = [seat | {"name": name} for seat, name in zip(turn["seats"], names, strict=True)]
    return [
        PhoneScreen("phone-unpaired", "unpaired", two, "#pairing"),
        PhoneScreen("phone-director", "director", two, "#pairing"),
        PhoneScreen("phone-away", "seat", full | {"players": ["Bo", "Cy"]}, "#pairing"),
        PhoneScreen("phone-lobby", "seat", two, "#playing"),
        PhoneScreen("phone-turn", "seat", turn | {"seats": named}, "#playing", HAND),
        PhoneScreen("phone-waiting", "seat", waits, "#playing"),
        PhoneScreen("phone-many-words", "seat", skat, "#playing", (*HAND, "AH", "KH", "QH", "JS")),
        PhoneScreen("phone-alert", "seat", lost, "#tell .alert", HAND),
        PhoneScreen("phone-settings", "seat", waits, "#settings-sheet[open]", taps=_tap("#settings-button")),
        PhoneScreen("phone-rules", "seat", waits, "#rules[open]", taps=_tap("#rules-button")),
        PhoneScreen("phone-result", "seat", result_state("all-fives", 2, language), "#playing"),
        PhoneScreen("phone-asleep", "seat", asleep, "#playing"),
        PhoneScreen("phone-misread", "directing seat", play, "#ask[open]", taps=_tap("#misread")),
    ]


class PhoneShowing:
    """A phone that shows one screen after the other."""

    def __init__(self, board: Board, page: Page) -> None:
        self._board = board
        self._who: Who = "unpaired"
        self.page = page

    def show(self, screen: PhoneScreen) -> None:
        """Show the screen; wait until everything is drawn."""
        page = self.page
        if screen.who != self._who:
            self._become(screen.who)
        page.evaluate("for (const open of document.querySelectorAll('dialog[open]')) open.close()")
        self._board._show(cast(GameScreen, json.loads(json.dumps(screen.state))), (screen.hand,))
        page.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=self._board._version)
        screen.taps(page)
        page.wait_for_selector(screen.shows, state="visible")

    def _become(self, who: Who) -> None:
        if who in ("director", "directing seat"):
            assert self.page.evaluate(ENTER_PIN)
            self.page.reload()
        else:
            self.page.context.clear_cookies()
            code = self._board.access.make_code("Ann", 0).code
            self.page.goto("about:blank")
            self.page.goto(f"{self._board.url}/phone#{code}")
            self.page.wait_for_function("() => !location.hash")
        self._who = who


@contextmanager
def showing_phone(browser: Browser, language: Language = "en", **options: Any) -> Iterator[PhoneShowing]:
    """Open the page of phones, whose screens the test chooses; `options`: those of the browser's page."""
    with closing(board_for("", lambda message, sender: None, port=0, language=language)) as board:
        board.access.set_pin("1234")
        board._show(cast(GameScreen, json.loads(json.dumps(LOBBY))), ())
        with open_page(browser, f"{board.url}/phone", **{"timezone_id": "UTC"} | options) as page:
            page.set_default_timeout(30_000)
            yield PhoneShowing(board, page)
