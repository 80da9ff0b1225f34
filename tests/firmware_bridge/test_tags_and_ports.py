"""The table of tags, raw recordings, serial ports, and the texts about reader boards that cannot be reached."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import serial

from engine.cards import UnknownCard, parse_card
from engine.observations import ActionCard
from engine.texts import Text
from firmware_bridge import bridge
from firmware_bridge.bridge import candidate_ports, cannot_open, connection_lost, incompatible, open_port
from firmware_bridge.frames import FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected, Incompatible
from firmware_bridge.messages import Hello
from firmware_bridge.recorder import Recorder, replay
from firmware_bridge.tags import TagsError, TagTable, parse_face

QS, KS = parse_card("QS"), parse_card("KS")

# The table of tags


def test_faces() -> None:
    assert parse_face("QS") is QS
    assert parse_face("say:take-one") == ActionCard("take-one")
    for wrong in ("say:", "", "XX", "say"):
        with pytest.raises(UnknownCard):
            parse_face(wrong)


def test_tags_are_stored_in_order_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "tags.json"
    table = TagTable(path)
    assert len(table) == 0 and list(table) == [] and table.face("04a1b2c3") is None
    table.learn("04a1b2c3", QS)
    table.learn("04a1b2c3d4e5f6", ActionCard("beg"))
    assert path.read_text("utf-8") == '{"tags": {\n  "04a1b2c3": "QS",\n  "04a1b2c3d4e5f6": "say:beg"\n }\n}\n'.replace(
        '{"tags"', '{\n "tags"'
    )
    assert list(tmp_path.iterdir()) == [path]
    table = TagTable(path)
    assert table.path == path and len(table) == 2
    assert list(table) == [("04a1b2c3", QS), ("04a1b2c3d4e5f6", ActionCard("beg"))]
    assert table.face("04a1b2c3") is QS and table.uids(QS) == ("04a1b2c3",) and table.uids(KS) == ()
    table.learn("00000001", QS, instead=("04a1b2c3", "ffffffff"))
    assert TagTable(path).uids(QS) == ("00000001",)


def test_symbolic_link_to_the_table_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "tags.json")
    TagTable(tmp_path / "link.json").learn("04a1b2c3", QS)
    assert (tmp_path / "link.json").is_symlink() and TagTable(tmp_path / "tags.json").face("04a1b2c3") is QS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"tags": {"04A1B2C3": "QS"}}', "{path}: '04A1B2C3' is not a tag: 8 or 14 hexadecimal digits"),
        ('{"tags": {"04a1b2c3d4": "QS"}}', "{path}: '04a1b2c3d4' is not a tag: 8 or 14 hexadecimal digits"),
        ('{"tags": {"04a1b2c3": "XX"}}', "{path}: {unknown}"),
        ("[]", "{path} is not a file of tags: cardtable tags learn makes one"),
        ("{}", "{path} is not a file of tags: cardtable tags learn makes one"),
        ('{"tags": []}', "{path} is not a file of tags: cardtable tags learn makes one"),
        ("tags", "{path} is not a file of tags: cardtable tags learn makes one"),
    ],
)
def test_invalid_table_of_tags(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "tags.json"
    path.write_text(content, "utf-8")
    with pytest.raises(UnknownCard) as unknown:
        parse_card("XX")
    with pytest.raises(TagsError) as error:
        TagTable(path)
    assert str(error.value) == message.format(path=path, unknown=unknown.value)


def test_table_of_tags_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(TagsError) as error:
        TagTable(tmp_path)
    assert str(error.value) == f"{tmp_path} cannot be read: Is a directory"
    table = TagTable(tmp_path / "none" / "tags.json")
    with pytest.raises(TagsError) as error:
        table.learn("04a1b2c3", QS)
    assert str(error.value) == f"{table.path} cannot be written: No such file or directory"
    with pytest.raises(TagsError) as error:
        table.learn("04a1b2", QS)
    assert str(error.value) == "'04a1b2' is not a tag: 8 or 14 hexadecimal digits"


# Raw recordings


def test_lines_of_a_recording() -> None:
    file = io.StringIO()
    recorder = Recorder(file)
    recorder.opened(10.0, 3, None)
    recorder.received(10.1234567, b"\0\xff")
    recorder.sent(12.0, b"\1")
    recorder.opened(13.0, 4, Checkpoint(5, 6))
    assert recorder.trouble is None
    assert file.getvalue().splitlines() == [
        '{"t": 0.0, "opened": 3, "mark": null}',
        '{"t": 0.123457, "in": "00ff"}',
        '{"t": 2.0, "out": "01"}',
        '{"t": 3.0, "opened": 4, "mark": [5, 6]}',
    ]


def test_recording_stops_at_the_first_error() -> None:
    class Full(io.StringIO):
        writes = 0

        def write(self, text: str, /) -> int:
            self.writes += 1
            raise OSError(errno.ENOSPC, "full")

    file = Full()
    recorder = Recorder(file)
    recorder.sent(1.0, b"\1")
    recorder.sent(2.0, b"\1")
    assert recorder.trouble is not None and recorder.trouble.errno == errno.ENOSPC and file.writes == 1


def test_replay_uses_the_checkpoint_of_the_first_connection() -> None:
    payload = bytes((1, 1, 0, 0, 0, 0, 1, 3, 0, 6, 0, 0, 0))
    hello = encode(SerialFrame(FrameKind.BOARD_HELLO, 5, 6, payload)).hex()
    lines = ['{"t": 0, "opened": 3, "mark": [5, 6]}', '{"t": 0.5, "out": "00"}', f'{{"t": 1.5, "in": "{hello}"}}']
    lines += ['{"t": 4.5}', '{"t": 5, "opened": 3, "mark": null}', f'{{"t": 5.5, "in": "{hello}"}}']
    updates = list(replay(lines))
    assert [(time, update.restarted) for time, update in updates if isinstance(update, Connected)] == [
        (1.5, False),
        (5.5, False),
    ]


@pytest.mark.parametrize(
    "line", ["", "3", "{}", '{"t": "x"}', '{"t": 1, "in": "0"}', '{"t": 1, "opened": "x"}', '{"t": 1, "opened": 65536}']
)
def test_invalid_line_of_a_recording(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2 is not a line of a recorded session$"):
        list(replay(['{"t": 0, "opened": 3}', line]))
    with pytest.raises(ValueError, match=r"^line 1: a recorded session begins with a connection opened$"):
        list(replay(['{"t": 0}']))


# Serial ports


def test_candidate_ports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, usb_devices: list[SimpleNamespace]) -> None:
    devices = [("/dev/ttyS0", None), ("/dev/ttyUSB1", 0x1234), ("/dev/ttyACM1", 0x2341), ("/dev/ttyACM0", 0x10C4)]
    usb_devices += [SimpleNamespace(device=device, vid=vendor) for device, vendor in devices]
    monkeypatch.setattr(bridge, "_BY_ID", tmp_path / "none")
    assert candidate_ports("/dev/ttyACM7") == ("/dev/ttyACM7",)
    assert candidate_ports("auto") == ["/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyUSB1"]
    for name, device in (("other", "/dev/ttyUSB1"), ("board", "/dev/ttyACM1")):
        (tmp_path / name).symlink_to(device)
    monkeypatch.setattr(bridge, "_BY_ID", tmp_path)
    assert candidate_ports("auto") == ["/dev/ttyACM0", str(tmp_path / "board"), str(tmp_path / "other")]


def test_settings_of_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []
    port = object()

    def serial_for_url(address: str, **settings: Any) -> object:
        calls.append((address, settings))
        return port

    monkeypatch.setattr(serial, "serial_for_url", serial_for_url)
    assert open_port("/dev/a", 0.3) is port
    assert calls == [("/dev/a", {"baudrate": 115200, "timeout": 0.3, "write_timeout": 2.0, "exclusive": True})]


# Texts


def _hidden(number: int) -> OSError:
    """An error of pyserial, which has no errno of its own."""
    try:
        try:
            raise OSError(number, "inner")
        except OSError:
            raise serial.SerialException("outer")  # noqa: B904
    except serial.SerialException as error:
        assert isinstance(error, OSError)
        return error


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("x:", ValueError(), "x: is not the address of a port: give a device, or socket://host:port."),
        (
            "socket://x:1",
            OSError(errno.EACCES, ""),
            "socket://x:1 cannot be reached: make sure that the other computer is on and "
            "shares the reader board's port.",
        ),
        (
            "/dev/a",
            OSError(errno.EACCES, ""),
            "You have no permission to open /dev/a: sudo usermod -a -G dialout $USER, then log in again.",
        ),
        (
            "/dev/a",
            _hidden(errno.EPERM),
            "You have no permission to open /dev/a: sudo usermod -a -G dialout $USER, then log in again.",
        ),
        (
            "/dev/a",
            OSError(errno.EBUSY, ""),
            "Another program uses /dev/a: close it (the Arduino IDE's serial monitor, or another card table).",
        ),
        (
            "/dev/a",
            _hidden(errno.EAGAIN),
            "Another program uses /dev/a: close it (the Arduino IDE's serial monitor, or another card table).",
        ),
        (
            "/dev/a",
            OSError(errno.ENOTTY, ""),
            "/dev/a is not a serial port: give the reader board's port, as ls /dev/serial/by-id shows it, or auto.",
        ),
        ("/dev/a", OSError(errno.ENOENT, ""), "The reader board is not connected (/dev/a): plug in its USB cable."),
        ("/dev/a", OSError("without a number"), "The reader board is not connected (/dev/a): plug in its USB cable."),
    ],
)
def test_texts_about_a_port_that_cannot_be_opened(address: str, error: OSError | ValueError, message: str) -> None:
    text = cannot_open(address, error)
    assert text == message
    assert isinstance(text, Text) and text.values == {"port": address}


def test_a_missing_port_names_the_devices_that_are_there(usb_devices: list[SimpleNamespace]) -> None:
    usb_devices.append(SimpleNamespace(device="/dev/ttyUSB7", vid=0x1A86))
    assert cannot_open("/dev/ttyUSB6", OSError(errno.ENOENT, "")) == (
        "The reader board is not connected at /dev/ttyUSB6, but a USB device is at /dev/ttyUSB7. "
        'If that is the reader board, write its port, or "auto" for the only one, under [[reader]] in table.toml.'
    )


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/dev/a", "The reader board's cable is unplugged (/dev/a): plug it in again."),
        (
            "socket://x:1",
            "The connection to socket://x:1 was lost: "
            "make sure that the other computer is on and the reader board is plugged into it.",
        ),
        (None, "The reader board's cable is unplugged (None): plug it in again."),
    ],
)
def test_texts_about_a_lost_connection(address: str | None, message: str) -> None:
    assert connection_lost(address, OSError(errno.EIO, "gone")) == message


@pytest.mark.parametrize(
    ("protocol", "older"),
    [(0, "the reader board's firmware is older"), (2, "this program is older"), (1, "this program is older")],
)
def test_texts_about_another_protocol(protocol: int, older: str) -> None:
    hello = Hello(1, 0, protocol, "?", 0, 0, 0, 0, 0, 0, 0)
    assert incompatible(Incompatible(hello), "/dev/a") == (
        f"The reader board at /dev/a speaks protocol {protocol}, this program speaks 1: {older}; "
        "put the firmware that came with this program on the reader board (docs/how-to/rfid.md)."
    )


def test_text_about_another_device() -> None:
    assert incompatible(Incompatible(None), "/dev/a") == (
        "The device at /dev/a is not a card table's reader board: "
        "give the right port, or put the firmware on it (docs/how-to/rfid.md)."
    )
