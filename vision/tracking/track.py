"""One physical card on the table, as it is followed from its first look until its place is seen empty."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.cards import Card
from engine.observations import ActionCard, Zone
from vision.frames import Image

Outline = npt.NDArray[np.float32]
"""(4, 2) float32: a card's corners, clockwise from its own top left."""

MOST: Final = 12.0
"""Evidence for one face never grows beyond this, so that better looks can still correct it."""
ENOUGH: Final = 6.0
"""Evidence from which on a face needs no further looks: wrong once in 400."""


MAY_BE: Final = 0.05
"""What a look shows with so much confidence on average, the card may be, if it cannot be what it seems."""

LIKELY: Final = 3.5
"""Evidence with which a card is told, if it does not come by and by: wrong once in 30 and soon looked at again."""


class Seen(Enum):
    """What a card's place shows."""

    CARD = "the card"
    TABLE = "the bare table"
    OTHER = "something else, or nothing that could tell"


@dataclass(slots=True)
class Votes:
    """What the looks at one card said, added up as log odds."""

    looks: dict[Card | ActionCard, int] = field(default_factory=lambda: defaultdict(int))
    odds: dict[Card | ActionCard, float] = field(default_factory=lambda: defaultdict(float))
    shares: dict[Card | ActionCard, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, face: Card | ActionCard, confidence: float, alternatives: Iterable[tuple[Card, float]] = ()) -> None:
        """Add one reading; `confidence` is the share of such readings that are right, `alternatives` what else it is."""
        for each, share in ((face, confidence), *alternatives):
            self.shares[each] += share
        sure = min(max(confidence, 0.05), 0.998)
        self.looks[face] += 1
        self.odds[face] = min(self.odds[face] + max(math.log(sure / (1 - sure)), 0.2), MOST)
        for other in self.odds:
            if other is not face and other != face:
                self.odds[other] = max(self.odds[other] - 0.5, 0.0)

    def best(self) -> tuple[Card | ActionCard | None, float]:
        """The face with most evidence, and by how much it leads."""
        if not self.odds:
            return None, 0.0
        ranked = sorted(self.odds.items(), key=lambda item: -item[1])
        second = ranked[1][1] if len(ranked) > 1 else 0.0
        return ranked[0][0], ranked[0][1] - second

    def alternatives(self, told: Card | ActionCard | None) -> tuple[Card, ...]:
        """What the looks may have shown beside the face that is `told`, the likeliest first."""
        least = MAY_BE * sum(self.looks.values())
        likely = [face for face, share in self.shares.items() if share >= least and face != told]
        ranked = sorted(likely, key=lambda face: -self.shares[face])
        return tuple(face for face in ranked if isinstance(face, Card))

    @property
    def confidence(self) -> float:
        """How sure the best face is, 0 to 1."""
        return 1 / (1 + math.exp(-self.best()[1])) if self.odds else 0.0


@dataclass(slots=True, eq=False)
class Footprint:
    """Where a piece lies in the small picture: its box, and within it which pixels are the card's."""

    box: tuple[slice, slice]
    place: npt.NDArray[np.bool_]
    """The card's own pixels, a little inside its edge."""
    cover: npt.NDArray[np.bool_]
    """What the card may hide of others, a little outside its edge."""
    look: npt.NDArray[np.uint8]
    """(h, w, 3): how it looked when last seen."""
    known: npt.NDArray[np.bool_]
    """Where `look` has been seen."""


