"""`cardtable demo --reader simavr`: the whole game over RFID readers, read by the real firmware."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cardtable.config.model import BoardConfig
from cardtable.errors import CardtableError
from cardtable.play.journal import Journal
from cardtable.play.rfid_source import open_readers
from cardtable.play.session import Play
from cardtable.simulation.checking import Readings, first_difference
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import Setting
from cardtable.terminal.output import say
from engine.actions import Action
from engine.texts import text
from firmware_bridge.errors import BridgeError


def play_with_readers(
    setting: Setting,
    journal: Journal,
    past: Sequence[Action],
    standing: Sequence[Action],
    board: BoardConfig | None,
    language: str,
) -> dict[str, Any]:
    """Play; the summary. Raises `CardtableError` where the simulator is not there."""
    try:
        table = RfidTable(setting, journal.path.parent, standing)
    except BridgeError as error:
        raise CardtableError(str(error)) from error
    try:
        return _play(table, setting, journal, past, board, language)
    finally:
        table.close()


def _play(
    table: RfidTable,
    setting: Setting,
    journal: Journal,
    past: Sequence[Action],
    board: BoardConfig | None,
    language: str,
) -> dict[str, Any]:
    header, readings = setting.header, Readings()
    began = time.monotonic()

    def clock() -> float:
        return table.time if table.stepped else time.monotonic() - began

    readers = open_readers(table.configs, journal, clock, readings.take, table.port if table.stepped else None)
    with Play(header, [], journal, past, board, readers=readers, language=language) as play:
        if past:
            say(text("going on with the game that was broken off, {past} actions old", past=len(past)), sys.stderr)
        if play.board:
            say(text("the board: {url}", url=play.board.url), sys.stderr)
        table.watch(lambda: play.controller.shown.view, lambda: play.controller.shown.prompts)
        if table.stepped:
            _in_steps(play, table)
        else:
            _at_pace(play, table, began)
        director, view = table.director, play.controller.shown.view
        difference = first_difference(play.controller.table.actions, director.done, director.again)
        return {
            "game": header.game,
            "players": list(header.players),
            "cards": asdict(readings.count(table.on_readers())),
            "laid_again": director.laid_again,
            "refused": director.refused,
            "actions": len(play.controller.table.actions),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "frames": table.frames,
            "seconds": round(time.monotonic() - began, 1),
            "agree": difference is None and table.gave_up is None,
            "difference": table.gave_up or difference,
        }


def _in_steps(play: Play, table: RfidTable) -> None:
    """Robots, boards and program in turn, a frame each time."""

    def ended() -> bool:
        if not table.ended:
            table.turn()
        return table.ended

    play.run(until=ended)


def _at_pace(play: Play, table: RfidTable, began: float) -> None:
    """Robots, boards and program at the same time, as at a real table."""
    stop = threading.Event()
    robots = threading.Thread(target=table.play, args=(stop.is_set, began), name="robots", daemon=True)
    robots.start()
    try:
        play.run(until=lambda: not robots.is_alive())
    finally:
        stop.set()
        robots.join(5)
    if not table.ended:
        table.gave_up = "the robots stopped: see above for why"
