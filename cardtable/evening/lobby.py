"""The choices in the lobby: the game, the players in seat order, the first dealer, the options.

A `Lobby` is immutable. `changed` returns another one, which is stored before it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from cardtable.evening.results import PastGames, no_games
from cardtable.evening.states import EventRefused, Screen
from cardtable.plugins import installed
from cardtable.table.messages import (
    AddPlayer,
    ChooseGame,
    ForgetPlayer,
    MovePlayer,
    RemovePlayer,
    RenamePlayer,
    SetDealer,
    SetOption,
)
from cardtable.web.rules import has_rules
from cardtable.web.screens import (
    GameChoice,
    LobbyCard,
    LobbyState,
    Menu,
    NextRoundState,
    OptionState,
    SetupLink,
    SourceCheck,
    Tally,
    common,
)
from cardtable.web.server import PAGE
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.names import alike
from engine.record import Header
from engine.rules.game import Game
from engine.rules.state import Option
from engine.texts import Text, Translate, as_written, in_language, plural, text, word_text
from hardware.screen import Screen as Display
from vision.mat.layout import PLAYERS

MOST_PLAYERS: Final = PLAYERS[-1]
Edit = ChooseGame | SetOption | AddPlayer | RemovePlayer | MovePlayer | RenamePlayer | ForgetPlayer | SetDealer
Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Lobby:
    """The choices. `dealer`: the name of the first dealer; None if the players cut. `options`: the set ones by game.

    `guests`: those of the players who are guests, whom the table does not remember.
    """

    game: str | None = None
    players: tuple[str, ...] = ()
    dealer: str | None = None
    options: Mapping[str, Options] = field(default_factory=dict)
    guests: frozenset[str] = frozenset()

    @property
    def dealer_seat(self) -> int | None:
        """The seat that deals first; None if the players cut."""
        return self.players.index(self.dealer) if self.dealer in self.players else None

    def values(self, game: str) -> dict[str, Any]:
        """Return the options of `game`, defaults included."""
        chosen = self.options.get(game, {})
        return {option.name: chosen.get(option.name, option.default) for option in load_game(game).options}

    def header(self) -> Header:
        """Return the header of the chosen game. Raises `EventRefused` if a choice is missing."""
        if self.game is None:
            raise EventRefused(text("Choose a game."))
        left_out = {option.name: option.left_out for option in load_game(self.game).options}
        options = {name: value for name, value in self.values(self.game).items() if value != left_out[name]}
        guests = tuple(seat for seat, name in enumerate(self.players) if name in self.guests)
        header = Header(self.game, self.players, self.dealer_seat, options, guests)
        try:
            header.check()
        except HeaderError as error:
            raise EventRefused(_missing_players(self) or _missing_dealer(self, error) or str(error)) from error
        return header

    @property
    def is_ready(self) -> bool:
        """Whether the game can begin."""
        try:
            self.header()
        except EventRefused:
            return False
        return True

    @property
    def asks_dealer(self) -> bool:
        """Whether only the first dealer is missing."""
        first = replace(self, dealer=self.players[0]) if self.players and self.dealer_seat is None else self
        return first.is_ready and not self.is_ready

    @property
    def is_cut_for(self) -> bool:
        """Whether the players may cut for the first deal."""
        return not replace(self, dealer=None).asks_dealer

    @property
    def first_does(self) -> str:
        """What the first dealer does in the chosen game: a text such as "deals first"."""
        return (load_game(self.game) if self.game else Game).first_does

    def changed(self, edit: Edit, translate: Translate = as_written, taken: Sequence[str] = ()) -> Lobby:
        """Return the lobby after `edit`. Raises `EventRefused` if it cannot be made.

        `translate`: into the language in which a new guest is named. `taken`: names that no guest is given.
        """
        match edit:
            case ChooseGame():
                return self._with_game(edit.game)
            case SetOption():
                return self._with_option(edit.name, edit.value)
            case AddPlayer():
                if edit.name is not None:
                    return self._with_player(edit.name, edit.seat)
                name = _free_guest((*self.players, *taken), translate)
                return replace(self._with_player(name, edit.seat), guests=self.guests | {name})
            case RemovePlayer():
                self._seat_of(edit.name)
                players = tuple(name for name in self.players if name != edit.name)
                dealer = self.dealer if self.dealer != edit.name else None
                return replace(self, players=players, dealer=dealer, guests=self.guests - {edit.name})
            case MovePlayer():
                self._seat_of(edit.name)
                others = [name for name in self.players if name != edit.name]
                others.insert(edit.seat, edit.name)
                return replace(self, players=tuple(others))
            case RenamePlayer():
                return self._renamed(edit.name, edit.to)
            case ForgetPlayer():
                if edit.name in self.players:
                    raise EventRefused(text("{name} is at the table: remove {name} first.", name=edit.name))
                return self
            case SetDealer():
                if edit.seat is None:
                    return replace(self, dealer=None)
                if edit.seat >= len(self.players):
                    raise EventRefused(text("Nobody sits there: choose another seat."))
                return replace(self, dealer=self.players[edit.seat])

    def _with_game(self, game: str) -> Lobby:
        try:
            load_game(game)
        except HeaderError as error:
            raise EventRefused(str(error)) from error
        return replace(self, game=game)

    def _with_option(self, name: str, value: object) -> Lobby:
        if self.game is None:
            raise EventRefused(text("Choose a game."))
        option = next((option for option in load_game(self.game).options if option.name == name), None)
        if option is None:
            raise EventRefused(text("{title} has no such option.", title=load_game(self.game).title))
        if value is not None:
            try:
                option.check(value)
            except HeaderError as error:
                raise EventRefused(str(error)) from error
        chosen = {key: kept for key, kept in self.options.get(self.game, {}).items() if key != name}
        if value is not None:
            chosen[name] = value
        return replace(self, options={**self.options, self.game: chosen})

    def _with_player(self, name: str, seat: int | None) -> Lobby:
        self._check_new(name, *self.players)
        if len(self.players) >= MOST_PLAYERS:
            raise EventRefused(text("The table is full: it has {most} seats.", most=MOST_PLAYERS))
        players = list(self.players)
        players.insert(len(players) if seat is None else seat, name)
        return replace(self, players=tuple(players))

    def _renamed(self, name: str, to: str) -> Lobby:
        self._check_new(to, *(each for each in self.players if each != name))
        players = tuple(to if each == name else each for each in self.players)
        guests = frozenset(to if each == name else each for each in self.guests)
        return replace(self, players=players, dealer=to if self.dealer == name else self.dealer, guests=guests)

    def _check_new(self, name: str, *others: str) -> None:
        for other in others:
            if alike(name, other):
                raise EventRefused(text("{name} is already at the table: choose another name.", name=name))

    def _seat_of(self, name: str) -> int:
        if name not in self.players:
            raise EventRefused(text("{name} does not sit at the table.", name=name))
        return self.players.index(name)

    def of(self, header: Header) -> Lobby:
        """Return the lobby with the choices of this game; the options of other games stay."""
        dealer = None if header.dealer is None else header.players[header.dealer]
        chosen = dict(header.options)
        for option in load_game(header.game).options if header.game in game_names() else ():
            chosen.setdefault(option.name, option.left_out)
            if chosen[option.name] == option.default:
                del chosen[option.name]
        guests = frozenset(header.players[seat] for seat in header.guests)
        return Lobby(header.game, header.players, dealer, {**self.options, header.game: chosen}, guests)

    # Storing

    def to_json(self) -> dict[str, Any]:
        """Return the lobby in its stored form."""
        options = {game: dict(chosen) for game, chosen in self.options.items() if chosen}
        return {
            "game": self.game,
            "players": list(self.players),
            "dealer": self.dealer,
            "options": options,
            "guests": sorted(self.guests),
        }

    @classmethod
    def from_json(cls, stored: object) -> Lobby:
        """Return a stored lobby, without damaged choices and those that no longer fit the installed games."""
        lobby = cls()
        if not isinstance(stored, dict):
            return lobby
        options = stored.get("options")
        edits: list[Edit] = []
        try:
            for game, chosen in options.items() if isinstance(options, dict) else ():
                edits.append(ChooseGame(do="choose-game", game=game))
                edits += [SetOption(do="set-option", name=name, value=value) for name, value in chosen.items()]
            if isinstance(stored.get("game"), str):
                edits.append(ChooseGame(do="choose-game", game=stored["game"]))
            edits += [AddPlayer(do="add-player", name=name) for name in stored.get("players", ())]
            if stored.get("dealer") in stored.get("players", ()):
                edits.append(SetDealer(do="set-dealer", seat=stored["players"].index(stored["dealer"])))
        except (ValueError, TypeError, AttributeError):
            pass
        for edit in edits:
            try:
                lobby = lobby.changed(edit)
            except EventRefused:
                continue
        guests = stored.get("guests")
        if isinstance(guests, list):
            lobby = replace(lobby, guests=frozenset(name for name in lobby.players if name in guests))
        return lobby if stored.get("game") is not None else replace(lobby, game=None)


def _free_guest(taken: Sequence[str], translate: Translate) -> str:
    """Return the name of a guest that is not taken."""
    names = (in_language(text("Guest {number}", number=number), translate) for number in count(1))
    return next(name for name in names if not any(alike(name, other) for other in taken))


def _missing_players(lobby: Lobby) -> Text | None:
    """Return what to do if the game is for another number of players; None if it is not."""
    assert lobby.game is not None
    game = load_game(lobby.game)
    fewest, most, here = game.seats[0], game.seats[-1], len(lobby.players)
    if here < fewest:
        single, many = "{title}: {count} more player is needed.", "{title}: {count} more players are needed."
        return plural(single, many, fewest - here, title=game.title)
    if here > most:
        single, many = "{title}: {count} player too many.", "{title}: {count} players too many."
        return plural(single, many, here - most, title=game.title)
    return None


def _missing_dealer(lobby: Lobby, error: HeaderError) -> Text | None:
    """Return what to do if a game that is not cut for has no first dealer; None if there is another reason."""
    if lobby.game is None or error.key != "dealer" or lobby.dealer_seat is not None:
        return None
    game = load_game(lobby.game)
    return text("{title} is not cut for: choose who {does}.", title=game.title, does=game.first_does)


# The lobby on the board and on the small displays.

_PICTURES: Final = PAGE / "games"
_ANY_GAME: Final = "game"


@dataclass(frozen=True, slots=True)
class LobbyContent:
    """What the board shows in the lobby, besides what cameras and readers see.

    `remembered`: all remembered players. `focus`: what to choose first, "game" or "players". `trouble`: why nothing can
    be stored. `last`: the number of the last game of the evening that is over.
    """

    lobby: Lobby
    remembered: Sequence[str] = ()
    past: PastGames = field(default_factory=PastGames)
    tally: Tally = field(default_factory=no_games)
    focus: str | None = None
    trouble: str | None = None
    last: int | None = None


def lobby_state(
    content: LobbyContent,
    sources: list[SourceCheck],
    cards: list[LobbyCard],
    translate: Translate,
    next_round: NextRoundState | None = None,
    hands: int = 0,
) -> LobbyState:
    """Return the lobby's state for the board, without those remembered players who sit at the table."""
    lobby, past, focus, trouble = content.lobby, content.past, content.focus, content.trouble
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
        "remembered": [name for name in content.remembered if name.casefold() not in seated],
        "most_players": MOST_PLAYERS,
        "dealer": lobby.dealer_seat,
        "first_does": in_language(lobby.first_does, translate),
        "is_cut_for": lobby.is_cut_for,
        "ready": why_not is None,
        "asks_dealer": why_not is not None and lobby.asks_dealer,
        "why_not": why_not,
        "sources": sources,
        "cards": cards,
        "hands": hands,
        "unfinished": past.unfinished,
        "unreadable": past.unreadable,
        "tally": content.tally,
        "next_round": next_round,
        "setup": _setup_links(translate),
    }


