"""The doctor's checks of RFID readers: the real firmware on a simulated reader board, with and without faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import serial

from cardtable.config.devices import ReaderConfig
from cardtable.config.load import read_config
from cardtable.doctor import Finding, devices
from cardtable.doctor.devices import BOARD_TIMEOUT_S
from engine.cards import STANDARD_DECK
from engine.observations import ActionCard, Zone
from firmware_bridge.bridge import Bridge, stepped_bridge
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from firmware_bridge.tags import TagTable

ZONES = ("play 0", "play 1", "turn-up", "", "say 0")


def config(folder: Path, zones: tuple[str, ...] = ZONES) -> ReaderConfig:
    return ReaderConfig(port="/dev/none", tags=folder / "tags.json", zones=zones)


@pytest.fixture
def bridge(stepped: SimulatedBoard) -> Iterator[Bridge]:
    def clock() -> float:
        stepped.run(0.004)
        return stepped.time

    with closing(stepped_bridge(stepped.port, None, clock, lambda address: SteppedPort(stepped))) as bridge:
        yield bridge


def findings_of(bridge: Bridge, reader: ReaderConfig) -> list[Finding]:
    findings = list(devices.check_board(bridge, reader, "readers"))
    assert all((finding.state == "good") == (finding.advice == "") for finding in findings)
    return findings


def test_all_is_well(bridge: Bridge, tmp_path: Path) -> None:
    board, each = findings_of(bridge, config(tmp_path))
    assert (board.state, each.state) == ("good", "good")
    assert board.text.endswith("has 8 readers and firmware 1.1")
    assert each.text == "4 of 4 readers answer: 0 (play 0), 1 (play 1), 2 (turn-up), 4 (say 0)"


def test_a_detached_reader_and_one_that_hangs(stepped: SimulatedBoard, bridge: Bridge, tmp_path: Path) -> None:
    stepped.run(1.0)
    stepped.attach(1, False)
    stepped.attach(3, False)  # not used by the configuration
    stepped.run(0.3)
    stepped.hang(2)
    stepped.run(0.3)
    board, off, hangs, rest = findings_of(bridge, config(tmp_path))
    assert board.state == "good"
    assert (off.state, off.text) == ("trouble", "reader 1 (play 1) does not answer, or hangs")
    assert "its own SDA" in off.advice
    assert (hangs.state, hangs.text) == ("trouble", "reader 2 (turn-up) does not answer, or hangs")
    assert rest.text == "2 of 4 readers answer: 0 (play 0), 4 (say 0)"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("chip", [0x12, 0x88, 0x89, 0xB2])
def test_a_copy_of_the_chip(stepped: SimulatedBoard, bridge: Bridge, tmp_path: Path, chip: int) -> None:
    """The numbers of miguelbalboa/rfid#428 and #616."""
    stepped.copy(1, chip)
    stepped.run(1.0)
    board, copy, rest = findings_of(bridge, config(tmp_path))
    assert (board.state, rest.state) == ("good", "good")
    assert (copy.state, copy.text) == ("warning", f"reader 1 (play 1) has a copy of its chip (number 0x{chip:02X})")


