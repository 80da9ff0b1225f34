"""The first start: its steps in order, and what an answer, *next*, *skip* and *back* do.

| event | first question of a step | a question within a step | last step |
| --- | --- | --- | --- |
| `answer` that ends the step | done; next step | done; next step | done; over |
| `answer` that does not | the step's next question | the step's next question | the step's next question |
| `next`, if the question allows it | done; next step | done; next step | done; over |
| `skip` | skipped; next step | skipped; next step | skipped; over |
| `back` | step before; refused at the first | the question before | as in any step |
| `go` to a step | that step | that step | that step |

A step that has nothing to ask here, such as Wi-Fi where there is none to join, is passed over; `go` shows it.

A refused event raises `CardtableError` with a sentence and changes nothing. The progress is stored beside the journal
before the next step is shown, so that the first start continues there after a power cut. After the end no event is
accepted.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from cardtable.errors import CardtableError, why
from cardtable.plugins import blamed, installed
from cardtable.setup.step import Question, Site, Step, Unfit
from cardtable.setup.steps_camera import CameraStep, CardStep, MatStep
from cardtable.setup.steps_devices import ButtonsStep, ReadersStep
from cardtable.setup.steps_machine import LanguageStep, PhoneStep, TimeZoneStep, WifiStep
from engine.texts import Translate, text
from vision.atomic_files import store

_LOG: Final = logging.getLogger(__name__)


class Progress(BaseModel):
    """The names of the present step, and of the steps that are done or were skipped, as they are stored."""

    model_config = ConfigDict(frozen=True)

    at: str = ""
    done: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()


Event = Literal["answer", "next", "skip", "back", "go"]


class FirstStart:
    """Show the steps one after the other. Use it in one thread.

    `path` is the file of the progress, which is deleted at the end; without it nothing is stored.
    """

    def __init__(self, steps: Sequence[Step], site: Site, path: Path | None = None) -> None:
        self.steps: Final = tuple(steps)
        self.site: Final = site
        self._path = path
        self._names = [step.name for step in self.steps]
        self.progress = self._stored_progress()
        self.is_over = False
        self._begun = False

    def _stored_progress(self) -> Progress:
        """Return the stored progress without unknown steps. A damaged file is ignored."""
        stored = Progress()
        if self._path is not None and self._path.exists():
            try:
                stored = Progress.model_validate_json(self._path.read_bytes())
            except (OSError, ValueError) as error:
                _LOG.warning("%s: the first start begins again: %s", self._path, error)
        at = stored.at if stored.at in self._names else self._names[0]
        known = frozenset(self._names)
        return Progress(at=at, done=stored.done & known, skipped=stored.skipped & known)

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self._names.index(self.progress.at)]

    def question(self) -> Question:
        """Return the present question."""
        self._begin()
        self.step.look(self.site)
        return self.step.question(self.site)

    def do(self, event: Event, step: str, value: str = "") -> None:
        """Handle an event. Raises `CardtableError`.

        `step` is the name of the step that the user sees. `value` is the answer, or the step to go to.
        """
        if self.is_over:
            raise Unfit(text("The first start is over: open the board."))
        if step != self.step.name:  # another page was faster
            raise Unfit(text("Another question is asked now: look again."))
        self._begin()
        match event:
            case "answer":
                if not self.step.question(self.site).allows(value):
                    raise Unfit(text("That cannot be chosen now."))
                if self.step.answer(self.site, value):
                    self._leave("done")
            case "next":
                if self.step.question(self.site).forward is None:
                    raise Unfit(text("Choose one, or skip this."))
                self._leave("done")
            case "skip":
                self._leave("skipped")
            case "back":
                if not self.step.back():
                    self._show_step_before()
            case "go":
                if value not in self._names:
                    raise Unfit(text("There is no such question."))
                self._show(value, self.progress)

    def close(self) -> None:
        """Close what the present step has opened."""
        if self._begun:
            self.step.end(self.site)
            self._begun = False

    def state(self, translate: Translate) -> dict[str, Any]:
        """Return the state for a page, in the language of `translate`."""
        if self.is_over:
            return {"over": True}
        question = self.question()
        progress = self.progress
        asked = self._asked()
        steps = [{"name": name, "done": name in progress.done, "skipped": name in progress.skipped} for name in asked]
        return {
            "over": False,
            "step": progress.at,
            "number": asked.index(progress.at) + 1,
            "steps": steps,
            "first": asked[0] == progress.at and not self.step.answers,
            "question": question.to_json(translate),
        }

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.step.answers.clear()
            self.step.begin(self.site)

    def _leave(self, how: Literal["done", "skipped"]) -> None:
        """Mark the step as done or skipped, and show the next step or end."""
        name = self.step.name
        marks = {"done": self.progress.done - {name}, "skipped": self.progress.skipped - {name}}
        marks[how] |= {name}
        progress = self.progress.model_copy(update=marks)
        asked = self._asked(progress)
        if name != asked[-1]:
            self._show(asked[asked.index(name) + 1], progress)
            return
        if self._path is not None:
            if self.site.config.first_start:
                self.site.change({("first_start",): False})
            self._path.unlink(missing_ok=True)
        self.close()
        self.is_over = True

    def _show_step_before(self) -> None:
        asked = self._asked()
        index = asked.index(self.progress.at)
        if index == 0:
            raise Unfit(text("This is the first question."))
        self._show(asked[index - 1], self.progress)

    def _asked(self, progress: Progress | None = None) -> list[str]:
        """Return the names of the steps that are asked on this machine; those that were asked stay."""
        progress = progress or self.progress
        left = progress.done | progress.skipped
        return [
            step.name
            for step in self.steps
            if step.name == progress.at or step.name in left or step.is_needed(self.site, left)
        ]

    def place(self) -> tuple[int, int]:
        """Return the number of the present step, and how many there are."""
        asked = self._asked()
        return asked.index(self.progress.at) + 1, len(asked)

    def _show(self, name: str, progress: Progress) -> None:
        """Store the progress, and show the step `name`. Raises `CardtableError`, which changes nothing."""
        progress = progress.model_copy(update={"at": name})
        if self._path is not None:
            try:
                store(self._path, progress.model_dump_json().encode())
            except OSError as error:
                message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
                raise CardtableError(text(message, path=self._path, why=why(error))) from error
        self.close()
        self.progress = progress


def _plugin_steps() -> list[Step]:
    """Return the steps of the installed plug-ins; the lobby can ask each of them alone."""
    steps: list[Step] = []
    for name, plugin in installed().items():
        with blamed(name):
            if (step := plugin.step()) is not None:
                steps.append(step())
    return steps


def all_steps() -> tuple[Step, ...]:
    """Return the steps in the order in which they are asked, those included that this machine has no use for."""
    return (
        LanguageStep(),
        TimeZoneStep(),
        WifiStep(),
        PhoneStep(),
        *_plugin_steps(),
        CameraStep(),
        MatStep(),
        ReadersStep(),
        ButtonsStep(),
        CardStep(),
    )


_FILE: Final = "first-start.json"


def progress_path(journal: Path) -> Path:
    """Return the file of the progress, beside the journal."""
    return journal.with_name(_FILE)


def open_first_start(site: Site, only: str | None = None) -> FirstStart:
    """Return the first start at the step that was shown last, or the step `only` alone.

    Raises `CardtableError` if there is no step of this name.
    """
    if only is None:
        return FirstStart(all_steps(), site, progress_path(site.config.journal))
    step = next((step for step in all_steps() if step.name == only), None)
    if step is None:
        raise CardtableError(text("There is no such question."))
    return FirstStart([step], site)
