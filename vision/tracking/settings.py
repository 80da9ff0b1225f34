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
    """Upper limit of the number of halvings, for very large frames. Higher: faster for them, coarser."""
    skip_rows: bool = True
    """Whether every second row is left out of frames halved twice or more. Fewer rows: faster, more noise."""
    dark_offset: float = 32.0
    """Grey levels added before the logarithm: below about this brightness sensor noise outweighs a ratio. Higher:
    changes count less, most of all in dark places; lower: noise in dark places looks like motion."""
    levels_per_e: float = 70.0
    """Levels in a factor of e of brightness: in a bright place 7 levels are a change of 10 %. Higher: every limit in
    levels stands for a smaller change."""
    black_level: float = 40.0
    """Level of a black pixel. Leaves room below it for frames that are darker than the reference. Higher: very bright
    places are clipped; lower: dark places are, after the light has gone down."""
    window_px: int = 3
    """Side of the square over which differences are averaged, pixels at working scale. Higher: less noise, but small
    changes are missed."""
    min_difference: float = 6.0
    """Levels. Smallest difference that counts as a change, with a camera of little noise. Lower: more false alarms."""
    noise_offset: float = 3.0
    noise_factor: float = 3.0
    """Levels. With a noisy camera the smallest difference is `noise_offset + noise_factor * noise` instead. Higher:
    cards that hardly differ from the table are missed; lower: noise looks like motion."""
    max_noise: float = 6.0
    """Levels. Upper limit of the noise estimate, so that motion cannot blind the tracker. Lower: noise looks moving."""
    noise_percentile: float = 60.0
    noise_rate: float = 0.3
    noise_frames: int = 4
    """The noise is this percentile of the differences between frames, averaged over time with the weight `noise_rate`,
    and measured in every `noise_frames`th frame. Percentile higher: hands count as noise; lower: noise is
    underestimated. Rate higher or fewer frames: follows faster, less steadily."""
    drift_frames: int = 8
    """While nothing happens, the reference follows slow changes of light: one level in every `drift_frames`th frame.
    Higher: daylight that changes fast looks like a changed table; lower: what changes slowly is never noticed."""


@dataclass(frozen=True, slots=True)
class AppearanceSettings:
    """When two pictures of one place show the same thing (`appearance`, `visibility`). Differences in levels."""

    same: int = 13
    """Smaller differences count as the same. Higher: tolerates more noise, confuses more cards with the table."""
    distinct: int = 14
    """A pixel is decisive, it distinguishes the card from the table, if the two differ by more than this. Higher: cards
    of the table's colour cannot be judged; lower: noise decides."""
    shadow: tuple[float, float] = (-70.0, 14.0)
    """Range by which a soft shadow or a reflection may darken or lighten a pixel. Wider: dark objects are taken for
    shadows; narrower: shadows of hands are read."""
    shadow_tint: int = 10
    """How much more a shadow may change one colour channel than another. Larger changes are a coloured object. Higher:
    some of these are taken for shadows; lower: shadows in coloured light are read."""
    shadow_slope: int = 6
    shadow_window_px: int = 5
    """How far a shadow may differ from the mean of the square around it, and the side of that square. Larger changes
    are an edge. Slope higher: print in a shadow is overlooked; lower, or the square larger: shadows with a sharp edge
    are read."""
    uniform_shadow: tuple[float, float] = (-75.0, 25.0)
    """Range of the mean darkening of a place that lies in a shadow as a whole. Wider: as for `shadow`."""
    uniform_tint: float = 12.0
    """How much the median darkening of such a place may differ between the colour channels. Higher: coloured objects
    are taken for shadows."""
    card_share: float = 0.6
    """A place shows its card if at least this share of the decisive pixels fits the card. Higher: a card partly covered
    counts as covered; lower: another card in its place may be overlooked."""
    table_share: float = 0.8
    """A place shows the table if at least this share of them fits the table. Higher: cards stay longer."""
    card_share_in_shadow: float = 0.75
    table_share_in_shadow: float = 0.85
    """The same for a place in a shadow. Higher: more often nothing is decided there."""
    rival_share_in_shadow: float = 0.4
    """In a shadow, the other explanation must fit less than this share. Higher: more is decided, more of it wrong."""
    min_decisive_mm2: float = 60.0
    min_decisive_px: int = 6
    """Area of decisive pixels, mm², and their number at working scale, below which a place is not judged; the larger
    limit counts. Higher: a card of which little is visible stays after it was taken; lower: noise may take it away."""
    guess_error: int = 8
    """Allowed error of a guess at the table under a card. Higher: cards that were there first are kept longer."""
    bare_difference: int = 26
    bare_decisive_share: float = 0.25
    bare_share: float = 0.97
    """A place is bare although later cards should cover it if at least `bare_decisive_share` of it is decisive (card
    and table differ by more than `bare_difference`) and more than `bare_share` of that shows the table. Higher: a pile
    that was taken is noticed later; lower: a card under others may be dropped."""
    unchanged_visible_share: float = 0.2
    unchanged_share: float = 0.96
    """A card is unchanged if more than `unchanged_visible_share` of it is visible and more than `unchanged_share` of
    that looks as before. Higher: cards are read again more often; lower: a card laid exactly on it is overlooked."""


