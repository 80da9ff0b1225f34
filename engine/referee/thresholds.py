"""The thresholds of the referee, with their units and the effect of raising or lowering them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Names with `_s` are seconds, compared with the times of scenes and sightings."""

    put_back_s: float = 2.0
    """A card laid where it had lain, within this time of being picked up, was put back. Longer: a card that is played
    again is more often taken for one put back. Shorter: slow players are asked about their cards."""
    simultaneous_s: float = 0.15
    """Two cards that come to rest in one play zone within this time were laid together, and neither counts while both
    lie there. Longer: two quick plays of one seat are refused. Shorter: the wrong one may count."""
    settle_s: float = 1.0
    """After the start, what a missing card means is judged once a source has reported nothing new for this time.
    Longer: a trick taken up meanwhile is counted later. Shorter: a card covered by a hand seems withdrawn."""
    max_settle_periods: float = 3.0
    """The start is over after this many times `settle_s`, even if something new is reported all the time. More: a fast
    game is judged later. Fewer: a card that has not been read yet seems withdrawn."""
    in_turn_s: float = 0.5
    """Of cards that come to rest within this time, those of the seat on turn are judged first. Longer: a card laid too
    early counts before one laid earlier out of turn. Shorter: cards played at once are taken in the wrong order."""
    exchange_s: float = 1.5
    """If only the last card of a complete trick is missing for longer than this, it may have been exchanged, and not
    only gathered first. Longer: an unseen exchange goes unnoticed. Shorter: slow players are asked to check."""
    evidence_s: float = 2.0
    """A card exposed at most this long before an action card that needs it as evidence was laid as evidence, and does
    not stay exposed. Longer: neither does a card exposed by accident, by which a revoke is noticed. Shorter: evidence
    laid before the action card stays exposed."""
    urgent_s: float = 2.0
    """A prompt about something wrong becomes urgent after this time. Longer: mistakes are noticed later. Shorter: cards
    that are still being laid raise an alarm."""
    check_rounds: int = 2
    """What was concluded while the table could not see is to be checked until each player has acted about this many
    times. More: the prompt stays longer than players remember. Fewer: it is gone before it is read."""
    max_zones_named: int = 2
    """If more zones than this are covered, the prompt only counts them. More: longer prompts. Fewer: players must look
    for what covers the table."""
    max_letters_named: int = 48
    """A prompt describes what was done in about this many letters, and counts the rest. More: longer prompts, which
    small displays cut off. Fewer: players must look at the history."""


DEFAULT_THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Which corrections are tried when the players say that the table is right (`engine.referee.table_or_record`)."""

    max_trials: int = 60
    """The most corrections that are tried, the smallest first; each replays the game. More: the answer takes longer.
    Fewer: a large correction is not found."""
    last_removed: int = 8
    """Removing one action is tried for this many of the last actions, at least 1. More: an earlier action that never
    happened is found. Fewer: other corrections are tried instead."""
    last_undone: int = 12
    """Undoing is tried for up to this many actions, at least 1. More: a table that was put back further is followed.
    Fewer: other corrections are tried instead."""
    max_alternatives: int = 4
    """The most faces that are tried for a card that counts, the likeliest first. More: a worse misreading is put right.
    Fewer: larger corrections of other actions are tried instead."""
    loss_weight: int = 3
    """Weight of a later action that no longer fits and is lost, in steps (actions to undo and to do again). Higher:
    many actions are undone and done again rather than losing one. Lower: actions are lost."""


DEFAULT_SEARCH: Final = SearchSettings()
