"""The pages of the menu of buttons and encoders: the choices on each screen, as entries in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardtable.config.model import LONGEST_NAME
from cardtable.evening.lobby import MOST_PLAYERS, Lobby
from cardtable.evening.states import Screen
from cardtable.table.messages import (
    AddCard,
    AddPlayer,
    Again,
    Begin,
    BreakOff,
    ChooseGame,
    CorrectCard,
    CorrectionMessage,
    ForgetPlayer,
    GoodNight,
    GoOn,
    HostMessage,
    Join,
    Leave,
    MovePlayer,
    NameCard,
    OtherGame,
    OtherPlayers,
    RecordIsRight,
    RemovePlayer,
    RenamePlayer,
    SetDealer,
    SetOption,
    TableIsRight,
    UndoTo,
    Wake,
)
from cardtable.table.snapshot import Snapshot
from cardtable.web.screens import SourceCheck, UnfinishedGame
from engine.cards import COLOUR_TEXTS, SUIT_TEXTS, Card, parse_card
from engine.games import game_names, load_game, title_of
from engine.rules.state import Option
from engine.rules.wording import describe
from engine.texts import commas, text, word_text

# The options of the chosen game.

_STEPS: Final = (-10, -1, 1, 10)


def options_of(lobby: Lobby) -> dict[str, Option]:
    """Return the options of the chosen game by name; none if no game is chosen."""
    if lobby.game is None or lobby.game not in game_names():
        return {}
    return {option.name: option for option in load_game(lobby.game).options}


def label_of(option: Option, lobby: Lobby) -> str:
    """Return the option's label with its present value."""
    assert lobby.game is not None
    value = _value_text(lobby.values(lobby.game)[option.name])
    return text("{option}: {value}", option=option.label or word_text(option.name), value=value)


def values_of(option: Option, lobby: Lobby) -> Iterator[tuple[str, SetOption]]:
    """Yield the possible values of the option: a label, and the message that sets it."""
    assert lobby.game is not None
    present = lobby.values(lobby.game)[option.name]
    values: list[tuple[str, bool | int | str]] = [(_value_text(choice), choice) for choice in option.choices]
    if isinstance(option.default, bool):
        values = [(_value_text(True), True), (_value_text(False), False)]
    elif isinstance(option.default, int):
        steps = [step for step in _STEPS if option.least is None or present + step >= option.least]
        values = [(f"{step:+}", present + step) for step in steps]
        values.append((text("usual: {value}", value=option.default), option.default))
    for label, value in values:
        yield label, SetOption(do="set-option", name=option.name, value=value)


def _value_text(value: bool | int | str) -> str:
    if isinstance(value, bool):
        return text("yes") if value else text("no")
    return str(value) if isinstance(value, int) else word_text(value)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A correction that was refused because `lost` later actions no longer fit."""

    message: CorrectionMessage
    lost: int


@dataclass(frozen=True, slots=True)
class Situation:
    """What the menus depend on.

    `ready`: whether the game can begin. `restoring`: whether the players are asked to put cards back. `between_hands`:
    whether players can join and leave the game. `game`: the game that is played, or is over. `misfit`: the correction
    that was refused last. `look`: returns what the table sees in the lobby.
    """

    screen: Screen
    lobby: Lobby
    remembered: Sequence[str] = ()
    ready: bool = False
    unfinished: Sequence[UnfinishedGame] = ()
    restoring: bool = False
    between_hands: bool = False
    game: Snapshot | None = None
    misfit: Misfit | None = None
    look: Callable[[], Sequence[SourceCheck]] = tuple

    def playing(self, shown: Snapshot) -> Situation:
        """Return the situation during this game, or at its result."""
        return replace(self, game=shown, restoring=shown.restoring is not None, between_hands=shown.between_hands)

    @property
    def take_back(self) -> UndoTo | None:
        """The message that takes back the last action of the game; None if there is none."""
        if self.game is None or not self.game.history:
            return None
        before = [entry.n for entry in self.game.history[-2:-1]] or [1]
        return UndoTo(do="undo-to", n=self.game.n, line=before[0])


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: it sends a message, or opens another page; with neither it closes the menu."""

    label: str
    message: HostMessage | None = None
    opens: str | None = None


