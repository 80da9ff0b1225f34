"""The controller with what people correct: cards, the record as a whole, or what lies on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from cardtable.board.snapshot import Snapshot
from cardtable.play.controller import Controller
from cardtable.play.journal_errors import JournalError
from cardtable.play.journal_game import ProcessedEvents
from cardtable.play.stored_corrections import CannotCorrect, What
from engine.actions import Action
from engine.correcting import Correction
from engine.observations import ActionCard, Observation, Scene
from engine.referee.observed_card import SightingId
from engine.referee.prompts import Prompt
from engine.referee.restoring import moves
from engine.referee.rewriting import NamedCard, SeenCard
from engine.referee.table_right import DIFFERENCES, follow_table
from engine.texts import Text, text

_AGREES: Final = text("The table agrees with the record again.")


class CorrectingController(Controller):
    """A controller whose game people can correct. All methods show what they have changed.

    They raise `JournalError` if nothing can be stored; the table is then as before.
    """

    _moves: Sequence[Text] = ()
    """What the players still have to move so that the table agrees with the record."""

    def seen(self) -> tuple[SeenCard, ...]:
        """Return the cards that are observed on the table, except action cards."""
        return self._referee.seen()

    def correct(
        self,
        correction: Correction,
        what: What,
        who: str,
        named: Mapping[SightingId, NamedCard | None] | None = None,
        unseen: NamedCard | None = None,
    ) -> None:
        """Apply a correction that a person asks for; store it with `what` it is and `who` has made it.

        `named`: what people say about cards that sources see, by their sightings; None: nothing lies there. `unseen`: a
        card that lies there and that no source sees.
        """
        self._check_storing()
        cards = self.named.copy()
        named = named or {}
        self.named.name(named)
        if unseen is not None and self.named.has_sources():
            self.named.add(unseen)

        def change() -> None:
            faces = {each: name for each, name in named.items() if name is not None}
            self._referee.rewrite(correction.kept, correction.redone, faces)
            for scene in self.named.again():
                self._referee.observe(scene)

        try:
            self._store_together(change, correction=(who, what))
        except JournalError:
            self.named = cards
            raise
        else:
            self._scenes |= {scene.source: scene for scene in self.named.again()}
        finally:
            self._end_change()

    def follow_table(self, who: str) -> None:
        """Make the smallest correction after which nothing that lies on the table is wrong.

        Raises `CannotCorrect` if there is none, or if nothing is wrong.
        """
        self._check_storing()
        scenes = self._visible_scenes()
        if not any(prompt.kind in DIFFERENCES for prompt in self._referee.prompts):
            raise CannotCorrect(text("The table and the record agree already."))
        found = follow_table(self.table.header, self.table, self._referee.seen(), scenes)
        if found is None:
            message = "No single correction explains what lies there: correct the cards one by one."
            raise CannotCorrect(text(message))
        correction, rest = found
        try:
            self._store_together(lambda: self._start_again(correction, rest), correction=(who, What("table-right")))
        finally:
            self._end_change()

    def restore(self, on: bool, who: str) -> None:
        """Say which card goes where until the table agrees with the record; not `on`: no longer.

        Until then nothing that is laid or taken up counts. Raises `CannotCorrect` if no source sees the table.
        """
        if not on:
            if self._moves:
                self._moves, self._announcement = (), None
                for scene in self.named.again():
                    self._process(scene)
            return
        self._check_storing()
        scenes = self._visible_scenes()
        try:
            self._store_together(lambda: None, correction=(who, What("record-right")))
            self._moves = moves(self.table, scenes)
            if not self._moves:
                self._agree(scenes)
        finally:
            self._end_change()

    def _process(self, observation: Observation, processed: ProcessedEvents | None = None) -> None:
        if not self._moves:
            super()._process(observation, processed)
            return
        if not isinstance(observation, Scene):
            super()._process(observation, processed)
        else:
            self._scenes[observation.source] = observation
        scenes = self.named.again()
        self._moves = moves(self.table, scenes)
        if not self._moves:
            self._agree(scenes)
        self._end_change()

    def _agree(self, scenes: Sequence[Scene]) -> None:
        """Go on with the table as it lies, which agrees with the record."""
        now = Correction(self.table.actions, self.table.actions)
        self._store_together(lambda: self._start_again(now, scenes))
        self._announcement = Prompt("corrected", None, _AGREES)

    def _start_again(self, correction: Correction, scenes: Sequence[Scene]) -> None:
        """Correct the record, and let a new referee judge these scenes; what they leave out is ignored from now on.

        Action cards that lie there have had their effect.
        """
        kept = {(scene.source, each.card_id) for scene in scenes for each in scene.sightings}
        kept -= {
            (scene.source, each.card_id)
            for scene in scenes
            for each in scene.sightings
            if isinstance(each.face, ActionCard)
        }
        everything = {(scene.source, each.card_id) for scene in self.named.again() for each in scene.sightings}
        self.named.name(dict.fromkeys(everything - kept))
        while len(self.table.actions) > correction.kept:
            self._stored.apply(Action("undo"))
        for action in correction.redone:
            self._stored.apply(action)
        now = self.named.again()
        self._referee = self._new_referee([scene.source for scene in now], watched=True)
        for lost in self._lost.values():
            self._referee.observe(lost)
        for scene in now:
            self._referee.observe(scene)
            self._scenes[scene.source] = scene

    def _check_storing(self) -> None:
        self.retry_store()
        if self._trouble is not None:
            raise JournalError(self._trouble)

    def _visible_scenes(self) -> list[Scene]:
        """Return the last scene of every source that works."""
        scenes = [scene for scene in self.named.again() if scene.source not in self._lost]
        if not scenes:
            raise CannotCorrect(text("No camera or reader sees the table now."))
        return scenes

    def _end_change(self) -> None:
        if self._trace:
            self._trace.actions(self._stored.news, self.table.over)
            self._trace.write()
        self._show_changes(self.snapshot.time)

    def _prompts(self) -> tuple[Prompt, ...]:
        prompts = super()._prompts()
        if not self._moves:
            return prompts
        move, more = self._moves[0], len(self._moves) - 1
        said = text("{move} Then {count} more.", move=move, count=more) if more else move
        return Prompt("restore", None, said), prompts[-1]

    def _make_snapshot(self, time: float) -> Snapshot:
        return replace(super()._make_snapshot(time), restoring=len(self._moves) or None)
