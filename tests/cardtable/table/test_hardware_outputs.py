"""Buttons, lights, displays and voice during a game: on mock pins, in picture files, with a real command."""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory
from PIL import Image, ImageChops

from cardtable.config.load import read_config
from cardtable.errors import CardtableError, UsageError
from cardtable.evening.playing import Parts, one_game, open_game
from cardtable.journal.journal import Journal
from cardtable.languages import translate_prompts, translator
from cardtable.table.outputs import HardwareOutputs, open_outputs
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import Received
from engine.cards import parse_card
from engine.observations import Back, Lost, Said, Scene, Sighting, Zone
from engine.record import Header
from engine.referee.prompts import turn
from engine.table import Table
from hardware.displays import Display, draw
from hardware.screen import screen_of
from hardware.wiring import DisplayWiring
from tests.cardtable.stored import append
from tests.engine.talk import action, do
from tests.hardware.bench import PI_5, Clock, board

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
DEALT = tuple(map(action, ("0 deal AS 2H 10D JC 5S 3S", "1 deal KS QH 10H 2D 5C 3C", "turn 4H")))
GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\ndealer = 0\n'
SEATS = "[[seat]]\nseat = 0\nlight = 23\n[[seat]]\nseat = 1\nbutton = 17\nlight = 24\n"


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    factory = board(PI_5)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    return factory


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        open_game(journal, HEADER)
        yield journal


def wired_as(folder: Path, text: str) -> HardwareOutputs | None:
    path = folder / "table.toml"
    path.write_text(GOOD + text, "utf-8")
    return open_outputs(read_config(path))


def picture(table: Table, seat: int | None) -> Image.Image:
    view = table.view(seat)
    return draw(screen_of(view, [turn(view)], seat), (128, 64), "1")


def same(file: Path, expected: Image.Image) -> bool:
    if not file.exists():
        return False
    return (
        ImageChops.difference(ImageChops.invert(Image.open(file).convert("L")), expected.convert("L")).getbbox() is None
    )


def test_a_button_is_played_and_stored_and_lights_follow(tmp_path: Path, pins: MockFactory, journal: Journal) -> None:
    past = (action("turn 4H"),)
    append(journal, past)
    with (
        closing(wired_as(tmp_path, SEATS)) as wired,
        one_game(Parts(HEADER, [], journal, past, hardware=wired)) as playing,
    ):
        assert [pins.pin(pin).state for pin in (23, 24)] == [0.0, 1.0]
        pins.pin(17).drive_low()  # and held: the second word
        playing.run(until=lambda: playing.game.snapshot.n == 2)
        assert [pins.pin(pin).state for pin in (23, 24)] == [1.0, 0.0]
    assert [pins.pin(pin).state for pin in (23, 24)] == [0.0, 0.0]
    last = journal.last()
    assert last is not None and last.actions == (*past, action("1 say beg"))


def test_each_display_shows_what_its_place_may_see(tmp_path: Path) -> None:
    text = "".join(
        f'[[display]]\nkind = "png"\nwidth = 128\nheight = 64\nfile = "{name}.png"\n{seat}'
        for name, seat in (("all", ""), ("ann", "seat = 0\n"), ("bo", "seat = 1\n"))
    )
    wired = wired_as(tmp_path, text)
    with closing(wired), one_game(Parts(HEADER, [], None, DEALT, hardware=wired)) as playing:
        table = playing.table
        wanted = {name: picture(table, seat) for name, seat in (("all", None), ("ann", 0), ("bo", 1))}
        assert len({each.tobytes() for each in wanted.values()}) == 3
        playing.run(until=lambda: all(same(tmp_path / f"{name}.png", each) for name, each in wanted.items()))


def test_a_failing_display_is_reported_once_and_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "card"
    clock: Clock = Clock()
    reports: queue.SimpleQueue[Received] = queue.SimpleQueue()
    display = Display(DisplayWiring("png", file=folder / "t.png", width=128, height=64))
    wired = HardwareOutputs(displays=[display], clock=clock)
    wired.start(reports.put)
    table = Table(HEADER)
    try:
        wired.show(shown(table), table.view)
        lost = reports.get(timeout=20).what
        assert isinstance(lost, Lost) and lost.source == "the png display" and "can be written" in lost.reason
        do(table, "turn 4H")
        clock.now += 6
        wired.show(shown(table), table.view)  # tried again; the same fault is not reported again
        folder.mkdir()
        back = None
        while back is None:
            clock.now += 6
            wired.show(shown(table), table.view)
            with suppress(queue.Empty):
                back = reports.get(timeout=0.05).what
        assert isinstance(back, Back) and back.source == "the png display"
        assert same(folder / "t.png", picture(table, None))
    finally:
        wired.close()


def shown(table: Table) -> Snapshot:
    view = table.view()
    return Snapshot(len(table.actions), 0.0, view, (turn(view),), (), (), ())


