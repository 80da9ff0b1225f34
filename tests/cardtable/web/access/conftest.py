"""A board in a network with a game, a phone, and the clocks that access is tested with."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from cardtable.table.live_game import LiveGame
from cardtable.table.messages import EveningMessage, Sender
from cardtable.web.server import Board
from engine.actions import Action
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.web.access.devices import Clocks
from tests.cardtable.web.access.phones import Device, Heard, device, make_network


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    make_network(monkeypatch)


@pytest.fixture
def entered() -> Heard:
    return queue.SimpleQueue()


@pytest.fixture
def board(entered: Heard) -> Iterator[Board]:
    def manage(message: EveningMessage, sender: Sender) -> Future[str | None]:
        entered.put((message, sender))
        done: Future[str | None] = Future()
        done.set_result(None)
        return done

    board = board_for("All Fives", lambda message, sender: entered.put((message, sender)), port=0, manage=manage)
    yield board
    board.close()


@pytest.fixture
def table(board: Board) -> Table:
    """Ann has dealt, 4 of hearts is turned, and Bo may beg. The table knows both hands."""
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    past = [Action.parse(written) for written in ("0 deal AS KS QS JS 10S 9S", "1 deal AD KD QD JD 10D 9D", "turn 4H")]
    LiveGame(table, None, [board], past)
    return table


@pytest.fixture
def phone(board: Board) -> Iterator[Device]:
    with device(board) as phone:
        yield phone
