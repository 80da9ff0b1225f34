"""The tracks of all cards on the table: which one a reading belongs to, and which of them are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import SUIT_NAMES, Card
from engine.observations import ActionCard, Zone
from vision.tracking.appearance import Shown
from vision.tracking.card_reading import CardReading
from vision.tracking.footprint import Footprint, Outline, centre_of, distance, rotation
from vision.tracking.settings import TrackingSettings
from vision.tracking.track import Track, TrackState
from vision.tracking.visibility import is_still, is_unchanged, shown, visible_part
from vision.tracking.working_frame import WorkingFrame


class Tracks:
    """The tracks in one camera's view, in the order in which they were found: later ones lie on top.

    `zone_at`: gives the zone of a point on the mat, in millimetres; None outside every zone.
    """

    def __init__(
        self,
        working: WorkingFrame,
        source: str,
        zone_at: Callable[[float, float], Zone | None],
        settings: TrackingSettings,
    ) -> None:
        """`source`: the name of the camera, with which the ids of its cards begin."""
        self._working = working
        self._source = source
        self._zone_at = zone_at
        self._settings = settings
        self._all: list[Track] = []
        self._last_order = 0

    def __iter__(self) -> Iterator[Track]:
        return iter(tuple(self._all))

    def visible_cards(self) -> tuple[Track, ...]:
        """Return the reported cards; of a card that exists once, only the track with the best evidence."""
        reported = [track for track in self._all if track.reported]
        if len({track.face for track in reported}) < len(reported):
            reported = [track for track in reported if not self.is_duplicate(track)]
        return tuple(reported)

    def is_duplicate(self, track: Track) -> bool:
        """Return whether another track has the same face with better evidence, of a card that exists once.

        The card was carried there, or this one was misread.
        """
        if not _is_unique(track):
            return False
        rivals = (other for other in self._all if other.reported and other is not track and other.face == track.face)
        return any(_evidence(rival) > _evidence(track) for rival in rivals)

    def is_unchanged(self, track: Track) -> bool:
        """Return whether the visible part of the card looks exactly as before."""
        return is_unchanged(self._working, track, self._all, self._settings.appearance)

    def shown(self, track: Track) -> Shown:
        """Return what the place of the card shows now."""
        return shown(self._working, track, self._all, self._settings.appearance)

    def occupied(self, candidates: bool = True) -> npt.NDArray[np.bool_]:
        """Return where cards lie, (h, w) at working scale; without `candidates`, only those read often enough."""
        taken = np.zeros(self._working.motion.shape, np.bool_)
        for track in self._all:
            if track.state is TrackState.CANDIDATE and not candidates:
                continue
            taken[track.footprint.box] |= track.footprint.outer
        return taken

    def count_vote(self, found: CardReading, frame: int) -> Track | None:
        """Count a reading, made in the judged frame `frame`, as a vote for the track that it belongs to.

        Return the track if this vote confirmed it. Readings of cards that move, or that lie only partly in the frame,
        do not count.
        """
        working, outline = self._working, found.outline
        footprint = working.footprint(outline)
        visible_mm2 = int(footprint.inner.sum()) * working.mm_per_px_in(footprint.box) ** 2
        if visible_mm2 < self._settings.reading.min_visible_share * cv2.contourArea(outline):
            return None
        if not is_still(working, footprint, self._settings.reading):
            return None
        track = self._track_of(found.reading.face, outline)
        if track is None:
            track = self._add(outline, footprint)
        elif self._has_moved(track, outline):
            self._move(track, outline, footprint)
        elif track.reported and not self.is_unchanged(track):
            track.votes.renew()
            self._remember(track)
        if not track.vote(found.reading, frame) or track.reported or track.face is None:
            return None
        votes, reading = track.votes, self._settings.reading
        count = votes.total if votes.undecided else votes.count(track.face)
        early = votes.early and not votes.undecided
        if count >= reading.min_reads and (early or count >= reading.max_reads - 1):
            self.confirm(track, frame)
            return track
        return None

    def add_unread(self, outline: Outline) -> None:
        """Add a track for a card that no reader could read. `outline`: millimetres."""
        self._remember(self._add(outline, self._working.footprint(outline)))

    def confirm(self, track: Track, frame: int) -> None:
        """Report `track` from the judged frame `frame` on, and remember what it looks like."""
        footprint, motion = track.footprint, self._working.motion
        age = motion.age[footprint.box][footprint.inner]
        since = motion.still_since(int(np.percentile(age, self._settings.reading.since_percentile)))
        track.confirm(since, self._zone_at(*track.centre), frame)
        self._discard_rivals(track)
        self._remember(track)

    def _discard_rivals(self, confirmed: Track) -> None:
        """Discard the candidates with the face of `confirmed`, if that card exists once.

        They are readings of it with a wrong outline, made while it came to rest. Beside the card they show the table,
        which stays as it is when the card is taken up: they would be reported from then on.
        """
        if _is_unique(confirmed):
            for track in self:
                if track.state is TrackState.CANDIDATE and track.face == confirmed.face:
                    track.discard()
            self.remove_gone()

    def remove_gone(self) -> None:
        """Forget the tracks that are gone."""
        self._all = [track for track in self._all if track.state is not TrackState.GONE]

    def forget_where_it_lay(self, gone: Track) -> None:
        """Forget where a card that has gone lay before it was carried, if other cards cover that place since.

        The place is never seen empty, and the card would be reported there again.
        """
        if _is_unique(gone):
            covered = (track for track in self._all if track.state is TrackState.COVERED and track.order < gone.order)
            before = [track for track in covered if track.face == gone.face]
            self._all = [track for track in self._all if track not in before]

    def move_camera(self, matrix: npt.NDArray[np.float64]) -> None:
        """Follow a camera that has moved; in millimetres the cards stay where they are.

        `matrix`: (3, 3), maps old to new pixels at working scale.
        """
        height, width = self._working.motion.shape
        for track in self._all:
            old = track.footprint
            picture = np.zeros((height, width, 3), np.uint8)
            seen = np.zeros((height, width), np.uint8)
            picture[old.box] = old.appearance
            seen[old.box][old.seen] = 255
            new = self._working.footprint(track.outline)
            warped = cv2.warpPerspective(picture, matrix, (width, height))
            new.appearance = np.asarray(warped, np.uint8)[new.box].copy()
            there = cv2.warpPerspective(seen, matrix, (width, height), flags=cv2.INTER_NEAREST)
            new.seen = (np.asarray(there)[new.box] > 0) & new.inner
            track.follow_camera(new)

    def follow_light(self) -> None:
        """Follow slow changes of light, while nothing moves: update the appearance of every visible card."""
        for track in self._all:
            if track.state is not TrackState.EMPTY and track.state is not TrackState.COVERED:
                seen = track.footprint.seen & visible_part(self._working, track, self._all)
                track.footprint.remember(self._working.motion.reference, seen)

    def _add(self, outline: Outline, footprint: Footprint) -> Track:
        order = self._next_order()
        card_id, votes = f"{self._source}-{order}", self._settings.votes
        track = Track(card_id, order, outline, footprint, self._working.frame.time, votes)
        self._all.append(track)
        return track

    def _next_order(self) -> int:
        self._last_order += 1
        return self._last_order

    def _track_of(self, face: Card | ActionCard, outline: Outline) -> Track | None:
        """Return the track of the card that was read at `outline`; None for a new card."""
        near = self._settings.matching
        by_distance = sorted(self._all, key=lambda track: distance(track.outline, outline))
        for track in by_distance:
            if track.face == face:
                away = distance(track.outline, outline)
                if away < near.same_place_mm or (away < near.carried_mm and track.reported and self._has_left(track)):
                    return track
        for track in by_distance:
            if distance(track.outline, outline) >= near.misread_mm:
                break
            if rotation(track.outline, outline) >= near.misread_degrees:
                continue
            if track.face is None or not track.reported or self.is_unchanged(track):
                return track
        return None

    def _has_left(self, track: Track) -> bool:
        """Return whether a card that was read elsewhere is no longer in its place.

        A card that exists several times must be seen to be gone: an equal one may cover it.
        """
        now = self.shown(track)
        return now is Shown.TABLE or (now is not Shown.CARD and _is_unique(track))

    def _has_moved(self, track: Track, outline: Outline) -> bool:
        limit = self._settings.matching
        return (
            distance(track.outline, outline) > limit.moved_mm or rotation(track.outline, outline) > limit.moved_degrees
        )

    def _move(self, track: Track, outline: Outline, footprint: Footprint) -> None:
        on_top = distance(track.outline, outline) > self._settings.matching.on_top_mm
        order = self._next_order() if on_top else None
        track.move(outline, footprint, self._zone_at(*centre_of(outline)), order)
        if track.reported:
            self._remember(track)

    def _remember(self, track: Track) -> None:
        """Remember what the visible part of the card looks like."""
        track.footprint.remember(self._working.motion.current, visible_part(self._working, track, self._all))


def _is_unique(track: Track) -> bool:
    """Return whether a pack has only one card with this face."""
    return isinstance(track.face, Card) and track.face.suit in SUIT_NAMES


def _evidence(track: Track) -> tuple[bool, float, int]:
    """Return how good the evidence for the track is, to compare tracks with the same face."""
    return track.state is TrackState.VISIBLE, track.votes.best()[1], track.order
