"""Lay out pages of cards, labels, corner marks and mats, and write them to PDF at true size.

Each A4 page has a ruler with which the scale of the print can be checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil

from fpdf import FPDF
from fpdf.drawing import PaintedPath
from fpdf.drawing_primitives import DeviceRGB
from fpdf.enums import IntersectionRule, PathPaintRule
from fpdf.prefs import ViewerPreferences

from cardtable.paper.drawings import (
    HEIGHT,
    RIM_MM,
    WIDTH,
    Marks,
    aruco_pattern,
    card_drawing,
    label_drawing,
    mat_drawing,
)
from cardtable.paper.shapes import BLACK, GREY, WHITE, Colour, Drawing, Shape, box, modules, moved, stroke, text, turned
from engine.cards import Card
from engine.observations import ActionCard
from engine.texts import Translate, as_written
from vision.marks.names import NO_WORDS, WordMarks
from vision.mat.layout import HEIGHT as MAT_HEIGHT
from vision.mat.layout import MARK_INSET, MARK_MM, Mat
from vision.mat.layout import WIDTH as MAT_WIDTH

A4 = (210.0, 297.0)
"""Width and height, in millimetres."""


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One page: its size in mm and its drawing."""

    size_mm: tuple[float, float]
    drawing: Drawing


def pdf_bytes(pages: Iterable[Page], title: str) -> bytes:
    """Return a PDF file of `pages` as vector graphics at true size.

    The file asks the print dialogue not to scale the pages.
    """
    document = FPDF(unit="mm")
    document.set_auto_page_break(False)
    document.set_title(title)
    document.set_creator("cardtable")
    document.viewer_preferences = ViewerPreferences(print_scaling="None", display_doc_title=True)
    for page in pages:
        document.add_page(orientation="P", format=page.size_mm)
        with document.drawing_context() as context:
            for shape in page.drawing:
                context.add_item(_path(shape), clone=False)
    file = BytesIO()
    document.output(file)
    return file.getvalue()


def _path(shape: Shape) -> PaintedPath:
    path = PaintedPath()
    for ring in shape.rings:
        (x, y), *others = ring.round(4).tolist()
        path.move_to(x, y)
        for x, y in others:
            path.line_to(x, y)
        path.close()
    colour = DeviceRGB(*(part / 255 for part in shape.colour))
    if shape.line is None:
        path.style.fill_color = colour
        path.style.intersection_rule = IntersectionRule.EVENODD
        path.style.paint_rule = PathPaintRule.FILL_EVENODD
    else:
        path.style.stroke_color = colour
        path.style.stroke_width = shape.line
        path.style.paint_rule = PathPaintRule.STROKE
    return path


_FINE: Colour = (170, 170, 170)
"""The colour of hairlines."""
_CUT = 0.15
"""Width of a cutting line, in millimetres."""
_CROP = 4.0
"""Length of a crop mark, in millimetres."""
_TOP = 12.0
"""Top margin of a page of cards, in millimetres."""
_TILE_MARGIN = 10.0
"""Margin of a page of the mat, in millimetres."""
_OVERLAP = 10.0
"""How far neighbouring pages of the mat overlap, in millimetres."""


def ruler(x: float, y: float, footer: str = "", translate: Translate = as_written) -> Drawing:
    """Return a ruler of 100 mm at (x, y) with instructions. `footer` is a translated text beside it."""
    shapes: list[Shape] = [stroke([(x, y), (x + 100, y)], BLACK, 0.2)]
    for mm in range(0, 101, 5):
        length = 4.0 if mm % 50 == 0 else 2.8 if mm % 10 == 0 else 1.6
        shapes.append(stroke([(x + mm, y), (x + mm, y - length)], BLACK, 0.2))
    shapes.append(text("0", x, y - 5.0, 2.0, BLACK, align="middle", weight=400))
    shapes.append(text("100 mm", x + 100, y - 5.0, 2.0, BLACK, align="middle", weight=400))
    advice = translate("Print at 100 %, not “fit to page”: this line is then exactly 100 mm long.")
    shapes.append(text(advice, x, y + 3.8, 1.9, GREY, weight=400))
    if footer:
        shapes.append(text(footer, A4[0] - x, y + 3.8, 1.9, GREY, align="right", weight=400))
    return tuple(shapes)


