"""Trick games in which the king and queen of trumps score for the player who plays both: belote and rebelote."""

from __future__ import annotations

from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import Card
from engine.rules.declarations import DeclarationGame
from engine.rules.tricks import Trick
from engine.rules.trumping import TrumpingGame
from engine.texts import text
from engine.views import EventKind
from engine.words import Word

BELOTE: Final = Word("rebelote", mark=156)
"""The word, for the `words` of a game. `belote` on an action card chooses a game."""


class RoyalPairGame(DeclarationGame, TrumpingGame):
    """A trick game with belote, in each suit of `rising`. Its `words` include `BELOTE`.

    `must_say`: it counts only if `rebelote` is said before the second of the two cards. `announced`: each time it was
    said, as the seat and the number of cards that it had played.
    """

    event_kinds: ClassVar = {
        "belote": EventKind(lambda name, card: text("{name}: belote and rebelote", name=name)),
    }
    must_say: bool = False

    def clear_tricks(self) -> None:
        """Begin a hand in which the word was not said."""
        super().clear_tricks()
        self.announced: set[tuple[int, int]] = set()

    def belotes(self) -> list[int]:
        """Return the seat of each belote that counts: both cards are played."""
        played: dict[int, list[Card]] = {seat: [] for seat in self.every_seat}
        for trick in self.begun_tricks:
            for play in trick.plays:
                played[play.seat].append(play.card)
        found = []
        for suit in self.rising:
            king, queen = Card("K", suit), Card("Q", suit)
            for seat, cards in played.items():
                if king in cards and queen in cards:
                    second = seat, max(cards.index(king), cards.index(queen))
                    found += [seat] if not self.must_say or second in self.announced else []
        return found

    def words_before_card(self, trick: Trick) -> tuple[str, ...]:
        """Add the word, if it must be said and was not said yet before this card."""
        words = super().words_before_card(trick)
        said = (trick.turn, self.cards_played(trick.turn)) in self.announced
        return (*words, BELOTE.name) if self.must_say and self.rising and not trick.complete and not said else words

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also say the word."""
        if action.word == BELOTE.name and isinstance(action.seat, int):
            self.announced.add((action.seat, self.cards_played(action.seat)))
        else:
            super().meanwhile(trick, action)

    def cards_played(self, seat: int) -> int:
        """Return how many cards `seat` has played in this hand."""
        return sum(play.seat == seat for trick in self.begun_tricks for play in trick.plays)

    def play(self, trick: Trick, card: Card) -> None:
        """Also report belote and rebelote."""
        seat, before = trick.turn, self.belotes() if card.rank in ("K", "Q") else []
        super().play(trick, card)
        if card.rank in ("K", "Q") and len(self.belotes()) > len(before):
            self.report("belote", seat)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who has had belote."""
        return (*super().facts(), *((text("belote"), self.players[seat]) for seat in self.belotes()))
