"""A camera above the drawn table, for tests of the light: its lamp, and an exposure that can be adjusted."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision.drawn_table import SIZE, DrawnCard, DrawnTable
from vision.frames import Frame, Image

ROW_S = 0.02 / SIZE[1]
"""The camera reads its rows one after another, a picture in 20 ms."""


class LiveTable(DrawnTable):
    """`depth`: the share by which a lamp on mains of `hz` changes its light. `lamp`: its brightness.

    `exposure`: what `adjust_exposure` multiplies, if it `follows`.
    """

    live = True

    def __init__(self, lamp: float = 0.85, depth: float = 0.0, hz: float = 50.0, noise: float = 2.5) -> None:
        super().__init__(noise=noise)
        self.lamp, self.depth, self.hz = lamp, depth, hz
        self.exposure = 1.0
        self.follows = False
        self.paper: list[DrawnCard] = []
        self.dark: list[DrawnCard] = []
        self.gleams: list[tuple[float, float, float]] = []
        """Centre x, y and radius in mm of reflections of the lamp."""

    def lay_paper(self, zone: tuple[str, int | None], dx: float = 0.0, dy: float = 0.0) -> DrawnCard:
        """Lay a card that shows nothing but white paper."""
        card = self.lay("back", zone, dx, dy)
        self.paper.append(card)
        return card

    def lay_dark(self, zone: tuple[str, int | None]) -> DrawnCard:
        """Lay something black of the size of a card, such as a telephone or a card with a black back."""
        card = self.lay("back", zone)
        self.dark.append(card)
        return card

    def adjust_exposure(self, factor: float) -> None:
        if self.follows:
            self.exposure = min(self.exposure * factor, 16.0)

    def read(self) -> Frame | None:
        self.gain = self.lamp * self.exposure
        frame = super().read()
        assert frame is not None
        if self.gleams:
            self._shine(frame.image)
        if not self.depth:
            return frame
        rows = frame.time + np.arange(SIZE[1]) * ROW_S
        light = np.rint(128 * (1 + self.depth * np.cos(2 * np.pi * 2 * self.hz * rows))).astype(np.uint16)
        lit = (frame.image * light[:, None, None]) >> 7
        return Frame(np.minimum(lit, 255).astype(np.uint8), frame.time, frame.number)

    def _shine(self, image: Image) -> None:
        for x, y, radius in self.gleams:
            at = cv2.perspectiveTransform(np.array([[[x, y]]], np.float64), self.view)[0, 0]
            cv2.circle(image, (round(at[0]), round(at[1])), round(radius * 1.65), (255, 255, 255), -1)

    def _draw_card(self, image: Image, card: DrawnCard) -> None:
        super()._draw_card(image, card)
        papers, darks = (any(card is each for each in some) for some in (self.paper, self.dark))
        if papers or darks:
            corners = np.array(
                [[[card.x + dx, card.y + dy] for dx, dy in ((-31, -44), (31, -44), (31, 44), (-31, 44))]]
            )
            places = cv2.perspectiveTransform(corners.astype(np.float64), self.view)
            cv2.fillConvexPoly(
                image, np.round(places[0]).astype(np.int32), (238, 238, 238) if papers else (30, 30, 30), cv2.LINE_AA
            )
