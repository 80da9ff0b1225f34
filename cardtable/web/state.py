"""The state of a game as the board sends it, in JSON. `cardtable.web.screens` describes its shape.

The state contains only what everybody at the table may know. A rendering adds, for each device, what it alone may see.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from cardtable.languages import translate_prompts
from cardtable.table.messages import Sender
from cardtable.table.snapshot import (
    CorrectionEntry,
    LogEntry,
    LyingDetail,
    Snapshot,
    action_sentence,
    fact_sentences,
    outcome_sentences,
    standing_sentences,
)
from cardtable.web.access import DEEDS, Permissions
from cardtable.web.access_file import Phone
from cardtable.web.rules import has_rules
from cardtable.web.screens import (
    AskState,
    CountedHandState,
    GameScreen,
    HistoryEntry,
    LastPoints,
    LyingCard,
    Menu,
    MomentState,
    OtherGameState,
    PhoneState,
    PicturedCard,
    Points,
    SeatNoteState,
    State,
    WordChoice,
    You,
    common,
)
from engine.cards import Card, Deck
from engine.games import game_names, load_game
from engine.rules.wording import describe
from engine.texts import Translate, as_written, in_language, text
from engine.views import CountedHand, Moment, SeatNote, View
from hardware.voice import speakable, spoken_prompt

# The lines of a game's history: what was done, what it scored and what it led to.


class HistoryLines:
    """The lines of a game's history, in one language. Each line is written once and reused while its action stands.

    Several threads may use it.
    """

    def __init__(self, translate: Translate) -> None:
        self._translate = translate
        self._about: object = None
        """The game and the players of the cached lines."""
        self._lines: dict[int, tuple[LogEntry, HistoryEntry]] = {}

    def of(self, shown: Snapshot, most: int | None = None) -> list[HistoryEntry]:
        """Return the last `most` (None: all) standing actions and corrections, newest first."""
        history, about = shown.history, (shown.view.game, shown.view.players)
        if about != self._about:
            self._about, self._lines = about, {}
        lines = self._lines
        found: list[HistoryEntry] = []
        for index in range(max(len(history) - most, 0) if most else 0, len(history)):
            done = history[index]
            written = lines.get(done.n)
            if written is None or written[0] is not done:
                before = history[index - 1].scores if index else (0,) * len(done.scores)
                written = lines[done.n] = done, self._line(shown.view, done, before)
            found.append(written[1])
        found += [self._correction(made) for made in reversed(shown.corrections[-most:] if most else shown.corrections)]
        # A correction comes before the actions that it repeated.
        return sorted(found, key=lambda line: (-line["n"], "by" in line))[:most]

    def _line(self, view: View, done: LogEntry, before: Sequence[int]) -> HistoryEntry:
        line = history_entry(view, done, self._translate, before)
        if done.seen_cards:
            line["cards"] = [str(card) for card in done.seen_cards]
        return line

    def _correction(self, made: CorrectionEntry) -> HistoryEntry:
        sentence = in_language(made.sentence, self._translate)
        return {
            "n": made.n,
            "seat": None,
            "text": sentence,
            "points": [],
            "events": [],
            "spoken": speakable(sentence, self._translate),
            "outcome": "",
            "by": made.who,
        }


def history_entry(
    view: View, done: LogEntry, translate: Translate, before: Sequence[int] | None = None
) -> HistoryEntry:
    """Return one line of the history.

    `before`: the scores before the action, to tell whether it changed them; None to leave that out.
    """
    return {
        "n": done.n,
        "seat": done.action.seat if isinstance(done.action.seat, int) else None,
        "text": in_language(describe(done.action, view.players), translate),
        "points": scored(done),
        "events": [in_language(view.describe(event), translate) for event in done.events],
        "spoken": action_sentence(view, done, translate),
        "outcome": outcome_sentences(view, done, done.scores if before is None else before, translate),
    }


def scored(done: LogEntry) -> list[Points]:
    """Return the points of one action."""
    return [{"seat": point.seat, "points": point.points, "for": point.reason} for point in done.points]


# Sending a state: all devices get the same one, except for their role, their hand, the words that they may say, and the
# list of phones.


@dataclass(frozen=True, slots=True)
class Rendering:
    """Renders one state for each device. Only the text for a device at a seat contains the cards of that seat's hand.

    `hands`: for each seat the known cards of its hand; empty if no game is played. `last`: the seat of the last action.
    `phones`, `asks`: the paired phones and those that wait for an answer, for the board and the director only.
    """

    state: Mapping[str, Any]
    permissions: Permissions
    hands: tuple[tuple[str, ...], ...] = ()
    last: int | None = None
    phones: Sequence[PhoneState] = ()
    asks: Sequence[AskState] = ()
    _made: dict[tuple[Sender, str | None], str] = field(default_factory=dict)

    def text_for(self, sender: Sender, player: str | None = None) -> str:
        """Return the state for `sender`, the phone of `player`, as JSON. Each is rendered once."""
        key = sender, player
        if key not in self._made:
            you = self._you(sender, player)
            host = sender.role in ("board", "director")
            state = {**self.state, "you": you, "phones": [*self.phones] if host else []}
            state["asks"] = [*self.asks] if host else []
            if "seats" in state:
                state["seats"] = [
                    {**each, "words": [word for word in each["words"] if self._may_say(sender, word, seat)]}
                    for seat, each in enumerate(state["seats"])
                ]
            self._made[key] = json.dumps(state, ensure_ascii=False)
        return self._made[key]

    def _may_say(self, sender: Sender, word: WordChoice, seat: int) -> bool:
        return self.permissions.may(sender, "accuse" if "against" in word["needs"] else "say", seat)

    def _you(self, sender: Sender, player: str | None) -> You:
        seat = sender.seat
        acting_seat = {"undo": self.last}
        return {
            "role": sender.role,
            "seat": seat,
            "name": sender.name,
            "player": player,
            "may": [deed for deed in DEEDS if self.permissions.may(sender, deed, acting_seat.get(deed, seat))],
            "hand": list(self.hands[seat]) if seat is not None and seat < len(self.hands) else [],
        }


@dataclass(frozen=True, slots=True)
class Announced:
    """What is shown on every screen: a notice, a menu, and a message from outside; and the remembered players.

    The texts are in the language of the board. `asks`: whether the notice is a question.
    """

    notice: str | None = None
    menu: Menu | None = None
    remembered: tuple[str, ...] = ()
    message: str = ""
    asks: bool = False


def announced_in(state: State, announced: Announced, players: Sequence[str]) -> dict[str, Any]:
    """Return the keys of `state` that an announcement changes. `players`: the names at the table."""
    notices = [each for each in (announced.notice, announced.message) if each]
    calm = announced.asks or bool(announced.message and not announced.notice)
    keys: dict[str, Any] = {"notice": " · ".join(notices) or None, "menu": announced.menu, "calm": calm}
    if state["screen"] == "game" and state["between_hands"]:
        seated = {name.casefold() for name in players}
        keys["remembered"] = [name for name in announced.remembered if name.casefold() not in seated]
    return keys


def phone_states(
    phones: Sequence[Phone], seat_of: Callable[[Phone], int | None], connected: frozenset[int]
) -> list[PhoneState]:
    """Return the list of phones for the board. `connected`: the ids of those with an open page."""
    return [
        {
            "id": phone.id,
            "player": phone.player,
            "seat": seat_of(phone),
            "director": phone.director,
            "device": phone.device,
            "connected": phone.id in connected,
        }
        for phone in phones
    ]


# The cards that can be corrected: those on the table or counted according to the record, and those that cameras see.


def lying_cards(shown: Snapshot) -> list[LyingCard]:
    """Return the cards that lie face up by the record."""
    details = shown.lying or [LyingDetail()] * len(shown.view.lying)  # a past game has no details
    return [
        {
            "card": str(entry.card),
            "zone": entry.zone.name,
            "seat": entry.zone.seat,
            "n": detail.line,
            "others": [str(card) for card in detail.alternatives],
        }
        for entry, detail in zip(shown.view.lying, details, strict=True)
    ]


def counted_lines(hand: CountedHand, history: Sequence[LogEntry]) -> list[int | None]:
    """Return the line of the action that laid each card of `hand`, then that of its starter, if it has one.

    Only actions of the counted hand are searched: those after the last end of a hand, or, if no card has been laid
    since, those after the end before it. The line is None for a card that was never laid face up.
    """
    ends = [number for number, done in enumerate(history) if any(event.ends == "hand" for event in done.events)]
    if ends and not any(done.seen_cards for done in history[ends[-1] + 1 :]):
        ends.pop()
    laid: dict[Card, list[int]] = {}
    for done in history[ends[-1] + 1 if ends else 0 :]:
        for card in done.seen_cards:
            laid.setdefault(card, []).append(done.n)
    cards = (*hand.cards, hand.starter) if hand.starter else hand.cards
    return [lines.pop() if (lines := laid.get(card)) else None for card in cards]


def cards_by_suit(deck: Deck) -> list[list[str]]:
    """Return for each suit or colour of the deck its name and its ranks or numbers, in the deck's order."""
    ranks: dict[str, list[str]] = {}
    for card in deck:
        ranks.setdefault(card.suit, []).append(card.rank)
    return [[suit, *of_suit] for suit, of_suit in ranks.items()]


