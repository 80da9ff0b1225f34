"""The referee: observations in, actions and prompts out.

It holds what lies on the table (`engine.pieces`) against what the record says lies there and what the rules allow
next. A card newly laid is tried as the action that its zone stands for; what the rules refuse becomes a prompt
that stays until the card is taken back, and never part of the record. Cards taken away are a trick gathered, a
card withdrawn, or a mistake to be put right. It keeps no clock: what sources report is still and settled already.

Outcomes, by what happens at the table:

| at the table | outcome |
| --- | --- |
| a card in the zone of the seat on turn | the play (the cut, the turn-up, the exposed card …) |
| out of turn | prompt; counted by itself once it is that seat's turn in the same hand and it still lies there |
| refused by the rules (a revoke from a known hand, a card seen already) | prompt until it is lifted |
| two cards laid at once by the seat on turn | prompt; the one that is left is counted |
| the last card of a trick not complete taken up | `withdraw` |
| the last card of a complete trick taken up and another laid while the others lie | `withdraw`, `play` |
| all cards of a complete trick taken up | `gather` |
| another card of the trick taken up | prompt to put it back; nothing happens when it lies there again |
| a card read wrongly that corrects itself | judged anew; if counted: undo, the right card, the rest again |
| outside every zone, face down, unreadable | prompt |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from engine import prompts
from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.meaning import meant
from engine.observations import Back, Lost, Observation, Said, Scene, UndoAsked, Word, Zone
from engine.pieces import Piece, Pieces
from engine.prompts import Prompt
from engine.table import Table
from engine.views import Lying

AT_ONCE_S: Final = 0.15
"""Two cards that came to rest within this many seconds were laid at once."""

_EARLY: Final = frozenset(("not-your-turn", "wrong-phase", "no-such-word"))
"""Refusals that may pass by themselves: the card, or the word, came before its time."""


class Referee:
    """Watches over one table.

    `act` is called for every action found: it does the action on the table and stores it, and raises `Refused`
    where the rules say no. Whatever else it raises passes through; the observation may then be given again.
    """

    def __init__(self, table: Table, act: Callable[[Action], object]) -> None:
        self._table = table
        self._act = act
        self._pieces = Pieces()
        self._started = False
        self._lost: dict[str, str] = {}
        self._answer: Prompt | None = None
        self.prompts: tuple[Prompt, ...] = self._current_prompts()

    def observe(self, observation: Observation) -> None:
        """Take one observation; do what follows from it; bring `prompts` up to date."""
        try:
            match observation:
                case Scene():
                    self._see(observation)
                case Said():
                    self._hear(observation)
                case UndoAsked():
                    self._undo()
                case Lost():
                    self._lost[observation.source] = observation.reason
                case Back():
                    self._lost.pop(observation.source, None)
        finally:
            self.prompts = self._current_prompts()

    # Observations

    def _see(self, scene: Scene) -> None:
        self._pieces.update(scene, self._epoch)
        first, self._started = not self._started, True
        while self._pieces.corrected:
            self._correct(self._pieces.corrected[0])
            del self._pieces.corrected[0]
        self._recognise()
        self._judge_lifted(first)
        self._judge_laid()
        if first:
            for piece in self._pieces:
                if isinstance(piece.face, Word) and piece.standing == "refused":
                    piece.standing = "spent"

    def _hear(self, said: Said) -> None:
        action = Action("say", seat=said.seat, word=said.word, card=said.card, against=said.against)
        if self._answered(action, said.seat):
            self._judge_laid()

    def _undo(self) -> None:
        if not self._answered(Action("undo"), None):
            return
        kept = len(self._table.actions)
        for piece in self._pieces:
            if piece.at is not None and piece.at >= kept:
                piece.refuse("undone")

    def _answered(self, action: Action, seat: int | None) -> bool:
        """Do what somebody asked for in so many words; a refusal is the answer until something else happens."""
        try:
            self._do(action)
        except Refused as refusal:
            self._answer = Prompt("refused", seat, refusal.message)
            return False
        return True

    # Cards taken away

    def _judge_lifted(self, first: bool) -> None:
        """A card withdrawn, or a trick gathered. Only cards seen to be lifted now can be either."""
        trick = self._trick()
        if trick and (first or any(self._stood_for(piece, trick) for piece in self._pieces.lifted)):
            missing = [lying for lying in trick if self._piece_of(lying) is None]
            winner = self._who_may_gather()
            if winner is not None:
                if len(missing) == len(trick):
                    self._do(Action("gather", seat=winner))
            elif missing == [trick[-1]]:
                self._withdraw(trick[-1])
        self._pieces.lifted.clear()

    def _judge_replaced(self, piece: Piece) -> bool:
        """The last card of a complete trick was taken up, and now its seat lays another: was it withdrawn?"""
        trick = self._trick()
        if len(trick) > 1 and piece.zone == trick[-1].zone and self._who_may_gather() is not None:
            missing = [lying for lying in trick if self._piece_of(lying) is None]
            if missing == [trick[-1]]:
                return self._withdraw(trick[-1])
        return False

    def _withdraw(self, lying: Lying) -> bool:
        action = Action("withdraw", seat=lying.zone.seat, card=lying.card)
        if not self._table.can(action):
            return False
        self._do(action)
        return True

    def _who_may_gather(self) -> int | None:
        seats = range(len(self._table.header.players))
        return next((seat for seat in seats if self._table.can(Action("gather", seat=seat))), None)

    def _trick(self) -> list[Lying]:
        """The cards of the trick that lie on the table by the record, in the order played."""
        if self._table.phase == "cut":
            return []
        return [lying for lying in self._table.view(None).lying if lying.zone.name == "play"]

    @staticmethod
    def _stood_for(piece: Piece, trick: list[Lying]) -> bool:
        return piece.standing == "counted" and any(piece.face == lying.card for lying in trick)

    def _piece_of(self, lying: Lying) -> Piece | None:
        return next((p for p in self._pieces if p.standing == "counted" and p.face == lying.card), None)

    # Cards laid

    def _judge_laid(self) -> None:
        """Judge every open piece, and those that came too early, until nothing more follows."""
        self._hold_two_at_once()
        while any(self._judge(piece) for piece in self._waiting()):
            self._retire()

    def _waiting(self) -> list[Piece]:
        """The pieces to judge, those laid first first."""
        return sorted((piece for piece in self._pieces if self._may_be_judged(piece)), key=lambda piece: piece.since)

    def _may_be_judged(self, piece: Piece) -> bool:
        if piece.standing == "refused":
            return piece.code in _EARLY and piece.epoch == self._epoch
        return piece.standing == "open" and piece.face is not None

    def _recognise(self) -> None:
        """A card that the record says lies there, and that no piece stands for yet, needs no action."""
        for lying in self._table.view(None).lying:
            if self._piece_of(lying) is None:
                for piece in self._pieces:
                    if piece.standing == "open" and piece.face == lying.card and piece.zone == lying.zone:
                        piece.standing = "counted"
                        break

    def _hold_two_at_once(self) -> None:
        """Two cards laid at once in one play zone: neither is counted while both lie there."""
        laid: dict[Zone, list[Piece]] = {}
        for piece in self._pieces:
            fresh = piece.standing == "open" or (piece.standing == "refused" and piece.code == "two-cards")
            if fresh and piece.zone and piece.lies_in("play") and isinstance(piece.face, Card):
                laid.setdefault(piece.zone, []).append(piece)
        for group in laid.values():
            group.sort(key=lambda piece: piece.since)
            both = len(group) > 1 and group[1].since - group[0].since < AT_ONCE_S
            for piece in group:
                if both:
                    piece.refuse("two-cards")
                elif piece.standing == "refused":
                    piece.standing = "open"

    def _judge(self, piece: Piece) -> bool:
        """Try the piece as what its zone stands for; True if something was accepted."""
        withdrawn = piece.standing == "open" and self._judge_replaced(piece)
        refusal: Refused | None = None
        for action in meant(piece, self._pieces, self._table):
            try:
                self._do(action)
            except Refused as error:
                refusal = error
                if error.code != "wrong-phase":
                    break
            else:
                self._count(piece, action)
                return True
        if refusal:
            piece.refuse(refusal.code, refusal.message)
        return withdrawn

    def _count(self, piece: Piece, action: Action) -> None:
        piece.count(action, len(self._table.actions) - 1)
        if action.word == "revoke":
            for other in self._pieces:
                if other.face == Word("revoke") or (other.face == action.card and other.lies_in("show")):
                    other.standing = "spent"

    # Corrections

    def _correct(self, piece: Piece) -> None:
        """A card that was counted turns out to be another: put the record right, or leave it and say so."""
        action, at = piece.action, piece.at
        if action is None or at is None or not isinstance(piece.face, Card):
            piece.face = piece.was
            return
        wrong = list(self._table.actions[at:])
        right = [replace(action, card=piece.face), *wrong[1:]]
        if wrong[:1] != [action] or not self._rewrite(at, wrong, right):
            piece.refuse("misread")
        else:
            piece.count(right[0], at)

    def _rewrite(self, at: int, wrong: list[Action], right: list[Action]) -> bool:
        """Undo back to action number `at` and do `right` instead; where that fails, do `wrong` again."""
        self._back_to(at)
        try:
            for action in right:
                self._do(action)
        except Refused:
            self._back_to(at)
            for action in wrong:
                self._do(action)
            return False
        return True

    def _back_to(self, at: int) -> None:
        while len(self._table.actions) > at:
            self._do(Action("undo"))

    # Acting

    @property
    def _epoch(self) -> int:
        """Which part of the game this is: a card refused in one part is never counted by itself in another."""
        turned = sum(action.do == "turn" for action in self._table.actions)
        return 2 * turned + (self._table.phase in ("cut", "deal", "turn"))

    def _do(self, action: Action) -> None:
        self._act(action)
        self._answer = None
        self._retire()

    def _retire(self) -> None:
        """Counted pieces whose card the record no longer has on the table only wait to be cleared away."""
        lying = {entry.card for entry in self._table.view(None).lying}
        for piece in self._pieces:
            if piece.standing == "counted" and piece.face not in lying:
                piece.standing = "spent"

    # Prompts

    def _current_prompts(self) -> tuple[Prompt, ...]:
        view = self._table.view(None)
        out = [Prompt("source", None, reason) for _, reason in sorted(self._lost.items())]
        if self._answer:
            out.append(self._answer)
        if not view.over:
            out += [prompt for piece in self._pieces if (prompt := prompts.about(view, piece))]
            if self._started:
                out += [prompts.put_back(view, e.card, e.zone) for e in view.lying if e.firm and not self._piece_of(e)]
        out.append(prompts.turn(view))
        return tuple(dict.fromkeys(out))
