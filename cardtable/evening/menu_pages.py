"""The pages of the menu of buttons and encoders: what can be chosen on each screen, as entries in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.board.correction_messages import RecordIsRight, TableIsRight, UndoTo
from cardtable.board.messages import (
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    GoodNight,
    GoOn,
    HostMessage,
    Join,
    Leave,
    MovePlayer,
    OtherGame,
    OtherPlayers,
    RemovePlayer,
    SetDealer,
    Wake,
)
from cardtable.board.screen_lobby import UnfinishedGame
from cardtable.board.snapshot import Snapshot
from cardtable.config.model import LONGEST_NAME
from cardtable.evening.lobby import MOST_PLAYERS, Lobby
from cardtable.evening.menu_options import label_of, options_of, values_of
from cardtable.evening.states import Screen
from engine.games import game_names, title_of
from engine.texts import commas, text

MOST_ENTRIES: Final = 9
"""Players and games that one page of the menu lists."""
NEWEST: Final = 2
"""Unfinished games on the first page of the menu."""
OPTION: Final = "option "
"""The page of an option has its name after this."""
SPELLING: Final = "spell "
"""The page on which a new name is spelled has what has been spelled so far after this."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzàçéèêñöü '-"


@dataclass(frozen=True, slots=True)
class Situation:
    """What the menus depend on. `ready`: whether the game can begin. `restoring`: whether the players
    are asked to put cards back. `between_hands`: whether players can join and leave the game. `take_back`: what
    takes the last action back, in a game and at its result.
    """

    screen: Screen
    lobby: Lobby
    remembered: Sequence[str] = ()
    ready: bool = False
    unfinished: Sequence[UnfinishedGame] = ()
    restoring: bool = False
    between_hands: bool = False
    take_back: UndoTo | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: it sends a message, or opens another page; with neither it closes the menu."""

    label: str
    message: HostMessage | None = None
    opens: str | None = None


def last_taken_back(shown: Snapshot) -> UndoTo | None:
    """Return the message that takes back the last action of the game; None if there is none."""
    before = [entry.n for entry in shown.history[-2:-1]] or [1]
    return UndoTo(do="undo-to", n=shown.n, line=before[0]) if shown.history else None


def page_of(situation: Situation, page: str = "") -> tuple[str, list[Entry]]:
    """Return the title and the entries of a page of the menu; the first page is ``""``."""
    lobby, back = situation.lobby, Entry(text("Back"), opens="")
    undo = [Entry(text("Take back the last action"), situation.take_back)] if situation.take_back else []
    may_join = situation.screen == "lobby" or (situation.screen == "game" and situation.between_hands)
    if may_join and page.startswith(SPELLING):
        return _spelling(situation, page.removeprefix(SPELLING))
    if may_join and page == "known":
        known = [_added(situation, name) for name in situation.remembered[MOST_ENTRIES:]]
        return text("More players"), [*known, Entry(text("Back"), opens="players")]
    match situation.screen, page:
        case "game", "players" if may_join:
            return text("Players"), [*_players(situation), back]
        case "lobby", "games":
            games = [Entry(title_of(name), ChooseGame(do="choose-game", game=name)) for name in game_names()]
            return text("Game"), [*games, back]
        case "lobby", "players":
            return text("Players"), [*_players(situation), Entry(text("Seats"), opens="seats"), back]
        case "lobby", "seats":
            return text("Seats"), [*_seats(lobby), Entry(text("Back"), opens="players")]
        case "lobby", "unfinished":
            return text("More unfinished games"), [*_unfinished(situation)[NEWEST:], back]
        case "lobby", "options":
            options = [
                Entry(label_of(option, lobby), opens=OPTION + name) for name, option in options_of(lobby).items()
            ]
            return text("Options"), [*options, back]
        case "lobby", _ if (
            page.startswith(OPTION) and (option := options_of(lobby).get(page.removeprefix(OPTION))) is not None
        ):
            values = [Entry(label, message) for label, message in values_of(option, lobby)]
            return label_of(option, lobby), [*values, Entry(text("Back"), opens="options")]
        case "lobby", "dealer":
            seats = [Entry(name, SetDealer(do="set-dealer", seat=seat)) for seat, name in enumerate(lobby.players)]
            return text("First dealer"), [
                Entry(text("The players cut"), SetDealer(do="set-dealer", seat=None)),
                *seats,
                back,
            ]
        case "lobby", _:
            return text("Lobby"), _lobby(situation)
        case "result", _:
            return text("What next?"), [
                Entry(text("Same again"), Again(do="again")),
                Entry(text("Another game"), OtherGame(do="other-game")),
                Entry(text("Other players"), OtherPlayers(do="other-players")),
                Entry(text("Good night"), GoodNight(do="good-night")),
                *undo,
            ]
        case "game", _:
            return text("The game"), [
                Entry(text("Play on")),
                *undo,
                Entry(text("The table is right"), TableIsRight(do="table-is-right")),
                Entry(text("The record is right"), RecordIsRight(do="record-is-right", on=not situation.restoring)),
                *([Entry(text("Who plays"), opens="players")] if may_join else []),
                Entry(text("Break the game off"), BreakOff(do="break-off")),
            ]
        case _:
            return text("Good night"), [Entry(text("Wake up"), Wake(do="wake"))]


def _lobby(situation: Situation) -> list[Entry]:
    lobby = situation.lobby
    begin = [Entry(text("Begin"), Begin(do="begin"))] if situation.ready else []
    begin += _unfinished(situation)[:NEWEST]
    if situation.unfinished[NEWEST:]:
        begin.append(Entry(text("More unfinished games"), opens="unfinished"))
    title = title_of(lobby.game) if lobby.game else text("none")
    dealer = lobby.dealer if lobby.dealer in lobby.players else None
    return [
        *begin,
        Entry(text("Game: {title}", title=title), opens="games"),
        Entry(text("Players: {names}", names=commas(lobby.players) or text("none")), opens="players"),
        Entry(text("First dealer: {name}", name=dealer or text("cut")), opens="dealer"),
        *([Entry(text("Options"), opens="options")] if options_of(lobby) else []),
        Entry(text("Good night"), GoodNight(do="good-night")),
    ]


def _unfinished(situation: Situation) -> list[Entry]:
    """Return the games that can be continued, the newest first."""
    return [
        Entry(
            text("Go on: {title}, {names}", title=game["title"], names=commas(game["players"])),
            GoOn(do="go-on", id=game["id"]),
        )
        for game in situation.unfinished
    ]


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


def _spelling(situation: Situation, name: str) -> tuple[str, list[Entry]]:
    """Return the page on which a name is spelled letter by letter. The letters come first, so that the next one is
    near the last one, and what ends the name is reached by turning back.
    """
    capital = not name or name[-1] in " '-"
    letters = LETTERS.upper() if capital else LETTERS
    entries = [Entry(text("space") if each == " " else each, opens=SPELLING + name + each) for each in letters]
    if name:
        entries.append(Entry(text("Take the last letter away"), opens=SPELLING + name[:-1]))
    if name.strip():
        entries.append(_added(situation, name.strip()))
    entries.append(Entry(text("Back"), opens="players"))
    return text("New player: {name}", name=f"{name}…"), entries if len(name) < LONGEST_NAME else entries[len(letters) :]


def _seats(lobby: Lobby) -> list[Entry]:
    count = len(lobby.players)
    return [
        Entry(
            text("Move {name} one seat on", name=name), MovePlayer(do="move-player", name=name, seat=(seat + 1) % count)
        )
        for seat, name in enumerate(lobby.players)
    ]


def _guest(number: int) -> str:
    return str(text("Player {number}", number=number))
