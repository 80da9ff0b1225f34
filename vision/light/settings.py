"""The thresholds of the light on the table: when it is reported, and how a camera is exposed for the cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class LightSettings:
    """The thresholds of `vision.light.watch.LightWatch`. Grey levels are 0 to 255."""

    every_s: float = 1.0
    """Seconds from one measurement of the light to the next. Shorter: slower computers stutter."""
    in_a_row: int = 3
    """Measurements in a row that must find the same trouble, or none, until that counts. Higher: reported later."""
    burnt: float = 252.0
    """Grey level from which all three channels count as overexposed. Lower: white cards count in good light."""
    burnt_share: float = 0.3
    """Share of a card that must be overexposed. Lower: a card that is partly too bright is reported."""
    glare_mm2: float = 400.0
    """Area of the mat that must be overexposed to be reported as glare. Smaller: the gleam on a coin is reported."""
    card_like: float = 0.12
    """Share by which the sides and the area of an overexposed patch may differ from those of a card and it still counts
    as an overexposed card. Higher: reflections of windows count as cards; lower: cards in soft light as reflections."""
    shadow_level: float = 0.5
    """A white place is in shadow if it is darker than this share of the other white places. Higher: the far side of a
    lamp counts as shadow."""
    shadow_mm2: float = 1800.0
    """Area of cards in shadow that is reported: less than half a card. Smaller: large black symbols are reported."""
    bare_shadow_mm2: float = 4000.0
    """Area of a shadow on the bare mat that is reported: about a hand. Smaller: shadows of cups are reported."""
    penumbra_level: float = 0.7
    """Where the mat is darker than this share of the mat around, a shadow may begin. Higher: stains count; lower:
    shadows seem to have sharp edges."""
    penumbra_mm: float = 3.0
    """Least width of the edge of a shadow on the mat, from `penumbra_level` to `shadow_level`. Wider: shadows of a
    small bright lamp are missed; narrower: dark things on the mat count as shadow."""
    tint: float = 0.2
    """Share by which a shadow may darken one colour more than another. Larger: coloured things on the mat count as
    shadow; smaller: shadows in coloured light are missed."""
    around_mm: int = 300
    """Side of the square of the mat with which a place of the mat is compared. Larger: a lamp on one side looks like
    shadow; smaller: the middle of a shadow is compared with the shadow itself."""
    least_mat: float = 25.0
    """Grey level of the mat, in at least one colour, from which its shadows are judged. Higher: dark mats are not
    judged; lower: noise on a black cloth looks like shadow."""
    rim_mm: int = 12
    """Width of the strip around a card that was not read of which half must lie in shadow too, if the card does. Wider:
    other cards are in it; narrower: the card's own edge is, and a dark back counts as shadow."""
    rim_level: float = 0.85
    """That strip is in shadow if it is darker than this share of the mat around: cards hardly reach beyond the shadow's
    edge. Higher: dark backs in uneven light count as shadow; lower: shadows as small as the card are missed."""
    paper: float = 0.6
    """A card that was not read is white paper if its median has this share of the white of the corner marks in each
    colour. Higher: court cards do not count; lower: light backs do."""
    blurred_mm: float = 1.15
    """Blur of printed edges that is reported: standard deviation, mm on the mat. Higher: faces are no longer read
    (tests/cardtable/doctor/test_doctor_camera.py measures it); lower: cameras that are sharp enough are reported."""
    white_percentile: float = 95.0
    """Percentile of the grey levels of a card or mark that is its white. Higher: a gleam counts as white; lower: the
    print of a court card does."""
    outline_margin_mm: int = 9
    """Width of the strip along the edges of cards and marks that is not searched for glare, since outlines are inexact
    and the edges white. Wider: glare beside a card is missed; narrower: edges are reported as glare."""
    patch_mm: int = 15
    """Side of the squares of a card whose white is compared: more than any line printed on it. Larger: shadows with
    ragged edges seem smaller; smaller: large symbols are taken for shadow."""
    patch_percentile: float = 90.0
    """Percentile of the grey levels of such a square that is its white. Higher: a bright spot in a shadow hides it;
    lower: symbols are taken for shadow."""
    printed_percent: float = 0.5
    """The least share of a card that is printed, in percent: an ace has little more than its two indices. Higher: an
    ace seems blurred; lower: noise makes a blurred card seem sharp."""
    flicker: float = 0.02
    """Change of brightness from one picture to the next, as a share of it, that counts as flicker. Lower: the noise of
    a camera in the dark is reported."""
    flicker_pictures: int = 12
    """Pictures in a row that are compared for flicker. Fewer: a moving hand may be taken for it."""
    flicker_in_a_row: int = 3
    """Such comparisons in a row that must find flicker until it is reported. Higher: reported later; lower: hands that
    gather up the cards may be taken for it."""
    flicker_strips: int = 8
    """Strips side by side into which a picture is divided: flicker is in most of them, a hand in few. More: the noise
    of a camera counts more; fewer: two arms may be taken for it."""
    flicker_columns: int = 8
    """Of this many columns of a picture, one is measured. More: quicker, and noise counts more."""
    flicker_s: float = 10.0
    """Seconds between two such comparisons. Longer: reported later; shorter: slower computers stutter."""


@dataclass(frozen=True, slots=True)
class ExposureSettings:
    """How an exposure that follows the cards is changed (`vision.light.watch.CardExposure`)."""

    white: float = 215.0
    """Grey level that the white of the cards should have, of 255. Higher: glare burns out sooner; lower: more noise."""
    tolerance: float = 20.0
    """Grey levels by which it may differ. Smaller: the exposure changes more often, and every change moves all grey
    levels of the table."""
    gamma: float = 1.3
    """Light is taken to grow as grey level to this power. Cameras have 1 to 2.6. Higher: quicker, and it may overshoot
    with a camera of 1."""
    max_step: float = 1.3
    """The largest factor of one change. Higher: quicker, and it may overshoot."""
    burnt_share: float = 0.02
    """Share of the cards that may be overexposed before the exposure is reduced. Higher: glare may hide an index;
    lower: one gleam makes all the cards dark."""
    blind_step: float = 2.0
    """The factor of one change while the mat is not found. Higher: found sooner after a lamp is switched on, but it may
    overshoot."""
    blind_burnt: float = 235.0
    """Grey level from which all three channels count as overexposed then. Lower: white tables count."""
    blind_burnt_share: float = 0.3
    """Share of the whole picture that is overexposed then before the exposure is reduced. Higher: marks that are burnt
    out stay so; lower: a bright window makes the table dark."""
    blind_dark: float = 100.0
    """The exposure is increased then if the brightest parts are below this grey level. Higher: may alternate with
    `blind_burnt_share`; lower: marks in the dark are not found."""
    blind_wait_s: float = 1.0
    """Seconds between two such changes. Longer: the mat is found later; shorter: cameras that take some pictures for a
    change overshoot."""
    wait_s: float = 4.0
    """Seconds between two changes. Shorter: the tracker has less time to learn the new grey levels of the table."""


DEFAULTS: Final = LightSettings()
EXPOSURE_DEFAULTS: Final = ExposureSettings()
