"""The thresholds for reading cards: when a card is read, and how its readings vote. Units as in
`vision.tracking.settings`, which has all thresholds of the tracker.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VoteSettings:
    """How readings of one card add up to a face (`votes.Votes`). Evidence is natural log-odds."""

    min_confidence: float = 0.05
    max_confidence: float = 0.998
    """A reader's confidence is clipped to this range before its log-odds are added. Wider: one very sure reading can
    decide, right or wrong."""
    min_evidence: float = 0.2
    """Every reading adds at least this much. Higher: many unsure readings are believed."""
    rival_decay: float = 0.5
    """Every reading takes this much from every other face. Higher: a changed card is followed faster, less stable."""
    max_evidence: float = 12.0
    """Upper limit for one face, so that later, better readings can still correct it. Higher: a face that was wrong for
    long is corrected later."""
    switch_lead: float = 1.0
    """A face once chosen is replaced only by one that leads by at least this much. Higher: more stable, slower."""
    early: float = 3.5
    """Minimum evidence to report a card early (about 1 error in 30); it is read again soon after. Higher: reported
    later; lower: more faces are corrected after they were reported."""
    enough: float = 6.0
    """Evidence above which reading stops (about 1 error in 400). Higher: fewer errors, more reading."""
    correlation: float = 0.9
    """Correlation assumed between the readings of a card that does not move. `python -m lab.benchmarks.calibration
    --repeated` measures 0.5 under strong noise, but readings that a second picture agrees with are right no more often.
    Lower: many equal readings are believed more, right or wrong."""
    changed_weight: float = 0.5
    """Once the picture of a card has changed, all readings before count for as many in the mean. Higher: a changed card
    is followed later."""
    unnamed_share: float = 0.001
    """Confidence of a face that a reading does not name. Higher: a reading of one face alone counts less against the
    others."""
    least_lead: float = 1.5
    """Lead over a similar face that was read or named, without which a card is not reported (about 1 error in 5 if the
    readings are right as often as they say). Higher: more cards are laid again, fewer are wrong."""
    alternative_share: float = 0.05
    """Faces with at least this mean confidence are kept as alternatives. Higher: the rules have fewer cards to choose
    from if a face cannot be right."""


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Which parts of the frame are read, and when (`read_scheduler`, `card_reading`).

    Counts are judged frames, names with `_s` are seconds.
    """

    initial_reads: int = 2
    """Readings of the whole frame at the start and after the camera has moved. Higher: cards that were read badly get
    another chance, slower to start."""
    initial_moving_share: float = 0.1
    initial_retry: int = 10
    """While more than `initial_moving_share` of the picture moves, the whole frame is read only in every
    `initial_retry`th frame. Share higher, fewer frames: starts sooner, with hands in the picture."""
    initial_still_share: float = 0.0005
    initial_frames: int = 12
    """The readings of the whole frame begin again when more than `initial_still_share` of the picture moves, or has
    changed, in the first `initial_frames` frames. Share higher, fewer frames: starts sooner, but a card that
    was taken up and laid again meanwhile may not be seen."""
    min_reads: int = 2
    """Readings needed to report a card: with the frame before them it has been still for three frames. Higher: later,
    fewer errors."""
    max_reads: int = 6
    """Readings of a change after which it is left unread. One vote less reports a card even on weak evidence. Higher:
    slower; lower: cards that are hard to read are reported without a face."""
    max_read_s: float = 0.4
    """Seconds of reading after which a change in which nothing was read is left unread, whatever the frame rate.
    Longer: hands that rest are read in vain; shorter: on a slow computer cards get too few readings."""
    max_rereads: int = 10
    """Further readings of a reported card whose face is not sure. Higher: more errors are corrected, slower."""
    max_reread_shift: int = 5
    """The pause between such readings doubles each time, up to 2 to this power frames. Higher: faster, errors are
    corrected later."""
    growth_mm: float = 15.0
    """A change that grows by more to any side is a second card, and gets `max_reads` of its own. Higher: the second
    card may be left unread; lower: shadows and noise start the reading again."""
    open_share: float = 0.25
    """A change is read again while more than this share of it is unexplained. Higher: a card half under another may be
    missed; lower: shadows are read in vain."""
    unexplained_share: float = 0.5
    """Above this share a change counts as not read: a card is fitted to it. Higher: fewer covered cards are found;
    lower: shadows are fitted."""
    unread_card_share: float = 0.6
    """An unread change is taken for a card if it covers more than this share of a card's area. Higher: cards face down
    that are partly covered are missed; lower: hands and cups count as cards."""
    unread_s: float = 0.32
    """Seconds for which an unread card must lie still before it is reported without a face. Longer: later; shorter:
    hands that rest are reported as cards."""
    unread_age_percentile: float = 3.0
    since_percentile: float = 2.0
    """Percentiles of the ages of a card's pixels that count as the age of an unread card, and as the time since a
    confirmed card has been still: a few pixels may flicker. Higher: more of them may, but a card that is still being
    moved counts as still."""
    max_distortion: float = 0.1
    """Relative difference of a scale in the part to be read from that in the middle of the frame, in any direction,
    above which the part is read as seen from above. Higher: cards far from a camera at one side of the table are too
    small to be read; lower: slower."""
    marked_mm: float = 31.5
    """A face read within this distance of a card with a mark is print on that card. Higher: cards that overlap a marked
    one are lost; lower: print is reported as a card."""
    near_mm: float = 12.0
    """A card read in a cut-out must have its centre within this distance of the fitted card. Higher: a neighbouring
    card may be read instead; lower: cards that were fitted roughly are not read."""
    max_size_error_marked: float = 0.07
    max_size_error_printed: float = 0.3
    """Relative error of a card's sides. A mark is printed true to size: if the size of its card is wrong, the mark is
    half covered and may be misread. Printed cards come in many sizes. Higher: more misreadings; lower: cards seen at an
    angle, and decks of other sizes, are not read."""
    min_visible_share: float = 0.64
    """Readings of cards with less than this share of their area in the frame are ignored. Higher: cards at the border
    are missed; lower: more of them are misread."""
    min_share_in_part: float = 0.9
    """A face is ignored if less than this share of what the frame shows of its card lies in the picture that was read.
    Higher: cards of which only a corner has changed may be missed; lower: cards beside a change are located wrongly,
    and remain on the board when they are swept."""
    max_moving_share: float = 0.03
    max_hand_share: float = 0.02
    """A card is read only if at most these shares of it move or are covered by a hand. Higher: cards are read sooner,
    while they may still move; lower: with a noisy camera they are read later."""
