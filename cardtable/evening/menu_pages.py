"""The pages of the menu of buttons and encoders: the choices on each screen, as entries in order.

A page is a function of the situation, so an open menu always shows the present choices. `partial` gives it what was
chosen before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
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
from cardtable.table.snapshot import LogEntry, Snapshot
from cardtable.web.screens import SourceCheck, UnfinishedGame
from engine.cards import COLOUR_TEXTS, SUIT_TEXTS, Card
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


class NotNow(Exception):
    """A page of the menu does not exist now, because the game has gone on."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the menus depend on.

    `game`: the game that is played, or is over. `misfit`: the correction that was refused last. `look`: returns what
    the table sees in the lobby.
    """

    screen: Screen
    lobby: Lobby
    remembered: Sequence[str] = ()
    unfinished: Sequence[UnfinishedGame] = ()
    game: Snapshot | None = None
    misfit: Misfit | None = None
    look: Callable[[], Sequence[SourceCheck]] = tuple

    @property
    def shown(self) -> Snapshot:
        """The game. Raises `NotNow` if there is none."""
        if self.game is None:
            raise NotNow
        return self.game

    def standing(self, line: int) -> LogEntry:
        """Return the action that stands in this line of the record. Raises `NotNow` if there is none."""
        for done in self.shown.history:
            if done.n == line:
                return done
        raise NotNow

    def check_seating(self) -> None:
        """Raise `NotNow` unless players can sit down and leave."""
        if self.screen != "lobby" and not self.between_hands:
            raise NotNow

    @property
    def between_hands(self) -> bool:
        """Whether players can join and leave the game."""
        return self.screen == "game" and self.game is not None and self.game.between_hands

    @property
    def take_back(self) -> UndoTo | None:
        """The message that takes back the last action of the game; None if there is none."""
        if self.game is None or not self.game.history:
            return None
        before = [entry.n for entry in self.game.history[-2:-1]] or [1]
        return UndoTo(do="undo-to", n=self.game.n, line=before[0])


Opens = Callable[[Situation], "Page"]
"""Returns a page of the menu. Raises `NotNow`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: it sends a message, or opens another page; with neither it closes the menu.

    `stays`: whether the same place of the other page is chosen.
    """

    label: str
    message: HostMessage | None = None
    opens: Opens | None = None
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the menu.

    `then`: the page that follows once an entry has sent its message; None for the first page. `stays`: whether the
    entry stays chosen then. `live`: whether the page says what the table sees, so that it changes by itself.
    """

    title: str
    entries: list[Entry]
    then: Opens | None = None
    stays: bool = False
    live: bool = False


def _back(page: Opens) -> Entry:
    return Entry(text("Back"), opens=page)


# The pages that correct the record. `n`: the number of actions when a page was opened. A correction is refused if the
# game has gone on since.

_LIKELY: Final = 4
_MOST_CARDS: Final = 24
_LAST: Final = 12
"""Number of actions that are listed."""


def misfit(situation: Situation) -> Page:
    """Return the page after a correction with which later actions do not fit."""
    if situation.misfit is None:
        raise NotNow
    stop = situation.misfit.message.model_copy(update={"stop": True})
    return Page(
        text("Later actions no longer fit."),
        [
            Entry(text("Take back {count}", count=situation.misfit.lost), stop),
            Entry(text("Change nothing"), opens=first_page),
        ],
    )


def cards(situation: Situation) -> Page:
    """Return the cards that count, the last one first; then those that are seen and do not count."""
    shown = situation.shown
    laid = [
        Entry(
            card.card.glyph
            if card.zone.seat is None
            else text("{name}: {card}", name=shown.view.players[card.zone.seat], card=card.card.glyph),
            opens=partial(_laid, shown.n, detail.line, card.card, None),
        )
        for card, detail in zip(shown.view.lying, shown.lying, strict=False)
        if detail.line is not None
    ]
    strange = [
        Entry(
            card.face.glyph if card.face else text("a card that cannot be read"),
            opens=partial(_seen, shown.n, card.source, card.card_id, None),
        )
        for card in shown.placed
        if card.line is None
    ]
    return Page(
        text("Which card was misread?"),
        [
            *[*reversed(laid), *strange][:_MOST_CARDS],
            Entry(text("Add a card"), opens=_who_laid),
            *([Entry(text("What happened"), opens=_happened)] if shown.history else []),
            _back(first_page),
        ],
    )


