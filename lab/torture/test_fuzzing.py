"""Parsers of data from outside refuse bad input with their own errors, and every such parser has a target."""

from __future__ import annotations

import random
import re
from itertools import islice

import pytest

from lab.torture.fuzzing import fault_of, mutations, unguided
from lab.torture.fuzzing_files import folder
from lab.torture.fuzzing_sizes import ladder
from lab.torture.fuzzing_targets import PARSERS, TARGETS, Target, dictionary, found

INPUTS = {
    "command-line": 5,
    "journal-rows": 25,
    "configuration": 25,
    "deck-file": 25,
    "backup-file": 25,
    "http-request": 25,
    "record": 40,
}
"""For slow parsers; 100 for the others."""


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_bad_input_is_refused_with_a_documented_error(target: Target) -> None:
    assert unguided(target, INPUTS.get(target.name, 100), seed=1).failures == ()


def test_what_failed_once_is_kept() -> None:
    assert found().keys() <= TARGETS.keys()
    assert sum(map(len, found().values())) > 8


def test_ten_million_inputs_are_tried() -> None:
    assert sum(target.inputs for target in TARGETS.values()) == 10_000_000


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_nasty_piece_takes_time_in_proportion_to_its_length(target: Target) -> None:
    assert [*ladder(target, (b"{", b"[", b"<", b"|", b"\\", b'[A "'), (6_000, 24_000))] == []


@pytest.mark.long
def test_time_that_grows_with_the_square_is_reported() -> None:
    def feed(data: bytes) -> None:
        re.findall(rb"\{[^}]*\}", data)

    first, _ = ladder(Target("braces", feed, (b"[",), 1), (b"{",), (6_000, 24_000))
    assert "b'{' repeated take" in first


def test_a_fault_is_reported() -> None:
    def feed(data: bytes) -> None:
        raise KeyError(data)

    assert "KeyError(b'x')" in str(fault_of(Target("wrong", feed, (b"x",), 1), b"x"))


def test_mutations_are_the_same_for_the_same_seed() -> None:
    target = TARGETS["page-message"]
    first, second = (list(islice(mutations(target, random.Random(3)), 50)) for _ in range(2))
    assert first == second
    assert len(set(first)) > 40


def test_the_words_are_a_dictionary_of_libfuzzer() -> None:
    assert dictionary(Target("two", lambda data: None, (), 1, (b"a\n", b"\xff"))) == '"\\x61\\x0a"\n"\\xff"\n'


def test_every_target_reads_for_a_room() -> None:
    assert {target for room in PARSERS.values() for target in room.targets} == set(TARGETS)


def test_files_of_the_parsers_are_in_a_folder_of_their_own() -> None:
    assert folder().is_dir()
