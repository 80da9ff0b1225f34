"""Claims at bridge: a player says how many of the remaining tricks the player's side would take, and shows the hand.

The others accept, or let the play go on. A claim that all of them accept ends the play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from engine.actions import Action
from engine.errors import Refused
from engine.rules.bidding import NUMBERS
from engine.rules.penalties import PenaltyTrickGame
from engine.rules.questions import Accusation, Question, Say
from engine.rules.tricks import Trick
from engine.texts import plural, text
from engine.views import EventKind
from engine.words import Word

CLAIM_WORDS: Final = (
    Word("claim", label="claim the rest", mark=195),
    *NUMBERS,
    Word("accept", mark=106),
    Word("play-on", mark=194),
)
"""The words of a claim, for the `words` of a game."""


class ClaimGame(PenaltyTrickGame):
    """A trick game with claims. Its `words` include `CLAIM_WORDS`. It says in `may_claim` who may claim.

    `claimer`: the seat whose claim is to be answered, or was accepted; None without a claim. `claimed`: the number of
    tricks that it claims; None until it is said. `to_answer`: the seats that have not accepted yet.
    """

    event_kinds: ClassVar = {"claim": EventKind(lambda name, card: text("The claim of {name} is accepted", name=name))}
    claimer: int | None = None
    claimed: int | None = None

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._accusations["claim"] = Claim(self)

    def clear_tricks(self) -> None:
        """Begin a hand without a claim."""
        super().clear_tricks()
        self.claimer = self.claimed = None
        self.to_answer: list[int] = []

    def may_claim(self, seat: int) -> bool:
        """Return whether `seat` may claim during the play."""
        raise NotImplementedError

    def answers_claim(self, seat: int, claimer: int) -> bool:
        """Return whether `seat` must accept a claim of `claimer`."""
        raise NotImplementedError

    def tricks_left(self) -> int:
        """Return the number of tricks that are not complete, including the one being played."""
        return max(hand.size for hand in self.hands)  # a seat that has not played to the trick holds a card for it

    def play_question(self, trick: Trick) -> Question:
        """Ask about the claim first, if there is one."""
        if self.claimer is None:
            return super().play_question(trick)
        name = self.players[self.claimer]
        if self.claimed is None:
            words = tuple(map(str, range(self.tricks_left() + 1)))
            hint = text("{name} claims: how many of the tricks left?", name=name)
            return self.question("say", self.claimer, Say(self, self.claimer, words), hint=hint)
        asked = self.to_answer[0]
        single, many = "{asked}: {name} claims {count} trick.", "{asked}: {name} claims {count} tricks."
        hint = plural(single, many, self.claimed, asked=self.players[asked], name=name)
        return self.question("say", asked, Say(self, asked, ("accept", "play-on")), hint=hint)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also claim, and answer a claim."""
        word = action.word or ""
        if word == "claim" and isinstance(action.seat, int):
            self.claimer, self.claimed = action.seat, None
            self.to_answer = [seat for seat in self.seats_from(action.seat) if self.answers_claim(seat, action.seat)]
        elif word.isdecimal():
            self.claimed = int(word)
        elif word == "play-on":
            self.claimer = self.claimed = None
        elif word == "accept":
            self.to_answer = self.to_answer[1:]
            if not self.to_answer:
                self.conceded = True
                self.report("claim", self.claimer)
        else:
            super().meanwhile(trick, action)

    def tricks_won(self) -> tuple[int, ...]:
        """Add the tricks of an accepted claim; the others are the left opponent's."""
        won = list(super().tricks_won())
        if self.conceded and self.claimer is not None and self.claimed is not None:
            won[self.claimer] += self.claimed
            won[self.next_seat(self.claimer)] += self.tricks_left() - self.claimed
        return tuple(won)


class Claim(Accusation):
    """`claim`: a player claims tricks, at any time between two cards of the play."""

    __slots__ = ("game",)

    def __init__(self, game: ClaimGame) -> None:
        self.game = game

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        game = self.game
        if game.trick is None:
            raise Refused("bad-call", text("Tricks can be claimed only during the play."))
        if game.claimer is not None:
            raise Refused("bad-call", text("There is a claim already: answer it first."))
        if not isinstance(action.seat, int) or not game.may_claim(action.seat):
            raise Refused("bad-call", text("Claim after the first lead, never as the dummy."))

    def candidates(self) -> Iterator[Action]:
        """Yield a claim of every seat."""
        for seat in self.game.every_seat:
            yield Action("say", seat, word="claim")

    def open_to(self, seat: int) -> bool:
        """Return whether `seat` may claim now."""
        return self.allows(Action("say", seat, word="claim"))
