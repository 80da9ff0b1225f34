"""The pages of the menu that correct the record: which card, what it was, whose it is, one that is missing.

The name of a page holds the `n` at which it was opened, so that a correction is refused if the game has gone on since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cardtable.board.correction_messages import AddCard, CorrectCard, CorrectionMessage, NameCard, UndoTo
from cardtable.board.snapshot import Snapshot
from cardtable.evening.menu_situation import Entry, Situation
from engine.cards import COLOUR_TEXTS, SUIT_TEXTS, Card, parse_card
from engine.rules.wording import describe
from engine.texts import text

CARDS: Final = "cards"
"""The first page of corrections."""
MISFIT: Final = "misfit"
"""The page after a correction with which later actions do not fit."""
_SEAT: Final = "whose"
"""The page about the seat of a card ends with this."""
_END: Final = "\n"
"""Between the parts of the name of a page."""
_LIKELY: Final = 4
_MOST_CARDS: Final = 24
_LAST: Final = 12
"""How many of the last actions are listed."""
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
            return text("Later actions do not fit any more."), [
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
    """Return the cards that lie there, the last one first; then those that are seen and do not count."""
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
    """Return what a card may be instead that lies there, or that an action names. `which`: the `n` of the page, its
    line, the card.
    """
    n, line, card = which
    done = next((done for done in shown.history if done.n == line), None)
    pairs = zip(shown.view.lying, shown.lying, strict=False)
    lying = next((detail for one, detail in pairs if (detail.line, one.card) == (line, card)), None)
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
    """Return what a card may be that is seen and does not count. `which`: the `n` of the page, its source and id."""
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
    """Return which card may be added. `which`: the `n` of the page, the seat that laid the card."""
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
    """Return the likely cards and the suits, each with its page; on such a page, the cards of its suit."""
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
    """Return the page from which this one was opened: its name is that of this one without the last part."""
    return page.rpartition(_END)[0]


def _back(page: str) -> Entry:
    return Entry(text("Back"), opens=page)
