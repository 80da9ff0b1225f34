"""The referee: observations in, actions and prompts out.

It holds what lies on the table (`engine.referee.observed_cards`) against what the record says lies there and what the rules allow
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
| the same by who has won the trick, and may be leading | prompt; a lead once the others are taken up |
| all cards of a complete trick taken up | `gather` |
| another card of the trick taken up | prompt to put it back; nothing happens when it lies there again |
| the card just played taken up together with table cards | `take`, where they make one |
| cards of a bid, a showing, the crib | counted together as soon as they are enough; one more value card: another bid |
| a card read wrongly that corrects itself | judged anew; if counted: undo, the right card, the rest again |
| read, not surely, as a card that cannot lie there | the likeliest card that it may be and that can be laid |
| outside every zone, face down, unreadable | prompt |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.observations import ActionCard, Back, Dealt, LaidAway, Lost, Observation, Said, Scene, UndoAsked
from engine.referee import prompts
from engine.referee.corrections import NAMING, Scribe, corrected
from engine.referee.interpretation import Meaning, meant, part_of_game
from engine.referee.matching import Comparison
from engine.referee.observed_cards import IMPOSSIBLE, ObservedCard, ObservedCards
from engine.referee.pickups import Lifting
from engine.referee.prompts import Prompt
from engine.referee.reconciliation import ask_about_left, pass_over_old, recall, recognise, set_aside
from engine.referee.trace import TraceEvent, Tracer
from engine.table import Table

_EARLY: Final = frozenset(("not-your-turn", "wrong-phase", "no-such-word"))
"""Refusals that may pass by themselves: the card, or the word, came before its time."""

_PASSING: Final = _EARLY | {"unclear"}
"""Also that of a card of which it is not clear yet what it stands for."""


class Referee:
    """Watches over one table.

    `act` is called for every action found: it does the action on the table and stores it, and raises `Refused`
    where the rules say no. Whatever else it raises passes through; the observation may then be given again. Nothing is
    judged before each source in `awaited` has shown what lies there, or is lost: one of several sees half the table.
    `watched`: the table was watched before, and what lies there now was laid since.

    `trace`, if given, is called at the end of every observation with what each card was taken for and with every
    refusal (`engine.referee.trace`); it must not call the referee. Nothing is passed for an observation that failed.
    """

    def __init__(
        self,
        table: Table,
        act: Callable[[Action], object],
        awaited: Iterable[str] = (),
        watched: bool = False,
        trace: Callable[[TraceEvent], None] | None = None,
    ) -> None:
        self._table = table
        self._scribe = Scribe(table, act)
        self._pieces = ObservedCards()
        self._against = Comparison(table, self._pieces)
        self._lifting = Lifting(table, self._pieces, self._against, self._do_without_card)
        self._tracer = Tracer(self._pieces, trace) if trace else None
        self._started, self._watched = False, watched
        self._awaited = set(awaited)
        self._lost: dict[str, str] = {}
        self._answer: Prompt | None = None
        self.prompts: tuple[Prompt, ...] = self._current_prompts()

    @property
    def started(self) -> bool:
        """Whether it has seen what lies on the table."""
        return self._started or self._watched

    def observe(self, observation: Observation) -> None:
        """Take one observation; do what follows from it; bring `prompts` up to date."""
        if self._tracer:
            self._tracer.begin()
        try:
            match observation:
                case Scene():
                    self._see(observation)
                case Said():
                    self._hear(observation)
                case Dealt():
                    self._answered(Action("deal", observation.seat, cards=observation.cards), observation.seat)
                case LaidAway():
                    self._answered(Action("discard", observation.seat, cards=observation.cards), observation.seat)
                case UndoAsked():
                    self._undo()
                case Lost():
                    self._lost[observation.source] = observation.reason
                    self._awaited.discard(observation.source)
                case Back():
                    self._lost.pop(observation.source, None)
            ask_about_left(self._table, self._pieces)
        finally:
            self.prompts = self._current_prompts()
        if self._tracer:
            self._tracer.end()

    # Observations

    def _see(self, scene: Scene) -> None:
        self._pieces.update(scene, part_of_game(self._table))
        self._awaited.discard(scene.source)
        if self._awaited:
            return
        first, self._started = not self._started, True
        while self._pieces.corrected:
            self._correct(self._pieces.corrected[0])
            del self._pieces.corrected[0]
        recognise(self._table, self._pieces, first)
        self._lifting.judge(first)
        pass_over_old(self._table, self._pieces)
        if first and not self._watched:
            set_aside(self._table, self._pieces)
        self._judge_laid()
        self._pieces.wanted |= {entry.card: scene.time for entry in self._against.taken_up()}

    def _hear(self, said: Said) -> None:
        action = Action("say", seat=said.seat, word=said.word, card=said.card, against=said.against)
        if self._answered(action, said.seat):
            self._judge_laid()

    def _undo(self) -> None:
        if not self._answered(Action("undo"), None):
            return
        kept = len(self._table.actions)
        for piece in self._pieces:
            too_early = piece.standing == "refused" and piece.code in _PASSING
            if too_early or (piece.at is not None and piece.at >= kept):
                piece.refuse("undone")
        for piece in self._against.idle():
            piece.refuse("undone")
        recall(self._table, self._pieces)

    def _answered(self, action: Action, seat: int | None) -> bool:
        """Do what somebody asked for in so many words; a refusal is the answer until something else happens."""
        try:
            self._do_without_card(action)
        except Refused as refusal:
            self._answer = Prompt("refused", seat, refusal.message)
            if self._tracer:
                self._tracer.refused(action, refusal.code, refusal.message)
            return False
        return True

    # Cards laid

    def _judge_laid(self) -> None:
        """Judge every open piece, and those that came too early, until nothing more follows."""
        self._pieces.hold_two_at_once()
        while any(self._judge(piece) for piece in self._waiting()):
            self._against.retire()

    def _waiting(self) -> list[ObservedCard]:
        """The pieces to judge, those laid first first."""
        return sorted((piece for piece in self._pieces if self._may_be_judged(piece)), key=lambda piece: piece.since)

    def _may_be_judged(self, piece: ObservedCard) -> bool:
        if piece.standing == "refused":
            return piece.code in _PASSING and piece.epoch == part_of_game(self._table)
        return piece.standing == "open"

    def _judge(self, piece: ObservedCard) -> bool:
        """Try the piece as what its zone stands for; True if something was accepted."""
        if isinstance(piece.face, Card) and self._lifting.unclear(piece):
            piece.refuse("unclear")
            return False
        withdrawn = piece.standing == "open" and piece.face is not None and self._lifting.exchange(piece)
        refusal: Refused | None = None
        tried: Meaning | None = None
        for meaning in meant(piece, self._pieces, self._table):
            try:
                self._try(meaning)
            except Refused as error:
                refusal, tried = error, meaning
                if error.code != "wrong-phase":
                    break
            else:
                return True
        if refusal and refusal.code in IMPOSSIBLE and not piece.returned and self._is_another(piece):
            return True
        if refusal and tried:
            for each in tried.pieces:
                if each.standing != "counted":
                    each.refuse(refusal.code, refusal.message, tried.action)
        return withdrawn

    def _is_another(self, piece: ObservedCard) -> bool:
        """Whether what cannot have been laid is, by a less likely reading, a card that can: then that was laid."""
        face = piece.face
        for other in piece.others:
            piece.face = other
            for meaning in meant(piece, self._pieces, self._table):
                if self._table.can(meaning.action) and not meaning.instead:
                    self._try(meaning)
                    return True
        piece.face = face
        return False

    def _try(self, meaning: Meaning) -> None:
        """Do what the pieces stand for. Raises `Refused`."""
        if meaning.instead:
            self._rewrite(len(self._table.actions) - 1, [meaning.action])
        else:
            self._do(meaning.action)
        for piece in meaning.pieces:
            piece.count(meaning.action, len(self._table.actions) - 1)
        if meaning.instead:
            recall(self._table, self._pieces)
        self._against.retire()
        word = self._table.vocabulary.get(meaning.action.word or "")
        if word is not None and "evidence" in word.needs:
            for other in self._pieces:
                if other.face == ActionCard(word.name) or (other.face == meaning.action.card and other.lies_in("show")):
                    if other.at is None:  # evidence may have been exposed before it was called for
                        other.count(meaning.action, len(self._table.actions) - 1)
                    other.standing = "spent"
            recall(self._table, self._pieces)

    # Corrections

    def _correct(self, piece: ObservedCard) -> None:
        """A card that was counted turns out to be another: put the record right, or leave it and say so.

        What was only assumed to be a card of the record was laid just now: the record knows nothing of it yet. Once
        the record has done with that card, nobody but people can know when this one was laid.
        """
        action, at = piece.action, piece.at
        if piece.assumed and piece.standing == "counted":
            piece.assumed, piece.standing, piece.action, piece.at = False, "open", None, None
            return
        if piece.assumed:
            piece.refuse("misread")
            return
        if action is None or at is None or not isinstance(piece.face, Card) or not isinstance(piece.was, Card):
            piece.refuse("misread")
            return
        was, now = piece.was, piece.face
        wrong = self._table.actions[at:]
        right = [corrected(each, was, now) if each is wrong[0] or each.do in NAMING else each for each in wrong]
        try:
            if wrong[:1] != (action,) or (len(wrong) > 1 and piece.epoch != part_of_game(self._table)):
                raise Refused("misread", "")
            self._rewrite(at, right)
        except Refused:
            piece.refuse("misread")
        else:
            for other in self._pieces:
                if other is piece or (other.standing == "counted" and other.at == at):
                    other.count(right[0], at)
            recall(self._table, self._pieces)
            self._against.retire()

    # Acting

    def _do_without_card(self, action: Action) -> None:
        """Do an action that no card on the table stands for. Raises `Refused`."""
        self._do(action)
        if self._tracer:
            self._tracer.accepted(action)

    def _do(self, action: Action) -> None:
        self._scribe.do(action)
        self._answer = None
        if action.do != "undo":  # after an undo it matters what counted until now
            self._against.retire()

    def _rewrite(self, at: int, right: list[Action]) -> None:
        self._scribe.rewrite(at, right)
        self._answer = None

    # Prompts

    def _current_prompts(self) -> tuple[Prompt, ...]:
        view = self._table.view(None)
        out = [Prompt("source", None, reason) for _, reason in sorted(self._lost.items())]
        if self._answer:
            out.append(self._answer)
        if not view.over:
            wanted = self._against.wanted_back() if self._started else []
            # A card that is to be laid back, and lies elsewhere, is not to be taken back as well.
            back = {entry.card for entry in wanted}
            others = [piece for piece in self._pieces if not (piece.standing == "refused" and piece.face in back)]
            out += [prompt for piece in others if (prompt := prompts.about(view, piece, self._pieces))]
            out += [prompts.put_back(view, entry.card, entry.zone) for entry in wanted]
        out.append(prompts.turn(view))
        return tuple(dict.fromkeys(out))
