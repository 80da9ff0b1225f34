"""The state machine of a track: every state with every event, and what the transitions do besides."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import vision.tracking.motion
import vision.tracking.settings
import vision.tracking.votes
from engine.cards import parse_card
from engine.observations import Zone
from vision.readings import By, Reading
from vision.tracking.footprint import Footprint
from vision.tracking.track import Event, InvalidTransition, Track, TrackState

OUTLINE = np.array([(0, 0), (63, 0), (63, 88), (0, 88)], np.float32)
EMPTY_S = 0.3


def footprint() -> Footprint:
    nothing = np.zeros((1, 1), np.bool_)
    return Footprint((slice(0, 1), slice(0, 1)), nothing, nothing, np.zeros((1, 1, 3), np.uint8), nothing)


def new_track() -> Track:
    return Track("camera-1", 1, OUTLINE, footprint(), 0.0)


def reading(face: str = "8D", confidence: float = 0.8, by: By = "face") -> Reading:
    return Reading(parse_card(face), confidence, by, OUTLINE)


EVENTS: dict[Event, Callable[[Track], object]] = {
    "vote": lambda track: track.vote(reading(), 99),
    "confirm": lambda track: track.confirm(1.0, None, 3),
    "discard": lambda track: track.discard(),
    "move": lambda track: track.move(OUTLINE + 5, footprint(), None, None),
    "see_card": lambda track: track.see_card(),
    "see_other": lambda track: track.see_other(),
    "see_table": lambda track: track.see_table(10.0, EMPTY_S),
    "expire": lambda track: track.see_table(10.0 + EMPTY_S, EMPTY_S),
}

WAYS: dict[TrackState, tuple[Event, ...]] = {
    TrackState.UNREAD: (),
    TrackState.CANDIDATE: ("vote",),
    TrackState.VISIBLE: ("confirm",),
    TrackState.COVERED: ("confirm", "see_other"),
    TrackState.EMPTY: ("confirm", "see_table"),
    TrackState.GONE: ("discard",),
}
"""How a new track gets into each state."""

# A row for each state, a column for each event in the order of EVENTS; "-": not accepted.
EXPECTED = """
UNREAD    CANDIDATE VISIBLE GONE UNREAD    -       -       -     -
CANDIDATE CANDIDATE VISIBLE GONE CANDIDATE -       -       -     -
VISIBLE   VISIBLE   -       -    VISIBLE   VISIBLE COVERED EMPTY EMPTY
COVERED   COVERED   -       -    VISIBLE   VISIBLE COVERED EMPTY EMPTY
EMPTY     EMPTY     -       -    VISIBLE   VISIBLE COVERED EMPTY GONE
GONE      -         -       -    -         -       -       -     -
"""
ROWS = {TrackState[row[0]]: row[1:] for line in EXPECTED.split("\n") if (row := line.split())}
CELLS = [
    pytest.param(state, event, ROWS[state][column], id=f"{state.name}-{event}")
    for state in TrackState
    for column, event in enumerate(EVENTS)
]


def in_state(state: TrackState) -> Track:
    track = new_track()
    for event in WAYS[state]:
        EVENTS[event](track)
    assert track.state is state
    return track


@pytest.mark.parametrize(("state", "event", "expected"), CELLS)
def test_every_cell_of_the_table(state: TrackState, event: Event, expected: str) -> None:
    track = in_state(state)
    if expected == "-":
        with pytest.raises(InvalidTransition, match="does not accept"):
            EVENTS[event](track)
        assert track.state is state
    else:
        EVENTS[event](track)
        assert track.state is TrackState[expected]
    assert track.reported == (track.state.name in ("VISIBLE", "COVERED", "EMPTY"))


def test_the_table_has_every_state_and_every_event() -> None:
    assert set(ROWS) == set(TrackState)
    assert tuple(EVENTS) == get_args(Event)
    assert all(len(row) == len(EVENTS) for row in ROWS.values())


def test_the_docstring_shows_the_same_table() -> None:
    lines = [line.split() for line in str(Track.__doc__).splitlines()]
    assert ["state", *EVENTS] in lines
    for state, row in ROWS.items():
        assert [state.name, *row] in lines


def test_only_its_methods_change_a_track() -> None:
    attributes = set(vars(new_track()))
    for path in Path(vision.tracking.motion.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in attributes:
                assert isinstance(node.value, ast.Name) and node.value.id == "self", f"{path.name}:{node.lineno}"


def test_one_reader_has_one_vote_in_a_frame() -> None:
    track = new_track()
    assert track.vote(reading("8D", by="face"), 1)
    assert not track.vote(reading("8D", by="face"), 1)
    assert track.votes.count(parse_card("8D")) == 1
    assert track.vote(reading("8D", by="qr"), 1)
    assert track.vote(reading("8D", by="face"), 2)
    assert track.votes.count(parse_card("8D")) == 3


def test_a_face_is_replaced_only_by_one_that_leads_clearly() -> None:
    track = new_track()
    track.vote(reading("8D", 0.8), 1)
    track.vote(reading("8H", 0.8), 2)
    assert track.votes.best()[0] == parse_card("8H")
    assert (track.face, track.alternatives) == (parse_card("8D"), (parse_card("8H"),))
    track.vote(reading("8H", 0.8), 3)
    assert (track.face, track.alternatives) == (parse_card("8H"), (parse_card("8D"),))


def test_a_card_with_a_new_face_is_read_as_often_as_a_new_card() -> None:
    track = in_state(TrackState.VISIBLE)
    for frame in range(4):
        track.postpone_reread(frame, 5)
    assert (track.rereads, track.next_reread) == (4, 3 + 8)
    track.vote(reading("8D"), 9)
    assert (track.face, track.rereads) == (parse_card("8D"), 0)


def test_confirming_sets_time_zone_and_next_reading() -> None:
    track = in_state(TrackState.CANDIDATE)
    track.confirm(1.5, Zone("play", 0), 7)
    assert (track.since, track.zone, track.next_reread) == (1.5, Zone("play", 0), 8)


def test_moving_sets_the_zone_of_reported_cards_only() -> None:
    for state, zone in ((TrackState.CANDIDATE, None), (TrackState.VISIBLE, Zone("show", 1))):
        track = in_state(state)
        track.move(OUTLINE + 30, footprint(), Zone("show", 1), 5)
        assert (track.zone, track.order, track.centre) == (zone, 5, (61.5, 74.0))


def test_a_place_must_stay_empty_before_the_card_is_gone() -> None:
    track = in_state(TrackState.VISIBLE)
    track.see_table(1.0, EMPTY_S)
    track.see_table(1.2, EMPTY_S)
    track.see_card()
    track.see_table(1.25, EMPTY_S)
    track.see_table(1.5, EMPTY_S)
    assert track.state is TrackState.EMPTY
    track.see_table(1.55, EMPTY_S)
    assert track.state is TrackState.GONE
