"""The base class of the robots: shuffle, cut, deal, say a word, lay a card, clear up.

They deal a real pack and hold real hands. Their own `engine.table.Table` knows no more about the hands than a camera
sees, so their actions are those that a perfect camera would record.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import ClassVar, Final

from cardtable.simulation.director import Act, Face, PlacedCard, imagine
from engine.actions import Action
from engine.cards import Card
from engine.games import load_game
from engine.observations import ActionCard, Zone
from engine.record import Header
from engine.table import Table
from engine.views import Event, View

TIE: Final = 0.25
"""Probability that the second card cut has the rank of the first."""


class Players:
    """The robots of one game; `acts` plays it. A subclass implements `_hand`, the acts of one deal.

    `table`: the game up to the last act. `across`: cards are dealt and laid away across RFID readers, so that the table
    knows the hands; `opens`: for the same, they are laid open in *show* and taken up again. `_hands`, `_pack`, `_crib`:
    the real cards, the crib face down. `_lying`: the cards on the table.
    """

    cut_for_deal: ClassVar[bool] = True
    """Whether the players cut for the first deal; otherwise the header names the dealer."""
    deals: ClassVar[bool] = True
    """Whether the game allows the table to know the cards dealt."""

    def __init__(self, header: Header, rng: random.Random) -> None:
        self.table: Final = Table(header)
        self._rng = rng
        self._seats = range(len(header.players))
        self._deck = tuple(load_game(header.game).deck)
        self._hands: list[list[Card]] = [[] for _ in self._seats]
        self._dealt: list[list[Card]] = []
        self._pack: list[Card] = []
        self._crib: list[Card] = []
        self.across = self.opens = False
        self._lying: list[PlacedCard] = []
        self._news: tuple[Event, ...] = ()

    def acts(self, hands: int | None = None) -> Iterator[Act]:
        """Yield every act, from the cut to the end of the game, or to the end of the first `hands` hands."""
        for act in self._game():
            if act.kind == "shuffle" and hands is not None and len(self.table.hand_starts) > hands:
                return
            imagine(act, self._lying)
            yield act
            if act.kind == "deal" and (self.across or self.opens):
                dealer = self._dealer()
                for seat in self._in_turn(dealer):
                    cards = self._dealt[seat]
                    if cards and self.table.can(Action("deal", seat=seat, cards=tuple(cards))):
                        for naming in self._name(dealer, seat, "deal", cards):
                            imagine(naming, self._lying)
                            yield naming

    def _game(self) -> Iterator[Act]:
        if self.table.phase == "cut":
            yield from self._cut()
        while not self.table.over:
            yield self._shuffle()
            yield from self._hand()

    def _hand(self) -> Iterator[Act]:
        raise NotImplementedError

    def _cut(self) -> Iterator[Act]:
        while self.table.phase == "cut":
            yield self._shuffle()
            pack = self._shuffled()
            seats = [seat for seat in self._seats if self.table.can(Action("cut", seat=seat, card=pack[0]))]
            cut: list[tuple[int, Card]] = []
            for seat in seats:
                same = [card for card in pack[1:] if cut and card.rank == cut[0][1].rank]
                card = same[0] if same and self._rng.random() < TIE else pack[0]
                pack.remove(card)
                cut.append((seat, card))
                yield self._lay(seat, card, Zone("play", seat), Action("cut", seat=seat, card=card))
            for seat, card in cut:
                yield Act("lift", seat, card, Zone("play", seat), tidy=True)

    # Dealing

    def _shuffle(self) -> Act:
        """Return the act of gathering all cards and shuffling the pack."""
        return Act("shuffle", self.table.view().dealer or 0, tidy=True)

    def _shuffled(self) -> list[Card]:
        pack = list(self._deck)
        self._rng.shuffle(pack)
        return pack

    def _deal(self, count: int) -> Act:
        """Deal `count` cards to each player from the pack."""
        self._dealt = [self._from_pack(count) for _ in self._seats]
        for hand, cards in zip(self._hands, self._dealt, strict=True):
            hand += cards
        return Act("deal", self._dealer(), tidy=True)

    def _pass(self, by: int, seat: int, do: str, cards: Collection[Card]) -> Iterator[Act]:
        """Push cards, one after another, across the reader of `seat`; the last one completes the action `do`."""
        zone = Zone("deal", seat)
        *first, last = cards
        for card in first:
            yield Act("pass", by, card, zone)
        action = Action(do, seat=seat, cards=tuple(cards))
        yield Act("pass", by, last, zone, action=action, expect=self._do(action))

    def _lay_in_show(self, seat: int, do: str, cards: Collection[Card]) -> Iterator[Act]:
        """Lay cards open in *show*, where the last one completes the action `do`, and take them up."""
        zone, action = Zone("show", seat), Action(do, seat=seat, cards=tuple(cards))
        for number, card in enumerate(cards, 1):
            act = Act("lay", seat, card, zone, slot=(number - 1, len(cards)))
            yield replace(act, action=action, expect=self._do(action)) if number == len(cards) else act
        yield Act("sweep", seat, faces=tuple((card, zone) for card in cards), tidy=True)

    def _name(self, by: int, seat: int, do: str, cards: Collection[Card]) -> Iterator[Act]:
        """Let the table know the cards that `by` deals to `seat`, or that `seat` lays away."""
        yield from self._pass(by, seat, do, cards) if self.across else self._lay_in_show(seat, do, cards)

    def _lay_away_named(self, seat: int, cards: Collection[Card]) -> Iterator[Act]:
        """Let the table know the cards that `seat` lays away if it knows the hand."""
        if self.across or self.opens:
            yield from self._name(seat, seat, "discard", cards)

    def _lay_in_crib(self, seat: int, cards: Collection[Card]) -> Iterator[Act]:
        """Lay cards of the hand face down in the crib."""
        for card in cards:
            self._hands[seat].remove(card)
            self._crib.append(card)
            yield Act("lay", seat, None, Zone("crib"))

    def _take_crib(self, seat: int) -> Act:
        """Return the act of taking up the crib, which is face down."""
        return Act("sweep", seat, faces=((None, Zone("crib")),) * len(self._crib))

    def _show_crib(self, dealer: int) -> Iterator[Act]:
        """Take the crib up and lay it face up, card by card."""
        yield self._take_crib(dealer)
        yield from self._lay_all(dealer, self._crib, Zone("crib"), Action("show", "crib", cards=tuple(self._crib)))

    def _from_pack(self, count: int) -> list[Card]:
        return [self._pack.pop() for _ in range(count)]

    def _dealer(self) -> int:
        dealer = self.table.view().dealer
        assert dealer is not None
        return dealer

    def _in_turn(self, seat: int) -> list[int]:
        """Return all seats, from the left of `seat`."""
        return [(seat + step) % len(self._seats) for step in range(1, len(self._seats) + 1)]

    # What people do

    def _say(self, seat: int, word: str) -> Iterator[Act]:
        """Lay an action card and take it up again."""
        yield from self._speak(seat, Action("say", seat=seat, word=word))

    def _speak(self, seat: int, action: Action) -> Iterator[Act]:
        """Say the word of `action` with an action card; the seat that a word accuses lays the evidence open."""
        word, say = ActionCard(action.word or ""), Zone("say", seat)
        if "evidence" in self.table.vocabulary[word.text].needs and action.against is not None:
            show = Zone("show", action.against)
            yield Act("lay", seat, word, say)
            yield self._lay(action.against, action.card, show, action)
            yield Act("lift", action.against, action.card, show, tidy=True)
        else:
            yield self._lay(seat, word, say, action)
        yield Act("lift", seat, word, say, tidy=True)

    def _lay(self, seat: int, face: Face | None, zone: Zone, action: Action) -> Act:
        """Lay a card that does `action`."""
        return Act("lay", seat, face, zone, action=action, expect=self._do(action))

    def _lay_all(self, seat: int, cards: Collection[Card], zone: Zone, action: Action) -> Iterator[Act]:
        """Lay cards one after another; the last one completes `action`."""
        *first, last = cards
        for card in first:
            yield Act("lay", seat, card, zone)
        yield self._lay(seat, last, zone, action)

    def _clear(self, seat: int, *names: str) -> Iterator[Act]:
        """Sweep the cards in the zones with these names, or all cards, off the table."""
        faces = tuple((placed.face, placed.zone) for placed in self._lying if not names or placed.zone.name in names)
        if faces:
            yield Act("sweep", seat, faces=faces, tidy=True)

    def _do(self, action: Action) -> View:
        """Do `action` and return what the board must show then."""
        self._news = self.table.do(action).events
        return self.table.view()

    def _happened(self, event: str) -> bool:
        """Return whether the last action caused this event."""
        return any(news.event == event for news in self._news)
