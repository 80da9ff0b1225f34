"""The cards observed on the table, put together from what all sources report.

A camera and a reader may see the same card. `ObservedCards.update` takes the whole scene of one source and keeps one
`ObservedCard` for each physical card, however many sources see it. `hand_phase` numbers the parts of the game, so that
it is known in which one a card was laid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Scene, Sighting, Zone
from engine.table import Table
from engine.views import TableCard

Status = Literal["open", "counted", "refused", "misread", "spent", "left-over", "nudged"]

Face = Card | ActionCard

SightingId = tuple[str, str]
"""Where a sighting comes from: the source, and the `card_id` that the source gave the card."""

IMPOSSIBLE_FACE: Final = frozenset(("already-seen", "not-in-hand"))
"""Refusals of a card that cannot lie there: the card of that face lies elsewhere, or another player has it."""

BEFORE_HAND: Final = ("cut", "deal", "turn")
"""The phases between two hands: cards of the last hand may still lie there, and a card laid begins something new."""

PUT_BACK_S: Final = 2.0
"""Seconds within which a card picked up and laid again in the same place was put back. Longer: a card that is played
again is more often taken for one put back. Shorter: slow players are asked about their cards."""

SIMULTANEOUS_S: Final = 0.15
"""Seconds within which two cards that come to rest in one play zone were laid together: neither counts while both lie
there. Longer: two quick plays of one seat are refused. Shorter: the wrong one may count."""

BEFORE_START: Final = -1
"""The `hand_phase` of a card that may have lain on the table before the referee started."""


def hand_phase(table: Table) -> int:
    """Return the number of the phase: even during a hand, odd before the next one begins, and increasing.

    A card refused in one hand phase never counts by itself in another. A hand begins with its turn-up; if it has none,
    with the first action after the deal. In a game with turn-ups, not every hand need have one.
    """
    before, starts = table.phase in BEFORE_HAND, table.hand_starts
    if not table.turns_up:
        return 2 * (len(starts) - before) + before
    done = [action.do for action in table.actions]
    hands = [done[first:last] for first, last in zip(starts, (*starts[1:], len(done)), strict=True)]
    without = sum("turn" not in hand for hand in hands[:-1])
    if not before and table.phase != "discard" and "turn" not in hands[-1]:
        without += 1
    return 2 * (done.count("turn") + without) + before


@dataclass(eq=False, slots=True)
class ObservedCard:
    """One physical card on the table, from the first sighting until it is picked up: a state machine.

    `status` is the state: what the referee makes of the card. Only the methods of this class change it.

    | status | meaning |
    | --- | --- |
    | open | not judged yet |
    | counted | stands for an accepted action, or for a card that the record has on the table |
    | refused | judged and not accepted (`code`, `message`); the players must do something about it |
    | misread | counted as `counted_as`, but now seen to be another card; only the players can know which is right |
    | spent | has had its effect (or can have none) and waits to be picked up |
    | left-over | lay there before the referee started, and no longer matters to the record |
    | nudged | a card of the last hand that was moved or put back before the next one; it has no effect |

    The next status, by the method called. `–`: not possible, the method raises `ValueError` and changes nothing.

    | method | open | counted | refused | misread | spent | left-over | nudged |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | `count` a card | counted | counted | counted | counted | counted | – | counted |
    | `count` an action card | spent | spent | spent | spent | spent | – | spent |
    | `recognise` | counted | – | counted | counted | – | – | – |
    | `refuse` | refused | refused | refused | refused | refused | refused | refused |
    | `mark_misread` | misread | misread | – | – | misread | – | misread |
    | `reject_assumption`, if assumed | – | open | – | – | – | – | – |
    | `reject_assumption`, otherwise | – | – | – | – | – | – | – |
    | `reopen` | – | – | open | open | – | – | – |
    | `move` | open | open | open | open | – | – | – |
    | `retire` | spent | spent | – | spent | spent | – | nudged |
    | `revive`, if undone | – | – | counted | – | counted | counted | counted |
    | `revive`, otherwise | – | – | – | – | counted | counted | counted |
    | `leave_over` | left-over | – | – | – | – | – | – |
    | `nudge` | nudged | – | – | – | – | – | – |
    | `predate` | open | – | – | – | – | – | – |
    | `set_put_back_count` | open | – | – | – | – | – | – |
    | `suppose` | open | – | refused | – | – | – | – |
    | `name` | open | counted | refused | misread | spent | left-over | nudged |
    | `see_in` | open | counted | refused | misread | spent | left-over | nudged |

    The next status when a source reads another face. `*`: the method returns True, the record has to be corrected.
    An empty cell: the case does not exist, or is as in the first row.

    | method | open | counted | refused | misread | spent | left-over | nudged |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | `read_as` in the same hand phase | open | counted * | open | open | spent | refused | refused |
    | `read_as`, if refused as `before` | | | refused | | | | |
    | `read_as` in a later hand phase | open | counted * | refused | misread | spent | refused | refused |
    | `read_as` what it counted as, later | | | | spent | | | |
    | `read_as`, a card with action number | open | counted * | | open | spent * | | nudged * |
    | `read_as`, an action card with action number | open | | | | misread | | |
    | `read_as`, a card face down with action number | open | open | | | open | | open |
    | `read_as`, such a card in a later hand phase | | refused | | | refused | | refused |

    The attributes, which nothing outside this class assigns:

    `face`: the card as the referee takes it; `read_face`: as a source reads it. They differ after `suppose`.
    `zone`: where it counts, None outside every zone; `seen_zone`: where it was seen last. `since`: when it came to rest
    there, seconds on its source's clock. `hand_phase`: the phase in which it was laid (the function `hand_phase`).
    `alternatives_by_sighting`: its sightings, each with the other faces that the source takes to be possible.
    `action`, `action_number`: what it counted for last, and the index of that action in the record; no number once
    it is refused. An open card that was counted and then moved keeps both.
    `code`, `message`, `tried`: why it was refused, and the action that the rules refused; empty in other states.
    `counted_as`: the face it counted as, if it is now seen to be another.
    `put_back_count`: how often it was picked up after it had counted, and at once put back.
    `assumed`: it was laid while the referee watched, and taken for a card that the record already had there.
    """

    face: Face | None
    zone: Zone | None
    since: float
    hand_phase: int
    alternatives_by_sighting: dict[SightingId, tuple[Card, ...]] = field(default_factory=dict)
    put_back_count: int = 0
    status: Status = field(default="open", init=False)
    action: Action | None = field(default=None, init=False)
    action_number: int | None = field(default=None, init=False)
    code: str = field(default="", init=False)
    message: str = field(default="", init=False)
    tried: Action | None = field(default=None, init=False)
    counted_as: Face | None = field(default=None, init=False)
    assumed: bool = field(default=False, init=False)
    read_face: Face | None = field(default=None, init=False)
    seen_zone: Zone | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.read_face, self.seen_zone = self.face, self.zone

    @property
    def alternatives(self) -> tuple[Card, ...]:
        """The other faces it may have, the likeliest first; empty if any source is certain."""
        return min(self.alternatives_by_sighting.values(), key=len, default=())

    @property
    def is_refused(self) -> bool:
        """Whether the players have to do something about it."""
        return self.status in ("refused", "misread")

    @property
    def is_done(self) -> bool:
        """Whether it has no further effect and may be picked up."""
        return self.status in ("spent", "left-over", "nudged")

    def agrees_with(self, sighting: Sighting) -> bool:
        """Return whether the sighting shows nothing new: its face, or again a doubtful one that it cannot have."""
        return sighting.face == self.face or (sighting.face == self.read_face and bool(sighting.alternatives))

    def lies_in(self, name: str) -> bool:
        """Return whether it lies in a zone of that name, of any seat."""
        return self.zone is not None and self.zone.name == name

    def count(self, action: Action, number: int) -> None:
        """Let it stand for `action`, which has this index in the record. An action card has its effect at once."""
        self._must_be("count", "open", "counted", "refused", "misread", "spent", "nudged")
        self.action, self.action_number, self.assumed = action, number, False
        self._enter("spent" if isinstance(self.face, ActionCard) else "counted")

    def recognise(self, face: Card, laid_by: tuple[int, Action] | None, assumed: bool) -> None:
        """Take it for the card `face` that the record has there. `laid_by`: the action that laid it, if any."""
        self._must_be("recognise", "open", "refused", "misread")
        self.face, self.assumed = face, assumed
        if laid_by is not None:
            self.action_number, self.action = laid_by
        self._enter("counted")

    def refuse(self, code: str, message: str = "", tried: Action | None = None) -> None:
        """Refuse it where it is seen: `code` and `message` say why, `tried` is the action that the rules refused."""
        self.action_number, self.zone = None, self.seen_zone
        self._enter("refused", code, message, tried)

    def mark_misread(self) -> None:
        """Ask the players: it counted as another card, and the record cannot be corrected."""
        self._must_be("mark_misread", "open", "counted", "spent", "nudged")
        self._enter("misread", "misread")

    def reject_assumption(self) -> None:
        """Judge it as newly laid: it was only assumed to be a card of the record, but turned out to be another card."""
        if not self.assumed:
            raise ValueError("reject_assumption: the card was not assumed to be one of the record")
        self._must_be("reject_assumption", "counted")
        self.assumed, self.action, self.action_number = False, None, None
        self._enter("open")

    def reopen(self) -> None:
        """Judge it again: the reason for its refusal may have gone."""
        self._must_be("reopen", "refused", "misread")
        self._enter("open")

    def suppose(self, face: Face | None) -> None:
        """Treat it as `face`, one of its alternatives, from now on."""
        self._must_be("suppose", "open", "refused")
        self.face = face

    def name(self, face: Card, zone: Zone | None) -> None:
        """Take it for the card that players say it is, in the zone that they say. Its status stays."""
        self.face = self.read_face = face
        self.zone = zone

    # What happens to the record

    def retire(self) -> None:
        """Expect it to be picked up: it has had its effect, or can have none."""
        self._must_be("retire", "open", "counted", "misread", "spent", "nudged")
        if self.status != "nudged":
            self._enter("spent")

    def revive(self) -> None:
        """Let it count again: after an undo, the record has it on the table again."""
        self._must_be("revive", "refused", "spent", "left-over", "nudged")
        if self.status == "refused" and self.code != "undone":
            raise ValueError(f"revive: not possible for a card refused as {self.code}")
        self._enter("counted")

    # Cards of earlier hands

    def leave_over(self) -> None:
        """Ignore it: it was there before the referee started, and no longer matters to the record."""
        self._must_be("leave_over", "open")
        self._enter("left-over")

    def nudge(self) -> None:
        """Ignore it: it is a card of the last hand that was moved before the next one begins."""
        self._must_be("nudge", "open")
        self._enter("nudged")

    def predate(self, hand_phase: int) -> None:
        """Date it to an earlier hand phase."""
        self._must_be("predate", "open")
        self.hand_phase = hand_phase

    # Sightings

    def set_put_back_count(self, put_back_count: int) -> None:
        """Set how often it was put back, which is known only now that it can be read."""
        self._must_be("set_put_back_count", "open")
        self.put_back_count = put_back_count

    def move(self, zone: Zone | None, since: float) -> None:
        """Judge it again in another zone, where it came to rest at `since`."""
        self._must_be("move", "open", "counted", "refused", "misread")
        self.zone, self.since = zone, since
        self._enter("open")

    def sight(self, sighting_id: SightingId, alternatives: tuple[Card, ...]) -> None:
        """Note that a source sees the card, and which other faces it takes to be possible. This changes no status."""
        self.alternatives_by_sighting[sighting_id] = alternatives

    def lose_sight(self, sighting_id: SightingId) -> None:
        """Note that a sighting of the card has ended. This changes no status."""
        del self.alternatives_by_sighting[sighting_id]

    def see_in(self, zone: Zone | None) -> None:
        """Note that a source sees it in this zone. It may still count where it was: a card of a trick was pushed."""
        self.seen_zone = zone

    def read_as(self, face: Face, hand_phase: int) -> bool:
        """Take the face that a source reads in this hand phase; return whether the record has to be corrected.

        A card refused in an earlier hand phase stays refused, whatever face is read.
        """
        was, self.face, self.read_face = self.face, face, face
        same_phase = self.hand_phase == hand_phase
        if was is None and self.action_number is not None:
            # It said a word by being drawn, and is turned over now.
            self.action, self.action_number = None, None
            self._enter(*(("open", "") if same_phase else ("refused", "before")))
            return False
        match self.status:
            case "counted":
                self.counted_as = was
                return True
            case "spent" | "nudged" if self.action_number is not None:
                self.counted_as = was
                if isinstance(was, Card):
                    return True
                # It had its effect as another word: only the players can know what is right.
                self._enter("misread", "misread")
            case "refused" if same_phase and self.code != "before":
                self.reopen()
            case "misread" if same_phase:
                self.reopen()
            case "misread" if face == self.counted_as:
                self._enter("spent")
            case "left-over" | "nudged":
                # No action was possible with the previous face; one may be possible with the new face.
                self.refuse("before")
        return False

    def _must_be(self, method: str, *statuses: Status) -> None:
        if self.status not in statuses:
            raise ValueError(f"{method}: not possible for a card that is {self.status}")

    def _enter(self, status: Status, code: str = "", message: str = "", tried: Action | None = None) -> None:
        self.status, self.code, self.message, self.tried = status, code, message, tried


class ObservedCards:
    """All cards that lie on the table now, in the order in which they were first seen.

    `update` collects cards that have gone in `picked_up`, and cards that counted and are now read as another face in
    `to_correct`; the referee empties both. `missing_since`: for each card that must lie on the table and does not, the
    time of the last scene without it.
    """

    def __init__(self) -> None:
        self._all: list[ObservedCard] = []
        self.picked_up: list[ObservedCard] = []
        self.to_correct: list[ObservedCard] = []
        self.missing_since: dict[Card, float] = {}
        # By face and zone: when counted cards were picked up there, and how often each had been put back before.
        self._vacated: dict[tuple[Face, Zone | None], list[tuple[float, int]]] = {}
        # The cards that keep their status if they are seen again soon, and when a source lost sight of them.
        self._blinked: list[tuple[Face | None, Zone | None, Status]] = []
        self._blinked_at = 0.0

    def __iter__(self) -> Iterator[ObservedCard]:
        return iter(tuple(self._all))

    def match(self, table_cards: Sequence[TableCard]) -> list[ObservedCard | None]:
        """Return for each card of the record the counted card that matches it, or None.

        Each counted card is used once. Of equal cards, one in the same zone is matched before one elsewhere.
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
            simultaneous = len(group) > 1 and group[1].since - group[0].since < SIMULTANEOUS_S
            for card in group:
                if simultaneous:
                    card.refuse("two-cards")
                elif card.is_refused:
                    card.reopen()

    def update(self, scene: Scene, hand_phase: int) -> None:
        """Take the whole scene of one source. `hand_phase`: the present one."""
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
        """Take a card whose id has gone and an equal one with a new id in the same zone for one card that stayed."""
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
        """Note the cards that a source loses sight of together: if it soon sees them again, they keep their status.

        A source that suddenly sees none of several cards had no light or no power: cards that were done stay done.
        Several cards in one zone may have been squared up into a pile and spread again: those that were refused because
        they lay there before the referee started stay refused.
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
        """Give an open card the status that it had before it was briefly out of sight (`_note_blink`)."""
        if sighting.since - self._blinked_at >= PUT_BACK_S:
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
        """Note that no source sees the card any more: it was picked up."""
        self._all.remove(card)
        self.picked_up.append(card)
        if card.face is not None and (card.status == "counted" or card.is_done):
            put_back_before = card.put_back_count if card.status == "nudged" else 0
            for zone in {*_zones_to_put_back(card.zone), card.seen_zone}:
                before = self._vacated.get((card.face, zone), [])
                lately = [each for each in before if time - each[0] < PUT_BACK_S]
                self._vacated[card.face, zone] = [*lately, (time, put_back_before)]

    def _seen_by_another_source(self, sighting_id: SightingId, sighting: Sighting) -> ObservedCard | None:
        """Return the card that this new sighting shows, if another source sees it there and this source did not yet."""
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
        """Add a card that no source saw until now; it may have been put back."""
        put_back_count = self._put_back_count(sighting) if sighting.face is not None else 0
        alternatives = {sighting_id: sighting.alternatives}
        card = ObservedCard(sighting.face, sighting.zone, sighting.since, hand_phase, alternatives, put_back_count)
        self._all.append(card)
        if sighting.face is not None:
            self._see_again(card, sighting)

    def _put_back_count(self, sighting: Sighting) -> int:
        """Return how often this card was picked up and at once put back, with this time; 0 if it was not put back."""
        assert sighting.face is not None
        missing = self.missing_since.pop(sighting.face, None) if isinstance(sighting.face, Card) else None, 0
        there = self._vacated.get((sighting.face, sighting.zone))
        vacated = there.pop() if there else (None, 0)
        counts = [n for time, n in (missing, vacated) if time is not None and sighting.since - time < PUT_BACK_S]
        return max(counts) + 1 if counts else 0


def _zones_to_put_back(zone: Zone | None) -> list[Zone | None]:
    """Return where a card picked up from `zone` may be put back: a played card also among the cards of the table."""
    return [zone, Zone("table")] if zone is not None and zone.name == "play" else [zone]


def _move_counts(card: ObservedCard, sighting: Sighting) -> bool:
    """Return whether a counted card was moved to mean something else, and not only nudged.

    An exposed card is played, or a card that was cut goes to another seat. A card of a trick that is pushed across the
    line into a neighbour's zone stays what it is.
    """
    zone = sighting.zone
    if card.status != "counted" or card.zone is None or zone is None:
        return False
    of_trick = card.zone.name == "play" and not (card.action and card.action.do == "cut")
    return zone.name != card.zone.name or (zone != card.zone and not of_trick)
