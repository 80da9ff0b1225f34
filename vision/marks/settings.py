"""The thresholds of the ArUco reader, with their units and effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MODULES: Final = 6
"""Modules per side of a mark, including its dark border."""


@dataclass(frozen=True, slots=True)
class ArucoSettings:
    """The thresholds of the ArUco reader. Correlations are -1 to 1."""

    min_side_px: float = 1.6 * MODULES
    """Side of the smallest mark that is searched, pixels. Smaller: slower, and modules cannot be distinguished."""
    min_correlation: float = 0.93
    """Correlation of a mark with its pattern."""
    min_lead: float = 0.05
    """Difference to the correlation with any other pattern."""
    misread_margin: float = 0.01
    """A mark with a correlation this much lower, at the place of a card's other mark, is that mark, half covered."""
    expected_side: float = 0.6
    """At a known scale, sides shorter than this fraction of a mark's are ignored."""
    candidate_side: float = 0.8
    """A square may be this fraction of the smallest side before its edges are refined."""
    max_side_ratio: float = 2.0
    """Ratio of the longest to the shortest side, seen at an angle."""
    corner_tolerance: float = 0.06
    """Accuracy of the four corners of a contour, as a fraction of its length."""
    min_dark_border: float = 0.9
    """Fraction of the border's modules that must be dark."""
    same_place: float = 0.5
    """Two marks nearer to each other than this, in sides, are one."""
    second_mark: float = 0.8
    """Distance of a mark from the place of a card's second mark up to which it is that mark, in sides."""
    sure_correlation: float = 0.95
    """A card with one visible mark is read with confidence 0.999 above this correlation, with 0.99 below."""
    min_contrast: float = 20.0
    """Difference between dark and light modules, grey levels."""
    window_px: int = 13
    """Side of the window of the adaptive threshold, pixels (odd)."""
    darker: int = 12
    """Dark pixels are this much darker than the mean of the window, grey levels."""
    blurs: tuple[float, ...] = (0.0, 0.2, 0.35, 0.5, 0.65)
    """Blurs of the patterns that are compared, standard deviations in modules."""
    blur_px: float = 0.95
    """Blur of lens and sensor, standard deviation in pixels: selects the pattern for the size of a mark."""


DEFAULTS: Final = ArucoSettings()
