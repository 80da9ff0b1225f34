"""The check of the subjects of commits, `tools/check-commit-subject`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[1] / "tools" / "check-commit-subject"


def check(folder: Path, subject: str) -> subprocess.CompletedProcess[str]:
    """What the check says about a message with `subject`."""
    message = folder / "message"
    message.write_text(f"{subject}\n\nThe body.\n", "utf-8")
    return subprocess.run([CHECK, message], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "subject",
    [
        "referee: ask about cards that cannot be read",
        "cardtable/play, docs: store the seat of a correction",
        "glossary: one word for the reader board",
        "board: shorter names of players",
        'Revert "referee: shorter"',
        "Merge branch 'main'",
        "fixup! history: plain words",
    ],
)
def test_subject_is_accepted(tmp_path: Path, subject: str) -> None:
    said = check(tmp_path, subject)
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    "subject",
    [
        "history: plain words",
        "tests: shorter",
        "cameras: layout",
        "docs: clearer wording",
        "board: small fixes",
        "engine: cleaning up",
        "session: Shorter and clearer",
        "referee: prompts",
        "referee:  prompts",
        "no area",
        "Referee: ask about cards",
        "referee: ask about cards.",
        "referee: " + "ask " * 17,
    ],
)
def test_subject_is_refused_and_named(tmp_path: Path, subject: str) -> None:
    said = check(tmp_path, subject)
    assert said.returncode == 1
    assert subject in said.stderr
    assert "at least two words that say what changes" in said.stderr
