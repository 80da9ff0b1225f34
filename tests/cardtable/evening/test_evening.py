"""An evening over the WebSocket: lobby, games of two kinds, rematch, other players, good night, a killed program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardtable.config.model import TableConfig
from cardtable.history.statistics import PAUSE_S, evenings, head_to_head, known_players
from cardtable.journal.games import open_games
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import Begin, TableIsRight
from cardtable.table.sources import NO_GAME
from cardtable.web.access import ASK_S, Access, Denied
from engine.games import HOUSE
from engine.games.fifteen import Fifteen
from engine.record import Header
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.limits import full_disk
from tests.cardtable.stored import read_games
from tests.cardtable.web.access.devices import AWAY, ask_for
from tests.waiting import tries


def test_an_evening_of_two_games(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        state = evening.shown()
        assert (state["screen"], state["ready"], state["why_not"]) == ("lobby", False, "Choose a game.")
        assert [game["game"] for game in state["games"]] == sorted(HOUSE)
        assert evening.send("begin") == "Choose a game."
        evening.seat_players("Ann", "Bo", target=1)
        assert evening.shown()["ready"]
        assert evening.send("begin") is None
        state = evening.shown()
        assert (state["screen"], state["title"]) == ("game", "All Fives")
        assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bo"]
        assert evening.send("good-night") == "A game is being played: finish it, or break it off, first."
        evening.one_point()
        result = evening.shown()["result"]
        assert result["headline"] == "The game is over: Bo won, 1–0."
        assert result["tally"]["players"][0] == {"name": "Bo", "played": 1, "won": 1, "shared": 0}
        assert result["decided"]["points"] == [{"seat": 1, "points": 1, "for": "beg"}]
        assert evening.send("again") is None  # the deal passes on to Bo, so Ann begs and wins
        assert [seat["dealer"] for seat in evening.shown()["seats"]] == [False, True]
        evening.one_point()
        assert [side["name"] for side in evening.shown()["result"]["sides"]] == ["Ann", "Bo"]
        assert evening.send("other-game") is None
        state = evening.shown()
        assert (state["screen"], state["focus"], state["players"]) == ("lobby", "game", ["Ann", "Bo"])
        assert evening.send("choose-game", game="fifteen") is None
        assert evening.send("begin") is None
        assert evening.shown()["title"] == "Fifteen"
        assert evening.send("break-off") is None
        state = evening.shown()
        assert state["screen"] == "lobby" and state["unfinished"] == []  # nothing had happened in it
        assert evening.send("good-night") is None
        assert evening.shown()["screen"] == "asleep"
        assert evening.send("choose-game", game="cribbage") == "The table is asleep: wake it first."
        assert evening.send("wake") is None
        state = evening.shown()
        assert (state["screen"], state["tally"]["games"], state["remembered"]) == ("lobby", 0, [])
    games = read_games(tmp_path / "journal.sqlite")
    assert [(game.header.game, game.over) for game in games] == [
        ("all-fives", True),
        ("all-fives", True),
        ("fifteen", False),
    ]


def pair(evening: TestEvening, *names: str) -> None:
    """Pair a phone with each of these players."""
    access = evening.board.access
    for name in names:
        access.pair(access.make_code(name, 0).code, AWAY, None, "")


def with_phones(evening: TestEvening) -> list[str | None]:
    return [phone.player for phone in evening.board.access.phones()]


def test_a_guest_stays_one_under_another_name_in_another_language_and_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with TestEvening(path) as evening:
        evening.seat_players("Ann", "Guest 1", target=1)
        evening.send("remove-player", name="Guest 1")
        evening.send("add-player", name=None)
        assert evening.shown()["players"] == ["Ann", "Guest 2"]  # somebody is called "Guest 1"
        evening.send("rename-player", name="Guest 2", to="Zoë")
    with TestEvening(path, TableConfig(language="fr")) as evening:
        evening.send("begin")
        assert evening.journal.games.read(evening.journal.number).header.guests == (1,)
    with TestEvening(path) as evening:
        evening.one_point()
        assert evening.shown()["result"]["tally"]["players"][0]["name"] == "Zoë"
        evening.send("other-players")
        evening.send("remove-player", name="Zoë")
        assert evening.shown()["remembered"] == ["Guest 1"]
        evening.send("add-player", name=None)
        evening.send("rename-player", name="Guest 2", to="Guest 1")  # somebody the table knows
        evening.send("begin")
        assert evening.journal.games.read(evening.journal.number).header.guests == ()
    with open_games(path) as games:
        assert known_players(games) == ["Ann"] and head_to_head(games) == []


def test_no_phone_stays_with_a_guest_who_goes(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", game="hearts")
        for _ in range(3):
            evening.send("add-player", name=None)
        pair(evening, "Ann", "Bo", "Guest 1", "Guest 2", "Guest 3")
        evening.send("remove-player", name="Guest 1")
        evening.send("rename-player", name="Guest 2", to="Zoë")
        assert with_phones(evening) == ["Ann", "Bo", "Zoë", "Guest 3"]
        evening.send("begin")
        for name in ("Bo", "Zoë"):
            assert evening.send("leave", name=name) is None
        assert with_phones(evening) == ["Ann", "Bo", "Guest 3"]
        evening.send("forget-player", name="Bo")
        assert with_phones(evening) == ["Ann", "Guest 3"]
        assert evening.send("good-night") is None
        assert with_phones(evening) == ["Ann"]


@pytest.mark.parametrize("played", [False, True])
def test_the_next_evening_begins_without_the_phones_of_guests(tmp_path: Path, played: bool) -> None:
    """Whether the power failed in the lobby or in a game."""
    path = tmp_path / "journal.sqlite"
    access = Access(now=lambda: evening.now)
    with TestEvening(path, access=access) as evening:
        evening.seat_players("Ann")
        evening.send("add-player", name=None)
        if played:
            evening.send("begin")
            evening.see(evening.scenes.again())
            evening.lay("4H", "turn-up")
        pair(evening, "Ann", "Guest 1")
    with TestEvening(path, access=access, now=evening.now + 600) as evening:
        assert with_phones(evening) == ["Ann", "Guest 1"]
    with TestEvening(path, access=access, now=evening.now + PAUSE_S + 1) as evening:
        assert with_phones(evening) == ["Ann"]
        pair(evening, "Guest 1")
        evening.send("break-off")
        evening.send("begin")
        assert with_phones(evening) == ["Ann", "Guest 1"]


def test_a_phone_that_asks_follows_its_player_until_it_is_too_late(tmp_path: Path) -> None:
    clock = [0.0]
    access = Access(clock=lambda: clock[0])

    def asked() -> list[str]:
        return [ask["player"] for ask in evening.shown()["asks"]]

    with TestEvening(tmp_path / "journal.sqlite", access=access) as evening:
        evening.seat_players("Ann", "Bo")
        pair(evening, "Ann", "Bo")
        secrets = [ask_for(access, name, device) for name, device in (("Ann", "a"), ("Bo", "b"))]
        evening.send("rename-player", name="Bo", to="Bob")
        assert asked() == ["Ann", "Bob"]
        evening.send("remove-player", name="Ann")
        assert asked() == ["Bob"]
        with pytest.raises(Denied):
            access.pair(secrets[0], AWAY, "a", "")
        access.answer(access.asks[0].id, True)
        access.pair(secrets[1], AWAY, "b", "")
        assert with_phones(evening) == ["Ann", "Bob", "Bob"]
        ask_for(access, "Bob", "c")
        assert asked() == ["Bob"]
        clock[0] += ASK_S
        evening.turn()
        assert asked() == []


def test_another_game_in_the_middle_goes_to_the_next_dealer_or_asks(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", "Cy")
        evening.send("set-dealer", seat=1)
        evening.send("begin")
        assert evening.send("change-game", game="its-15") is None
        assert evening.shown()["title"] == "It's 15"
        assert [seat["dealer"] for seat in evening.shown()["seats"]] == [False, False, True]
        evening.send("break-off")
        evening.send("choose-game", game="all-fives")
        evening.send("set-dealer", seat=None)
        evening.send("begin")
        assert evening.send("change-game", game="fifteen") == "Fifteen: 1 player too many."
        assert evening.shown()["title"] == "All Fives"
        assert evening.send("change-game", game="its-15") is None
        state = evening.shown()
        assert (state["screen"], state["game"], state["asks_dealer"]) == ("lobby", "its-15", True)


def test_the_page_gets_every_state_and_only_its_own_refusals(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening, evening.open_page() as other:
        assert evening.send("add-player", name="Ann") is None
        assert evening.state(lambda state: state["players"] == ["Ann"])["remembered"] == []
        assert evening.send("add-player", name="ANN") == "ANN is already at the table: choose another name."
        assert evening.send("remove-player", name="Ann") is None
        for _ in tries("Ann among the players remembered"):
            message = json.loads(other.recv(timeout=10))
            assert "refused" not in message
            if "Ann" in message["remembered"]:
                break


def test_a_misread_end_is_taken_back_at_the_result(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", target=1)
        evening.send("begin")
        evening.one_point()
        state = evening.shown()
        assert state["screen"] == "result"
        evening.page.send(json.dumps({"do": "undo", "n": state["n"]}))
        evening.turn(lambda: evening.host.evening.screen == "game")
        assert evening.shown()["screen"] == "game"
        evening.say(0, "take-one")
        evening.turn()
        assert (evening.shown()["screen"], evening.shown()["result"]["tally"]["games"]) == ("result", 1)


def test_a_player_leaves_and_another_joins_between_hands(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", "Cy")
        evening.send("begin")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
        assert evening.send("leave", name="Cy") == "Wait until this hand is over, or break the game off."
        evening.page.send(json.dumps({"do": "undo", "n": 1}))
        evening.turn(lambda: evening.playing.game.snapshot.n == 2)
        assert evening.send("leave", name="Di") == "Di does not sit at the table."
        assert evening.send("leave", name="Ann") is None
        state = evening.shown()
        assert [(seat["name"], seat["dealer"]) for seat in state["seats"]] == [("Bo", True), ("Cy", False)]
        assert evening.send("join", name="Di", seat=0) is None
        state = evening.shown()
        assert [(seat["name"], seat["dealer"]) for seat in state["seats"]] == [
            ("Di", False),
            ("Bo", True),
            ("Cy", False),
        ]
        evening.send("leave", name="Di")
        evening.send("leave", name="Bo")
        state = evening.shown()
        assert (state["screen"], state["players"], state["focus"]) == ("lobby", ["Cy"], "players")
        assert state["notice"] == "All Fives: 1 more player is needed."
        assert {entry["title"] for entry in state["unfinished"]} == {"All Fives"}


def test_after_kill_9_the_table_is_where_it_was(tmp_path: Path) -> None:
    """Nothing is closed but the files: each `with` begins a program on what is stored."""
    path = tmp_path / "journal.sqlite"
    with TestEvening(path) as evening:
        evening.seat_players("Ann", "Bo", target=1)
    with TestEvening(path) as evening:
        state = evening.shown()
        assert (state["game"], state["players"], state["dealer"]) == ("all-fives", ["Ann", "Bo"], 0)
        evening.send("begin")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
    with TestEvening(path) as evening:
        assert (evening.shown()["screen"], evening.shown()["trump"]) == ("game", "H")
        evening.say(1, "beg")
        evening.say(0, "take-one")
        evening.turn()
        assert evening.shown()["screen"] == "result"
    with TestEvening(path) as evening:
        state = evening.shown()
        assert (state["screen"], state["result"]["tally"]["games"]) == ("result", 1)
        assert evening.send("good-night") is None
    with TestEvening(path) as evening:
        assert (evening.shown()["screen"], evening.shown()["players"]) == ("lobby", ["Ann", "Bo"])


def test_an_unfinished_game_of_other_players_is_offered_and_continued(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with TestEvening(path) as evening:
        evening.seat_players("Ann", "Bo")
        evening.send("begin")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
        assert evening.send("break-off") is None
        evening.send("remove-player", name="Ann")
        evening.send("choose-game", game="cribbage")
        (offered,) = evening.shown()["unfinished"]
        assert (offered["players"], offered["actions"], offered["scores"]) == (["Ann", "Bo"], 1, [0, 0])
        assert evening.send("go-on", id=offered["id"] + 1) is not None
        assert evening.send("go-on", id=offered["id"]) is None
        state = evening.shown()
        assert (state["screen"], state["trump"], state["turn"]) == ("game", "H", 1)


def test_a_fault_in_the_rules_leads_to_the_lobby_and_sets_the_game_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> object:
        raise ZeroDivisionError("a fault in the rules")

    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", game="fifteen")
        evening.send("begin")
        evening.see(evening.scenes.again())
        with monkeypatch.context() as faulty:
            faulty.setattr(Fifteen, "view", fail)
            evening.lay("4H", "turn-up")
        evening.turn()
        state = evening.shown()
        assert state["screen"] == "lobby"
        assert state["notice"].startswith("Fifteen has stopped because of a fault (a fault in the rules).")
        assert evening.send("begin") is None
        assert (evening.shown()["screen"], evening.shown()["notice"]) == ("game", None)


def test_every_page_that_waits_gets_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the lobby, when a game begins, if a correction fails, and when the program ends."""

    def fail(*_: object) -> object:
        raise ZeroDivisionError("a fault")

    correction = TableIsRight(do="table-is-right")
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", game="fifteen")
        in_the_lobby = evening.loop.ask(correction)
        evening.turn()
        assert in_the_lobby.result(0) == {"refused": NO_GAME}
        begin, too_early = evening.loop.ask(Begin(do="begin")), evening.loop.ask(correction)
        evening.turn()
        assert (begin.result(0), too_early.result(0)) == (None, {"refused": NO_GAME})
        with monkeypatch.context() as faulty:
            faulty.setattr(LiveGame, "correct", fail)
            failed = evening.loop.ask(correction)
            evening.turn()
        refusal = failed.result(0)
        assert refusal is not None and refusal["refused"] == "That has failed because of a fault (a fault)."
        waiting = evening.loop.ask(correction)
    assert waiting.result(0) == {"refused": NO_GAME}
    assert evening.loop.ask(correction).result(0) == {"refused": NO_GAME}


