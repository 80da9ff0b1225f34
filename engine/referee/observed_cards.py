"""All cards observed on the table, put together from what several sources report.

A camera and a reader may see the same card. `ObservedCards.update` takes the whole scene of one source and keeps one
`ObservedCard` for each physical card, however many sources see it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from engine.cards import Card
from engine.observations import Scene, Sighting, Zone
from engine.referee.observed_card import Face, ObservedCard, SightingId, Status
from engine.referee.thresholds import DEFAULT_THRESHOLDS, Thresholds
from engine.views import TableCard

IMPOSSIBLE_FACE: Final = frozenset(("already-seen", "not-in-hand"))
"""Refusals of a card that cannot lie there: the card of that face lies elsewhere, or another player has it."""


class ObservedCards:
    """All cards that lie on the table now, in the order in which they were first seen.

    `picked_up` and `to_correct` collect what `update` found, until the referee empties them: cards that have gone,
    and cards that counted and are now read as another face. `missing_since`: for each card that must lie on the table
    and does not, the time of the last scene without it.
    """

    def __init__(self, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> None:
        self._thresholds: Final = thresholds
        self._all: list[ObservedCard] = []
        self.picked_up: list[ObservedCard] = []
        self.to_correct: list[ObservedCard] = []
        self.missing_since: dict[Card, float] = {}
        # Where counted cards were picked up, or may be put back: when, and how often each had been put back before.
        self._vacated: dict[tuple[Face, Zone | None], list[tuple[float, int]]] = {}
        # The cards that keep their status if they are seen again at once, and when a source lost sight of them.
        self._blinked: list[tuple[Face | None, Zone | None, Status]] = []
        self._blinked_at = 0.0

    def __iter__(self) -> Iterator[ObservedCard]:
        return iter(tuple(self._all))

    def match(self, table_cards: Sequence[TableCard]) -> list[ObservedCard | None]:
        """Return, for each card that lies there by the record, the counted card that it is, or None.

        Each counted card is used once. Among equal cards, one in the same zone is matched before one elsewhere.
        """
        free = [card for card in self._all if card.status == "counted"]
        matched: list[ObservedCard | None] = [None] * len(table_cards)
        for anywhere in (False, True):
            for index, entry in enumerate(table_cards):
                if matched[index] is None:
                    fitting = (c for c in free if c.face == entry.card and (anywhere or c.zone == entry.zone))
                    if card := next(fitting, None):
                        matched[index] = card
                        free.remove(card)
        return matched

    def refuse_simultaneous(self) -> None:
        """Refuse two cards laid in one play zone at the same time (`two-cards`), for as long as both lie there."""
        laid: dict[Zone, list[ObservedCard]] = {}
        for card in self._all:
            is_new = card.status == "open" or (card.status == "refused" and card.code == "two-cards")
            if is_new and card.zone and card.lies_in("play") and isinstance(card.face, Card):
                laid.setdefault(card.zone, []).append(card)
        for group in laid.values():
            group.sort(key=lambda card: card.since)
            simultaneous = len(group) > 1 and group[1].since - group[0].since < self._thresholds.simultaneous_s
            for card in group:
                if simultaneous:
                    card.refuse("two-cards")
                elif card.is_refused:
                    card.reopen()

    def update(self, scene: Scene, hand_phase: int) -> None:
        """Take the whole scene of one source, seen in this hand phase."""
        seen = {(scene.source, sighting.card_id): sighting for sighting in scene.sightings}
        self._follow_new_ids(scene.source, seen)
        self._note_blink(scene, seen)
        for card in tuple(self._all):
            gone = [each for each in card.alternatives_by_sighting if each[0] == scene.source and each not in seen]
            for sighting_id in gone:
                card.lose_sight(sighting_id)
            if gone and not card.alternatives_by_sighting:
                self._remove(card, scene.time)
        known = {sighting_id: card for card in self._all for sighting_id in card.alternatives_by_sighting}
        for sighting_id, sighting in sorted(seen.items(), key=lambda item: item[1].since):
            same = known.get(sighting_id) or self._seen_by_another_source(sighting_id, sighting)
            if same is None:
                self._add(sighting_id, sighting, hand_phase)
            else:
                self._update_card(same, sighting_id, sighting, hand_phase)

    def _follow_new_ids(self, source: str, seen: dict[SightingId, Sighting]) -> None:
        """A card whose id has gone, and an equal one with a new id in the same zone, are one card that stayed."""
        known = {sighting_id for card in self._all for sighting_id in card.alternatives_by_sighting}
        new = {sighting_id: sighting for sighting_id, sighting in seen.items() if sighting_id not in known}
        for card in self._all:
            gone = [each for each in card.alternatives_by_sighting if each[0] == source and each not in seen]
            same = (each for each, s in new.items() if s.face in (card.face, card.read_face) and s.zone == card.zone)
            if gone and (sighting_id := next(same, None)):
                for old in gone:
                    card.lose_sight(old)
                card.sight(sighting_id, new.pop(sighting_id).alternatives)

    def _note_blink(self, scene: Scene, seen: Collection[SightingId]) -> None:
        """Note the cards that a source loses from sight together, and that keep their status if it sees them at once.

        A source that sees none of several cards any more had no light or no power: those that had no further effect
        have none afterwards. Several cards of one zone may be squared up to a pile and spread again: those that lay
        there before the referee started are still refused.
        """
        lost = [
            card
            for card in self._all
            if any(source == scene.source for source, _ in card.alternatives_by_sighting)
            and card.alternatives_by_sighting.keys().isdisjoint(seen)
        ]
        zones = Counter(card.seen_zone for card in lost)
        kept = [card for card in lost if card.code == "before" and zones[card.seen_zone] > 1]
        if not seen and len(lost) > 1:
            kept += [card for card in lost if card.is_done]
        if kept:
            self._blinked = [(card.face, card.seen_zone, card.status) for card in kept]
            self._blinked_at = scene.time

    def _see_again(self, card: ObservedCard, sighting: Sighting) -> None:
        """Let an open card keep the status that it had before it was out of sight for a moment (`_note_blink`)."""
        if sighting.since - self._blinked_at >= self._thresholds.put_back_s:
            return
        place = sighting.face, sighting.zone
        if same := next((each for each in self._blinked if each[:2] == place), None):
            self._blinked.remove(same)
            if same[2] == "refused":
                card.refuse("before")
            elif same[2] == "nudged":
                card.nudge()
            else:
                card.retire()

    def _remove(self, card: ObservedCard, time: float) -> None:
        """No source sees the card any more: it was picked up."""
        self._all.remove(card)
        self.picked_up.append(card)
        if card.face is not None and (card.status == "counted" or card.is_done):
            put_back_before = card.put_back_count if card.status == "nudged" else 0
            for zone in {*_zones_to_put_back(card.zone), card.seen_zone}:
                before = self._vacated.get((card.face, zone), [])
                lately = [each for each in before if time - each[0] < self._thresholds.put_back_s]
                self._vacated[card.face, zone] = [*lately, (time, put_back_before)]

    def _seen_by_another_source(self, sighting_id: SightingId, sighting: Sighting) -> ObservedCard | None:
        """The card that this new sighting shows, if another source sees it there and this source did not yet."""
        if sighting.face is None:
            return None
        for card in self._all:
            same = sighting.face in (card.face, card.read_face) and card.zone == sighting.zone
            if same and all(source != sighting_id[0] for source, _ in card.alternatives_by_sighting):
                return card
        return None

    def _update_card(self, card: ObservedCard, sighting_id: SightingId, sighting: Sighting, hand_phase: int) -> None:
        if sighting.zone != card.zone and (card.status == "open" or card.is_refused or _move_counts(card, sighting)):
            card.move(sighting.zone, sighting.since)
        card.see_in(sighting.zone)
        if sighting.face is None:
            return
        before = card.alternatives
        card.sight(sighting_id, sighting.alternatives)
        if card.face is None and card.status == "open":
            card.set_put_back_count(self._put_back_count(sighting))
        impossible = card.status == "refused" and card.code in IMPOSSIBLE_FACE
        if impossible and card.hand_phase == hand_phase and card.alternatives != before:
            card.reopen()
        read_late = card.face is None and card.status == "open"
        if not card.agrees_with(sighting) and card.read_as(sighting.face, hand_phase):
            self.to_correct.append(card)
        if read_late and card.status == "open":
            self._see_again(card, sighting)

    def _add(self, sighting_id: SightingId, sighting: Sighting, hand_phase: int) -> None:
        """A card that no source has seen before, unless it is one that is put back."""
        put_back_count = self._put_back_count(sighting) if sighting.face is not None else 0
        alternatives = {sighting_id: sighting.alternatives}
        card = ObservedCard(sighting.face, sighting.zone, sighting.since, hand_phase, alternatives, put_back_count)
        self._all.append(card)
        if sighting.face is not None:
            self._see_again(card, sighting)

    def _put_back_count(self, sighting: Sighting) -> int:
        """How often this card was picked up and put back at once, this time included; 0 if it was not put back now."""
        assert sighting.face is not None
        missing = self.missing_since.pop(sighting.face, None) if isinstance(sighting.face, Card) else None, 0
        there = self._vacated.get((sighting.face, sighting.zone))
        vacated = there.pop() if there else (None, 0)
        limit = self._thresholds.put_back_s
        counts = [n for time, n in (missing, vacated) if time is not None and sighting.since - time < limit]
        return max(counts) + 1 if counts else 0


def _zones_to_put_back(zone: Zone | None) -> list[Zone | None]:
    """Where a card picked up from `zone` may be put back: a played card also among the cards of the table."""
    return [zone, Zone("table")] if zone is not None and zone.name == "play" else [zone]


def _move_counts(card: ObservedCard, sighting: Sighting) -> bool:
    """Whether a counted card was moved to mean something else, and not only nudged.

    An exposed card is played, or a card cut goes to another seat. A card of a trick that is pushed across the line to
    its neighbour's zone stays what it is.
    """
    zone = sighting.zone
    if card.status != "counted" or card.zone is None or zone is None:
        return False
    of_trick = card.zone.name == "play" and not (card.action and card.action.do == "cut")
    return zone.name != card.zone.name or (zone != card.zone and not of_trick)
