"""The pages of the menu of buttons and encoders: what can be chosen on each screen, as entries in order."""

from __future__ import annotations

from typing import Final

from cardtable.board.correction_messages import RecordIsRight, TableIsRight
from cardtable.board.messages import (
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    GoodNight,
    GoOn,
    OtherGame,
    OtherPlayers,
    SetDealer,
    Wake,
)
from cardtable.evening.menu_corrections import CARDS, correction_page
from cardtable.evening.menu_options import label_of, options_of, values_of
from cardtable.evening.menu_players import players_page
from cardtable.evening.menu_situation import Entry, Situation
from engine.games import game_names, title_of
from engine.texts import commas, text

NEWEST: Final = 2
"""Unfinished games on the first page of the menu."""
OPTION: Final = "option "
"""The page of an option has its name after this."""
SIGHT: Final = "sight"
"""The page that says what the table sees; it is shown again when that changes."""


def page_of(situation: Situation, page: str = "") -> tuple[str, list[Entry]]:
    """Return the title and the entries of a page of the menu; the first page is ``""``."""
    lobby, back = situation.lobby, Entry(text("Back"), opens="")
    undo = [Entry(text("Take back the last action"), situation.take_back)] if situation.take_back else []
    correct = [Entry(text("Correct a card"), opens=CARDS)] if situation.game else []
    found = players_page(situation, page) or correction_page(situation, page)
    if found is not None:
        return found
    match situation.screen, page:
        case "lobby", "games":
            games = [Entry(title_of(name), ChooseGame(do="choose-game", game=name)) for name in game_names()]
            return text("Game"), [*games, back]
        case "lobby", "unfinished":
            return text("More unfinished games"), [*_unfinished(situation)[NEWEST:], back]
        case "lobby", _ if page == SIGHT:
            return text("Everything in sight?"), [*_in_sight(situation), back]
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
            cut = [Entry(text("The players cut"), SetDealer(do="set-dealer", seat=None))] if lobby.is_cut_for else []
            return text("Who {does}?", does=lobby.first_does), [*cut, *seats, back]
        case "lobby", _:
            return text("Lobby"), _lobby(situation)
        case "result", _:
            return text("What next?"), [
                Entry(text("Same again"), Again(do="again")),
                Entry(text("Another game"), OtherGame(do="other-game")),
                Entry(text("Other players"), OtherPlayers(do="other-players")),
                Entry(text("Good night"), GoodNight(do="good-night")),
                *undo,
                *correct,
            ]
        case "game", "break-off":
            return text("Break this game off? It stays stored."), [
                Entry(text("Play on")),
                Entry(text("Break the game off"), BreakOff(do="break-off")),
            ]
        case "game", _:
            return text("The game"), [
                Entry(text("Play on")),
                *undo,
                *correct,
                Entry(text("The table is right"), TableIsRight(do="table-is-right")),
                _record_is_right(situation.restoring),
                *([Entry(text("Who plays"), opens="players")] if situation.between_hands else []),
                Entry(text("Break the game off"), opens="break-off"),
            ]
        case _:
            return text("Good night"), [Entry(text("Wake up"), Wake(do="wake"))]


def _record_is_right(restoring: bool) -> Entry:
    if restoring:
        return Entry(text("Do not put cards back"), RecordIsRight(do="record-is-right", on=False))
    return Entry(text("The record is right"), RecordIsRight(do="record-is-right"))


def _lobby(situation: Situation) -> list[Entry]:
    lobby = situation.lobby
    begin = [Entry(text("Begin"), Begin(do="begin"))] if situation.ready else []
    begin += _unfinished(situation)[:NEWEST]
    if situation.unfinished[NEWEST:]:
        begin.append(Entry(text("More unfinished games"), opens="unfinished"))
    title = title_of(lobby.game) if lobby.game else text("none")
    dealer = lobby.dealer if lobby.dealer in lobby.players else text("cut") if lobby.is_cut_for else text("nobody yet")
    return [
        *begin,
        Entry(text("Game: {title}", title=title), opens="games"),
        Entry(text("Players: {names}", names=commas(lobby.players) or text("none")), opens="players"),
        Entry(text("Who {does}: {name}", does=lobby.first_does, name=dealer), opens="dealer"),
        *([Entry(text("Options"), opens="options")] if options_of(lobby) else []),
        Entry(text("Everything in sight?"), opens=SIGHT),
        Entry(text("Good night"), GoodNight(do="good-night")),
    ]


def _in_sight(situation: Situation) -> list[Entry]:
    """Return what is wrong with each source, and which cards it sees."""
    sources = situation.look()
    found = [
        text("{name}: {found}", name=source["name"], found=": ".join(filter(None, (check["text"], check["advice"]))))
        for source in sources
        for check in source["checks"]
        if check["state"] != "good" or check["what"] == "cards"
    ]
    if not sources:
        found = [text("No camera and no readers: what is played is entered on the page.")]
    elif all(source["state"] == "good" for source in sources):
        found.insert(0, text("Everything is in sight."))
    return [Entry(each, opens=SIGHT) for each in found]


def _unfinished(situation: Situation) -> list[Entry]:
    """Return the games that can be continued, the newest first."""
    return [
        Entry(
            text("Go on: {title}, {names}", title=game["title"], names=commas(game["players"])),
            GoOn(do="go-on", id=game["id"]),
        )
        for game in situation.unfinished
    ]
