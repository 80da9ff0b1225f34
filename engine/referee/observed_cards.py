"""The cards that lie on the table, put together from what several sources report.

Each source names the pieces it sees; a camera and a reader may see the same card. `ObservedCards.update` takes one
source's whole scene and says what changed: one `ObservedCard` for each physical card, however many sources see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Scene, Sighting, Zone
from engine.views import TableCard

Standing = Literal["open", "counted", "refused", "spent"]
"""`open`: not judged yet. `counted`: stands for an action that was accepted, or for a card that the record says
lies there. `refused`: judged and not accepted; somebody must do something about it. `spent`: it had its effect
and only waits to be cleared away."""

Id = tuple[str, str]

IMPOSSIBLE: Final = frozenset(("already-seen", "not-in-hand"))
"""Refusals that say that this card cannot have been laid: it lies elsewhere, or was dealt to somebody else."""

PUT_BACK_S: Final = 2.0
"""Whoever takes up a card that was counted, and lays it within so many seconds, lays that one back."""

AT_ONCE_S: Final = 0.15
"""Two cards that came to rest within this many seconds were laid at once."""

BEFORE: Final = -1
"""The part of the game in which a piece was laid that may have lain there before anybody looked."""

LEFT: Final = "left"
"""The code of a spent card that lay there before anybody looked, and was done with by the record."""

PASSED: Final = "passed"
"""The code of a spent card that was laid back before a hand begins; laid once more, it is asked about."""


@dataclass(eq=False, slots=True)
class ObservedCard:
    """One physical card on the table, and what the referee made of it.

    `action` and `at`: what it was counted for, and that action's number. `code` and `message`: why it was refused.
    `was`: the face it was counted as, where it is seen to be another. `epoch`: the part of the game in which it was
    laid, so that a card refused in one hand never becomes a play of the next. `returned`: so many times in turn it was
    taken up, after it had counted, and laid again at once. `assumed`: it was laid while the table was watched, not at
    once, and taken for a card that lies there by the record. `ids`: its name in each source, and what else it may be
    by that source. `read` is what a source says its face is; `face` is one of the others where that cannot have been
    laid.
    """

    face: Card | ActionCard | None
    zone: Zone | None
    since: float
    epoch: int
    ids: dict[Id, tuple[Card, ...]] = field(default_factory=dict)
    standing: Standing = "open"
    action: Action | None = None
    at: int | None = None
    code: str = ""
    message: str = ""
    was: Card | ActionCard | None = None
    returned: int = 0
    assumed: bool = False
    read: Card | ActionCard | None = None
    tried: Action | None = None

    @property
    def others(self) -> tuple[Card, ...]:
        """What else it may be: nothing where one source is sure."""
        return min(self.ids.values(), key=len, default=())

    def seems(self, sighting: Sighting) -> bool:
        """Whether this is how it is seen already: as its face, or, unsurely, as what it cannot be."""
        return sighting.face == self.face or (sighting.face == self.read and bool(sighting.alternatives))

    def lies_in(self, name: str) -> bool:
        """Whether it lies in a zone of that name."""
        return self.zone is not None and self.zone.name == name

    def count(self, action: Action, at: int) -> None:
        """It stands for action number `at`; a word has had its effect with that."""
        self.action, self.at, self.assumed = action, at, False
        self.standing = "spent" if isinstance(self.face, ActionCard) else "counted"

    def refuse(self, code: str, message: str = "", tried: Action | None = None) -> None:
        """It was judged and not accepted; but what is `misread` stands for its action until that is undone.

        `tried`: the action that the rules refused.
        """
        self.standing, self.code, self.message, self.tried = "refused", code, message, tried
        if code != "misread":
            self.at = None


class ObservedCards:
    """All pieces that lie on the table now, in the order in which they were first seen.

    `lifted` and `corrected` (counted pieces that are seen to have another face than `was`) gather what changed,
    until whoever deals with it empties them. `wanted`: cards taken up that must lie, each with the time when it was
    last missing. `taken_up`: cards that were counted and taken up, and where they belong: each with the time, and how
    often it had been laid back before.
    """

    def __init__(self) -> None:
        self._all: list[ObservedCard] = []
        self.lifted: list[ObservedCard] = []
        self.corrected: list[ObservedCard] = []
        self.wanted: dict[Card, float] = {}
        self.taken_up: dict[tuple[Card, Zone | None], tuple[float, int]] = {}

    def __iter__(self) -> Iterator[ObservedCard]:
        return iter(tuple(self._all))

    def standing_for(self, lying: Sequence[TableCard]) -> list[ObservedCard | None]:
        """For each card that the record says lies there, the counted piece that is it, or None.

        Where there are equal cards each piece stands for one: first for one in the same zone, then for any.
        """
        free = [piece for piece in self._all if piece.standing == "counted"]
        found: list[ObservedCard | None] = [None] * len(lying)
        for anywhere in (False, True):
            for place, entry in enumerate(lying):
                if found[place] is None:
                    fits = (p for p in free if p.face == entry.card and (anywhere or p.zone == entry.zone))
                    if piece := next(fits, None):
                        found[place] = piece
                        free.remove(piece)
        return found

    def hold_two_at_once(self) -> None:
        """Two cards laid at once in one play zone: neither is counted while both lie there."""
        laid: dict[Zone, list[ObservedCard]] = {}
        for piece in self._all:
            fresh = piece.standing == "open" or (piece.standing == "refused" and piece.code == "two-cards")
            if fresh and piece.zone and piece.lies_in("play") and isinstance(piece.face, Card):
                laid.setdefault(piece.zone, []).append(piece)
        for group in laid.values():
            group.sort(key=lambda piece: piece.since)
            both = len(group) > 1 and group[1].since - group[0].since < AT_ONCE_S
            for piece in group:
                if both:
                    piece.refuse("two-cards")
                elif piece.standing == "refused":
                    piece.standing = "open"

    def update(self, scene: Scene, epoch: int) -> None:
        """Take the scene of one source: everything that it sees lying."""
        seen = {(scene.source, sighting.card_id): sighting for sighting in scene.sightings}
        self._rename(scene.source, seen)
        for piece in tuple(self._all):
            gone = [name for name in piece.ids if name[0] == scene.source and name not in seen]
            for name in gone:
                del piece.ids[name]
            if gone and not piece.ids:
                self._all.remove(piece)
                self.lifted.append(piece)
                if piece.standing in ("counted", "spent") and isinstance(piece.face, Card):
                    before = piece.returned if piece.code == PASSED else 0
                    self.taken_up |= dict.fromkeys(_spots(piece.face, piece.zone), (scene.time, before))
        known = {name: piece for piece in self._all for name in piece.ids}
        for name, sighting in sorted(seen.items(), key=lambda item: item[1].since):
            if name in known:
                self._look_again(known[name], name, sighting, epoch)
            else:
                self._meet(name, sighting, epoch)

    def _rename(self, source: str, seen: dict[Id, Sighting]) -> None:
        """A card that goes under one name and comes under another in the same scene has not been taken up."""
        known = {name for piece in self._all for name in piece.ids}
        new = {name: sighting for name, sighting in seen.items() if name not in known}
        for piece in self._all:
            gone = [name for name in piece.ids if name[0] == source and name not in seen]
            same = (name for name, s in new.items() if s.face in (piece.face, piece.read) and s.zone == piece.zone)
            if gone and (name := next(same, None)):
                piece.ids = {each: others for each, others in piece.ids.items() if each not in gone}
                piece.ids[name] = new.pop(name).alternatives

    def _look_again(self, piece: ObservedCard, name: Id, sighting: Sighting, epoch: int) -> None:
        moved = sighting.zone != piece.zone
        elsewhere = piece.standing == "counted" and _means_something_else(piece, sighting.zone)
        if moved and (piece.standing in ("open", "refused") or elsewhere):
            piece.zone, piece.standing, piece.since = sighting.zone, "open", sighting.since
        if sighting.face is None:
            return
        before = piece.others
        piece.ids[name] = sighting.alternatives
        # What was refused in one part of the game never becomes a play of another, whatever it is seen to be.
        again = piece.standing == "refused" and piece.epoch == epoch
        if again and piece.others != before and piece.code in IMPOSSIBLE:
            piece.standing = "open"
        if piece.seems(sighting):
            return
        done = piece.standing == "spent" and piece.at is not None
        if piece.standing == "counted" or (done and isinstance(piece.face, Card)):
            piece.was = piece.face
            self.corrected.append(piece)
        elif again and piece.code != "before":
            piece.standing = "open"
        elif piece.standing == "refused" and piece.code == "misread" and sighting.face == piece.was:
            piece.standing = "spent"
        elif piece.standing == "spent" and piece.code in (LEFT, PASSED):
            # It lay there before: as what it seemed to be it was of no use, as another card it may begin something.
            piece.refuse("before")
        elif done:
            # It had its effect as another card: only people can know what is right now.
            piece.was = piece.face
            piece.refuse("misread")
        piece.face = piece.read = sighting.face

    def _meet(self, name: Id, sighting: Sighting, epoch: int) -> None:
        """A piece that this source has not named before: one that another source sees already, or a new one."""
        for piece in self._all:
            same = sighting.face in (piece.face, piece.read) and piece.zone == sighting.zone
            if sighting.face is not None and same and all(source != name[0] for source, _ in piece.ids):
                self._look_again(piece, name, sighting, epoch)
                return
        new = ObservedCard(
            sighting.face, sighting.zone, sighting.since, epoch, {name: sighting.alternatives}, read=sighting.face
        )
        if isinstance(new.face, Card):
            missing = self.wanted.pop(new.face, None), 0
            taken_up = self.taken_up.pop((new.face, new.zone), (None, 0))
            back = [n for time, n in (missing, taken_up) if time is not None and sighting.since - time < PUT_BACK_S]
            new.returned = max(back) + 1 if back else 0
        self._all.append(new)


def _spots(card: Card, zone: Zone | None) -> list[tuple[Card, Zone | None]]:
    """Where a card taken up from `zone` is laid back: what was played, also among the cards of the table."""
    played = zone is not None and zone.name == "play"
    return [(card, zone), (card, Zone("table"))] if played else [(card, zone)]


def _means_something_else(piece: ObservedCard, zone: Zone | None) -> bool:
    """Whether a counted card, moved to `zone`, is more than pushed about: an exposed card that is played now, a card
    cut by somebody else. A card of a trick that is pushed over the line to a neighbour's stays what it is.
    """
    if piece.zone is None or zone is None:
        return False
    of_trick = piece.zone.name == "play" and not (piece.action and piece.action.do == "cut")
    return zone.name != piece.zone.name or (zone != piece.zone and not of_trick)
