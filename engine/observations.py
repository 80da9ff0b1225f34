"""Observations: what cameras, readers, buttons and pages report to the referee.

A camera or a set of RFID readers reports a `Scene`, all cards that it sees on the table, whenever that changes. Readers
across which cards are dealt also report every card `Swiped` so far, whenever that changes. Either may arrive twice, or
after others were dropped, without harm. A button, or the page, reports a word that was `Said`. A source that fails
reports `Lost`, and `Back` when it works again.

An observation says what was seen, not what it means for the game: that is for the referee (`engine.referee`). Times are
seconds on the clock of the source: a camera's frames, the simulated table's, the host's.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone of the table: `play`, `turn-up`, `table`, `stock`, `crib`, `say`, `bid` or `show`.

    `seat` is None if the zone belongs to no player. The mat defines where a zone lies; each reader is wired to one.
    """

    name: str
    seat: int | None = None

    def __str__(self) -> str:
        return self.name if self.seat is None else f"{self.name} {self.seat}"


@dataclass(frozen=True, slots=True)
class ActionCard:
    """The face of an action card: a word of the game, such as `beg`, that is said by laying it in a `say` zone."""

    text: str

    def __str__(self) -> str:
        return f"say:{self.text}"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card on the table, as one source sees it.

    `card_id`: the source's name for this physical card, the same while it lies there (a track, a tag).
    `face`: what is printed on it; None if it cannot be read (yet) or lies face down.
    `zone`: None outside every zone. `since`: when it came to rest. `confidence`: that of the face, 0 to 1.
    `alternatives`: the other faces that it may have, the likeliest first; empty if the face is certain.
    """

    card_id: str
    face: Card | ActionCard | None
    zone: Zone | None
    since: float
    confidence: float = 1.0
    alternatives: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """All cards that `source` takes to lie on the table: those it sees, and those covered and not seen to be gone.

    `covered`: the zones that something has covered for so long that cards may be laid and taken there unseen.
    `through_backs`: the source also reads cards that lie face down, as an RFID reader does.
    """

    time: float
    source: str
    sightings: tuple[Sighting, ...]
    covered: tuple[Zone, ...] = ()
    through_backs: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """`seat` says `word` with a button or on the page. `card` and `against`: what the word needs, else None."""

    time: float
    source: str
    seat: int
    word: str
    card: Card | None = None
    against: int | None = None


@dataclass(frozen=True, slots=True)
class Swipe:
    """A card that passed face down across the deal reader of `seat`: it was dealt, or laid away.

    `number` is larger for each later swipe of the same source; a card that is swiped again gets a new number.
    """

    number: int
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class Swiped:
    """The last swipe of each card that passed a deal reader of `source` and was not seen elsewhere since, in order."""

    time: float
    source: str
    swipes: tuple[Swipe, ...]


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """A player asks to undo the last action.

    `actions`: how many actions the source showed when it was asked; None if the source does not show them.
    """

    time: float
    source: str
    actions: int | None = None

    def is_stale(self, actions: int) -> bool:
        """Return whether another number of `actions` is shown now: the last one is not the one that was meant."""
        return self.actions is not None and self.actions != actions


@dataclass(frozen=True, slots=True)
class Lost:
    """`source` has failed. `reason` is a text for the players and says what to do."""

    time: float
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Hampered(Lost):
    """`source` works, but badly: its scenes may come late or lack cards. `Back` says that it works well again."""


@dataclass(frozen=True, slots=True)
class Back:
    """`source` works again."""

    time: float
    source: str


Observation = Scene | Swiped | Said | UndoAsked | Lost | Back
