"""Draw the mat: its background, zones with their names, and the corner marks."""

from __future__ import annotations

from cardtable.printing.codes import aruco_pattern
from cardtable.printing.picture import picture
from cardtable.printing.shapes import WHITE, Colour, Drawing, Shape, box, modules, rounded, text, turned
from engine.observations import Zone
from hardware.texts import Translate, as_written
from vision.frames import Image
from vision.table.mat import MARK_MM, Mat, Polygon

CLOTH: Colour = (31, 92, 70)
"""Dark green, for a strong contrast with white cards."""
_LINE: Colour = (108, 158, 136)
_PLAIN_LINE: Colour = (150, 160, 156)
RIM_MM = 9.0
"""Width of the white margin of a corner mark: less than its distance from the edge, more than one module."""


def mat_picture(mat: Mat, px_per_mm: float, *, plain: bool = False, translate: Translate = as_written) -> Image:
    """Return the picture of the mat: (height, width, 3) uint8 BGR. `plain`: on white, which needs less ink."""
    width, height = mat.size_mm
    return picture(mat_drawing(mat, plain=plain, translate=translate), width, height, px_per_mm)


def corner_picture(id_: int, px_per_mm: float) -> Image:
    """Return the picture of a corner mark with its white margin, a square of 54 mm: uint8 BGR."""
    side = MARK_MM + 2 * RIM_MM
    return picture(mark_drawing(id_, RIM_MM, RIM_MM), side, side, px_per_mm)


def mat_drawing(mat: Mat, *, plain: bool = False, translate: Translate = as_written) -> Drawing:
    """Return the drawing of the mat, in mm from its top left corner. `translate`: for the names of the zones."""
    width, height = mat.size_mm
    colour = _PLAIN_LINE if plain else _LINE
    shapes: list[Shape] = [] if plain else [box(0, 0, width, height, CLOTH)]
    for zone, area in mat.areas.items():
        shapes += _zone(mat, zone, area, colour, translate)
    for id_, corners in mat.marks.items():
        shapes += mark_drawing(id_, *corners[0])
    return tuple(shapes)


def mark_drawing(id_: int, x: float, y: float) -> Drawing:
    """Return the drawing of a corner mark with its top left corner at (x, y) mm, and its white margin."""
    white = rounded(x - RIM_MM, y - RIM_MM, MARK_MM + 2 * RIM_MM, MARK_MM + 2 * RIM_MM, 3.0, WHITE)
    return (white, modules(aruco_pattern(id_), x, y, MARK_MM))


def _zone(mat: Mat, zone: Zone, area: Polygon, colour: Colour, translate: Translate) -> list[Shape]:
    left, top = (min(point[axis] for point in area) for axis in (0, 1))
    right, bottom = (max(point[axis] for point in area) for axis in (0, 1))
    frame = rounded(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1, 4.0, colour, 0.7)
    # The name is at the edge nearest to the player of the zone, and upright for that player.
    turn = mat.turns[zone.seat] if zone.seat is not None and mat.turns else 0.0
    x, y = (left + right) / 2, (top + bottom) / 2
    reach = (bottom - top) / 2 if turn in (0.0, 180.0) else (right - left) / 2
    name = text(translate(zone.name), x, y + reach - 4.0, 4.2, colour, align="middle", weight=500)
    return [frame, *turned([name], turn, x, y)]