# The pages that correct the record.
#
# The name of a page contains the `n` at which it was opened, so that a correction is refused if the game has gone on
# since.

CARDS: Final = "cards"
"""The first page of corrections."""
MISFIT: Final = "misfit"
"""The page after a correction with which later actions do not fit."""
_SEAT: Final = "whose"
"""The end of the name of the page about the seat of a card."""
_END: Final = "\n"
"""The separator between the parts of the name of a page."""
_LIKELY: Final = 4
_MOST_CARDS: Final = 24
_LAST: Final = 12
"""Number of actions that are listed."""
_NO_SEAT: Final = "-"

Page = tuple[str, list[Entry]]


def correction_page(situation: Situation, page: str) -> Page | None:
    """Return the title and the entries of a page of corrections; None if the page does not exist now."""
    shown = situation.game
    if shown is None:
        return None
    match page.split(_END):
        case ["misfit"] if situation.misfit is not None:
            stop = situation.misfit.message.model_copy(update={"stop": True})
            return text("Later actions no longer fit."), [
                Entry(text("Take back {count}", count=situation.misfit.lost), stop),
                Entry(text("Change nothing"), opens=""),
            ]
        case ["cards"]:
            return _cards(shown)
        case ["lying", n, line, card, *more]:
            return _lying(shown, (int(n), int(line), parse_card(card)), page, more)
        case ["seen", n, source, identifier, *suit]:
            return _seen(shown, (int(n), source, identifier), page, suit)
        case ["add"]:
            seats = [Entry(name, opens=_page("added", shown.n, seat)) for seat, name in enumerate(shown.view.players)]
            turned = Entry(text("It was turned up"), opens=_page("added", shown.n, _NO_SEAT))
            return text("Who laid the card?"), [*seats, turned, _back(CARDS)]
        case ["added", n, seat, *suit]:
            return _added(shown, (int(n), None if seat == _NO_SEAT else int(seat)), page, suit)
        case ["happened"]:
            return text("What happened"), [*_actions(shown), _back(CARDS)]
        case ["action", n, line]:
            return _action(shown, int(n), int(line))
    return None


def _cards(shown: Snapshot) -> Page:
    """Return the cards that count, the last one first; then those that are seen and do not count."""
    lying = [
        Entry(
            card.card.glyph
            if card.zone.seat is None
            else text("{name}: {card}", name=shown.view.players[card.zone.seat], card=card.card.glyph),
            opens=_page("lying", shown.n, detail.line, card.card),
        )
        for card, detail in zip(shown.view.lying, shown.lying, strict=False)
        if detail.line is not None
    ]
    strange = [
        Entry(
            card.face.glyph if card.face else text("a card that cannot be read"),
            opens=_page("seen", shown.n, card.source, card.card_id),
        )
        for card in shown.placed
        if card.line is None
    ]
    return text("Which card was misread?"), [
        *[*reversed(lying), *strange][:_MOST_CARDS],
        Entry(text("Add a card"), opens="add"),
        *([Entry(text("What happened"), opens="happened")] if shown.history else []),
        _back(""),
    ]


def _lying(shown: Snapshot, which: tuple[int, int, Card], page: str, more: list[str]) -> Page | None:
    """Return what a card on the table, or in an action, may be instead. `which`: the page's `n`, the line, the card."""
    n, line, card = which
    done = next((done for done in shown.history if done.n == line), None)
    pairs = zip(shown.view.lying, shown.lying, strict=False)
    lying = next((detail for each, detail in pairs if (detail.line, each.card) == (line, card)), None)
    if done is None or (lying is None and card not in done.seen_cards):
        return None
    likely = lying.alternatives if lying else ()

    def correct(to: Card | None = None, seat: int | None = None) -> CorrectCard:
        name = None if to is None else str(to)
        return CorrectCard(do="correct-card", n=n, line=line, card=str(card), to=name, seat=seat)

    if more == [_SEAT]:
        others = [(seat, name) for seat, name in enumerate(shown.view.players) if seat != done.action.seat]
        entries = [Entry(name, correct(seat=seat)) for seat, name in others]
        return text("Whose card is it?"), [*entries, _back(_before(page))]
    title = text("That was not {card}. What was it?", card=card.glyph)
    deck = _deck(shown, page, more, correct, likely, card)
    if more:
        return title, [*deck, _back(_before(page))]
    seat = [Entry(text("Another seat"), opens=_page(page, _SEAT))] if done.action.seat is not None else []
    return title, [*deck, Entry(text("It is not there"), correct()), *seat, _back(CARDS)]


