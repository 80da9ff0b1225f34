"""What is shown: immutable values that the game loop gives to the board, to the hardware and to the commands."""

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
from engine.views import Event, Point, Prompt, View, side_names
from hardware.voice import speakable

_FACE_UP: Final = ("cut", "turn", "play", "bid", "show")
"""The kinds of actions whose cards everybody sees."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An accepted action and its effect.

    `n`: its line in the game's record (the header is line 1). `scores`, `turn`, `phase`: those of the table after it.
    """

    n: int
    action: Action
    points: tuple[Point, ...]
    events: tuple[Event, ...]
    scores: tuple[int, ...]
    turn: int | None
    phase: str

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
    """Whether a camera, reader or other source works. `trouble`: what is wrong and what to do; None if it works well.
    `works`: whether it reports what it sees, even if it does so badly, as in a glare.
    """

    name: str
    trouble: str | None = None
    works: bool = True


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """A correction that people made.

    `n`: the line of the record at which it begins. `who`: who made it, such as `board`. `sentence`: what was corrected.
    """

    n: int
    who: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CardInPicture:
    """A card that a camera sees on the table.

    `source`, `card_id`: its name. `face`: None if it cannot be read. `line`: that of the action that it stands for, if
    it counts. `alternatives`: the other faces that it may have, the likeliest first. `corners`: where it lies in the
    picture of the camera, as fractions of its width and height.
    """

    source: str
    card_id: str
    face: Card | None
    line: int | None
    alternatives: tuple[Card, ...]
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class LyingDetail:
    """About a card that lies there by the record: the line of the action that laid it, and what else it may be."""

    line: int | None = None
    alternatives: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The public state of the table at one moment.

    `n`: number of accepted actions so far, undos included. `time`: of the last observation, in seconds on the clock of
    its source. `news`: the actions accepted since the previous `Snapshot`. `history`: the actions that stand, in order
    (undone ones are removed). `trouble`: why nothing can be stored now, None if storing works; what is seen meanwhile
    is not lost as long as it lies on the table. `between_hands`: as in `Table`.
    `corrections`: what people have corrected, oldest first. `placed`: the cards that cameras see. `lying`: about each
    card of `view.lying`. `restoring`: how many cards must be moved until the table agrees with the record again; None
    if the players are not asked to do that. `seen`: whether any camera or reader works, so that cards are read.
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
        """The news, but nothing of a correction: a prompt says what it was, and what is done again is not new."""
        return () if any(prompt.kind == "corrected" for prompt in self.prompts) else self.news


