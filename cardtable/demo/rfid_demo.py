"""The demo with RFID readers: the real firmware runs on a simulated Arduino and reads the robots' cards."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict
from typing import Any

from cardtable.demo.options import DemoOptions
from cardtable.errors import CardtableError
from cardtable.play.rfid_source import open_readers
from cardtable.play.session import Session
from cardtable.simulation.checking import Readings, first_difference
from cardtable.simulation.rfid import RfidTable
from firmware_bridge.errors import BridgeError


def play_with_readers(options: DemoOptions) -> dict[str, Any]:
    """Play the game; return the summary that `demo --json` prints.

    Raises `CardtableError` if the simulator is not installed.
    """
    try:
        table = RfidTable(options.setting, options.journal.path.parent, options.standing)
    except BridgeError as error:
        raise CardtableError(str(error)) from error
    try:
        return _play(options, table)
    finally:
        table.close()


def _play(options: DemoOptions, table: RfidTable) -> dict[str, Any]:
    header, readings = options.setting.header, Readings()
    began = time.monotonic()

    def clock() -> float:
        return table.time if table.stepped else time.monotonic() - began

    stepped_port = table.port if table.stepped else None
    readers = open_readers(table.configs, options.journal, clock, readings.take, stepped_port)
    with Session(
        header,
        [],
        options.journal,
        options.past,
        options.board,
        readers=readers,
        language=options.language,
        trace=options.trace,
        result_of=options.result_of,
    ) as session:
        options.announce(session)
        table.watch(lambda: session.controller.snapshot.view, lambda: session.controller.snapshot.prompts)
        if table.stepped:
            _play_stepped(session, table)
        else:
            _play_in_real_time(session, table, began)
        options.show_result(session)
        director, view = table.director, session.controller.snapshot.view
        actions = session.controller.table.actions
        difference = first_difference(actions, director.done, director.again)
        return {
            "game": header.game,
            "players": list(header.players),
            "cards": asdict(readings.count(table.on_readers())),
            "laid_again": director.laid_again,
            "refused": director.refused,
            "actions": len(actions),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "frames": table.frames,
            "seconds": round(time.monotonic() - began, 1),
            "agree": difference is None and table.gave_up is None,
            "difference": table.gave_up or difference,
        }


def _play_stepped(session: Session, table: RfidTable) -> None:
    """Run robots, boards and program in turn, one frame each time."""

    def ended() -> bool:
        if not table.ended:
            table.turn()
        return table.ended

    session.run(until=ended)


def _play_in_real_time(session: Session, table: RfidTable, began: float) -> None:
    """Run robots, boards and program at the same time, as at a real table."""
    stop = threading.Event()
    robots = threading.Thread(target=table.play, args=(stop.is_set, began), name="robots", daemon=True)
    robots.start()
    try:
        session.run(until=lambda: not robots.is_alive())
    finally:
        stop.set()
        robots.join(5)
    if not table.ended:
        table.gave_up = "the robots stopped: see above for why"