@dataclass(frozen=True, slots=True)
class BackgroundSettings:
    """How the bare table is learned (`background.BackgroundModel`)."""

    same: int = 13
    """Levels. Slow changes of light are followed where the table differs by less than this from the background. Higher:
    things of nearly the table's colour become table; lower: a change of light is not followed."""
    follow_frames: int = 32
    """Frames between two such updates, of the background and of the cards, while nothing happens. Lower: follows
    faster, costs more time."""
    guess_radius_px: int = 31
    """Pixels around a place that was never seen bare from which its background is guessed. Higher: smoother, so that
    patterns are lost; lower: the middle of a card's place takes the median."""
    min_guess_share: float = 0.02
    """If less of these pixels has been seen bare, the median of the table is used instead. Higher: more often."""
    card_difference: int = 6
    card_share: float = 0.9
    """A new card that differs from the stored background by at most `card_difference` levels in more than this share of
    its pixels was already there when the background was stored. Difference higher, share lower: a card of the table's
    colour makes the table forgotten below it; the other way round, a card that was there first never seems to leave."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """How changed pixels become hands, new objects or bare table (`change_detection`)."""

    min_area_mm2: float = 30.0
    """Smaller changes are ignored once they are still, mm². Higher: cards that are nearly covered are missed; lower:
    specks are read, slower."""
    speck_age: int = 2
    """Frames for which a smaller change must have been still, at every pixel, to be ignored. Higher: the scene is
    judged later."""
    max_restless_share: float = 0.02
    """A change with a larger share of pixels that moved in this frame is a hand. Higher: cards are read while a hand
    still touches them; lower: with a noisy camera cards are read later."""
    border_age: int = 10
    """Frames without motion after which a change at the border of the frame may be bare table instead of a hand.
    Higher: the table is learned later; lower: a sleeve that rests is learned as table."""
    border_age_percentile: float = 5.0
    """The age of such a change is this percentile of the ages of its pixels. Higher: a change that still moves at some
    pixels counts as old."""
    vanished_edge_ratio: float = 0.7
    """Something was taken away, not added, if the edges along the outline of the change are weaker than this times what
    they were. Higher: cards of the table's colour are taken for the table; lower: a bare place is read in vain."""


