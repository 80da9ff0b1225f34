"""The thresholds of the face reader, with their units and what happens if they are raised or lowered.

>>> from dataclasses import replace
>>> strict = replace(DEFAULTS, min_confidence=0.95)
>>> strict.min_confidence, strict.outlines.work_size
(0.95, 1000)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class OutlineSettings:
    """How outlines of cards are found in contours (`outline_finder`) and moved onto edges (`edges`)."""

    work_size: int = 1000
    """Contours are searched in the pyramid level whose longer side has at most this many pixels: larger is slower."""
    min_long_side: float = 34.0
    """Shortest long side of a card in that level, pixels. The index of a smaller card cannot be read."""
    threshold_levels: tuple[int, ...] = tuple(range(70, 231, 32))
    """Grey levels at which the darkest channel is thresholded, besides Otsu's: each costs one contour search."""
    max_similar_boxes: int = 3
    """Contours with nearly the same bounding box that are examined, over all masks."""
    min_fill: float = 0.91
    """Fraction of the quadrilateral that the contour's hull fills. A card's rounded corners cost 0.01 to 0.03."""
    max_aspect: float = 2.9
    """Long by short side: 1.4 for a poker card, 1.54 for bridge size, more when seen at an angle."""
    max_taper: float = 1.9
    """Ratio of opposite sides in perspective."""
    max_corner_cosine: float = 0.72
    """Largest absolute cosine of a corner's angle."""
    weak_edge: float = 12.0
    """Gradient, grey levels per pixel, of the edge between a white card and the white card below it."""
    min_edge_score: float = 0.35
    """Outlines whose sides lie on edges less than this (0 to 1) are dropped."""
    same_card_iou: float = 0.72
    """Of two outlines with a higher IoU only the one with the better edge score is kept."""
    border_iou: float = 0.9
    """The same if both have strong edges and borders are wanted: a border printed 2 mm inside the card's edge."""
    border_edge_scores: tuple[float, float] = (0.9, 0.75)
    """Edge score of all sides and of the worst side above which `border_iou` applies."""
    nested_containment: float = 0.85
    """An outline with more of its area inside a larger one counts as nested in it."""
    paper_level: float = 0.75
    """Brightness of unread paper relative to the cards that were read."""
    min_paper: float = 0.3
    """Area of unread paper, in cards, that starts a search for rectangles."""
    refine_side: float = 200.0
    """Outlines are refined in the level where the card is this long, up to twice: more costs time, not accuracy."""
    refine_reach: float = 0.035
    """Distance, in short sides, within which a side is moved onto an edge; 2.5 pixels at least."""


@dataclass(frozen=True, slots=True)
class RectangleSettings:
    """How rectangles of a known size are built from line segments (`rectangles`). Scores are 0 to 1."""

    min_segment: float = 0.16
    """Length of a segment in long sides of a card."""
    max_segments: int = 160
    """The longest segments are used; time grows with their square."""
    max_gap: float = 0.22
    """Distance from a segment's end to the corner, in long sides: corners are round, or in shadow."""
    max_corner_cosine: float = 0.16
    """Largest absolute cosine of the angle between two segments that form a corner."""
    side_tolerance: float = 0.12
    """How far a far side may be from where the size puts it, as a fraction: the camera may look at an angle."""
    side_steps: int = 25
    """Positions tried within that tolerance."""
    min_near_side: float = 0.45
    """Edge score of the two sides through the corner."""
    min_side: float = 0.4
    """Edge score of the worst side."""
    min_mean: float = 0.62
    """Mean edge score of the four sides."""
    max_iou: float = 0.8
    """Of two rectangles with a higher IoU only the better one is kept."""
    max_rectangles: int = 10
    """Number of rectangles returned, best first."""


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How indices are located without outlines (`index_detector`). Heights are from the rank's top to the suit's foot.

    The net was trained on heights of 13 to 34 pixels; other heights are covered by scaling the picture.
    """

    min_height: float = 12.0
    """Smallest index height that is accepted at one scale, pixels."""
    max_height: float = 38.0
    """Largest index height that is accepted at one scale, pixels."""
    min_score: float = 0.15
    """Lowest score (0 to 1) of a detection."""
    max_detections: int = 160
    """Number of detections returned, best first."""
    min_distance: float = 0.22
    """Distance between two detections, in index heights; of nearer ones the better is kept."""
    enlarge_to: int = 1_500_000
    """A picture with fewer pixels is enlarged, at most twofold, to find small indices."""
    search_range: tuple[float, float] = (0.45, 2.2)
    """A level is searched if some wanted height there is below `min_height` times the second and above `max_height`
    times the first number. Wider: more levels, slower."""
    enlarge_margin: float = 1.3
    """If the least height is known, the picture is enlarged until that is `enlarge_margin` times `min_height`."""
    min_enlargement: float = 1.2
    """Smaller enlargements are not worth their time."""
    min_level_side: int = 64
    """Levels with a shorter side, in pixels, are not searched."""
    band_rows: int = 360
    """Rows that the net processes at a time: its intermediate results then fit in the cache."""
    band_margin: int = 48
    """Extra rows above and below a band. The net's receptive field reaches 40 pixels."""


