"""The thresholds by which indices are found, read and joined to cards, with their units and effects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How indices are located without outlines (`index_detector`). Heights are from the rank's top to the suit's foot.

    The net was trained on heights of 13 to 34 pixels; other heights are covered by scaling the picture.
    """

    min_height: float = 12.0
    """Smallest index height that is accepted at one scale, pixels. Lower: finds smaller indices, but less surely."""
    max_height: float = 38.0
    """Largest index height that is accepted at one scale, pixels. Higher: fewer levels are needed, but the net knows
    such heights less well."""
    min_score: float = 0.25
    """Lowest score (0 to 1) of a detection. Higher: faster, but half covered indices are missed."""
    max_detections: int = 160
    """Detections returned, best first. Lower: faster, but indices in a crowded picture are lost."""
    min_distance: float = 0.22
    """Distance between two detections, in index heights; of nearer ones the better is kept. Lower: one index is read
    several times."""
    enlarge_to: int = 1_500_000
    """A picture with fewer pixels is enlarged, at most twofold, to find small indices. Higher: finds smaller ones,
    slower."""
    search_range: tuple[float, float] = (0.45, 2.2)
    """A level is searched if some wanted height there is below `min_height` times the second and above `max_height`
    times the first number. Wider: more levels, slower."""
    enlarge_margin: float = 1.3
    """If the least height is known, the picture is enlarged until that is this many times `min_height`. Higher: small
    indices are found more surely, slower."""
    min_enlargement: float = 1.25
    """Factor below which a picture is not enlarged. Lower: slower for little gain."""
    min_level_side: int = 64
    """Levels with a shorter side, in pixels, are not searched. Higher: an index that fills the picture is missed."""
    band_rows: int = 320
    """Rows that the net processes at a time, about: the bands of a picture are equal. Higher: more memory; lower: more
    rows are computed twice."""
    band_margin: int = 32
    """Extra rows above and below a band: the net's receptive field. Lower: indices at a band's edge are missed;
    higher: slower."""
    gate_score: float = 0.3
    """Score of the gate (0 to 1) from which the net looks at a place (`detector_gate`). Higher: faster, and unusual
    indices are missed."""
    gate_margin: int = 16
    """Pixels around such a place that the net sees as well, a multiple of 8. Lower: faster, and indices are located
    less accurately."""
    part_cost: int = 4000
    """What an additional part of a picture costs, in pixels. Higher: fewer and larger parts."""
    most_in_parts: float = 0.8
    """If the parts with their margins are more than this share of the picture, the net looks at all of it.
    Higher: many small parts, slower; lower: parts that need not be looked at."""


