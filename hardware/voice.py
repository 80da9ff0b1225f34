"""The voice: sentences spoken through espeak-ng or another command, one after the other.

`say` never waits. While a sentence is being spoken, only the latest request is kept: older ones are out of date by the
time they could be spoken.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Final

from engine.texts import text, why
from hardware.errors import NoVoice

ESPEAK: Final = ("espeak-ng", "-v", "{language}", "-s", "150", "--stdin")
"""Debian's speech synthesiser: 150 words per minute, the text on standard input."""
PLACE: Final = "{text}"
_LONGEST_S: Final = 20.0
"""Time-out of the command for one sentence, seconds."""


class Voice:
    """Speaks in its own thread.

    `command`: program and arguments; `{language}` in them is replaced by the language (`en`, `fr`), `{text}` by the
    text. Without `{text}`, the text is on standard input. Raises `NoVoice` if the command does not exist.
    """

    def __init__(self, command: Sequence[str] = ESPEAK, language: str = "en") -> None:
        if not command or shutil.which(command[0]) is None:
            name = command[0] if command else ""
            message = "the voice: there is no command {command}: name another one under [voice]"
            if name == "espeak-ng":
                message = (
                    "the voice: there is no command {command}: install it (sudo apt install espeak-ng), "
                    "or name another one under [voice]"
                )
            raise NoVoice(text(message, command=repr(name)))
        self._command = [part.replace("{language}", language) for part in command]
        self.when_fault_changed: Callable[[str | None], None] = lambda text: None
        """Called in the voice's thread: with what to do when the command fails, with None when it works again."""
        self._failed = False
        self._changed = threading.Condition()
        self._waiting: tuple[str, ...] = ()
        self._speaking: subprocess.Popen[bytes] | None = None
        self._idle = True
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def say(self, sentences: Sequence[str], then: bool = False) -> None:
        """Speak these sentences next, and drop those that are still waiting; `then`: after them instead."""
        if sentences:
            with self._changed:
                self._waiting = (*self._waiting, *sentences) if then else tuple(sentences)
                self._idle = False
                self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything has been spoken, at most `timeout` seconds. Return whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self._idle, timeout)

    def close(self) -> None:
        """Stop speaking at once. May be called twice."""
        with self._changed:
            self._closed = True
            self._waiting = ()
            if self._speaking:
                self._speaking.kill()
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._idle = True
                    self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._waiting)
                if self._closed:
                    self._idle = True
                    self._changed.notify_all()
                    return
                sentence, *rest = self._waiting
                self._waiting = tuple(rest)
            fault = self._speak(sentence)
            if (fault is None and self._failed) or (fault is not None and not self._closed):
                self._failed = fault is not None
                self.when_fault_changed(fault)

    def _speak(self, said: str) -> str | None:
        """Speak one sentence. Return None, or what went wrong, for the players."""
        command = [part.replace(PLACE, said) for part in self._command]
        on_stdin = None if command != self._command else said.encode()
        name = command[0]
        try:
            with self._changed:
                if self._closed:
                    return None
                self._speaking = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL if on_stdin is None else subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            try:
                _, errors = self._speaking.communicate(on_stdin, _LONGEST_S)
            except subprocess.TimeoutExpired:
                self._speaking.kill()
                self._speaking.communicate()
                message = "The voice hangs: {command} took more than {seconds} seconds. Try it in a terminal."
                return text(message, command=name, seconds=f"{_LONGEST_S:.0f}")
            if self._speaking.returncode != 0:
                fault = errors.decode("utf-8", "replace").strip().splitlines()
                return _does_not_work(name, fault[-1] if fault else text("it failed"))
        except OSError as error:
            return _does_not_work(name, why(error))
        finally:
            self._speaking = None
        return None


def _does_not_work(name: str, why: str) -> str:
    return text("The voice does not work: {command}: {why}. Try it in a terminal.", command=name, why=why)
