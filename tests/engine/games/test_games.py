"""The installed games, and a game from another package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from engine.errors import HeaderError
from engine.games import HOUSE, add_game, card_label, game_names, load_game
from engine.record import Header
from engine.rules.game import Game
from engine.table import Table
from tests.engine.talk import action, do, events, refusal

HIGH_CARD = '''
"""Each in turn plays a card; the highest wins the point, and the game."""
from engine.rules.game import Game
from engine.rules.offers import Gather, PlayToTrick
from engine.rules.tricks import Trick


class HighCard(Game):
    name = "high-card"
    title = "High Card"
    seats = range(2, 5)

    def hand(self):
        self.new_pack()
        for hand in self.hands:
            hand.deal_unseen(1)
        trick = Trick(self.next_seat(self.dealer), len(self.players), None)
        while not trick.complete:
            action = yield self.question("play", trick.turn, PlayToTrick(self, trick.turn, None))
            self.hands[trick.turn].lay(action.card)
            trick.add(action.card)
        yield self.question("play", trick.winner, Gather(self, trick.winner))
        self.score(trick.winner, 1, "high")
        self.win(trick.winner)


NOT_A_GAME = 7
'''


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another installed package that adds a game."""
    (tmp_path / "club_games.py").write_text(HIGH_CARD)
    info = tmp_path / "club_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: club-games\nVersion: 1.0\n")
    points = "[cardtable.games]\nhigh-card = club_games:HighCard\nno-game = club_games:NOT_A_GAME\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    monkeypatch.setitem(sys.modules, "club_games", importlib.import_module("club_games"))


def test_every_game_of_the_project_loads_under_its_name() -> None:
    assert set(HOUSE) <= set(game_names())
    for name in HOUSE:
        game = load_game(name)
        assert game.name == name and game.title and len(game.seats) and len(game.deck)
        game.check_header(("Ann", "Bo", "Cy", "Di")[: game.seats[0]], 0, {})


def test_what_stands_on_an_action_card() -> None:
    assert card_label("new-game") == "new game"
    assert card_label("its-15") == "It's 15"
    assert card_label("take-one") == "take one"


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(HeaderError, match="all-fives"):
        load_game("mah-jongg")


@pytest.mark.usefixtures("club")
def test_a_game_from_another_package_is_found_and_played() -> None:
    assert "high-card" in game_names()
    table = Table(Header("high-card", ("Ann", "Bo", "Cy"), 0))
    do(table, "1 play 9H", "2 play AS", "0 play KH")
    assert refusal(table, "1 gather") == "not-your-turn"
    assert table.legal_actions() == [action("0 gather")]
    assert events(do(table, "0 gather")) == ["game-over"]
    assert (table.over, table.winners, table.scores) == (True, (0,), (1, 0, 0))
    table.undo()
    table.undo()
    assert table.turn == 0 and not table.over


@pytest.mark.usefixtures("club")
def test_an_entry_point_that_is_not_a_game_is_refused() -> None:
    with pytest.raises(HeaderError, match="no-game"):
        load_game("no-game")


def test_a_game_cannot_be_added_under_the_name_of_another() -> None:
    other = type("Other", (Game,), {"name": "bridge", "title": "Other", "seats": range(2, 3)})
    with pytest.raises(HeaderError, match="there is a game 'bridge' already") as caught:
        add_game(other)
    assert caught.value.key == "game"
