"""The thresholds of rectangles built from line segments, with their units and what happens if they are changed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RectangleSettings:
    """How rectangles of a known size are built from line segments (`rectangles`). Scores are 0 to 1."""

    min_segment: float = 0.16
    """Length of a segment in long sides of a card. Higher: faster, but cards that show little edge are missed."""
    paper_margin_px: int = 6
    """Margin around unread paper in which segments are searched, pixels of the working picture. Higher: slower; lower:
    edges of dim cards are missed."""
    paper_piece: float = 0.1
    """Area of a piece of unread paper that counts beside a large one, as a share of the area that starts the search.
    Higher: cards that something divides are missed; lower: specks make the search slower."""
    max_segments: int = 160
    """Segments used, the longest first. Higher: cards in a crowded picture are found, and time grows with the
    square."""
    max_overlong: float = 1.1
    """Length that a segment may have from the corner, in card sides: a longer line is not one card's side. Higher:
    lines on the table and rows of cards give more rectangles; lower: cards that appear larger are missed."""
    max_in_line: float = 2.1
    """The same if it is the side of two cards that lie in line, overlapping or touching; of three it is not found.
    Higher: lines on the table give more rectangles; lower: cards in line are missed."""
    in_line_tolerance: float = 0.04
    """`side_tolerance` for those. Higher: edges of other cards are taken for the far side; lower: cards in line are
    missed where the camera looks at an angle."""
    max_gap: float = 0.22
    """Distance from a segment's end to the corner, in long sides: corners are round, or in shadow. Higher: more false
    corners, slower; lower: cards with a hidden corner are missed."""
    max_crossing: float = 0.06
    """How far a segment may extend beyond the corner, in long sides. Higher: crossing lines count as corners."""
    max_corner_cosine: float = 0.16
    """Largest absolute cosine of the angle between two segments that form a corner. Higher: the camera may look at a
    steeper angle; more false corners."""
    side_tolerance: float = 0.12
    """How far a far side may be from where the size puts it, as a share of the side: the camera may look at an angle.
    Higher: more print is taken for the far side."""
    side_steps: int = 25
    """Positions tried within that tolerance. Higher: more accurate, slower."""
    size_preference: float = 0.8
    """Share of its edge score that a far side loses per unit of relative deviation from the size. Higher: the expected
    size is preferred to a stronger edge."""
    line_part: tuple[float, float] = (0.1, 0.9)
    """Part of each side that is compared with edges, as shares of its length. Wider: rounded corners lower the
    score."""
    line_samples: int = 20
    """Points compared on each side. Higher: small gaps count more exactly, slower."""
    border_px: float = 4.0
    """Pixels by which a rectangle may extend beyond the picture. Higher: cards cut off by the border are proposed."""
    min_near_side: float = 0.45
    """Edge score of the two sides through the corner. Higher: faster, but cards with weak edges are missed."""
    min_side: float = 0.4
    """Edge score of the worst side. Higher: cards with a partly hidden side are missed; lower: more false ones."""
    min_mean: float = 0.62
    """Mean edge score of the four sides. Higher: cards with weak edges are missed; lower: more false rectangles."""
    worst_side_weight: float = 0.25
    """Weight of the worst side in the score by which rectangles are ranked; the mean has the rest. Higher: rectangles
    with one side on print come later."""
    max_iou: float = 0.8
    """Of two rectangles with a higher IoU only the better one is kept. Higher: more repeated rectangles are read."""
    max_rectangles: int = 10
    """Rectangles returned, best first. Higher: more covered cards are found, and each takes time to read."""
