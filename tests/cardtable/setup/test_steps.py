"""What each step asks, finds and writes."""

from __future__ import annotations

import tomllib
from argparse import Namespace
from pathlib import Path
from typing import Any

import gpiozero
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory

from cardtable.cli import run
from cardtable.config.load import ConfigError, read_config
from cardtable.errors import CardtableError
from cardtable.languages import NAMES, translator
from cardtable.setup.first_start import FirstStart, all_steps
from cardtable.setup.steps_camera import CameraStep, CardStep
from cardtable.setup.steps_devices import ButtonsStep, ReadersStep
from cardtable.setup.steps_machine import LanguageStep, PhoneStep, TimeZoneStep, WifiStep
from firmware_bridge.bridge import Bridge, stepped_bridge
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from tests.cardtable.setup.conftest import Site, pipeline
from tests.cardtable.setup.programs import Programs

FILE = '# my table\nlanguage = "en"  # ours\n\n[board]\n# in the hall\nport = 8016\n'


def written(site: Site) -> dict[str, Any]:
    return tomllib.loads(site.path.read_text("utf-8"))


def labels(step: Any, site: Site) -> list[str]:
    step.look(site)
    return [str(choice.label) for choice in step.question(site).choices]


def findings(step: Any, site: Site) -> list[tuple[str, str]]:
    step.look(site)
    return [(found.state, str(found.text)) for found in step.question(site).findings]


def test_each_step_has_a_name_of_its_own_and_can_ask_of_a_bare_machine(site: Site, programs: Programs) -> None:
    programs.set("no-wifi")
    steps = all_steps()
    assert len({step.name for step in steps}) == len(steps) == 9
    for step in steps:
        step.begin(site)
        step.look(site)
        question = step.question(site).to_json(translator("fr"))
        assert question["title"] and question["text"]
        assert not step.question(site).allows("nonsense")
        step.end(site)
    assert not site.path.exists()


def test_language_is_written_and_comments_stay(site: Site) -> None:
    site.path.write_text(FILE, "utf-8")
    step = LanguageStep()
    assert labels(step, site) == [*NAMES.values()]
    assert step.answer(site, "fr") and site.reopening
    assert site.path.read_text("utf-8") == FILE.replace('"en"', '"fr"')
    assert site.config.language == "fr"


def test_time_zone_of_the_machine_or_of_the_table_alone(site: Site, programs: Programs) -> None:
    step = TimeZoneStep()
    step.begin(site)
    assert labels(step, site) == ["America", "Europe"]
    assert not step.answer(site, "America")
    assert labels(step, site) == ["New York"]
    assert step.back() and labels(step, site) == ["America", "Europe"]
    assert not step.answer(site, "Europe") and step.answer(site, "Paris")
    assert (programs.folder / "zone").read_text() == "Europe/Paris\n" and not site.path.exists()
    programs.set("no-right")
    assert step.back() and not step.answer(site, "Europe") and step.answer(site, "London")
    assert written(site) == {"time_zone": "Europe/London"}
    step = TimeZoneStep()
    step.begin(site)
    assert findings(step, site) == [("good", "the clock is set for London")]


def test_wifi_is_joined_with_its_password(site: Site, programs: Programs) -> None:
    step = WifiStep()
    step.begin(site)
    assert labels(step, site)[:3] == ["Home", "Café", "Anna:s \\ flat"]
    assert not step.answer(site, "network:Home")
    assert step.question(site).entry is not None
    with pytest.raises(CardtableError, match="at least 8 characters"):
        step.answer(site, "password:short")
    with pytest.raises(CardtableError, match="is the password right"):
        step.answer(site, "password:wrong-horse")
    assert step.answer(site, "password:correct-horse")
    assert step.back()
    step.begin(site)
    assert findings(step, site) == [("good", "the table is connected to Home")]
    assert step.question(site).forward is not None
    assert step.answer(site, "network:Café")  # an open one needs no password


def test_the_table_makes_a_network_of_its_own(site: Site, programs: Programs) -> None:
    step = WifiStep()
    step.begin(site)
    assert step.question(site).forward is None
    assert not step.answer(site, "hotspot")
    question = step.question(site)
    assert question.code.startswith("WIFI:T:WPA;S:cardtable;P:") and question.forward is not None
    programs.set("not-running")
    step.begin(site)
    assert findings(step, site)[0][1].startswith("NetworkManager is not running")


def test_a_phone_gets_a_pin_and_the_address(site: Site) -> None:
    step = PhoneStep()
    assert not step.answer(site, "pin:2468")
    assert site.pin == "2468" and step.question(site).code == "http://192.168.1.23:8015/phone"
    assert step.back() and not step.back()