class Output(Protocol):
    """Shows a game: the board, displays, lights, what a program prints."""

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Show a snapshot. Called in the thread of the loop; it must return soon.

        `view_of` returns what a seat may see, or, for None, what everybody may; it must be called at once.
        """


# What is said of a game, in sentences: enough to follow it without looking.
#
# The page gives them to screen readers and to the browser's voice, and `cardtable.table.outputs` to the table's.
# Cards are named in words: “king of diamonds”.


def said_of_action(view: View, done: LogEntry, translate: Translate = as_written) -> str:
    """Return the sentence about an action: who did what with which card. Cards dealt or laid away are not named."""
    if done.action.do == "undo":
        return in_language(text("The last action is taken back."), translate)
    return _sentence(in_language(describe(done.action, view.players), translate), translate)


def said_of_outcome(view: View, done: LogEntry, before: Sequence[int], translate: Translate = as_written) -> str:
    """Return what an action led to: points with their reasons, what else happened, and the scores if they changed.

    `before`: the scores before the action. Empty if nothing happened.
    """
    parts = []
    for seat, sums in _sums(done.points):
        what = ", ".join(_points(count, reason, translate) for reason, count in sums.items())
        parts.append(in_language(text("{name}: {what}", name=view.players[seat], what=what), translate))
    parts += [in_language(view.describe(event), translate) for event in done.events]
    if tuple(before) != done.scores:
        parts.append(said_of_scores(view, done.scores, translate))
    return " ".join(_sentence(part, translate) for part in parts if part)


def _sums(points: Sequence[Point]) -> list[tuple[int, dict[str, int]]]:
    """Return the points of each seat by their reasons, in the order of counting: a hand is one sentence."""
    found: list[tuple[int, dict[str, int]]] = []
    for point in points:
        if not found or found[-1][0] != point.seat:
            found.append((point.seat, {}))
        sums = found[-1][1]
        sums[point.reason] = sums.get(point.reason, 0) + point.points
    return found


def _points(count: int, reason: str, translate: Translate) -> str:
    return in_language(text("{points} for {reason}", points=count, reason=word_text(reason)), translate)


def said_of_news(shown: Snapshot, translate: Translate = as_written) -> list[str]:
    """Return the sentences about the actions accepted since the last snapshot, and what they led to, in their order."""
    news = shown.new_events
    if not news:
        return []
    first = next((index for index, done in enumerate(shown.history) if done.n == news[0].n), None)
    before: Sequence[int] = shown.history[first - 1].scores if first else (0,) * len(shown.view.scores)
    said: list[str] = []
    for done in news:
        said.append(said_of_action(shown.view, done, translate))
        said.append(said_of_outcome(shown.view, done, before, translate))
        before = done.scores
    return [sentence for sentence in said if sentence]


def said_of_scores(view: View, scores: Sequence[int], translate: Translate = as_written) -> str:
    """Return the scores in one sentence: “Ann 12, Bo 10.”"""
    sides = zip(side_names(view.players, len(scores)), scores, strict=True)
    return ", ".join(f"{in_language(name, translate)} {score}" for name, score in sides) + "."


def said_of_facts(view: View, translate: Translate = as_written) -> list[str]:
    """Return a sentence for the trumps and each fact that every display shows: “count 10.” Speech says what changed."""
    trumps = text("{suit} are trumps", suit=SUIT_TEXTS[view.trump]) if view.trump else ""
    shown = [(name, value) for name, value in view.facts if value and view.fact_display(name) == "all"]
    return ([_sentence(in_language(trumps, translate), translate)] if trumps else []) + [
        _sentence(_fact(view, in_language(name, translate), in_language(value, translate)), translate)
        for name, value in shown
    ]


def _fact(view: View, name: str, value: str) -> str:
    """Return a fact with a pause before or after the name of a player: “go: Bo”, but “count 10”."""
    pause = name in view.players or any(value.startswith(player) for player in view.players)
    return f"{name}: {value}" if pause else f"{name} {value}"


def said_of_table(view: View, translate: Translate = as_written) -> str:
    """Return how the game stands: scores, tricks bid, trumps, facts, and the cards that lie face up in their places."""
    parts = [said_of_scores(view, view.scores, translate)] if view.scores else []
    for name, won, bid in zip(view.players, view.won, view.bids, strict=False):
        if bid is not None:
            tricks = plural(
                "{name}: {count} trick of {bid}", "{name}: {count} tricks of {bid}", won, name=name, bid=bid
            )
            parts.append(in_language(tricks, translate))
    parts += said_of_facts(view, translate)
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


# What the game loop shows of the cards on the table besides the view, and of what was corrected.

Corners = tuple[tuple[float, float], ...]
Places = Callable[[], Mapping[str, Mapping[str, Corners]]]
"""Returns, by camera and then by card, the corners of each card as fractions of the picture's width and height."""


def no_places() -> dict[str, dict[str, Corners]]:
    """Return no places: for a table without a camera."""
    return {}


def lying_details(table: Table, seen: Sequence[SeenCard], history: Sequence[LogEntry]) -> tuple[LyingDetail, ...]:
    """Return for each card that lies there by the record: which line laid it, and what else a camera takes it for."""
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