def _grid_page(
    drawings: Sequence[Drawing], columns: int, rows: int, width: float, height: float, footer: str, translate: Translate
) -> Page:
    """Return an A4 page of equal pieces, edge to edge, with cut marks in the margins and hairlines between them."""
    left = (A4[0] - columns * width) / 2
    shapes: list[Shape] = []
    for index, drawing in enumerate(drawings):
        row, column = divmod(index, columns)
        shapes += moved(drawing, left + column * width, _TOP + row * height)
    used = ceil(len(drawings) / columns)
    right, bottom = left + min(columns, len(drawings)) * width, _TOP + used * height
    xs = [left + column * width for column in range(min(columns, len(drawings)) + 1)]
    ys = [_TOP + row * height for row in range(used + 1)]
    shapes += [stroke([(x, _TOP), (x, bottom)], _FINE, _CUT) for x in xs]
    shapes += [stroke([(left, y), (right, y)], _FINE, _CUT) for y in ys]
    shapes += _marks_beside((left, _TOP, right, bottom), xs, ys)
    shapes += ruler(max(left, 10.0), A4[1] - 8.0, footer, translate)
    return Page(A4, tuple(shapes))


def card_pages(
    faces: Iterable[Card | ActionCard],
    marks: Marks,
    title: str,
    translate: Translate = as_written,
    words: WordMarks = NO_WORDS,
) -> list[Page]:
    """Return A4 pages with nine card faces of 63 × 88 mm each. `words`: the ArUco ids of the action cards."""
    drawings = [card_drawing(face, marks, translate, words) for face in faces]
    return _pages(drawings, 3, 3, WIDTH, HEIGHT, title, translate)


