"""Belote, for four in partnerships: the rules in the order in which the rule book gives them.

Two forms: classic Belote, in which the turn-up is taken, and contrée (coinche), with an auction. The rules followed,
what clubs play differently, and the rulings are in docs/games/belote.md.
"""

from __future__ import annotations

from typing import Final

from engine.rules.auction import CALLS
from engine.rules.declarations import DECLARATIONS
from engine.rules.game import Option, Rules
from engine.rules.jass_cards import NO_SUITS, JassCardsGame
from engine.rules.making_trumps import TAKE_UP
from engine.rules.penalties import REVOKE
from engine.rules.royal_pairs import BELOTE, RoyalPairGame
from engine.rules.suit_words import SUIT_OF, SUIT_WORDS
from engine.rules.takers import TakersGame
from engine.rules.taking import TakingGame
from engine.texts import text
from engine.words import Word

FIRST, DEALT = 5, 8
BIDS: Final = {**{str(value): value for value in range(80, 170, 10)}, "capot": 250}
"""What each bid is worth."""
FORMS: Final = ("classic", "always", "never")
"""When an option applies: in classic Belote only, in both forms, in neither."""


class Belote(TakingGame, RoyalPairGame, JassCardsGame, TakersGame):
    """Belote. See `Game` for the attributes and the coroutines."""

    name = "belote"
    title = "Belote"
    about = text("Make more points in tricks than the others, with trumps that one of you has chosen.")
    seats = range(4, 5)
    partners = (4,)
    words = (
        *(TAKE_UP, *CALLS, *SUIT_WORDS, *NO_SUITS, *DECLARATIONS, BELOTE, REVOKE),
        *(Word(bid, group="bid", mark=157 + place) for place, bid in enumerate(BIDS)),
    )
    reasons = ("dix-de-der", "capot")
    last_trick, every_trick = ("dix-de-der", 10), ("capot", 100)
    point_bids, every_trick_bid = BIDS, "capot"
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    options = (
        Option.choice(
            "form", ("classic", "contree"), text("the turn-up is taken, or there is an auction"), text("Form")
        ),
        Option("target", 1000, text("points that win the game"), least=1, label=text("Game at")),
        RoyalPairGame.DECLARATIONS,
        RoyalPairGame.SAY_BELOTE,
        Option.choice("keep_belote", FORMS, text("a side that loses the hand keeps its belote"), text("Keep belote")),
        Option.choice(
            "undertrump", FORMS, text("without a higher trump, a lower one must be played"), text("Undertrump")
        ),
        JassCardsGame.SPARE_PARTNER,
        TakersGame.LITIGE,
        Option(
            "no_trumps",
            False,
            text("contrée can be played without trumps, or with all suits as trumps"),
            label=text("No and all trumps"),
        ),
        TakersGame.REDOUBLED,
        TakersGame.ROUNDED,
    )

    def next_seat(self, seat: int) -> int:
        """Return the seat on the right: dealing and play go counter-clockwise."""
        return (seat - 1) % len(self.players)

    def hand(self) -> Rules[None]:
        """Deal; find out who makes trumps; play the tricks; count."""
        self.clear_tricks()
        self.undertrumps = self.applies("undertrump")
        self.kept = ("belote",) if self.applies("keep_belote") else ()
        suits = (*SUIT_OF, *[word.name for word in NO_SUITS if self.values["no_trumps"]])
        classic = self.values["form"] == "classic"
        taken = yield from self.deal_and_take(FIRST, DEALT) if classic else self.auction(suits)
        if taken is None:
            self.report("passed")
            self.match.dealer = self.eldest
            return
        self.name_trumps(taken.trumps)
        yield from self.play_tricks(self.eldest)
        self.count_hand(taken.seat)

    def applies(self, option: str) -> bool:
        """Return whether a rule applies that may be one of classic Belote only; its option is one of `FORMS`."""
        return self.values[option] in ("always", self.values["form"])
