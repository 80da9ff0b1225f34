"""What lay on the table when the referee started, as far as the sources can say it.

A source does not report the whole table at once: a hand may cover a card, another takes longer to read. So a card that
came to rest before the first scene lay there at the start, whenever it is reported; and what a missing card means is
judged only after a source has reported nothing new for some time. To a camera that starts, a card that lies face
down looks like a part of the mat: it may never report the cards that were dealt face down before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from engine.observations import Scene, Zone
from engine.referee.observed_card import ObservedCard
from engine.referee.phases import hand_phase
from engine.referee.thresholds import Thresholds
from engine.table import Table


class Start:
    """The start of one referee. `watched`: the table was watched before, so nothing has to be waited for."""

    def __init__(self, table: Table, thresholds: Thresholds, watched: bool) -> None:
        self._table: Final = table
        self._settle_s: Final = thresholds.settle_s
        self._longest_s: Final = thresholds.max_settle_periods * thresholds.settle_s
        self._watched: Final = watched
        self._started = False
        self._first: dict[str, float] = {}
        """The time of each source's first scene."""
        self._due: dict[str, float] = {}
        """When each source that is not settled yet will be, unless it reports something new."""
        self._reported: dict[ObservedCard, bool] = {}
        """The cards that lay there at the start, and whether each could be read."""
        self._dealt_before: int | None = None
        """The last hand phase in which cards may lie that were dealt before the start; None: no such cards."""
        self._dealt: Counter[tuple[int, Zone | None]] = Counter()
        """The most cards seen face down at one time that were dealt for a hand phase, in each zone."""

    @property
    def started(self) -> bool:
        """Whether a scene was judged."""
        return self._started

    @property
    def settled(self) -> bool:
        """Whether every source that reported at the start has since reported nothing new for `settle_s`, or is lost.

        True at the latest after `max_settle_periods`, even if something new is reported all the time.
        """
        return not self._due

    def is_due(self, source: str, time: float) -> bool:
        """Return whether `source`, at `time` on its clock, has reported nothing new for `settle_s` since the start."""
        return self.started and source in self._due and time >= self._due[source]

    def report(self, scene: Scene) -> None:
        """Take the time of a scene, before it is judged."""
        if not self.started:
            self._first[scene.source] = scene.time
            if not self._watched:
                self._due[scene.source] = scene.time + self._settle_s
        elif self.is_due(scene.source, scene.time):
            del self._due[scene.source]
        elif scene.source in self._due:
            latest = self._first[scene.source] + self._longest_s
            self._due[scene.source] = min(scene.time + self._settle_s, latest)

    def lose(self, source: str) -> None:
        """Do not wait for a source that is lost."""
        self._due.pop(source, None)

    def begin(self) -> None:
        """Start: the scenes reported last are judged now."""
        self._started = True
        if self._table.actions and not self._watched:  # the cards were dealt for this hand, or for the one that follows
            self._dealt_before = hand_phase(self._table) + 1

    def found(self, cards: Iterable[ObservedCard], first: bool) -> set[ObservedCard]:
        """Return those of the `cards` seen now that lay there at the start and are reported for the first time.

        Those are all cards of the `first` scene, and later ones that came to rest before it. A card that was reported
        without a face is returned once more when it is read.
        """
        before = self._reported
        there = [card for card in cards if first or card in before or self._lay_there(card)]
        self._reported = {card: card.face is not None for card in there}
        return {card for card, read in self._reported.items() if card not in before or (read and not before[card])}

    def _lay_there(self, card: ObservedCard) -> bool:
        """Whether the card came to rest before the first scene of every source that sees it."""
        sources = {source for source, _ in card.alternatives_by_sighting}
        return all(source in self._first and card.since < self._first[source] for source in sources)

    # Cards that were dealt face down

    def count_face_down(self, cards: Iterable[ObservedCard]) -> None:
        """Count the cards face down in each zone that were dealt for this hand; call it after each scene."""
        now = hand_phase(self._table)
        self._dealt |= Counter((now, card.zone) for card in cards if card.face is None and card.hand_phase == now - 1)

    def perhaps_drawn(self, cards: Iterable[ObservedCard]) -> int | None:
        """Return the seat on turn if a card face down was laid for it that may have been drawn; None otherwise.

        It may also be the card that the seat was dealt before the start, never reported, and now taken up and put back.
        """
        table, word, seat = self._table, self._table.drawing_says, self._table.turn
        if word is None or seat is None or self._dealt_before is None:
            return None
        view, now, zone = table.view(), hand_phase(table), Zone("show", seat)
        if now > self._dealt_before or word not in view.words[seat] or self._dealt[now, zone] >= view.hands[seat].size:
            return None
        laid = (card for card in cards if card.face is None and card.zone == zone and card.status == "open")
        return seat if any(card.hand_phase == now for card in laid) else None
