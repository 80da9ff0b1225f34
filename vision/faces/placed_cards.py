"""Cards at a table whose indices stand anywhere in an outline, and what else their indices may have been taken for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.faces.card_assembly import AssembledCard, IndexReading, is_within
from vision.faces.crops import on_card
from vision.faces.geometry import Quad, containment, iou, starting_at
from vision.faces.index_places import IndexPlaces, PlacedCard, pairs_in, place_on
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.readings import CARD_MM


def placed_cards(
    indices: Sequence[IndexReading],
    outlines: Sequence[tuple[Quad, float]],
    whole: Sequence[Quad],
    outlined: Sequence[OutlinedCard],
    places: IndexPlaces,
    settings: ReaderSettings = DEFAULTS,
) -> list[PlacedCard]:
    """Return the cards that two equal indices prove, and those that lie alone and have only one index.

    Indices in places in which the deck is not known to print any must be surer.

    `indices`: those that belong to no outlined card. `outlines`: with their edge scores, best first. `whole`: outlines
    on which nothing lies. `outlined`: the cards read by their corners. `places`: what is known of the deck.
    """
    pairs = pairs_in(indices, outlines, settings.min_confidence_alone_at_table, settings.places, settings.fusion)
    least = settings.min_confidence_new_place
    unsure = [one for one in pairs if one.card.confidence < least and not any(map(places.fits, one.places))]
    found = [
        one for one in pairs if one not in unsure and not any(_is_refuted(one, card, settings) for card in outlined)
    ]
    if places.in_pairs:
        return found
    rest = [one for one in indices if not any(belongs_to_placed(one, card, settings) for card in found + unsure)]
    others = [card.reading.outline for card in outlined] + [card.outline for card in found]
    scores = {id(quad): score for quad, score in outlines}
    for quad in whole:
        neighbours = others + [other for other in whole if other is not quad]
        if id(quad) not in scores or any(_overlap(quad, other, settings) for other in neighbours):
            continue
        single = _single(rest, quad, scores[id(quad)], settings)
        if single is not None:
            found.append(single)
    return found


def _overlap(quad: Quad, other: Quad, settings: ReaderSettings) -> bool:
    return containment(quad, other) > settings.places.whole_overlap


def _single(
    indices: Sequence[IndexReading], quad: Quad, edge_score: float, settings: ReaderSettings
) -> PlacedCard | None:
    """Return the card that an index in the outline `quad` shows; None if there is none, or one of another card.

    An unsure one of another card does not count beside a very sure one: a frame makes indices look like others.
    """
    inside = [one for one in indices if is_within(one.pose, quad, settings.assembly)]
    best = max(inside, key=lambda one: one.confidence, default=None)
    if best is None or best.confidence < settings.places.min_confidence_whole:
        return None
    places = settings.places
    least = places.min_confidence_against if best.confidence >= places.sure_whole else 0.0
    if any(one.card is not best.card and one.confidence >= least for one in inside):
        return None
    for corner in (0, 2):
        upright = starting_at(quad, corner)
        place = place_on(best.pose, upright, places)
        if place is not None:
            return PlacedCard(AssembledCard(best.card, best.confidence, (best,)), upright, edge_score, (place,))
    return None


def _is_refuted(placed: PlacedCard, card: OutlinedCard, settings: ReaderSettings) -> bool:
    """Return whether the outlined card shows the same card, or another one in the same place with more confidence."""
    overlap = iou(placed.outline, card.reading.outline)
    if placed.card.card is card.verdict.card:
        return overlap > settings.repeated_iou
    sure = len(card.verdict.corners) == 2 and card.verdict.confidence >= placed.card.confidence
    return sure and overlap > settings.same_card_iou


def is_outvoted(
    card: OutlinedCard, indices: Sequence[IndexReading], places: IndexPlaces, settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether two equal indices in known places, each sure and surer than the card, show another rank.

    They must be as high as the deck prints them. They are then read better than the corners of an outline, which show
    unusual places badly.
    """
    least = max(card.verdict.confidence, settings.min_confidence_disputed)
    surer = [one for one in indices if one.confidence >= least and one.card.rank != card.verdict.card.rank]
    uprights = [starting_at(card.reading.outline, corner) for corner in (0, 2)]
    high = [one for one in surer if any(places.fits_height(one.pose, upright) for upright in uprights)]
    outline = (card.reading.outline, card.edge_score)
    pairs = pairs_in(high, [outline], settings.min_confidence_alone_at_table, settings.places, settings.fusion)
    return any(all(places.fits(place) for place in pair.places) for pair in pairs)


def contradicts(placed: PlacedCard, card: OutlinedCard, settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether two equal indices show another card in the place of the outlined one: its corners were misread."""
    other = placed.card.card is not card.verdict.card
    return other and len(placed.places) > 1 and iou(placed.outline, card.reading.outline) > settings.same_card_iou


def belongs_to_placed(index: IndexReading, placed: PlacedCard, settings: ReaderSettings = DEFAULTS) -> bool:
    """Return whether the index is one of the card's own, or a misreading of one of them."""
    if not is_within(index.pose, placed.outline, settings.assembly):
        return False
    if index.card is placed.card.card:
        return True
    own = placed.places[0]
    reach = settings.corner_reach_same_rank if index.card.rank == placed.card.card.rank else settings.corner_reach
    unsure = index.confidence < placed.card.confidence
    sides = (own.right, CARD_MM[0] - own.right) if unsure else (own.right,)
    for corner in (0, 2) if len(placed.places) > 1 else (0,):
        spots = on_card(starting_at(placed.outline, corner), np.array([[right, own.down] for right in sides]))
        for x, y in spots.tolist():
            if np.hypot(index.pose.x - x, index.pose.y - y) < reach * index.pose.height:
                return True
    return False