def _laid(n: int, line: int, card: Card, suit: str | None, situation: Situation) -> Page:
    """Return what a card on the table, or in an action, may be instead."""
    shown, done = situation.shown, situation.standing(line)
    pairs = zip(shown.view.lying, shown.lying, strict=False)
    detail = next((detail for each, detail in pairs if (detail.line, each.card) == (line, card)), None)
    if detail is None and card not in done.seen_cards:
        raise NotNow

    def correct(to: Card | None = None) -> CorrectCard:
        return CorrectCard(do="correct-card", n=n, line=line, card=str(card), to=None if to is None else str(to))

    likely, page = detail.alternatives if detail else (), partial(_laid, n, line, card)
    deck = _deck(shown, page, suit, correct, likely, card)
    if suit is None:
        deck.append(Entry(text("It is not there"), correct()))
        if done.action.seat is not None:
            deck.append(Entry(text("Another seat"), opens=partial(_whose, n, line, card)))
    title = text("That was not {card}. What was it?", card=card.glyph)
    return Page(title, [*deck, _back(cards if suit is None else partial(page, None))])


def _whose(n: int, line: int, card: Card, situation: Situation) -> Page:
    """Return the seats to which a card may belong instead."""
    shown, done = situation.shown, situation.standing(line)
    entries = [
        Entry(name, CorrectCard(do="correct-card", n=n, line=line, card=str(card), seat=seat))
        for seat, name in enumerate(shown.view.players)
        if seat != done.action.seat
    ]
    return Page(text("Whose card is it?"), [*entries, _back(partial(_laid, n, line, card, None))])


def _seen(n: int, source: str, identifier: str, suit: str | None, situation: Situation) -> Page:
    """Return what a card that does not count may be."""
    shown = situation.shown
    card = next((each for each in shown.placed if (each.source, each.card_id) == (source, identifier)), None)
    if card is None:
        raise NotNow

    def name(face: Card | None = None) -> NameCard:
        return NameCard(do="name-card", n=n, source=source, id=identifier, card=None if face is None else str(face))

    title = text("Which card is this?")
    if card.face is not None:
        title = text("That was not {card}. What was it?", card=card.face.glyph)
    page = partial(_seen, n, source, identifier)
    deck = _deck(shown, page, suit, name, card.alternatives, card.face)
    if suit is None:
        deck.append(Entry(text("It is not there"), name()))
    return Page(title, [*deck, _back(cards if suit is None else partial(page, None))])


def _who_laid(situation: Situation) -> Page:
    """Return the seats that may have laid a card that was not seen."""
    shown = situation.shown
    seats = [Entry(name, opens=partial(_added, shown.n, seat, None)) for seat, name in enumerate(shown.view.players)]
    turned = Entry(text("It was turned up"), opens=partial(_added, shown.n, None, None))
    return Page(text("Who laid the card?"), [*seats, turned, _back(cards)])


def _added(n: int, seat: int | None, suit: str | None, situation: Situation) -> Page:
    """Return the cards that may be added. `seat`: the seat that laid the card."""

    def add(card: Card) -> AddCard:
        return AddCard(do="add-card", n=n, card=str(card), seat=seat)

    page = partial(_added, n, seat)
    back = _back(_who_laid if suit is None else partial(page, None))
    return Page(text("Which card was it?"), [*_deck(situation.shown, page, suit, add), back])


def _deck(
    shown: Snapshot,
    page: Callable[[str | None, Situation], Page],
    suit: str | None,
    message: Callable[[Card], CorrectionMessage],
    likely: Sequence[Card] = (),
    without: Card | None = None,
) -> list[Entry]:
    """Return the cards of `suit`; without it, the likely cards, and the suits, each of which opens `page`."""
    deck = [card for card in shown.view.deck if card != without]
    if suit is not None:
        return [Entry(card.glyph, message(card)) for card in deck if card.suit == suit]
    suits = dict.fromkeys(card.suit for card in deck)
    return [
        *[Entry(card.glyph, message(card)) for card in likely[:_LIKELY]],
        *[Entry((SUIT_TEXTS | COLOUR_TEXTS).get(each, each), opens=partial(page, each)) for each in suits],
    ]


def _happened(situation: Situation) -> Page:
    """Return the last actions, newest first."""
    shown = situation.shown
    actions = [
        Entry(describe(done.action, shown.view.players), opens=partial(_action, shown.n, done.n))
        for done in reversed(shown.history[-_LAST:])
    ]
    return Page(text("What happened"), [*actions, _back(cards)])


def _action(n: int, line: int, situation: Situation) -> Page:
    """Return what can be done about an action that stands."""
    shown, done = situation.shown, situation.standing(line)
    undo = [Entry(text("Undo to here"), UndoTo(do="undo-to", n=n, line=line))] if done != shown.history[-1] else []
    others = [
        Entry(text("{card} was another card", card=card.glyph), opens=partial(_laid, n, line, card, None))
        for card in done.seen_cards
    ]
    never = Entry(text("This did not happen"), CorrectCard(do="correct-card", n=n, line=line))
    return Page(describe(done.action, shown.view.players), [*undo, *others, never, _back(_happened)])