@dataclass(frozen=True, slots=True)
class IndexReaderSettings:
    """How detected indices are read (`index_reader`). Probabilities are 0 to 1."""

    min_probability: float = 0.3
    """Detections that show an index with a lower probability are dropped. Higher: faster, fewer cards; lower: more
    wrong readings to sort out."""
    height_mm: tuple[float, float] = (10.0, 28.0)
    """Heights of printed indices, millimetres. Wider: more decks are read, more print is taken for an index, slower."""
    size_ratio: float = 1.5
    """Covered cards are at most this many times smaller than the outlined ones. Higher: cards farther from the camera
    are found, slower."""
    coarse_factor: float = 2.4
    """Without a scale, indices higher than this many times the detector's `min_height` are searched first. Lower: the
    first, fast search covers more but takes longer."""
    fine_factor: float = 0.9
    """The second, slow search covers indices up to this share of the detector's `max_height`. Higher: less is missed
    between the two searches, slower."""
    extra_turns: tuple[float, ...] = (0.11, -0.11)
    """Each index is read again rotated by these angles, radians. Other things seldom look the same three times. More or
    larger: fewer false indices, slower, and slanted ones are lost."""
    extra_zoom: float = 0.92
    """Height of the crop of those extra readings, relative to the first. Farther from 1: fewer false indices, and more
    true ones are lost."""
    sure: float = 0.95
    """An index read with this confidence is not searched nearby, and fixes the scale for the second search. Higher:
    slower; lower: a misreading may fix the wrong scale."""
    shifts: tuple[tuple[float, float], ...] = ((1.3, 0.0), (0.77, 0.0), (1.0, 0.17), (1.0, -0.17))
    """Nearby poses tried for an uncertain index: height factor, and shift down in heights. Very large indices, and long
    ranks with a small suit, are located less accurately. More: more of them are read, slower."""
    min_score_to_shift: float = 0.3
    """Detector score (0 to 1) from which nearby poses are tried. Lower: more indices are read, slower."""
    min_probability_to_shift: float = 0.003
    """Probability of the first reading from which nearby poses are tried. Higher: faster, and indices that are located
    very inaccurately are lost; lower: more places without an index are read again."""
    certain: float = 0.995
    """A first reading with this probability is not repeated rotated. Lower: faster, and more false indices."""
    min_shifted: float = 0.5
    """Probability from which a reading at a nearby pose is considered; a first reading below it may be replaced.
    Higher: fewer indices are corrected; lower: more wrong corrections."""
    half_width: float = 0.18
    """Half of an index's width, in its heights; an index that the picture's edge may cut is not read. Higher: whole
    indices beside the edge are lost; lower: cut ones are read, and wrongly."""
    paper_around: float = 0.05
    """Paper that must be in the picture around an index, in its heights. Higher, lower: as above."""
    middle_mm: tuple[float, float] = (2.5, 11.5)
    """Distance of an index's middle from the card's left side, millimetres, that fits an outline. Wider: more decks
    fit, and an index may be assigned to the outline of its neighbour."""
    top_mm: tuple[float, float] = (-2.0, 9.0)
    """Distance of a rank's top from the card's upper side, millimetres, that fits an outline; jumbo indices are often
    located a sixth too high, so that they seem to begin above it. Wider: as above."""
    height_error: float = 1.35
    """Factor by which a detected height may be wrong. Higher: more outlines fit an index, right and wrong."""
    min_upright_cosine: float = 0.96
    """Cosine of the angle between an index and the card's long side. Higher: true outlines are refused if the index was
    located inaccurately; lower: outlines of other cards fit."""
    max_slant: float = 1.6
    """Factor by which perspective may change a card's aspect ratio. Higher: the camera may look at a steeper angle;
    outlines of half cards fit."""


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """How indices that were found alone are joined to cards (`card_assembly`)."""

    height_mm: float = 16.0
    """Height of an index if nothing else gives the scale; decks have 10 to 22. Higher: the estimated outlines become
    smaller."""
    left_mm: float = 6.0
    """Distance of an index's middle from the card's left side, millimetres. Higher: estimated outlines move left."""
    top_mm: float = 3.4
    """Distance of the rank's top from the card's upper side, millimetres. Higher: estimated outlines move up."""
    max_height_ratio: float = 1.7
    """Ratio of the heights of two indices of one card, in perspective. Higher: cards at different distances from the
    camera are joined; lower: a card seen at an angle counts as two."""
    max_opposite_cosine: float = -0.8
    """Cosine of the angle between the two opposite indices of a card. Higher: indices of two cards are joined; lower:
    cards seen at an angle count as two."""
    min_parallel_cosine: float = 0.85
    """Cosine of the angle between two indices at the same end of a card. Higher: cards seen at an angle count as two;
    lower: indices of two cards are joined."""
    same_index: float = 0.3
    """Two readings nearer to each other than this, in index heights, are of one index. Higher: an index of a card that
    lies close below is dropped; lower: one index counts as two cards."""
    same_index_cosine: float = 0.5
    """Cosine of the angle between such readings. Higher: a reading at a wrong angle counts as another card."""
    opposite_right: tuple[float, float] = (0.9, 7.5)
    opposite_down: tuple[float, float] = (1.4, 9.0)
    """Offset of the opposite index, to the right and down as the first one reads, in index heights. Wider: more decks
    fit, and equal indices of two cards are joined."""
    opposite_slope: tuple[float, float] = (0.3, 2.2)
    """Ratio of those two. Wider: as above."""
    beside: tuple[float, float] = (1.2, 4.6)
    """Distance of two indices at the same end of a card, in index heights. Wider: as above."""
    below: tuple[float, float] = (1.7, 6.5)
    """Distance of two indices on the same side of a card, at different ends, in index heights. Wider: as above."""
    max_skew: float = 0.45
    """How far the second of those may lie out of line, as a share of the distance. Higher: as above."""
    index_margin: float = 0.25
    """How far an index's middle may lie outside the outline of its card, in index heights. Higher: an index of the card
    below is taken for the upper card's own and dropped; lower: indices of a card with a rough outline count as further
    cards."""
    near_card: float = 0.4
    """How far from another card an index may be, in index heights, and yet be half covered by it. Higher: whole indices
    beside a card count as half covered; lower: half an index counts before a whole one."""


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """How the table learns where a deck prints its indices (`index_places`).

    Lengths are card units: millimetres on a card that is scaled to poker size.
    """

    pair_mm: float = 4.0
    """How far the two opposite indices of a card may differ in their distance from their corners: an outline that lies
    x beside its card makes them differ by 2 x. Higher: rougher outlines are used; lower: cards whose indices are
    located inaccurately are not read."""
    height_ratio: float = 1.4
    """The same for their heights, as a ratio. Higher: print is taken for an index; lower: cards are missed."""
    exact_height_ratio: float = 1.2
    """Ratio of an index's height to the height that the deck prints, if the index is to count although the corners of
    its outline show another card. Higher: inaccurately located indices do; lower: more cards are laid again."""
    min_upright_cosine: float = 0.96
    """Cosine of the angle between an index and the card's long side. Higher: indices that were located inaccurately do
    not count; lower: indices of other cards do."""
    pair_cosine: float = 0.88
    """The same for two equal indices opposite each other, whose places prove that they belong to the card. Higher: a
    pair with one that was located inaccurately does not count; lower: indices of other cards do."""
    right_reach: float = 0.6
    """How far from an index on the right of a card, in a deck with four, a reading of another card is still taken for
    it, in heights: it may be half covered. Higher: indices of cards on it are lost; lower: misreadings are reported."""
    margin_mm: float = 1.5
    """How far an index may seem to stand beyond the card's edge. Higher: indices of neighbouring cards count."""
    same_card_iou: float = 0.5
    """Two pairs of one face in outlines with a higher IoU are one card with four indices. Lower: one of two equal cards
    that overlap is lost."""
    min_cards: int = 2
    """Different cards on which an index must have been seen in a place before a single index there counts. Higher: the
    first covered cards are not read; lower: one misreading teaches a wrong place."""
    near_mm: float = 2.5
    deviations: float = 3.0
    max_near_mm: float = 4.0
    """An index is in a known place within `deviations` standard deviations of it, at least `near_mm` and at most
    `max_near_mm`. Higher: an index may be assigned to a neighbour's outline; lower: covered cards are missed."""
    max_samples: int = 100
    """Indices that count for the mean and the spread of a place. Higher: more exact, slower."""
    usual_size: float = 0.04
    """Relative difference within which a measured size of a card is poker, bridge or miniature size. Higher: other
    sizes are rounded to them; lower: the size is as inexact as the measurement."""
    other_size: float = 0.12
    """Relative difference from poker size above which another measured size counts: a border printed 3 mm inside the
    card's edge is 10 % smaller. Lower: such a border is taken for the card's edge."""
    sizes: tuple[float, float] = (0.6, 1.3)
    """Least and greatest width and height of a card, relative to poker size. Wider: more print and other things are
    examined until the size is known."""
    min_cards_judged: int = 5
    """Different cards that must have been read before the deck is said to suit badly. Higher: said later."""
    deep_mm: tuple[float, float] = (15.0, 22.0)
    """A deck suits badly if the middles of its indices are farther from the long and from the short edge: the next card
    of a trick covers them. Higher: said of fewer decks."""
    whole_overlap: float = 0.05
    """A card lies alone if no other card has more of its area in common. Higher: an index of a card that lies on it
    may count for it."""
    min_confidence_learnt: float = 0.98
    """Confidence from which a card teaches where its indices stand and how large it is. Lower: learned faster, and
    misreadings teach wrong places."""
    min_confidence_around: float = 0.98
    """Confidence from which one index in a known place shows the outline of its card. Lower: half covered indices are
    read as other cards; higher: covered cards are laid again."""
    min_confidence_whole: float = 0.95
    """Confidence from which the only index of a card that lies alone counts wherever it stands. Lower: more cards of
    decks with one index are read, more of them wrong."""
    sure_whole: float = 0.98
    """Confidence of that index from which an unsure index of another card in the outline does not count. Higher: first
    cards of framed decks are laid again; lower: more are wrong."""
    min_confidence_against: float = 0.9
    """Confidence below which that other index is unsure. Higher: more cards are wrong; lower: first cards of framed
    decks are laid again."""
