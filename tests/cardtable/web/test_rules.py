"""The rules of the games in plain words: every game has them, for every phase, and they say what the engine plays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.languages import translator
from cardtable.web import rules
from cardtable.web.rules import rules_as_markdown, rules_of, rules_page
from engine.errors import Refused
from engine.games import HOUSE, all_fives, belote, euchre, fifteen, hearts, le_quinze, load_game, oh_hell, spades, whist
from engine.games.belote.declarations import CARRE_POINTS, SEQUENCE_POINTS
from engine.games.cribbage import HEELS, SKUNK
from engine.games.cribbage.counting import count_hand
from engine.record import read_record
from engine.rules.game import Game
from engine.table import Table
from engine.texts import as_written

RECORDS = Path(__file__).parents[2] / "engine" / "records"


def phases() -> dict[str, set[str]]:
    """Return the phases that occur in the sample records of each game."""
    found: dict[str, set[str]] = {game: set() for game in HOUSE}
    for path in sorted(RECORDS.glob("*.record.jsonl")):
        record = read_record(path.read_text("utf-8").splitlines())
        table = Table(record.header)
        for action in record.actions:
            found[record.header.game].add(table.view().phase)
            try:
                table.do(action)
            except Refused:
                continue
    return found


def test_every_phase_of_a_game_has_its_section() -> None:
    for game, seen in phases().items():
        told = {name for section in rules_of(load_game(game)) for name in section.during}
        assert seen | {"over"} <= told, game
        assert "cut" in told or game == "its-15", "which alone has no cut"


@pytest.mark.parametrize("game", HOUSE)
def test_the_rules_name_phases_words_options_and_cards_of_the_game(game: str) -> None:
    kind = load_game(game)
    options = {option.name: option for option in kind.options}
    everywhere = {"cut", "deal", "discard", "turn", "say", "play", "bid", "show", "over"}
    for section in rules_of(kind):
        assert {*section.during} <= everywhere | kind.vocabulary.keys()
        for part in section.parts:
            assert part.text and {*part.cards} <= {*kind.deck}
            for name, allowed in part.when.items():
                choices = {"true", "false"} if isinstance(options[name].default, bool) else options[name].choices
                assert {*allowed} <= {*choices} if choices else all(map(str.isdecimal, allowed)), name


def told(game: str, **options: object) -> str:
    """Return the rules of a game that is played with these options, as one text."""
    page = rules_page(game, options, as_written)
    assert page
    return " ".join(part["text"] for section in page["sections"] for part in section["parts"])


NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}


def facts() -> Iterator[tuple[str, str]]:
    """Yield what the rules of a game must say, with the numbers of the engine."""
    yield "hearts", f"Each heart costs 1 point, the queen of spades {hearts.WORTH['queen-of-spades'][1]}."
    yield "hearts", f"all others score {hearts.MOON} instead"
    yield "hearts", f"Pass {NUMBERS[hearts.PASSED]} cards"
    yield "all-fives", f"Deal {NUMBERS[all_fives.DEALT]} cards each"
    yield "all-fives", f"deals {NUMBERS[all_fives.RUN]} more cards each"
    yield "all-fives", f"A called revoke costs {all_fives.PENALTY} points"
    worth = ", ".join(str(points) for _, points, _ in all_fives.COUNTING)
    yield "all-fives", f"these count {' and '.join(worth.rsplit(', ', 1))}."
    yield "whist", f"Each revoke gives the other side {NUMBERS[whist.PENALTY]} tricks."
    yield "whist", f"Each trick of a side beyond {NUMBERS[whist.BOOK]} scores 1."
    yield "oh-hell", f"you score {oh_hell.BONUS}, and 1 more for each trick"
    yield "oh-hell", f"Each revoke costs {oh_hell.PENALTY} points."
    yield "spades", f"at least {spades.BEHIND} behind"
    yield "spades", f"Nil scores {spades.NIL['nil']} "
    yield "spades", f"Blind nil scores or costs {spades.NIL['blind-nil']}."
    yield "euchre", f"Deal {NUMBERS[euchre.DEALT]} cards each"
    yield "euchre", f"win {NUMBERS[euchre.NEEDED]} of {NUMBERS[euchre.DEALT]} tricks"
    yield "fifteen", f"Deal {NUMBERS[fifteen.DEALT]} cards each. Both lay {NUMBERS[fifteen.LAID_AWAY]} away"
    yield "le-quinze", f"Deal {NUMBERS[le_quinze.PACKET]} cards each and lay {NUMBERS[le_quinze.TABLE]} face up"
    yield "belote", f"The last trick counts {belote.LAST_TRICK} more, all eight tricks {belote.EVERY_TRICK} instead."
    for word, points in SEQUENCE_POINTS.items():
        yield "belote", f"“{word}” {points}"
    yield "belote", f"jacks {CARRE_POINTS['J']}, nines {CARRE_POINTS['9']}, others {CARRE_POINTS['A']}"
    yield "cribbage", f"A jack scores the dealer {HEELS.points}"
    yield "cribbage", f"Losers with {SKUNK} or fewer are skunked"


@pytest.mark.parametrize("game", HOUSE)
def test_the_rules_have_the_numbers_of_the_engine(game: str) -> None:
    rules_told = told(game)
    assert [fact for of, fact in facts() if of == game and fact not in rules_told] == []


def test_the_best_hand_of_cribbage_is_the_one_shown() -> None:
    (shown,) = [part for section in rules_of(load_game("cribbage")) for part in section.parts if len(part.cards) == 5]
    *hand, starter = shown.cards
    assert sum(points for points, _ in count_hand(hand, starter, False)) == 29


def test_the_rules_are_told_as_the_game_is_played() -> None:
    assert "Once somebody has 50 after a hand" in told("hearts", target=50)
    assert "In the first trick" in told("hearts") and "In the first trick" not in told("hearts", early_points=True)
    assert "26 come off" in told("hearts", moon="shooter")
    assert "have a dog’s life" not in told("knock-out-whist", dogs_life=False)
    assert "farmer" in told("euchre", farmers_hand=True) and "farmer" not in told("euchre")
    classic, contree = told("belote"), told("belote", form="contree")
    assert "“take up”" in classic and "capot" not in classic and "“take up”" not in contree and "capot" in contree
    assert "Two games win the rubber" in told("bridge", scoring="rubber")


def test_the_rules_are_in_the_language_of_the_board() -> None:
    page = rules_page("hearts", {"passing": "none"}, translator("fr"))
    assert page and [section["name"] for section in page["sections"]] == ["But", "Passe", "Jouer", "Marque", "Renonce"]
    assert {"label": "Passe", "value": translator("fr")("none")} in page["options"]
    assert page["sections"][2]["parts"][-2]["text"] == "Carreau entamé\xa0: le roi prend."


def test_the_page_of_the_documentation_has_the_same_text() -> None:
    written = rules_as_markdown("hearts")
    assert "J♦ **K♦** 4♥<br>Diamonds led: the king takes it." in written
    assert "*With `passing = left`:* Pass three cards" in written and "Once somebody has 100" in written


class Snap(Game):
    """A game of another package that has no rules to read."""

    name = "snap"


def test_a_game_without_a_file_has_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rules_of(Snap) == ()
    monkeypatch.setattr(rules, "load_game", lambda name: Snap)
    assert rules_page("snap", {}, as_written) is None and not rules.has_rules("snap")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("snap-card", "## Aim\n\n> J♦ Z♦"),
        ("snap-value", "## Aim\n\nUp to {target}."),
        ("snap-option", "## Aim\n\n<!-- moon: x -->\nAll."),
    ],
)
def test_faulty_rules_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, written: str
) -> None:
    file = tmp_path / f"{name}.md"
    file.write_text(written, "utf-8")
    monkeypatch.setattr(rules, "files", lambda package: tmp_path)
    monkeypatch.setattr(rules, "load_game", lambda name: type("Faulty", (Snap,), {"name": name}))
    assert not rules.has_rules(name) and rules_page(name, {}, as_written) is None
    assert [record.getMessage().partition(": ")[0] for record in caplog.records] == [str(file)]
