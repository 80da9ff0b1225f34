"""`cardtable config`: write a commented configuration, check one, or print the schema."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import say
from cardtable.terminal.progress import load
from engine.errors import HeaderError
from engine.games import DEFAULT_GAME
from engine.names import plain_name, two_alike
from engine.record import Header
from engine.texts import text

SUMMARY = text("write a commented table.toml, or check one")
ACTIVITY = text("reading the configuration")
EXAMPLE = "cardtable config --game all-fives --players Ann,Bo -o table.toml\n  cardtable config --check table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=text("the game (default: all-fives)"))
    parser.add_argument(
        "--players", default="Ann,Bo", metavar="A,B", help=text("the players' names, clockwise (default: Ann,Bo)")
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=text("write it to FILE, which must not exist yet")
    )
    parser.add_argument("--schema", action="store_true", help=text("print the JSON Schema of table.toml, for editors"))
    parser.add_argument("--check", type=Path, metavar="FILE", help=text("check FILE, and say what is wrong with it"))


def run(args: argparse.Namespace) -> int:
    """Write or print the configuration. With `--check`, raise `UsageError` if it is wrong."""
    load("cardtable.config.load")
    from cardtable.config.writing import config_text

    if args.schema:
        from cardtable.config.writing import config_schema

        print(json.dumps(config_schema(), indent=2))
    elif args.check is not None:
        _check(args.check)
    elif args.output is None:
        print(config_text(_header(args.game, args.players)), end="")
    else:
        _write(args.output, config_text(_header(args.game, args.players)))
    return 0


def _check(path: Path) -> None:
    """Say that the configuration is correct. Raises `UsageError` if it is wrong."""
    from cardtable.config.decks import find_deck, is_printed
    from cardtable.config.load import read_config
    from cardtable.evening.playing import checked

    config = read_config(path)
    checked(config.header)
    for camera in config.cameras:
        if camera.deck is not None and not is_printed(camera.deck):
            find_deck(camera.deck)
    what = text("game and players are chosen on the board")
    if config.chosen:
        what = text("{game}, {players}", game=config.game, players=", ".join(config.players))
    say(text("{check} is correct: {what}", check=path, what=what))


def _header(game: str, players: str) -> Header:
    """Return the header of a game of these players, separated by commas. Raises `UsageError`."""
    from cardtable.config.model import LONGEST_NAME
    from cardtable.evening.playing import checked

    names = tuple(map(plain_name, players.split(",")))
    for name in names:
        if not 0 < len(name) <= LONGEST_NAME:
            raise UsageError(
                text(
                    "config: --players: {name!r} is not a name: write 1 to {longest} letters for each, like Ann,Bo",
                    name=name,
                    longest=LONGEST_NAME,
                )
            )
    if pair := two_alike(names):
        message = "config: --players: {name} and {other} look alike; give each a different name, like Ann,Bo"
        raise UsageError(text(message, name=pair[0], other=pair[1]))
    header = Header(game, names)
    try:
        header.check()
    except HeaderError as error:
        if error.key == "dealer":  # this game has no cut for the deal
            header = replace(header, dealer=0)
        checked(header)
    return header


def _write(path: Path, written: str) -> None:
    """Write a new file. Raises `UsageError` if it exists already, `CardtableError` if it cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(written)
    except FileExistsError as error:
        raise UsageError(
            text("config: {output} exists already; name another file, or check it: --check", output=path)
        ) from error
    except OSError as error:
        raise CardtableError(text("config: {output} cannot be written: {why}", output=path, why=why(error))) from error
    say(text("written: {output}; then: cardtable doctor -c {output}", output=path))
