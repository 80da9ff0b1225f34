"""`/healthz` and `/metrics`: what they answer in every state of the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter

from cardtable.web.integrations import CameraCounts, Health, health_of
from cardtable.web.screens import State
from cardtable.web.server import Board
from engine.observations import Back, Hampered, Lost
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.boards import board_for
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.limits import full_disk
from tests.cardtable.web.states import ASLEEP, LOBBY, result_state

HEALTH = TypeAdapter(Health)


def health(state: dict[str, Any] | None, age: float = 0.1, journal: Path | None = None) -> Health:
    return HEALTH.validate_python(health_of(cast(State, state), age, journal))


def figures(board: Board) -> dict[str, float]:
    """The samples of `/metrics`, by name and labels."""
    text = httpx.get(f"{board.url}/metrics").text
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def camera_table() -> Iterator[AtTheTable]:
    table = AtTheTable()
    yield table
    table.board.close()


def test_every_screen_of_a_working_table_is_healthy(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    journal.touch()
    for state in (LOBBY, ASLEEP, result_state("fifteen", 2)):
        assert health(state, journal=journal)["ok"], state["screen"]
    assert [source["name"] for source in health(LOBBY)["sources"]] == ["camera"]


@pytest.mark.parametrize(
    ("change", "age"),
    [
        ({"trouble": "the disk is full"}, 0.1),
        ({"sources": [{"name": "above", "camera": True, "trouble": "Plug it in.", "works": False}]}, 0.1),
        ({}, 10.0),
    ],
)
def test_a_table_in_trouble_is_not_healthy(change: dict[str, Any], age: float) -> None:
    assert not health(result_state("fifteen", 2) | change, age)["ok"]


def test_a_table_that_shows_nothing_yet_is_not_healthy() -> None:
    assert health(None)["screen"] is None and not health(None)["ok"]


def test_a_camera_that_the_lobby_cannot_open_is_named() -> None:
    checks = [{"what": "picture", "state": "bad", "text": "There is no camera 0.", "advice": ""}]
    state = LOBBY | {"sources": [LOBBY["sources"][0] | {"state": "bad", "checks": checks}]}
    assert health(state)["sources"] == [{"name": "camera", "ok": False, "trouble": "There is no camera 0."}]


def test_a_journal_that_is_missing_is_trouble(tmp_path: Path) -> None:
    answer = health(LOBBY, journal=tmp_path / "journal.sqlite")
    assert not answer["ok"] and "was moved, deleted or truncated" in str(answer["journal"]["trouble"])


def test_a_lost_camera_changes_the_status_until_it_is_back(camera_table: AtTheTable) -> None:
    table, url = camera_table, f"{camera_table.board.url}/healthz"
    assert httpx.get(url).status_code == 200
    table.game.take(Lost(1.0, "camera", "Plug the camera in."))
    answer = httpx.get(url)
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/json")
    assert answer.json()["sources"] == [{"name": "camera", "ok": False, "trouble": "Plug the camera in."}]
    assert figures(table.board)["cardtable_source_up camera"] == 0
    table.game.take(Back(2.0, "camera"))
    assert httpx.get(url).status_code == 200
    assert figures(table.board)["cardtable_healthy"] == 1


def test_a_glare_is_said_and_is_no_reason_for_an_alarm(camera_table: AtTheTable) -> None:
    table, url = camera_table, f"{camera_table.board.url}/healthz"
    table.game.take(Hampered(1.0, "camera", "A lamp shines into the cards: turn it away."))
    answer = httpx.get(url)
    camera = {"name": "camera", "ok": True, "trouble": "A lamp shines into the cards: turn it away."}
    assert (answer.status_code, answer.json()["sources"]) == (200, [camera])
    assert figures(table.board)["cardtable_source_up camera"] == 1
    table.game.take(Lost(2.0, "camera", "Plug the camera in."))
    assert httpx.get(url).status_code == 503


@pytest.mark.parametrize(("what", "ok"), [("light", True), ("focus", True), ("mat", False)])
def test_bad_light_in_the_lobby_is_no_reason_for_an_alarm(what: str, ok: bool) -> None:
    light = {"what": "light", "state": "bad", "text": "It is too dark.", "advice": ""}
    checks = [light, {"what": what, "state": "bad", "text": "This is wrong.", "advice": ""}]
    answer = health(LOBBY | {"sources": [LOBBY["sources"][0] | {"state": "bad", "checks": checks}]})
    assert answer["ok"] == ok
    assert answer["sources"][0]["trouble"] == ("It is too dark." if ok else "This is wrong.")


def test_figures_of_cameras_come_from_those_that_are_open(camera_table: AtTheTable) -> None:
    board = camera_table.board
    assert not any(name.startswith("cardtable_frames") for name in figures(board))
    board.integrations.measures.cameras = lambda: [CameraCounts("above", 12, 3, 2)]
    found = figures(board)
    assert (found["cardtable_frames_total above"], found["cardtable_reads_total above"]) == (12, 3)
    assert found["cardtable_cards above"] == 2


def test_two_boards_count_apart() -> None:
    first, second = board_for("", None, port=0), board_for("", None, port=0)
    try:
        first.integrations.measures.actions.inc(3)
        assert (figures(first)["cardtable_actions_total"], figures(second)["cardtable_actions_total"]) == (3, 0)
    finally:
        first.close()
        second.close()


def test_an_evening_is_measured(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.board.integrations.journal = evening.journal.path
        evening.seat_players("Ann", "Bo", target=1)
        assert evening.send("wake") is not None
        evening.send("begin")
        evening.one_point()
        found = figures(evening.board)
        assert found["cardtable_actions_total"] == 3
        assert found["cardtable_messages_total refused"] == 1
        assert found["cardtable_messages_total accepted"] >= 7
        assert found["cardtable_pages"] == 1
        assert found["cardtable_observation_seconds_count"] >= 4
        assert found["cardtable_main_loop_age_seconds"] < 5
        assert found["cardtable_healthy"] == found["cardtable_journal_writable"] == 1
        with full_disk((tmp_path / "journal.sqlite-wal").stat().st_size):
            assert evening.send("other-game") is not None
        evening.send("other-game")
        assert httpx.get(f"{evening.board.url}/healthz").json()["screen"] == "lobby"
