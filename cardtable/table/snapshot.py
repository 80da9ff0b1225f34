"""Snapshots: immutable values that the game in progress gives to the board, the hardware and the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from cardtable.journal.corrections import MadeCorrection
from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.corrections import laid_by
from engine.referee.corrections import SeenCard
from engine.referee.prompts import place
from engine.rules.wording import describe
from engine.table import Outcome, Table, answer
from engine.texts import Translate, as_written, in_language, plural, text, word_text
from engine.views import USUAL_MOMENTS, Event, Moment, Point, Prompt, View, side_names
from hardware.voice import event_sentence, speakable

_FACE_UP: Final = ("cut", "turn", "play", "bid", "show")
"""The kinds of actions whose cards everybody sees."""
TOLD_OTHERWISE: Final = (*USUAL_MOMENTS, "skunk")
"""The kinds of moments that events, facts and prompts tell in sentences, too."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An accepted action and its effect.

    `n`: its line in the game's record (the header is line 1). `scores`, `turn`, `phase`: the state of the table after
    it.
    """

    n: int
    action: Action
    points: tuple[Point, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    turn: int | None
    phase: str
    moments: tuple[Moment, ...] = ()

    @property
    def seen_cards(self) -> tuple[Card, ...]:
        """The cards of the action, if everybody has seen them and people can correct them."""
        if self.action.do not in _FACE_UP:
            return ()
        return (self.action.card,) if self.action.card is not None else self.action.cards or ()

    def to_json(self) -> dict[str, Any]:
        """Return the object that `replay --json` prints for this action (docs/reference/record.md)."""
        return answer(self.n, Outcome(self.points, self.events), self.scores, self.turn, self.phase)


@dataclass(frozen=True, slots=True)
class SourceState:
    """Whether a camera, a reader board or another source works.

    `trouble`: what is wrong and what to do; None if it works well. `works`: whether it reports what it sees, even if it
    does so badly, for example in a glare.
    """

    name: str
    trouble: str | None = None
    works: bool = True


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """A correction that people made.

    `n`: the line of the record at which it begins. `who`: who made it, such as `board`. `sentence`: how.
    """

    n: int
    who: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CardInPicture:
    """A card that a camera sees on the table.

    `source`, `card_id`: its name. `face`: None if it cannot be read. `line`: the line of the action that it stands for,
    if it counts. `alternatives`: other faces that it may have, the likeliest first. `corners`: its place in the picture
    of the camera, as fractions of width and height.
    """

    source: str
    card_id: str
    face: Card | None
    line: int | None
    alternatives: tuple[Card, ...]
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class LyingDetail:
    """Details of a card that is on the table by the record: the line that laid it, and other cards that it may be."""

    line: int | None = None
    alternatives: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The public state of the table at one moment.

    `n`: number of accepted actions so far, including undos. `time`: time of the last observation, in seconds on the
    clock of its source. `news`: the actions accepted since the previous `Snapshot`. `history`: the actions that stand,
    in order; undone ones are removed. `trouble`: why nothing can be stored now; None if storing works. Cards that are
    laid meanwhile are not lost as long as they stay on the table. `between_hands`: as in `Table`. `corrections`: what
    people have corrected, oldest first. `placed`: the cards that cameras see. `lying`: details of each card of
    `view.lying`. `restoring`: how many cards players must still move until the table agrees with the record; None if
    they are not asked to. `seen`: whether any camera or reader works, so that cards are read.
    """

    n: int
    time: float
    view: View
    prompts: tuple[Prompt, ...]
    news: tuple[LogEntry, ...]
    history: tuple[LogEntry, ...]
    sources: tuple[SourceState, ...]
    trouble: str | None = None
    between_hands: bool = False
    corrections: tuple[CorrectionEntry, ...] = ()
    placed: tuple[CardInPicture, ...] = ()
    lying: tuple[LyingDetail, ...] = ()
    restoring: int | None = None
    seen: bool = False

    @property
    def new_events(self) -> tuple[LogEntry, ...]:
        """The news, but none after a correction: a prompt reports it, and actions that are done again are not new."""
        return () if any(prompt.kind == "corrected" for prompt in self.prompts) else self.news


