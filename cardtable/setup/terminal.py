"""The first start of a running table in a terminal: `cardtable setup`."""

from __future__ import annotations

import os
import select
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError, why
from cardtable.languages import translator
from cardtable.paper.drawings import qr_pattern
from cardtable.setup.first_start import Event, FirstStart
from cardtable.setup.step import Question
from cardtable.setup.steps_camera import sheet_pdf
from cardtable.terminal.output import set_language, translated
from engine.texts import commas, text

_SIGNS: Final = {"good": "✓", "warning": "!", "trouble": "✗"}
_LOOK_S: Final = 0.5
"""Seconds between two updates of a question while waiting for an answer."""
_SKIP, _BACK, _PRINT = "s", "b", "p"
_WIDTH: Final = 100
"""Characters of a line with several choices."""
_MAX_LINES: Final = 12
"""Up to this number of choices, each has its own line."""
_END: Final = "\x04"
"""The end of the input (Ctrl-D)."""
_READ_BYTES: Final = 4096


class TerminalQuestions:
    """Ask the questions of the first start in a terminal."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._typed_so_far = b""
        self._shown = ""
        self._stopped = threading.Event()
        self.finished = False
        """Whether every question was answered or skipped; False if the input has ended before, or still comes."""

    def ask(self, first_start: FirstStart) -> bool:
        """Ask until the first start is over or the input ends; return whether the table is to be opened again instead.

        Raises `CardtableError`.
        """
        self._machine, self._shown = first_start, ""
        while not self._stopped.is_set() and not first_start.site.reopening:
            set_language(first_start.site.config.language)
            question = first_start.question()
            self._show(question)
            line = self._typed(question)
            if line is None:
                continue  # what the question shows may have changed
            if line == _END:
                break
            step = first_start.step.name
            try:
                self._take(question, line)
            except CardtableError as error:
                print(f"✗ {translated(str(error))}", flush=True)
            if first_start.is_over:
                self.finished = True
                break
            if step != first_start.step.name:
                self._shown = ""
        return first_start.site.reopening and not self.finished

    def stop(self) -> None:
        """Let `ask` return soon; called in another thread."""
        self._stopped.set()

    def _take(self, question: Question, line: str) -> None:
        """Carry out what was typed: a letter, a number, a text, or nothing to continue."""
        typed, step = line.strip(), self._machine.step.name
        events: dict[str, Event] = {"": "next", _SKIP: "skip", _BACK: "back"}
        if typed == "" and question.forward is None:
            return
        if typed in events:
            self._machine.do(events[typed], step)
            self._shown = ""
        elif typed == _PRINT and question.sheets:
            self._print(question)
        elif typed.isdecimal() and 1 <= int(typed) <= len(question.choices):
            self._machine.do("answer", step, question.choices[int(typed) - 1].value)
            self._shown = ""
        elif question.entry is not None:
            self._machine.do("answer", step, question.entry.prefix + typed)
            self._shown = ""
        else:
            print(translated(text("Type one of the numbers or letters that are shown.")), flush=True)

    def _show(self, question: Question) -> None:
        """Print the question if it has changed."""
        findings = []
        for found in question.findings:
            findings.append(f"{_SIGNS[found.state]} {translated(found.text)}")
            findings += [f"    {translated(found.advice)}"] if found.advice else []
        head = [
            "",
            f"— {self._place()} {translated(question.title)}",
            translated(question.text),
        ]
        body = [*self._choices(question), *self._keys(question)]
        shown = "\n".join([*head, *findings, *body])
        if shown == self._shown:
            return
        print(shown, flush=True)
        if question.code:
            print(_blocks(question.code), flush=True)
        self._shown = shown

    def _place(self) -> str:
        return "{}/{}".format(*self._machine.place())

    def _choices(self, question: Question) -> list[str]:
        written = []
        for number, choice in enumerate(question.choices, 1):
            mark = " ←" if choice.chosen else ""
            about = f" ({translated(choice.about)})" if choice.about else ""
            written.append(f"{number:>3}  {translated(choice.label)}{about}{mark}")
        if len(written) <= _MAX_LINES:
            return written
        width = max(map(len, written)) + 2
        across = max(_WIDTH // width, 1)
        rows = [written[start : start + across] for start in range(0, len(written), across)]
        return ["".join(f"{cell:<{width}}" for cell in row).rstrip() for row in rows]

    def _keys(self, question: Question) -> list[str]:
        keys = []
        if question.choices:
            keys.append(text("a number"))
        if question.entry is not None:
            label, example = question.entry.label, question.entry.example
            typed = text("{label}, such as {example}", label=label, example=example) if example else label
            keys.append(text("{label}, typed", label=typed))
        if question.sheets:
            keys.append(text("p writes {files} here", files=commas([sheet.name for sheet in question.sheets])))
        if question.forward is not None:
            keys.append(text("Enter: {label}", label=question.forward))
        keys += [text("s skips"), text("b goes back")]
        return [translated(commas(keys))]

    def _typed(self, question: Question) -> str | None:
        """Return the typed line, `_END` at the end of the input, or None if nothing was typed for a while."""
        secret = question.entry is not None and question.entry.kind in ("secret", "digits")
        with _hidden(self._descriptor if secret else None):
            if b"\n" not in self._typed_so_far:
                if not select.select([self._descriptor], [], [], _LOOK_S)[0]:
                    return None
                read = os.read(self._descriptor, _READ_BYTES)
                if not read:
                    return _END
                self._typed_so_far += read
        line, newline, rest = self._typed_so_far.partition(b"\n")
        if not newline:
            return None
        self._typed_so_far = rest
        return line.decode("utf-8", "replace")

    def _print(self, question: Question) -> None:
        translate = translator(self._machine.site.config.language)
        for sheet in question.sheets:
            pdf, path = sheet_pdf(sheet.name, translate), Path(sheet.name)
            try:
                path.write_bytes(pdf or b"")
            except OSError as error:
                message = "{path} cannot be written: {why}; start the command in another folder"
                raise CardtableError(text(message, path=path, why=why(error))) from error
            print(translated(text("written: {path}", path=path)), flush=True)


@contextmanager
def _hidden(descriptor: int | None) -> Iterator[None]:
    """Hide what is typed in a terminal."""
    if descriptor is None or not os.isatty(descriptor):
        yield
        return
    before = termios.tcgetattr(descriptor)
    silent = [*before]
    silent[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSANOW, silent)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _blocks(content: str) -> str:
    """Draw a QR code with half blocks, two rows in a line, light on the terminal's dark background."""
    code = qr_pattern(content)
    rows = [[False] * (len(code[0]) + 2), *([False, *map(bool, row), False] for row in code)]
    rows += [[False] * len(rows[0])] * (2 - len(rows) % 2)
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(signs[upper, lower] for upper, lower in zip(*pair, strict=True)) for pair in pairs)
