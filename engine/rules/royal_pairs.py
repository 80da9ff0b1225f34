"""Trick games in which the king and queen of trumps score for the player who plays both: belote and rebelote."""

from __future__ import annotations

from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import Card
from engine.rules.declarations import DeclarationGame
from engine.rules.options import Option
from engine.rules.tricks import Trick
from engine.rules.trumping import TrumpingGame
from engine.texts import text
from engine.views import EventKind
from engine.words import Word

BELOTE: Final = Word("rebelote", mark=156)
"""The word, for the `words` of a game. `belote` on an action card chooses a game."""
_POINTS: Final = 20


class RoyalPairGame(DeclarationGame, TrumpingGame):
    """A trick game with belote, in each suit of `rising`. Its `words` include `BELOTE`.

    Its `options` include `SAY_BELOTE`. `announced`: each time the word was said, as the seat and the number of cards
    that it had played.
    """

    event_kinds: ClassVar = {
        "belote": EventKind(lambda name, card: text("{name}: belote and rebelote", name=name)),
    }
    SAY_BELOTE: ClassVar = Option(
        "say_belote", False, text("belote counts only if it is said"), label=text("Say belote")
    )
    reasons: ClassVar[tuple[str, ...]] = ("belote",)

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
                    found += [seat] if not self.values["say_belote"] or second in self.announced else []
        return found

    def points_of(self, side: int) -> dict[str, int]:
        """Add belote."""
        return {
            **super().points_of(side),
            "belote": _POINTS * sum(self.side_of(seat) == side for seat in self.belotes()),
        }

    def words_before_card(self, trick: Trick) -> tuple[str, ...]:
        """Add the word, if it must be said and was not said yet before this card."""
        words = super().words_before_card(trick)
        said = (trick.turn, self.cards_played(trick.turn)) in self.announced
        return (
            (*words, BELOTE.name)
            if self.values["say_belote"] and self.rising and not trick.complete and not said
            else words
        )

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
