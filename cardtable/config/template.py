"""The configuration to begin with: every key of `table.toml`, its default, and what it is for."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Final

from cardtable.terminal.output import translated
from engine.games import game_names, load_game
from engine.record import Header
from engine.texts import Text, text

_HEAD: Final = """\
# The configuration of a card table. What stands behind # may be left out: it is the default, or an example.
# docs/configuration.md explains every key; `cardtable config --check table.toml` says what is wrong with it.

game = {game}  # {one_of}
players = {players}  # names, clockwise; seat 0 sits at the bottom edge of the mat
{dealer}
# marks = ["faces"]  # what is printed on the cards: "faces", "qr", "aruco", or several of them
# source = "usb:0"  # the camera
# journal = "journal.sqlite"  # where every game is stored, from this file's folder
# language = "en"  # what is shown and spoken: "en" or "fr"

# The game's own options.
# [options]
{options}
"""

_TAIL: Final = """
# Where the board is served.
# [board]
# host = "127.0.0.1"  # "0.0.0.0": whoever is in the network reaches the board, and can enter words there
# port = 8015  # what stands behind the colon in its address
# hosts = []  # further names that the board may be called by in an address

# What is asked of the camera. Several cameras: a part [[cameras]] for each in the place of this, and no `source` above.
# [camera]
# name = "camera"  # what it is called in messages
# source = "usb:0"  # where its picture comes from; also "picamera", "url:http://192.168.1.20:8080/video"
# calibration = "camera.calibration.json"  # where its view of the mat is kept
# width = 1920  # of its picture, pixels
# height = 1080  # of its picture, pixels
# fps = 30  # pictures a second
# exposure = "auto"  # "lock": keep what it has found when it was opened; or milliseconds
# white_balance = "auto"  # "lock", or kelvin
# focus = "auto"  # "lock", or a number: of the camera's own unit (USB), of dioptres (Raspberry Pi)
# python = "/usr/bin/python3"  # which one has picamera2
# deck = "my-deck"  # a deck of your own: `cardtable deck learn my-deck`

# RFID readers: docs/rfid.md. One part for each board.
# [[reader]]
# name = "readers"  # what it is called in messages
# port = "auto"  # "auto": it is looked for; or a device, or socket://host:port
# tags = "tags.json"  # which tag is on which card: `cardtable tags learn`
# zones = ["play 0", "play 1"]  # what the readers 0, 1, ... lie under
# buttons = []  # what buttons on the board say: "beg 0", "undo"
# lights = []  # whose the lights on the board are: "seat 0"

# Buttons and lights: docs/seats.md. One part for each seat.
# [[seat]]
# seat = 0  # which one, counted from 0
# button = 17  # a GPIO number; the button connects it to ground
# encoder = [20, 21]  # a knob to choose a word; its push is the button
# light = 23  # or three: [red, green, blue]
# in_view = false  # whether the camera sees the light

# One buzzer for the whole table: docs/seats.md.
# [buzzer]
# pin = 22  # a GPIO number
# sounds = ["pressed", "take-back", "refused", "game-over"]  # what it tells

# Small displays: docs/displays.md. One part for each.
# [[display]]
# kind = "ssd1306"  # the driver chip, or "png" for a picture in a file
# seat = 0  # whose it is; without it everybody sees it
# width = 128  # pixels
# height = 64  # pixels
# rotate = 0  # quarter turns clockwise
# bus = "i2c"  # "i2c" or "spi"
# address = 0x3C  # on an I2C bus
# port = 1  # the number of the bus
# device = 0  # the chip select, on an SPI bus
# data_command = 24  # the pin D/C, on an SPI bus
# reset = 25  # the pin RST, on an SPI bus
# backlight = 18  # the pin of the backlight, where there is one
# [[display]]
# kind = "png"
# file = "table.png"  # where the picture is written

# What is spoken: docs/voice.md.
# [voice]
# say = "off"  # "off", "prompts" or "everything"
# command = ["espeak-ng", "-v", "{language}", "-s", "150", "--stdin"]  # what speaks: it gets the words on stdin
"""


def config_text(header: Header) -> str:
    """A commented `table.toml` for this game and these players, who fit it, its comments as the terminal speaks."""
    options = []
    for option in load_game(header.game).options:
        about = textwrap.shorten(translated(option.about), 90, placeholder=" …")
        options.append(f"# {option.name} = {json.dumps(option.default)}  # {about}")
    dealer = f"# dealer = 0  # {translated(text('the seat that deals first; without it the cut decides'))}"
    if header.dealer is not None:
        dealer = f"dealer = {header.dealer}  # {translated(text('the seat that begins'))}"
    head = _told(_HEAD).format(
        dealer=dealer,
        game=json.dumps(header.game),
        one_of=translated(text("one of {games}", games=", ".join(game_names()))),
        players=json.dumps(list(header.players), ensure_ascii=False),
        options="\n".join(options),
    )
    return head + _told(_TAIL)


def comments() -> Iterator[Text]:
    """What stands behind `#` for people, but for what depends on the game."""
    for line in (_HEAD + _TAIL).split("\n"):
        if (comment := _comment(line)) is not None:
            yield comment


def key_comments() -> dict[tuple[str, str], str]:
    """What each key is for, by its part (empty for the top) and name; what a part is for, by its name and no key."""
    found: dict[tuple[str, str], str] = {}
    part = last = ""
    for line in (_HEAD + _TAIL).split("\n"):
        code = line.removeprefix("# ")
        if begun := re.fullmatch(r"\[+(\w+)\]+", code):
            part = begun[1]
            found.setdefault((part, ""), last)
        last = _comment(line) or ""
        if (key := re.match(r"(\w+) = ", code)) and last:
            found.setdefault((part, key[1]), last)
    return found


def _comment(line: str) -> Text | None:
    """Behind a value, or in a line of its own, which ends as a sentence does."""
    _, mark, comment = line.rpartition("  # ")
    if not mark:
        comment = line.removeprefix("# ")
    return text(comment) if "{" not in comment and (mark or line.endswith(".")) else None


def _told(template: str) -> str:
    """The template with its comments in the language of the terminal."""
    lines = []
    for line in template.split("\n"):
        comment = _comment(line)
        lines.append(line if comment is None else line.removesuffix(comment) + translated(comment))
    return "\n".join(lines)
