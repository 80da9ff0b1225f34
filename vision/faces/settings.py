"""The thresholds of the face reader, with their units and what happens if they are raised or lowered.

Those of each step are in `covered_settings`, `fusion_settings`, `index_settings`, `outline_settings` and
`rectangle_settings`; `ReaderSettings` has all of them.

>>> from dataclasses import replace
>>> strict = replace(DEFAULTS, min_confidence=0.95)
>>> strict.min_confidence, strict.outlines.work_size
(0.95, 1000)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from vision.faces.covered_settings import CoveredSettings
from vision.faces.fusion_settings import FusionSettings
from vision.faces.index_settings import AssemblySettings, DetectorSettings, IndexReaderSettings, PlaceSettings
from vision.faces.outline_settings import OutlineSettings
from vision.faces.rectangle_settings import RectangleSettings


@dataclass(frozen=True, slots=True)
class PyramidSettings:
    """How a picture is halved, and which of the levels crops are taken from (`pyramid`)."""

    min_side: int = 400
    """A level is halved while its shorter side has at least this many pixels. Higher: fewer levels, so that the crops
    of large cards alias; lower: more levels, for little gain."""
    max_downscale: float = 1.7
    """A crop is sampled from a level at most this many times finer than the crop. Higher: thin strokes alias; lower:
    crops lose detail."""


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """All thresholds of `FaceReader`; its own are about which readings are reported. Confidences are 0 to 1."""

    min_confidence: float = 0.91
    """In a single picture, outlined cards below it are not reported. Lower: more cards, more of them wrong."""
    min_confidence_at_table: float = 0.85
    """The same at a table, where a card is read again. Higher: cards are counted later, or laid again."""
    min_candidate: float = 0.4
    """Confidence of the corner classifier alone from which an outline is a candidate, to be confirmed by the indices
    that are found without outlines. Higher: cards that only both together are sure of are lost; lower: slower, and more
    false outlines hide cards."""
    min_candidate_at_table: float = 0.6
    """The same at a table. Lower: cards that lie under others are read wrongly."""
    other_suit: float = 0.7
    """If another net reads another suit with so much confidence, on average, in the corners of a card whose suit the
    whole card had to show, it is not reported, unless the whole card surely shows it (`least_suit_evidence`). Higher:
    more blurred cards, more of them wrong."""
    sure_spade: float = 0.9
    """Probability by its index, of two nets on average, or of one if only one has read it, from which a number card
    read as a spade counts, whatever its pips show. Higher: fewer blurred spades are read; lower: more clubs are read as
    spades."""
    half_sure_spade: float = 0.83
    """Probability from which half of the evidence of its pips is enough, for a card read by its indices alone. Higher:
    fewer blurred spades are read; lower: more clubs are read as spades."""
    least_suit_evidence: float = 6.5
    """Logarithm of the likelihood ratio from which the whole card surely shows the suit of a number card and not
    another one. Higher: fewer blurred spades, and cards that two nets read in two suits, are read; lower: more of them
    are wrong."""
    min_confidence_alone: float = 0.85
    """In a single picture, cards that are read by their indices alone are reported from it. Higher: fewer; lower: more
    are wrong."""
    min_confidence_alone_at_table: float = 0.9
    """The same at a table, where a card is read again. Higher: cards are counted later, or laid again; lower: more of
    them are wrong."""
    least_covered: float = 0.6
    """In a single picture, confidence of its indices below which a card that does not lie in full is not reported,
    whatever the corner classifier reads in its corners. Higher: fewer are read in hard light; lower: more are wrong,
    and slower."""
    least_seen: float = 0.5
    """In such a corner, probability of all cards together up to which the corner classifier counts as seeing no index;
    the corner is then ignored. Higher: fewer mistakes are found; lower: cards with large indices, or seen from the
    side, are lost, because their corners are not where they are extrapolated to be."""
    least_spade_covered: float = 0.92
    """Least confidence to which the corner classifier must raise a spade that does not lie in full; a smaller rise is
    ignored. Higher: fewer covered spades are read; lower: clubs in hard light are read as spades."""
    least_club_covered: float = 0.97
    """The same for clubs. Lower: spades in hard light are read as clubs."""
    least_court_index: float = 0.75
    """In a single picture, confidence of its indices alone below which a court card that lies in full is not reported,
    whatever its whole picture shows. Higher: fewer blurred ones are read; lower: kings and queens are read as each
    other."""
    least_spade_court: float = 0.94
    """In a single picture, confidence below which a court card of spades in French decks, lying in full and known by
    its indices alone, is not reported: a blurred club looks like it, and no pips show the suit. Higher: fewer of them
    are read; lower: blurred clubs are read as spades."""
    least_black_court: float = 0.96
    """In a single picture, black court cards of French decks do not count by their outline below it; their indices
    alone may still show them. Higher: fewer of them are read; lower: blurred clubs are read as spades."""
    min_confidence_other_suit: float = 1.01
    """In a single picture, confidence from which an index of a number card counts although the corner classifier reads
    another suit there; above 1 none does. Lower: more cards are read in hard light, among them spades as clubs."""
    min_confidence_new_place: float = 0.96
    """At a table, confidence from which two equal indices count in a place in which the deck is not known to print any.
    Higher: the first cards of decks with unusual indices are laid again; lower: small ones are read wrongly."""
    min_confidence_disputed: float = 0.95
    """At a table, confidence from which an index counts although the corners of its outline seem to show another card.
    Higher: more cards of unusual print are laid again; lower: more are read wrongly."""
    min_confidence_opposite: float = 0.98
    """In a single picture, confidence from which a card counts although a surer one was read by one index, opposite
    in its outline, which may span two cards. Higher: of two cards side by side one is lost; lower: misreadings are
    reported beside the card that lies there."""
    min_confidence_free: float = 0.95
    """Confidence from which a card that was read by one index counts before others, if no card is near to that index.
    Higher: half an index counts before the whole one opposite it; lower: misread indices count before right ones."""
    min_confidence_same_end: float = 0.99
    """At a table, confidence from which a card counts although another one of its suit or rank was read in the other
    corner of the same end of about the same outline, as in decks with four indices. Higher: cards in rows are lost;
    lower: half of an index is reported as another card."""
    half_index_margin_mm: float = 4.0
    """In a single picture, how far outside a card's outline the middle of another reading's index may lie and the two
    still be one card, if their outlines are about the same; millimetres on a card of poker size. Higher: cards beside
    others are lost; lower: half of an index is reported as another card."""
    min_edge_score_alone: float = 0.5
    """At a known scale, lowest edge score of their outline: the tracker follows a card by its outline. Higher: fewer
    covered cards; lower: more outlines in a wrong place."""
    size_tolerance: float = 1.2
    """Factor by which a card's sides may differ from the table's scale. Higher: decks of other sizes are read, and
    boxes printed on cards pass as cards."""
    most_uneven: float = 1.2
    """How many times the longer of two opposite sides of an outline at a table may be as long as the other. Higher: the
    edges of two cards pass as one, with a wrong index; lower: cards near a camera that looks from the side are lost."""
    exact_size: float = 0.05
    """Relative difference from the known size above which an outline at a table has a side on the edge of another card.
    Higher: covered cards are lost; lower: slower."""
    exact_size_one_index: float = 0.112
    """Relative difference from the known size above which a card that was read by one index alone is ignored, because
    its outline may be wrong. The tracker does not correct scales that differ by up to `max_distortion` (d): this
    limit must exceed 1 / (1 - d) - 1. Higher: half of an index is read as another card; lower: covered cards are lost
    where the scale is not the same everywhere."""
    max_landscape_ratio: float = 3.0
    """An outline less elongated than this is also read sideways: perspective may make a card's long side appear as the
    shorter one. Higher: more cards seen at a steep angle are read, slower."""
    border_share: float = 0.012
    """A side nearer to the picture's border than this, in long sides of the card, may be where the picture ends and not
    the card: the indices at it are not read. Higher: whole cards beside the border are lost; lower: cut indices are
    read, and wrongly."""
    border_share_at_table: float = 0.03
    """The same at a table, where a part of the frame is read, and an outline may end a little before the part does.
    Higher: cards beside the edge of the frame are lost; lower: cut indices are read, and wrongly."""
    same_outline_iou: float = 0.94
    """Of several outlines with a higher IoU only the first is read. Higher: slower; lower: a better outline may be
    skipped."""
    edge_offset: float = 0.3
    """Of contradictory cards, that with more confidence * (edge score + this) is kept. Higher: the edge score counts
    less, and the confidence more."""
    same_face_iou: float = 0.05
    """Two outlines that show the same face and have a higher IoU are one card. Higher: a card is reported twice; lower:
    one of two equal cards that touch is lost."""
    same_card_iou: float = 0.8
    """Two outlines with a higher IoU are one card, whatever they show. Higher: a card is reported with two faces;
    lower: cards that nearly cover each other are lost."""
    covered_iou: float = 0.6
    """IoU above which the lower card's index cannot be visible, so that only the more certain of the two is kept.
    Higher: more false outlines stay; lower: true cards in a fan are dropped."""
    repeated_iou: float = 0.1
    """A card read by its indices is dropped if an outline with its face has a higher IoU. Higher: a card is reported
    twice; lower: one of two equal cards that overlap is lost."""
    inside_card: float = 0.6
    """An outline with more of its area inside a card that was read is print on that card. Higher: print is read as a
    card; lower: cards that lie on another are missed."""
    printed_containment: float = 0.9
    """A smaller outline with more of its area inside a card is a printed border, if the next two hold as well. Higher:
    more borders are reported as cards."""
    printed_area: float = 0.75
    """Largest area of a printed border, in areas of the card. Lower: more borders are reported as cards."""
    printed_offset: float = 0.1
    """Largest distance between the middles of border and card, in long sides. Lower: more borders are reported as
    cards; higher: small cards that lie on another are lost."""
    index_mm: tuple[float, float] = (6.0, 11.0)
    """Typical middle of an index from the card's corner, millimetres right and down. Farther from a deck's own:
    misreadings of its indices are reported as further cards."""
    same_index_mm: float = 8.0
    """Two indices nearer to each other than this, millimetres, are one. Higher: a card close to another is lost; lower:
    a wrong outline beside a card is reported."""
    corner_reach: float = 0.35
    """An index of another rank this near to an expected index, in heights, is a misreading of that one. Higher: indices
    of cards below are lost; lower: misreadings are reported."""
    corner_reach_same_rank: float = 0.8
    """The same for an index of the same rank and another suit."""
    card_mm: tuple[float, float] | None = None
    """Width and height of the cards at the table, millimetres; None for poker size, until cards of another size are
    seen (`card_size`). Larger or smaller than the cards: they are not read."""
    pyramid: PyramidSettings = PyramidSettings()
    outlines: OutlineSettings = field(default_factory=OutlineSettings)
    covered: CoveredSettings = field(default_factory=CoveredSettings)
    rectangles: RectangleSettings = field(default_factory=RectangleSettings)
    detector: DetectorSettings = field(default_factory=DetectorSettings)
    indices: IndexReaderSettings = field(default_factory=IndexReaderSettings)
    assembly: AssemblySettings = field(default_factory=AssemblySettings)
    fusion: FusionSettings = field(default_factory=FusionSettings)
    places: PlaceSettings = field(default_factory=PlaceSettings)


DEFAULTS: Final = ReaderSettings()
"""The values that the measurements in docs/explanation/reading.md were made with."""
