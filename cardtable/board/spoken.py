"""What is said of a game, in sentences: enough to follow it without looking.

The page gives them to screen readers and to the browser's voice, and `cardtable.play.hardware_outputs` to the table's.
Cards are named in words: “king of diamonds”.
"""

from __future__ import annotations

from collections.abc import Sequence

from cardtable.board.snapshot import LogEntry, Snapshot
from engine.cards import SUIT_TEXTS
from engine.referee.prompts import place
from engine.rules.wording import describe
from engine.texts import in_language, plural, text, word_text
from engine.views import Point, View, side_names
from hardware.speech import speakable
from hardware.texts import Translate, as_written


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