# The pages about players: who sits where, new names, names changed or forgotten.

_MOST_ENTRIES: Final = 9
"""Number of players that one page lists."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzàçéèêñöü '-"


def players(situation: Situation) -> Page:
    """Return the players who can join and leave, in the lobby or between two hands."""
    in_lobby, seated, remembered = situation.screen == "lobby", situation.lobby.players, situation.remembered
    situation.check_seating()
    entries: list[Entry] = []
    if len(seated) < MOST_PLAYERS:
        entries += [_added_player(situation, name) for name in remembered[:_MOST_ENTRIES]]
        if remembered[_MOST_ENTRIES:]:
            entries.append(Entry(text("More players"), opens=_known))
        entries += [
            Entry(text("New player"), opens=partial(_new_player, "")),
            _added_player(situation, None),
        ]
    for name in reversed(seated):
        leave = RemovePlayer(do="remove-player", name=name) if in_lobby else Leave(do="leave", name=name)
        entries.append(Entry(text("Take {name} away", name=name), leave))
    if in_lobby:
        entries += [Entry(text("Seats"), opens=_seats), Entry(text("Names"), opens=_names)]
    return Page(text("Players"), [*entries, _back(first_page)], then=players)


def _known(situation: Situation) -> Page:
    """Return the remembered players for whom the page before has no room."""
    situation.check_seating()
    entries = [_added_player(situation, name) for name in situation.remembered[_MOST_ENTRIES:]]
    return Page(text("More players"), [*entries, _back(players)], then=_known)


def _new_player(spelled: str, situation: Situation) -> Page:
    """Return the letters that spell the name of a new player. `spelled`: the letters so far."""
    situation.check_seating()
    done = [_added_player(situation, spelled.strip())] if spelled.strip() else []
    letters = _letters(lambda letters: partial(_new_player, letters), spelled)
    title = text("New player: {name}", name=f"{spelled}…")
    return Page(title, [*letters, *done, _back(players)], then=players)


def _added_player(situation: Situation, name: str | None) -> Entry:
    """Return the entry that lets a player sit down; a guest without a name."""
    add = Join(do="join", name=name) if situation.screen == "game" else AddPlayer(do="add-player", name=name)
    return Entry(text("Add a guest") if name is None else text("Add {name}", name=name), add)


def _letters(page: Callable[[str], Opens], spelled: str) -> list[Entry]:
    """Return the entries that spell a name letter by letter. `page` returns the page after further letters.

    The letters come first, so that the next letter is near; entries that accept the name are reached by turning back.
    """
    capital = not spelled or spelled[-1] in " '-"
    letters = _LETTERS.upper() if capital else _LETTERS
    entries = [
        Entry(text("space") if each == " " else each, opens=page(spelled + each), stays=True) for each in letters
    ]
    if len(spelled) >= LONGEST_NAME:
        entries = []
    if spelled:
        entries.append(Entry(text("Delete the last letter"), opens=page(spelled[:-1]), stays=True))
    return entries


def _seats(situation: Situation) -> Page:
    """Return the players, each of whom can move by one seat."""
    seated = situation.lobby.players
    entries = [
        Entry(
            text("Move {name} one seat on", name=name),
            MovePlayer(do="move-player", name=name, seat=(seat + 1) % len(seated)),
        )
        for seat, name in enumerate(seated)
    ]
    return Page(text("Seats"), [*entries, _back(players)], then=_seats, stays=True)


def _names(situation: Situation) -> Page:
    """Return all names that the table knows."""
    names = (*situation.lobby.players, *situation.remembered)
    return Page(text("Names"), [*(Entry(name, opens=partial(_name, name)) for name in names), _back(players)])


def _name(name: str, situation: Situation) -> Page:
    """Return what can be done with a name. A player at the table cannot be forgotten."""
    seated = situation.lobby.players
    if name not in (*seated, *situation.remembered):
        raise NotNow
    entries = [Entry(text("Another name"), opens=partial(_rename, name, name))]
    if name not in seated:
        entries.append(Entry(text("Forget this player"), ForgetPlayer(do="forget-player", name=name)))
    return Page(name, [*entries, _back(_names)], then=_names)


def _rename(name: str, spelled: str, situation: Situation) -> Page:
    """Return the letters that spell another name. `spelled`: the letters so far."""
    to = spelled.strip()
    done = [Entry(text("Rename to {name}", name=to), RenamePlayer(do="rename-player", name=name, to=to))]
    letters = _letters(lambda letters: partial(_rename, name, letters), spelled)
    title = text("Another name: {name}", name=f"{spelled}…")
    return Page(title, [*letters, *(done if to not in ("", name) else []), _back(partial(_name, name))], then=_names)


# The first page of each screen, and the other pages of the lobby.

_NEWEST: Final = 2
"""Number of unfinished games on the first page of the menu."""


def first_page(situation: Situation) -> Page:
    """Return the first page of the menu."""
    undo = [Entry(text("Take back the last action"), situation.take_back)] if situation.take_back else []
    correct = [Entry(text("Correct a card"), opens=cards)] if situation.game else []
    match situation.screen:
        case "lobby":
            return _lobby(situation)
        case "result":
            entries = [
                Entry(text("Again"), Again(do="again")),
                Entry(text("Another game"), OtherGame(do="other-game")),
                Entry(text("Other players"), OtherPlayers(do="other-players")),
                Entry(text("Good night"), GoodNight(do="good-night")),
            ]
            return Page(text("What next?"), [*entries, *undo, *correct])
        case "game":
            entries = [
                Entry(text("The table is right"), TableIsRight(do="table-is-right")),
                _record_is_right(situation.game is not None and situation.game.restoring is not None),
                *([Entry(text("Who plays"), opens=players)] if situation.between_hands else []),
                Entry(text("Break the game off"), opens=_break_off),
            ]
            return Page(text("The game"), [Entry(text("Play on")), *undo, *correct, *entries])
        case "asleep":
            return Page(text("Good night"), [Entry(text("Wake up"), Wake(do="wake"))])


def _record_is_right(restoring: bool) -> Entry:
    if restoring:
        return Entry(text("Do not put cards back"), RecordIsRight(do="record-is-right", on=False))
    return Entry(text("The record is right"), RecordIsRight(do="record-is-right"))


def _break_off(situation: Situation) -> Page:
    off = Entry(text("Break the game off"), BreakOff(do="break-off"))
    return Page(text("Break this game off? It stays stored."), [Entry(text("Play on")), off])


def _lobby(situation: Situation) -> Page:
    lobby = situation.lobby
    begin = [Entry(text("Begin"), Begin(do="begin"))] if lobby.is_ready else []
    begin += _continued(situation)[:_NEWEST]
    if situation.unfinished[_NEWEST:]:
        begin.append(Entry(text("More unfinished games"), opens=_unfinished))
    title = title_of(lobby.game) if lobby.game else text("none")
    dealer = lobby.dealer if lobby.dealer in lobby.players else text("cut") if lobby.is_cut_for else text("nobody yet")
    return Page(
        text("Lobby"),
        [
            *begin,
            Entry(text("Game: {title}", title=title), opens=_games),
            Entry(text("Players: {names}", names=commas(lobby.players) or text("none")), opens=players),
            Entry(text("Who {does}: {name}", does=lobby.first_does, name=dealer), opens=_dealer),
            *([Entry(text("Options"), opens=_options)] if options_of(lobby) else []),
            Entry(text("Everything in sight?"), opens=_in_sight),
            Entry(text("Good night"), GoodNight(do="good-night")),
        ],
    )


def _games(situation: Situation) -> Page:
    games = [Entry(title_of(name), ChooseGame(do="choose-game", game=name)) for name in game_names()]
    return Page(text("Game"), [*games, _back(first_page)])


def _dealer(situation: Situation) -> Page:
    lobby = situation.lobby
    seats = [Entry(name, SetDealer(do="set-dealer", seat=seat)) for seat, name in enumerate(lobby.players)]
    cut = [Entry(text("The players cut"), SetDealer(do="set-dealer", seat=None))] if lobby.is_cut_for else []
    return Page(text("Who {does}?", does=lobby.first_does), [*cut, *seats, _back(first_page)])


def _options(situation: Situation) -> Page:
    lobby = situation.lobby
    options = [
        Entry(label_of(option, lobby), opens=partial(_option, name)) for name, option in options_of(lobby).items()
    ]
    return Page(text("Options"), [*options, _back(first_page)])


def _option(name: str, situation: Situation) -> Page:
    """Return the values that the option `name` may have."""
    lobby = situation.lobby
    option = options_of(lobby).get(name)
    if option is None:
        raise NotNow
    values = [Entry(label, message) for label, message in values_of(option, lobby)]
    return Page(label_of(option, lobby), [*values, _back(_options)], then=partial(_option, name), stays=True)


def _in_sight(situation: Situation) -> Page:
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
    entries = [Entry(each, opens=_in_sight) for each in found]
    return Page(text("Everything in sight?"), [*entries, _back(first_page)], live=True)


def _unfinished(situation: Situation) -> Page:
    return Page(text("More unfinished games"), [*_continued(situation)[_NEWEST:], _back(first_page)])


def _continued(situation: Situation) -> list[Entry]:
    """Return the games that can be continued, the newest first."""
    return [
        Entry(
            text("Go on: {title}, {names}", title=game["title"], names=commas(game["players"])),
            GoOn(do="go-on", id=game["id"]),
        )
        for game in situation.unfinished
    ]
