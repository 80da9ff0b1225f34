"""What a card laid on the table may stand for, which depends on its zone and on the game.

| zone | a card there is |
| --- | --- |
| `play` | the card cut for the deal, or a card played |
| `turn-up` | the card turned up, or the card that the dealer gives for it |
| `table` | a card turned up, or the play of the seat on turn |
| `show` | evidence for a word that accuses its owner; an exposed card; one of the cards to be shown; a hand |
| `bid` | one of the cards of a bid |
| `crib` | one of the cards of the crib, which is to be shown |
| `say` | a word, if it is an action card |

A bid, a showing, a hand and the crib consist of several cards, laid one after another: each card is tried together with
those that lie there already. A card added to the last bid makes it a larger bid. A word may need a card that is laid
before or after it is said, such as the evidence for an accusation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.actions import ACTION_KINDS, Action, Seat, kinds_in_zone
from engine.cards import Card
from engine.observations import ActionCard, Said, Zone
from engine.referee.observed_cards import ObservedCard, hand_phase
from engine.table import Table

EVIDENCE_S: Final = 2.0
"""A card exposed at most this many seconds before an action card that needs it was laid as evidence, and does not stay
exposed. Longer: neither does a card exposed by accident, by which a revoke is noticed. Shorter: evidence laid before
the action card stays exposed."""
LAYING: Final = frozenset(kind.name for kind in ACTION_KINDS.values() if "card" in kind.needs and kind.zones)
"""The kinds of action that lay a single card."""
TOGETHER: Final = {zone: kind.name for kind in ACTION_KINDS.values() if "cards" in kind.needs for zone in kind.zones}
"""By zone, the kind of action that its cards make together."""


def needs_evidence(word: str | None, table: Table) -> bool:
    """Return whether this word of the game needs a card of the accused seat, laid in its `show` zone."""
    found = table.vocabulary.get(word or "")
    return found is not None and "evidence" in found.needs


def is_incomplete(spoken: Said, table: Table) -> bool:
    """Return whether a word was said with a button, without the card or the seat that it needs."""
    declared = table.vocabulary.get(spoken.word)
    return declared is not None and bool(declared.keys) and spoken.card is None and spoken.against is None


def declaration(seat: int, word: str, cards: Iterable[ObservedCard], table: Table) -> Action | None:
    """Return the action of a word said with an action card or button, completed by what is seen on the table.

    None as long as a card or a seat that it needs is not known. `cards` are all cards observed on the table.
    """
    declared = table.vocabulary.get(word)
    if declared is None or not declared.needs:
        return Action("say", seat=seat, word=word)
    if needs_evidence(word, table):
        accusations = (
            Action("say", seat=seat, word=word, against=card.zone.seat, card=card.face)
            for card in cards
            if card.zone and card.lies_in("show") and isinstance(card.face, Card) and card.zone.seat != seat
        )
        return next((each for each in accusations if table.can(each)), None)
    others = [other for other in range(len(table.header.players)) if other != seat]
    choices = table.view().choices(word)
    if ("against" in declared.needs and len(others) > 1) or len(choices) > 1:
        return None
    against = others[0] if "against" in declared.needs else None
    return Action("say", seat=seat, word=word, card=choices[0] if choices else None, against=against)


def accusation(
    show: Zone, evidence: Card, cards: Iterable[ObservedCard], table: Table, spoken: Said | None = None
) -> Action | None:
    """Return the declaration that waits for evidence from the zone `show`; None if none waits.

    It was made with a button (`spoken`), or is made with an action card among `cards`, by another seat than that of
    `show`. An action card that may have been forgotten on the table (`before`) counts, too, if the rules allow the
    declaration.
    """
    waiting: list[tuple[int | None, str, bool]] = [(spoken.seat, spoken.word, True)] if spoken else []
    for card in cards:
        if card.zone and card.lies_in("say") and isinstance(card.face, ActionCard):
            forgotten = card.status == "refused" and card.code == "before"
            if card.status == "open" or forgotten:
                waiting.append((card.zone.seat, card.face.text, not forgotten))
    for seat, word, certain in waiting:
        if seat not in (None, show.seat) and needs_evidence(word, table):
            declared = Action("say", seat=seat, word=word, against=show.seat, card=evidence)
            if certain or table.can(declared):
                return declared
    return None


@dataclass(frozen=True, slots=True)
class Interpretation:
    """An action, and the cards that stand for it. `replaces_last`: it takes the place of the last action."""

    action: Action
    cards: tuple[ObservedCard, ...]
    replaces_last: bool = False


def interpretations(
    card: ObservedCard, cards: Iterable[ObservedCard], table: Table, spoken: Said | None = None
) -> list[Interpretation]:
    """Return what `card` may stand for, in the order to try: the first action that the rules allow is right.

    `cards` are all cards observed on the table, `spoken` is a word said with a button that still needs a card. The list
    is empty if the card stands for nothing, or if more must be known first: evidence for a word may be laid after the
    action card.
    """
    zone, face = card.zone, card.face
    if zone is None:
        return []
    if face is None:
        return _drawn(card, zone, cards, table)
    if isinstance(face, ActionCard):
        declared = None
        if zone.name == "say" and zone.seat is not None:
            declared = declaration(zone.seat, face.text, cards, table)
        if declared is None:
            return []
        evidence = _shown_for(declared, card, cards, table)
        return [Interpretation(declared, (*evidence, card), replaces_last=bool(evidence))]
    if zone.name == "show" and (accused := accusation(zone, face, cards, table, spoken)):
        return [Interpretation(accused, (card,))]
    single = [
        Interpretation(action, (card,), replaces_last=_was_moved(action, face, cards, table))
        for action in _single(card, zone, face, table)
    ]
    return single + (_together(card, zone, cards, table) if zone.name in TOGETHER else [])


def waits_for_more(card: ObservedCard) -> bool:
    """Return whether the card was refused as one of several, and another card may complete them."""
    together = card.zone is not None and card.zone.name in TOGETHER
    return together and card.status == "refused" and card.code in ("wrong-count", "wrong-amount", "not-in-hand")


def _single(card: ObservedCard, zone: Zone, face: Card, table: Table) -> Iterator[Action]:
    """Yield the actions that the card alone may stand for; in a shared zone they are those of the seat on turn."""
    for kind in kinds_in_zone(zone.name):
        if "card" not in kind.needs:
            continue
        if kind.name == "give" and card.status != "open":
            continue  # a card that was laid too early to be turned up is not later given for the turn-up
        if kind.name == "expose" and card.put_back_count:
            continue  # evidence that was taken up and at once put back shows nothing new
        owner = table.turn if zone.seat is None else zone.seat
        yield Action(kind.name, owner if "seat" in kind.needs else None, face)


def _was_moved(action: Action, face: Card, cards: Iterable[ObservedCard], table: Table) -> bool:
    """Return whether the card was cut or exposed last, by the seat of another zone, and was moved here since."""
    last = table.actions[-1] if table.actions else None
    if last in (None, action) or last.do not in ("cut", "expose") or last.card != face or table.can(action):
        return False
    return not any(other.status == "counted" and other.face == face for other in cards)


def _shown_for(declared: Action, word: ObservedCard, cards: Iterable[ObservedCard], table: Table) -> list[ObservedCard]:
    """Return the card exposed last if it is the evidence for the action card `word` and was laid for it.

    It was laid for it if it came down less than `EVIDENCE_S` before the action card, or after it; in the second case
    the action card was read later than the evidence.
    """
    last = table.actions[-1] if table.actions else None
    if last is None or last != Action("expose", declared.against, declared.card):
        return []
    number = len(table.actions) - 1
    shown = (card for card in cards if card.status == "counted" and card.action_number == number)
    return [card for card in shown if word.since - card.since < EVIDENCE_S]


def _together(card: ObservedCard, zone: Zone, cards: Iterable[ObservedCard], table: Table) -> list[Interpretation]:
    """Return the action that the cards in `zone` make together, in the order in which they were laid."""
    offers = (offer for offer in table.question.offers.values() if offer.laid_in == zone.name)
    do = next((offer.do for offer in offers if zone.seat in offer.seats), TOGETHER[zone.name])
    seat: Seat | None = "crib" if zone.name == "crib" else zone.seat
    there = [other for other in cards if other.zone == zone and isinstance(other.face, Card)]
    new = [other for other in there if other is card or other.status == "open" or waits_for_more(other)]
    last = table.actions[-1] if table.actions else None
    if last is not None and (last.do, last.seat) == (do, seat):
        number = len(table.actions) - 1
        counted = [other for other in there if other.status == "counted" and other.action_number == number]
        if counted:
            return [_in_order(do, seat, [*counted, *new], replaces_last=True)]
    moved = last is not None and card.action == last and last.seat != seat and last.cards == (card.face,)
    return [_in_order(do, seat, new, replaces_last=moved)]


def _in_order(do: str, seat: Seat | None, cards: Iterable[ObservedCard], replaces_last: bool) -> Interpretation:
    whole = sorted(cards, key=lambda card: card.since)
    faces = tuple(card.face for card in whole if isinstance(card.face, Card))
    return Interpretation(Action(do, seat, cards=faces), tuple(whole), replaces_last)


def _drawn(card: ObservedCard, zone: Zone, cards: Iterable[ObservedCard], table: Table) -> list[Interpretation]:
    """Return the word that is said by drawing a card face down: one card more lies there than its seat holds.

    Cards laid before this hand was dealt do not count, and a card that lay there when the deal ended was not drawn.
    """
    view = table.view()
    word = table.drawing_says
    if word is None or zone.name != "show" or zone.seat is None or zone.seat != view.turn:
        return []
    now = hand_phase(table)
    face_down = [o for o in cards if o.zone == zone and o.face is None and o.hand_phase >= now - 1]
    if card.hand_phase != now or word not in view.words[zone.seat] or len(face_down) <= view.hands[zone.seat].size:
        return []
    return [Interpretation(Action("say", seat=zone.seat, word=word), (card,))]
