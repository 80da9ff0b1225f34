"""`cardtable games`: list the games."""

from __future__ import annotations

import argparse
import json
from typing import Any

from cardtable.terminal.output import translated
from engine.games import game_names, load_game
from engine.texts import span, text

SUMMARY = text("list the games, with their players, options, words and zones")
ACTIVITY = text("listing the games")
EXAMPLE = "cardtable games --json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each game"))


def run(args: argparse.Namespace) -> int:
    """Print the games. Return 0."""
    for name in game_names():
        game = _describe(name)
        print(json.dumps(game, ensure_ascii=False) if args.json else _text(game))
    return 0


def _describe(name: str) -> dict[str, Any]:
    game = load_game(name)
    options = []
    for option in game.options:
        entry: dict[str, Any] = {"name": option.name, "default": option.default, "about": option.about}
        if option.least is not None:
            entry["least"] = option.least
        if option.choices:
            entry["choices"] = list(option.choices)
        options.append(entry)
    return {
        "game": name,
        "title": game.title,
        "players": list(game.seats),
        "cards": len(game.deck),
        "options": options,
        "words": list(game.vocabulary),
        "zones": list(game.zones),
    }


def _text(game: dict[str, Any]) -> str:
    players = game["players"]
    head = "{title} ({name}), {span} players, {cards} cards"
    lines = [translated(text(head, title=game["title"], name=game["game"], span=span(players), cards=game["cards"]))]
    for option in game["options"]:
        setting = f"  {option['name']} = {json.dumps(option['default'])}"
        about = option["about"]
        if "choices" in option:
            about = text("{name}: {what}", name=about, what=", ".join(option["choices"]))
        lines.append(translated(text("{name}: {what}", name=setting, what=about)))
    lines.append(translated(text("  words: {words}", words=", ".join(game["words"]) or text("none"))))
    lines.append(translated(text("  zones: {zones}", zones=", ".join(game["zones"]))))
    return "\n".join(lines)
