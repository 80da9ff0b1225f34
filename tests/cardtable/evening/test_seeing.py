"""The live check of the lobby with a camera, action cards before it, and an evening on the simulated table."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from cardtable.config.devices import CameraConfig, ReaderConfig
from cardtable.config.model import HistoryConfig, TableConfig
from cardtable.evening.equipment import lobby_mat
from engine.games import load_game
from hardware.buttons import Control
from tests.cardtable.evening.evenings import TestEvening
from tests.vision.drawn_table import DrawnTable
from vision.frames import Frame, SourceLost
from vision.mat.layout import lay_out

FACES = ("QS", "2H", "7D", "KC", "9S", "4H")


class LiveTable:
    """A drawn table under a live camera. It is drawn while the test does not change it."""

    live = True
    name = "drawn"

    def __init__(self) -> None:
        self.table = DrawnTable(noise=1.0)
        self.table.gain = 0.85
        self.table.fps = 12.0
        self.lock = threading.Lock()
        self.unplugged = False
        self.opened = self.closed = 0

    def open(self, spec: str) -> LiveTable:
        self.opened += 1
        return self

    def read(self) -> Frame | None:
        if self.unplugged:
            raise SourceLost("Plug the camera in.")
        with self.lock:
            return self.table.read()

    def close(self) -> None:
        self.closed += 1

    def do(self, change: Callable[[DrawnTable], object]) -> None:
        with self.lock:
            change(self.table)


@pytest.fixture
def camera() -> LiveTable:
    return LiveTable()


@pytest.fixture
def config() -> TableConfig:
    return TableConfig(marks=("aruco",), cameras=(CameraConfig(name="above", source="drawn:1"),))


def test_the_lobby_says_what_the_camera_sees(tmp_path: Path, camera: LiveTable, config: TableConfig) -> None:
    with TestEvening(tmp_path / "journal.sqlite", config, more={"drawn": camera.open}) as evening:

        def checks() -> dict[str, str]:
            (source,) = evening.shown()["sources"]
            return {check["what"]: check["state"] for check in source["checks"]}

        evening.turn(lambda: checks().get("mat") == "good" and checks().get("light") == "good")
        assert evening.shown()["sources"][0]["name"] == "above"
        camera.do(lambda table: table.lay("QS", ("play", 0)))
        evening.turn(lambda: [card["card"] for card in evening.shown()["cards"]] == ["QS"])
        assert "it reads Q♠" in [check["text"] for check in evening.shown()["sources"][0]["checks"]]
        assert httpx.get(f"{evening.board.url}/camera.jpg?of=above").content.startswith(b"\xff\xd8")
        camera.unplugged = True
        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "bad")
        assert [check["text"] for check in evening.shown()["sources"][0]["checks"]] == ["Plug the camera in."]


@pytest.mark.parametrize(("game", "players"), [(None, 3), ("hearts", 4), ("oh-hell", 6)])
def test_the_lobby_sees_hands_at_the_seats_of_any_number_of_players(
    tmp_path: Path, camera: LiveTable, config: TableConfig, game: str | None, players: int
) -> None:
    """Nobody sits there yet: the mat may be that for any number of players of the game."""
    zones = load_game(game).zones if game else ("show",)
    camera.table.mat = lay_out(players, zones)
    *others, last = [(face, (zones[0], seat)) for seat, face in zip(range(players), FACES, strict=False)]
    with TestEvening(tmp_path / "journal.sqlite", config, more={"drawn": camera.open}) as evening:
        if game:
            evening.send("choose-game", game=game)
        camera.do(lambda table: [table.lay(*card) for card in others])
        evening.turn(lambda: len(evening.shown()["cards"]) == len(others))
        assert evening.shown()["hands"] < players
        camera.do(lambda table: table.lay(*last))
        evening.turn(lambda: evening.shown()["hands"] == players)


def test_the_menu_of_buttons_says_what_the_camera_sees_now(
    tmp_path: Path, camera: LiveTable, config: TableConfig
) -> None:
    with TestEvening(tmp_path / "journal.sqlite", config, more={"drawn": camera.open}) as evening:

        def entries() -> list[str]:
            menu = evening.shown()["menu"]
            return [] if menu is None else list(menu["entries"])

        def press(label: str) -> None:
            """Turn the encoder to an entry, and press it."""
            for _ in entries():
                if entries()[evening.shown()["menu"]["chosen"]] == label:
                    break
                evening.press(Control(0, "turn", encoder=True, step=1))
                evening.turn()
            evening.press(Control(0, "short", encoder=True))
            evening.turn()

        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "good")
        evening.press(Control(0, "short", encoder=True))
        evening.turn()
        press("Everything in sight?")
        assert entries()[0] == "Everything is in sight."
        camera.do(lambda table: table.lay("QS", ("play", 0)))
        evening.turn(lambda: "above: it reads Q♠" in entries())
        evening.press(Control(0, "turn", encoder=True, step=-1))  # to the last entry
        camera.unplugged = True
        evening.turn(lambda: entries() == ["above: Plug the camera in.", "Back"])
        assert evening.shown()["menu"]["chosen"] == 1
        evening.press(Control(0, "short", encoder=True))
        evening.turn()
        assert evening.shown()["menu"]["title"] == "Lobby"


def test_readers_that_are_not_connected_say_nothing_of_cards(tmp_path: Path) -> None:
    readers = ReaderConfig(port=str(tmp_path / "unplugged"), tags=tmp_path / "tags.json", zones=("play 0",))
    with TestEvening(tmp_path / "journal.sqlite", TableConfig(reader=(readers,))) as evening:
        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "bad")
        assert [check["what"] for check in evening.shown()["sources"][0]["checks"]] == ["connection"]


def test_the_camera_stays_open_for_the_game_and_closes_at_night(
    tmp_path: Path, camera: LiveTable, config: TableConfig
) -> None:
    """A picture of the moment is kept with the action."""
    config = config.model_copy(update={"history": HistoryConfig(pictures=3)})
    with TestEvening(tmp_path / "journal.sqlite", config, more={"drawn": camera.open}) as evening:
        evening.seat_players("Ann", "Bo")
        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "good")
        assert evening.send("begin") is None
        evening.turn(lambda: not evening.shown()["prompts"][0]["urgent"] and bool(evening.shown()["sources"]))
        camera.do(lambda table: table.lay("4H", ("turn-up", None)))
        evening.turn(lambda: evening.shown()["trump"] == "H")
        assert (camera.opened, camera.closed) == (1, 0)
        evening.send("break-off")
        folder = tmp_path / "journal.sqlite-pictures"
        evening.turn(lambda: [each.name for each in folder.glob("*.jpg")] == ["1-1000000000-2.jpg"])
        evening.turn(lambda: (folder / "1-1000000000-2.jpg").read_bytes().endswith(b"\xff\xd9"))
        evening.turn(lambda: [card["card"] for card in evening.shown()["cards"]] == ["4H"])
        camera.do(lambda table: table.lay("say:night", ("say", 1)))
        evening.turn(lambda: evening.shown()["screen"] == "asleep")
        assert (camera.opened, camera.closed) == (1, 1)
        evening.send("wake")
        assert camera.opened == 2


@pytest.mark.long
def test_two_games_on_the_simulated_table(tmp_path: Path) -> None:
    """Robots play the game that is chosen; the second game is of another kind and for another number of players."""
    config = TableConfig(
        marks=("aruco",), cameras=(CameraConfig(name="camera", source="synthetic:?seed=3&pace=fast&marks=aruco"),)
    )
    with TestEvening(tmp_path / "journal.sqlite", config) as evening:
        assert evening.shown()["sources"][0]["checks"][0]["text"] == "it begins with the game"
        evening.seat_players("Ann", "Bo", game="fifteen")
        evening.send("set-dealer", seat=None)
        assert evening.send("begin") is None
        evening.turn(lambda: evening.shown().get("n", 0) >= 1)
        assert evening.send("break-off") is None
        assert evening.shown()["unfinished"][0]["title"] == "Fifteen"
        evening.send("add-player", name="Cy")
        evening.send("choose-game", game="le-quinze")
        assert evening.send("begin") is None
        evening.turn(lambda: evening.shown().get("n", 0) >= 1)
        assert [seat["name"] for seat in evening.shown()["seats"]] == ["Ann", "Bo", "Cy"]


@pytest.mark.parametrize(
    ("game", "players", "seats"), [("its-15", 7, 6), ("hearts", 1, 3), ("oh-hell", 7, 7), (None, 0, 2)]
)
def test_the_mat_of_the_lobby_fits_the_game_chosen(game: str | None, players: int, seats: int) -> None:
    """More or fewer may sit there than the game is for."""
    assert len(lobby_mat(load_game(game) if game else None, players).turns) == seats