class Output(Protocol):
    """Shows a game: the board, displays, lights, what a program prints."""

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Show a snapshot. Called in the thread of the loop; it must return soon.

        `view_of` returns what a seat may see, or, for None, what everybody may; it must be called at once.
        """


# Sentences with which somebody can follow a game without looking, for screen readers, the browser's voice and the
# table's. Cards are named in words: “king of diamonds”.


def action_sentence(view: View, done: LogEntry, translate: Translate = as_written) -> str:
    """Return the sentence for an action: who did what with which card. Cards dealt or laid away are not named."""
    if done.action.do == "undo":
        return in_language(text("The last action is taken back."), translate)
    return _sentence(in_language(describe(done.action, view.players), translate), translate)


def outcome_sentences(view: View, done: LogEntry, before: Sequence[int], translate: Translate = as_written) -> str:
    """Return the sentences for the effect of an action: points with reasons, events, moments, and the scores if they
    changed.

    `before`: the scores before the action. Empty without an effect.
    """
    parts = []
    for seat, sums in _sums(done.points):
        what = ", ".join(_points(count, reason, translate) for reason, count in sums.items())
        parts.append(in_language(text("{name}: {what}", name=view.players[seat], what=what), translate))
    parts += [in_language(event_sentence(view, event, done.n), translate) for event in done.events]
    for moment in done.moments:
        if moment.kind not in TOLD_OTHERWISE:
            parts += [in_language(part, translate) for part in (moment.headline, moment.follows)]
    if tuple(before) != done.scores:
        parts.append(scores_sentence(view, done.scores, translate))
    return " ".join(_sentence(part, translate) for part in parts if part)


def _sums(points: Sequence[Point]) -> list[tuple[int, dict[str, int]]]:
    """Return the points of each seat by reason, in the order of counting, so that a hand becomes one sentence."""
    found: list[tuple[int, dict[str, int]]] = []
    for point in points:
        if not found or found[-1][0] != point.seat:
            found.append((point.seat, {}))
        sums = found[-1][1]
        sums[point.reason] = sums.get(point.reason, 0) + point.points
    return found


def _points(count: int, reason: str, translate: Translate) -> str:
    return in_language(text("{points} for {reason}", points=count, reason=word_text(reason)), translate)


def news_sentences(shown: Snapshot, translate: Translate = as_written) -> list[str]:
    """Return the sentences for the actions accepted since the last snapshot, and for their effects."""
    news = shown.new_events
    if not news:
        return []
    first = next((index for index, done in enumerate(shown.history) if done.n == news[0].n), None)
    before: Sequence[int] = shown.history[first - 1].scores if first else (0,) * len(shown.view.scores)
    sentences: list[str] = []
    for done in news:
        sentences.append(action_sentence(shown.view, done, translate))
        sentences.append(outcome_sentences(shown.view, done, before, translate))
        before = done.scores
    return [sentence for sentence in sentences if sentence]


def scores_sentence(view: View, scores: Sequence[int], translate: Translate = as_written) -> str:
    """Return the scores in one sentence: “Ann 12, Bo 10.”"""
    sides = zip(side_names(view.players, len(scores)), scores, strict=True)
    return ", ".join(f"{in_language(name, translate)} {score}" for name, score in sides) + "."


def fact_sentences(view: View, translate: Translate = as_written) -> list[str]:
    """Return a sentence for the trumps, and one for each fact that small displays show too, such as “count 10.”"""
    trumps = text("{suit} are trumps", suit=SUIT_TEXTS[view.trump]) if view.trump else ""
    return ([_sentence(in_language(trumps, translate), translate)] if trumps else []) + [
        _sentence(_fact(view, in_language(name, translate), in_language(value, translate)), translate)
        for name, value in view.told_facts()
    ]


def _fact(view: View, name: str, value: str) -> str:
    """Return a fact with a pause before or after the name of a player: “go: Bo”, but “count 10”."""
    pause = name in view.players or any(value.startswith(player) for player in view.players)
    return f"{name}: {value}" if pause else f"{name} {value}"


def standing_sentences(view: View, translate: Translate = as_written) -> str:
    """Return how the game stands: scores, tricks bid, trumps, facts, and the cards that lie face up, by place."""
    parts = [scores_sentence(view, view.scores, translate)] if view.scores else []
    for name, won, bid in zip(view.players, view.won, view.bids, strict=False):
        if bid is not None:
            tricks = plural(
                "{name}: {count} trick of {bid}", "{name}: {count} tricks of {bid}", won, name=name, bid=bid
            )
            parts.append(in_language(tricks, translate))
    parts += fact_sentences(view, translate)
    where: dict[str, list[str]] = {}
    for lying in view.lying:
        where.setdefault(in_language(place(lying.zone, view.players), translate), []).append(
            in_language(lying.card.glyph, translate)
        )
    parts += [f"{there}: {', '.join(cards)}" for there, cards in where.items()]
    return " ".join(_sentence(part, translate) for part in parts)


def _sentence(written: str, translate: Translate) -> str:
    spoken = speakable(written, translate).strip()
    return spoken if spoken[-1:] in ".!?" else f"{spoken}."


# Details of the cards on the table, and of corrections.

Corners = tuple[tuple[float, float], ...]
Places = Callable[[], Mapping[str, Mapping[str, Corners]]]
"""Returns, by camera and then by card, the corners of each card as fractions of the picture's width and height."""


def lying_details(table: Table, seen: Sequence[SeenCard], history: Sequence[LogEntry]) -> tuple[LyingDetail, ...]:
    """Return the details of each card that is on the table by the record."""
    details = []
    free = [card for card in seen if card.number is not None]
    for entry in table.lying:
        same = next((card for card in free if card.face == entry.card and card.zone == entry.zone), None)
        if same is not None:
            free.remove(same)
        number = laid_by(table.actions, entry)
        line = history[number].n if number is not None and number < len(history) else None
        details.append(LyingDetail(line, same.alternatives if same else ()))
    return tuple(details)


def placed_cards(
    seen: Iterable[SeenCard], places: Mapping[str, Mapping[str, Corners]], history: Sequence[LogEntry]
) -> tuple[CardInPicture, ...]:
    """Return the cards that cameras see, with their places in the pictures."""
    found = []
    for card in seen:
        line = history[card.number].n if card.number is not None and card.number < len(history) else None
        for source, card_id in card.sightings:
            corners = places.get(source, {}).get(card_id)
            if corners is not None:
                found.append(CardInPicture(source, card_id, card.face, line, card.alternatives, corners))
    return tuple(found)


def correction_entries(made: Iterable[MadeCorrection], players: tuple[str, ...]) -> tuple[CorrectionEntry, ...]:
    """Return the corrections as they are shown; line 1 of the record is its header."""
    return tuple(CorrectionEntry(each.n + 2, each.who, each.what.sentence(players)) for each in made)
