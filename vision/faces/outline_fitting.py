"""The outline of a card that has been read, moved to the edges of the paper that its index is printed on.

A side lies on an edge of the card if there is paper of the index's colour along its inner side and none along its outer
side. A line printed on the card has paper on both sides, and an edge on the table on neither. Everything is measured in
the working picture of `OutlineFinder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import in_millimetres, on_card
from vision.faces.edges import darkest_channel, side_scores
from vision.faces.geometry import Floats, Quad, containment, iou, portrait, side_lengths, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.outline_settings import OutlineSettings
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.percentiles import percentiles
from vision.readings import CARD_MM

_PLACES_MM: Final = np.stack(np.meshgrid(np.linspace(1.5, 14, 10), np.linspace(2, 26, 12)), axis=-1).reshape(-1, 2)
"""Where the paper's colour is taken, millimetres from a card's corner: paper and some ink."""
_INDEX_MM: Final = np.array([[6.0, 4.0], [6.0, 18.0]])
"""The top of the rank and the foot of the suit of a usual index, millimetres right and down from a card's corner."""


class OutlineFitter:
    """Fits outlines in one picture.

    `image`: (H, W, 3) uint8 BGR. `slope`: its gradient, (H, W), as `edges.gradient` gives it. `proposals`: (N, 4, 2)
    pixels, its contours.
    """

    def __init__(
        self, image: Image, slope: Image, proposals: Floats, settings: OutlineSettings = DEFAULTS.outlines
    ) -> None:
        self._image = np.asarray(cv2.GaussianBlur(image, (3, 3), 0), np.uint8)
        self._slope = slope
        self._proposals = proposals
        self._settings = settings.fit
        self._outlines = settings
        # What was measured of an outline: `better` and `is_on_edges` need what `fits` measured.
        self._supports: dict[bytes, Floats] = {}
        self._outsides: dict[bytes, tuple[Floats, npt.NDArray[np.bool_]]] = {}

    def fits(self, quad: Quad, others: Sequence[Quad]) -> bool:
        """Return whether all sides lie on edges of the paper, and none of the `others` inside."""
        paper = self.paper(quad)
        support = self.support(quad, paper)
        if self._spans(quad, others) or float(support.min()) < self._settings.enough:
            return False
        return not self._printed(quad, support, paper, others).any()

    def support(self, quad: Quad, paper: Floats | None = None) -> Floats:
        """Return the share of each side, (4,), that is an edge of the paper. `quad`: from a corner with an index."""
        paper = self.paper(quad) if paper is None else paper
        key = _key(quad, paper)
        if key not in self._supports:
            found = self._edges(quad, paper, self._settings.near_px)
            self._supports[key] = np.asarray(found.any(axis=2).mean(axis=1), np.float32)
        return self._supports[key]

    def is_on_edges(self, quad: Quad, others: Sequence[Quad]) -> bool:
        """Return whether every side lies on an edge of the card itself. `quad`: from a corner with an index.

        A side does if the paper ends there, or if there is an edge with no paper right outside: in a shadow or on a
        court card the strip inside is not plain paper. Two or more sides at which the paper ends, but goes on right
        outside where none of the `others` lies, are those of a printed frame.
        """
        settings, paper = self._settings, self.paper(quad)
        support = self.support(quad, paper)
        on_edge = support >= settings.worst_enough
        if not on_edge.all():
            # Beyond a shadow's edge the card is brighter than here. Light ground is so, too, but on all sides.
            brightest = settings.beyond_in_shadow if on_edge.sum() >= 2 else settings.beyond[1]
            goes_on = self._goes_on(quad, paper, brightest=brightest)
            steep = side_scores(self._slope, quad[None], self._outlines.weak_edge, self._outlines.edges)[0]
            on_edge |= (steep >= settings.steep) & ~goes_on
        return bool(on_edge.all() and not self._printed(quad, support, paper, others).any())

    def paper(self, quad: Quad) -> Floats:
        """Return the colour of the paper, (3,) BGR, around the index at the first corner."""
        points = np.rint(on_card(quad, _PLACES_MM)).astype(np.intp)
        tall, wide = self._image.shape[:2]
        x, y = np.clip(points[:, 0], 0, wide - 1), np.clip(points[:, 1], 0, tall - 1)
        return self._paper_of(self._image[y, x])

    def paper_at(self, pose: IndexPose) -> Floats:
        """Return the colour of the paper around the index at `pose`, (3,) BGR."""
        reach = self._settings.index_reach * pose.height
        tall, wide = self._image.shape[:2]
        left, right = (int(np.clip(pose.x + k * reach, 0, wide - 1)) for k in (-1, 1))
        top, foot = (int(np.clip(pose.y + k * reach, 0, tall - 1)) for k in (-1, 1))
        return self._paper_of(self._image[top : foot + 1, left : right + 1].reshape(-1, 3))

    def darkest(self) -> Floats:
        """Return the darkest channel of each pixel, (H, W)."""
        return np.asarray(darkest_channel(self._image), np.float32)

    def better(self, quad: Quad, pose: IndexPose | None, others: Sequence[Quad]) -> Quad | None:
        """Return an outline of the same card that lies on the paper's edges, None if none is better.

        `quad`: the present one, from a corner with an index. `pose`: of that index, if it was located. `others`:
        outlines of other cards.
        """
        settings = self._settings
        paper = self.paper(quad) if pose is None else self.paper_at(pose)
        support = self.support(quad, paper)
        printed = self._printed(quad, support, paper, others)
        own = np.where(printed, 0, support)
        spans = self._spans(quad, others)
        least = 0.0 if spans else float(own.mean()) + settings.gain
        best, most = None, max(least, settings.mean_enough)
        for other in self._near(quad):
            for corner in range(4):
                turned = starting_at(other, corner)
                if not _is_at_corner(turned, quad, pose, settings.min_upright):
                    continue
                support = self.support(turned, paper)
                score = float(support.mean())
                enough = score > most and support.min() >= settings.worst_enough
                enough = enough and not self._spans(turned, others)
                if enough and not self._printed(turned, support, paper, others).any():
                    best, most = turned, score
                break
        return self._around(quad, paper, others) if best is None and printed.any() else best

    def _goes_on(
        self, quad: Quad, paper: Floats, others: Sequence[Quad] = (), brightest: float | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return for each side, (4,), whether there is paper right outside it, whatever line is between.

        Paper of one of the `others` that lies beside the card does not count. `brightest`: most brightness of paper,
        relative to `paper`; by default that of the settings.
        """
        settings = self._settings
        brightest = brightest or settings.beyond[1]
        key = _key(quad, paper, np.float32(brightest))
        if key not in self._outsides:
            self._outsides[key] = self._outside(quad, paper, brightest)
        points, is_paper = self._outsides[key]
        goes_on = _share(is_paper) >= settings.goes_on
        if not len(others) or not goes_on.any():
            return goes_on
        corners = np.stack(others)
        first, last = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        is_near = ((corners.max(axis=1) >= first) & (corners.min(axis=1) <= last)).all(axis=1)
        for other in corners[is_near]:
            if iou(other, quad) == 0:
                is_paper = is_paper & ~_lies_in(other, points).reshape(is_paper.shape)
        return _share(is_paper) >= settings.goes_on

    def _outside(self, quad: Quad, paper: Floats, brightest: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return places right outside of the sides, (4 N, samples, 2) pixels, and whether there is paper at each.

        The latter is (4, N, samples): N lines beside each of the sides. `brightest`: as in `_goes_on`.
        """
        settings = self._settings
        places = _beside_sides(settings.part, settings.samples, settings.beyond_mm)
        points = on_card(quad, places).astype(np.float32).reshape(-1, settings.samples, 2)
        seen = cv2.remap(self._image, points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        ratio = np.asarray(seen, np.float32).reshape(4, -1, settings.samples, 3) / paper
        low, high = ratio.min(axis=3), ratio.max(axis=3)
        is_paper = (low > settings.beyond[0]) & (low < brightest) & (high - low < settings.beyond_colour)
        return points, np.asarray(is_paper, bool)

    def _edges(self, quad: Quad, paper: Floats, reach: float) -> npt.NDArray[np.bool_]:
        """Return whether the paper ends at each place across each side: (4, samples, places within `reach` pixels)."""
        settings, step = self._settings, 0.5
        short = min(side_lengths(quad))
        gap, window = (max(px, share * short) for px, share in (settings.gap, settings.window))
        skip, width = max(1, round(gap / step)), max(2, round(window / step))
        pad = skip + width
        count = round(2 * reach / step) + 1
        depth = (np.arange(count + 2 * pad) - pad) * step - reach
        along = np.linspace(*settings.part, settings.samples)
        span = np.roll(quad, -1, axis=0) - quad
        inner = np.stack([-span[:, 1], span[:, 0]], axis=1) / np.maximum(np.hypot(*span.T), 1e-6)[:, None]
        base = quad[:, None] + span[:, None] * along[None, :, None]
        grid = (base[:, :, None] + inner[:, None, None] * depth[None, None, :, None]).astype(np.float32)
        flat = grid.reshape(4 * settings.samples, -1, 2)
        seen = cv2.remap(self._image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        ratio = np.asarray(seen, np.float32) / paper
        blue, green, red = ratio[..., 0], ratio[..., 1], ratio[..., 2]
        low = np.minimum(np.minimum(blue, green), red)
        colour = np.maximum(np.maximum(blue, green), red) - low
        inside, outside = pad + skip, pad - skip - width
        level = sum(low[:, inside + k : inside + k + count] for k in range(width)) / np.float32(width)
        plain = sum(colour[:, inside + k : inside + k + count] for k in range(width)) / np.float32(width)
        most = low[:, outside : outside + count]
        for k in range(1, width):
            most = np.maximum(most, low[:, outside + k : outside + k + count])
        is_paper = (level > settings.paper[0]) & (level < settings.paper[1]) & (plain < settings.max_colour)
        found = is_paper & (most < settings.drop * level)
        return np.asarray(found.reshape(4, settings.samples, count), bool)

    def _paper_of(self, pixels: npt.NDArray[np.uint8]) -> Floats:
        """Return the colour of the paper, (3,) BGR, in a place that shows paper and some ink, (N, 3)."""
        settings = self._settings
        paper = [percentiles(channel, settings.paper_percentile)[0] for channel in pixels.T]
        return np.asarray(np.maximum(paper, settings.darkest_paper), np.float32)

    def _near(self, quad: Quad) -> list[Quad]:
        """Return the proposals that may be the same card, each different one once, portrait."""
        settings = self._settings
        found: list[Quad] = []
        if not len(self._proposals):
            return found
        away = np.abs(self._proposals.mean(axis=1) - quad.mean(axis=0)).max(axis=1)
        for one in self._proposals[away < max(side_lengths(quad))]:
            if iou(one, quad) > settings.least_iou and not any(iou(one, other) > settings.same_iou for other in found):
                found.append(portrait(one))
        return found

    def _printed(self, quad: Quad, support: Floats, paper: Floats, others: Sequence[Quad]) -> npt.NDArray[np.bool_]:
        """Return which sides, (4,), are those of a frame printed on the card. `support`: of the sides.

        The paper ends there, only to go on right outside, where none of the `others` lies: at two sides and more.
        """
        found = support >= self._settings.worst_enough
        if found.sum() >= 2:
            found &= self._goes_on(quad, paper, others)
        return np.asarray(found & (found.sum() >= 2), bool)

    def _around(self, quad: Quad, paper: Floats, others: Sequence[Quad]) -> Quad | None:
        """Return the outline of a card around its printed frame `quad`, None if the paper ends nowhere around it.

        A frame has the same margin on all sides: two that lie on edges are enough.
        """
        settings, (wide, tall) = self._settings, CARD_MM
        best: list[Quad] = []
        most = 0.0
        for margin in np.arange(*settings.frame_mm):
            right, foot = wide + margin, tall + margin
            corners = np.array([[-margin, -margin], [right, -margin], [right, foot], [-margin, foot]])
            support = self.support(outline := on_card(quad, corners).astype(np.float32), paper)
            total = float(support.sum())
            enough = (support >= settings.mean_enough).sum() >= 2 and total >= most
            if enough and not self._spans(outline, others):
                best, most = [*(best if total == most else []), outline], total
        return best[len(best) // 2] if best else None

    def _spans(self, quad: Quad, others: Sequence[Quad]) -> bool:
        """Return whether another card lies inside the outline: all cards of a picture have about one size."""
        settings, area = self._settings, cv2.contourArea(quad)
        return any(
            cv2.contourArea(other) < settings.spanned_area * area
            and containment(other, quad) > settings.spanned_containment
            for other in others
        )


@lru_cache
def _beside_sides(part: tuple[float, float], samples: int, beyond_mm: tuple[float, float]) -> npt.NDArray[np.float64]:
    """Return places right outside of the sides, (4, 5, samples, 2) mm: five lines beside each side."""
    (wide, tall), along = CARD_MM, np.linspace(*part, samples)
    away = np.linspace(*beyond_mm, 5)[:, None]
    across, down, near = wide * along, tall * along, np.zeros_like(along)
    sides = [(across, near - away), (wide + near + away, down), (across, tall + near + away), (near - away, down)]
    return np.stack([np.stack(np.broadcast_arrays(*side), axis=-1) for side in sides])


def _share(is_paper: npt.NDArray[np.bool_]) -> Floats:
    """Return the share of each side, (4,), beside which there is paper, in the line beside it that has most."""
    return np.asarray(is_paper.mean(axis=2).max(axis=1), np.float32)


def _key(*measured: npt.NDArray[np.floating] | np.floating) -> bytes:
    return b"".join(one.tobytes() for one in measured)


def _lies_in(quad: Quad, points: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each of the points, (..., 2), lies in the convex outline."""
    inside = np.ones(points.shape[:-1], bool)
    for (x, y), (dx, dy) in zip(quad, np.roll(quad, -1, axis=0) - quad, strict=True):
        inside &= dx * (points[..., 1] - y) - dy * (points[..., 0] - x) > 0
    return inside


def _is_at_corner(quad: Quad, present: Quad, pose: IndexPose | None, min_upright: float) -> bool:
    """Return whether the index stands upright in the first quarter of the outline `quad`."""
    top, foot = in_millimetres(quad, on_card(present, _INDEX_MM) if pose is None else pose.ends)
    middle, down = (top + foot) / 2, foot - top
    inside = 0 < middle[0] < CARD_MM[0] / 2 and 0 < middle[1] < CARD_MM[1] / 2
    return bool(inside and down[1] > min_upright * np.hypot(*down))
