"""An evening by action cards alone: as scenes, before a camera, and on RFID readers."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.config.devices import CameraConfig, ReaderConfig
from cardtable.config.model import TableConfig
from cardtable.evening.action_cards import ActionCards, messages_of, question_of
from cardtable.table.outputs import HardwareOutputs
from engine.games import game_names, table_words
from engine.observations import ActionCard, Scene
from firmware_bridge.simulated import SimulatedBoard
from firmware_bridge.tags import TagTable
from hardware.voice import Speech, Voice
from tests.cardtable.evening.evenings import State, TestEvening
from tests.cardtable.evening.test_seeing import LiveTable
from tests.cardtable.french import assert_french
from tests.cardtable.scenes import Scenes
from tests.cardtable.stored import read_games

LAY_AGAIN = "If so, lift the card and lay it again; this game stays stored."


def test_an_evening_by_action_cards_alone(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo", target=1)
        table = Scenes()

        def lay(card: str) -> None:
            evening.show(table.again())
            evening.show(table.lay(f"say:{card}", "say", 0))
            evening.turn()
            table.lift(f"say:{card}")

        lay("new-game")
        assert evening.shown()["title"] == "All Fives"
        evening.one_point()
        lay("again")
        assert (evening.shown()["screen"], evening.shown()["title"]) == ("game", "All Fives")
        evening.one_point()
        lay("fifteen")
        assert (evening.shown()["screen"], evening.shown()["title"]) == ("game", "Fifteen")
        lay("night")
        assert evening.shown()["screen"] == "game"
        assert evening.shown()["prompts"][0]["kind"] != "unclear"
        lay("night")
        assert evening.shown()["screen"] == "asleep"
        lay("night")
        assert evening.shown()["screen"] == "asleep"
        lay("cribbage")  # readers see it while the table sleeps
        assert (evening.shown()["screen"], evening.shown()["title"]) == ("game", "Cribbage")


def test_a_card_laid_during_a_game_asks_first(tmp_path: Path) -> None:
    card, does = "cribbage", "“Cribbage”: break this game off and begin that one?"
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo")
        evening.send("begin")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")

        def lay() -> None:
            evening.show(evening.scenes.lay(f"say:{card}", "say", 0))
            evening.turn()

        lay()
        assert (evening.shown()["screen"], evening.shown()["notice"]) == ("game", f"{does} {LAY_AGAIN}")
        assert evening.shown()["calm"]
        evening.show(evening.scenes.lift(f"say:{card}"))
        evening.say(1, "beg")  # the players play on
        evening.turn()
        assert (evening.shown()["notice"], evening.shown()["calm"]) == (None, False)
        lay()
        assert evening.shown()["notice"] == f"{does} {LAY_AGAIN}"
        evening.scenes.clock -= 0.9
        evening.show(evening.scenes.lift(f"say:{card}"))
        evening.scenes.clock -= 0.9
        lay()  # a tenth of a second later
        assert (evening.shown()["screen"], evening.shown()["phase"]) == ("game", "say")
        evening.show(evening.scenes.lift(f"say:{card}"))
        lay()
        shown = evening.shown()
        assert (shown["screen"], shown["title"], shown["notice"]) == ("game", "Cribbage", None)
    first = read_games(tmp_path / "journal.sqlite")[0]
    assert (first.header.game, len(first.actions), first.over) == ("all-fives", 2, False)


@pytest.mark.parametrize(
    ("card", "does", "messages"),
    [
        ("night", "“good night”: break this game off and end the evening?", ["break-off", "good-night"]),
        ("new-game", "“new game”: break this game off?", ["break-off"]),
        ("again", "“same again”: begin this game again from the start?", ["break-off", "begin"]),
    ],
)
def test_what_a_card_asks_and_does_during_a_game(card: str, does: str, messages: list[str]) -> None:
    assert question_of(card) == f"{does} {LAY_AGAIN}"
    assert [message.do for message in messages_of(card, "game")] == messages


def test_another_card_asks_again(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.seat_players("Ann", "Bo")
        evening.send("begin")
        evening.see(evening.scenes.again())
        for card in ("night", "new-game", "night"):
            evening.show(evening.scenes.lay(f"say:{card}", "say", 0))
            assert evening.shown()["screen"] == "game"
            assert evening.shown()["notice"] == question_of(card)
            evening.show(evening.scenes.lift(f"say:{card}"))


def test_the_question_is_spoken(tmp_path: Path) -> None:
    spoken = tmp_path / "said"
    write = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')"
    outputs = HardwareOutputs(voice=Voice((sys.executable, "-c", write, str(spoken))), speech=Speech("prompts"))
    with closing(outputs), TestEvening(tmp_path / "journal.sqlite", outputs=outputs) as evening:
        evening.seat_players("Ann", "Bo")
        evening.send("begin")
        evening.see(evening.scenes.again())
        evening.show(evening.scenes.lay("say:night", "say", 0))
        asks = "good night: break this game off and end the evening? If so, lift the card and lay it again"
        evening.turn(lambda: spoken.exists() and asks in spoken.read_text("utf-8"))


def test_a_card_that_cannot_begin_a_game_says_why(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        evening.send("add-player", name="Ann")
        evening.show(evening.scenes.again())
        evening.show(evening.scenes.lay("say:cribbage", "say", 0))
        evening.turn()
        assert (evening.shown()["screen"], evening.shown()["game"]) == ("lobby", "cribbage")
        assert evening.shown()["notice"] == evening.shown()["why_not"] == "Cribbage: 1 more player is needed."


class CameraCards:
    """Action cards before a camera, which sees them being laid and lifted."""

    def __init__(self, evening: TestEvening, camera: LiveTable) -> None:
        self.evening = evening
        self.camera = camera

    def wait(self, seconds: float) -> None:
        """Let the camera see so many seconds of pictures."""
        last = self.camera.table._number + round(seconds * self.camera.table.fps)
        self.evening.turn(lambda: self.camera.table._number > last)

    def lay(self, word: str) -> None:
        self.camera.do(lambda table: table.lay(f"say:{word}", ("say", 1)))

    def lift(self) -> None:
        self.camera.do(lambda table: table.cards.clear())
        self.wait(2.5)


def test_cards_before_a_camera_host_the_evening(tmp_path: Path) -> None:
    """The pictures are drawn; what reads the cards in them, the lobby and the games are the real ones."""
    camera = LiveTable()
    config = TableConfig(marks=("aruco",), cameras=(CameraConfig(name="above", source="drawn:1"),))
    with TestEvening(tmp_path / "journal.sqlite", config, more={"drawn": camera.open}) as evening:
        cards = CameraCards(evening, camera)

        def is_fifteen(state: State) -> bool:
            return (state["screen"], state.get("title"), state.get("n")) == ("game", "Fifteen", 0)

        evening.seat_players("Ann", "Bo")
        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "good")
        cards.wait(1.0)  # a card that lies there at the start asks for nothing
        cards.lay("fifteen")
        evening.turn(lambda: is_fifteen(evening.shown()))
        cards.wait(1.0)
        cards.lift()
        cards.lay("night")
        evening.turn(lambda: evening.shown()["notice"] is not None)
        assert (evening.shown()["screen"], evening.shown()["notice"]) == ("game", question_of("night"))
        cards.lift()
        cards.lay("night")
        evening.turn(lambda: evening.shown()["screen"] == "asleep")
    assert [game.header.game for game in read_games(tmp_path / "journal.sqlite")] == ["fifteen"]


def test_cards_on_a_reader_host_the_evening(board: SimulatedBoard, tmp_path: Path) -> None:
    """The reader board runs the real firmware; it sees action cards also while the table sleeps."""
    tags = TagTable(tmp_path / "tags.json")
    for number, word in enumerate(("new-game", "night")):
        tags.learn(f"04aabb0{number}", ActionCard(word))
    zones = ("turn-up", "say 0", "say 1")
    config = TableConfig(reader=(ReaderConfig(port=board.port, tags=tmp_path / "tags.json", zones=zones),))
    with TestEvening(tmp_path / "journal.sqlite", config) as evening:

        def lay(number: int, screen: str) -> None:
            board.lay(1, f"04aabb0{number}")
            evening.turn(lambda: evening.shown()["screen"] == screen)

        def lift(number: int) -> None:
            """Lift a card for a while, once the readers have reported what lies there at the beginning of the game."""
            evening.turn(lambda: bool(evening.host._cards._lying))
            board.lift(1, f"04aabb0{number}")
            evening.turn(lambda: not any(evening.host._cards._lying.values()))
            (reader,) = evening.loop.sources
            lifted = reader.now()
            evening.turn(lambda: reader.now() - lifted > 0.5)

        evening.seat_players("Ann", "Bo")
        evening.turn(lambda: evening.shown()["sources"][0]["state"] == "good")
        lay(0, "game")
        lift(0)
        board.lay(1, "04aabb01")
        evening.turn(lambda: evening.shown()["notice"] is not None)
        assert evening.shown()["notice"] == question_of("night")
        lift(1)
        board.lay(1, "04aabb01")
        evening.turn(lambda: evening.shown()["screen"] == "asleep")


def test_a_card_that_lay_there_before_does_not_count() -> None:
    scenes, cards = Scenes(), ActionCards()
    assert cards.see(scenes.lay("say:again", "say", 0))[1] == []
    kept, words = cards.see(scenes.lay("QS", "play", 0))
    assert isinstance(kept, Scene)
    assert words == [] and [str(sighting.face) for sighting in kept.sightings] == ["QS"]
    assert cards.see(scenes.lift("say:again"))[1] == []
    assert cards.see(scenes.lay("say:again", "turn-up"))[1] == ["again"]
    assert cards.see(scenes.lay("say:beg", "say", 1))[1] == []


def test_every_card_means_something_everywhere() -> None:
    for word in table_words():
        for screen in ("lobby", "game", "result"):
            assert messages_of(word, screen)
        assert bool(messages_of(word, "asleep")) == (word != "night")
        assert_french(question_of(word))
    assert set(game_names()) < set(table_words())
