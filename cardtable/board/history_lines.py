"""The lines of a game's history as the board shows them: what was done, what it scored and what it led to."""

from __future__ import annotations

from collections.abc import Sequence

from cardtable.board.screen_game import HistoryEntry, Points
from cardtable.board.snapshot import CorrectionEntry, LogEntry, Snapshot
from cardtable.board.spoken import said_of_action, said_of_outcome
from engine.rules.wording import describe
from engine.texts import in_language
from engine.views import View
from hardware.speech import speakable
from hardware.texts import Translate


class HistoryLines:
    """The lines in one language. A line is written once, and used again while its action stands.

    May be used in several threads.
    """

    def __init__(self, translate: Translate) -> None:
        self._translate = translate
        self._about: object = None
        """The game and the players whose lines these are."""
        self._lines: dict[int, tuple[LogEntry, HistoryEntry]] = {}

    def of(self, shown: Snapshot, most: int | None = None) -> list[HistoryEntry]:
        """Return the last `most` actions that stand and corrections, newest first; without `most`, all of them."""
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
        # A correction comes before the actions that were done again with it.
        return sorted(found, key=lambda line: (-line["n"], "by" in line))[:most]

    def _line(self, view: View, done: LogEntry, before: Sequence[int]) -> HistoryEntry:
        line = history_entry(view, done, self._translate, before)
        if done.seen_cards:
            line["cards"] = [str(card) for card in done.seen_cards]
        return line

    def _correction(self, made: CorrectionEntry) -> HistoryEntry:
        said = in_language(made.sentence, self._translate)
        return {
            "n": made.n,
            "seat": None,
            "text": said,
            "points": [],
            "events": [],
            "spoken": speakable(said, self._translate),
            "outcome": "",
            "by": made.who,
        }


def history_entry(
    view: View, done: LogEntry, translate: Translate, before: Sequence[int] | None = None
) -> HistoryEntry:
    """One line of the history. `before`: the scores before the action; None if they need not be compared."""
    return {
        "n": done.n,
        "seat": done.action.seat if isinstance(done.action.seat, int) else None,
        "text": in_language(describe(done.action, view.players), translate),
        "points": scored(done),
        "events": [in_language(view.describe(event), translate) for event in done.events],
        "spoken": said_of_action(view, done, translate),
        "outcome": said_of_outcome(view, done, done.scores if before is None else before, translate),
    }


def scored(done: LogEntry) -> list[Points]:
    """The points of one action."""
    return [{"seat": point.seat, "points": point.points, "for": point.reason} for point in done.points]
