"""Corrections that pages ask for, made in the main thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from cardtable.board.access.sender import Sender
from cardtable.board.correction_messages import CorrectionMessage
from cardtable.board.screens import Refusal
from cardtable.play.correction_requests import CorrectionRequests
from engine.texts import text

_NO_GAME: Final = text("No game is being played now.")


class CorrectionsInbox:
    """Takes corrections in any thread. `put` lets the main thread make a call."""

    def __init__(self, put: Callable[[Callable[[], None]], None]) -> None:
        self._put = put
        self._waiting: set[Future[Refusal | None]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.requests: CorrectionRequests | None = None
        """What makes them; None until the game is there."""

    def ask(self, message: CorrectionMessage, sender: Sender) -> Future[Refusal | None]:
        """Ask for a correction; the result is None once it is made, or why it was not."""
        answer: Future[Refusal | None] = Future()
        with self._lock:
            if self._closed:
                answer.set_result({"refused": _NO_GAME})
                return answer
            self._waiting.add(answer)
        self._put(lambda: self._answer(message, sender, answer))
        return answer

    def make(self, message: CorrectionMessage, sender: Sender) -> Refusal | None:
        """Make a correction now, in the main thread. Return why not, if it was refused."""
        return self.requests.handle(message, sender.name) if self.requests else {"refused": _NO_GAME}

    def close(self) -> None:
        """Refuse what has not been made yet, and all that is asked for later."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, set()
        for answer in waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_result({"refused": _NO_GAME})

    def _answer(self, message: CorrectionMessage, sender: Sender, answer: Future[Refusal | None]) -> None:
        with self._lock:
            if answer not in self._waiting:
                return
            self._waiting.discard(answer)
        if not answer.set_running_or_notify_cancel():
            return  # the page has gone
        try:
            refusal = self.make(message, sender)
        except BaseException as error:
            answer.set_result({"refused": text("That has failed because of a fault ({why}).", why=str(error))})
            raise
        answer.set_result(refusal)
