"""The configuration is read strictly; every mistake is reported with its line and a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.config.devices import CameraConfig
from cardtable.config.load import ConfigError, read_config
from cardtable.config.model import BoardConfig
from engine.observations import Zone
from engine.record import Header
from tests.cardtable.config.configs import GOOD, read, refusal
from vision.cameras.settings import CameraSettings


def test_game_and_players_are_enough(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert config.header == Header("all-fives", ("Ann", "Bo"))
    assert config.cameras == (CameraConfig(source="usb:0"),)
    assert (config.board.host, config.board.port) == ("127.0.0.1", 8015)
    assert config.journal == tmp_path / "journal.sqlite"


def test_every_section_is_read(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        GOOD
        + 'dealer = 1\nmarks = ["qr", "aruco"]\njournal = "games/j.sqlite"\n'
        + '[options]\ntarget = 31\nrevoke_bonus = true\n[board]\nport = 0\nhosts = ["table.local"]\n'
        + '[[cameras]]\nname = "above"\nsource = "video:a.mp4"\ncalibration = "above.json"\n'
        + '[[cameras]]\nname = "side"\nsource = "usb:1"\n',
    )
    assert config.header == Header("all-fives", ("Ann", "Bo"), 1, {"target": 31, "revoke_bonus": True})
    assert config.marks == ("qr", "aruco")
    assert config.journal == tmp_path / "games" / "j.sqlite"
    above, side = config.cameras
    assert (above.source, above.calibration) == (f"video:{tmp_path / 'a.mp4'}", tmp_path / "above.json")
    assert (side.source, side.calibration) == ("usb:1", None)
    assert config.board == BoardConfig(port=0, hosts=("table.local",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "[board]\nprot = 8015\n", ", line 4: there is no key 'board.prot'; did you mean 'port'?"),
        ('gmae = "all-fives"\nplayers = ["Ann"]\n', ", line 1: there is no key 'gmae'; did you mean 'game'?"),
        (GOOD + "xyzzy = 1\n", ", line 3: there is no key 'xyzzy'; known: game, players"),
        ('game = "all-fives"\nplayers = ["Ann", " "]\n', ", line 2: 'players' is empty; for example: players = ["),
        ('game = "all-fives"\nplayers = ["Ann", "Ann "]\n', ", line 2: Ann and Ann look alike; give each"),
        (GOOD + '[[cameras]]\nsource = "usb:0"\n[[cameras]]\nsauce = "x"\n', "line 6: there is no key 'cameras.sauce'"),
        ('players = ["Ann", "Bo"]\n[options]\ntarget = 5\n', ", line 2: options belong to a game: name it: game = "),
        ('game = "all-fives"\ndealer = 0\n', ", line 2: the dealer is one of the players: name them: players = "),
        ('game = "mah-jongg"\n', ", line 1: there is no game 'mah-jongg'"),
        (GOOD + '[[reader]]\nname = "x"\n', ": the key 'reader.zones' is missing; for example: zones = "),
        (GOOD + 'marks = ["fcaes"]\n', ", line 3: 'marks' is 'fcaes', which is not one of 'faces', 'qr', 'aruco'"),
        (GOOD + 'marks = "faces"\n', ", line 3: 'marks' is 'faces': it should be a list in brackets"),
        (GOOD + '[board]\nport = "8015"\n', ", line 4: 'board.port' is '8015': it should be a whole number"),
        (GOOD + "[board]\nport = 99999\n", ", line 4: 'board.port' is 99999: it should be 65535 or less"),
        (GOOD + "[options]\ntarget = [61]\n", "'options.target' should be a number, true, false or a text"),
        ('game = "all-fives\n', ", line 1 is not TOML (illegal character"),
        ('game = "all-fives"\nplayers = ["Ann",\n', ", line 2 is not TOML (invalid value at the end of the file)"),
        (GOOD + "options = 5\n", ", line 3: 'options' has keys of its own: write [options] and below it"),
        (GOOD + "seat = [1]\n", ", line 3: 'seat' has keys of its own: write [[seat]] and below it"),
        (GOOD + "marks = []\n", ", line 3: 'marks' is empty; for example: marks = [\"faces\"]"),
        (GOOD + "journal = 5\n", ", line 3: 'journal' is 5: it should be the path of a file, in quotes"),
        (GOOD + "dealer = 2\n", ", line 3: 'dealer' is a seat from 0 to 1, not 2"),
        (GOOD + "[options]\ntagret = 5\n", ", line 4: All Fives has no option 'tagret'; did you mean 'target'?"),
        (GOOD + '[options]\ntarget = "a"\n', ", line 4: option 'target' is a whole number from 1, not 'a'"),
        (GOOD.replace("fives", "fivs"), ", line 1: there is no game 'all-fivs'; did you mean 'all-fives'?"),
        ('game = "all-fives"\nplayers = ["Ann", ""]\n', ", line 2: 'players' is empty; for example: players = ["),
        (
            GOOD + '[[cameras]]\nsource = "usb:0"\n[[cameras]]\nsource = "usb:1"\n',
            ", line 5: two cameras have the same name",
        ),
        (GOOD + "[[seat]]\nseat = 2\n", ", line 4: [[seat]]: there is no seat 2: the seats are 0 to 1"),
        (GOOD + "[[seat]]\nseat = 1\n[[seat]]\nseat = 1\n", ", line 6: two [[seat]] tables are about the same seat"),
        (
            GOOD + "[[seat]]\nseat = 0\n[[seat]]\nseat = 1\nbutton = true\n",
            ", line 7: 'seat.button' is True: it should be a pin: 17",
        ),
        (
            GOOD + "[[seat]]\nseat = 0\nlight = [1, 2]\n",
            ", line 5: 'seat.light' is [1, 2]: it should be one pin, or three in brackets",
        ),
        (GOOD + "[[seat]]\nseat = 0\nligth = 1\n", ", line 5: there is no key 'seat.ligth'; did you mean 'light'?"),
        (
            GOOD + "[[seat]]\nseat = 0\nencoder = 20\n",
            "'seat.encoder' is 20: it should be the two pins of the encoder's contacts",
        ),
        (GOOD + "[[seat]]\nbutton = 17\n", ", line 3: the key 'seat.seat' is missing; for example: seat = 0"),
        (GOOD + "[seat]\nseat = 0\n", ", line 3: there may be several of 'seat': write [[seat]], in double brackets"),
        (GOOD + "[buzzer]\nsounds = []\n", ", line 3: the key 'buzzer.pin' is missing; for example: pin = 22"),
        (
            GOOD + '[[display]]\nkind = "ssd1307"\n',
            ", line 4: 'display.kind' is 'ssd1307': it should be the name of a display; did you mean",
        ),
        (GOOD + '[[display]]\nkind = "png"\n', ", line 3: [[display]]: a png needs the file that it writes"),
        (GOOD + '[[display]]\nkind = "st7789"\nseat = 7\n', ", line 5: [[display]]: there is no seat 7"),
        (
            GOOD + '[voice]\nsay = "all"\n',
            ", line 4: 'voice.say' is 'all', which is not one of 'off', 'prompts', 'every",
        ),
        (
            GOOD + '[voice]\ncommand = "espeak-ng"\n',
            ", line 4: 'voice.command' is 'espeak-ng': it should be a program and its arguments",
        ),
        (GOOD + 'language = "xx"\n', ", line 3: 'language' is 'xx', which is not one of 'en', "),
        (
            GOOD + 'source = "usb:0"\n[[cameras]]\nsource = "usb:1"\n',
            ", line 3: 'source' is for a table with one camera",
        ),
        (
            GOOD + '[camera]\nfps = 15\n[[cameras]]\nsource = "usb:1"\n',
            ", line 3: '[camera]' is for a table with one camera",
        ),
        (
            GOOD + 'source = "usb:0"\n[camera]\nsource = "usb:1"\n',
            ", line 5: 'source' is set twice, at the top and in [camera]",
        ),
        (
            GOOD + '[camera]\nexposure = "fixed"\n',
            ', line 4: \'camera.exposure\' is \'fixed\': it should be "auto", "lock", "cards", or millisec',
        ),
        (
            GOOD + "[camera]\nwhite_balance = 90\n",
            '\'camera.white_balance\' is 90: it should be "auto", "lock", or kelvin from 1000',
        ),
        (GOOD + "[camera]\nexposur = 9\n", ", line 4: there is no key 'camera.exposur'; did you mean 'exposure'?"),
        (GOOD + "[[camera]]\nfps = 9\n", ", line 3: 'camera' has keys of its own: write [camera]"),
        (GOOD + '[[cameras]]\nname = "a"\n', ", line 3: the key 'cameras.source' is missing"),
        # The line is found for inline tables and dotted keys, and after a text that looks like a section.
        (GOOD + 'voice = { say = "al" }\n', ", line 3: 'voice.say' is 'al'"),
        (GOOD + 'journal = "a"\nboard.port = "x"\n', ", line 4: 'board.port' is 'x'"),
        (GOOD + 'journal = """\n[voice]\nsay = 1"""\n[voice]\n# how much\nsay = "x"\n', ", line 8: 'voice.say'"),
        ('game = "all-fives"\nplayers = [\n  "Ann",\n  3,\n]\n', ", line 2: 'players' is 3"),
        (GOOD.replace("Bo", "B" * 41), "it should have 40 letters at most"),
        (GOOD + '[board]\nhost = ""\n', ", line 4: 'board.host' is empty; for example: host = \"127.0.0.1\""),
        (GOOD + 'source = "ubs:0"\n', ", line 3: 'ubs:0' is not a camera; did you mean 'usb'?; write usb:…, picamera"),
        (GOOD + '[camera]\nsource = "usb:front"\n', ", line 4: 'usb:front' is not a camera: write usb:0"),
        (
            GOOD + '[[cameras]]\nsource = "url:camera"\n',
            ", line 4: 'camera' is not an address: write one like url:http",
        ),
        (
            GOOD + '[[seat]]\nseat = 0\nbutton = 17\n[[seat]]\nseat = 1\nlight = [5, "BOARD11", 6]\n',
            ", line 6: GPIO17 is used twice: for the button of seat 0 and for the light of seat 1; move one of them",
        ),
        (
            GOOD + "[[seat]]\nseat = 1\nencoder = [3, 3]\n",
            ", line 3: GPIO3 is used twice: for the encoder of seat 1 and",
        ),
        (
            GOOD + '[buzzer]\npin = 3\n[[display]]\nkind = "ssd1306"\n',
            ", line 5: GPIO3 is used twice: for the buzzer and for the ssd1306 display; move one of them",
        ),
        (
            GOOD + '[[display]]\nkind = "ssd1306"\n[[display]]\nkind = "sh1106"\naddress = 0x3C\n',
            ", line 7: two displays have the address 0x3C on I2C bus 1: give each its own: address = 0x3D",
        ),
        (
            GOOD + '[[display]]\nkind = "png"\nfile = "a.png"\n[[display]]\nkind = "png"\nfile = "a.png"\n',
            ", line 8: two displays write a.png: give each its own file",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_a_suggestion(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, text)


def test_one_camera_with_settings(tmp_path: Path) -> None:
    asked = '[camera]\nexposure = 8\nwhite_balance = "lock"\nwidth = 1280\nheight = 720\n'
    (camera,) = read(tmp_path, GOOD + 'source = "usb:2"\n' + asked).cameras
    assert (camera.name, camera.source, camera.calibration) == ("camera", "usb:2", None)
    assert camera.settings == CameraSettings(1280, 720, 30, 8.0, "lock")
    assert [camera.source for camera in read(tmp_path, GOOD + asked).cameras] == ["usb:0"]
    readers = '[[reader]]\nzones = ["play 0"]\n'
    assert [camera.source for camera in read(tmp_path, GOOD + asked + readers).cameras] == ["usb:0"]
    assert read(tmp_path, GOOD + readers).cameras == ()


def test_the_exposure_of_a_new_table_follows_the_cards(tmp_path: Path) -> None:
    for sections in ("", "[camera]\nflicker = 50\n", '[[cameras]]\nsource = "usb:0"\n'):
        assert [camera.settings.exposure for camera in read(tmp_path, GOOD + sections).cameras] == ["cards"]


def test_a_calibration_file_with_the_default_name_is_used(tmp_path: Path) -> None:
    two = '[[cameras]]\nsource = "usb:0"\n[[cameras]]\nname = "left side"\nsource = "usb:1"\n'
    (tmp_path / "left-side.calibration.json").write_text("{}")
    assert [camera.calibration for camera in read(tmp_path, GOOD + two).cameras] == [
        None,
        tmp_path / "left-side.calibration.json",
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (GOOD + 'source = "usb:0"\n# a comment\nsource = "picamera"\n', 5, "'source' is set in line 3 already"),
        (GOOD + '[camera]\nsource = "usb:0"\n"source" = "usb:1"', 5, None),
        (GOOD + "[board]\nport = 1\nport = 2", 5, "'port' is set in line 4 already"),
        (GOOD + "board.port = 1\nboard.port = 2\n", 4, "'board.port' is set in line 3 already"),
        (GOOD + "[[seat]]\nseat = 0\n[[seat]]\nseat = 1\nseat = 1\n", 7, "'seat' is set in line 6 already"),
    ],
)
def test_a_key_that_is_set_twice(tmp_path: Path, text: str, line: int, message: str | None) -> None:
    error = refusal(tmp_path, text)
    assert f", line {line}" in error
    if message is not None:
        assert f", line {line}: {message}; keep one of the two lines" in error and "column" not in error


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[board]\nport = 1\n[camera]\n[board] # again\n", 6, "[board] begins in line 3 already"),
        ("[[camera]]\n[ camera ]\n", 4, "[camera] begins in line 3 already"),
        ("[camera]\n[[camera]]\n", 4, "[camera] begins in line 3 already"),
        ("camera = 1\n[camera]\n", 4, None),
    ],
)
def test_a_section_that_begins_twice(tmp_path: Path, text: str, line: int, message: str | None) -> None:
    error = refusal(tmp_path, GOOD + text)
    if message is None:
        assert f", line {line} is not TOML" in error
    else:
        assert error.endswith(f", line {line}: {message}; keep one of the two sections")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file .*; write one: cardtable config -o .*table.toml"):
        read_config(tmp_path / "table.toml")


def test_a_byte_order_mark_and_carriage_returns_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_config(path).players == ("Ann", "Bo")
    path.write_bytes(b"\xef\xbb\xbf" + (GOOD + "dealer = 5\n").replace("\n", "\r\n").encode())
    with pytest.raises(ConfigError, match="line 3: 'dealer' is a seat"):
        read_config(path)


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_config(path)


def test_readers_are_read(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        GOOD
        + '[[reader]]\nport = "auto"\nzones = ["play 0", "", "deal 1", "turn-up"]\nbuttons = ["beg 0", "", "undo"]\n',
    )
    assert config.cameras == ()
    (reader,) = config.reader
    assert reader.places == {0: Zone("play", 0), 2: Zone("deal", 1), 3: Zone("turn-up")}
    assert (reader.name, reader.tags) == ("readers", tmp_path / "tags.json")
    both = read(tmp_path, GOOD + 'source = "usb:1"\n[[reader]]\nzones = ["play 0"]\n')
    assert [camera.source for camera in both.cameras] == ["usb:1"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('zones = ["plai 0"]', "does not name a zone"),
        ('zones = ["play"]', "needs the seat that the zone belongs to, like 'play 0'"),
        ('zones = ["turn-up 1"]', "belongs to no player"),
        ("zones = []", "'reader.zones' is empty; for example: zones = "),
        ('zone = ["play 0"]', "there is no key 'reader.zone'; did you mean 'zones'?"),
        ('zones = ["play 0"]\nbuttons = ["beg"]', "like 'beg 0', or as 'undo'"),
        ('name = "camera"\nzones = ["play 0"]\n[[cameras]]\nsource = "usb:0"', "two sources have the same name"),
        (
            'zones = ["play 0"]\nbuttons = ["bge 0"]',
            "a button says 'bge', which is not a word of all-fives; did you mean 'beg'?",
        ),
        ('zones = ["play 0"]\n[[reader]]\nname = "left"\nzones = ["play 1"]', "which reader board is which?"),
        (
            'port = "a"\nzones = ["play 0"]\n[[reader]]\nname = "b"\nport = "a"\nzones = ["play 1"]',
            "which reader board is",
        ),
        ("", "'reader.zones' is missing"),
    ],
)
def test_a_mistake_in_a_reader_is_reported(tmp_path: Path, lines: str, message: str) -> None:
    assert message in refusal(tmp_path, f"{GOOD}[[reader]]\n{lines}\n")
