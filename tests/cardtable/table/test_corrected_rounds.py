"""Corrections of cards that have had their effect, and still lie on the table."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from cardtable.journal.journal import Journal
from engine.record import Header
from tests.cardtable.table.corrected_game import Game


def test_a_card_of_a_round_that_is_over_is_corrected_in_the_record(tmp_path: Path) -> None:
    """Cards of cribbage stay on the table when a count to 31 has ended."""
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        game = Game(journal, Header("cribbage", ("Ann", "Bo"), 0))
        game.take(game.scenes.again())
        game.take(game.scenes.lay("9S", "turn-up"))
        for number, card in enumerate(("KC", "2H", "3D", "6C", "AD", "8H")):
            game.take(game.scenes.lay(card, "play", 1 - number % 2))
        sightings = {str(each.face): each.card_id for each in game.scenes.again().sightings}
        assert game.ask("name-card", source="camera", id=sightings["2H"], card="2C") is None
        assert game.record[2] == "0 play 2C" and game.made == ["Corrected: Ann plays 2♣, not 2♥."]
        assert game.kinds == ["corrected", "turn"]
        assert game.ask("name-card", source="camera", id=sightings["KC"]) is not None, "the turns do not fit then"