def test_more_readers_in_the_configuration_than_on_the_board(
    bridge: Bridge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = config(tmp_path).model_copy(update={"zones": (Zone("play", 0), *[None] * 7, Zone("play", 1))})
    _, missing, rest = findings_of(bridge, reader)
    assert (missing.state, missing.text) == ("trouble", "the reader board has no reader 8 (play 1)")
    assert rest.text == "1 of 2 readers answers: 0 (play 0)"


def test_another_firmware(bridge: Bridge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "FIRMWARE", "1.7")
    board, _ = findings_of(bridge, config(tmp_path))
    assert board.state == "warning" and board.text.endswith("firmware 1.1, this program comes with 1.7")


def test_a_bad_cable(stepped: SimulatedBoard, bridge: Bridge, tmp_path: Path) -> None:
    stepped.noise(0.05, seed=4)
    *_, cable = findings_of(bridge, config(tmp_path))
    assert cable.state == "warning" and "damaged on the cable" in cable.text


def test_a_board_without_power(stepped: SimulatedBoard, bridge: Bridge, tmp_path: Path) -> None:
    stepped.power(False)
    before = stepped.time
    (finding,) = findings_of(bridge, config(tmp_path))
    assert finding.state == "trouble" and finding.text.startswith("Nothing answers at")
    assert "is the firmware on it" in finding.text and finding.advice
    assert stepped.time < before + BOARD_TIMEOUT_S


def test_no_board_and_no_permission(tmp_path: Path) -> None:
    (finding,) = findings_of(Bridge("/dev/no-such-board", wait=0.0), config(tmp_path))
    assert finding.text == "The reader board is not connected (/dev/no-such-board): plug in its USB cable."

    def refused(address: str, wait: float) -> SteppedPort:
        raise PermissionError(13, "Permission denied")

    (finding,) = findings_of(Bridge("/dev/ttyACM0", wait=0.0, opener=refused), config(tmp_path))
    assert finding.text.startswith("You have no permission to open /dev/ttyACM0: ") and "dialout" in finding.text
    (finding,) = findings_of(Bridge("auto", wait=0.0, find_ports=lambda spec: ()), config(tmp_path))
    assert finding.text == "No reader board is plugged in: connect the readers' USB cable." and finding.advice


def test_the_port_is_in_use_by_the_table(board: SimulatedBoard, tmp_path: Path) -> None:
    with serial.Serial(board.port, exclusive=True):
        (finding,) = findings_of(Bridge(board.port, wait=0.0), config(tmp_path))
    assert finding.state == "warning" and "if that is the table, nothing is wrong" in finding.advice


def test_events_are_left_for_the_table(stepped: SimulatedBoard, bridge: Bridge, tmp_path: Path) -> None:
    stepped.lay(0, "04a1b2c3")
    stepped.run(1.0)
    findings_of(bridge, config(tmp_path))
    hello = bridge.link.hello
    assert hello is not None and hello.oldest == 0 and hello.next == 1


def test_tags(tmp_path: Path) -> None:
    reader = config(tmp_path)
    none = devices.tags(reader, "all-fives", "readers")
    assert none.state == "trouble" and "52 cards of all-fives have none" in none.text
    assert none.command == f"cardtable tags learn --game all-fives --tags {reader.tags}"
    table = TagTable(reader.tags)
    for number, card in enumerate(STANDARD_DECK):
        table.learn(f"{number + 1:08x}", card)
    assert devices.tags(reader, "all-fives", "readers").state == "warning"  # words: a reader lies in a say zone
    assert devices.tags(config(tmp_path, ("play 0",)), "all-fives", "readers").state == "good"
    for number, word in enumerate(("stand", "beg", "take-one", "change", "revoke", "call")):
        table.learn(f"{number + 100:08x}", ActionCard(word))
    assert devices.tags(reader, "all-fives", "readers").state == "good"
    reader.tags.write_text("[]", "utf-8")
    assert devices.tags(reader, "all-fives", "readers").state == "trouble"


@pytest.mark.parametrize(
    ("zones", "source", "message"),
    [
        (
            ["play 0", "play 1", "turn-up"],
            "",
            "neither a camera nor a reader sees these zones of all-fives: show 0, show 1",
        ),
        (["play 0", "play 1", "turn-up", "show 0", "show 1"], "", None),
        (["play 0"], 'source = "usb:0"\n', None),
    ],
)
def test_an_uncovered_zone(tmp_path: Path, zones: list[str], source: str, message: str | None) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'game = "all-fives"\nplayers = ["Ann", "Bo"]\n{source}[[reader]]\nzones = {zones}\n', "utf-8")
    found = [finding.text for finding in devices.uncovered(read_config(file))]
    assert found == ([] if message is None else [message])