def pictured_cards(shown: Snapshot, cameras: Collection[str]) -> list[PicturedCard]:
    """Return the cards that these cameras see."""
    return [
        {
            "source": card.source,
            "id": card.card_id,
            "card": None if card.face is None else str(card.face),
            "n": card.line,
            "others": [str(other) for other in card.alternatives],
            "corners": [list(corner) for corner in card.corners],
        }
        for card in shown.placed
        if card.source in cameras
    ]


HISTORY: Final = 12
"""How many of the last actions the board shows."""


def state_of(
    shown: Snapshot,
    title: str,
    translate: Translate = as_written,
    cameras: Collection[str] = (),
    history: HistoryLines | None = None,
) -> GameScreen:
    """Return the state of a game. `title`: the game's name for people. `cameras`: the sources that have pictures.

    `history`: caches the lines of the history from one state to the next.

    Sentences and facts are translated here. Names that programs also use (words, reasons, zones) are translated by the
    page.
    """
    view = shown.view
    sides = max(len(view.scores), 1)

    def translated(trouble: str | None) -> str | None:
        return None if trouble is None else in_language(trouble, translate)

    return {
        "screen": "game",
        **common(translated(shown.trouble)),
        "between_hands": shown.between_hands,
        "others": _other_games(view),
        "remembered": [],
        "n": shown.n,
        "game": view.game,
        "title": title,
        "rules": has_rules(view.game),
        "phase": view.phase,
        "turn": view.turn,
        "actor": view.turn if view.actor is None else view.actor,
        "target": view.target,
        "hand": view.hand,
        "poster": view.poster
        and {
            "figure": in_language(view.poster.figure, translate),
            "lines": [in_language(line, translate) for line in view.poster.lines],
        },
        "tallies": [
            {
                "figure": tally.figure,
                "name": in_language(tally.name, translate),
                "need": "" if tally.need is None else in_language(text("of {count}", count=tally.need), translate),
            }
            for tally in view.tallies
        ],
        "led": view.led,
        "taker": view.taker,
        "sheet": [] if view.pegboard is not None else _sheet(shown),
        "sides": sides,
        "trump": view.trump,
        "dealer_does": in_language(view.dealer_does, translate),
        "over": view.over,
        "winners": list(view.winners),
        "seats": [
            {
                "name": name,
                "score": view.scores[seat % sides] if view.scores else 0,
                "won": _won(view, seat, sides),
                "bid": view.bids[seat] if view.bids else None,
                "cards": view.hands[seat].size if seat < len(view.hands) else 0,
                "dealer": seat == view.dealer,
                "note": _note(view.notes[seat] if view.notes else SeatNote(), translate),
                "words": _words(view, seat, translate),
            }
            for seat, name in enumerate(view.players)
        ],
        "words": [
            {"word": word.name, "label": word.label, "group": word.group, "needs": list(word.keys)}
            for word in view.vocabulary.values()
        ],
        "auction": [{"seat": seat, "word": word} for seat, word in view.calls],
        "pegs": None if view.pegboard is None else _pegs(shown),
        "peg_lines": list(view.pegboard or ()),
        "counts": [_count(hand, shown, translate) for hand in view.counted],
        "lying": lying_cards(shown),
        "seen": pictured_cards(shown, cameras),
        "deck": cards_by_suit(view.deck),
        "restoring": shown.restoring,
        "facts": [
            [name, in_language(name, translate), in_language(value, translate), view.fact_display(name)]
            for name, value in view.facts
        ],
        "prompts": [
            {
                "kind": prompt.kind,
                "seat": prompt.seat,
                "text": prompt.text,
                "urgent": prompt.urgent,
                "spoken": spoken_prompt(view, prompt, translate),
            }
            for prompt in translate_prompts(shown.prompts, translate)
        ],
        "points": _points(shown),
        "moments": [
            moment_state(done.n, moment, translate) for done in shown.history[-HISTORY:] for moment in done.moments
        ],
        "history": (history or HistoryLines(translate)).of(shown, HISTORY),
        "standing": standing_sentences(view, translate),
        "spoken_facts": fact_sentences(view, translate),
        "sources": [
            {
                "name": source.name,
                "camera": source.name in cameras,
                "trouble": translated(source.trouble),
                "works": source.works,
            }
            for source in shown.sources
        ],
    }


