from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from engine.formats.board import Fault
from engine.formats.reading import read_games
from engine.names import alike, plain_name
from engine.record import read_record

HIDDEN = "Zo\u202ee\u200b\u2800"


def in_a_record(name: str) -> str:
    header = {"record": 1, "game": "cribbage", "players": [name, "Bo"], "dealer": 0}
    return read_record([json.dumps(header)]).header.players[0]


def in_pbn(name: str) -> str:
    tags = {"Board": "1", "North": name, "Dealer": "N", "Vulnerable": "None", "Auction": "N"}
    return of_a_file("".join(f'[{tag} "{value}"]\n' for tag, value in tags.items()) + "Pass Pass Pass Pass\n")


def of_a_file(written: str) -> str:
    for each in read_games(written.encode()) or ():
        if not isinstance(each, Fault):
            return each.record()[0].players[0]
    raise AssertionError("no board")


@pytest.mark.parametrize("door", [in_a_record, in_pbn])
def test_what_shows_nothing_is_left_out_of_names_of_files(door: Callable[[str], str]) -> None:
    assert door(HIDDEN) == "Zoe"


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\u2066", "\ufeff", "\u00ad", "\U000e0041", "\x85"])
def test_a_sign_that_commands_a_terminal_is_in_no_name(sign: str) -> None:
    assert plain_name(f"{sign}An{sign}n{sign}") in ("Ann", "An n")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("Ann", "\u0410\u206fnn"), ("paco", "\u0440\u0430\u0441\u043e"), ("Bill", "BiII"), ("Ann", " ann ")),
        *(("Ann", "\u13aann"), ("ann", "\u13aann"), ("Ann", "An\u0578"), ("Ana", "\u1d00na"), ("eva", "\u212eva")),
        *(("Tom", "To\u043c"), ("kim", "\u043aim"), ("Gus", "\u0581us"), ("Bo", "B0"), ("Tom", "Torn"), ("Al", "A1")),
        *(("Ann", "Ann\u0332"), ("Ann", "A\u20ddnn"), ("Zo\u00eb", "Zo\u0451")),
    ],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    assert alike(name, other) and alike(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [("Ian", "Lan"), ("Ann", "Anna"), ("Zoe", "Zoë"), ("Bo", "B"), ("Иван", "Ivan"), ("王", "玉"), ("कि", "क")],
)
def test_names_that_differ(name: str, other: str) -> None:
    assert not alike(name, other)
