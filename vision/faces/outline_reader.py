"""Read outlines by the indices in their corners."""

from __future__ import annotations

import numpy as np

from vision.faces.crops import corner_crop
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, starting_at
from vision.faces.index_classifier import IndexClassifier
from vision.faces.outlined_cards import OutlinedCard, is_cut
from vision.faces.score_fusion import NO_EVIDENCE, fuse, with_whole
from vision.faces.whole_card import WholeCardReader
from vision.readings import Reading


class OutlineReader:
    """Reads the corners of outlines, and, where these are not sure, the whole card."""

    def __init__(self, whole_card: WholeCardReader, corners: IndexClassifier) -> None:
        self._classify, self._whole_card = corners, whole_card

    def __call__(self, picture: ExaminedPicture, outlines: list[Quad]) -> list[OutlinedCard]:
        """Return the outlines, (4, 2) pixels each, with an upright index in their first or third corner.

        All are added to those that were examined in `picture`. A card with less than `min_candidate` is left out.
        """
        settings = picture.settings
        scores = picture.add(outlines)
        quads = [starting_at(quad, corner) for quad in outlines for corner in (0, 2)]
        ranks, suits = self._classify([corner_crop(picture.levels, quad, settings.pyramid) for quad in quads])
        cut = np.array([is_cut(quad, picture.levels[0], settings) for quad in quads], bool)
        ranks[cut], suits[cut] = np.eye(14)[13], np.eye(5)[4]
        found = []
        for k, (quad, score) in enumerate(zip(outlines, scores, strict=True)):
            verdict = fuse(ranks[2 * k : 2 * k + 2], suits[2 * k : 2 * k + 2], settings.fusion)
            whole, at_table = NO_EVIDENCE, picture.mm_per_px is not None
            asked_later = not at_table and verdict.confidence >= settings.min_candidate
            if settings.fusion.unsure[0] <= verdict.confidence < settings.fusion.unsure[1] and not asked_later:
                whole = self._whole_card(picture.levels, quad, verdict.card.rank, at_table)
                verdict = with_whole(verdict, whole, settings.fusion)
            if verdict.confidence >= settings.min_candidate:
                reading = Reading(verdict.card, verdict.confidence, "face", quad, verdict.alternatives)
                found.append(OutlinedCard(reading, verdict, score, whole))
        return found