def _other_games(view: View) -> list[OtherGameState]:
    found = _games_for(tuple(game_names()), len(view.players))
    return [{"game": name, "title": title} for name, title in found if name != view.game]


@lru_cache(maxsize=4)
def _games_for(installed: tuple[str, ...], players: int) -> tuple[tuple[str, str], ...]:
    """Return the names and titles of the games for that many players."""
    found = []
    for name in installed:
        with suppress(Exception):  # a package with games may be faulty in any way
            if players in load_game(name).seats:
                found.append((name, load_game(name).title))
    return tuple(found)


def moment_state(line: int, moment: Moment, translate: Translate) -> MomentState:
    """Return a moment of the action in this line of the record."""
    return {
        "n": line,
        "kind": moment.kind,
        "headline": in_language(moment.headline, translate),
        "seat": moment.seat,
        "cards": [str(card) for card in moment.cards],
        "captions": [in_language(caption, translate) for caption in moment.captions],
        "follows": in_language(moment.follows, translate),
    }


def _note(note: SeatNote, translate: Translate) -> SeatNoteState:
    return {
        "role": in_language(note.role, translate),
        "gained": note.gained,
        "cards": [str(card) for card in note.cards],
        "compass": note.compass,
        "vulnerable": note.vulnerable,
    }


