"""Every trick game is played with every kind of source, and the record is what was really done.

In `make test` one hand of one game is played before a camera that sees the hands dealt, and one on readers; in
`make long` every game to its end.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from cardtable.simulation.robots import ROBOTS
from cardtable.simulation.source import Setting
from engine.games import HOUSE, load_game
from engine.rules.dealing import DealtOutGame
from firmware_bridge import NotBuilt
from tests.cardtable.table.whole_games import Played, with_camera, with_readers
from tests.short_games import short_options

SEED = 3
GAMES = [game for game in HOUSE if game not in ROBOTS]
"""The games that `LegalPlayers` play; those with robots of their own are played in test_simulation_robots.py."""


def setting(game: str, known: bool = False) -> Setting:
    options, seats = tuple(short_options(game).items()), load_game(game).seats
    if known and game == "belote":
        options += (("form", "contree"),)
    return Setting(game, seats[-1 if game == "spades" else 0], SEED, "aruco", "fast", known, options)


@pytest.fixture
def hands(request: pytest.FixtureRequest) -> int | None:
    """How many hands to play; None for the whole game."""
    return None if request.node.get_closest_marker("long") else 1


def check(game: str, played: Played, hands: int | None) -> None:
    """The game was read without an error, and is in the record as it was played."""
    assert played.difference is None
    assert played.over or hands
    assert played.cards.right == played.cards.laid > 10
    assert played.cards.wrong == played.cards.missed == 0
    opened = [action.card for action in played.record if action.do == "expose"]
    assert game != "bridge" or len(opened) == 13  # the dummy, card by card


def read(
    game: str, known: bool, folder: Path, hands: int | None, browser: Browser | None = None, phones: bool = False
) -> Played:
    try:
        return with_readers(setting(game, known), folder, hands, browser, phones)
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_camera_sees_the_game(game: str, hands: int | None) -> None:
    check(game, with_camera(setting(game), hands), hands)


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("game", [game for game in GAMES if issubclass(load_game(game), DealtOutGame)])
def test_hands_laid_open_before_a_camera_are_known(game: str, hands: int | None) -> None:
    played = with_camera(setting(game, known=True), hands)
    check(game, played, hands)
    players = len(setting(game).header.players)
    assert sum(action.do == "deal" for action in played.record) >= players


@pytest.mark.sampled(1)
@pytest.mark.parametrize("game", GAMES)
def test_readers_read_a_game_with_hidden_hands(game: str, hands: int | None, tmp_path: Path) -> None:
    check(game, read(game, False, tmp_path, hands), hands)


@pytest.mark.long
@pytest.mark.parametrize("page", ["board", "phones"])
@pytest.mark.parametrize("game", GAMES)
def test_words_are_said_on_pages_and_the_hands_are_known(
    game: str, page: str, hands: int | None, tmp_path: Path, browser: Browser
) -> None:
    played = read(game, True, tmp_path, hands, browser, page == "phones")
    check(game, played, hands)
    vocabulary = load_game(game).vocabulary
    words = [vocabulary[action.word] for action in played.record if action.word]
    assert {word.name for word in words if not (word.needs or word.rare)} <= {*played.words}
