"""A track: one physical card on the table, from its first reading until its place is seen empty."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, Literal

from engine.cards import Card
from engine.observations import ActionCard, Zone
from vision.readings import Reading
from vision.tracking.footprint import Footprint, Outline, centre_of
from vision.tracking.reading_settings import VoteSettings
from vision.tracking.settings import DEFAULTS
from vision.tracking.votes import Votes

Event = Literal["vote", "confirm", "discard", "move", "see_card", "see_other", "see_table", "expire"]


class TrackState(Enum):
    """The state of a track; the values describe it."""

    UNREAD = "looks like a card, but no reader has read it; not reported"
    CANDIDATE = "read, but not often enough; not reported"
    VISIBLE = "reported; its place shows the card"
    COVERED = "reported; its place shows something else, or cannot be judged"
    EMPTY = "reported; its place shows the table, for less than `PresenceSettings.empty_s`"
    GONE = "no longer tracked"


class InvalidTransition(RuntimeError):
    """The track does not accept this event in its state: a programming error."""


_UNREAD, _CANDIDATE, _VISIBLE, _COVERED, _EMPTY, _GONE = TrackState
_SEEN: Final[Mapping[Event, TrackState]] = {
    "move": _VISIBLE,
    "see_card": _VISIBLE,
    "see_other": _COVERED,
    "see_table": _EMPTY,
    "expire": _EMPTY,
}
_TRANSITIONS: Final[Mapping[TrackState, Mapping[Event, TrackState]]] = MappingProxyType(
    {
        _UNREAD: {"vote": _CANDIDATE, "confirm": _VISIBLE, "discard": _GONE, "move": _UNREAD},
        _CANDIDATE: {"vote": _CANDIDATE, "confirm": _VISIBLE, "discard": _GONE, "move": _CANDIDATE},
        _VISIBLE: {"vote": _VISIBLE, **_SEEN},
        _COVERED: {"vote": _COVERED, **_SEEN},
        _EMPTY: {"vote": _EMPTY, **_SEEN, "expire": _GONE},
        _GONE: {},
    }
)


class Track:
    """One card: its outline in millimetres, the votes for its face, and its state.

    Only the methods named in the first line of this table change a track; `-` raises `InvalidTransition`. `expire` is
    `see_table` after the place has been EMPTY for long enough.

    state     vote      confirm discard move      see_card see_other see_table expire
    --------- --------- ------- ------- --------- -------- --------- --------- ------
    UNREAD    CANDIDATE VISIBLE GONE    UNREAD    -        -         -         -
    CANDIDATE CANDIDATE VISIBLE GONE    CANDIDATE -        -         -         -
    VISIBLE   VISIBLE   -       -       VISIBLE   VISIBLE  COVERED   EMPTY     EMPTY
    COVERED   COVERED   -       -       VISIBLE   VISIBLE  COVERED   EMPTY     EMPTY
    EMPTY     EMPTY     -       -       VISIBLE   VISIBLE  COVERED   EMPTY     GONE
    GONE      -         -       -       -         -        -         -         -
    """

    def __init__(
        self,
        card_id: str,
        order: int,
        outline: Outline,
        footprint: Footprint,
        since: float,
        settings: VoteSettings = DEFAULTS.votes,
    ) -> None:
        """`card_id`: its name in the scenes. `order`: of two cards that overlap, the higher one is on top.

        `since`: seconds.
        """
        self.card_id: Final = card_id
        self.order = order
        self.outline = outline
        self.footprint = footprint
        self.since = since
        """Seconds: when the card came to rest."""
        self.face: Card | ActionCard | None = None
        """The face that the votes say; None if unread."""
        self.zone: Zone | None = None
        self.votes: Final = Votes(settings)
        self.last_vote = (0, "")
        """The judged frame of the last vote, and the kind of reader that gave it."""
        self.rereads = 0
        """How often the card was read since it was reported or its face changed."""
        self.next_reread = 0
        """The judged frame in which it may be read next."""
        self._state = TrackState.UNREAD
        self._empty_since = 0.0

    def __repr__(self) -> str:
        return f"Track({self.card_id!r}, {self.face}, {self.state.name})"

    @property
    def state(self) -> TrackState:
        """The state, changed by the transitions only."""
        return self._state

    @property
    def reported(self) -> bool:
        """Whether the card counts as lying on the table."""
        return self._state in (_VISIBLE, _COVERED, _EMPTY)

    @property
    def centre(self) -> tuple[float, float]:
        """The centre, x and y in millimetres on the mat."""
        return centre_of(self.outline)

    @property
    def alternatives(self) -> tuple[Card, ...]:
        """What the card may be instead of `face`, the likeliest first."""
        return self.votes.alternatives(self.face)

    def vote(self, reading: Reading, frame: int) -> bool:
        """Count a reading made in the judged frame `frame`; return whether it counted.

        One reader has one vote in a frame, even if it reads overlapping parts of the picture. A face once chosen is
        replaced only if another one leads clearly; a card reported without a face gets one if the readings agree.
        """
        if (frame, reading.by) == self.last_vote:
            return False
        self._enter("vote")
        self.last_vote = frame, reading.by
        self.votes.add(reading.face, reading.confidence, reading.alternatives)
        best, _ = self.votes.best()
        undecided = self.reported and self.votes.undecided
        if best != self.face and (self.votes.leads_clearly() if self.face is not None else not undecided):
            self.face = best
            if self.reported:
                self.rereads = 0
        return True

    def confirm(self, since: float, zone: Zone | None, frame: int) -> None:
        """Report the card from now on: it has been still since `since`, seconds, and lies in `zone`.

        If the readings do not decide between two faces, it is reported without one.
        """
        self._enter("confirm")
        if self.votes.undecided:
            self.face = None
        self.since, self.zone, self.next_reread = since, zone, frame + 1

    def discard(self) -> None:
        """Drop a card that was never reported."""
        self._enter("discard")

    def move(self, outline: Outline, footprint: Footprint, zone: Zone | None, order: int | None) -> None:
        """Take a new place. `order`: the new order of a card that was carried on top of the others."""
        self._enter("move")
        self.outline, self.footprint = outline, footprint
        self.votes.renew()
        if order is not None:
            self.order = order
        if self.reported:
            self.zone = zone

    def see_card(self) -> None:
        """Note that the place shows the card."""
        self._enter("see_card")

    def see_other(self) -> None:
        """Note that the place shows something else, or cannot be judged."""
        self._enter("see_other")

    def see_table(self, time: float, empty_s: float) -> None:
        """Note that the place shows the table at `time`; the card is gone after `empty_s`. Both in seconds."""
        if self._state is not _EMPTY:
            self._empty_since = time
        self._enter("expire" if time - self._empty_since >= empty_s - 1e-6 else "see_table")

    def postpone_reread(self, frame: int, max_shift: int) -> None:
        """Note a further reading in the judged frame `frame`: the pause until the next one doubles."""
        self.next_reread = frame + (1 << min(self.rereads, max_shift))
        self.rereads += 1

    def follow_camera(self, footprint: Footprint) -> None:
        """Take the footprint that the card has after the camera has moved; on the table it stays where it is."""
        self.footprint = footprint

    def _enter(self, event: Event) -> None:
        if event not in _TRANSITIONS[self._state]:
            raise InvalidTransition(f"{self!r} does not accept {event}")
        self._state = _TRANSITIONS[self._state][event]