def label_pages(
    faces: Iterable[Card | ActionCard], marks: Marks, title: str, translate: Translate = as_written
) -> list[Page]:
    """Return A4 pages of labels for the cards of an ordinary deck: two ArUco labels for each card, or one QR label."""
    labels = [label_drawing(face, marks) for face in faces]
    _, width, height = labels[0]
    drawings = [drawing for drawing, _, _ in labels for _ in range(2 if marks == "aruco" else 1)]
    columns, rows = int((A4[0] - 16) // width), int((A4[1] - _TOP - 22) // height)
    return _pages(drawings, columns, rows, width, height, title, translate)


def _pages(
    drawings: Sequence[Drawing], columns: int, rows: int, width: float, height: float, title: str, translate: Translate
) -> list[Page]:
    sheets = [drawings[at : at + columns * rows] for at in range(0, len(drawings), columns * rows)]
    pages = []
    for number, sheet in enumerate(sheets, start=1):
        footer = translate("{title} · page {number} of {all}").format(title=title, number=number, all=len(sheets))
        pages.append(_grid_page(sheet, columns, rows, width, height, footer, translate))
    return pages


def corner_page(translate: Translate = as_written) -> Page:
    """Return one A4 page with the four corner marks, arranged as on the table, and their distances."""
    side = MARK_MM + 2 * RIM_MM
    across, down = MAT_WIDTH - 2 * MARK_INSET, MAT_HEIGHT - 2 * MARK_INSET
    names = (translate("top left"), translate("top right"), translate("bottom right"), translate("bottom left"))
    left, top, step_x, step_y = 24.0, 62.0, A4[0] - 48 - side, 108.0
    shapes: list[Shape] = [text(translate("Corner marks"), 24, 26, 6.5, BLACK, weight=700)]
    lines = (
        translate("Cut out the four squares and lay one in each corner of the table, upright as seen from seat 0,"),
        translate(
            "with the outer edges of the black squares {across} mm apart across and {down} mm apart up and down."
        ).format(across=f"{across:g}", down=f"{down:g}"),
        translate("Fasten them well: they show the camera where every zone is. A whole mat has them printed on it."),
    )
    shapes += [text(line, 24, 36 + 6.0 * i, 2.5, GREY, weight=400) for i, line in enumerate(lines)]
    for id_, (column, row) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        x, y = left + column * step_x, top + row * step_y
        shapes.append(box(x, y, side, side, _FINE, _CUT))
        shapes.append(modules(aruco_pattern(id_), x + RIM_MM, y + RIM_MM, MARK_MM))
        shapes.append(
            text(f"{id_} · {names[id_]}", x + side / 2, y + side - 2.6, 2.6, GREY, align="middle", weight=500)
        )
    # Between them a small plan of the table with the distances to measure.
    x, y, width, height = left + side + 10, top + side + 14, step_x - side - 20, (step_x - side - 20) * down / across
    shapes.append(box(x, y, width, height, GREY, 0.25))
    shapes.append(text(f"{across:g} mm", x + width / 2, y - 2.2, 2.6, GREY, align="middle", weight=500))
    shapes += turned(
        [text(f"{down:g} mm", x - 2.2, y + height / 2, 2.6, GREY, align="middle", weight=500)],
        -90,
        x - 2.2,
        y + height / 2,
    )
    shapes.append(text(translate("seat 0"), x + width / 2, y + height + 5.0, 2.6, GREY, align="middle", weight=500))
    shapes += ruler(24, A4[1] - 12, "", translate)
    return Page(A4, tuple(shapes))


def mat_page(mat: Mat, *, plain: bool = False, translate: Translate = as_written) -> Page:
    """Return the whole mat as one page of its own size, for a print shop."""
    return Page(mat.size_mm, mat_drawing(mat, plain=plain, translate=translate))


def mat_tiles(mat: Mat, title: str, *, plain: bool = False, translate: Translate = as_written) -> list[Page]:
    """Return the mat as A4 pages (portrait) to cut and glue together; each overlaps the next by 10 mm."""
    width, height = mat.size_mm
    room_x, room_y = A4[0] - 2 * _TILE_MARGIN, A4[1] - 2 * _TILE_MARGIN - 8
    columns, rows = (ceil((size - _OVERLAP) / (room - _OVERLAP)) for size, room in ((width, room_x), (height, room_y)))
    drawing = mat_drawing(mat, plain=plain, translate=translate)
    pages = []
    for row in range(rows):
        for column in range(columns):
            x, y = column * (room_x - _OVERLAP), row * (room_y - _OVERLAP)
            part_x, part_y = min(room_x, width - x), min(room_y, height - y)
            shapes = list(moved(drawing, _TILE_MARGIN - x, _TILE_MARGIN - y))
            right, bottom = _TILE_MARGIN + part_x, _TILE_MARGIN + part_y
            # The white margin of the page covers everything outside this tile.
            shapes += [
                box(-width, -height, 2 * width + A4[0], height + _TILE_MARGIN, WHITE),
                box(-width, bottom, 2 * width + A4[0], height + A4[1], WHITE),
                box(-width, -height, width + _TILE_MARGIN, 2 * height + A4[1], WHITE),
                box(right, -height, width + A4[0], 2 * height + A4[1], WHITE),
            ]
            shapes += _tile_marks(right, bottom, column < columns - 1, row < rows - 1)
            name = translate("{title} · row {row} of {rows}, column {column} of {columns}").format(
                title=title, row=row + 1, rows=rows, column=column + 1, columns=columns
            )
            shapes += ruler(_TILE_MARGIN, A4[1] - 8.0, name, translate)
            pages.append(Page(A4, tuple(shapes)))
    return pages


def _tile_marks(right: float, bottom: float, goes_on_right: bool, goes_on_below: bool) -> list[Shape]:
    """Return the lines along which to cut a tile, and where the edges of the next tiles lie on it."""
    area = (_TILE_MARGIN, _TILE_MARGIN, right, bottom)
    glued = [right - _OVERLAP] if goes_on_right else [], [bottom - _OVERLAP] if goes_on_below else []
    return [*_marks_beside(area, (_TILE_MARGIN, right), (_TILE_MARGIN, bottom)), *_marks_beside(area, *glued, GREY)]


def _marks_beside(
    area: tuple[float, float, float, float], xs: Sequence[float], ys: Sequence[float], colour: Colour = BLACK
) -> list[Shape]:
    """Return short lines around `area` (left, top, right, bottom) that continue the lines at `xs` and `ys`."""
    left, top, right, bottom = area
    lines = [[(x, y), (x, y + _CROP - 1)] for x in xs for y in (top - _CROP, bottom + 1)]
    lines += [[(x, y), (x + _CROP - 1, y)] for y in ys for x in (left - _CROP, right + 1)]
    return [stroke(line, colour, _CUT) for line in lines]
