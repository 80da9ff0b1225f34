"""One card observed on the table: a state machine from the first sighting until the card is picked up.

`ObservedCard.status` is the state. Only the methods of `ObservedCard` change it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Sighting, Zone

Status = Literal["open", "counted", "refused", "misread", "spent", "left-over", "nudged"]

Face = Card | ActionCard

SightingId = tuple[str, str]
"""Where a sighting comes from: the source, and the `card_id` that the source gave the card."""


@dataclass(eq=False, slots=True)
class ObservedCard:
    """One physical card on the table, and its status for the referee.

    | status | meaning |
    | --- | --- |
    | open | not judged yet |
    | counted | stands for an accepted action, or for a card that lies there by the record |
    | refused | judged and not accepted (`code`, `message`); the players must do something about it |
    | misread | counted as `counted_as`, but now seen to be another card; only the players can know which is right |
    | spent | has had its effect (or can have none) and waits to be picked up |
    | left-over | was there before the referee started, and no longer matters by the record |
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
    An empty cell: the case does not exist, or is the same as in the first row.

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

    Attributes, none of them assigned outside this class:

    `face`: the card as the referee takes it; `read_face`: as a source reads it. They differ after `suppose`.
    `zone`: where it counts, None outside every zone; `seen_zone`: where it was seen last. `since`: when it came to rest
    there, seconds on its source's clock. `hand_phase`: when it was laid (`engine.referee.phases.hand_phase`): a card
    refused in one hand is never played by itself in the next. `alternatives_by_sighting`: its sightings, each with the
    other faces possible by that source.
    `action`, `action_number`: what it counted for last, and the index of that action in the record; no number once
    it is refused. An open card that was counted and then moved keeps both.
    `code`, `message`, `tried`: why it was refused, and the action that the rules refused; empty in other states.
    `counted_as`: the face it counted as, if it is now seen to be another.
    `put_back_count`: how often it was picked up, after it had counted, and at once put back.
    `assumed`: it was laid while the referee watched and taken for a card that lay there by the record already.
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

    # Questions

    @property
    def alternatives(self) -> tuple[Card, ...]:
        """The other faces it may have, the likeliest first; empty if any source is sure."""
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
        """Whether the sighting is nothing new: the card's face, or the same uncertain face that it cannot have."""
        return sighting.face == self.face or (sighting.face == self.read_face and bool(sighting.alternatives))

    def lies_in(self, name: str) -> bool:
        """Whether it lies in a zone of that name, of any seat."""
        return self.zone is not None and self.zone.name == name

    # Judgements

    def count(self, action: Action, number: int) -> None:
        """Let it stand for `action`, number `number` of the record. A word has had its effect with that."""
        self._must_be("count", "open", "counted", "refused", "misread", "spent", "nudged")
        self.action, self.action_number, self.assumed = action, number, False
        self._enter("spent" if isinstance(self.face, ActionCard) else "counted")

    def recognise(self, face: Card, laid_by: tuple[int, Action] | None, assumed: bool) -> None:
        """Let it be the card `face` that lies there by the record, laid by this action if one laid it."""
        self._must_be("recognise", "open", "refused", "misread")
        self.face, self.assumed = face, assumed
        if laid_by is not None:
            self.action_number, self.action = laid_by
        self._enter("counted")

    def refuse(self, code: str, message: str = "", tried: Action | None = None) -> None:
        """Do not accept it where it is seen: `code` and `message` say why, `tried` is what the rules refused."""
        self.action_number, self.zone = None, self.seen_zone
        self._enter("refused", code, message, tried)

    def mark_misread(self) -> None:
        """Ask the players: it counted as another card, and the record cannot be corrected."""
        self._must_be("mark_misread", "open", "counted", "spent", "nudged")
        self._enter("misread", "misread")

    def reject_assumption(self) -> None:
        """Judge it as newly laid after all: it was only assumed to be a card of the record, and is another."""
        if not self.assumed:
            raise ValueError("reject_assumption: the card was not assumed to be one of the record")
        self._must_be("reject_assumption", "counted")
        self.assumed, self.action, self.action_number = False, None, None
        self._enter("open")

    def reopen(self) -> None:
        """Judge it again: a reason of its refusal has changed."""
        self._must_be("reopen", "refused", "misread")
        self._enter("open")

    def suppose(self, face: Face | None) -> None:
        """Treat it as `face`, one of its alternatives, from now on."""
        self._must_be("suppose", "open", "refused")
        self.face = face

    def name(self, face: Card, zone: Zone | None) -> None:
        """Take it for the card, and the zone, that people say. Its status stays."""
        self.face = self.read_face = face
        self.zone = zone

    # What happens to the record

    def retire(self) -> None:
        """Let it wait to be picked up: it has had its effect, or can have none."""
        self._must_be("retire", "open", "counted", "misread", "spent", "nudged")
        if self.status != "nudged":
            self._enter("spent")

    def revive(self) -> None:
        """Let it count again: after an undo it is on the table by the record."""
        self._must_be("revive", "refused", "spent", "left-over", "nudged")
        if self.status == "refused" and self.code != "undone":
            raise ValueError(f"revive: not possible for a card refused as {self.code}")
        self._enter("counted")

    # Cards of earlier hands

    def leave_over(self) -> None:
        """Ignore it: it was there before the referee started, and no longer matters by the record."""
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
        """Note that a source sees the card, with the other faces possible by it. This changes no status."""
        self.alternatives_by_sighting[sighting_id] = alternatives

    def lose_sight(self, sighting_id: SightingId) -> None:
        """Note that a sighting of the card has ended. This changes no status."""
        del self.alternatives_by_sighting[sighting_id]

    def see_in(self, zone: Zone | None) -> None:
        """Note that a source sees it in this zone. It may still count where it was: a card of a trick was pushed."""
        self.seen_zone = zone

    def read_as(self, face: Face, hand_phase: int) -> bool:
        """Take the face that a source reads now, in this hand phase; return whether the record has to be corrected.

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
                # It had its effect as another word: only the players can know what is right now.
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
