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
from engine.texts import in_language, text, word_text
from engine.views import View, side_names
from hardware.speech import speakable
from hardware.texts import Translate, as_written


def said_of_action(view: View, done: LogEntry, translate: Translate = as_written) -> str:
    """Return the sentence about an action: who did what with which card. Cards dealt or laid away are not named."""
    return _sentence(in_language(describe(done.action, view.players), translate), translate)


def said_of_outcome(view: View, done: LogEntry, before: Sequence[int], translate: Translate = as_written) -> str:
    """Return what an action led to: points with their reasons, what else happened, and the scores if they changed.

    `before`: the scores before the action. Empty if nothing happened.
    """
    parts = [
        in_language(
            text(
                "{name}: {points} for {reason}",
                name=view.players[point.seat],
                points=point.points,
                reason=word_text(point.reason),
            ),
            translate,
        )
        for point in done.points
    ]
    parts += [in_language(view.describe(event), translate) for event in done.events]
    if tuple(before) != done.scores:
        parts.append(said_of_scores(view, done.scores, translate))
    return " ".join(_sentence(part, translate) for part in parts if part)


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
    """Return a sentence for each fact that every display shows: “count 10.” Speech says those that have changed."""
    shown = [(name, value) for name, value in view.facts if value and view.fact_display(name) == "all"]
    return [
        _sentence(f"{in_language(name, translate)} {in_language(value, translate)}", translate) for name, value in shown
    ]


def said_of_table(view: View, translate: Translate = as_written) -> str:
    """Return how the game stands: the scores, trumps, facts, and the cards that lie face up, with their places."""
    parts = [said_of_scores(view, view.scores, translate)] if view.scores else []
    if view.trump:
        parts.append(in_language(text("{suit} are trumps", suit=SUIT_TEXTS[view.trump]), translate))
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
