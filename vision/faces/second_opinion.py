"""A second net and the whole card confirm a card that was read in an outline, or cast doubt on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.cards import COURT_RANKS, RANKS, SUITS, Card
from vision.faces.card_assembly import IndexReading
from vision.faces.geometry import Floats, Quad, starting_at
from vision.faces.index_places import is_far
from vision.faces.index_reader import is_index_of
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.score_fusion import confirmed, number_of, with_whole
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.readings import Reading


def with_second_opinion(
    card: OutlinedCard,
    indices: Sequence[IndexReading],
    whole: Callable[[Quad, str], Floats],
    settings: ReaderSettings = DEFAULTS,
    only_once: bool = True,
) -> OutlinedCard | None:
    """Return the card, confirmed by the `indices` found in its corners; None if they cast doubt on it.

    They are read by another net than the corners of outlines. If the two nets together are not sure
    (`unsure_together`), the whole card is read as well, unless it was before, by `whole`. What it shows changes the
    verdict of the corners only if these were not sure by themselves (`unsure`). The card is None if its confidence is
    then too low.

    `only_once`: the card is not read again, as at a table, where later readings decide between suits. Then it is also
    None if the other net reads another suit and the whole card does not surely show this one, if it may be a blurred
    club (`may_be_club`), or if it is a black court card, which has no pips, below `least_black_court`. At a table it is
    None if the other net reads another rank in its only corner, and is surer of that than both nets together are of the
    card.
    """
    ends = [starting_at(card.reading.outline, corner) for corner in card.verdict.corners]
    near = [one for one in indices if not is_far(one.pose, card.reading.outline)]
    seen = [one.probabilities for one in near if any(is_index_of(one.pose, end, settings.indices) for end in ends)]
    confirmed_card = _confirmed(card, seen, settings, only_once)
    sure = confirmed_card is not None and confirmed_card.verdict.confidence >= settings.fusion.unsure_together
    if sure or card.whole.any():
        return confirmed_card
    shown = whole(card.reading.outline, card.verdict.card.rank)
    doubted = card.verdict.confidence < settings.fusion.unsure[1]
    verdict = with_whole(card.verdict, shown, settings.fusion) if doubted else card.verdict
    return _confirmed(replace(card, verdict=verdict, whole=shown), seen, settings, only_once)


def _confirmed(
    card: OutlinedCard, seen: Sequence[Floats], settings: ReaderSettings, only_once: bool
) -> OutlinedCard | None:
    """Return the card, confirmed by what was `seen` in its corners and by the whole card; None if still uncertain."""
    outline = card.reading.outline
    verdict = confirmed(card.verdict, seen, card.whole, settings.fusion)
    least = settings.min_confidence
    if only_once:
        if verdict.card.rank in COURT_RANKS and verdict.card.suit in "SC":
            least = max(least, settings.least_black_court)
        is_club = may_be_club(card.verdict.card, _mean_probability(card, seen), card.whole, settings)
        disputed = is_club or _is_other_suit(card, seen, settings)
    else:
        disputed = _is_other_rank(card, seen, verdict.confidence)
    if verdict.confidence < least or disputed:
        return None
    reading = Reading(verdict.card, verdict.confidence, "face", outline, verdict.alternatives)
    return OutlinedCard(reading, verdict, card.edge_score, card.whole)


def _is_other_suit(card: OutlinedCard, seen: Sequence[Floats], settings: ReaderSettings) -> bool:
    """Return whether another net reads the card's rank with another suit, `seen`, and its index alone was not sure.

    It is False for a number card if the whole card surely shows the suit that the corners show.
    """
    if not seen or float(card.verdict.probabilities.max()) >= settings.fusion.unsure[1]:
        return False
    shown = np.mean(seen, axis=0)
    best = int(shown.argmax())
    own = card.verdict.card
    same_rank = RANKS[best // 4] == own.rank and SUITS[best % 4] != own.suit
    evidence = float(card.whole[number_of(own)] - card.whole[best])
    decided = own.rank not in COURT_RANKS and evidence >= settings.least_suit_evidence
    return bool(same_rank and shown[best] > settings.other_suit and not decided)


def _mean_probability(card: OutlinedCard, seen: Sequence[Floats]) -> float:
    """Return how probable the nets make the card, on average; `seen`: what the other net reads in its corners."""
    own = number_of(card.verdict.card)
    by_net = [card.verdict.probabilities, *([np.mean(seen, axis=0)] if seen else [])]
    return float(np.mean([one[own] for one in by_net]))


def may_be_club(
    card: Card, probability: float, whole: Floats, settings: ReaderSettings = DEFAULTS, half_sure: float = 1.0
) -> bool:
    """Return whether the card, read as a spade, may be a blurred club: neither index nor pips surely show a spade.

    Where the lobes of a club cannot be seen, it looks like a spade. Court cards have no pips: it is False for them.

    `probability`: that of the card by its index. `whole`: what the whole card shows, the logarithm of the likelihood of
    each card, and of no card or two, (53,); all 0 if it was not read. `half_sure`: the probability from which half of
    the evidence of the pips is enough.
    """
    if card.suit != "S" or card.rank in COURT_RANKS or probability >= settings.sure_spade:
        return False
    spade, club = (number_of(Card(card.rank, suit)) for suit in "SC")
    least = settings.least_suit_evidence
    return float(whole[spade] - whole[club]) < (least / 2 if probability >= half_sure else least)


def _is_other_rank(card: OutlinedCard, seen: Sequence[Floats], together: float) -> bool:
    """Return whether another net reads another rank, `seen`, in the card's only corner.

    It must be surer of it than both nets `together` are of the card.
    """
    if not seen or len(card.verdict.corners) > 1:
        return False
    shown = np.mean(seen, axis=0)
    best = int(shown.argmax())
    return RANKS[best // 4] != card.verdict.card.rank and shown[best] > together
