"""An evening by buttons or an encoder alone."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from cardtable.evening.lobby import Lobby
from cardtable.evening.menu_pages import Situation, first_page
from cardtable.evening.menus import Menus
from cardtable.evening.states import SCREENS
from cardtable.languages import translator
from cardtable.table.messages import GoOn, RecordIsRight
from cardtable.table.snapshot import Snapshot
from cardtable.web.screens import Check, SourceCheck, UnfinishedGame
from engine.record import Header
from engine.table import Table
from hardware.buttons import Control
from hardware.displays import draw
from hardware.screen import Screen
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.evening.hands import Hands
from tests.cardtable.evening.menu_tree import every_page
from tests.cardtable.french import assert_french


@pytest.mark.sampled(1)
@pytest.mark.parametrize("hands", [False, True], ids=["button", "encoder"], indirect=True)
def test_an_evening_by_buttons_alone(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    people.choose("Game: none", encoder)
    people.choose("All Fives", encoder)
    people.choose("Players: none", encoder)
    people.choose("Add a guest", encoder)
    people.choose("Add a guest", encoder)
    people.choose("Seats", encoder)
    people.choose("Move Guest 1 one seat on", encoder)
    assert evening.shown()["players"] == ["Guest 2", "Guest 1"]
    people.choose("Move Guest 1 one seat on", encoder)
    people.choose("Back", encoder)
    people.choose("Back", encoder)
    people.choose("Who deals first: cut", encoder)
    people.choose("Guest 1", encoder)
    people.choose("Options", encoder)
    people.choose("Play to: 61", encoder)
    for _ in range(6):
        people.choose("-10", encoder)
    assert evening.shown()["menu"]["title"] == "Play to: 1"
    assert "-1" not in evening.shown()["menu"]["entries"]
    people.choose("Back", encoder)
    people.choose("Back", encoder)
    people.choose("Begin", encoder)
    assert [seat["name"] for seat in evening.shown()["seats"]] == ["Guest 1", "Guest 2"]
    evening.one_point()
    assert (evening.shown()["screen"], evening.shown()["menu"]) == ("result", None)
    people.choose("Again", encoder)
    assert evening.shown()["screen"] == "game"
    evening.one_point()
    people.choose("Other players", encoder)
    people.choose("Players: Guest 1, Guest 2", encoder)
    people.choose("Take Guest 2 away", encoder)
    assert evening.shown()["players"] == ["Guest 1"]
    people.choose("Back", encoder)
    people.choose("Good night", encoder)
    assert evening.shown()["screen"] == "asleep"
    people.press()
    assert (evening.shown()["screen"], evening.shown()["menu"]) == ("lobby", None)


def test_a_fault_in_a_menu_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise ZeroDivisionError("a fault in the menu")

    with TestEvening(tmp_path / "journal.sqlite") as evening:
        with monkeypatch.context() as faulty:
            faulty.setattr(Menus, "control", fail)
            evening.press(Control(0, "short"))
            evening.turn()
        assert evening.shown()["notice"] == "That has failed because of a fault (a fault in the menu)."
        evening.press(Control(0, "short"))
        evening.turn()
        assert evening.shown()["menu"]["title"] == "Lobby"


def test_a_name_is_spelled_by_buttons_alone(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    for label in ("Players: none", "New player", "Z", "o", "x", "Delete the last letter", "e", "space", "B"):
        people.choose(label, encoder)
    assert evening.shown()["menu"]["title"] == "New player: Zoe B…"
    people.choose("Add Zoe B", encoder)
    assert (evening.shown()["players"], evening.shown()["menu"]["title"]) == (["Zoe B"], "Players")


def test_players_come_and_go_between_hands_by_buttons_alone(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Cy", "Ann", "Bo")
    evening.send("remove-player", name="Cy")
    evening.send("set-dealer", seat=0)
    evening.send("begin")
    for label, seated in (("Add Cy", ["Ann", "Bo", "Cy"]), ("Take Ann away", ["Bo", "Cy"])):
        people.press(1.0)
        people.choose("Who plays", encoder)
        people.choose(label, encoder)
        assert [seat["name"] for seat in evening.shown()["seats"]] == seated
    evening.see(evening.scenes.again())
    evening.lay("4H", "turn-up")
    assert evening.shown()["phase"] == "say"
    people.press(1.0)
    assert evening.shown()["menu"] is None or "Who plays" not in evening.shown()["menu"]["entries"]


def test_every_remembered_player_can_be_chosen() -> None:
    names = [f"Guest {number}" for number in range(30)]
    labels = {entry.label for page in every_page(Situation("lobby", Lobby(), names)) for entry in page.entries}
    assert labels >= {f"Add {name}" for name in names}


def test_every_unfinished_game_can_be_continued() -> None:
    games = [cast(UnfinishedGame, {"id": number, "title": "Fifteen", "players": [f"P{number}"]}) for number in range(9)]
    pages = every_page(Situation("lobby", Lobby(), unfinished=games))
    messages = [entry.message for page in pages for entry in page.entries]
    assert {message.id for message in messages if isinstance(message, GoOn)} == set(range(9))


def _sight(*sources: SourceCheck) -> list[str]:
    page = next(page for page in every_page(Situation("lobby", Lobby(), look=lambda: sources)) if page.live)
    return [entry.label for entry in page.entries]


def test_what_the_table_sees_is_a_page_of_the_menu(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    people.choose("Everything in sight?", encoder)
    nothing = "No camera and no readers: what is played is entered on the page."
    assert people.evening.shown()["menu"]["entries"] == [nothing, "Back"]
    people.choose(nothing, encoder)
    assert people.evening.shown()["menu"]["title"] == "Everything in sight?"
    cards: Check = {"what": "cards", "state": "good", "text": "it reads Q♠", "advice": ""}
    marks: Check = {"what": "mat", "state": "bad", "text": "corner marks are missing: 2", "advice": "lay the mat flat"}
    good: Check = {"what": "mat", "state": "good", "text": "it sees the four corner marks", "advice": ""}
    camera: SourceCheck = {"name": "above", "kind": "camera", "state": "good", "checks": [good, cards], "picture": None}
    assert _sight(camera) == ["Everything is in sight.", "above: it reads Q♠", "Back"]
    wrong: SourceCheck = {**camera, "state": "bad", "checks": [marks, cards]}
    assert _sight(wrong) == [
        *("above: corner marks are missing: 2: lay the mat flat", "above: it reads Q♠", "Back"),
    ]


def test_putting_cards_back_is_ended_by_its_own_name() -> None:
    view = Table(Header("all-fives", ("Ann", "Bo"), 0)).view()
    for restoring, label in ((None, "The record is right"), (2, "Do not put cards back")):
        shown = Snapshot(0, 0.0, view, (), (), (), (), restoring=restoring)
        messages = {entry.label: entry.message for entry in first_page(Situation("game", Lobby(), game=shown)).entries}
        assert messages[label] == RecordIsRight(do="record-is-right", on=restoring is None)


def test_a_game_is_broken_off_by_a_long_press(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Ann", "Bo", game="cribbage")
    evening.send("begin")
    people.press(1.0)
    assert evening.shown()["menu"]["entries"] == [
        *("Play on", "Correct a card", "The table is right", "The record is right", "Who plays", "Break the game off"),
    ]
    people.choose("Play on", encoder)
    assert (evening.shown()["screen"], evening.shown()["menu"]) == ("game", None)
    people.press(1.0)
    people.choose("The table is right", encoder)
    assert "No camera or reader" in evening.shown()["notice"] or "agree" in evening.shown()["notice"]
    people.choose("Play on", encoder)
    people.press(1.0)
    people.choose("Break the game off", encoder)
    menu = evening.shown()["menu"]
    assert (menu["title"], menu["entries"][menu["chosen"]]) == ("Break this game off? It stays stored.", "Play on")
    people.choose("Break the game off", encoder)
    assert evening.shown()["screen"] == "lobby"


@pytest.mark.parametrize("hands", [False, True], ids=["button", "encoder"], indirect=True)
def test_buttons_say_words_again_after_a_menu(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Ann", "Bo")
    evening.send("begin")
    people.press(1.0)
    people.choose("Play on", encoder)
    evening.see(evening.scenes.again())
    evening.lay("4H", "turn-up")
    people.press()
    assert evening.shown()["history"][0]["text"] == "Bo: “stand”"


def test_the_last_action_is_taken_back_by_buttons(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Ann", "Bo", target=1)
    evening.send("begin")
    evening.one_point()
    assert evening.shown()["screen"] == "result"
    people.choose("Take back the last action", encoder)
    assert (evening.shown()["screen"], evening.shown()["phase"]) == ("game", "say")
    assert evening.shown()["history"][1]["text"] == "Bo: “beg”"
    assert evening.shown()["history"][0]["by"] == "seat 1"


def test_every_menu_is_translated() -> None:
    french = translator("fr")
    view = Table(Header("all-fives", ("Ann", "Bo"), 0)).view()
    shown = Snapshot(0, 0.0, view, (), (), (), (), between_hands=True)
    for screen in SCREENS:
        for page in every_page(Situation(screen, Lobby("all-fives", ("Ann",)), ["Bo"], game=shown)):
            if page.title not in ("Ann", "Bo"):
                assert_french(page.title)
            assert page.entries
    menus = Menus(lambda: Situation("result", Lobby()))
    menus.control(Control(0, "short"))
    menu = menus.shown(french)
    assert menu is not None and menu["entries"][0] == "La même"


@pytest.mark.parametrize("height", [16, 32, 64, 240])
def test_the_chosen_entry_is_always_on_the_display(height: int) -> None:
    """The picture changes with each step through the menu."""
    entries = tuple(f"Entry {number}" for number in range(9))
    pictures = {
        draw(Screen((), "", "Menu", entries=entries, chosen=chosen), (128, height), "1").tobytes()
        for chosen in range(len(entries))
    }
    assert len(pictures) == len(entries)
