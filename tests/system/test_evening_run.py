"""A whole evening of the real program: a camera on the network sees the cards, a page says everything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from tests.cardtable.stored import read_games
from tests.system.test_run import LOOKED, Camera, running, wait_for
from tests.waiting import tries
from vision.frames import Image

State = dict[str, Any]
CONFIG = 'marks = ["aruco"]\nsource = "{}"\n[board]\nport = 0\n'
EMPTY, TURNED = 0, 1
"""What the camera shows: the mat, and the four of hearts in the turn-up zone."""


@pytest.fixture
def camera(images: list[Image]) -> Iterator[Camera]:
    camera = Camera(images)
    yield camera
    camera.close()


class OpenPage:
    """A page that is open all the time. Refusals fail the test."""

    def __init__(self, live: ClientConnection, url: str) -> None:
        self._socket = live
        self.state: State = {}
        self.url = url

    def wait_for_bare_mat(self) -> None:
        """Wait until the camera has looked at the table and sees no card there."""
        wait_for(self.url, lambda camera: camera.get("frames_total", 0) >= LOOKED and camera.get("cards") == 0)

    def until(self, wanted: Callable[[State], bool]) -> State:
        self.state = {}
        for _ in tries(lambda: f"a state of the table; it shows {self.state.get('prompts')}, {self.state}"):
            with suppress(TimeoutError):
                self.state = json.loads(self._socket.recv(timeout=10))
            assert "refused" not in self.state, self.state
            if self.state and wanted(self.state):
                return self.state

    def send(self, do: str, wanted: Callable[[State], bool], **keys: object) -> State:
        """Send a message; return the first state for which `wanted` is true."""
        self._socket.send(json.dumps({"do": do, **keys}))
        return self.until(wanted)


@contextmanager
def table(folder: Path, source: str) -> Iterator[tuple[OpenPage, Callable[[], None]]]:
    """The program, with an open page; the function kills it with SIGKILL."""
    with (
        running(folder, source, CONFIG) as program,
        connect(program.url.replace("http", "ws") + "/live", proxy=None, max_queue=None) as live,
    ):

        def kill() -> None:
            program.process.kill()
            program.process.wait()

        yield OpenPage(live, program.url), kill


def paired(url: str, seat: int) -> str:
    """Make a phone that of the player at `seat`; return what its cookie holds."""
    with httpx.Client(base_url=url) as phone:
        code = phone.post("/phone/code", json={"seat": seat}).json()["code"]
        assert phone.post("/phone/pair", json={"code": code}).json()["seat"] == seat
        return str(next(iter(phone.cookies.values())))


def on(screen: str) -> Callable[[State], bool]:
    return lambda state: state["screen"] == screen


def played(screen: str, turn: int | None, n: int) -> Callable[[State], bool]:
    return lambda state: (state.get("screen"), state.get("turn"), state.get("n")) == (screen, turn, n)


def turn_up(page: OpenPage, camera: Camera, eldest: int) -> None:
    """Let the camera see the bare mat, then the card turned up, and the eldest beg.

    The card is laid again if it was there before, by a picture still on its way when the game began.
    """
    counts = played("game", eldest, 1)
    for _ in tries("a card turned up that counts"):
        camera.done = EMPTY
        page.wait_for_bare_mat()
        camera.done = TURNED
        if counts(page.until(lambda state: counts(state) or "it is left over" in str(state["prompts"]))):
            break
    page.send("say", played("game", 1 - eldest, 2), seat=eldest, word="beg")


def test_an_evening_with_two_games_and_a_killed_program(camera: Camera, tmp_path: Path) -> None:
    with table(tmp_path, camera.address) as (page, kill):
        page.send("choose-game", lambda state: state.get("game") == "all-fives", game="all-fives")
        for number, name in enumerate(("Ann", "Bo", "Cy")):
            page.send("add-player", lambda state, count=number + 1: len(state["players"]) == count, name=name)
        page.send("set-option", lambda state: True, name="target", value=1)
        page.send("set-dealer", lambda state: state["dealer"] == 0, seat=0)
        page.send("begin", lambda state: on("game")(state) and len(state["seats"]) == 3)
        page.send("leave", lambda state: on("game")(state) and len(state["seats"]) == 2, name="Cy")
        turn_up(page, camera, 1)
        kill()
    with table(tmp_path, camera.address) as (page, _):
        state = page.until(played("game", 0, 2))
        assert [seat["name"] for seat in state["seats"]] == ["Ann", "Bo"]
        result = page.send("say", on("result"), seat=0, word="take-one")["result"]
        assert (result["headline"], result["tally"]["games"]) == ("The game is over: Bo won, 1–0.", 1)
        page.send("other-game", on("lobby"))
        page.send("choose-game", lambda state: state["game"] == "fifteen", game="fifteen")
        page.send("set-option", lambda state: True, name="target", value=1)
        state = page.send("begin", lambda state: on("game")(state) and state["title"] == "Fifteen")
        eldest = next(seat for seat in (0, 1) if not state["seats"][seat]["dealer"])
        turn_up(page, camera, eldest)
        page.send("say", on("result"), seat=1 - eldest, word="take-one")
        page.send("good-night", on("asleep"))
    games = read_games(tmp_path / "journal.sqlite")
    assert [(game.header.game, len(game.header.players), game.over) for game in games] == [
        ("all-fives", 3, False),
        ("all-fives", 2, True),
        ("fifteen", 2, True),
    ]


def test_players_and_phones_survive_a_killed_program(tmp_path: Path) -> None:
    with table(tmp_path, "none.avi") as (page, kill):
        page.send("choose-game", lambda state: state.get("game") == "cribbage", game="cribbage")
        for number, name in enumerate(("Ann", "Zoë", "Cy")):
            page.send("add-player", lambda state, count=number + 1: len(state["players"]) == count, name=name)
        page.send("remove-player", lambda state: state["remembered"] == ["Cy"], name="Cy")
        page.send("move-player", lambda state: state["players"] == ["Zoë", "Ann"], name="Zoë", seat=0)
        token = paired(page.url, 0)
        kill()
    with table(tmp_path, "none.avi") as (page, kill):
        state = page.until(on("lobby"))
        assert (state["game"], state["players"], state["remembered"]) == ("cribbage", ["Zoë", "Ann"], ["Cy"])
        assert [(each["player"], each["seat"]) for each in state["phones"]] == [("Zoë", 0)]
        cookies = {f"cardtable-{httpx.URL(page.url).port}": token}
        you = httpx.get(f"{page.url}/state.json?as=phone", cookies=cookies).json()["you"]
        assert (you["role"], you["player"], you["seat"]) == ("seat", "Zoë", 0)
        kill()
