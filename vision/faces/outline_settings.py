"""The thresholds by which outlines of cards are found, with their units and what happens if they are changed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """How well an outline lies on edges, and how it is moved onto them (`edges`).

    Parts of a side are shares of its length, from corner to corner. Strengths of edges are differences of grey levels
    over about 2 pixels.
    """

    score_part: tuple[float, float] = (0.12, 0.88)
    """Part of each side that is compared with edges. Wider: rounded corners lower the score of a card."""
    score_samples: int = 20
    """Points compared on each side. Higher: small gaps in an edge count more exactly, slower."""
    min_seen_share: float = 0.5
    """Share of its sides that must lie in the picture for an outline that reaches beyond it to be compared with others.
    Higher: cards that are cut off are located wrongly; lower: cards beside the border are lost to a strip of an
    outline."""
    samples: int = 24
    """Profiles taken across each side when an outline is moved onto edges. Higher: more accurate, slower."""
    sample_part: tuple[float, float] = (0.1, 0.9)
    """Part of each side across which profiles are taken. Wider: rounded corners tilt the fitted line."""
    min_reach_px: float = 2.5
    """Smallest distance within which a side is moved, pixels. Higher: small cards may snap to print near their edge."""
    far_penalty: float = 0.35
    """Share of its strength that an edge at the full distance loses. Higher: nearer, weaker edges are preferred."""
    max_strength: float = 60.0
    """Strength to which stronger edges are limited. Higher: a few very strong edges outweigh the rest of the side."""
    min_strength: float = 4.0
    """Mean strength below which a side has no edge and stays. Higher: white cards on white ones are not refined."""
    outlier_px: float = 0.8
    """Distance from the fitted line at which a point has half its weight, pixels. Higher: outliers bend the line."""
    fit_rounds: int = 3
    """Times that a line is fitted with new weights. Higher: less effect of outliers, slower."""
    max_move: tuple[float, float] = (3.0, 2.0)
    """Largest movement of a corner: the first number times the reach, plus the second in pixels. An outline whose
    corners would move farther stays. Higher: wrong outlines are distorted; lower: rough outlines are not refined."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How the outline of a card that has been read is compared with the edges of its paper (`outline_fitting`).

    Brightness is relative to the paper around the card's index; pixels are those of the picture in which contours are
    searched; shares of a side or of its samples are 0 to 1.
    """

    part: tuple[float, float] = (0.1, 0.9)
    """Part of each side that is examined. Wider: rounded corners count as missing edges."""
    samples: int = 24
    """Points examined on each side. Higher: more exact, slower."""
    near_px: float = 1.5
    """Distance from the side within which the paper must end. Higher: rough outlines count as exact."""
    gap: tuple[float, float] = (1.0, 0.004)
    window: tuple[float, float] = (1.5, 0.012)
    """Distance from the edge at which paper and ground are compared, and the width of both strips, at least in pixels
    and in short sides. Higher: less noise, but cards close to each other seem to have no edge."""
    paper_percentile: float = 75.0
    """Percentile of each channel around the index that is the paper's. Higher: a gleam counts as paper; lower: the ink
    does."""
    darkest_paper: float = 16.0
    """Grey level that the paper has at least. Lower: noise in the dark counts as edges."""
    index_reach: float = 0.7
    """Distance from the middle of a located index within which its paper is measured, in index heights. Higher: other
    cards count as well; lower: mostly ink does."""
    min_upright: float = 0.85
    """Cosine of the angle between an index and the card's side, at least. Higher: outlines that are a little askew are
    not found; lower: the index of another card is taken for this one's."""
    paper: tuple[float, float] = (0.55, 1.6)
    """Brightness of the paper along an edge. Wider: shadows on the card do no harm; the table counts as paper."""
    max_colour: float = 0.3
    """Largest difference between the channels of the paper. Higher: coloured light does no harm; cloth is paper."""
    drop: float = 0.86
    """Brightness of everything beside the edge, relative to the paper inside, at most. Higher: weaker edges count."""
    enough: float = 0.6
    """Share of a side that must be an edge; at least `worst_enough`. Higher: more outlines are searched, slower."""
    worst_enough: float = 0.5
    mean_enough: float = 0.75
    """The same for a better outline: of its worst side, and the mean of all. Lower: print replaces outlines."""
    gain: float = 0.15
    """How much higher that mean must be than before. Lower: outlines change for no gain."""
    beyond_mm: tuple[float, float] = (1.0, 4.0)
    """Where right outside of a side, in card millimetres, paper shows that the card goes on. Wider: what lies nearby
    does."""
    beyond: tuple[float, float] = (0.8, 1.3)
    """Brightness of paper there. Wider: light ground makes outlines uncertain; narrower: cards with a frame in uneven
    light are outlined by it."""
    beyond_in_shadow: float = 3.0
    """Upper brightness where two sides lie on darker ground. Lower: outlines that end at a shadow's edge count; higher:
    those with light things beside them do not."""
    beyond_colour: float = 0.2
    """Largest difference between its channels. Higher: coloured ground counts as paper; lower: noisy paper does not."""
    goes_on: float = 0.7
    """Share of a side with paper there from which the card goes on. Higher: printed lines count as its edge; lower:
    other cards nearby make outlines uncertain."""
    frame_mm: tuple[float, float, float] = (1.5, 8.0, 0.5)
    """Widths of the margin around a printed frame that are tried: from, below, step, in card millimetres. Wider or
    finer: more outlines to compare, slower."""
    steep: float = 0.9
    """Share of a side with at least a weak gradient that makes it an edge where the paper inside is not plain. Higher:
    outlines in shadow are uncertain; lower: print nearby counts as an edge."""
    most_uneven: float = 1.2
    """Opposite sides differ by less than this factor, if the card touches another one. Higher: outlines with a side on
    the edge of another card count; lower: those of cards at a steep angle do not."""
    same_card: float = 0.7
    """IoU from which the outlines of two cards cannot both be right. Higher: two cards share one outline; lower: cards
    that nearly cover each other are both uncertain."""
    many_inside: int = 2
    inside: float = 0.5
    """Number of other cards, and share of each that lies inside an outline, with its index, from which the outline is
    one around several cards. Higher: outlines of whole rows count; lower: those of cards on which others lie do not."""
    least_iou: float = 0.3
    """IoU with the present outline from which another one may be of the same card. Lower: slower."""
    same_iou: float = 0.95
    """Outlines with a higher IoU are one. Higher: slower."""
    spanned_area: float = 0.7
    spanned_containment: float = 0.8
    """An outline spans two cards if another card's with an area below the first (relative to its own) lies inside it
    with more than the second of its area. Higher, lower: two cards in one outline are not noticed."""
    same_scale: tuple[float, float] = (0.7, 1.4)
    """A covered card is as large as the nearest card in full, if its index says so within these factors. Wider: cards
    at different distances are taken to be equally large; narrower: the outline is as inexact as the index's height."""