def test_buttons_are_found_by_pressing_them(site: Site) -> None:
    site.path.write_text("[[seat]]\nseat = 1\nlight = 23\n")
    site = Site(site.path.parent)
    factory = MockFactory(revision="c04170")
    step = ButtonsStep(lambda: factory)
    step.begin(site)
    factory.pin(23).drive_low()  # the light of seat 1 is not a button
    factory.pin(22).drive_low()
    factory.pin(22).drive_high()
    factory.pin(22).drive_low()
    assert findings(step, site) == [("good", "seat 0: the button on GPIO 22")]
    factory.pin(17).drive_low()
    assert findings(step, site)[1] == ("good", "seat 1: the button on GPIO 17")
    assert labels(step, site) == ["That was the last button", "Seat 2 has no button"]
    assert not step.answer(site, "without")
    factory.pin(5).drive_low()
    assert findings(step, site)[2] == ("good", "seat 3: the button on GPIO 5")
    assert step.answer(site, "done")
    step.end(site)
    assert written(site)["seat"] == [
        {"seat": 1, "light": 23, "button": 17},
        {"seat": 0, "button": 22},
        {"seat": 3, "button": 5},
    ]
    gpiozero.DigitalInputDevice(17, pin_factory=factory).close()  # the pins are free again
    step.begin(site)
    assert findings(step, site) == [("good", "seats with a button in table.toml: 1, 0, 3")]


def test_readers_are_found_by_laying_a_card(site: Site, stepped: SimulatedBoard) -> None:
    def look() -> None:
        for _ in range(10):
            stepped.run(0.2)
            step.look(site)

    def opened() -> Bridge:
        return stepped_bridge("board", None, lambda: stepped.time, lambda address: SteppedPort(stepped))

    step = ReadersStep(opened)
    step.begin(site)
    look()
    assert str(step.question(site).text).startswith("Lay a card with a tag on a reader. ")
    stepped.lay(1, "04A1B2C3")
    look()
    assert str(step.question(site).text) == "Reader 1 sees a card. What lies above it?"
    assert not step.answer(site, "zone:play 0")
    stepped.lay(0, "04A1B2C4")
    look()
    assert not step.answer(site, "zone:turn-up")
    assert [each for _, each in findings(step, site)] == [
        "reader 0: the card that is turned up",
        "reader 1: seat 0: the cards that are played",
    ]
    assert not step.answer(site, "done")
    assert str(step.question(site).title) == "Tags"
    assert step.answer(site, "later")
    assert written(site) == {"reader": [{"port": "auto", "zones": ["turn-up", "play 0"]}]}
    assert labels(step, site) == ["Find the readers again, and learn tags"]
    assert not step.answer(site, "find-again")
    assert written(site) == {}


def test_a_card_is_named(site: Site) -> None:
    step = CardStep()
    assert findings(step, site) == [("warning", "no card is seen")] and step.question(site).forward is None
    card: Any = {"source": "camera", "card": None, "label": "not read", "zone": None, "seat": None, "sure": False}
    site.seen = [card]
    assert findings(step, site) == [("warning", "a card lies there that cannot be read")]
    site.seen = [card | {"card": "QS", "label": "Q♠", "sure": True}]
    assert findings(step, site) == [("good", "this is Q♠")] and step.question(site).forward is not None


def test_the_configuration_that_is_left_is_valid(site: Site) -> None:
    for step, answer in ((LanguageStep(), "fr"), (CameraStep(), "60")):
        step.answer(site, answer)
    config = read_config(site.path)
    assert (config.language, config.cameras[0].flicker) == ("fr", 60)


def test_an_ordinary_machine_is_asked_at_most_six_pages(site: Site, programs: Programs) -> None:
    """Language, Wi-Fi, phone, camera, mat, card; what is not there is not asked for."""

    def pages(first_start: FirstStart) -> list[str]:
        shown = []
        while not first_start.is_over:
            shown.append(first_start.step.name)
            assert first_start.place() == (len(shown), len(first_start.state(str)["steps"]))
            first_start.do("skip", shown[-1])
        return shown

    programs.zone("Europe/Paris")
    site.pipelines, site.in_network = [pipeline(np.full((90, 160, 3), 120, np.uint8))], True
    site.camera_says("picture", "good")
    assert pages(FirstStart(all_steps(), site)) == ["language", "wifi", "phone", "camera", "mat", "card"]
    programs.set("no-wifi")
    assert pages(FirstStart(all_steps(), site)) == ["language", "phone", "camera", "mat", "card"]
    site.pipelines, site.checks, site.in_network = [], [], False
    assert pages(FirstStart(all_steps(), site)) == ["language", "camera"]


def test_a_table_without_a_configuration_begins_with_the_first_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    args = Namespace(config="table.toml", port=None, network=False, journal=None)
    assert run._configuration(args).first_start and Path("table.toml").exists()
    with pytest.raises(ConfigError, match=r"there is no file other\.toml"):  # a name that was typed may be wrong
        run._configuration(Namespace(**vars(args) | {"config": "other.toml"}))
