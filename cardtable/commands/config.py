"""`cardtable config`: write a commented configuration, check one, or print the schema."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import say
from cardtable.terminal.progress import load
from engine.games import DEFAULT_GAME
from engine.texts import text

SUMMARY = text("write a commented table.toml, or check one")
DOING = text("reading the configuration")
EXAMPLE = "cardtable config --game all-fives --players Ann,Bo -o table.toml\n  cardtable config --check table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=text("the game (default: all-fives)"))
    parser.add_argument("--players", default="Ann,Bo", metavar="A,B", help=text("names, clockwise (default: Ann,Bo)"))
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=text("write it to FILE, which must not exist yet")
    )
    parser.add_argument("--schema", action="store_true", help=text("print the JSON Schema of table.toml, for editors"))
    parser.add_argument("--check", type=Path, metavar="FILE", help=text("check FILE, and say what is wrong with it"))


def run(args: argparse.Namespace) -> int:
    """Write or print the configuration. With `--check`, raise `UsageError` if it is wrong."""
    load("cardtable.config.load")
    from cardtable.config.load import read_config
    from cardtable.config.model import LONGEST_NAME
    from cardtable.config.template import config_text
    from cardtable.decks.library import find_deck
    from cardtable.play.games import checked
    from engine.errors import HeaderError
    from engine.record import Header

    if args.schema:
        from cardtable.config.schema import config_schema

        print(json.dumps(config_schema(), indent=2))
        return 0
    if args.check is not None:
        config = read_config(args.check)
        checked(config.header)
        for camera in config.cameras:
            if camera.deck is not None:
                find_deck(camera.deck)
        if config.chosen:
            what = text("{game}, {players}", game=config.game, players=", ".join(config.players))
        else:
            what = text("game and players are chosen on the board")
        say(text("{check} is correct: {what}", check=args.check, what=what))
        return 0
    names = tuple(name.strip() for name in args.players.split(","))
    for name in names:
        if not 0 < len(name) <= LONGEST_NAME:
            raise UsageError(
                text(
                    "config: --players: {name!r} is not a name: write 1 to {longest} letters for each, like Ann,Bo",
                    name=name,
                    longest=LONGEST_NAME,
                )
            )
    if len(set(names)) < len(names):
        raise UsageError(
            text("config: --players: two players have the same name; give each a different one, like Ann,Bo")
        )
    header = Header(args.game, names)
    try:
        header.check()
    except HeaderError as error:
        if error.key == "dealer":  # this game has no cut for the deal
            header = replace(header, dealer=0)
        checked(header)
    written = config_text(header)
    if args.output is None:
        print(written, end="")
        return 0
    try:
        with args.output.open("x", encoding="utf-8") as file:
            file.write(written)
    except FileExistsError as error:
        raise UsageError(
            text("config: {output} exists already; name another file, or check it: --check", output=args.output)
        ) from error
    except OSError as error:
        raise CardtableError(
            text("config: {output} cannot be written: {why}", output=args.output, why=why(error))
        ) from error
    say(text("written: {output}; then: cardtable doctor -c {output}", output=args.output))
    return 0
