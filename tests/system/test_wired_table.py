"""The whole table in the simulated game, with buttons, lights, buzzer, displays and voice attached."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from cardtable.cli import main
from cardtable.evening.playing import Parts, Playing, one_game
from cardtable.languages import translate_prompts, translator
from cardtable.simulation.checking import Readings, first_difference
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.simulation.wiring import BUZZER, LIGHTS, SimulatedWiring
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.outputs import open_outputs
from cardtable.table.snapshot import Snapshot
from engine.observations import ActionCard
from hardware.displays import draw
from hardware.screen import screen_of
from tests.cardtable.shown import Shown
from vision.camera_pipeline import CameraPipeline

SEED = 208
"""A short game of Fifteen, in which beg, take one, accept and switch are said."""
WORDS_SAID = 11
"""The number of its actions after which beg and take one have been said, and two tricks taken."""
WON_S = 2.4
"""How long the winner's light flashes, seconds."""
GREEN = {0: "light of seat 0, green", 1: "light of seat 1, green"}


class Watched:
    """A game of Fifteen, in French, in which every word is said by a button, looked at after every frame.

    `actions`: how many are played; None for the whole game.
    """

    def __init__(self, folder: Path, actions: int | None) -> None:
        setting = Setting("fifteen", 2, SEED, "aruco", "fast")
        self.folder = folder
        self.wiring = SimulatedWiring(setting, folder, lambda: self.source.stage.time, "fr")
        self.source = SyntheticSource(setting, fingers=self.wiring.fingers)
        self.eye = CameraPipeline(self.source, mat_for(setting.header), card_readers([setting.marks]))
        self.readings = Readings()
        self.shown: Snapshot | None = None
        self.pictures = 0
        self.lit: list[tuple[float, Snapshot, dict[int, float]]] = []
        outputs = open_outputs(self.wiring.config, lambda: self.wiring.pins, self.wiring.clock, stepped=True)
        with (
            closing(outputs),
            one_game(
                Parts(
                    setting.header,
                    [self.eye],
                    observed=self.readings.take,
                    outputs=[Shown(self.show)],
                    hardware=outputs,
                )
            ) as playing,
        ):
            self.table = playing.table
            playing.run(until=lambda: self.look(playing) or self.eye.ended or len(self.table.actions) == actions)
        self.wiring.close()

    def show(self, shown: Snapshot) -> None:
        self.shown = shown

    def look(self, playing: Playing) -> bool:
        """What every display shows, and the lights, when the program has shown this state."""
        if self.shown is None or self.source.stage.time == 0.0:
            return False
        shown, self.shown = self.shown, None
        prompts = translate_prompts(shown.prompts, translator("fr"))
        for name, seat in (("everybody", None), ("seat-0", 0), ("seat-1", 1)):
            screen = screen_of(playing.table.view(seat), prompts, seat, None, translator("fr"))
            wanted = ImageChops.invert(draw(screen, (250, 122), "1").convert("L")).convert("1")
            assert list(Image.open(self.folder / f"{name}.png").convert("1").tobytes()) == list(wanted.tobytes())
            self.pictures += 1
        greens = {0: self.wiring.pins.pin(6).state, 1: self.wiring.pins.pin(20).state}
        self.lit.append((self.source.stage.time, shown, greens))
        return False

    def pins(self) -> Iterator[tuple[float, str, float]]:
        with (self.folder / "pins.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield float(row["seconds"]), row["what"], float(row["level"])


@pytest.fixture(scope="module", params=[WORDS_SAID, pytest.param(None, marks=pytest.mark.long)])
def game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("wired"), request.param)


def test_a_game_is_said_by_buttons(game: Watched) -> None:
    assert game.source.gave_up is None and len(game.table.actions) >= WORDS_SAID
    assert game.table.over or len(game.table.actions) == WORDS_SAID
    # The robots see the board with the next frame, so they may not know the last action yet.
    done = [*game.source.director.done, *game.table.actions[len(game.source.director.done) :][:1]]
    assert first_difference(game.table.actions, done, game.source.director.again) is None
    words = [(action.seat, action.word) for action in game.table.actions if action.do == "say"]
    pressed = game.wiring.fingers.pressed
    assert [seat for seat, _ in pressed] == [seat for seat, _ in words], "each word took one press, by its own seat"
    meaning = {"accept": "short", "beg": "long", "switch": "double", "take-one": "short"}
    assert [press for _, press in pressed] == [meaning[word or ""] for _, word in words]
    assert {press for _, press in pressed} == ({"short", "long", "double"} if game.table.over else {"short", "long"})
    laid = [card.face for card in game.source.stage.cards_laid if isinstance(card.face, ActionCard)]
    assert laid == [], "no action card was needed"


def test_every_display_has_shown_every_state_in_french(game: Watched) -> None:
    assert game.pictures > 3 * len(game.table.actions)
    assert any(
        "misez" in p.text or "joue" in p.text
        for _, s, _ in game.lit
        for p in translate_prompts(s.prompts, translator("fr"))
    )


def test_lights_followed_the_turn(game: Watched) -> None:
    won = {0: -WON_S, 1: -WON_S}
    turns = 0
    for time, shown, greens in game.lit:
        for done in shown.news:
            for event in done.events:
                for seat in won:
                    if (event.event == "trick" and event.seat == seat) or (
                        event.event == "game-over" and seat in shown.view.winners
                    ):
                        won[seat] = time
        wrong = {prompt.seat for prompt in shown.prompts if prompt.kind == "take-back"}
        for seat, level in greens.items():
            if time - won[seat] > WON_S + 0.1 and not wrong:
                asked = shown.view.turn == seat or any(prompt.seat == seat for prompt in shown.prompts)
                assert level == 0.0 or asked, (time, seat)
                if shown.view.turn == seat:
                    assert level == 1.0, (time, seat)
                    turns += 1
    assert turns > 3
    history = list(game.pins())
    for seat, green in GREEN.items():
        assert sum(what == green and level == 1.0 for _, what, level in history) > 1, seat
    assert sum(what == "buzzer" and level == 1.0 for _, what, level in history) >= len(game.wiring.fingers.pressed)
    assert history == sorted(history, key=lambda entry: entry[0])
    pins = [*LIGHTS[0], *LIGHTS[1], BUZZER]
    if game.table.over:
        assert {game.wiring.pins.pin(pin).state for pin in pins} == {0.0}, "everything is off at the end"


def test_what_the_demo_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "no-folder"
    file.write_text("", "utf-8")
    assert main(["demo", "--marks", "aruco", "--headless", "--fast", "--wired", str(file)]) == 1
    assert "no-folder cannot be written" in capsys.readouterr().err
    assert main(["demo", "--headless", "--reader", "simavr", "--wired", str(tmp_path)]) == 2
