"""The thresholds of the referee, with their units and what happens if they are raised or lowered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Names with `_s` are seconds, compared with the times of scenes and sightings.

    `put_back_s`: a card laid within this time of being picked up, where it lay before, was put back. Longer: a card
    that is played again is more often taken for the one put back. Shorter: slow hands are asked about their cards.
    `simultaneous_s`: two cards that come to rest in one play zone within this time were laid together, and neither
    counts while both lie there. Longer: two quick plays of one seat are refused. Shorter: the wrong one may count.
    `settle_s`: after the start, what a missing card means is judged once a source has reported nothing new for this
    time. Longer: a trick taken up meanwhile is counted later. Shorter: a card that a hand covers seems withdrawn.
    `max_settle_periods`: the start is over after this many times `settle_s`, even if something new is reported all the
    time. More: a quick game is judged later. Fewer: a card that has not been read yet seems withdrawn.
    `in_turn_s`: of cards that come to rest within this time, those of the seat on turn are judged first. Longer: a card
    laid too early counts before one laid earlier out of turn. Shorter: two who play at once are taken in a wrong order.
    `exchange_s`: if the last card of a complete trick is missing alone for longer, it may be exchanged and not only
    gathered first. Longer: an exchange that was not seen stays unnoticed. Shorter: slow hands are asked to check.
    `evidence_s`: a card exposed at most this long before an action card that needs it as evidence was laid as evidence,
    and does not stay exposed. Longer: a card exposed by accident, by which a revoke is noticed, does not stay exposed
    either. Shorter: evidence that is laid before the action card does.
    `urgent_s`: a prompt about something wrong becomes urgent after this time. Longer: mistakes are noticed later.
    Shorter: cards on their way raise an alarm.
    """

    put_back_s: float = 2.0
    simultaneous_s: float = 0.15
    settle_s: float = 1.0
    max_settle_periods: float = 3.0
    in_turn_s: float = 0.5
    exchange_s: float = 1.5
    evidence_s: float = 2.0
    urgent_s: float = 2.0


DEFAULT_THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True, slots=True)
class CorrectionSearch:
    """Which corrections of the record are tried when the players say that the table is right (`table_right`).

    `max_trials`: corrections at most, the smallest first; each one replays the game. More: the answer takes longer.
    Fewer: a large correction is not found.
    `last_removed`: leaving out one action is tried for this many of the last actions, at least 1. More: an earlier card
    that was never there is found. Fewer: other corrections are tried instead.
    `last_undone`: undoing is tried back to this many actions before the end, at least 1. More: a table that was put
    back further is followed. Fewer: other corrections are tried instead.
    `max_alternatives`: other faces that are tried for a card that counts, the likeliest first. More: a worse misreading
    is put right. Fewer: the cards of other players are doubted less.
    `loss_weight`: weight of a later action that no longer fits and is lost, in steps (actions to undo and to do again).
    More: more actions are done again rather than one lost. Less: the correction with fewer steps is taken.
    """

    max_trials: int = 60
    last_removed: int = 8
    last_undone: int = 12
    max_alternatives: int = 4
    loss_weight: int = 3


DEFAULT_SEARCH: Final = CorrectionSearch()
