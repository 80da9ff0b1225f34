"""The referee: observations in, actions and prompts out.

It compares the cards seen on the table with those that should lie there according to the record, and with what the
rules allow next. A newly laid card is tried as each action that its zone stands for. What the rules refuse is never
recorded: it becomes a prompt, which stays until the card is taken back. Cards that are picked up are a gathered trick,
a withdrawn card, or a mistake to correct. The referee has no clock: sources report only cards at rest.

| at the table | outcome |
| --- | --- |
| a card in the zone of the seat on turn | the play (the cut, the turn-up, the exposed card, ...) |
| out of turn | prompt; counts by itself once it is that seat's turn in the same hand, if the card still lies there |
| refused by the rules (not in a known hand, a card seen already) | prompt until it is picked up |
| two cards laid at once by the seat on turn | prompt; the card that is left counts |
| the last card of an incomplete trick picked up | `withdraw` |
| the last card of a complete trick picked up, and another laid while the others lie | `withdraw`, `play` |
| the same by the winner of the trick, who may be leading | prompt; a lead once the others are picked up |
| all cards of a complete trick picked up | `gather` |
| another card of the trick picked up | prompt to put it back; no effect once it lies there again |
| all cards gathered or taken last, laid there again | gathering or taking is undone |
| the card just played picked up together with table cards | `take`, if the rules allow it |
| cards of a bid, a showing, the crib | count together as soon as they are enough; another value card: a larger bid |
| a card read wrongly that is read right later | judged again; if it counted: undo, the right card, the rest again |
| a card that cannot lie there, read with alternatives | counts as the likeliest alternative that the rules allow |
| outside every zone, face down, unreadable | prompt |
| as many cards swiped across a seat's deal reader as it is dealt | `deal` |
| as many cards of its hand swiped as it lays away | `discard` |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.actions import Action
from engine.errors import Refused
from engine.observations import (
    ActionCard,
    Back,
    Hampered,
    Lost,
    Observation,
    Said,
    Scene,
    Swiped,
    UndoAsked,
    Zone,
)
from engine.referee import prompts
from engine.referee.corrections import NamedCard, Rewriting, SeenCard
from engine.referee.hidden_cards import Swipes
from engine.referee.interpretation import declaration, is_incomplete
from engine.referee.matching import (
    RecordMatching,
    ask_about_left_over,
    ignore_nudged,
    reconcile,
    revive_after_undo,
    set_aside_left_over,
)
from engine.referee.observed_cards import ObservedCard, ObservedCards, SightingId, hand_phase
from engine.referee.pickups import Pickups
from engine.referee.placements import Placements, is_temporary
from engine.referee.prompts import Urgency
from engine.referee.trace import TraceEvent, Tracer
from engine.referee.unseen import Start, Unseen
from engine.table import Outcome, Table
from engine.views import Prompt


@dataclass(frozen=True, slots=True)
class Done:
    """An action that the referee has done on the table, with its outcome. `scores`, `turn`, `phase`: after it."""

    action: Action
    outcome: Outcome
    scores: tuple[int, ...]
    turn: int | None
    phase: str

    @classmethod
    def of(cls, table: Table, action: Action) -> Done:
        """Do `action` on `table`. Raises `Refused`."""
        outcome = table.do(action)
        return cls(action, outcome, tuple(table.scores), table.turn, table.phase)


class Referee:
    """Referees one table.

    It does on `table` the actions that it recognises. If they cannot be stored, the caller undoes them there, and a new
    referee judges the cards on the table.

    `awaited`: the sources of which each must send a scene, or be lost, before anything is judged, since one of several
    may see only half the table. `watched`: the table was watched before, so every card on it was laid since. `swipes`:
    how an earlier referee judged the cards swiped so far. `trace`: called at the end of every observation that did not
    fail with what each card was taken for, and with every refusal (`engine.referee.trace`); it must not call the
    referee.

    The attribute `prompts` says what the players should do now.
    """

    def __init__(
        self,
        table: Table,
        awaited: Iterable[str] = (),
        watched: bool = False,
        trace: Callable[[TraceEvent], None] | None = None,
        swipes: Swipes | None = None,
    ) -> None:
        self._table = table
        self._done: list[Done] = []
        self._cards = ObservedCards()
        self._matching = RecordMatching(table, self._cards)
        self._pickups = Pickups(table, self._cards, self._matching, self._do_without_card)
        self._rewriting = Rewriting(table, self._cards, self._matching, self._apply)
        self._placements = Placements(table, self._cards, self._matching, self._pickups, self._do, self._replace_last)
        self._tracer = Tracer(self._cards, trace) if trace else None
        self._start = Start(table, watched)
        self._watched = watched
        self.swipes = swipes or Swipes()
        self._awaited = set(awaited)
        self._lost: dict[str, str] = {}
        self._unseen = Unseen(table)
        self._answer: Prompt | None = None
        self._urgency = Urgency()
        self.prompts: tuple[Prompt, ...] = self._current_prompts()

    @property
    def started(self) -> bool:
        """Whether the cards on the table are known, from a scene or because the table was watched before."""
        return self._start.started or self._watched

    def seen(self) -> tuple[SeenCard, ...]:
        """Return the cards that are observed on the table, except action cards."""
        return self._rewriting.seen()

    def observe(self, observation: Observation) -> tuple[Done, ...]:
        """Process an observation: do the actions that follow from it, and update `prompts`.

        Return what was done on the table, in order.
        """
        self._done = []
        if self._tracer:
            self._tracer.begin()
        try:
            match observation:
                case Scene():
                    self._on_scene(observation)
                case Said():
                    self._on_word(observation)
                case Swiped():
                    self.swipes = self.swipes.judge(observation, self._table, self._do_without_card)
                case UndoAsked():
                    self._on_undo()
                case Lost():
                    self._lost[observation.source] = observation.reason
                    if not isinstance(observation, Hampered):
                        self._unseen.lose(observation.source)
                    self._awaited.discard(observation.source)
                    self._start.lose(observation.source)
                case Back():
                    self._lost.pop(observation.source, None)
            ask_about_left_over(self._table, self._cards)
        finally:
            self.prompts = self._urgency.mark(self._current_prompts(), observation.source, observation.time)
        if self._tracer:
            self._tracer.end()
        return tuple(self._done)

    def rewrite(self, kept: int, actions: Sequence[Action], named: Mapping[SightingId, NamedCard]) -> tuple[Done, ...]:
        """Rewrite the record as players ask (`Rewriting.rewrite`). Observe the scenes again afterwards.

        Return what was done on the table, in order.
        """
        self._done = []
        self._rewriting.rewrite(kept, actions, named, self._start.started)
        self._answer = self._placements.waiting_word = None
        self.prompts = self._current_prompts()
        return tuple(self._done)

    def is_due(self, source: str, time: float) -> bool:
        """Return whether to observe the last scene of `source` again, with `time` as its time.

        What was missing when the referee started is judged once nothing new has been reported for some time.
        """
        return self._start.is_due(source, time)

    def pass_time(self, source: str, time: float) -> None:
        """Bring `prompts` up to date at `time` on the clock of `source`, which has nothing new to report."""
        self.prompts = self._urgency.mark([replace(prompt, urgent=False) for prompt in self.prompts], source, time)

    # Observations

    def _on_scene(self, scene: Scene) -> None:
        self._cards.update(scene, hand_phase(self._table))
        self._awaited.discard(scene.source)
        self._start.report(scene)
        if self._awaited:
            return
        before, trick, unseen = self._table.actions, self._matching.trick(), self._unseen.hides(scene)
        if first := not self._start.started:
            self._start.begin()
        while self._cards.to_correct:
            self._correct(self._cards.to_correct[0])
            del self._cards.to_correct[0]
        self._pickups.undo_if_put_back()
        found = self._start.found(self._cards, first)
        reconcile(self._table, self._cards, found)
        self._pickups.judge(first, self._start.settled, unseen, scene.time)
        ignore_nudged(self._table, self._cards)
        if not self._watched:
            set_aside_left_over(self._table, self._cards, found)
        gone = [entry for entry in self._matching.missing_firm() if entry.zone.name == "play"]
        self._placements.judge()
        # Cards were taken up before the record had the trick, or the count, as over: the last may not have been read.
        swept = any(entry not in self._matching.missing_firm() for entry in gone)
        self._unseen.conclude(before, trick, (unseen or self._pickups.is_doubtful or swept) and not first)
        self._start.count_face_down(self._cards)
        self._cards.missing_since |= {entry.card: scene.time for entry in self._matching.missing_firm()}

    def _on_word(self, spoken: Said) -> None:
        action = Action("say", seat=spoken.seat, word=spoken.word, card=spoken.card, against=spoken.against)
        view = self._table.view()
        if is_incomplete(spoken, self._table) and spoken.word in view.words[spoken.seat]:
            complete = declaration(spoken.seat, spoken.word, self._cards, self._table)
            if complete is None:
                self._placements.waiting_word = spoken
                self._answer = prompts.waiting_word(view, ActionCard(spoken.word), Zone("say", spoken.seat))
                return
            action = complete
        if self._do_or_answer(action, spoken.seat):
            self._placements.judge()

    def _on_undo(self) -> None:
        if not self._do_or_answer(Action("undo"), None):
            return
        kept = len(self._table.actions)
        for card in self._cards:
            if is_temporary(card) or (card.action_number is not None and card.action_number >= kept):
                card.refuse("undone")
        for card in self._matching.unmatched():
            card.refuse("undone")
        revive_after_undo(self._table, self._cards)
        if self._start.started:
            reconcile(self._table, self._cards, found=())

    # Corrections

    def _correct(self, card: ObservedCard) -> None:
        """Correct the record if a card that counted is read as another. If that is impossible, ask the players."""
        if card.is_refused:  # it was undone, after its correction could not be stored
            return
        if card.assumed and card.status == "counted":
            # It was taken for a card of the record, which does not have this card yet.
            card.reject_assumption()
            return
        if card.assumed:
            # The record has finished with the card it was taken for: only the players know when it was laid.
            card.mark_misread()
            return
        number = card.action_number
        try:
            action = self._rewriting.correct(card)
        except Refused:
            card.mark_misread()
            return
        assert number is not None
        self._answer = None
        for other in self._cards:
            if other is card or (other.status == "counted" and other.action_number == number):
                other.count(action, number)
        revive_after_undo(self._table, self._cards)
        self._matching.retire_unmatched()

    # Actions

    def _do_or_answer(self, action: Action, seat: int | None) -> bool:
        """Do an action that a player asks for; return whether the rules allow it.

        A refusal is shown as a prompt until the next action.
        """
        try:
            self._do_without_card(action)
        except Refused as refusal:
            self._answer = Prompt("refused", seat, refusal.message)
            if self._tracer:
                self._tracer.refused(action, refusal.code, refusal.message)
            return False
        return True

    def _do_without_card(self, action: Action) -> None:
        """Do an action for which no card lies on the table. Raises `Refused`."""
        self._do(action)
        if self._tracer:
            self._tracer.accepted(action)

    def _apply(self, action: Action) -> None:
        self._done.append(Done.of(self._table, action))

    def _do(self, action: Action) -> None:
        self._apply(action)
        self._answer = self._placements.waiting_word = None
        if action.do != "undo":  # after an undo, the cards that counted until now are needed
            self._matching.retire_unmatched()

    def _replace_last(self, action: Action) -> None:
        """Undo the last action and do `action` instead. Raises `Refused` and changes nothing if that is not allowed."""
        self._rewriting.replace(len(self._table.actions) - 1, [action])
        self._answer = None

    # Prompts

    def _current_prompts(self) -> tuple[Prompt, ...]:
        view = self._table.view()
        current = [Prompt("source", None, reason) for _, reason in sorted(self._lost.items())]
        if self._answer:
            current.append(self._answer)
        if not view.over:
            to_put_back = self._matching.to_put_back() if self._start.started else []
            # A card that must be put back and lies elsewhere need not be taken back as well.
            faces = {entry.card for entry in to_put_back}
            others = [card for card in self._cards if card.status == "counted" or card.face not in faces]
            if trick := self._matching.last_trick(others):
                current.append(prompts.LAST_TRICK)
            current += [
                prompt for card in others if card not in trick and (prompt := prompts.about(view, card, self._cards))
            ]
            current += [prompts.put_back(view, entry.card, entry.zone) for entry in to_put_back]
            if (seat := self._start.perhaps_drawn(self._cards)) is not None:
                current.append(prompts.perhaps_drawn(view, seat, self._table.drawing_says or ""))
        current += self._unseen.prompts()
        current.append(prompts.turn(view))
        return tuple(dict.fromkeys(current))