def _words(view: View, seat: int, translate: Translate) -> list[WordChoice]:
    """Return the words that `seat` may say; an accusation only if there is a seat to accuse."""
    words = [_word(view, seat, word, translate) for word in view.words[seat]] if seat < len(view.words) else []
    return [word for word in words if word.get("against") != []]


def _word(view: View, seat: int, word: str, translate: Translate) -> WordChoice:
    """Return a word that `seat` may say, with its texts, what else the page must ask for, and the choices for that."""
    declared = view.vocabulary.get(word)
    keys = declared.keys if declared else ()
    out: WordChoice = {"word": word, "needs": list(keys)}
    if declared:
        out["label"], out["question"], out["group"] = declared.label, declared.question, declared.group
    if "against" in keys:
        costs = view.accused.get(word) or dict.fromkeys(range(len(view.players)), "")
        sides = max(len(view.scores), 1)
        others = [other for other in costs if other % sides != seat % sides]  # neither the seat nor its partner
        cards = {other: [str(card) for card in view.choices(word, other)] for other in others}
        out["against"] = [other for other in others if cards[other] or "card" not in keys]
        out["claims"] = [
            {"seat": other, "cards": cards[other], "costs": in_language(costs[other], translate)}
            for other in out["against"]
        ]
    if "card" in keys:
        out["cards"] = [str(card) for card in view.choices(word)]
    return out


def _pegs(shown: Snapshot) -> list[list[int]]:
    """Return the positions of each side's two pegs: its score before it last scored, and its score."""
    before = [0] * len(shown.view.scores)
    standing = [0] * len(before)
    for done in shown.history:
        for side, score in enumerate(done.scores):
            if score != standing[side]:
                before[side], standing[side] = standing[side], score
    return [[behind, score] for behind, score in zip(before, shown.view.scores, strict=True)]


def _sheet(shown: Snapshot) -> list[list[int]]:
    """Return what each side has scored in each hand that is over."""
    rows, before = [], (0,) * len(shown.view.scores)
    for done in shown.history:
        if any(event.ends in ("hand", "game") for event in done.events):
            rows.append([now - then for now, then in zip(done.scores, before, strict=True)])
            before = done.scores
    return rows


def _count(hand: CountedHand, shown: Snapshot, translate: Translate) -> CountedHandState:
    """Return a counted hand, with the cards of each score."""
    return {
        "seat": hand.seat,
        "name": in_language(hand.name, translate),
        "cards": [str(card) for card in hand.cards],
        "starter": str(hand.starter) if hand.starter else None,
        "lines": counted_lines(hand, shown.history),
        "value": hand.total,
        "sets": [
            {"points": found.points, "for": found.reason, "cards": [str(card) for card in found.cards]}
            for found in hand.combinations
        ],
    }


def _points(shown: Snapshot) -> LastPoints:
    """Return what was scored last; it is `fresh` if the very last action scored it."""
    last = next((done for done in reversed(shown.history) if done.points), None)
    return {"fresh": last is not None and last is shown.history[-1], "list": scored(last) if last else []}


def _won(view: View, seat: int, sides: int) -> int | None:
    """Return the tricks of the side of `seat`, or only its own if each player bids; None in games without tricks."""
    if not view.won:
        return None
    return view.won[seat] if view.bids else sum(view.won[seat % sides :: sides])
