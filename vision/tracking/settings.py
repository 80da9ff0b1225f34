"""The thresholds of the tracker, each with its unit and effect.

Lengths are millimetres on the mat, times seconds of the frames, shares 0 to 1. *Working scale* is the small picture
that the tracker works on (1.5 to 3 mm a pixel); a *level* is one step of its logarithmic brightness, see
`MotionSettings.levels_per_e`. A *judged frame* is one in which something moves, has changed or is still to be read.

    >>> from dataclasses import replace
    >>> patient = replace(TrackingSettings(), presence=PresenceSettings(empty_s=1.0))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from vision.tracking.reading_settings import ReadSettings, VoteSettings


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """What counts as motion, and the scale on which pictures are compared (`motion.Motion`)."""

    max_mm_per_px: float = 3.0
    """Frames are halved until one more halving would exceed this scale. Larger: faster, but thin gaps disappear."""
    max_halvings: int = 3
    """Upper limit of the number of halvings, for very large frames."""
    dark_offset: float = 32.0
    """Grey levels added before the logarithm: below about this brightness sensor noise outweighs a ratio."""
    levels_per_e: float = 70.0
    """Levels in a factor of e of brightness: in a bright place 7 levels are a change of 10 %."""
    black_level: float = 40.0
    """Level of a black pixel. Leaves room below it for frames that are darker than the reference."""
    min_difference: float = 6.0
    """Levels. Smallest difference that counts as a change, with a camera of little noise. Lower: more false alarms."""
    noise_offset: float = 3.0
    noise_factor: float = 3.0
    """Levels. With a noisy camera the smallest difference is `noise_offset + noise_factor * noise` instead."""
    max_noise: float = 6.0
    """Levels. Upper limit of the noise estimate, so that real motion cannot blind the tracker."""
    noise_percentile: float = 60.0
    noise_rate: float = 0.3
    noise_frames: int = 4
    """The noise is this percentile of the differences between frames, averaged over time with the weight `noise_rate`,
    and measured in every `noise_frames`th frame."""
    drift_frames: int = 8
    """While nothing happens, the reference follows slow changes of light: one level in every `drift_frames`th frame."""


@dataclass(frozen=True, slots=True)
class AppearanceSettings:
    """When two pictures of one place show the same thing (`appearance`, `visibility`). Differences in levels."""

    same: int = 13
    """Smaller differences count as the same. Higher: tolerates more noise, confuses more cards with the table."""
    distinct: int = 14
    """A pixel is decisive, it distinguishes the card from the table, if the two differ by more than this."""
    shadow: tuple[float, float] = (-70.0, 14.0)
    """Range by which a soft shadow or a reflection may darken or lighten a pixel."""
    shadow_tint: int = 10
    """How much more a shadow may change one colour channel than another. Larger changes are a coloured object."""
    shadow_slope: int = 6
    """How far a shadow may differ from its 5 x 5 surroundings. Larger changes are an edge."""
    uniform_shadow: tuple[float, float] = (-75.0, 25.0)
    """Range of the mean darkening of a place that lies in a shadow as a whole."""
    uniform_tint: float = 12.0
    """How much the median darkening of such a place may differ between the colour channels."""
    card_share: float = 0.6
    """A place shows its card if at least this share of the decisive pixels fits the card."""
    table_share: float = 0.8
    """A place shows the table if at least this share of them fits the table. Higher: cards stay longer."""
    card_share_in_shadow: float = 0.75
    table_share_in_shadow: float = 0.85
    """The same for a place in a shadow."""
    rival_share_in_shadow: float = 0.4
    """In a shadow, the other explanation must fit less than this share."""
    min_decisive_mm2: float = 60.0
    """Area of decisive pixels below which a place is not judged, mm²..."""
    min_decisive_px: int = 6
    """... and their number at working scale. The larger limit counts."""
    guess_error: int = 8
    """Allowed error of a guess at the table under a card. Higher: cards that were there first are kept longer."""
    bare_difference: int = 26
    bare_decisive_share: float = 0.25
    bare_share: float = 0.97
    """A place is bare although later cards should cover it, if at least `bare_decisive_share` of it is decisive (card
    and table differ by more than `bare_difference`) and more than `bare_share` of that shows the table."""
    unchanged_visible_share: float = 0.2
    unchanged_share: float = 0.96
    """A card is unchanged if more than `unchanged_visible_share` of it is visible and more than `unchanged_share` of
    that looks as before."""


@dataclass(frozen=True, slots=True)
class BackgroundSettings:
    """How the bare table is learned (`background.BackgroundModel`)."""

    same: int = 13
    """Levels. Slow changes of light are followed where the table differs by less than this from the background."""
    follow_frames: int = 32
    """Frames between two such updates, of the background and of the cards, while nothing happens."""
    guess_radius_px: int = 31
    """Pixels around a place that was never seen bare from which its background is guessed."""
    min_guess_share: float = 0.02
    """If less of these pixels has been seen bare, the median of the table is used instead."""
    card_difference: int = 6
    card_share: float = 0.9
    """A new card that differs from the stored background by at most `card_difference` levels in more than this share
    of its pixels was already there when the background was stored."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """How changed pixels become hands, new objects or bare table (`change_detection`)."""

    min_area_mm2: float = 30.0
    """Smaller changes are ignored once they are still, mm²."""
    speck_age: int = 2
    """Frames for which a smaller change must have been still, at every pixel, to be ignored."""
    max_restless_share: float = 0.02
    """A change with a larger share of pixels that moved in this frame is a hand."""
    border_age: int = 10
    """Frames without motion after which a change at the border of the frame may be bare table instead of a hand."""
    border_age_percentile: float = 5.0
    """The age of such a change is this percentile of the ages of its pixels."""
    vanished_edge_ratio: float = 0.7
    """Something was taken away, not added, if the edges along the outline of the change are weaker than this times
    what they were."""


@dataclass(frozen=True, slots=True)
class FittingSettings:
    """Search for the one card that explains a change (`card_fitting`)."""

    min_card_share: float = 0.12
    """Changes smaller than this share of a card's area are not fitted."""
    oversize_mm: float = 4.0
    """How much a change may be larger than a card."""
    oversize_penalty: float = 0.02
    """Added to the misfit share at the full `oversize_mm`."""
    coarse_degrees: float = 4.0
    fine_degrees: float = 1.0
    """Steps of the rotation in the first and the second search. Smaller: slower, more exact."""
    step_mm: float = 4.0
    """Approximate step of the position if the change is smaller than a card. Smaller: slower, more exact."""
    cut_margin_mm: float = 14.0
    """Margin around a card that is cut out, so that the readers see its edges."""
    max_misfit: float = 0.06
    """A fit is refused if a larger share of the card would lie where the table is known to be bare."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """Which track a reading belongs to (`tracks.Tracks`)."""

    same_place_mm: float = 25.0
    """A card read again within this distance has been nudged: the same track."""
    carried_mm: float = 120.0
    """A card that has left its place and is read within this distance was pushed there: the same track."""
    misread_mm: float = 10.0
    misread_degrees: float = 15.0
    """A different face read within this distance and rotation of an unchanged card is a misreading of it."""
    moved_mm: float = 2.5
    moved_degrees: float = 4.0
    """Beyond either, the outline of the track is replaced by the new one."""
    on_top_mm: float = 20.0
    """A card moved farther than this comes to lie on top of the others."""


@dataclass(frozen=True, slots=True)
class PresenceSettings:
    """When a card is gone (`presence`)."""

    empty_s: float = 0.3
    """Seconds for which its place must show the bare table. Longer: fewer cards lost to glare, slower to notice."""


@dataclass(frozen=True, slots=True)
class DisturbanceSettings:
    """When the whole picture has changed, so that nothing can be judged (`scene_tracker`)."""

    moving_share: float = 0.3
    changed_share: float = 0.5
    """Shares of the picture that move, or differ from the reference, above which a frame is not judged."""
    restart_frames: int = 45
    """Frames without motion after which the changed picture becomes the new reference and is read completely."""


@dataclass(frozen=True, slots=True)
class CoveringSettings:
    """When a zone counts as covered (`covering`)."""

    share: float = 0.5
    """Share of its area that must show neither the table nor a card."""
    after_s: float = 2.0
    """Seconds for which this must last. Shorter: hands that lay cards count."""
    every_frames: int = 6
    """Frames from one comparison to the next."""


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """Sizes on the working scale (`working_frame.WorkingFrame`)."""

    edge_mm: float = 2.5
    """Outlines are inexact: the card's own pixels end this far inside its edge, and those that it may cover this far
    outside."""
    reach_mm: float = 97.0
    """A change may be a corner of a card: how far the card may extend from it."""
    margin_mm: float = 12.0
    """Smallest margin read around a change."""
    corner_factor: float = 1.4
    """A corner is moved by this many times `edge_mm` along its diagonal; the square root of 2 for a square."""


@dataclass(frozen=True, slots=True)
class TrackingSettings:
    """All thresholds of a `SceneTracker`."""

    motion: MotionSettings = MotionSettings()
    scale: ScaleSettings = ScaleSettings()
    appearance: AppearanceSettings = AppearanceSettings()
    background: BackgroundSettings = BackgroundSettings()
    changes: ChangeSettings = ChangeSettings()
    fitting: FittingSettings = FittingSettings()
    votes: VoteSettings = field(default_factory=VoteSettings)
    reading: ReadSettings = field(default_factory=ReadSettings)
    matching: MatchSettings = MatchSettings()
    presence: PresenceSettings = PresenceSettings()
    disturbance: DisturbanceSettings = DisturbanceSettings()
    covering: CoveringSettings = CoveringSettings()


DEFAULTS: Final = TrackingSettings()
"""The thresholds for a camera 50 to 90 cm above the mat, 25 to 30 frames a second, poker-sized cards."""