@dataclass(frozen=True, slots=True)
class FittingSettings:
    """Search for the one card that explains a change (`card_fitting`)."""

    min_card_share: float = 0.12
    """Changes smaller than this share of a card's area are not fitted. Higher: cards of which little is visible are not
    found; lower: fits are less certain."""
    oversize_mm: float = 4.0
    """How much a change may be larger than a card. Higher: two cards side by side are fitted as one; lower: a card with
    its shadow is not fitted."""
    oversize_penalty: float = 0.02
    """Added to the misfit share at the full `oversize_mm`. Higher: rotations at which the change fits are preferred."""
    coarse_degrees: float = 4.0
    fine_degrees: float = 1.0
    """Steps of the rotation in the first and the second search. Smaller: slower, more exact."""
    step_mm: float = 4.0
    """Approximate step of the position if the change is smaller than a card. Smaller: slower, more exact."""
    ignored_percent: float = 1.0
    """Percentage of the change's pixels at each end that do not count for its size. Higher: small parts of the card are
    left out; lower: single pixels of noise make the change too large."""
    cut_margin_mm: float = 14.0
    """Margin around a card that is cut out, so that the readers see its edges. Higher: slower."""
    surface: tuple[int, int, int] = (44, 44, 44)
    """BGR colour of the margin. Higher: the edges of light cards are harder to see; lower: those of dark cards."""
    grid: tuple[int, int] = (12, 16)
    """Points across and down a card at which a fit is tested. More: slower, more exact."""
    max_misfit: float = 0.06
    """A fit is refused if a larger share of the card would lie where the table is known to be bare. Higher: hands and
    other things are fitted; lower: cards of which a part looks like the table are not."""


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """Which track a reading belongs to (`tracks.Tracks`)."""

    same_place_mm: float = 25.0
    """A card read again within this distance has been nudged: the same track. Higher: two equal cards that lie close
    are one; lower: a nudged card seems to be another."""
    carried_mm: float = 120.0
    """A card that has left its place and is read within this distance was pushed there: the same track. Higher: an
    equal card that is laid nearby is taken for the one that was taken away."""
    misread_mm: float = 10.0
    misread_degrees: float = 15.0
    """A different face read within this distance and rotation of an unchanged card is a misreading of it. Higher:
    readings of a neighbouring card count for this one; lower: a misreading becomes a second card."""
    moved_mm: float = 2.5
    moved_degrees: float = 4.0
    """Beyond either, the outline of the track is replaced by the new one. Higher: outlines are less exact; lower: they
    jump from reading to reading."""
    on_top_mm: float = 20.0
    """A card moved farther than this comes to lie on top of the others. Higher: a card carried a little stays below;
    lower: a nudged card hides those that cover it."""


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
    """Shares of the picture that move, or differ from the reference, above which a frame is not judged. Higher: a lamp
    that is switched on looks like many changes; lower: many hands stop the reading."""
    restart_frames: int = 45
    """Frames without motion after which the changed picture becomes the new reference and is read completely. Higher:
    slower to recover; lower: a picture in which a person leans over the table is read."""


@dataclass(frozen=True, slots=True)
class CoveringSettings:
    """When a zone counts as covered (`covering`)."""

    share: float = 0.5
    """Share of its area that must show neither the table nor a card. Higher: a sleeve that covers a part is not
    reported; lower: hands are."""
    after_s: float = 2.0
    """Seconds for which this must last. Shorter: hands that lay cards count; longer: reported later."""
    every_frames: int = 6
    """Frames from one comparison to the next. Higher: faster, noticed later."""
    step_px: int = 4
    """Distance of the pixels that are compared, at working scale: 4 pixels are 6 to 12 mm. Higher: faster, less
    exact."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """When a lost source is tried again, and when lost corner marks are reported (`vision.camera_pipeline`)."""

    advice_s: float = 20.0
    """Seconds for which it is reported that the light or the deck suits badly. Longer: it stays on the board longer,
    although people may have to live with it."""
    retry_s: float = 1.0
    """Seconds of the host's clock between two attempts to read a source that has failed. Longer: recovers later."""
    marks_lost_s: float = 0.5
    """Seconds without the corner marks until that is reported. Shorter: every bump of the camera is reported."""


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """Sizes on the working scale (`working_frame.WorkingFrame`)."""

    edge_mm: float = 2.5
    """Outlines are inexact: the card's own pixels end this far inside its edge, and those that it may cover this far
    outside. Higher: less of a covered card is compared; lower: the table beside a card is taken for it."""
    reach_mm: float = 97.0
    """A change may be a corner of a card: how far a card of poker size may extend from it; larger ones extend farther.
    Higher: more is read, slower; lower: a card is cut off."""
    margin_mm: float = 12.0
    """Smallest margin read around a change. Higher: slower; lower: the edges of a card are cut off."""
    corner_factor: float = 1.4
    """A corner is moved by this many times `edge_mm` along its diagonal; the square root of 2 for a square. Higher: as
    `edge_mm`, at the corners."""


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
    source: SourceSettings = SourceSettings()


DEFAULTS: Final = TrackingSettings()
"""The thresholds for a camera 50 to 90 cm above the mat, 25 to 30 frames a second, poker-sized cards."""