def _seen(shown: Snapshot, which: tuple[int, str, str], page: str, suit: list[str]) -> Page | None:
    """Return what a card that does not count may be. `which`: the page's `n`, the card's source and id."""
    n, source, identifier = which
    card = next((each for each in shown.placed if (each.source, each.card_id) == (source, identifier)), None)
    if card is None:
        return None

    def name(face: Card | None = None) -> NameCard:
        return NameCard(do="name-card", n=n, source=source, id=identifier, card=None if face is None else str(face))

    question = text("That was not {card}. What was it?", card=card.face.glyph) if card.face else None
    deck = _deck(shown, page, suit, name, card.alternatives, card.face)
    gone = [] if suit else [Entry(text("It is not there"), name())]
    return question or text("Which card is this?"), [*deck, *gone, _back(_before(page) if suit else CARDS)]


def _added(shown: Snapshot, which: tuple[int, int | None], page: str, suit: list[str]) -> Page:
    """Return the cards that may be added. `which`: the page's `n`, the seat that laid the card."""
    n, seat = which

    def add(card: Card) -> AddCard:
        return AddCard(do="add-card", n=n, card=str(card), seat=seat)

    return text("Which card was it?"), [*_deck(shown, page, suit, add), _back(_before(page) if suit else "add")]


def _deck(
    shown: Snapshot,
    page: str,
    suit: list[str],
    message: Callable[[Card], CorrectionMessage],
    likely: tuple[Card, ...] = (),
    without: Card | None = None,
) -> list[Entry]:
    """Return the likely cards, and the suits with their pages; on the page of a suit, its cards."""
    cards = [card for card in shown.view.deck if card != without]
    if suit:
        return [Entry(card.glyph, message(card)) for card in cards if card.suit == suit[0]]
    suits = dict.fromkeys(card.suit for card in cards)
    return [
        *[Entry(card.glyph, message(card)) for card in likely[:_LIKELY]],
        *[Entry((SUIT_TEXTS | COLOUR_TEXTS).get(each, each), opens=_page(page, each)) for each in suits],
    ]


def _actions(shown: Snapshot) -> list[Entry]:
    """Return the last actions, newest first."""
    last = reversed(shown.history[-_LAST:])
    return [Entry(describe(done.action, shown.view.players), opens=_page("action", shown.n, done.n)) for done in last]


def _action(shown: Snapshot, n: int, line: int) -> Page | None:
    """Return what can be done about an action that stands."""
    done = next((done for done in shown.history if done.n == line), None)
    if done is None:
        return None
    undo = [Entry(text("Undo to here"), UndoTo(do="undo-to", n=n, line=line))] if done != shown.history[-1] else []
    cards = [
        Entry(text("{card} was another card", card=card.glyph), opens=_page("lying", n, line, card))
        for card in done.seen_cards
    ]
    never = Entry(text("This did not happen"), CorrectCard(do="correct-card", n=n, line=line))
    return describe(done.action, shown.view.players), [*undo, *cards, never, _back("happened")]


def _page(*parts: object) -> str:
    return _END.join(map(str, parts))


def _before(page: str) -> str:
    """Return the page from which this one was opened: its name lacks the last part."""
    return page.rpartition(_END)[0]


def _back(page: str) -> Entry:
    return Entry(text("Back"), opens=page)


# The pages about players: who sits where, new names, names changed or forgotten.

