"""A device is offered only what it may do: the words of its own seat, and no button that would be refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser

from cardtable.config.model import AccessConfig
from cardtable.table.live_game import LiveGame
from cardtable.web.server import Board
from engine.record import Header
from engine.table import Table
from tests.cardtable.web.access.phones import Device
from tests.cardtable.web.chromium import CHROMIUM
from tests.cardtable.web.every_screen import every_screen, showing
from tests.engine.talk import action
from tests.waiting import tries

PRESS_ALL: Final = """async () => {
    const pressed = new Set();
    const name = (button) => `${button.id} ${button.getAttribute("aria-label") ?? button.textContent}`;
    const usable = (button) => button.checkVisibility() && !button.disabled && !button.closest("#phones-sheet");
    for (let level = 0; level < 3; level++) {
        for (const button of document.querySelectorAll("button, [role=button], [role=radio]")) {
            if (!usable(button) || pressed.has(name(button))) continue;
            pressed.add(name(button));
            button.click();
            await new Promise(requestAnimationFrame);
        }
    }
    return [...pressed];
}"""


def test_the_words_in_a_state_are_those_that_the_device_may_say(board: Board, table: Table, phone: Device) -> None:
    def words(state: dict[str, object]) -> list[list[str]]:
        seats = state["seats"]
        assert isinstance(seats, list)
        return [[word["word"] for word in seat["words"]] for seat in seats]

    here = words(httpx.get(f"{board.url}/state.json").json())
    assert {"beg", "stand"} <= set(here[1])
    assert words(phone.state()) == [[], []]
    phone.pair(1)
    assert words(phone.state()) == [[], here[1]]


@pytest.mark.parametrize(("accuse", "offered"), [(["board"], ["revoke"]), ([], [])])
def test_accusations_have_a_right_of_their_own(
    board: Board, monkeypatch: pytest.MonkeyPatch, accuse: list[str], offered: list[str]
) -> None:
    monkeypatch.setattr(board.access.permissions, "_config", AccessConfig.model_validate({"accuse": accuse}))
    past = [action(each) for each in ("turn 4H", "1 say stand", "1 play 10S", "0 play 2C")]
    LiveGame(Table(Header("all-fives", ("Ann", "Bo"), 0)), None, [board], past)
    seats = httpx.get(f"{board.url}/state.json").json()["seats"]
    assert [word["word"] for word in seats[1]["words"]] == offered


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_a_spectator_finds_no_button_that_asks_the_table_for_anything(browser: Browser) -> None:
    """The screens with the most buttons: the others have some of these."""
    names = ("all-fives", "result", "lobby-full")
    screens = [screen for screen in every_screen() if screen.name in names]
    assert len(screens) == len(names)
    asked: list[str | bytes] = []
    with showing(browser) as shown:
        shown.page.on("websocket", lambda socket: socket.on("framesent", lambda sent: asked.append(sent)))
        shown.page.reload()
        for screen in screens:
            shown.show(replace(screen, watches=True))
            pressed = shown.page.evaluate(PRESS_ALL)
            assert pressed
            assert asked == [], screen.name
        shown.show(screens[0])
        shown.page.evaluate(PRESS_ALL)
        for _ in tries("what the same buttons send on the board"):
            shown.page.evaluate("0")  # what the page has sent is reported meanwhile
            if asked:
                break
