"""A deck of which no card is read: the table says so instead of asking for each card again and again."""

from __future__ import annotations

from engine.observations import Hampered
from tests.vision.light.live_table import LiveTable
from vision.camera_pipeline import CameraPipeline
from vision.faces import FaceReader
from vision.faces.reader_nets import Suits
from vision.marks import ArucoReader

ZONES = (("play", 0), ("play", 1), ("show", 0))


def reasons(table: LiveTable, laid: int, faces: bool = True, backs: bool = False, suits: Suits = "french") -> list[str]:
    """What is reported while `laid` cards without any print, or with their `backs` up, are laid, each for a second."""
    readers = [ArucoReader(), *([FaceReader(suits=suits)] if faces else [])]
    pipeline = CameraPipeline(table, table.mat, readers)
    found: list[str] = []
    for number in range(laid + 1):
        for _ in range(30):
            found += [seen.reason for seen in pipeline.step() if isinstance(seen, Hampered)]
        if number < laid:
            table.lay("back", ZONES[number]) if backs else table.lay_paper(ZONES[number])
    return found


def test_three_cards_that_cannot_be_read_are_reported_with_what_to_do() -> None:
    (reason,) = set(reasons(LiveTable(), 3))
    assert "cardtable deck check" in reason and "learn the deck" in reason
    assert "german-suits" in reason


def test_a_table_with_german_suits_is_not_advised_to_set_them() -> None:
    (reason,) = set(reasons(LiveTable(), 3, suits="german"))
    assert "cardtable deck check" in reason and "german-suits" not in reason


def test_two_cards_are_asked_for_again_only() -> None:
    assert reasons(LiveTable(), 2) == []


def test_cards_with_marks_are_not_a_deck_to_learn() -> None:
    assert reasons(LiveTable(), 3, faces=False) == []


def test_backs_and_a_deck_of_which_cards_are_read_are_not_reported() -> None:
    assert reasons(LiveTable(), 3, backs=True) == []
    some = LiveTable()
    some.lay("QH", ("show", 1))
    some.lay("7S", ("turn-up", None))
    assert reasons(some, 3) == []
