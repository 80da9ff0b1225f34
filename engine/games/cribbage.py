"""Cribbage, for two, three or four: the rules in the order in which the rule book tells them.

The rulings, and how the game is played at this table, stand in docs/games/cribbage.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine.cards import Card
from engine.games.cribbage_count import ORDER, Reason, count_hand, spoken
from engine.games.cribbage_play import Count, PlayToCount, SayGo
from engine.observations import Zone
from engine.rules.crib_game import CribGame
from engine.rules.game import Option, Rules
from engine.texts import text
from engine.views import TableCard
from engine.words import Word

DEALT: Final = {2: (6, 2), 3: (5, 1), 4: (5, 1)}
"""By the number of players: how many cards are dealt to each, and how many of them are laid away."""

CRIB_SIZE: Final = 4
THE_CRIB: Final = text("the crib")
HEELS: Final = Reason(2, "heels")

LONG_GAME: Final = 121
SKUNK: Final = 90
DOUBLE_SKUNK: Final = 60


class Cribbage(CribGame):
    """Cribbage. See `Game` for what the attributes and the coroutine are."""

    name = "cribbage"
    title = "Cribbage"
    seats = range(2, 5)
    words = (Word("go", mark=109),)
    zones = ("play", "turn-up", "crib", "say")
    options = (
        Option("target", LONG_GAME, text("points that win the game"), least=1),
        Option("skunks", True, text("the result says whether the losers were skunked")),
    )
    cuts_lowest = True
    cut_order = ORDER

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.count = Count(len(players))
        # What is asked in the play is the same every time for each seat on turn, so it is made once.
        self._asks = [
            self.ask("play", seat, PlayToCount(self, self.count, seat), SayGo(self, self.count, seat))
            for seat in self.every_seat
        ]

    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Four play as partners: those who sit opposite share a score."""
        return ((0, 2), (1, 3)) if len(self.players) == 4 else super().sides()

    # The hand

    def hand(self) -> Rules[None]:
        """The deal, the starter, the play, the show: until a side reaches the target, that instant."""
        starter = yield from self.deal_and_lay_away(*DEALT[len(self.players)])
        if starter.rank == "J" and self.peg(self.dealer, [HEELS]):
            self.win(self.side_of(self.dealer))
            return
        yield from self.play_out()
        if not self.match.over:
            yield from self.show(starter)

    def play_out(self) -> Rules[None]:
        """The play, from the dealer's left, until all cards are played or the game is won."""
        count = self.count
        count.start(self.hands, self.next_seat(self.dealer))
        while count.turn is not None:
            action = yield self._asks[count.turn]
            player, card = action.seat, action.card
            if card is None or player != count.turn or not count.fits(card):
                for seat in count.goes(player, card):
                    if self.peg(count.last, count.go(seat)):
                        self.win(self.side_of(count.last))
                        return
            if card is not None and isinstance(player, int):
                if not count.hands[player].complete and count.denies(player, card):
                    self.report("revoke-proven", player, card)
                reasons = count.play(player, card)
                if reasons and self.peg(player, reasons):
                    self.win(self.side_of(player))
                    return

    def show(self, starter: Card) -> Rules[None]:
        """Left of the dealer counts first, the dealer last; then the dealer's crib; the deal passes left."""
        left = self.next_seat(self.dealer)
        winner = None
        for step in self.every_seat:
            seat = (left + step) % len(self.players)
            if self._count(seat, self.players[seat], count_hand(self.count.played_by[seat], starter)):
                winner = seat
                break
        else:
            crib = yield from self.ask_for_crib(CRIB_SIZE)
            if self._count(self.dealer, THE_CRIB, count_hand(crib, starter, crib=True)):
                winner = self.dealer
        self.report("hand-over")
        if winner is not None:
            self.win(self.side_of(winner))
        else:
            self.match.dealer = left

    # Pegging

    def peg(self, seat: int, reasons: Sequence[Reason]) -> bool:
        """`seat` scores, up to the target and no further; True when the target is reached."""
        if not reasons:
            return False
        scores, side, target = self.match.scores, self._side_of[seat], self.values["target"]
        for points, reason in reasons:
            pegged = min(points, target - scores[side])
            self.score(seat, pegged, reason)
            if scores[side] == target:
                return True
        return False

    def _count(self, seat: int, name: str, reasons: Sequence[Reason]) -> bool:
        self.match.more["counted"] = (*self.match.more.get("counted", ()), (name, reasons))
        return self.peg(seat, reasons)

    # The result, and views

    def result(self) -> dict[str, Any]:
        """`skunk`: 1 where every loser of a game of 121 has 90 or fewer, 2 at 60 or fewer, else 0."""
        match, skunk = self.match, 0
        if match.over and self.values["skunks"] and self.values["target"] == LONG_GAME:
            best = max(score for side, score in enumerate(match.scores) if side not in match.winners)
            skunk = (best <= SKUNK) + (best <= DOUBLE_SKUNK)
        return {"skunk": skunk}

    def clear_table(self) -> None:
        """The hands that were counted are cleared away as well."""
        super().clear_table()
        self.match.more["counted"] = ()

    def lying(self) -> Iterable[TableCard]:
        """Also the cards of this count; those of counts before it may be cleared away."""
        yield from super().lying()
        for seat, card in self.count.plays:
            yield TableCard(card, Zone("play", seat))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """The count and who has said go; after the play what the hands and the crib have counted."""
        if self.count.turn is not None:
            gone = [(text("go"), self.players[seat]) for seat in self.count.gone]
            return ((text("count"), str(self.count.total)), *gone)
        return tuple((name, spoken(reasons)) for name, reasons in self.match.more.get("counted", ()))
