"""The options of the chosen game in the menu of buttons and encoders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cardtable.board.messages import SetOption
from cardtable.evening.lobby import Lobby
from engine.games import game_names, load_game
from engine.rules.options import Option
from engine.texts import text, word_text

_STEPS: Final = (-10, -1, 1, 10)


def options_of(lobby: Lobby) -> dict[str, Option]:
    """Return the options of the chosen game by name; none if no game is chosen."""
    if lobby.game is None or lobby.game not in game_names():
        return {}
    return {option.name: option for option in load_game(lobby.game).options}


def label_of(option: Option, lobby: Lobby) -> str:
    """Return the option's name for people with its present value."""
    assert lobby.game is not None
    value = _said(lobby.values(lobby.game)[option.name])
    return text("{option}: {value}", option=option.label or word_text(option.name), value=value)


def values_of(option: Option, lobby: Lobby) -> Iterator[tuple[str, SetOption]]:
    """Yield what the option can be set to: a label and the message that sets it."""
    assert lobby.game is not None
    present = lobby.values(lobby.game)[option.name]
    values: list[tuple[str, bool | int | str]] = [(_said(choice), choice) for choice in option.choices]
    if isinstance(option.default, bool):
        values = [(_said(True), True), (_said(False), False)]
    elif isinstance(option.default, int):
        steps = [step for step in _STEPS if option.least is None or present + step >= option.least]
        values = [(f"{step:+}", present + step) for step in steps]
        values.append((text("usual: {value}", value=option.default), option.default))
    for label, value in values:
        yield label, SetOption(do="set-option", name=option.name, value=value)


def _said(value: bool | int | str) -> str:
    if isinstance(value, bool):
        return text("yes") if value else text("no")
    return str(value) if isinstance(value, int) else word_text(value)
