"""The thresholds by which covered cards are moved onto those of their edges that can be seen, with their units."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far and how finely an outline is moved and turned. All lengths are millimetres of a card."""

    step_mm: float
    """Distance of the places that are examined across a side. Higher: faster, less exact."""
    shift_mm: float
    """Largest movement of a side. Higher: rough outlines find their edges, and edges of other cards count."""
    turn: float
    turn_step: float
    """Largest turn, and the step between turns, degrees. Higher: the same; with a higher step faster, less exact."""
    gap_mm: float
    strip_mm: float
    """Distance of the two strips beside an edge from it, and their width. Higher: less noise, less exact, and print
    inside and cards beside the edge count as well."""
    widened: int
    """Steps to either side of an edge that count as the edge, too; 0: only the steps beside a dark line between two
    papers do. Higher: coarse steps miss no edge; lower: more exact."""


@dataclass(frozen=True, slots=True)
class CoveredSettings:
    """How the outline of a card is completed from the edges of it that are not covered (`visible_edges`).

    Brightness is relative to the paper around the card's index; lengths are millimetres of the card; evidence for an
    edge is 0 to 1 at each place, and 0 to 4 for four sides.
    """

    part: tuple[float, float] = (0.05, 0.95)
    """Part of each side that is examined. Wider: rounded corners count as missing edges."""
    samples: int = 24
    """Places examined along each side. Higher: more exact, slower."""
    drop: float = 0.3
    """How much darker the ground must be than the paper for full evidence. Higher: shadows count less, and so do light
    tables."""
    line: float = 0.05
    line_weight: float = 0.7
    """Between two papers a line that is darker by the first is evidence of the second. Higher, lower: cards on white
    cards have no edges; lower, higher: noise and print are edges."""
    paper: tuple[float, float] = (0.6, 1.6)
    """Brightness of the paper inside an edge. Wider: shadows on the card do no harm; the table counts as paper."""
    coarse: SearchSettings = SearchSettings(0.5, 4.0, 8.0, 1.0, 0.5, 1.25, 1)
    fine: SearchSettings = SearchSettings(0.25, 1.0, 1.5, 0.25, 0.25, 0.75, 0)
    """Two searches for the whole card, one after the other."""
    sides: SearchSettings = SearchSettings(0.25, 2.0, 3.0, 0.5, 0.5, 1.25, 0)
    """The second search for each side by itself; the first is `coarse`."""
    turn_price: float = 0.15
    shift_price: float = 0.15
    scale_price: float = 0.1
    """Evidence that the largest turn, shift and change of size cost. Higher: outlines stay where they are; lower: they
    move to stronger edges of other cards."""
    scale: float = 0.02
    scale_unknown: float = 0.12
    """Largest change of size, if another card in the picture shows how large cards are, and if none does. Higher:
    edges of other cards are taken for the far side."""
    scales: int = 9
    """Sizes that are tried, odd. Higher: more exact, slower."""
    squashed: tuple[float, ...] = (1.0, 0.8, 0.65)
    enlarged: tuple[float, ...] = (1.1, 0.8, 0.6)
    """If no outline lies on edges: the heights, relative to its width, at which the camera may show a square on the
    table, and the sizes of a card relative to a usual one with such an index. More: flatter views and larger indices
    are understood, slower."""
    max_measures: int = 3
    """Cards from which such outlines are tried. Higher: a card in full is found more often, slower."""
    max_measured: int = 5
    """Cards by which they are compared. Higher: the best one is chosen more often, slower."""
    measure_loss: float = 1.0
    """How much less evidence for these cards a measure may give than their indices alone. Higher: wrong measures
    count; lower: right ones do not."""
    askew: float = 0.2
    other_shape: float = 1.05
    """Two cards at an angle with at least this sine may have a shape other than a poker card's, if one of them seems
    longer or shorter than that by at least this factor. Lower: more outlines to compare, slower; higher: narrow cards
    that lie across each other are outlined wrongly."""
    least_like: float = 1.0
    """Below this evidence, the outline that another card gives is compared with two more: that of the card's index
    alone, and that of a card whose only index is at its upper right. Higher: slower; lower: those are outlined
    wrongly."""
    other_gain: float = 0.75
    """Evidence by which those must be better. Higher: cards at another distance or held in a hand are outlined like the
    others; lower: edges of other cards count."""
    gain: float = 0.1
    least_support: float = 1.0
    """Evidence by which a moved outline must be better than the present one, and that it must have. Higher: rough
    outlines stay; lower: exact ones are moved onto print, above all on ground as light as the paper."""
