"""Knock-out Whist, for two to seven: the rules in the order in which the rule book gives them.

The rulings are in docs/games/knock-out-whist.md; docs/adding-a-game.md explains this file part by part.
"""

from __future__ import annotations

from engine.rules.dealing_out import DealtOutGame
from engine.rules.game import Option, Rules
from engine.rules.knocking import KNOCK, KnockingGame
from engine.rules.penalties import REVOKE
from engine.rules.questions import Say
from engine.rules.suit_words import SUIT_OF, SUIT_WORDS
from engine.texts import Text, both, plural, spaced, text

LARGEST = 7


class KnockOutWhist(DealtOutGame, KnockingGame):
    """Knock-out Whist. See `Game` for the attributes and the coroutines."""

    name = "knock-out-whist"
    title = "Knock-out Whist"
    about = text("Take a trick in every hand, or you are out.")
    seats = range(2, 8)
    words = (*SUIT_WORDS, KNOCK, REVOKE)
    reasons = ("still-in",)
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("cards", LARGEST, text("cards each in the first hand, at most 7"), least=1, label=text("Cards")),
        Option("dogs_life", False, text("the first to take no trick has one card next"), label=text("Dog’s life")),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal one card fewer than before to those who are still in, settle trumps, play the tricks, count."""
        self.clear_tricks()
        for seat in self.every_seat:
            if self.match.scores[seat] < self.match.hands:
                self.sit_out(seat)
        self.trump = yield from self.settle_trumps()
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def settle_trumps(self) -> Rules[str]:
        """Deal, and return the suit turned up in the first hand, later the suit that the winner of most tricks names.

        Players who won equally many cut for that before the deal.
        """
        if not self.match.hands:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(self.size, self.deal_hint(self.size))
            for hand in self.hands:
                hand.counted = True
            return turned.suit
        best = self.match.more["best"]
        chooser = yield from self.cut_cards(best, text("{names} cut for trumps.", names=self.names(best)))
        then = plural("{count} card each.", "{count} cards each.", self.size)
        if self.dogs and self.size > 1:
            then = text("{count} cards each, one for {names}.", count=self.size, names=self.names(self.dogs))
        then = spaced([then, text("{name}: trumps?", name=self.players[chooser])])
        said = yield from self.deal_out(Say(self, chooser, tuple(SUIT_OF)), then=then, turn=chooser)
        return SUIT_OF[said.word or ""]

    @property
    def dogs(self) -> tuple[int, ...]:
        """The seats that have the dog’s life in this hand."""
        hand, seats = self.match.more.get("dogs", (None, ()))
        return seats if hand == self.match.hands else ()

    @property
    def size(self) -> int:
        """The number of cards that are dealt to each seat in this hand."""
        return int(min(self.values["cards"], LARGEST)) - self.match.hands

    def cards_for(self, seat: int) -> int:
        """Return how many cards `seat` is dealt: one, with the dog’s life."""
        return 1 if seat in self.dogs else self.size

    def count_hand(self) -> None:
        """Score 1 for each player who is still in. The last one wins; otherwise the next one who is still in deals."""
        self.match.turn_up = None
        won, order = self.tricks_won(), [seat for seat in self.seats_from(self.eldest) if seat in self.playing]
        fair = [seat for seat in order if seat not in self.revokers]
        took = [seat for seat in fair if won[seat]]
        still_in = took or fair or [seat for seat in order if won[seat]]
        if took != fair and took and self.values["dogs_life"] and self.size > 1 and "dogs" not in self.match.more:
            self.match.more["dogs"] = self.match.hands + 1, tuple(seat for seat in fair if not won[seat])
            still_in = fair
        for seat in still_in:
            self.score(seat, 1, "still-in")
        self.report("hand-over")
        most = max(won[seat] for seat in still_in)
        self.match.more["best"] = tuple(seat for seat in still_in if won[seat] == most)
        self.match.dealer = still_in[0]
        if len(still_in) == 1:
            self.win(*still_in)

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the revoker is out at the end of the hand."""
        return text("{name} should have followed suit: {name} is out after this hand.", name=self.players[revoker])

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who has the dog’s life, and who is out."""
        dogs = ((text("dog’s life"), self.names(self.dogs)),) if self.dogs else ()
        out = ((text("out"), self.names(self.sitting_out)),) if self.sitting_out else ()
        return (*super().facts(), *dogs, *out)

    def names(self, seats: tuple[int, ...]) -> str:
        """Return the names of the players at `seats`: `Ann and Cy`."""
        return both([self.players[seat] for seat in seats])
