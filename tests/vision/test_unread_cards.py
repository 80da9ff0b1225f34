"""A deck of which no card is read: the table says so instead of asking for each card again and again."""

from __future__ import annotations

from engine.observations import Hampered
from tests.vision.light.live_table import LiveTable
from vision.camera_pipeline import CameraPipeline
from vision.faces import FaceReader
from vision.faces.reader_nets import Suits
from vision.marks import ArucoReader

ZONES = (("play", 0), ("play", 1), ("show", 0))


def reasons(table: LiveTable, faces: bool = True, backs: bool = False, suits: Suits = "french") -> list[set[str]]:
    """What is reported with none, one, two and three cards without any print, or with their `backs` up."""
    readers = [ArucoReader(), *([FaceReader(suits=suits)] if faces else [])]
    pipeline = CameraPipeline(table, table.mat, readers)
    found = []
    for zone in (None, *ZONES):
        if zone is not None:
            table.lay("back", zone) if backs else table.lay_paper(zone)
        seen = [observation for _ in range(12) for observation in pipeline.step()]
        found.append({observation.reason for observation in seen if isinstance(observation, Hampered)})
    return found


def test_the_third_card_that_cannot_be_read_is_reported_with_what_to_do() -> None:
    *before, (reason,) = reasons(LiveTable())
    assert before == [set(), set(), set()]
    assert "cardtable deck check" in reason and "learn the deck" in reason
    assert "german-suits" in reason


def test_a_table_with_german_suits_is_not_advised_to_set_them() -> None:
    (reason,) = reasons(LiveTable(), suits="german")[-1]
    assert "cardtable deck check" in reason and "german-suits" not in reason


def test_cards_with_marks_are_not_a_deck_to_learn() -> None:
    assert not any(reasons(LiveTable(), faces=False))


def test_backs_and_a_deck_of_which_cards_are_read_are_not_reported() -> None:
    assert not any(reasons(LiveTable(), backs=True))
    some = LiveTable()
    some.lay("QH", ("show", 1))
    some.lay("7S", ("turn-up", None))
    assert not any(reasons(some))
