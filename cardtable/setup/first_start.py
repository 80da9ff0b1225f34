"""The first start: its steps in order, and what an answer, *next*, *skip* and *back* do.

| event | first question of a step | a question within a step | last step |
| --- | --- | --- | --- |
| `answer` that ends the step | done; next step | done; next step | done; over |
| `answer` that does not | the step's next question | the step's next question | the step's next question |
| `next`, if the question allows it | done; next step | done; next step | done; over |
| `skip` | skipped; next step | skipped; next step | skipped; over |
| `back` | step before; refused at the first | the step's first question | as in any step |
| `go` to a step | that step | that step | that step |

A refused event raises `CardtableError` with a sentence and changes nothing. The progress is stored beside the journal
before the next step is shown, so that the first start continues there after a power cut. After the end no event is
accepted.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from cardtable.errors import CardtableError, why
from cardtable.plugins import installed
from cardtable.setup.step import Question, Site, Step, Unfit
from cardtable.setup.steps_camera import CalibrateStep, CameraStep, CardStep, LightStep, MatStep
from cardtable.setup.steps_devices import ButtonsStep, ReadersStep
from cardtable.setup.steps_game import BeginStep, PlayersStep
from cardtable.setup.steps_machine import LanguageStep, PhoneStep, TimeZoneStep, WifiStep
from engine.texts import Translate, text
from vision.atomic_files import store

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """The names of the present step (empty for the first), and of the steps that are done or were skipped."""

    at: str = ""
    done: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, object]:
        """Return the progress as it is stored."""
        return {"at": self.at, "done": sorted(self.done), "skipped": sorted(self.skipped)}

    @classmethod
    def from_json(cls, stored: object, steps: Sequence[str]) -> Progress:
        """Return a stored progress without damaged parts and unknown steps."""
        if not isinstance(stored, dict):
            return cls()
        at = stored.get("at")

        def known(names: object) -> frozenset[str]:
            return frozenset(name for name in names if name in steps) if isinstance(names, list) else frozenset()

        return cls(
            at if isinstance(at, str) and at in steps else "", known(stored.get("done")), known(stored.get("skipped"))
        )


class ProgressFile:
    """The file in which the progress is stored. `steps` are the names of all steps."""

    def __init__(self, path: Path, steps: Sequence[str]) -> None:
        self.path: Final = path
        self._steps = tuple(steps)

    def read(self) -> Progress:
        """Return the stored progress, or that of the beginning if there is none or it cannot be read."""
        try:
            return Progress.from_json(json.loads(self.path.read_text("utf-8")), self._steps)
        except FileNotFoundError:
            return Progress()
        except (OSError, ValueError, RecursionError) as error:
            _LOG.warning("%s: the first start begins again: %s", self.path, error)
            return Progress()

    def write(self, progress: Progress) -> None:
        """Store the progress. Raises `CardtableError`."""
        try:
            store(self.path, json.dumps(progress.to_json()).encode())
        except OSError as error:
            message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
            raise CardtableError(text(message, path=self.path, why=why(error))) from error

    def remove(self) -> None:
        """Delete the progress, so that the next first start begins at the first step. Raises `OSError`."""
        self.path.unlink(missing_ok=True)


Event = Literal["answer", "next", "skip", "back", "go"]


class FirstStart:
    """Show the steps one after the other. Use it in one thread.

    `store` is called with each new progress, and `over` once at the end. Either may raise `CardtableError`, which
    leaves everything as it was.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        site: Site,
        progress: Progress,
        store: Callable[[Progress], None],
        over: Callable[[], None],
    ) -> None:
        self.steps: Final = tuple(steps)
        self.site: Final = site
        self._names = [step.name for step in self.steps]
        self._store = store
        self._end = over
        self.progress = replace(progress, at=progress.at or self._names[0])
        self.is_over = False
        self._begun = False

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self._index]

    @property
    def _index(self) -> int:
        return self._names.index(self.progress.at)

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
                    if self._index == 0:
                        raise Unfit(text("This is the first question."))
                    self._show(self._names[self._index - 1], self.progress)
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
        steps = [
            {"name": name, "done": name in progress.done, "skipped": name in progress.skipped} for name in self._names
        ]
        return {
            "over": False,
            "step": progress.at,
            "number": self._index + 1,
            "steps": steps,
            "first": self._index == 0 and not question.inner,
            "question": question.to_json(translate),
        }

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.step.begin(self.site)

    def _leave(self, how: Literal["done", "skipped"]) -> None:
        """Mark the step as done or skipped, and show the next step or end."""
        name, progress = self.step.name, self.progress
        done, skipped = progress.done - {name}, progress.skipped - {name}
        progress = replace(
            progress,
            done=done | {name} if how == "done" else done,
            skipped=skipped | {name} if how == "skipped" else skipped,
        )
        if self._index + 1 < len(self._names):
            self._show(self._names[self._index + 1], progress)
            return
        self._end()
        self.close()
        self.is_over = True

    def _show(self, name: str, progress: Progress) -> None:
        progress = replace(progress, at=name)
        self._store(progress)
        self.close()
        self.progress = progress


# The steps of the first start, one file for each.


def _plugin_steps() -> dict[str, type[Step]]:
    """Return the steps of the installed plug-ins by name; the lobby can ask each of them alone."""
    steps = (plugin.step() for plugin in installed().values())
    return {step.name: step for step in steps if step is not None}


def all_steps() -> tuple[Step, ...]:
    """Return the steps in the order in which they are asked."""
    return (
        LanguageStep(),
        TimeZoneStep(),
        WifiStep(),
        PhoneStep(),
        *(step() for step in _plugin_steps().values()),
        CameraStep(),
        LightStep(),
        MatStep(),
        CalibrateStep(),
        ReadersStep(),
        ButtonsStep(),
        CardStep(),
        PlayersStep(),
        BeginStep(),
    )


# A first start with all its steps and its stored progress, for one of the sites.

_FILE: Final = "first-start.json"


def progress_path(journal: Path) -> Path:
    """Return the file of the progress, beside the journal."""
    return journal.with_name(_FILE)


def open_one_step(site: Site, name: str) -> FirstStart:
    """Return the questions of one step alone, asked from the lobby; nothing of the progress is stored.

    Raises `CardtableError` if no plug-in has a step of this name.
    """
    step = _plugin_steps().get(name)
    if step is None:
        raise CardtableError(text("There is no such question."))
    return FirstStart([step()], site, Progress(), lambda progress: None, lambda: None)


def open_first_start(site: Site) -> FirstStart:
    """Return the first start at the step that was shown last."""
    steps = all_steps()
    progress = ProgressFile(progress_path(site.config.journal), [step.name for step in steps])

    def over() -> None:
        if site.config.first_start:
            site.change({("first_start",): False})
        progress.remove()

    return FirstStart(steps, site, progress.read(), progress.write, over)
