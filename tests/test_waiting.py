"""Waiting ends: with what was waited for, or with a failure that says what it was."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import lines_up_to, tries


def test_a_try_is_made_until_the_loop_is_left() -> None:
    seen = 0
    for number in tries("the third try"):
        seen = number
        if number == 2:
            break
    assert seen == 2


def test_what_does_not_happen_is_named() -> None:
    with pytest.raises(AssertionError, match=r"waited 0\.02 s in vain for a snowfall"):
        for _ in tries("a snowfall", seconds=0.02, pause_s=0.001):
            pass


@pytest.mark.parametrize(
    ("code", "seconds"), [("import sys; sys.exit('one')", 60.0), ("import time; time.sleep(600)", 0.3)]
)
def test_a_program_that_ends_or_is_silent_is_not_waited_for(code: str, seconds: float) -> None:
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        with pytest.raises(AssertionError, match="without “ready”"):
            lines_up_to(process, "ready", seconds)
        assert process.wait(60) != 0


def test_the_lines_up_to_the_one_that_was_wanted() -> None:
    code = "import sys; sys.stderr.write('first\\nready now\\nlater\\n')"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as process:
        assert lines_up_to(process, "ready") == ["first\n", "ready now\n"]
