"""People at the table, seen by the camera: leftover cards, a lead before the trick is gathered, undo."""

from __future__ import annotations

from cardtable.table.live_game import LiveGame
from engine.actions import Action
from engine.games import word_marks
from engine.observations import UndoAsked
from engine.record import Header
from engine.table import Table
from tests.engine.talk import action
from tests.vision.drawn_table import DrawnCard, DrawnTable
from vision.camera_pipeline import CameraPipeline
from vision.marks.aruco import ArucoReader

FRAMES = 15
"""Frames without movement after each act."""


class Watched:
    """A drawn table, the camera above it and the game behind that."""

    def __init__(self) -> None:
        self.drawn = DrawnTable(noise=1.0)
        self.camera = CameraPipeline(self.drawn, self.drawn.mat, [ArucoReader(word_marks())])
        self.live = LiveGame(Table(Header("all-fives", ("Ann", "Bo"), 0, {})), None)

    def watch(self) -> None:
        for _ in range(FRAMES):
            for observation in self.camera.step():
                self.live.take(observation)
            if self.camera.frame is not None:
                self.live.pass_time(self.camera.name, self.camera.frame.time)

    def lay(self, name: str, zone: str, seat: int | None = None, angle: float = 0) -> DrawnCard:
        card = self.drawn.lay(name, (zone, seat), angle=angle)
        self.watch()
        return card

    def lift(self, *cards: DrawnCard) -> None:
        for card in cards:
            self.drawn.cards.remove(card)
        self.watch()

    @property
    def done(self) -> tuple[Action, ...]:
        return self.live.table.actions

    @property
    def texts(self) -> list[str]:
        return [prompt.text for prompt in self.live.snapshot.prompts]


def test_a_hand_with_human_habits() -> None:
    table = Watched()
    old = table.drawn.lay("4H", ("turn-up", None))
    table.watch()
    assert table.texts[0] == "Pick up 4♥; it is left over."
    table.lift(old)
    assert table.texts == ["Ann deals and turns the next card up."]
    table.lay("4H", "turn-up")
    table.lift(table.lay("say:stand", "say", 1))
    assert table.done == (action("turn 4H"), action("1 say stand"))

    led = table.lay("3S", "play", 1)
    table.lift(table.lay("KS", "play", 0, angle=20))
    table.lay("4S", "play", 0, angle=-10)
    assert table.done[2:] == (action("1 play 3S"), action("0 play KS"))
    assert table.texts[0].startswith("Ann: take up the trick if 4♠ leads;")
    table.lift(led)
    assert table.done[4:] == (action("0 gather"), action("0 play 4S"))

    answer = table.lay("QS", "play", 1)
    table.live.take(UndoAsked(0.0, "page"))
    assert table.texts == ["Bo: pick up Q♠; that play was undone.", "Bo plays."]
    answer.x += 30  # a card that is pushed is still on the table, and does not count again
    table.watch()
    assert table.texts == ["Bo: pick up Q♠; that play was undone.", "Bo plays."]
    table.lift(answer)
    table.lay("QS", "play", 1)
    assert table.done[-1] == action("1 play QS")
    assert table.texts == ["Bo leads."]