def test_the_voice_says_prompts_and_its_failure_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "speak.py"
    script.write_text(
        "import pathlib, sys\nsaid = pathlib.Path(sys.argv[1], 'said')\n"
        "said.write_text(said.read_text() + sys.argv[2] + '\\n' if said.exists() else sys.argv[2] + '\\n')\n"
        "sys.exit('no sound card' if 'stand' in sys.argv[2] else 0)\n"
    )
    command = f'[voice]\nsay = "prompts"\ncommand = ["{sys.executable}", "{script}", "{tmp_path}", "{{text}}"]\n'
    with (
        closing(wired_as(tmp_path, command)) as wired,
        one_game(Parts(HEADER, [], None, (action("turn 4H"),), hardware=wired)) as playing,
    ):

        def trouble() -> str | None:
            return next((source.trouble for source in playing.game.snapshot.sources if source.name == "voice"), None)

        playing.run(until=lambda: trouble() is not None)
        assert "no sound card" in str(trouble())
        assert (tmp_path / "said").read_text().splitlines()[0] == "Bo: stand or beg?"
        playing.run(until=lambda: trouble() is None)  # reporting the trouble worked


def test_displays_speak_the_language_of_the_table(tmp_path: Path) -> None:
    text = 'language = "fr"\n[[display]]\nkind = "png"\nwidth = 128\nheight = 64\nseat = 1\nfile = "bo.png"\n'
    table = Table(HEADER)
    do(table, "turn 4H")
    view = table.view(1)
    translate = translator("fr")
    prompts = translate_prompts([turn(view)], translate)
    assert prompts[0].text == "Bo\u00a0: reste ou demande\u00a0?"
    expected = draw(screen_of(view, prompts, 1, translate=translate), (128, 64), "1")
    assert expected.tobytes() != picture(table, 1).tobytes()
    with (
        closing(wired_as(tmp_path, text)) as wired,
        one_game(Parts(HEADER, [], None, (action("turn 4H"),), hardware=wired)) as playing,
    ):
        playing.run(until=lambda: same(tmp_path / "bo.png", expected))


def test_failing_pins_are_reported_and_the_game_goes_on(
    tmp_path: Path, pins: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(wired_as(tmp_path, SEATS)) as wired, one_game(Parts(HEADER, [], None, hardware=wired)) as playing:

        def broken(pin: object, value: object) -> None:
            raise RuntimeError("bad GPIO state")

        monkeypatch.setattr(type(pins.pin(23)), "_set_state", broken)
        playing.game.take(Said(0.0, "page", 0, "nothing"))
        playing.game.take(Scene(0.0, "camera", ()))
        playing.game.take(Scene(0.0, "camera", (Sighting("p", parse_card("4H"), Zone("turn-up"), 0.0),)))
        playing.run(until=lambda: any(source.name == "buttons" for source in playing.game.snapshot.sources))
        (trouble,) = [source.trouble for source in playing.game.snapshot.sources if source.name == "buttons"]
        assert trouble == "The buttons have failed (bad GPIO state): check their wires, and start the table again."
        assert playing.table.phase == "say"


def test_without_hardware_nothing_is_opened(tmp_path: Path) -> None:
    assert wired_as(tmp_path, '[voice]\nsay = "off"\n') is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[[seat]]\nseat = 0\nbutton = 17\nlight = 17\n",
            "GPIO17 is used twice: for the button of seat 0 and for the li",
        ),
        ("[[seat]]\nseat = 0\nbutton = 99\n", "the button of seat 0: there is no pin 99 on this Raspberry Pi 5B"),
        (
            '[buzzer]\npin = 2\n[[display]]\nkind = "ssd1306"\n',
            "GPIO2 is used twice: for the buzzer and for the ssd1306",
        ),
        (
            '[[display]]\nkind = "st7789"\nreset = 24\n',
            "GPIO24 is used twice: for D/C of the st7789 display and for the",
        ),
        ('[voice]\nsay = "prompts"\ncommand = ["no-such-voice"]\n', "there is no command 'no-such-voice'"),
    ],
)
def test_a_wrong_configuration_is_reported_and_pins_are_released(
    tmp_path: Path, pins: MockFactory, text: str, message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        wired_as(tmp_path, text)
    assert message in str(refused.value)
    gpiozero.Button(17, pin_factory=pins).close()  # free


def test_without_pins_the_table_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    with pytest.raises(CardtableError, match=r"lgpio.*join their group .*take \[\[seat\]\] and \[buzzer\] out"):
        wired_as(tmp_path, SEATS)


def test_a_missing_display_does_not_stop_the_game(tmp_path: Path) -> None:
    """If the machine has no such bus, or nothing answers on it, the game is played, and the board says so."""
    wired = wired_as(tmp_path, '[[display]]\nkind = "ssd1306"\nport = 97\n')
    with closing(wired), one_game(Parts(HEADER, [], None, hardware=wired)) as playing:
        playing.run(until=lambda: bool(playing.game.snapshot.sources))
        (source,) = playing.game.snapshot.sources
        assert source.name == "the ssd1306 display" and "i2cdetect -y 97" in str(source.trouble)


def test_a_table_without_hardware_needs_no_hardware_libraries(tmp_path: Path) -> None:
    """The program is installed without its extras."""
    (tmp_path / "table.toml").write_text(GOOD, "utf-8")
    program = (
        "import sys\n"
        "for name in ('gpiozero', 'luma', 'luma.core'):\n"
        "    sys.modules[name] = None\n"
        "import cardtable.evening.playing, cardtable.cli.run\n"
        "from cardtable.config.load import read_config\n"
        "from cardtable.doctor import devices\n"
        "from cardtable.table.outputs import open_outputs\n"
        "from pathlib import Path\n"
        "config = read_config(Path(sys.argv[1]))\n"
        "print(open_outputs(config), *devices.pins(config), *devices.displays(config))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "table.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "None\n"), done.stderr