def test_a_choice_that_cannot_be_stored_is_refused(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.send("add-player", name="Ann")
        with full_disk((tmp_path / "journal.sqlite-wal").stat().st_size):
            refusal = evening.send("add-player", name="Bo")
            assert refusal is not None and "full" in refusal
        assert evening.shown()["players"] == ["Ann"]
        assert evening.send("add-player", name="Bo") is None


def test_another_evening_begins_after_a_pause(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", target=1)
        evening.send("begin")
        evening.one_point()
        evening.now += PAUSE_S + 1
        evening.send("again")
        evening.one_point()
        assert evening.shown()["result"]["tally"]["games"] == 1


def test_the_evening_goes_on_if_its_clock_was_years_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:

        def one_game(word: str) -> int:
            evening.send(word)
            evening.one_point()
            games: int = evening.shown()["result"]["tally"]["games"]
            return games

        evening.seat_players("Ann", "Bo", target=1)
        evening.now = 1_800_000_000.0
        assert one_game("begin") == 1
        evening.now -= 315_000_000.0
        assert one_game("again") == 2, "on a clock that nothing has set"
        (tmp_path / "synchronized").touch()
        monkeypatch.setattr("cardtable.journal.journal._CLOCK_IS_SET", tmp_path / "synchronized")
        assert one_game("again") == 3
        started = [game.started for game in evening.journal.games.entries()]
        assert started == [1_800_000_000.0, 1_800_000_000.0, 1_485_000_000.0]
        evening.now += PAUSE_S + 1
        assert one_game("again") == 1


def test_a_good_night_separates_the_evenings_of_the_history(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with TestEvening(path) as evening:
        evening.seat_players("Ann", "Bo", target=1)
        for _ in range(2):
            evening.now += 60
            evening.send("begin")
            evening.one_point()
            evening.now += 60
            assert evening.send("good-night") is None
            evening.send("wake")
    with open_games(path) as games:
        assert [(each.games, each.began) for each in evenings(games)] == [(1, 1_000_180.0), (1, 1_000_060.0)]


def test_game_and_players_in_the_configuration_begin_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    config = TableConfig(game="all-fives", players=("Ann", "Bo"), dealer=0, options={"target": 1})
    with TestEvening(path, config) as evening:
        assert evening.shown()["screen"] == "game"
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
    with TestEvening(path, config) as evening:
        assert evening.shown()["trump"] == "H"
        evening.say(1, "beg")
        evening.say(0, "take-one")
        evening.turn()
        assert evening.shown()["screen"] == "result"
    with TestEvening(path, config) as evening:
        assert (evening.shown()["screen"], evening.shown()["n"]) == ("result", 3)
        assert evening.send("again") is None
    with TestEvening(path, config) as evening:  # a game with another dealer than the configured one
        assert [seat["dealer"] for seat in evening.shown()["seats"]] == [False, True]
        evening.one_point()
    with TestEvening(path, config, new=True) as evening:
        assert (evening.shown()["screen"], evening.shown()["n"]) == ("game", 0)
        evening.one_point()
    other = TableConfig(game="fifteen", players=("Ann", "Bo"), dealer=0)
    with TestEvening(path, other) as evening:  # table.toml names another game since
        assert (evening.shown()["screen"], evening.shown()["title"]) == ("game", "Fifteen")
    first = config.model_copy(update={"first_start": True})  # the first start asks its questions before
    for each in (TableConfig(players=("Ann", "Bo")), first):
        with TestEvening(tmp_path / "other.sqlite", each) as evening:
            assert (evening.shown()["screen"], evening.shown()["players"]) == ("lobby", ["Ann", "Bo"])


def test_a_game_goes_on_by_the_rules_of_the_program_that_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.sqlite"
    config = TableConfig(game="knock-out-whist", players=("Ann", "Bo"), dealer=0)
    with monkeypatch.context() as older:
        older.setattr(Header, "new", lambda *said: Header(*said))
        with TestEvening(path, config) as evening:
            evening.see(evening.scenes.again())
            evening.lay("4H", "turn-up")
    with TestEvening(path, config) as evening:
        assert evening.shown()["trump"] == "H"
        assert evening.journal.games.read(evening.journal.number).header.options == {}
    with TestEvening(path, config, new=True) as evening:
        assert evening.journal.games.read(evening.journal.number).header.options == {"dogs_life": True}


def test_the_lobby_speaks_the_language_of_the_table(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite", TableConfig(language="fr")) as evening:
        state = evening.shown()
        assert state["why_not"] == "Choisissez un jeu."
        assert state["games"][0]["options"][0]["label"] == "Partie en"
