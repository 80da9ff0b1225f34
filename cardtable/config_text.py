"""The configuration to begin with: every key of `table.toml`, its default, and what it is for."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Final

from cardtable.terminal import told
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

# [options]
{options}
"""

_TAIL: Final = """
# [board]
# host = "127.0.0.1"  # "0.0.0.0": whoever is in the network reaches the board, and can enter words there
# port = 8015
# hosts = []  # further names that the board may be called by in an address

# What is asked of the camera. Several cameras: a part [[cameras]] for each in the place of this, and no `source` above.
# [camera]
# name = "camera"
# source = "usb:0"  # or "picamera", "url:http://192.168.1.20:8080/video"
# calibration = "camera.calibration.json"  # where its view of the mat is kept
# width = 1920
# height = 1080
# fps = 30
# exposure = "auto"  # "lock": keep what it has found when it was opened; or milliseconds
# white_balance = "auto"  # or "lock", or kelvin
# focus = "auto"  # or "lock", or a number: of the camera's own unit (USB), of dioptres (Raspberry Pi)
# python = "/usr/bin/python3"  # which one has picamera2
# deck = "my-deck"  # a deck of your own: `cardtable deck learn my-deck`

# RFID readers: docs/rfid.md. One part for each board.
# [[reader]]
# name = "readers"
# port = "auto"  # or a device, socket://host:port
# tags = "tags.json"  # which tag is on which card: `cardtable tags learn`
# zones = ["play 0", "play 1"]  # what the readers 0, 1, ... lie under
# buttons = []  # what buttons on the board say: "beg 0", "undo"
# lights = []  # whose the lights on the board are: "seat 0"

# Buttons and lights: docs/seats.md. One part for each seat.
# [[seat]]
# seat = 0
# button = 17  # a GPIO number; the button connects it to ground
# encoder = [20, 21]  # a knob to choose a word; its push is the button
# light = 23  # or three: [red, green, blue]
# in_view = false  # whether the camera sees the light

# [buzzer]
# pin = 22
# sounds = ["pressed", "take-back", "refused", "game-over"]

# Small displays: docs/displays.md. One part for each.
# [[display]]
# kind = "ssd1306"  # the driver chip, or "png" for a picture in a file
# seat = 0  # whose it is; without it everybody sees it
# width = 128
# height = 64
# rotate = 0  # quarter turns clockwise
# bus = "i2c"  # or "spi"
# address = 0x3C
# port = 1
# device = 0
# data_command = 24
# reset = 25
# backlight = 18
# [[display]]
# kind = "png"
# file = "table.png"

# [voice]
# say = "off"  # "prompts", "everything": docs/voice.md
# command = ["espeak-ng", "-v", "{language}", "-s", "150", "--stdin"]
"""


def config_text(header: Header) -> str:
    """A commented `table.toml` for this game and these players, who fit it, its comments as the terminal speaks."""
    options = []
    for option in load_game(header.game).options:
        about = textwrap.shorten(told(option.about), 90, placeholder=" …")
        options.append(f"# {option.name} = {json.dumps(option.default)}  # {about}")
    dealer = f"# dealer = 0  # {told(text('the seat that deals first; without it the cut decides'))}"
    if header.dealer is not None:
        dealer = f"dealer = {header.dealer}  # {told(text('the seat that begins'))}"
    head = _told(_HEAD).format(
        dealer=dealer,
        game=json.dumps(header.game),
        one_of=told(text("one of {games}", games=", ".join(game_names()))),
        players=json.dumps(list(header.players), ensure_ascii=False),
        options="\n".join(options),
    )
    return head + _told(_TAIL)


def comments() -> Iterator[Text]:
    """What stands behind `#` for people, but for what depends on the game."""
    for line in (_HEAD + _TAIL).split("\n"):
        if (comment := _comment(line)) is not None:
            yield comment


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
        lines.append(line if comment is None else line.removesuffix(comment) + told(comment))
    return "\n".join(lines)
