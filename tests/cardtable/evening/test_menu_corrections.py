"""Names and cards corrected by a button or an encoder alone, without the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.evening.lobby import Lobby
from cardtable.evening.menu_pages import Situation
from cardtable.journal.journal import Journal
from tests.cardtable.evening.hands import Hands
from tests.cardtable.evening.menu_tree import every_page
from tests.cardtable.french import assert_french
from tests.cardtable.table.corrected_game import Game


@pytest.mark.parametrize("hands", [True], indirect=True)
def test_a_player_is_renamed_and_forgotten(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Ann", "Bo", "Cy")
    evening.send("remove-player", name="Cy")
    for label in ("Players: Ann, Bo", "Names", "Bo", "Another name", "b", "Rename to Bob"):
        people.choose(label, encoder)
    assert (evening.shown()["players"], evening.shown()["menu"]["title"]) == (["Ann", "Bob"], "Names")
    people.choose("Bob", encoder)
    assert "Forget this player" not in evening.shown()["menu"]["entries"]
    for label in ("Back", "Cy", "Forget this player"):
        people.choose(label, encoder)
    assert evening.shown()["menu"]["entries"] == ["Ann", "Bob", "Back"]
    assert "Cy" not in evening.shown()["remembered"]


@pytest.mark.parametrize("hands", [True], indirect=True)
def test_a_card_is_corrected_and_what_no_longer_fits_is_asked(hands: tuple[Hands, bool]) -> None:
    people, encoder = hands
    evening = people.evening
    evening.seat_players("Ann", "Bo")
    evening.send("begin")
    evening.see(evening.scenes.again())
    evening.lay("4H", "turn-up")
    evening.say(1, "stand")
    evening.lay("KS", "play", 1)
    evening.lay("3S", "play", 0)
    people.press(1.0)
    people.choose("Correct a card", encoder)
    assert evening.shown()["menu"]["spoken"] == f"{evening.shown()['menu']['title']} Ann: 3 of spades"
    for label in ("Bo: K♠", "clubs", "K♣"):
        people.choose(label, encoder)
    texts = [entry["text"] for entry in evening.shown()["history"]]
    assert texts[:3] == ["Ann plays 3♠", "Bo plays K♣", "Corrected: Bo plays K♣, not K♠."]
    assert evening.shown()["history"][2]["by"] == "seat 1"
    for label in ("Correct a card", "What happened", "Ann plays 3♠", "3♠ was another card", "spades", "4♠"):
        people.choose(label, encoder)
    assert evening.shown()["history"][0]["text"] == "Ann plays 4♠"
    for label in ("Correct a card", "Ann: 4♠", "spades", "3♠"):
        people.choose(label, encoder)
    texts = [entry["text"] for entry in evening.shown()["history"]]
    for label in ("Correct a card", "Bo: K♣", "It is not there"):
        people.choose(label, encoder)
    assert evening.shown()["menu"]["title"] == "Later actions no longer fit."
    assert [entry["text"] for entry in evening.shown()["history"]] == texts
    people.choose("Change nothing", encoder)
    for label in ("Correct a card", "Bo: K♣", "It is not there", "Take back 1"):
        people.choose(label, encoder)
    assert evening.shown()["history"][0]["text"].startswith("Corrected: K♣ was not there")
    standing = [entry["text"] for entry in evening.shown()["history"] if "by" not in entry]
    assert standing == ["Bo: “stand”", "4♥ is turned up"]


def test_every_page_leads_back_and_every_kind_of_correction_is_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    game = Game(journal)
    game.begin()
    game.scenes.lay("QH", "play", 1)
    game.scenes.doubt("QH", "QD")
    game.take(game.scenes.again())
    shown = game.now
    assert any(card.line is None for card in shown.placed), "a card that is seen and does not count"
    first, cards, off, *pages = every_page(Situation("game", Lobby(), game=shown))
    assert first.title == "The game" and off.title == "Break this game off? It stays stored." and len(pages) > 20
    kinds = set[str]()
    for page in (cards, *pages):
        assert_french(page.title)
        assert page.entries[-1].label == "Back" and page.entries[-1].opens is not None
        kinds |= {type(entry.message).__name__ for entry in page.entries if entry.message is not None}
    assert kinds == {"CorrectCard", "AddCard", "NameCard", "UndoTo"}
    journal.close()
