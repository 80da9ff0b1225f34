"""Events and states of readers become scenes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cards import parse_card
from engine.observations import ActionCard, Swipe, Zone
from firmware_bridge.messages import EventKind, ReaderStatus, State, TagEvent
from firmware_bridge.tags import FLICKER_S, SETTLE_S, TagTable, TagTracker

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

    def event(self, update: EventKind, index: int, uid: str, now: float, age: float = 0.0) -> None:
        self.tracker.event(TagEvent(1, self._number, update, index, age, f"0000000{uid}"), now)
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


def test_card_counts_after_the_settling_time(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0, age=0.1)
    assert bench.seen(0.9 + SETTLE_S - 0.01) is None
    assert bench.seen(0.9 + SETTLE_S) == [("AS", "play 0", 0.9)]
    assert bench.seen(5.0) is None  # unchanged
    bench.event(EventKind.LIFTED, 0, "a", 6.0)
    assert bench.seen(6.0) == []


def test_cards_of_the_first_scene_stay_in_the_next(tmp_path: Path) -> None:
    """A board that has just started reports every tag as new; the next scene must not omit them until they settle."""
    bench = Bench(tmp_path)
    bench.event(EventKind.LAID, 0, "a", 0.05)
    assert bench.seen(0.06) == [("AS", "play 0", 0.05)]
    bench.event(EventKind.LAID, 1, "b", 0.07)
    assert bench.seen(0.1) is None
    assert bench.seen(0.07 + SETTLE_S) == [("AS", "play 0", 0.05), ("KS", "play 1", 0.07)]
    bench.event(EventKind.LIFTED, 0, "a", 1.0)
    bench.event(EventKind.LAID, 0, "a", 1.1)  # laid again, it must settle
    assert bench.seen(1.2) == [("KS", "play 1", 0.07)]


def test_card_carried_over_a_reader_is_ignored(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LIFTED, 0, "a", 1.2)
    assert bench.seen(2.0) is None


def test_card_laid_again_has_another_id(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    first = bench.tracker.scene(2.0)
    bench.event(EventKind.LIFTED, 0, "a", 3.0)
    bench.tracker.scene(3.0)
    bench.event(EventKind.LAID, 0, "a", 4.0)
    again = bench.tracker.scene(5.0)
    assert first and again
    assert first.sightings[0].card_id != again.sightings[0].card_id


def test_card_in_two_fields_counts_where_it_arrived_last(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 1.0)]
    bench.event(EventKind.LAID, 1, "a", 3.0)
    assert bench.seen(4.0) == [("AS", "play 1", 3.0)]
    bench.event(EventKind.LIFTED, 0, "a", 4.1)
    assert bench.seen(5.0) is None
    bench.event(EventKind.LIFTED, 1, "a", 6.0)
    assert bench.seen(7.0) == []


def test_unknown_tag_is_a_card_without_a_face(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "f", 1.0)
    assert bench.seen(2.0) == [("None", "play 0", 1.0)]


def test_no_scene_before_all_states_are_known(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.tracker = TagTracker("readers", ZONES, TagTable(tmp_path / "tags.json"))
    bench.event(EventKind.LAID, 0, "a", 0.0)
    for index in (0, 1, 2):
        bench.state(index, 1.0, *(["a"] if index == 0 else []))
        assert bench.seen(2.0) is None
    bench.state(3, 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 0.0)]


def test_cards_of_the_first_scene_count_at_once(tmp_path: Path) -> None:
    """Otherwise the first scene would be empty, as if all cards had been taken up."""
    bench = Bench(tmp_path)
    for index in ZONES:
        bench.state(index, 1.0, *(["a"] if index == 0 else []))
    bench.event(EventKind.LAID, 1, "b", 1.0)
    assert bench.seen(1.0) == [("AS", "play 0", 1.0), ("KS", "play 1", 1.0)]


def test_state_overrides_the_events(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LAID, 1, "b", 1.0)
    assert bench.seen(2.0) == [("AS", "play 0", 1.0), ("KS", "play 1", 1.0)]
    bench.state(0, 3.0, "a")
    bench.state(1, 3.0, "c")
    assert bench.seen(3.5) == [("AS", "play 0", 1.0), ("QH", "play 1", 3.0)]


def test_cards_on_a_broken_reader_stay(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.seen(2.0)
    bench.event(EventKind.FAULT, 0, "", 3.0)
    assert bench.tracker.broken == {0: Zone("play", 0)}
    bench.state(0, 3.0, status=ReaderStatus.BROKEN)
    assert bench.seen(4.0) is None
    bench.event(EventKind.WORKS, 0, "", 5.0)
    assert bench.tracker.broken == {}


def test_last_tags_of_a_broken_reader_count(tmp_path: Path) -> None:
    """To a program that starts while the reader does not answer, its cards must not seem to be taken up."""
    bench = Bench(tmp_path)
    bench.state(0, 1.0, "a", status=ReaderStatus.BROKEN)
    assert bench.seen(1.0) == [("AS", "play 0", 1.0)]
    bench.state(0, 2.0, "b", status=ReaderStatus.BROKEN)  # whether the other tag was lifted is unknown
    assert bench.seen(3.0) == [("AS", "play 0", 1.0), ("KS", "play 0", 2.0)]
    bench.state(0, 4.0, "b")
    assert bench.seen(5.0) == [("KS", "play 0", 2.0)]


def test_swiped_cards_are_remembered_by_seat(bench: Bench) -> None:
    for now, uid, index in ((1.0, "a", 2), (2.0, "b", 3), (3.0, "c", 2)):
        bench.event(EventKind.LAID, index, uid, now)
        bench.event(EventKind.LIFTED, index, uid, now + 0.2)
    assert bench.seen(9.0) is None  # they are not on the table
    assert [(swipe.seat, swipe.card) for swipe in bench.tracker.swipes] == [(0, AS), (1, KS), (0, QH)]


def test_card_that_flickers_on_a_deal_reader_is_swiped_once(bench: Bench) -> None:
    bench.event(EventKind.LAID, 2, "a", 1.0)
    first = bench.tracker.swipes
    bench.event(EventKind.LIFTED, 2, "a", 1.3)
    bench.event(EventKind.LAID, 2, "a", 1.5)
    assert bench.tracker.swipes == first != ()
    bench.event(EventKind.LIFTED, 2, "a", 1.8)
    bench.event(EventKind.LAID, 2, "a", 1.5 + FLICKER_S)
    assert bench.tracker.swipes != first


def test_played_card_is_no_longer_swiped(bench: Bench) -> None:
    bench.event(EventKind.LAID, 2, "a", 1.0)
    bench.event(EventKind.LAID, 0, "a", 5.0)
    assert bench.tracker.swipes == ()


def swiped(bench: Bench) -> dict[int, list[str]]:
    """The swiped cards of each seat."""
    found: dict[int, list[str]] = {}
    for swipe in bench.tracker.swipes:
        found.setdefault(swipe.seat, []).append(str(swipe.card))
    return found


def test_ids_of_cards_and_header_of_a_scene(bench: Bench) -> None:
    bench.event(EventKind.LAID, 1, "b", 1.0)
    bench.event(EventKind.LAID, 0, "a", 1.0)
    scene = bench.tracker.scene(2.0)
    assert scene is not None and (scene.time, scene.source, scene.through_backs) == (2.0, "readers", True)
    assert [sighting.card_id for sighting in scene.sightings] == ["0000000a/2", "0000000b/1"]


def test_readers_that_are_not_in_use_are_ignored(bench: Bench) -> None:
    bench.event(EventKind.LAID, 4, "a", 1.0)
    bench.event(EventKind.FAULT, 4, "", 1.0)
    bench.state(4, 1.0, "a")
    assert bench.seen(2.0) is None and bench.tracker.broken == {}


def test_events_of_buttons_and_tests_change_nothing(bench: Bench) -> None:
    for kind in (EventKind.PRESSED, EventKind.RELEASED, EventKind.TESTED):
        bench.event(kind, 0, "a", 1.0)
    assert bench.seen(2.0) is None and bench.tracker.broken == {}


def test_lifting_a_tag_twice_is_harmless(bench: Bench) -> None:
    bench.event(EventKind.LIFTED, 0, "a", 1.0)
    assert bench.seen(2.0) is None


def test_broken_readers_are_sorted(bench: Bench) -> None:
    bench.event(EventKind.FAULT, 1, "", 1.0)
    bench.event(EventKind.FAULT, 0, "", 1.0)
    assert list(bench.tracker.broken) == [0, 1]
    bench.state(1, 2.0)
    assert list(bench.tracker.broken) == [0]
    bench.event(EventKind.WORKS, 1, "", 3.0)  # it worked already
    assert list(bench.tracker.broken) == [0]


def test_events_are_settled_after_the_settling_time(bench: Bench) -> None:
    assert not bench.tracker.settled(1.0, 1.0 + SETTLE_S - 0.001)
    assert bench.tracker.settled(1.0, 1.0 + SETTLE_S)


def test_unknown_tags_outside_the_deal_zone(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LAID, 1, "e", 1.0)
    bench.event(EventKind.LAID, 2, "f", 1.0)
    assert bench.tracker.unknown == {}
    bench.seen(2.0)
    assert bench.tracker.unknown == {"0000000e": 1}


def test_states_on_a_reader_replace_only_its_own_tags(bench: Bench) -> None:
    bench.event(EventKind.LAID, 0, "a", 1.0)
    bench.event(EventKind.LAID, 1, "b", 1.0)
    bench.seen(2.0)
    bench.state(0, 3.0)
    assert bench.seen(3.0) == [("KS", "play 1", 1.0)]


def test_tag_found_by_a_state_is_not_swiped(bench: Bench) -> None:
    bench.state(2, 1.0, "a")
    assert swiped(bench) == {}
    bench.event(EventKind.LAID, 2, "a", 2.0)  # known already
    assert swiped(bench) == {}


def test_swipes_from_before_the_start_are_ignored(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.tracker = TagTracker("readers", ZONES, TagTable(tmp_path / "tags.json"), start=10.0)
    bench.event(EventKind.LAID, 2, "a", 10.5, age=0.6)
    assert swiped(bench) == {}
    bench.event(EventKind.LAID, 2, "b", 10.5, age=0.5)
    assert swiped(bench) == {0: ["KS"]}


def test_unknown_tags_and_action_cards_are_not_swiped(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    tags = TagTable(tmp_path / "tags.json")
    tags.learn("0000000d", ActionCard("beg"))
    zones = {**ZONES, 4: Zone("deal")}
    bench.tracker = TagTracker("readers", zones, tags)
    bench.event(EventKind.LAID, 2, "d", 1.0)
    bench.event(EventKind.LAID, 2, "f", 1.0)
    bench.event(EventKind.LAID, 4, "a", 1.0)  # a deal zone without a seat
    assert swiped(bench) == {}


def test_card_swiped_for_another_seat_moves(bench: Bench) -> None:
    bench.event(EventKind.LAID, 2, "a", 1.0)
    bench.event(EventKind.LAID, 2, "b", 1.1)
    bench.event(EventKind.LAID, 3, "a", 1.2)
    assert swiped(bench) == {0: ["KS"], 1: ["AS"]}
    assert bench.tracker.swipes[1] == Swipe(3, 1, AS)


def test_flicker_extends_the_time_until_the_next_swipe(bench: Bench) -> None:
    for now in (1.0, 1.0 + FLICKER_S - 0.1, 1.0 + 2 * FLICKER_S - 0.3):
        bench.event(EventKind.LAID, 2, "a", now)
        bench.event(EventKind.LIFTED, 2, "a", now + 0.05)
    assert bench.tracker.swipes == (Swipe(1, 0, AS),)


def test_settling_time_of_the_constructor(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.tracker = TagTracker("readers", {0: Zone("play", 0)}, TagTable(tmp_path / "tags.json"), settle=1.0)
    bench.state(0, 0.0)
    bench.seen(0.0)
    bench.event(EventKind.LAID, 0, "a", 1.0)
    assert bench.seen(1.9) is None and bench.seen(2.0) == [("AS", "play 0", 1.0)]
