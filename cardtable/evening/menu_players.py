"""The pages of the menu about players: who sits where, new names, names changed or forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cardtable.board.messages import (
    AddPlayer,
    ForgetPlayer,
    Join,
    Leave,
    MovePlayer,
    RemovePlayer,
    RenamePlayer,
)
from cardtable.config.model import LONGEST_NAME
from cardtable.evening.lobby import MOST_PLAYERS
from cardtable.evening.menu_situation import Entry, Situation
from engine.texts import text

MOST_ENTRIES: Final = 9
"""Players and games that one page of the menu lists."""
SPELLING: Final = "spell "
"""The page on which a new name is spelled has what has been spelled so far after this."""
RENAMING: Final = "rename "
"""The page on which another name is spelled has the present one, `_END`, and what is spelled so far after this."""
NAMED: Final = "name "
"""The page about a name has the name after this."""
_END: Final = "\n"
"""No name has this character."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzàçéèêñöü '-"


def players_page(situation: Situation, page: str) -> tuple[str, list[Entry]] | None:
    """Return the title and the entries of a page about players; None if the page does not exist now."""
    in_lobby = situation.screen == "lobby"
    if not in_lobby and not (situation.screen == "game" and situation.between_hands):
        return None
    if page.startswith(SPELLING):
        spelled = page.removeprefix(SPELLING)
        done = [_added(situation, name) for name in [spelled.strip()] if name]
        return text("New player: {name}", name=f"{spelled}…"), _letters(SPELLING, spelled, done, "players")
    if page == "known":
        known = [_added(situation, name) for name in situation.remembered[MOST_ENTRIES:]]
        return text("More players"), [*known, Entry(text("Back"), opens="players")]
    if page == "players":
        more = [Entry(text("Seats"), opens="seats"), Entry(text("Names"), opens="names")] if in_lobby else []
        return text("Players"), [*_players(situation), *more, Entry(text("Back"), opens="")]
    if not in_lobby:
        return None
    if page == "seats":
        return text("Seats"), [*_seats(situation), Entry(text("Back"), opens="players")]
    names = (*situation.lobby.players, *situation.remembered)
    if page == "names":
        listed = [Entry(name, opens=NAMED + name) for name in names]
        return text("Names"), [*listed, Entry(text("Back"), opens="players")]
    if page.startswith(NAMED) and (name := page.removeprefix(NAMED)) in names:
        return name, _about_name(situation, name)
    name, _, spelled = page.removeprefix(RENAMING).partition(_END)
    if page.startswith(RENAMING) and name in names:
        renamed = [
            Entry(text("Rename to {name}", name=to), RenamePlayer(do="rename-player", name=name, to=to))
            for to in [spelled.strip()]
            if to and to != name
        ]
        letters = _letters(RENAMING + name + _END, spelled, renamed, NAMED + name)
        return text("Another name: {name}", name=f"{spelled}…"), letters
    return None


def _players(situation: Situation) -> list[Entry]:
    """Return who can be added and taken away, in the lobby or between two hands of a game."""
    seated = situation.lobby.players
    entries: list[Entry] = []
    if len(seated) < MOST_PLAYERS:
        entries += [_added(situation, name) for name in situation.remembered[:MOST_ENTRIES]]
        if situation.remembered[MOST_ENTRIES:]:
            entries.append(Entry(text("More players"), opens="known"))
        number = next(n for n in range(1, MOST_PLAYERS + 2) if _guest(n) not in (*seated, *situation.remembered))
        entries += [Entry(text("New player"), opens=SPELLING), _added(situation, _guest(number))]
    for name in reversed(seated):
        leave = (
            Leave(do="leave", name=name) if situation.screen == "game" else RemovePlayer(do="remove-player", name=name)
        )
        entries.append(Entry(text("Take {name} away", name=name), leave))
    return entries


def _added(situation: Situation, name: str) -> Entry:
    """Return the entry that lets a player sit down."""
    add = Join(do="join", name=name) if situation.screen == "game" else AddPlayer(do="add-player", name=name)
    return Entry(text("Add {name}", name=name), add)


def _letters(page: str, spelled: str, done: Sequence[Entry], back: str) -> list[Entry]:
    """Return the entries with which a name is spelled letter by letter, and `done`, which end it.

    The letters come first, so that the next one is near the last one, and `done` is reached by turning back.
    """
    capital = not spelled or spelled[-1] in " '-"
    letters = LETTERS.upper() if capital else LETTERS
    entries = [Entry(text("space") if each == " " else each, opens=page + spelled + each) for each in letters]
    if len(spelled) >= LONGEST_NAME:
        entries = []
    if spelled:
        entries.append(Entry(text("Take the last letter away"), opens=page + spelled[:-1]))
    return [*entries, *done, Entry(text("Back"), opens=back)]


def _seats(situation: Situation) -> list[Entry]:
    players = situation.lobby.players
    return [
        Entry(
            text("Move {name} one seat on", name=name),
            MovePlayer(do="move-player", name=name, seat=(seat + 1) % len(players)),
        )
        for seat, name in enumerate(players)
    ]


def _about_name(situation: Situation, name: str) -> list[Entry]:
    """Return what can be done with a name. Who sits at the table cannot be forgotten."""
    forget = Entry(text("Forget this player"), ForgetPlayer(do="forget-player", name=name))
    return [
        Entry(text("Another name"), opens=RENAMING + name + _END + name),
        *([forget] if name not in situation.lobby.players else []),
        Entry(text("Back"), opens="names"),
    ]


def _guest(number: int) -> str:
    return str(text("Player {number}", number=number))
