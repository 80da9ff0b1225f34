"""The result of a game: what the board shows when it is over."""

from __future__ import annotations

import pytest

from cardtable.evening.results import rematch, result_of, ways_on
from cardtable.languages import translator
from cardtable.table.live_game import LiveGame
from cardtable.table.snapshot import Snapshot
from engine.cards import parse_card
from engine.observations import Back, Lost, Scene, Sighting, UndoAsked, Zone
from engine.record import Header
from engine.table import Table
from tests.cardtable.shown import Shown

HEADER = Header("cribbage", ("Ann", "Bo"), 0, {"target": 2})
CARDS = (("AC", Zone("turn-up")), ("KS", Zone("play", 1)), ("5H", Zone("play", 0)))


def scene(time: float, count: int) -> Scene:
    return Scene(time, "camera", tuple(Sighting(face, parse_card(face), zone, time) for face, zone in CARDS[:count]))


def test_the_result_asks_to_check_what_ended_the_game_unseen() -> None:
    shown: list[Snapshot] = []
    live = LiveGame(Table(HEADER), None, [Shown(shown.append)])
    for time in (0.0, 1.0, 2.0):
        live.take(scene(time, int(time)))
    live.take(Lost(3.0, "camera", "The camera is unplugged."))
    live.take(Back(4.0, "camera"))
    live.take(scene(5.0, 3))
    result = result_of(shown[-1], HEADER, 1, 60.0, {"games": 0, "players": []}, translator("en"))
    assert result["headline"] == "The game is over: Ann won, 2–0."
    assert [note.split(".")[0] for note in result["notes"]] == ["Not seen: Ann plays 5♥"]
    live.take(UndoAsked(6.0, "page"))
    assert not live.table.over


@pytest.mark.parametrize(("game", "does"), [("cribbage", "deals first"), ("its-15", "starts")])
def test_the_rematch_says_what_the_first_player_does(game: str, does: str) -> None:
    header = Header(game, ("Ann", "Bo"), 0, {"target": 2} if game == "cribbage" else {})
    again = rematch(Table(header))
    assert again.dealer is not None
    [way, *_] = ways_on(Table(header), translator("en"))
    assert f"{again.players[again.dealer]} {does}." in way["about"]
    french = ways_on(Table(header), translator("fr"))[0]["about"]
    assert french.endswith("donne en premier." if game == "cribbage" else "commence.")