@dataclass(frozen=True, slots=True)
class IndexReaderSettings:
    """How detected indices are read (`index_reader`). Probabilities are 0 to 1."""

    min_probability: float = 0.3
    """Detections that show an index with a lower probability are dropped."""
    height_mm: tuple[float, float] = (10.0, 24.0)
    """Heights of printed indices, millimetres."""
    size_ratio: float = 1.5
    """Covered cards are at most this many times larger or smaller than the outlined ones."""
    coarse_factor: float = 2.4
    """Without a scale, indices higher than this many times the detector's `min_height` are searched first: fast."""
    fine_factor: float = 0.9
    """The second, slow search covers indices up to this fraction of the detector's `max_height`."""
    extra_turns: tuple[float, ...] = (0.11, -0.11)
    """Each index is read again rotated by these angles, radians. Other things seldom look the same three times."""
    extra_zoom: float = 0.92
    """Height of the crop of those extra readings, relative to the first."""
    sure: float = 0.95
    """An index read with this confidence is not searched nearby, and fixes the scale for the second search."""
    shifts: tuple[tuple[float, float], ...] = ((1.3, 0.0), (0.77, 0.0), (1.0, 0.17), (1.0, -0.17))
    """Nearby poses tried for an uncertain index: height factor, and shift down in heights. Very large indices, and long
    ranks with a small suit, are located less accurately."""
    min_score_to_shift: float = 0.3
    """Detector score from which on nearby poses are tried."""
    min_shifted: float = 0.5
    """Probability at a nearby pose from which on it is considered; a first reading below it may be replaced."""
    middle_mm: tuple[float, float] = (2.5, 11.5)
    """Distance of an index's middle from the card's left side, millimetres, that fits an outline."""
    top_mm: tuple[float, float] = (0.0, 9.0)
    """Distance of a rank's top from the card's upper side, millimetres, that fits an outline."""
    height_error: float = 1.35
    """Factor by which a detected height may be wrong."""
    min_upright_cosine: float = 0.96
    """Cosine of the angle between an index and the card's long side."""
    max_slant: float = 1.6
    """Factor by which perspective may change a card's aspect ratio."""


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """How indices that were found alone are joined to cards (`card_assembly`)."""

    height_mm: float = 16.0
    """Height of an index if nothing else gives the scale; decks have 10 to 22."""
    left_mm: float = 6.0
    """Distance of an index's middle from the card's left side, millimetres."""
    top_mm: float = 3.4
    """Distance of the rank's top from the card's upper side, millimetres."""
    max_height_ratio: float = 1.7
    """Ratio of the heights of two indices of one card, in perspective."""
    max_opposite_cosine: float = -0.8
    """Cosine of the angle between the two opposite indices of a card."""
    min_parallel_cosine: float = 0.85
    """Cosine of the angle between two indices at the same end of a card."""
    same_index: float = 0.3
    """Two readings nearer to each other than this, in index heights, are of one index."""
    opposite_right: tuple[float, float] = (0.9, 7.5)
    opposite_down: tuple[float, float] = (1.4, 9.0)
    """Offset of the opposite index, to the right and down as the first one reads, in index heights."""
    opposite_slope: tuple[float, float] = (0.3, 2.2)
    """Ratio of those two."""
    beside: tuple[float, float] = (1.8, 4.6)
    """Distance of two indices at the same end of a card, in index heights."""
    below: tuple[float, float] = (1.7, 6.5)
    """Distance of two indices on the same side of a card, at different ends, in index heights."""
    max_skew: float = 0.45
    """How far the second of those may lie out of line, as a fraction of the distance."""


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """How the two corners of a card are combined (`score_fusion`)."""

    hidden_prior: float = 0.25
    """Prior of one index being hidden, relative to both showing. Higher: single indices count more."""
    different_prior: float = 0.1
    """Prior of the corners showing two different cards. With 52 cards two corners seldom agree by chance."""
    min_alternative: float = 0.01
    """Probability from which on another card is reported as an alternative."""
    max_alternatives: int = 3
    """Number of alternatives reported."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """All thresholds of `FaceReader`; its own are about which readings are reported. Confidences are 0 to 1."""

    min_confidence: float = 0.8
    """Outlined cards below it are not reported. Lower: more cards, more of them wrong."""
    min_confidence_alone: float = 0.9
    """The same for cards that are read by their indices alone, without an outline."""
    min_edge_score_alone: float = 0.5
    """At a known scale, lowest edge score of their outline: the tracker follows a card by its outline."""
    size_tolerance: float = 1.2
    """Factor by which a card's sides may differ from the table's scale."""
    same_outline_iou: float = 0.94
    """Of several outlines with a higher IoU only the first is read."""
    same_face_iou: float = 0.05
    """Two outlines that show the same face and have a higher IoU are one card."""
    same_card_iou: float = 0.8
    """Two outlines with a higher IoU are one card, whatever they show."""
    covered_iou: float = 0.6
    """IoU above which the lower card's index cannot be visible."""
    repeated_iou: float = 0.1
    """A card read by its indices is dropped if an outline with its face has a higher IoU."""
    inside_card: float = 0.6
    """An outline with more of its area inside a card that was read is print on that card."""
    printed_containment: float = 0.9
    """A smaller outline with more of its area inside a card is a printed border, if the next two hold as well."""
    printed_area: float = 0.75
    """Largest area of a printed border, in areas of the card."""
    printed_offset: float = 0.1
    """Largest distance between the middles of border and card, in long sides."""
    index_mm: tuple[float, float] = (6.0, 11.0)
    """Typical middle of an index from the card's corner, millimetres right and down."""
    same_index_mm: float = 8.0
    """Two indices nearer to each other than this, millimetres, are one."""
    corner_reach: float = 0.35
    """An index of another rank this near to an expected index, in heights, is a misreading of that one."""
    corner_reach_same_rank: float = 0.8
    """The same for an index of the same rank and another suit."""
    outlines: OutlineSettings = field(default_factory=OutlineSettings)
    rectangles: RectangleSettings = field(default_factory=RectangleSettings)
    detector: DetectorSettings = field(default_factory=DetectorSettings)
    indices: IndexReaderSettings = field(default_factory=IndexReaderSettings)
    assembly: AssemblySettings = field(default_factory=AssemblySettings)
    fusion: FusionSettings = field(default_factory=FusionSettings)


DEFAULTS: Final = ReaderSettings()
"""The values that the measurements in docs/reading.md were made with."""
