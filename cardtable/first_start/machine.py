"""The order of the questions: which step is shown, and what an answer, *next*, *skip* and *back* do.

| event | first question of a step | a question within a step | last step |
| --- | --- | --- | --- |
| `answer` that ends the step | done; next step | done; next step | done; over |
| `answer` that does not | the step's next question | the step's next question | the step's next question |
| `next`, if the question allows it | done; next step | done; next step | done; over |
| `skip` | skipped; next step | skipped; next step | skipped; over |
| `back` | step before; refused at the first | the step's first question | as in any step |
| `go` to a step | that step | that step | that step |

What is refused raises `CardtableError` with a sentence, and nothing has changed. Each change is stored before it is
shown. After the end nothing is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from cardtable.first_start.progress import Progress
from cardtable.first_start.question import Question
from cardtable.first_start.step import Site, Step, Unfit
from engine.texts import Translate, text

Event = Literal["answer", "next", "skip", "back", "go"]


class FirstStart:
    """The steps, one after the other. Use it in one thread.

    `store` is called with each new progress; `over` once at the end. Both may raise `CardtableError`, and then nothing
    has changed.
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
        """Return what is asked now."""
        self._begin()
        self.step.look(self.site)
        return self.step.question(self.site)

    def do(self, event: Event, step: str, value: str = "") -> None:
        """Take an event. `step`: the one that was shown to the person; `value`: the answer, or the step to go to.

        Raises `CardtableError`.
        """
        if self.is_over:
            raise Unfit(text("The first start is over: open the board."))
        if step != self.step.name:  # another page was quicker
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
        """Close what the shown step has opened."""
        if self._begun:
            self.step.end(self.site)
            self._begun = False

    def state(self, translate: Translate) -> dict[str, Any]:
        """Return what a page shows, in the language of `translate`."""
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
        """Note that the step is done or skipped, and show the next one, or end."""
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
