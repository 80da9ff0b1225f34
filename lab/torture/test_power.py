"""Short forms of the harnesses of power and crashes (docs/explanation/trust.md), and tests of how they judge."""

from __future__ import annotations

import errno
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cardtable.simulation.source import Setting
from engine.actions import Action
from lab.torture import clocks, damage, disk_faults, restores, stops
from lab.torture.faults import Kind, NoCompiler, build
from lab.torture.harness import Scale
from lab.torture.kills import Way, kill
from lab.torture.lives import Table
from lab.torture.programs import Programs
from lab.torture.stored import differs_from_shown, first_difference, is_whole, truth

SETTING = Setting("its-15", 2, 12, "aruco", "fast")
QUICK = ("its-15",)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    try:
        library = build()
    except NoCompiler as error:
        pytest.skip(str(error))
    with Programs(tmp_path_factory.mktemp("programs"), library) as programs:
        yield programs


@pytest.mark.slow
def test_five_kills(programs: Programs, tmp_path: Path) -> None:
    for commit, kills in ((True, 3), (False, 2)):
        way = Way("kill -9", kills, commit, games=QUICK)
        tally = kill(programs, tmp_path / str(commit), way, kills, Scale(seed=3))
        assert tally.failures == []
        assert tally.killed == kills and tally.games > 0


@pytest.mark.long
def test_what_is_stored_survives_kills(programs: Programs, tmp_path: Path) -> None:
    for figure in restores.figures(programs, tmp_path, Scale(0.01)):
        assert figure.failures == ()


@pytest.mark.slow
def test_the_game_goes_on_after_faults_of_the_disk(programs: Programs, tmp_path: Path) -> None:
    table = Table(programs, tmp_path, SETTING.game, SETTING.seed)
    fault = disk_faults.Fault("disk full", errno.ENOSPC, Kind.WRITE | Kind.TRUNCATE | Kind.OPEN)
    assert disk_faults.one_game(table, fault, random.Random(1), 1, []) == (1, [])


@pytest.mark.slow
def test_the_game_goes_on_while_the_clock_jumps(programs: Programs, tmp_path: Path) -> None:
    table = Table(programs, tmp_path, SETTING.game, SETTING.seed)
    jumps, _, wrong = clocks.one_game(table, random.Random(1), every=0.03, fps=0)
    assert jumps > 3 and wrong == []


@pytest.mark.long
def test_a_stop_while_the_table_starts() -> None:
    (figure,) = stops.run(Scale(0.02))
    assert figure.failures == ()


def test_damaged_journals(tmp_path: Path) -> None:
    rng = random.Random(4)
    crashed = damage.Crashed(tmp_path / "crashed", rng)
    for what, change in damage.WAYS.items():
        assert damage.opened_many(tmp_path / "opened", crashed, what, change, 3, rng).failures == ()


def test_another_game_is_noticed() -> None:
    real = truth(SETTING)
    assert first_difference(real[:20], real) is None and is_whole(real, real) and not is_whole(real[:-1], real)
    assert first_difference((*real[:19], Action("undo")), real) is None
    assert first_difference((*real[:8], real[9]), real) is not None
    bid = next(action for action in real if action.do == "bid")
    thrice, once = (replace(bid, cards=bid.cards[:1] * count) for count in (3, 1))
    assert first_difference([once], [thrice]) is None
    assert first_difference([thrice], [once]) is not None
    assert first_difference((*real, real[-1]), real) == f"{real[-1].to_json()} was never done"
    judge = damage.Judge(real[:9])
    assert judge.wrong(real[:9], []) is None
    assert judge.wrong(real[:8], []) == "it goes on with 8 of 9 actions and says nothing"
    assert judge.wrong(real[:8], ["lost"]) is None
    assert judge.wrong((*real[:7], real[8]), ["lost"]) == "it goes on with ANOTHER GAME"
    assert judge.wrong(None, []) == "it ended without a message"


def test_a_state_that_is_not_stored_is_noticed() -> None:
    real = truth(SETTING)
    state = {"n": 5}
    assert differs_from_shown(state, real[:4], SETTING) == "5 actions were shown, 4 are stored"
