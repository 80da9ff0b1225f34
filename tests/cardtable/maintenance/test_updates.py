"""What the updater says, in words for people, and what it is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardtable.errors import CardtableError
from cardtable.maintenance.updates import Updates


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "updater").touch()
    return tmp_path


def updates(folder: Path) -> Updates:
    return Updates(folder / "updater", folder / "status.json", folder)


@pytest.mark.parametrize(
    ("status", "words", "offer", "wrong"),
    [
        ({"state": "current"}, "the newest version, 0.2.0", None, False),
        ({"state": "available", "available": "0.3.0+deb13"}, "Version 0.3.0 is available", "0.3.0", False),
        ({"state": "updated", "available": None}, "was updated to version 0.2.0", None, False),
        (
            {"state": "went-back", "tried": "0.3.0+deb13", "why": "not-up"},
            "Version 0.3.0 did not work here (the table did not start), so 0.2.0 was restored.",
            None,
            True,
        ),
        ({"state": "failed", "why": "no-room"}, "too little room on the memory card", None, True),
        ({"state": "failed", "why": "no-answer"}, "is the table connected to a network?", None, True),
        ({"state": "failed", "why": "game"}, "a game is being played", None, True),
        ({"state": "failed", "why": "no-source"}, "no source of updates", None, True),
        ({"state": "failed", "why": "refused"}, "the packages do not fit together", None, True),
    ],
)
def test_what_the_updater_says(
    folder: Path, status: dict[str, object], words: str, offer: str | None, wrong: bool
) -> None:
    (folder / "status.json").write_text(json.dumps({"installed": "0.2.0+deb13"} | status), "utf-8")
    state = updates(folder).state()
    assert words in state.text
    assert (state.offer, state.wrong, state.busy) == (offer, wrong, False)


@pytest.mark.parametrize("kind", ["looking", "installing"])
def test_the_updater_at_work(folder: Path, kind: str) -> None:
    (folder / "status.json").write_text(json.dumps({"state": kind}), "utf-8")
    assert updates(folder).state().busy


@pytest.mark.parametrize("content", ["", "{", "[1]", '"available"', "[" * 100_000])
def test_a_damaged_status_is_none(folder: Path, content: str) -> None:
    (folder / "status.json").write_text(content, "utf-8")
    assert updates(folder).state().text == "Nobody has looked for updates yet."


def test_what_is_asked_is_a_file_of_the_table(folder: Path) -> None:
    asked = updates(folder)
    asked.ask("install")
    assert (folder / "update-install").exists() and asked.state().busy
    with pytest.raises(CardtableError, match="cannot be requested"):
        Updates(folder / "updater", folder / "status.json", folder / "none").ask("check")


def test_a_table_without_the_package_has_no_updater(tmp_path: Path) -> None:
    state = updates(tmp_path).state()
    assert not updates(tmp_path).is_there and "the way it was installed" in state.text and state.offer is None
