"""`cardtable deck check`: what is read of a deck, what is confused, what to do; and the command under the camera."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.setup.deck_report import DeckReport
from engine.cards import STANDARD_DECK, Card, parse_card
from engine.observations import Scene, Sighting, Zone

WANTED = [parse_card(name) for name in ("QS", "9S", "7H", "AC")]


def scene(*cards: tuple[str, str | None, float, str]) -> Scene:
    """A scene with cards: their id, face, confidence, and the other cards that they may be."""
    return Scene(
        0.0,
        "camera",
        tuple(
            Sighting(id_, parse_card(face) if face else None, Zone("table"), 0.0, confidence, named(others))
            for id_, face, confidence, others in cards
        ),
        (),
    )


def named(cards: str) -> tuple[Card, ...]:
    return tuple(parse_card(name) for name in cards.split())


def report(*scenes: Scene) -> DeckReport:
    found = DeckReport(WANTED)
    for each in scenes:
        found.add(each)
    return found


def test_a_deck_that_is_read() -> None:
    found = DeckReport(WANTED)
    assert found.add(scene(("1", "QS", 0.99, ""), ("2", "7H", 1.0, ""))) == named("QS 7H")
    assert found.add(scene(("1", "QS", 0.99, ""))) == ()
    assert found.add(scene(("3", "9S", 0.99, ""), ("4", "AC", 1.0, ""))) == named("9S AC")
    assert found.complete
    assert found.lines() == ["4 of 4 cards are read.", "This deck suits the table."]


def test_a_card_taken_for_another_is_found_by_counting() -> None:
    found = report(
        scene(("1", "QS", 0.99, "")), scene(("2", "QS", 0.95, "9S")), scene(("3", "7H", 1.0, ""), ("4", "AC", 1.0, ""))
    )
    assert found.missing == named("9S") and found.confused == {parse_card("QS"): named("9S")}
    assert "Q♠ was read more than once: one of them may have been 9♠." in found.lines()


def test_a_card_laid_again_is_not_confused() -> None:
    found = report(scene(*((str(i), card, 1.0, "") for i, card in enumerate(("QS", "9S", "7H", "AC", "QS")))))
    assert found.confused == {} and found.complete


def test_a_card_that_was_read_only_when_laid_again_does_not_suit() -> None:
    whole = scene(*((card, card, 1.0, "") for card in ("QS", "9S", "7H", "AC")))
    found = report(scene(("lost", None, 0.0, "")), whole)
    assert found.complete
    count, advice = found.lines()[1:]
    assert count == "1 card that lay there could not be read."
    assert advice.startswith("Every card is read, but not each time")
    assert not any("suits the table" in line for line in found.lines())


def test_the_surest_look_at_a_card_counts() -> None:
    """A hand over the card makes the last look less sure, or hides the face."""
    found = report(scene(("1", "QS", 0.99, "")), scene(("1", "QS", 0.9, "9S")), scene(("1", None, 0.0, "9S")))
    assert found.read == named("QS") and found.uncertain == () and found.unread == 0


def test_copies_of_a_card_are_not_confused() -> None:
    found = DeckReport(named("QS QS 9S"))
    found.add(scene(("1", "QS", 1.0, ""), ("2", "QS", 1.0, "")))
    assert found.missing == named("9S") and found.confused == {}
    found.add(scene(("3", "QS", 0.95, "9S")))
    assert found.confused == {parse_card("QS"): named("9S")}


def test_a_better_look_corrects_an_earlier_one() -> None:
    found = report(scene(("1", "QS", 0.9, "9S")), scene(("1", "9S", 0.99, "")))
    assert found.read == named("9S") and "QS" in found.to_json()["missing"]


def test_what_is_unsure_unread_or_foreign_is_named() -> None:
    found = report(scene(("1", "QS", 0.91, ""), ("2", None, 0.0, ""), ("3", "KD", 1.0, ""), ("4", "7H", 1.0, "")))
    lines = found.lines()
    assert lines[:5] == [
        "2 of 4 cards are read.",
        "Not read: 9♠ and A♣.",
        "Q♠ was read without certainty (0.91).",
        "Read, but not of this deck: K♦.",
        "1 card that lay there could not be read.",
    ]
    assert lines[5].startswith("Lay these cards once more") and "--labels" in lines[5]
    assert found.to_json()["unsure"] == {"QS": 0.91}
    certain = report(scene(("1", "QS", 0.91, "")), scene(("5", "QS", 0.99, "")))
    assert certain.uncertain == ()


def test_a_deck_that_is_not_read_at_all() -> None:
    assert "print one with marks" in report(scene(("1", None, 0.0, ""))).lines()[-1]


def test_a_drawback_of_the_deck_is_part_of_the_report() -> None:
    found = DeckReport(WANTED)
    found.add(scene(*((name, name, 1.0, "") for name in ("QS", "9S", "7H", "AC"))))
    found.drawback = "Each card shows one index only."
    assert found.lines()[1:] == [
        found.drawback, "Every card is read if it lies uncovered: lay the cards of a trick apart.",
    ]  # fmt: skip


def test_under_the_camera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["deck", "check", "--no-page", "--cards", "QS,7H"]
    shown = "synthetic:deck?marks=aruco&cards="
    Path("table.toml").write_text('marks = ["aruco"]\n', "utf-8")
    assert main([*command, "--source", f"{shown}QS"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[1:4] == ["1 of 2: Q♠", "1 of 2 cards are read.", "Not read: 7♥."]
    assert main([*command, "--json", "--source", f"{shown}7H,QS"]) == 0
    *progress, whole = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["done"] for entry in progress] == [1, 2]
    assert whole["read"] == ["QS", "7H"] and whole["missing"] == []


@pytest.mark.long
def test_a_deck_laid_six_at_a_time_is_checked_in_two_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the camera's time, with a hand as quick as a person's."""
    monkeypatch.chdir(tmp_path)
    Path("table.toml").write_text('marks = ["aruco"]\n', "utf-8")
    cards = [str(card) for card in STANDARD_DECK.cards[:6]]
    source = f"synthetic:deck?marks=aruco&pace=human&at_once=6&cards={','.join(cards)}"
    assert main(["deck", "check", "--no-page", "--json", "--cards", ",".join(cards), "--source", source]) == 0
    whole = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert len(whole["read"]) == 6 and whole["unread"] == 0
    assert whole["seconds"] < 120 * 6 / 52


@pytest.mark.parametrize(("setting", "says"), [("at_once=7", "at_once is 1 to 6"), ("pace=slow", "fast or human")])
def test_a_wrong_setting_of_the_shown_deck_is_refused(
    setting: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deck", "check", "--no-page", "--source", f"synthetic:deck?{setting}"]) == 2
    assert says in capsys.readouterr().err


def test_the_deck_of_the_game_is_checked_by_default() -> None:
    assert len(STANDARD_DECK) == 52
    assert DeckReport(list(STANDARD_DECK)).lines()[0] == "0 of 52 cards are read."


def test_a_wrong_source_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "check", "--no-page", "--source", "nothing:here"]) == 2
    assert "nothing:here" in capsys.readouterr().err
