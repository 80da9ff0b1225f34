"""Notices when the table reads hardly any card of a deck, so that players do not lay its cards again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vision.frames import Frame
from vision.light.measures import is_paper, seen_from_above, white_of
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.tracking.track import Track

LEAST_UNREAD: Final = 3
"""The number of unread face-up cards from which the deck is reported. Higher: it is reported later; lower: a card that
was laid badly condemns the deck."""
READ_SHARE: Final = 0.5
"""The ratio of read to unread cards below which the deck is reported. Higher: decks of which some cards are read are
reported too; lower: a single card that is read prevents the report."""


class UnreadCards:
    """Counts the cards of one table that lie face up and are not read, and those that are.

    A card lies face up if it shows mostly white paper; backs rarely do.
    """

    def __init__(self, mat: Mat) -> None:
        self._mat = mat
        self._read: set[str] = set()
        self._judged: dict[str, bool] = {}
        """Cards without a face, by their ids: whether they show white paper."""

    @property
    def too_many(self) -> bool:
        """Whether hardly any card of this deck is read."""
        unread = sum(is_white for card, is_white in self._judged.items() if card not in self._read)
        enough = unread >= LEAST_UNREAD
        return enough and len(self._read) < READ_SHARE * unread

    def update(self, frame: Frame, homography: Homography, tracks: Sequence[Track]) -> None:
        """Look at the cards on the table that have been reported; each one without a face is judged once."""
        self._read.update(track.card_id for track in tracks if track.reported and track.face is not None)
        new = [track for track in tracks if track.reported and track.face is None and track.card_id not in self._judged]
        if not new:
            return
        marks = seen_from_above(frame.image, homography, self._mat.marks.values())
        if not marks:
            return
        white = np.median([white_of(picture) for _, picture in marks], axis=0)
        for track in new:
            seen = seen_from_above(frame.image, homography, [track.outline])
            self._judged[track.card_id] = bool(seen) and is_paper(seen[0][1], white)
