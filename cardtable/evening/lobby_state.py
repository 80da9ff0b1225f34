"""The lobby's state for the board, and what the small displays show while no game is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cardtable.board.screen_lobby import GameChoice, LobbyCard, LobbyState, NextRoundState, OptionState, SourceCheck
from cardtable.board.screen_parts import Menu, Tally, common
from cardtable.board.server import PAGE
from cardtable.evening.lobby import MOST_PLAYERS, Lobby
from cardtable.evening.past_games import PastGames
from cardtable.evening.states import EventRefused, Screen
from engine.games import game_names, load_game
from engine.rules.options import Option
from engine.texts import Translate, in_language, text, word_text
from hardware.screen import Screen as Display

_PICTURES: Final = PAGE / "games"
_ANY_GAME: Final = "game"


def lobby_state(
    lobby: Lobby,
    remembered: Sequence[str],
    past: PastGames,
    tally: Tally,
    sources: list[SourceCheck],
    cards: list[LobbyCard],
    focus: str | None,
    trouble: str | None,
    translate: Translate,
    next_round: NextRoundState | None = None,
) -> LobbyState:
    """Return the lobby's state. `remembered`: all of them; those who sit at the table are left out."""
    why_not: str | None = None
    try:
        lobby.header()
    except EventRefused as reason:
        why_not = in_language(str(reason), translate)
    seated = {name.casefold() for name in lobby.players}
    return {
        "screen": "lobby",
        **common(None if trouble is None else in_language(trouble, translate)),
        "prompt": why_not or in_language(text("Everything is ready: begin."), translate),
        "focus": "game" if focus == "game" else "players" if focus == "players" else None,
        "games": [_game(name, lobby, translate) for name in game_names()],
        "game": lobby.game,
        "players": list(lobby.players),
        "remembered": [name for name in remembered if name.casefold() not in seated],
        "most_players": MOST_PLAYERS,
        "dealer": lobby.dealer_seat,
        "first_does": in_language(lobby.first_does, translate),
        "is_cut_for": lobby.is_cut_for,
        "ready": why_not is None,
        "asks_dealer": why_not is not None and lobby.asks_dealer,
        "why_not": why_not,
        "sources": sources,
        "cards": cards,
        "unfinished": past.unfinished,
        "unreadable": past.unreadable,
        "tally": tally,
        "next_round": next_round,
    }


def menu_screen(menu: Menu | None, prompt: str, seat: int | None) -> Display:
    """Return what the display at `seat` shows: the menu, if it is open there, or else a sentence.

    A display for everyone shows the menu too.
    """
    if menu is not None and seat in (None, menu["seat"]):
        return Display((), "", menu["title"], entries=tuple(menu["entries"]), chosen=menu["chosen"])
    return Display((), "", prompt)


def _game(name: str, lobby: Lobby, translate: Translate) -> GameChoice:
    try:
        kind = load_game(name)
        values = lobby.values(name)
    except Exception as error:  # the package of another game may be faulty in any way
        return {
            "game": name,
            "title": name,
            "about": "",
            "picture": _picture(name),
            "seats": [],
            "options": [],
            "broken": in_language(text("It cannot be loaded: {why}", why=str(error) or repr(error)), translate),
        }
    return {
        "game": name,
        "title": kind.title,
        "about": in_language(kind.about, translate),
        "picture": _picture(name),
        "seats": list(kind.seats),
        "options": [_option(option, values[option.name], translate) for option in kind.options],
        "broken": None,
    }


def _option(option: Option, value: bool | int | str, translate: Translate) -> OptionState:
    about = in_language(option.about, translate)
    return {
        "name": option.name,
        "kind": "switch"
        if isinstance(option.default, bool)
        else "number"
        if isinstance(option.default, int)
        else "choice",
        "label": in_language(option.label or option.name.replace("_", " "), translate),
        "about": f"{about[:1].upper()}{about[1:]}.",
        "default": option.default,
        "value": value,
        "least": option.least,
        "choices": [{"value": choice, "label": in_language(word_text(choice), translate)} for choice in option.choices],
    }


def _picture(name: str) -> str:
    """Return the address of the game's picture; that of any game if it has none."""
    return f"games/{name if Path(_PICTURES, f'{name}.svg').is_file() else _ANY_GAME}.svg"


def prompt_of(screen: Screen, lobby: Lobby) -> str:
    """Return what to do next outside of a game, for displays and the voice; empty in a game, or while it sleeps."""
    if screen in ("game", "asleep"):
        return ""
    if screen == "result":
        return text("Play the same again, another game, or say good night.")
    try:
        lobby.header()
    except EventRefused as reason:
        return str(reason)
    return text("Everything is ready: begin.")
