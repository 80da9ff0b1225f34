"""Robots and games of other packages: found by entry point, and refused if they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.errors import UsageError
from cardtable.simulation.le_quinze import LeQuinze
from cardtable.simulation.robots import ROBOTS, load_robots, robot_names
from cardtable.simulation.source import Setting, marks_for
from engine.games import HOUSE, word_marks
from engine.words import FREE_MARKS

CLUB = """
from cardtable.simulation.le_quinze import LeQuinze as Robots
from engine.cards import Card, Deck
from engine.games.le_quinze import LeQuinze
from engine.words import Word


class Loud(LeQuinze):
    name = "loud"
    words = (Word("fifteen"),)
    zones = ("play", "table", "say")


class Pink(Loud):
    name = "pink"
    deck = Deck(Card(str(number), "pink") for number in range(1, 53))
"""


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a game that has its own word, robots for it, and a class that is not robots."""
    (tmp_path / "club_table.py").write_text(CLUB, "utf-8")
    info = tmp_path / "club-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: club\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[cardtable.games]\nloud = club_table:Loud\npink = club_table:Pink\nquiet = engine.games.le_quinze:LeQuinze\n"
        "[cardtable.robots]\nloud = club_table:Robots\npink = club_table:Robots\nquiet = club_table:Loud\n"
        "nowhere = club_table:Robots\n"
        "cribbage = club_table:Robots\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("club")
def test_robots_are_found_by_entry_point_if_there_is_such_a_game() -> None:
    assert robot_names() == (*ROBOTS, *sorted({*HOUSE, "loud", "pink", "quiet"} - ROBOTS.keys()))
    assert load_robots("loud") is LeQuinze
    with pytest.raises(UsageError, match=r"no players for 'nowhere', only for: .*loud, oh-hell, pink, quiet"):
        load_robots("nowhere")


@pytest.mark.usefixtures("club")
def test_robots_of_the_five_games_cannot_be_replaced() -> None:
    assert load_robots("cribbage") is ROBOTS["cribbage"]


@pytest.mark.usefixtures("club")
def test_a_class_that_is_not_a_subclass_of_players_is_refused() -> None:
    with pytest.raises(UsageError, match="'quiet' are not a class of players"):
        load_robots("quiet")


@pytest.mark.usefixtures("club")
def test_the_words_of_every_game_have_an_aruco_mark() -> None:
    assert marks_for("loud") == "faces"
    Setting("loud", 2, 1, "aruco").check()
    assert word_marks("loud")["fifteen"] in FREE_MARKS


@pytest.mark.usefixtures("club")
def test_cards_without_an_aruco_mark_are_read_by_qr_codes() -> None:
    assert marks_for("pink") == "qr"
    Setting("pink", 2, 1, "qr").check()
    with pytest.raises(UsageError, match="no ArUco mark: take qr"):
        Setting("pink", 2, 1, "aruco").check()


def test_an_unknown_game_has_no_robots() -> None:
    assert marks_for("knock-out-whist") == "faces"
    with pytest.raises(UsageError, match=r"no players for 'cribage'.*cribbage"):
        Setting("cribage").check()