MOST_ENTRIES: Final = 9
"""Number of players that one page lists."""
SPELLING: Final = "spell "
"""The start of the name of the page that spells a new player; the letters so far follow."""
RENAMING: Final = "rename "
"""The start of the name of the page that renames a player; the present name, `_END` and the letters so far follow."""
NAMED: Final = "name "
"""The start of the name of the page about a player, whose name follows."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzàçéèêñöü '-"


def players_page(situation: Situation, page: str) -> tuple[str, list[Entry]] | None:
    """Return the title and the entries of a page about players; None if the page does not exist now."""
    in_lobby = situation.screen == "lobby"
    if not in_lobby and not (situation.screen == "game" and situation.between_hands):
        return None
    if page.startswith(SPELLING):
        spelled = page.removeprefix(SPELLING)
        done = [_added_player(situation, name) for name in [spelled.strip()] if name]
        return text("New player: {name}", name=f"{spelled}…"), _letters(SPELLING, spelled, done, "players")
    if page == "known":
        known = [_added_player(situation, name) for name in situation.remembered[MOST_ENTRIES:]]
        return text("More players"), [*known, _back("players")]
    if page == "players":
        more = [Entry(text("Seats"), opens="seats"), Entry(text("Names"), opens="names")] if in_lobby else []
        return text("Players"), [*_players(situation), *more, _back("")]
    if not in_lobby:
        return None
    if page == "seats":
        return text("Seats"), [*_seats(situation), _back("players")]
    names = (*situation.lobby.players, *situation.remembered)
    if page == "names":
        listed = [Entry(name, opens=NAMED + name) for name in names]
        return text("Names"), [*listed, _back("players")]
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
    """Return the players who can join and leave, in the lobby or between two hands."""
    seated = situation.lobby.players
    entries: list[Entry] = []
    if len(seated) < MOST_PLAYERS:
        entries += [_added_player(situation, name) for name in situation.remembered[:MOST_ENTRIES]]
        if situation.remembered[MOST_ENTRIES:]:
            entries.append(Entry(text("More players"), opens="known"))
        number = next(n for n in range(1, MOST_PLAYERS + 2) if _guest(n) not in (*seated, *situation.remembered))
        entries += [Entry(text("New player"), opens=SPELLING), _added_player(situation, _guest(number))]
    for name in reversed(seated):
        leave = (
            Leave(do="leave", name=name) if situation.screen == "game" else RemovePlayer(do="remove-player", name=name)
        )
        entries.append(Entry(text("Take {name} away", name=name), leave))
    return entries


def _added_player(situation: Situation, name: str) -> Entry:
    """Return the entry that lets a player sit down."""
    add = Join(do="join", name=name) if situation.screen == "game" else AddPlayer(do="add-player", name=name)
    return Entry(text("Add {name}", name=name), add)


def _letters(page: str, spelled: str, done: Sequence[Entry], back: str) -> list[Entry]:
    """Return the entries that spell a name letter by letter, then the entries `done`, which accept it.

    The letters come first, so that the next letter is near, and `done` is reached by turning back.
    """
    capital = not spelled or spelled[-1] in " '-"
    letters = LETTERS.upper() if capital else LETTERS
    entries = [Entry(text("space") if each == " " else each, opens=page + spelled + each) for each in letters]
    if len(spelled) >= LONGEST_NAME:
        entries = []
    if spelled:
        entries.append(Entry(text("Delete the last letter"), opens=page + spelled[:-1]))
    return [*entries, *done, _back(back)]


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
    """Return what can be done with a name. A player at the table cannot be forgotten."""
    forget = Entry(text("Forget this player"), ForgetPlayer(do="forget-player", name=name))
    return [
        Entry(text("Another name"), opens=RENAMING + name + _END + name),
        *([forget] if name not in situation.lobby.players else []),
        _back("names"),
    ]


def _guest(number: int) -> str:
    return str(text("Player {number}", number=number))


NEWEST: Final = 2
"""Number of unfinished games on the first page of the menu."""
OPTION: Final = "option "
"""The start of the name of the page of an option, whose name follows."""
SIGHT: Final = "sight"
"""The page that says what the table sees, which is shown again when that changes."""


def page_of(situation: Situation, page: str = "") -> tuple[str, list[Entry]]:
    """Return the title and the entries of a page of the menu; the first page is ``""``."""
    lobby, back = situation.lobby, _back("")
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
            return label_of(option, lobby), [*values, _back("options")]
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
    """Return the faults of each source, and the cards that it sees."""
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
