"""Tags on readers become scenes: settled, moved, whole again after anything that was missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cards import parse_card
from engine.observations import Zone
from firmware_bridge.messages import Event, EventKind, ReaderStatus, State
from firmware_bridge.tag_tracker import FLICKER_S, SETTLE_S, TagTracker
from firmware_bridge.tags import TagTable

ZONES = {0: Zone("play", 0), 1: Zone("play", 1), 2: Zone("deal", 0), 3: Zone("deal", 1)}
AS, KS, QH = parse_card("AS"), parse_card("KS"), parse_card("QH")


class Bench:
    def __init__(self, folder: Path) -> None:
        tags = TagTable(folder / "tags.json")
        for uid, card in (("0000000a", AS), ("0000000b", KS), ("0000000c", QH)):
            tags.learn(uid, card)
        self.tracker = TagTracker("readers", ZONES, tags)
        self._number = 0
        for index in ZONES:
            self.state(index, 0.0)

    def event(self, news: EventKind, index: int, uid: str, now: float, age: float = 0.0) -> None:
        self.tracker.event(Event(1, self._number, news, index, age, f"0000000{uid}"), now)
        self._number += 1

    def state(self, index: int, now: float, *uids: str, status: ReaderStatus = ReaderStatus.WORKING) -> None:
        self.tracker.state(State(1, 0, index, status, tuple(f"0000000{uid}" for uid in uids)), now)

    def seen(self, now: float) -> list[tuple[str, str, float]] | None:
        scene = self.tracker.scene(now)
        if scene is None:
            return None
        return [(str(s.face), str(s.zone), s.since) for s in scene.sightings]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    assert bench.seen(0.0) == []
    return bench


def test_a_card_counts_when_it_has_lain_for_a_moment(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0, age=0.1)
    assert bench.seen(0.9 + SETTLE_S - 0.01) is None
    assert bench.seen(0.9 + SETTLE_S) == [("AS", "play 0", 0.9)]
    assert bench.seen(5.0) is None  # nothing new
    bench.event(EventKind.LIFTED, 0, "a", 6.0)
    assert bench.seen(6.0) == []


def test_what_lies_there_at_the_start_goes_on_to_lie_there(tmp_path: Path) -> None:
    """A board that has just started calls everything new; the next scene must not leave it out until it has settled."""
    bench = Bench(tmp_path)
    bench.event(EventKind.LAID, 0, "a", 0.05)
    assert bench.seen(0.06) == [("AS", "play 0", 0.05)]
    bench.event(EventKind.LAID, 1, "b", 0.07)
    assert bench.seen(0.1) is None
    assert bench.seen(0.07 + SETTLE_S) == [("AS", "play 0", 0.05), ("KS", "play 1", 0.07)]
    bench.event(EventKind.LIFTED, 0, "a", 1.0)
    bench.event(EventKind.LAID, 0, "a", 1.1)  # laid once more, it has to settle as any other
    assert bench.seen(1.2) == [("KS", "play 1", 0.07)]


def test_a_card_carried_over_a_reader_is_no_card_laid(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LIFTED, 0, "a", 1.2)
    assert bench.seen(2.0) is None


def test_a_card_laid_again_is_another_piece(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    first = bench.tracker.scene(2.0)
    bench.event(EventKind.LIFTED, 0, "a", 3.0)
    bench.tracker.scene(3.0)
    bench.event(EventKind.LAID, 0, "a", 4.0)
    again = bench.tracker.scene(5.0)
    assert first and again
    assert first.sightings[0].card_id != again.sightings[0].card_id


def test_a_card_in_two_fields_is_one_card_where_it_came_last(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 1.0)]
    bench.event(EventKind.LAID, 1, "a", 3.0)
    assert bench.seen(4.0) == [("AS", "play 1", 3.0)]
    bench.event(EventKind.LIFTED, 0, "a", 4.1)
    assert bench.seen(5.0) is None
    bench.event(EventKind.LIFTED, 1, "a", 6.0)
    assert bench.seen(7.0) == []


def test_an_unknown_tag_is_a_card_that_cannot_be_read(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "f", 1.0)
    assert bench.seen(2.0) == [("None", "play 0", 1.0)]


def test_nothing_is_told_before_all_readers_are_known(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.tracker = TagTracker("readers", ZONES, TagTable(tmp_path / "tags.json"))
    bench.event(EventKind.LAID, 0, "a", 0.0)
    for index in (0, 1, 2):
        bench.state(index, 1.0, *(["a"] if index == 0 else []))
        assert bench.seen(2.0) is None
    bench.state(3, 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 0.0)]


def test_what_lies_there_at_the_start_counts_at_once(tmp_path: Path) -> None:
    """Otherwise the first scene would be an empty table, and what was played before would seem withdrawn."""
    bench = Bench(tmp_path)
    for index in ZONES:
        bench.state(index, 1.0, *(["a"] if index == 0 else []))
    bench.event(EventKind.LAID, 1, "b", 1.0)
    assert bench.seen(1.0) == [("AS", "play 0", 1.0), ("KS", "play 1", 1.0)]


def test_a_state_decides_after_a_new_start(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LAID, 1, "b", 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 1.0), ("KS", "play 1", 1.0)]
    bench.state(0, 3.0, "a")
    bench.state(1, 3.0, "c")
    assert bench.seen(3.5) == [("AS", "play 0", 1.0), ("QH", "play 1", 3.0)]


def test_what_lies_on_a_broken_reader_stays(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.seen(2.0)
    bench.event(EventKind.FAULT, 0, "", 3.0)
    assert bench.tracker.broken == {0: Zone("play", 0)}
    bench.state(0, 3.0, status=ReaderStatus.BROKEN)
    assert bench.seen(4.0) is None
    bench.event(EventKind.WORKS, 0, "", 5.0)
    assert bench.tracker.broken == {}


def test_what_the_board_remembers_of_a_broken_reader_lies_there(tmp_path: Path) -> None:
    """A program that starts while the reader does not answer must not take what was played for withdrawn."""
    bench = Bench(tmp_path)
    bench.state(0, 1.0, "a", status=ReaderStatus.BROKEN)
    assert bench.seen(1.0) == [("AS", "play 0", 1.0)]
    bench.state(0, 2.0, "b", status=ReaderStatus.BROKEN)  # what else it knew was not lifted, as far as anybody knows
    assert bench.seen(3.0) == [("AS", "play 0", 1.0), ("KS", "play 0", 2.0)]
    bench.state(0, 4.0, "b")
    assert bench.seen(5.0) == [("KS", "play 0", 2.0)]


def test_cards_dealt_across_readers_are_remembered_for_their_seats(bench: Bench) -> None:
    for now, uid, index in ((1.0, "a", 2), (2.0, "b", 3), (3.0, "c", 2)):
        bench.event(EventKind.LAID, index, uid, now)
        bench.event(EventKind.LIFTED, index, uid, now + 0.2)
    assert bench.seen(9.0) is None  # they lie nowhere
    dealt = {seat: [card for _, card in cards.values()] for seat, cards in bench.tracker.swiped.items()}
    assert dealt == {0: [AS, QH], 1: [KS]}


def test_a_card_that_flickers_on_a_deal_reader_was_dealt_once(bench: Bench) -> None:
    bench.event(EventKind.LAID, 2, "a", 1.0)
    first = dict(bench.tracker.swiped[0])
    bench.event(EventKind.LIFTED, 2, "a", 1.3)
    bench.event(EventKind.LAID, 2, "a", 1.5)
    assert bench.tracker.swiped[0] == first
    bench.event(EventKind.LIFTED, 2, "a", 1.8)
    bench.event(EventKind.LAID, 2, "a", 1.5 + FLICKER_S)
    assert bench.tracker.swiped[0] != first


def test_a_card_dealt_and_then_played_is_dealt_no_more(bench: Bench) -> None:
    bench.event(EventKind.LAID, 2, "a", 1.0)
    bench.event(EventKind.LAID, 0, "a", 5.0)
    assert bench.tracker.swiped[0] == {}
