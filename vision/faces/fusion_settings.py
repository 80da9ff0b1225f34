"""The thresholds and weights with which `score_fusion` combines what several nets read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """How the readings of several nets, the pips and the whole card are combined (`score_fusion`).

    Probabilities are 0 to 1.
    """

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
    """Weight of the net that read the card first when another one has read the same index: of the corner classifier in
    an outline, of that for indices anywhere otherwise. Higher: blurred cards are read with too much confidence."""
    second_weight: float = 1.0
    """Weight of the other of the two. Higher: its mistakes cost cards that the first one reads right."""
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
    """Confidence below which a card that was found by its indices alone, and lies in full, is also read as a whole.
    Higher: slower."""
    unsure_covered: float = 0.985
    """Confidence below which the corner classifier also reads a card that does not lie in full. Higher: slower, and
    sure cards are lost where that net errs; lower: more are wrong."""
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
