"""Words said at the table, and the cards on the table that complete them."""

from __future__ import annotations

from collections.abc import Iterable

from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Said, Zone
from engine.referee.observed_card import ObservedCard
from engine.table import Table


def needs_evidence(word: str | None, table: Table) -> bool:
    """Return whether this word of the game needs a card of the accused seat, laid in its `show` zone."""
    declared = table.vocabulary.get(word or "")
    return declared is not None and "evidence" in declared.needs


def is_incomplete(said: Said, table: Table) -> bool:
    """Return whether a word was said, with a button, without the card or the seat that it needs."""
    declared = table.vocabulary.get(said.word)
    return declared is not None and bool(declared.keys) and said.card is None and said.against is None


def declaration(seat: int, word: str, cards: Iterable[ObservedCard], table: Table) -> Action | None:
    """Return the action of a word said by action card or button, completed by what is seen on the table.

    None while a card, or a seat, that it needs is not known. `cards` are all cards observed on the table.
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
    show: Zone, evidence: Card, cards: Iterable[ObservedCard], table: Table, said: Said | None = None
) -> Action | None:
    """Return the declaration that waits for evidence from the zone `show`; None if none waits.

    It was made with a button (`said`), or is made by an action card among `cards`, of another seat than that of `show`.
    An action card that may have been forgotten on the table (`before`) counts too if the rules allow the declaration.
    """
    waiting: list[tuple[int | None, str, bool]] = [(said.seat, said.word, True)] if said else []
    for card in cards:
        if card.zone and card.lies_in("say") and isinstance(card.face, ActionCard):
            forgotten = card.status == "refused" and card.code == "before"
            if card.status == "open" or forgotten:
                waiting.append((card.zone.seat, card.face.text, not forgotten))
    for seat, word, sure in waiting:
        if seat not in (None, show.seat) and needs_evidence(word, table):
            declared = Action("say", seat=seat, word=word, against=show.seat, card=evidence)
            if sure or table.can(declared):
                return declared
    return None
