"""What can be chosen without the page: by buttons and encoders in a menu, and by action cards on the mat.

With an encoder, turning moves through the entries and a press takes one; a long press goes back. With a plain button, a
short press moves and a long press takes. The first press or turn at a seat opens its menu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cardtable.board.correction_messages import RecordIsRight, TableIsRight
from cardtable.board.messages import (
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    GoodNight,
    GoOn,
    HostMessage,
    MovePlayer,
    OtherGame,
    OtherPlayers,
    RemovePlayer,
    SetDealer,
    Wake,
)
from cardtable.board.screen_lobby import UnfinishedGame
from cardtable.board.screen_parts import Menu
from cardtable.evening.lobby import MOST_PLAYERS, Lobby
from cardtable.evening.menu_options import label_of, options_of, values_of
from cardtable.evening.states import Screen
from engine.games import game_names, table_words, title_of
from engine.observations import ActionCard, Observation, Scene
from engine.texts import Translate, commas, in_language, text
from hardware.controls import Control

MOST_ENTRIES: Final = 9
"""Players and games that one page of the menu lists."""
_OPTION: Final = "option "
"""The page of an option has its name after this."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the menus depend on. `ready`: whether the game can begin. `restoring`: whether the players
    are asked to put cards back.
    """

    screen: Screen
    lobby: Lobby
    remembered: Sequence[str] = ()
    ready: bool = False
    unfinished: Sequence[UnfinishedGame] = ()
    restoring: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: it sends a message, or opens another page; with neither it closes the menu."""

    label: str
    message: HostMessage | None = None
    opens: str | None = None


def page_of(situation: Situation, page: str = "") -> tuple[str, list[Entry]]:
    """Return the title and the entries of a page of the menu; the first page is ``""``."""
    lobby, back = situation.lobby, Entry(text("Back"), opens="")
    match situation.screen, page:
        case "lobby", "games":
            games = [Entry(title_of(name), ChooseGame(do="choose-game", game=name)) for name in game_names()]
            return text("Game"), [*games, back]
        case "lobby", "players":
            return text("Players"), [*_players(situation), Entry(text("Seats"), opens="seats"), back]
        case "lobby", "seats":
            return text("Seats"), [*_seats(lobby), Entry(text("Back"), opens="players")]
        case "lobby", "options":
            options = [
                Entry(label_of(option, lobby), opens=_OPTION + name) for name, option in options_of(lobby).items()
            ]
            return text("Options"), [*options, back]
        case "lobby", _ if (
            page.startswith(_OPTION) and (option := options_of(lobby).get(page.removeprefix(_OPTION))) is not None
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
            ]
        case "game", _:
            return text("The game"), [
                Entry(text("Play on")),
                Entry(text("The table is right"), TableIsRight(do="table-is-right")),
                Entry(text("The record is right"), RecordIsRight(do="record-is-right", on=not situation.restoring)),
                Entry(text("Break the game off"), BreakOff(do="break-off")),
            ]
        case _:
            return text("Good night"), [Entry(text("Wake up"), Wake(do="wake"))]


def _lobby(situation: Situation) -> list[Entry]:
    lobby = situation.lobby
    begin = [Entry(text("Begin"), Begin(do="begin"))] if situation.ready else []
    for game in situation.unfinished[:2]:
        label = text("Go on: {title}, {names}", title=game["title"], names=commas(game["players"]))
        begin.append(Entry(label, GoOn(do="go-on", id=game["id"])))
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


def _players(situation: Situation) -> list[Entry]:
    seated = situation.lobby.players
    entries: list[Entry] = []
    if len(seated) < MOST_PLAYERS:
        for name in situation.remembered[:MOST_ENTRIES]:
            entries.append(Entry(text("Add {name}", name=name), AddPlayer(do="add-player", name=name)))
        number = next(n for n in range(1, MOST_PLAYERS + 2) if _guest(n) not in (*seated, *situation.remembered))
        guest = _guest(number)
        entries.append(Entry(text("Add {name}", name=guest), AddPlayer(do="add-player", name=guest)))
    for name in reversed(seated):
        entries.append(Entry(text("Take {name} away", name=name), RemovePlayer(do="remove-player", name=name)))
    return entries


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


