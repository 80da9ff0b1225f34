"""The thresholds of the face reader, with their units and what happens if they are raised or lowered.

Those of outlines are in `outline_settings` and `covered_settings`, those of indices in `index_settings`;
`ReaderSettings` has all of them.

>>> from dataclasses import replace
>>> strict = replace(DEFAULTS, min_confidence=0.95)
>>> strict.min_confidence, strict.outlines.work_size
(0.95, 1000)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from vision.faces.covered_settings import CoveredSettings
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
class FusionSettings:
    """How the two corners of a card are combined (`score_fusion`). Probabilities are 0 to 1."""

    hidden_prior: float = 0.25
    """Prior of one index being hidden, relative to both showing. Higher: single indices count more, so that more cards
    are read by one index, and more of them wrong."""
    different_prior: float = 0.1
    """Prior of the corners showing two different cards: with 52 cards two corners seldom agree by chance. Higher: less
    confidence if the corners disagree."""
    agreement: float = 0.5
    """Exponent of the product of both corners' probabilities: 1 if their errors were independent, 0.5 if both corners
    always erred together. Higher: two corners that agree count more, so that blurred cards are read with too much
    confidence."""
    agreement_alone: float = 0.75
    """The same for two indices that were found without an outline, each read in three crops."""
    agreement_of_many: float = 0.6
    """Exponent of the product of the probabilities of three or more indices of one card. Higher: German cards, which
    have four, are read in harder light, and more of them wrong."""
    own_weight: float = 0.8
    """Weight of the corner classifier when another net has read the same index. Higher: blurred cards are read with too
    much confidence."""
    second_weight: float = 1.0
    """Weight of that other net. Higher: its mistakes cost cards that the corner classifier reads right."""
    least_probability: float = 1e-4
    """Probability of any card that either net gives at least when both are combined, and of any suit that a pip shows.
    Lower: one net, or one pip, that is certain overrules the others; higher: less confidence in clear cards."""
    unsure: tuple[float, float] = (0.05, 0.995)
    """Confidences of the corner classifier between which the whole card may decide. Wider: slower."""
    unsure_together: float = 0.97
    """Confidence of the two nets together below which the whole card is read as well. Higher: slower."""
    unsure_at_table: tuple[float, float] = (0.3, 0.985)
    """`unsure` at a table, where cards lie on others and are read again: there only their pips are asked. The second
    one is `unsure_together` there, too. A lower first one: the middle pip of a covered three is read as an ace."""
    unsure_alone: float = 0.995
    """Confidence below which a card that was found by its indices alone is also read as a whole. Higher: slower."""
    unsure_covered: float = 0.985
    """The same if it is covered: another net then reads its corners. Higher: slower, and sure cards are lost where that
    net errs; lower: more are wrong."""
    least_pip: float = 0.5
    """Probability from which a place on a card is one of its pips. Higher: fewer cards have pips to confirm their
    suit; lower: parts of court cards count as pips."""
    pip_window: int = 5
    """Side of the window in which only the likeliest place is a pip, cells of 1.6 mm (odd). Larger: small pips close to
    each other count as one; smaller: a large pip counts twice."""
    pips_seen: float = 0.5
    """Fraction of a card's pips that must be seen. Higher: fewer cards are confirmed; lower: pips of other cards on a
    covered one count."""
    ace_mm: float = 6.0
    """Greatest distance of an ace's pip from the middle of the card. Higher: ornaments of an ace count as pips."""
    index_corner_mm: tuple[float, float] = (11.0, 29.0)
    """Part of a card, right and down from a corner, in which a pip belongs to the index, which other nets read. Larger:
    pips beside an index are not counted."""
    pip_weight: float = 1.0
    """Weight of the suit that the shape of a number card's pips shows, beside its indices. Higher: clear indices of
    unusual pips are doubted; lower: blurred clubs are read as spades."""
    small_px_per_mm: float = 1.25
    """Pixels of a card's long side for each of the 88 mm of a poker card, below which the colour of its pips counts as
    well, because their shape blurs. Higher: more blurred clubs are read, and more signs of a fifth suit as a suit of
    that colour; lower: small clubs are taken for diamonds."""
    tinted_pip: float = 0.25
    """How far the brightest channel of pips must exceed the next one, in parts of their ink, so that they are red, blue
    or green. Higher: more blurred hearts are read as spades; lower: tinted shadows make red pips of black ones."""
    black_pip: float = 0.15
    """How far the brightest channel of black pips may exceed the darkest one, in parts of their ink. Higher: red ones
    that have nearly lost their colour count as black; lower: more blurred clubs are read as diamonds."""
    least_ink: float = 0.05
    """Ink, relative to white paper, below which the colour of a pip shows nothing. Lower: the noise of very pale pips
    becomes a colour; higher: the colour of pale pips does not count."""
    least_colour: float = 0.006
    """Difference between the brightest and the darkest channel, relative to the paper, below which a card shows no
    colours; the mean of all its pixels. Higher: black pips of clean pictures show nothing; lower: grey pictures make
    black pips of red ones."""
    dimmest_paper: float = 0.3
    """Brightness of the paper in its darkest channel, relative to its brightest, from which colours count. Higher: in
    warm light they do not; lower: in hazy light of one colour black pips are blue."""
    least_counted: float = 0.8
    """The same as `least_pip`, for pips that are counted. Higher: blurred pips are not counted; lower: parts of court
    cards are."""
    index_column_mm: float = 14.0
    """Pips nearer to a long edge than this are not counted. Higher: pips of some decks are not counted; lower: the suit
    of a jumbo index is."""
    pip_distance_mm: float = 6.0
    """Of two pips nearer to each other one is counted. Higher: small pips count as one; lower: a large one counts as
    two."""
    counted: tuple[float, float, float] = (0.85, 0.05, 0.02)
    """Likelihood of the number counted on a number card if it is right, off by one, or another. More different: a rank
    read from blurred indices is corrected, and cards with unusual pips are not read."""
    pips_on_courts: tuple[float, ...] = (0.15, 0.15, 0.25, 0.15, 0.1, 0.06, 0.04, 0.03, 0.02)
    """Likelihood that so many pips, from none on, are counted on a court card; the last for more. Higher: court cards
    are distinguished from number cards by their indices alone; lower: unusual pips make number cards of them."""
    counted_on_none: float = 0.05
    """The same for an outline that is not that of a card, or of two. Higher: blurred indices are not read."""
    whole_rank: float = 0.2
    """Weight of the rank that the net for whole cards reads, beside the indices and the pips, which it sees as well.
    Higher: cards with unusually placed pips are doubted; lower: number cards without a legible index are not read."""
    whole_suit: float = 1.0
    """Weight of the suit that it reads. Higher: the nets that read the indices count less; lower: blurred clubs are
    read as spades."""
    court_suit: float = 0.1
    """The same on court cards, which have two pips at most: the net sees little more than their indices, which others
    have read. Higher: blurred kings of clubs are read as spades; lower: fewer court cards are read."""
    whole_none: float = 1.0
    """Weight of what it says against an outline being no card, or several. Higher: outlines that it takes for a card
    are trusted more; lower: cards that something covers are not read."""
    no_card: float = -0.5
    """Added to the logarithm of the likelihood of no card. Higher: fewer cards are read, also where the net is sure of
    one, and fewer of a fifth suit."""
    min_alternative: float = 0.01
    """Probability from which another card is reported as an alternative. Higher: fewer alternatives."""
    max_alternatives: int = 3
    """Alternatives reported. Higher: the rules have more cards to choose from if the face cannot be right."""


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
    min_confidence_alone: float = 0.9
    """Cards that are read by their indices alone are reported from it. Higher: fewer; lower: more are wrong."""
    least_black_alone: tuple[float, float] = (0.95, 0.97)
    """The same for spades and clubs that were unsure until another net read them as well. Higher: fewer covered black
    cards are read; lower: spades and clubs in hard light are read as each other."""
    least_seen: float = 0.1
    """Probability that a corner shows a card from which that other net counts. Higher: fewer mistakes are found; lower:
    cards with large indices, or seen from the side, are lost, because their corners are not where they seem to be."""
    least_covered: float = 0.6
    """In a single picture, confidence of its indices below which a covered card is not reported, whatever another net
    reads in its corners. Higher: fewer in hard light are read; lower: more are wrong, and slower."""
    least_court_index: float = 0.75
    """In a single picture, confidence of its indices alone below which a court card is not reported, whatever its whole
    picture shows. Higher: fewer blurred ones are read; lower: kings and queens are read as each other."""
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
    min_confidence_free: float = 0.98
    """Confidence from which a card that was read by one index counts before others, if no card is near to that index.
    Higher: half an index counts before the whole one opposite it; lower: misread indices count before right ones."""
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
    exact_size_one_index: float = 0.08
    """Relative difference from the known size above which a card that was read by one index alone is ignored, because
    its outline is wrong. Higher: half of an index is read as another card; lower: covered cards are lost where the
    scale is not the same everywhere."""
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
"""The values that the measurements in docs/reading.md were made with."""
