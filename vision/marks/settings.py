"""The thresholds of the readers of marks, with their units and what happens if they are raised or lowered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MODULES: Final = 6
"""Modules per side of an ArUco mark, including its dark border."""


@dataclass(frozen=True, slots=True)
class SquareSettings:
    """How the edges of a square code are refined and its modules measured (`square_codes`)."""

    edge_part: tuple[float, float] = (0.12, 0.88)
    """Part of each edge that is measured, as shares of its length. Wider: the corners, where two edges mix, tilt it."""
    edge_samples: int = 9
    """Profiles taken across each edge. Higher: more accurate, slower."""
    profile_samples: int = 15
    """Points of each profile. Higher: more accurate, slower."""
    reach_modules: float = 0.9
    reach_px: tuple[float, float] = (1.5, 4.0)
    """Distance within which an edge is moved, in modules, but at least and at most these pixels. Higher: rougher quads
    are refined, and the modules inside may be taken for the edge."""
    outlier_px: float = 0.6
    outlier_modules: float = 0.25
    """A point farther than both from the typical position of its edge is ignored, pixels and modules. Higher: something
    that covers part of an edge bends it; lower: noise decides which points count."""
    max_move: float = 2.0
    """Largest movement of a corner, in reaches; a quad that would move farther stays as it was. Higher: quads without
    edges become wild; lower: rough ones are not refined."""
    min_move_reach_px: float = 2.0
    """Smallest reach that counts there, pixels. Higher: as above for small codes."""
    sample_spacing: float = 0.27
    """Distance between the points at which a module is measured, in modules. Higher: neighbouring modules mix in."""


@dataclass(frozen=True, slots=True)
class ArucoSettings:
    """The thresholds of the ArUco reader. Correlations are -1 to 1, grey levels 0 to 255."""

    min_side_px: float = 1.6 * MODULES
    """Side of the smallest mark that is searched, pixels. Smaller: slower, and modules cannot be distinguished."""
    min_correlation: float = 0.93
    """Correlation of a mark with its pattern. Higher: more worn or blurred marks are missed; lower: more false
    marks."""
    min_lead: float = 0.05
    """Difference to the correlation with any other pattern. Higher: more blurred marks are missed; lower: more marks
    are misread."""
    misread_margin: float = 0.01
    """A mark with a correlation this much lower, at the place of a card's other mark, is that mark, half covered.
    Higher: half covered marks are reported as other cards; lower: one of two cards that touch may be lost."""
    expected_side: float = 0.6
    """At a known scale, sides shorter than this share of a mark's are ignored. Higher: faster, but marks on cards seen
    at an angle are missed."""
    candidate_side: float = 0.8
    """Share of the smallest side from which a square is examined: a contour lies inside the mark's edge. Higher: marks
    of the smallest size are missed; lower: slower."""
    min_box_side: float = 0.5
    """Shorter side of a contour's bounding box, in smallest sides. Higher: faster, but marks seen at an angle are
    missed."""
    max_side_ratio: float = 2.0
    """Ratio of the longest to the shortest side. Higher: marks may be seen at a steeper angle, slower."""
    corner_tolerance: float = 0.06
    """Accuracy of the four corners of a contour, as a share of its length. Higher: round shapes pass as squares,
    slower; lower: squares with ragged edges are missed."""
    min_dark_border: float = 0.9
    """Share of the border's modules that must be dark. Higher: partly covered marks are missed; lower: slower."""
    same_place: float = 0.5
    """Two marks nearer to each other than this, in sides, are one. Higher: of two equal cards that touch one is lost;
    lower: one mark may count twice."""
    second_mark: float = 0.8
    """Distance of a mark from the place of a card's second mark up to which it is that mark, in sides. Higher: marks of
    two equal cards are joined; lower: a card seen at an angle counts as two."""
    confidence_both: float = 0.9999
    """Confidence of a card of which both marks are visible. Lower: outvoted more easily by other readings."""
    sure_correlation: float = 0.95
    confidence_sure: float = 0.999
    confidence_unsure: float = 0.99
    """A card with one visible mark is read with `confidence_sure` above this correlation, with `confidence_unsure`
    below. Higher correlation, lower confidences: single marks are outvoted more easily by other readings."""
    min_contrast: float = 20.0
    """Difference between dark and light modules, grey levels. Higher: marks in poor light are missed; lower: slower."""
    smooth_px: int = 3
    """Side of the window of the blur before that threshold, pixels (odd). Higher: small marks are missed; lower: noise
    causes many small outlines, slower."""
    window_px: int = 13
    """Side of the window of the adaptive threshold, pixels (odd). Higher: small marks are missed; lower: the borders of
    large ones break."""
    darker: int = 12
    """Grey levels by which dark pixels are darker than the mean of the window. Higher: marks in poor light are missed;
    lower: noise causes many small outlines, slower."""
    blurs: tuple[float, ...] = (0.0, 0.2, 0.35, 0.5, 0.65)
    """Blurs of the patterns that are compared, standard deviations in modules. More: marks out of focus are read,
    slower to start."""
    blur_px: float = 0.95
    """Blur of lens and sensor, standard deviation in pixels: selects the pattern for the size of a mark. Farther from
    the camera's own: small marks are missed."""
    squares: SquareSettings = SquareSettings()


@dataclass(frozen=True, slots=True)
class QrSettings:
    """The thresholds of the QR reader. Modules are those of a code of version 1, 21 per side."""

    confidence: float = 0.9999
    """Confidence of every reading: QR codes have error detection, so that a wrong text is almost impossible. Lower:
    outvoted more easily by other readings."""
    small_module_px: float = 3.4
    """Codes with fewer pixels per module are read in an enlarged picture. Higher: slower; lower: more small codes are
    missed."""
    min_module_px: float = 1.0
    """Codes with fewer pixels per module, along their shortest side, are ignored. Higher: codes seen at an angle are
    missed; lower: more false codes."""
    margin: float = 0.25
    """Surroundings of an unreadable code that are enlarged with it, in sides. Higher: slower; lower: a code that was
    located roughly is cut off."""
    same_place: float = 0.5
    """Two codes with one text, nearer to each other than this, in sides, are one. Higher: of two equal cards that touch
    one is lost; lower: one code counts twice."""
    reach_modules: float = 0.5
    min_reach_px: int = 2
    """Distance within which a corner of a finder pattern is searched, in modules, but at least these pixels. Higher:
    other corners of the pattern may be found."""
    max_rounds: int = 20
    min_step_px: float = 0.02
    """The search for such a corner ends after `max_rounds` steps, or at a step shorter than `min_step_px`. More steps,
    or shorter ones: more accurate, slower."""
    max_shift: float = 1.2
    """A corner found farther from its expected place than this, in modules, is ignored. Higher: wrong corners distort
    the outline; lower: codes that were located roughly are not refined."""
    min_corners: int = 8
    """Of the 12 corners, the number that must be found; else the decoder's own corners are used. Higher: outlines of
    partly covered codes stay rough; lower: a few wrong corners count more."""


DEFAULTS: Final = ArucoSettings()
QR_DEFAULTS: Final = QrSettings()
