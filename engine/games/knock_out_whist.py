"""Knock-out Whist, for two to seven: the rules in the order in which the rule book gives them.

The rulings are in docs/reference/games/knock-out-whist.md; docs/how-to/adding-a-game.md explains this file part by
part.
"""

from __future__ import annotations

from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.rules.dealing import DealtOutGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import Offer, Say
from engine.rules.tricks import Trick
from engine.rules.trumps import SUIT_OF, SUIT_WORDS
from engine.texts import Text, both, plural, spaced, text
from engine.views import FeatKind, SeatNote
from engine.words import Word

KNOCK: Final = Word("knock", mark=188)
LARGEST: Final = 7
"""The most cards that each player is dealt."""


class KnockOutWhist(DealtOutGame, PenaltyTrickGame):
    """Knock-out Whist. See `Game` for the attributes and the coroutines.

    A seat with the dog's life has fewer cards than there are tricks. It may knock instead of playing or leading, as
    long as it can still play its cards to later tricks. A seat without cards is passed over.

    `knocked`: for each seat that has knocked in this trick, the number of cards played before that. `waiting`: the
    seats that knocked when they were to lead to the next trick.
    """

    name = "knock-out-whist"
    title = "Knock-out Whist"
    about = text("Take a trick in every hand, or you are out.")
    seats = range(2, 8)
    words = (*SUIT_WORDS, KNOCK, REVOKE)
    reasons = ("still-in",)
    feat_kinds: ClassVar = {
        "dog": FeatKind(text("A trick with the dog’s life"), counted=True),
        "back": FeatKind(text("Won after the dog’s life"), counted=True),
    }
    fact_displays: ClassVar = {**PenaltyTrickGame.fact_displays, "dog’s life": "placed", "out": "placed"}
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option(
            "cards",
            LARGEST,
            text("cards each in the first hand, at most 7"),
            least=1,
            label=text("Cards"),
            usual=(5, 7),
        ),
        Option(
            "dogs_life",
            True,
            text("the first to take no trick has one card next"),
            label=text("Dog’s life"),
            unsaid=False,
        ),
    )

    def clear_tricks(self) -> None:
        """Begin a hand in which no seat has knocked."""
        super().clear_tricks()
        self.knocked: dict[int, int] = {}
        self.waiting: tuple[int, ...] = ()

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
            self.turn_trumps(turned)
            return turned.suit
        best = self.match.more["best"]
        chooser = yield from self.cut_cards(best, text("{names} cut for trumps.", names=self.names(best)))
        then = plural("{count} card each.", "{count} cards each.", self.size)
        if self.dogs and self.size > 1:
            then = text("{count} cards each, one for {names}.", count=self.size, names=self.names(self.dogs))
        then = spaced([then, text("{name}: trumps?", name=self.players[chooser])])
        action = yield from self.deal_out(Say(self, chooser, tuple(SUIT_OF)), then=then, turn=chooser)
        suit = SUIT_OF[action.word or ""]
        self.add_moment(self.naming(chooser, SUIT_TEXTS[suit]))
        return suit

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

    # Knocking

    def may_knock(self, trick: Trick) -> bool:
        """Return whether the seat on turn can play all its cards after the trick that it plays to now."""
        played = () if trick.complete else {play.seat for play in trick.plays}
        left = [hand.size - (hand.seat not in played) for hand in self.hands if hand.seat != trick.turn]
        return 0 < self.hands[trick.turn].size <= max(left)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add the word, if the seat on turn may say it."""
        offers = super().play_offers(trick)
        if self.may_knock(trick):
            offers["say"] = Say(self, trick.turn, (KNOCK.name,), self._accusations)
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Say that the seat on turn may knock."""
        return text("{name} plays or knocks.", name=self.players[trick.turn]) if self.may_knock(trick) else ""

    def seats_without_card(self) -> tuple[int, ...]:
        """Add the seats that have no cards left, and those that have knocked before this trick."""
        empty = tuple(seat for seat in self.playing if not self.hands[seat].size)
        return (*super().seats_without_card(), *empty, *self.waiting)

    def new_trick(self, leader: int) -> Trick:
        """Return a trick, as in other games; what was knocked for it is settled."""
        trick = super().new_trick(leader)
        self.knocked, self.waiting = {}, ()
        return trick

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also knock."""
        if action.word != KNOCK.name:
            super().meanwhile(trick, action)
        elif trick.complete:
            self.waiting += (trick.turn,)
            self._pass_on(trick)
        else:
            self.knocked[trick.turn] = len(trick.plays)
            trick.pass_over()
            if trick.complete:
                self.report("trick", trick.winner)
                self._pass_on(trick)

    def play(self, trick: Trick, card: Card) -> None:
        """Also pass the lead on if the winner has no cards left."""
        super().play(trick, card)
        if trick.complete:
            self._pass_on(trick)

    def withdraw(self, trick: Trick) -> None:
        """Also cancel the knocks after the card that is taken back."""
        played = len(trick.plays)
        trick.sitting_out = tuple(seat for seat in trick.sitting_out if self.knocked.get(seat, 0) < played)
        self.waiting = ()
        super().withdraw(trick)

    def _pass_on(self, trick: Trick) -> None:
        """Let the next seat that plays lead to the next trick, if there is one."""
        without = self.seats_without_card()
        leaders = (seat for seat in self.seats_from(trick.winner) if seat not in without)
        trick.turn = next(leaders, trick.winner)

    # The count

    def count_hand(self) -> None:
        """Score 1 for each player who is still in. The last of them wins; otherwise the next of them deals."""
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
        for seat in self.dogs:
            if seat in took:
                self.note_feat("dog", seat)
        most = max(won[seat] for seat in still_in)
        self.match.more["best"] = tuple(seat for seat in still_in if won[seat] == most)
        self.match.dealer = still_in[0]
        if len(still_in) == 1:
            self.win(*still_in)
            if still_in[0] in self.match.more.get("dogs", (0, ()))[1]:
                self.note_feat("back", still_in[0])

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the revoker is out at the end of the hand."""
        return text("{name} should have followed suit: {name} is out after this hand.", name=self.players[revoker])

    def note(self, seat: int) -> SeatNote:
        """Return whether the seat is out, or has the dog’s life."""
        return SeatNote(text("out") if seat in self.sitting_out else text("dog’s life") if seat in self.dogs else "")

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who has the dog’s life, and who is out."""
        dogs = ((text("dog’s life"), self.names(self.dogs)),) if self.dogs else ()
        out = ((text("out"), self.names(self.sitting_out)),) if self.sitting_out else ()
        return (*super().facts(), *dogs, *out)

    def names(self, seats: tuple[int, ...]) -> str:
        """Return the names of the players at `seats`: `Ann and Cy`."""
        return both([self.players[seat] for seat in seats])
