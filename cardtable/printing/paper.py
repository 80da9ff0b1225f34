"""Write drawings to PDF at true size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO

from fpdf import FPDF
from fpdf.drawing import PaintedPath
from fpdf.drawing_primitives import DeviceRGB
from fpdf.enums import IntersectionRule, PathPaintRule
from fpdf.prefs import ViewerPreferences

from cardtable.printing.shapes import Drawing, Shape

A4 = (210.0, 297.0)
"""Width and height, mm."""


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
