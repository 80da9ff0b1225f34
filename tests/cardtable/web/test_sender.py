"""Who a message comes from, and for whom a state is."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from cardtable.config.model import AccessConfig, BoardConfig
from cardtable.table.game_loop import GameLoop
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import BOARD, SPECTATOR, EveningMessage, Sender, at_seat
from cardtable.table.sources import Received
from cardtable.web.access import Permissions
from cardtable.web.server import Board
from cardtable.web.state import Rendering
from engine.observations import Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.web.states import ASLEEP

HEADER = Header("cribbage", ("Ann", "Bo"), 0)
ANN, BO = at_seat(0, "Ann"), at_seat(1, "Bo")
Heard = queue.SimpleQueue[tuple[Said | UndoAsked | EveningMessage, Sender]]


@pytest.fixture
def heard() -> Heard:
    return queue.SimpleQueue()


@pytest.fixture
def board(heard: Heard) -> Iterator[Board]:
    def manage(message: EveningMessage, sender: Sender) -> Future[str | None]:
        heard.put((message, sender))
        done: Future[str | None] = Future()
        done.set_result(None)
        return done

    board = board_for("Cribbage", lambda message, sender: heard.put((message, sender)), port=0, manage=manage)
    yield board
    board.close()


def live(board: Board) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{board.port}/live", proxy=None)


def test_a_message_arrives_with_who_sent_it(board: Board, heard: Heard) -> None:
    LiveGame(Table(HEADER), None, [board])
    with live(board) as page:
        page.send('{"do": "say", "seat": 0, "word": "go"}')
        message, sender = heard.get(timeout=10)
        assert isinstance(message, Said) and sender == BOARD
        page.send('{"do": "begin"}')
        assert heard.get(timeout=10)[1] == BOARD


def test_a_state_says_whom_it_is_for(board: Board) -> None:
    LiveGame(Table(HEADER), None, [board])
    with live(board) as page:
        you = json.loads(page.recv(timeout=10))["you"]
    assert (you["role"], you["seat"], you["name"], you["hand"]) == ("board", None, "board", [])


def test_only_a_seat_sees_its_own_hand() -> None:
    shown = Rendering({"screen": "game"}, Permissions(AccessConfig()), (("5H", "JC"), ("QS",)))

    def hand(sender: Sender) -> Any:
        return json.loads(shown.text_for(sender))["you"]["hand"]

    assert (hand(ANN), hand(BO), hand(BOARD), hand(SPECTATOR)) == (["5H", "JC"], ["QS"], [], [])
    assert hand(at_seat(2, "Cy")) == hand(Sender("seat", None, "Di")) == []
    assert shown.text_for(ANN) is shown.text_for(ANN)


def test_a_lobby_forgets_the_hands_of_the_game(board: Board) -> None:
    table = Table(HEADER)
    game = LiveGame(table, None, ())
    table.do("0 deal 5H JC QS KD 2C 3C")
    board.show(game.snapshot, table.view)
    assert board._hands[0][:2] == ("5H", "JC") and board._hands[1] == ()
    board.show_screen(ASLEEP)
    assert board._hands == ()


def test_a_page_that_says_thousands_of_words_does_not_keep_the_table_from_its_other_work() -> None:
    received: list[list[Received]] = [[]]

    class Activity:
        storing = True

        def process(self, what: Received) -> None:
            received[-1].append(what)
            if len(received) == 2 and len(received[-1]) < 100:  # what comes meanwhile is for the next turn
                loop.put(Received())

        def pass_time(self) -> None:
            received.append([])

    loop = GameLoop()
    with closing(Board(BoardConfig(port=0), put=loop.put)) as board, closing(loop):
        LiveGame(Table(HEADER), None, [board])
        with live(board) as page:
            for _ in range(1000):
                page.send('{"do": "say", "seat": 0, "word": "go"}')
            loop.run(Activity(), lambda: sum(map(len, received)) >= 1000)
    assert max(map(len, received)) <= 2