@dataclass(frozen=True, slots=True)
class _Open:
    seat: int
    page: str = ""
    chosen: int = 0


class Menus:
    """The one menu that is open. `situation` returns the present one."""

    def __init__(self, situation: Callable[[], Situation]) -> None:
        self._situation = situation
        self._open: _Open | None = None

    @property
    def is_open(self) -> bool:
        """Whether a menu is open."""
        return self._open is not None

    @property
    def state(self) -> _Open | None:
        """The seat, the page and the entry, to be kept over a change."""
        return self._open

    @state.setter
    def state(self, state: _Open | None) -> None:
        self._open = state

    def close(self) -> None:
        """Close the menu: the screen has changed."""
        self._open = None

    def control(self, control: Control) -> HostMessage | None:
        """Process a press or turn at a seat; return the message that was chosen with it."""
        if self._open is None or self._open.seat != control.seat:
            self._open = _Open(control.seat)
            return None
        entries = self._entries()
        if control.kind == "turn" or (control.kind == "short" and not control.encoder):
            step = control.step if control.kind == "turn" else 1
            self._open = replace(self._open, chosen=(self._open.chosen + step) % len(entries))
            return None
        if control.encoder and control.kind == "long":
            self._open = replace(self._open, page="", chosen=0) if self._open.page else None
            return None
        if control.kind == "double":
            return None
        entry = entries[self._open.chosen % len(entries)]
        if entry.opens is not None:
            self._open = replace(self._open, page=entry.opens, chosen=0)
        elif entry.message is None:
            self._open = None
        else:
            page, chosen = self._open.page, self._open.chosen
            stays = page.startswith(_OPTION) or page == "seats"  # a number is changed, or a player moved, step by step
            self._open = replace(
                self._open, page=page if stays or page == "players" else "", chosen=chosen if stays else 0
            )
        return entry.message

    def shown(self, translate: Translate) -> Menu | None:
        """Return the open menu for the board and the displays; None if there is none."""
        if self._open is None:
            return None
        title, entries = page_of(self._situation(), self._open.page)
        return {
            "seat": self._open.seat,
            "title": in_language(title, translate),
            "entries": [in_language(entry.label, translate) for entry in entries],
            "chosen": self._open.chosen % len(entries),
        }

    def _entries(self) -> list[Entry]:
        assert self._open is not None
        return page_of(self._situation(), self._open.page)[1]


# Action cards


def messages_of(word: str, screen: Screen) -> list[HostMessage]:
    """Return what the table's action card with `word` does when it is laid; nothing if it has no meaning now."""
    if screen not in ("lobby", "result"):
        return []
    if word == "night":
        return [GoodNight(do="good-night")]
    if word in game_names():
        chosen: list[HostMessage] = [ChooseGame(do="choose-game", game=word), Begin(do="begin")]
        return chosen if screen == "lobby" else [OtherGame(do="other-game"), *chosen]
    if screen == "lobby":
        return [Begin(do="begin")]
    return [Again(do="again")] if word == "again" else [OtherGame(do="other-game")]


@dataclass(slots=True)
class TableCards:
    """The table's own action cards that lie on the mat.

    A card counts when it is laid. One that lies there when the screen changes must be lifted first.
    """

    _words: frozenset[str] = field(default_factory=lambda: frozenset(table_words()))
    _lying: dict[str, frozenset[str]] = field(default_factory=dict)

    def see(self, observation: Observation) -> tuple[Observation, list[str]]:
        """Return the observation without such cards, and the words on those that were laid with it."""
        if not isinstance(observation, Scene):
            return observation, []
        kept, words = [], []
        for sighting in observation.sightings:
            if isinstance(sighting.face, ActionCard) and sighting.face.text in self._words:
                words.append(sighting.face.text)
            else:
                kept.append(sighting)
        first = observation.source not in self._lying
        before = frozenset[str]().union(*self._lying.values())
        self._lying[observation.source] = frozenset(words)
        new = [] if first else [word for word in dict.fromkeys(words) if word not in before]
        return (replace(observation, sightings=tuple(kept)) if words else observation), new

    def forget(self) -> None:
        """Forget what lies there: the sources are opened again, and report it once more."""
        self._lying.clear()