@dataclass(slots=True, eq=False)
class Track:
    """A card: its outline in millimetres, the votes for its face, and what its place shows now."""

    name: str
    outline: Outline
    footprint: Footprint
    since: float
    order: int
    votes: Votes = field(default_factory=Votes)
    laid: bool = False
    face: Card | ActionCard | None = None
    zone: Zone | None = None
    seen: Seen = Seen.CARD
    empty_since: float | None = None
    looks: int = 0
    next_look: int = 0
    voted: tuple[int, str] = (0, "")
    """The frame and the reader of the last vote: one look is one vote."""

    @property
    def centre(self) -> tuple[float, float]:
        """Millimetres on the mat."""
        x, y = self.outline.mean(axis=0)
        return float(x), float(y)

    def away(self, outline: Outline) -> float:
        """Millimetres from this card's centre to the centre of `outline`."""
        x, y = self.centre
        other = outline.mean(axis=0)
        return math.hypot(x - float(other[0]), y - float(other[1]))

    def turned(self, outline: Outline) -> float:
        """Degrees between the two cards, 0 to 90: a card turned by half a turn lies in the same place."""
        difference = abs(direction(self.outline) - direction(outline)) % 180
        return min(difference, 180 - difference)

    @property
    def alternatives(self) -> tuple[Card, ...]:
        """What it may be beside its face, the likeliest first."""
        return self.votes.alternatives(self.face)

    def decide(self) -> None:
        """Takes the face that the votes now say; a face once taken yields only to clearly better evidence."""
        best, lead = self.votes.best()
        if best is not None and best != self.face and (self.face is None or lead >= 1.0):
            self.face = best


def direction(outline: Outline) -> float:
    """Degrees: which way the card's own top edge runs."""
    edge = outline[1] - outline[0]
    return math.degrees(math.atan2(float(edge[1]), float(edge[0])))


def what_shows(
    piece: Track,
    now: Image,
    without: Sequence[tuple[Image, npt.NDArray[np.int16]]],
    open_to_view: npt.NDArray[np.bool_],
    least: int,
) -> Seen:
    """What `piece`'s place shows. All pictures are of the piece's box.

    `now`: the look now. `without`: how it may look without this card, the bare table and the cards beneath, each with
    how far that may be off, in steps of a look. `open_to_view`: where nothing hides the card. `least`: pixels that
    must tell the card from all that before anything is said.
    """
    spot = piece.footprint
    card = spot.look.astype(np.int16)
    telling = spot.place & spot.known & open_to_view
    for look, unsure in without:
        telling &= np.abs(card - look).max(axis=2) > 14 + unsure
    if int(telling.sum()) < least:
        return Seen.OTHER
    here = now[telling].astype(np.int16)
    from_card = here - card[telling]
    from_table, table_miss = _nearest(here, [(look[telling], unsure[telling]) for look, unsure in without])
    card_miss = np.abs(from_card).max(axis=1)
    is_card = float(((card_miss < table_miss) & (card_miss < LIKE)).mean())
    is_table = float(((table_miss < card_miss) & (table_miss < LIKE)).mean())
    if is_card < 0.6 and is_table < 0.8:
        is_card, is_table = _in_shadow(from_card, from_table, int(without[0][1].max()))
    if is_card >= 0.6:
        return Seen.CARD
    return Seen.TABLE if is_table >= 0.8 else Seen.OTHER


def _nearest(
    here: npt.NDArray[np.int16], looks: Sequence[tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]]
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """The difference from the look that is nearest in each pixel, (n, 3), and how large it is, (n,)."""
    difference = here - looks[0][0]
    miss = np.maximum(np.abs(difference).max(axis=1) - looks[0][1], 0)
    for look, unsure in looks[1:]:
        other = here - look
        size = np.maximum(np.abs(other).max(axis=1) - unsure, 0)
        nearer = size < miss
        difference[nearer], miss[nearer] = other[nearer], size[nearer]
    return difference, miss


def _in_shadow(from_card: npt.NDArray[np.int16], from_table: npt.NDArray[np.int16], unsure: int) -> tuple[float, float]:
    """The same shares where a shadow lies on the place: one of the two must fit clearly and the other not at all."""
    is_card = _fits(from_card, LIKE)
    is_table = _fits(from_table, LIKE + unsure)
    if is_card >= 0.75 and is_table < 0.4:
        return is_card, 0.0
    if is_table >= 0.85 and is_card < 0.4:
        return 0.0, is_table
    return 0.0, 0.0


def _fits(difference: npt.NDArray[np.int16], limit: int) -> float:
    """The share of pixels, (n, 3), whose difference is one colourless darkening, the same for all."""
    middle = np.median(difference, axis=0)
    if float(np.ptp(middle)) > 12 or not -75 <= float(middle.mean()) <= 25:
        return 0.0
    return float((np.abs(difference - middle).max(axis=1) < limit).mean())


LIKE: Final = 13
"""Two looks closer than this show the same thing."""