def _setup_links(translate: Translate) -> list[SetupLink]:
    own = {"readers": text("RFID readers…"), "buttons": text("Buttons…")}
    links = own | {name: plugin.lobby_link for name, plugin in installed().items() if plugin.lobby_link is not None}
    return [{"step": step, "label": in_language(label, translate)} for step, label in links.items()]


def menu_screen(menu: Menu | None, prompt: str, seat: int | None) -> Display:
    """Return what the display at `seat` shows: the menu if it is open there, or else `prompt`.

    A display for everyone also shows the menu.
    """
    if menu is not None and seat in (None, menu["seat"]):
        return Display((), "", menu["title"], entries=tuple(menu["entries"]), chosen=menu["chosen"])
    return Display((), "", prompt)


def _game(name: str, lobby: Lobby, translate: Translate) -> GameChoice:
    choice: GameChoice = {
        "game": name,
        "title": name,
        "about": "",
        "picture": _picture(name),
        "rules": False,
        "seats": [],
        "options": [],
        "broken": None,
    }
    try:
        kind = load_game(name)
        values = lobby.values(name)
    except Exception as error:  # a package with games may be faulty in any way
        why = text("It cannot be loaded: {why}", why=str(error) or repr(error))
        return {**choice, "broken": in_language(why, translate)}
    return {
        **choice,
        "title": kind.title,
        "about": in_language(kind.about, translate),
        "rules": has_rules(name),
        "seats": list(kind.seats),
        "options": [_option(option, values[option.name], translate) for option in kind.options],
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
        "usual": list(option.usual_numbers),
        "choices": [{"value": choice, "label": in_language(word_text(choice), translate)} for choice in option.choices],
    }


def _picture(name: str) -> str:
    """Return the address of the game's picture, or of a general one."""
    return f"games/{name if Path(_PICTURES, f'{name}.svg').is_file() else _ANY_GAME}.svg"


def prompt_of(screen: Screen, lobby: Lobby) -> str:
    """Return what to do next, for displays and the voice; empty during a game and while the table sleeps."""
    if screen in ("game", "asleep"):
        return ""
    if screen == "result":
        return text("Play the same again, another game, or say good night.")
    try:
        lobby.header()
    except EventRefused as reason:
        return str(reason)
    return text("Everything is ready: begin.")
