"""The doctor's checks of pins, displays and the voice, with and without faults."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import gpiozero
import pytest

import hardware.voice as voice_room
from cardtable.config.model import TableConfig
from cardtable.doctor import devices
from tests.cardtable.doctor.tables import SEATS, config, only
from tests.hardware.bench import PI_5, board


def test_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(devices.pins(config(tmp_path))) == []
    factory = board(PI_5)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    finding = only(devices.pins(config(tmp_path, SEATS)))
    assert (finding.state, finding.text) == ("good", "2 pins of this Raspberry Pi 5B are used, each once")
    monkeypatch.setattr(type(factory.pin(27)), "_set_pull", lambda pin, pull: None)  # the pin stays low
    factory.pin(27).drive_low()
    factory.pin(17).drive_high()
    pressed, all_pins = devices.pins(config(tmp_path, SEATS))
    assert (pressed.state, pressed.text) == ("warning", "the button of seat 1 is pressed")
    assert all_pins.state == "good"
    none = only(devices.pins(config(tmp_path, SEATS + "[buzzer]\npin = 40\n")))
    assert none.state == "trouble" and "the buzzer: there is no pin 40 on this Raspberry Pi 5B" in none.text
    with gpiozero.Button(17, pin_factory=factory):
        busy = only(devices.pins(config(tmp_path, SEATS)))
    assert busy.state == "trouble" and "stop the table" in busy.advice


def test_no_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    finding = only(devices.pins(config(tmp_path, SEATS)))
    assert finding.state == "trouble" and "lgpio" in finding.text and "sudo adduser $USER gpio" in finding.text


def test_displays(tmp_path: Path) -> None:
    png = '[[display]]\nkind = "png"\nfile = "t.png"\n'
    there, missing = devices.displays(config(tmp_path, png + '[[display]]\nkind = "ssd1306"\nseat = 1\nport = 97\n'))
    assert (there.state, there.text) == ("good", "the png display answers")
    assert missing.state == "trouble" and "the ssd1306 display of seat 1 does not answer" in missing.text
    assert list(tmp_path.iterdir()) == [tmp_path / "table.toml"]  # the check writes no picture
    nowhere = only(devices.displays(config(tmp_path, png.replace("t.png", "no/t.png"))))
    assert nowhere.state == "trouble" and "t.png can be written" in nowhere.text
    os.mkfifo(tmp_path / "pipe")
    pipe = only(devices.displays(config(tmp_path, png.replace("t.png", "pipe"))))
    assert pipe.state == "trouble" and "is no ordinary file" in pipe.text and (tmp_path / "pipe").is_fifo()
    wrong = only(devices.displays(config(tmp_path, '[[display]]\nkind = "ssd1306"\nport = 97\nwidth = 100\n')))
    assert wrong.state == "trouble"
    assert list(devices.displays(config(tmp_path))) == []


def test_voice(tmp_path: Path) -> None:
    def saying(program: str) -> TableConfig:
        return config(tmp_path, f'language = "fr"\n[voice]\nsay = "prompts"\ncommand = {program}\n')

    spoken = tmp_path / "spoken"
    writes = json.dumps([sys.executable, "-c", f"import sys; open({str(spoken)!r}, 'w').write(sys.argv[1])", "{text}"])
    assert only(devices.voice(saying(writes))).state == "good"
    assert spoken.read_text("utf-8") == "roi"
    fails = json.dumps([sys.executable, "-c", "raise SystemExit('no sound card')"])
    finding = only(devices.voice(saying(fails)))
    assert finding.state == "trouble" and "no sound card" in finding.text
    assert only(devices.voice(saying('["no-such-voice"]'))).state == "trouble"
    no_card = "ALSA lib confmisc.c:855:(parse_card) cannot find card '0'"
    silent = json.dumps([sys.executable, "-c", f"import sys; sys.stderr.write({no_card!r})"])  # as espeak-ng does
    finding = only(devices.voice(saying(silent)))
    assert finding.state == "trouble" and "there is no sound card" in finding.text
    assert list(devices.voice(config(tmp_path))) == []


def test_a_voice_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding is the same whether the voice or the doctor times out first."""
    waits = json.dumps([sys.executable, "-c", "import signal; signal.pause()"])
    hangs = config(tmp_path, f'[voice]\nsay = "prompts"\ncommand = {waits}\n')
    monkeypatch.setattr(voice_room, "_LONGEST_S", 0.2)
    assert "The voice hangs" in only(devices.voice(hangs)).text
    monkeypatch.setattr(voice_room, "_LONGEST_S", 20.0)
    monkeypatch.setattr(devices, "_VOICE_TIMEOUT_S", 0.2)
    finding = only(devices.voice(hangs))
    assert finding.state == "trouble" and "has not said a word" in finding.text