@dataclass(frozen=True, slots=True)
class OutlineSettings:
    """How outlines of cards are found in contours (`outline_finder`) and moved onto edges (`edges`).

    Grey levels, and gradients as `edges.gradient` gives them, are 0 to 255; scores and shares are 0 to 1.
    """

    work_size: int = 1000
    """Contours are searched in the pyramid level whose longer side has at most this many pixels. Higher: smaller cards
    are found, slower."""
    blur_px: float = 1.0
    blur_window_px: int = 5
    """Standard deviation and window (odd) of the blur before the search, pixels. Higher: less noise, but cards that lie
    close merge."""
    min_long_side: float = 34.0
    """Shortest long side of a card in that level, pixels: the index of a smaller card cannot be read. At a table
    it is that of the smallest cards to expect, if that is more. Higher: small cards are missed; lower: more outlines to
    examine, slower."""
    max_narrowness: float = 3.0
    """Every side has at least `min_long_side` divided by this. Higher: small cards may be seen at a steeper angle, and
    more strips are examined."""
    min_box_side: float = 0.7
    """Longer side of a contour's bounding box in `min_long_side`; even a narrow shape that lies diagonally has 0.7.
    Higher: small cards that lie diagonally are missed; lower: more contours to examine, slower."""
    max_box_share: float = 0.97
    """A contour whose bounding box covers more of the picture is its border. Lower: a card that fills the picture is
    missed."""
    box_step: int = 4
    """Bounding boxes are similar if they agree to this many pixels. Higher: faster, but a better outline may be
    skipped."""
    max_similar_boxes: int = 2
    """Contours with similar bounding boxes that are examined, over all masks. Higher: outlines may become better,
    slower."""
    threshold_levels: tuple[int, ...] = tuple(range(70, 231, 32))
    """Grey levels at which the darkest channel is thresholded, besides Otsu's. More: cards in uneven light are found,
    and each costs one contour search."""
    local_window_px: int = 15
    """Side of the window of the local threshold, pixels (odd). Higher: the lines along edges become wider; lower: noise
    leaves gaps in them."""
    local_offset: float = 6.0
    """Grey levels by which a pixel may be darker than the mean of that window and still count as paper. Higher: weak
    edges between cards are missed; lower: noise cuts cards into pieces."""
    edge_levels: tuple[float, float] = (20.0, 60.0)
    """Gradients at which an edge goes on and at which it begins (Canny's two thresholds). Higher: weak edges leave
    gaps, through which a card merges with its surroundings; lower: noise becomes edges."""
    min_contour_fill: float = 0.25
    """Share of its bounding box that a contour fills; a poker card that lies diagonally fills half. Higher: cards seen
    at an angle are missed; lower: slower."""
    min_hull_fill: float = 0.8
    """Share of its hull that a contour fills. Higher: cards with something over their edge are missed; lower: hands and
    other shapes are examined."""
    min_fill: float = 0.91
    """Share of the quadrilateral that the contour's hull fills; a card's rounded corners cost 0.01 to 0.03. Higher:
    cards with a covered corner are missed; lower: other shapes pass as cards."""
    max_aspect: float = 4.5
    """Long by short side: 1.4 for a poker card, 1.54 for bridge size, more if seen at an angle. Higher: cards may be
    seen at a steeper angle, and strips pass as cards."""
    max_taper: float = 1.9
    """Ratio of opposite sides in perspective. Higher: cards may be seen at a steeper angle, and other shapes pass."""
    max_corner_cosine: float = 0.85
    """Largest absolute cosine of a corner's angle. Higher: more slanted quadrilaterals pass as cards."""
    strong_percentile: float = 97.0
    strong_share: float = 0.5
    """The gradient that scores 1 is this share of that percentile of the picture's gradients, and `weak_edge` at least.
    Higher: cards with weak edges score less than print and other objects with strong ones."""
    weak_edge: float = 12.0
    """Gradient of the edge between a white card and the white card below it. Higher: such cards score less and are
    missed; lower: noise scores like an edge."""
    min_edge_score: float = 0.35
    """Mean edge score of the four sides that an outline needs. Higher: cards with weak edges are missed; lower: more
    false outlines to read."""
    worst_side_bonus: float = 0.25
    """Weight of the worst side beside the mean when the best of several outlines is chosen. Higher: outlines of which
    one side lies on print are dropped more often."""
    worst_side_weight: float = 0.25
    """Weight of the worst side in the edge score of an outline that was read; the mean has the rest. Higher: one hidden
    side costs a card more."""
    near: float = 0.5
    """Outlines are compared if their middles are nearer than this, in square roots of the area. Lower: faster, but
    repeated outlines stay."""
    same_card_iou: float = 0.72
    """Of two outlines with a higher IoU only the one with the better edge score is kept. Higher: a card has several
    outlines, slower; lower: cards that nearly cover each other are lost."""
    border_iou: float = 0.9
    """The same if both have strong edges and borders are wanted: a border printed 2 mm inside the card's edge. Higher:
    more repeated outlines; lower: such a border hides the card's edge, or the edge the border."""
    border_edge_scores: tuple[float, float] = (0.9, 0.75)
    """Edge score of all sides and of the worst side above which `border_iou` applies. Higher: fewer borders are
    kept."""
    nested_containment: float = 0.85
    """An outline with more of its area inside a larger one counts as nested in it and is read only if the larger one is
    not. Higher: more print on cards is examined; lower: cards that overlap wait for each other."""
    paper_percentile: float = 75.0
    """Percentile of the grey levels of the cards that were read that counts as paper. Lower: the print counts as well,
    and more of the table seems to be paper."""
    paper_level: float = 0.75
    """Brightness of unread paper relative to that. Higher: cards in a shadow are missed; lower: a light table starts a
    search for rectangles, slower."""
    card_margin_px: int = 2
    """Cards that were read are widened by this before unread paper is searched, pixels. Higher: thin strips of covered
    cards are missed; lower: the rims of inexact outlines count as paper."""
    min_paper: float = 0.3
    """Area of unread paper, in cards, that starts a search for rectangles at a table. Higher: faster, but cards that
    are mostly covered are missed."""
    min_paper_in_single: float = 0.5
    """The same in a single picture. Higher: faster, and outlines on ground as light as the cards are missed."""
    around_point: float = 1.1
    """How far around points rectangles with these points are searched, in diagonals of a card. Higher: slower; lower:
    cards nearer to the camera than the others are missed."""
    refine_side: float = 200.0
    """Outlines are refined in the level where the card is this many pixels long, up to twice. Higher: costs time, gives
    no accuracy."""
    refine_reach: float = 0.035
    """Distance, in short sides, within which a side is moved onto an edge. Higher: may snap to print near the card's
    edge; lower: rough outlines stay rough."""
    edges: EdgeSettings = EdgeSettings()
    fit: FitSettings = FitSettings()
