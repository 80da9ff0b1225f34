"""The game loop: it takes what has happened from the queue, one thing after the other, and has it processed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Protocol

from cardtable.table.messages import BOARD, CorrectionMessage, EveningMessage, Refusal, Sender
from cardtable.table.sources import Received, Sources, Watchdog
from engine.observations import Observation
from engine.texts import text


class Stage(Protocol):
    """What the table does now: it plays a game, or waits for one."""

    @property
    def storing(self) -> bool:
        """Whether the journal can store."""

    def process(self, received: Received) -> Refusal | None:
        """Process one thing that has happened; return why it is refused, if it is."""

    def pass_time(self) -> None:
        """Do what is due; called in every turn of the loop, several times a second."""


class GameLoop:
    """The loop of one table, from the start of the program to its end.

    `alive` is called repeatedly while everything makes progress. All methods but `put`, `observe` and `ask` are called
    in the thread of the loop.
    """

    def __init__(self, alive: Callable[[], None] = lambda: None) -> None:
        self.watchdog: Final = Watchdog(alive)
        self.sources: Final = Sources(self.watchdog)

    def put(self, received: Received) -> None:
        """Add something that has happened to the queue; called in any thread."""
        self.sources.put(received)

    def observe(self, observation: Observation) -> None:
        """Add an observation that no camera or reader has made; called in any thread."""
        self.put(Received(observation))

    def ask(self, message: CorrectionMessage | EveningMessage, sender: Sender = BOARD) -> Future[Refusal | None]:
        """Add the message of a page; called in any thread. The result is None, or why the message is refused."""
        answer: Future[Refusal | None] = Future()
        self.put(Received(message, sender=sender, answer=answer))
        return answer

    def run(self, stage: Stage, until: Callable[[], bool]) -> None:
        """Let `stage` process what happens until `until()` is true.

        Raise what is raised in the thread of a source, or by `stage`.
        """
        self.sources.start()
        while not until():
            for received in self.sources.turn():
                process(stage, received)
            stage.pass_time()
            self.watchdog.check(stage.storing)

    def close(self) -> None:
        """Close the sources, and refuse what pages still wait for. May be called twice."""
        self.sources.close()


def process(stage: Stage, received: Received) -> None:
    """Let `stage` process one thing, and answer the page that waits for it; do nothing if the page has gone."""
    answer = received.answer
    if answer is not None and not answer.set_running_or_notify_cancel():
        return
    try:
        refusal = stage.process(received)
    except BaseException as error:
        if answer is not None:
            answer.set_result({"refused": text("That has failed because of a fault ({why}).", why=str(error))})
        raise
    if answer is not None:
        answer.set_result(refusal)
