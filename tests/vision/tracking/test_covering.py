"""A sleeve over half the table is reported, and what lies under it stays known."""

from __future__ import annotations

import cv2

from engine.observations import Scene, Zone
from tests.vision.drawn_table import SIZE, DrawnTable, Watched
from vision.frames import Image


class SleeveTable(DrawnTable):
    """A drawn table on which a sleeve can lie, over the left half of the picture."""

    sleeve = False

    def _draw(self) -> Image:
        image = super()._draw()
        if self.sleeve:
            cv2.rectangle(image, (0, 0), (SIZE[0] * 45 // 100, SIZE[1]), (90, 60, 30), -1)
        return image

    def cover(self, covered: bool) -> None:
        """Lay the sleeve on the table, or take it away."""
        self.sleeve = covered
        self._drawn.clear()


def test_a_sleeve_over_half_the_table() -> None:
    table = SleeveTable()
    table.fps = 10.0
    watched = Watched(table)
    watched.run(8)
    for seat in (0, 1):
        table.lay("KD" if seat else "QS", ("play", seat))
    watched.run(12)
    before = watched.seen
    table.cover(True)
    begin = table._number / table.fps
    reported = [each for each in watched.run(100) if isinstance(each, Scene)]
    covered = next(scene for scene in reported if scene.covered)
    assert covered.time - begin < 3
    assert watched.scene is not None and watched.scene.covered  # also after ten seconds
    assert watched.seen == before
    table.cover(False)
    watched.run(40)
    assert watched.scene.covered == ()
    assert watched.seen == before


def test_a_hand_that_lays_a_card_covers_nothing() -> None:
    table = SleeveTable()
    watched = Watched(table)
    watched.run(8)
    x, y = table.mat.centre(Zone("play", 0))
    table.hands = [((x, y + 300), (x, y))]
    watched.run(40)
    table.hands = []
    table.lay("QS", ("play", 0))
    watched.run(20)
    scenes = [each for each in watched.observations if isinstance(each, Scene)]
    assert not any(scene.covered for scene in scenes)
