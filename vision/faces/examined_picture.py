"""A picture while its cards are read: its pyramid, and the outlines in it that have been examined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vision.faces.card_size import CardSize
from vision.faces.edges import refine_outline
from vision.faces.geometry import Quad, fits_size, iou, portrait, unevenness
from vision.faces.outline_finder import OutlineFinder
from vision.faces.pyramid import image_pyramid
from vision.faces.settings import ReaderSettings
from vision.frames import Image


class ExaminedPicture:
    """A picture while it is being read.

    `outlines`: those whose corners were examined, portrait. `scores`: how well the sides of each lie on edges, 0 to 1.
    `whole`: those of them that fill a contour: nothing lies on the card.
    """

    def __init__(self, image: Image, mm_per_px: float | None, settings: ReaderSettings, smallest_mm: float) -> None:
        """`smallest_mm`: the long side of the smallest cards to expect, if the scale is known."""
        self.levels = image_pyramid(image, settings.pyramid)
        self.settings = settings
        self.mm_per_px = mm_per_px
        smallest = 0.0 if mm_per_px is None else smallest_mm / mm_per_px
        self.finder = OutlineFinder(self.levels, settings.outlines, settings.rectangles, smallest)
        self.outlines: list[Quad] = []
        self.scores: list[float] = []
        self.whole: list[Quad] = []

    def is_even(self, quad: Quad) -> bool:
        """Return whether opposite sides of an outline differ no more than perspective explains, at a known scale.

        Where they do, one of them lies on the edge of another card, or on the border of the picture.
        """
        return self.mm_per_px is None or unevenness(quad) < self.settings.most_uneven

    def may_be_card(self, quad: Quad, size: tuple[float, float]) -> bool:
        """Return whether the outline is even and has about that `size` (width, height, pixels)."""
        return self.is_even(quad) and fits_size(quad, size, self.settings.size_tolerance)

    def refined(self, quad: Quad) -> Quad:
        """Return the outline moved onto the edges beside it, portrait."""
        return portrait(refine_outline(self.levels, quad, self.settings.outlines))

    def different(self, proposals: Iterable[Quad], size: tuple[float, float], known: Sequence[Quad]) -> list[Quad]:
        """Return the refined outlines that may be cards of `size` (width, height, pixels), each once, not the known."""
        different: list[Quad] = []
        for quad in proposals:
            refined = self.refined(quad)
            if self.may_be_card(refined, size) and not any(
                iou(refined, other) > self.settings.same_outline_iou for other in [*known, *different]
            ):
                different.append(refined)
        return different

    def add(self, outlines: list[Quad]) -> list[float]:
        """Add outlines whose corners are examined now; return the edge score of each."""
        scores = self.finder.edge_scores(outlines)
        self.outlines += outlines
        self.scores += scores
        return scores

    def on_edges(self, least: float, size: CardSize) -> list[tuple[Quad, float]]:
        """Return the outlines with an edge score of `least` and more, with their scores, at a known scale.

        Those with most edges and the best `size` come first.
        """
        assert self.mm_per_px is not None
        ordered = []
        for quad, score in zip(self.outlines, self.scores, strict=True):
            if score >= least:
                ordered.append((score * (1 - size.error(quad, self.mm_per_px)), quad, score))
        return [(quad, score) for _, quad, score in sorted(ordered, key=lambda each: -each[0])]
