"""`cardtable director`: the PIN is set and removed at the machine."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.table.messages import Identity
from cardtable.web.access import Access
from cardtable.web.access_file import phones_file

AWAY = Identity(False)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def set_pin(monkeypatch: pytest.MonkeyPatch, journal: Path, typed: str, *arguments: str) -> int:
    monkeypatch.setattr("cardtable.web.access_file.COST", 2**10)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return main(["director", "--journal", str(journal), *arguments])


def test_a_new_pin_needs_no_old_one_and_ends_a_wait(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set_pin(monkeypatch, journal, "1234\n") == 0
    running = Access(path=phones_file(journal))
    for _ in range(3):
        with pytest.raises(Exception, match="This PIN is wrong"):
            running.enter_pin("0000", AWAY, None, "")
    assert set_pin(monkeypatch, journal, "567890\n") == 0
    assert running.enter_pin("567890", AWAY, None, "").phone == 1
    assert set_pin(monkeypatch, journal, "", "--remove") == 0
    assert not Access(path=phones_file(journal)).has_pin and Access(path=phones_file(journal)).phones() == ()


def test_a_pin_that_is_none_is_a_wrong_argument(
    journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_pin(monkeypatch, journal, "12\n") == 2
    assert "4 to 12 digits" in capsys.readouterr().err
    assert not phones_file(journal).exists()


def test_the_pin_is_typed_twice_in_a_terminal(
    journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["1234", "1243", "1234", "1234"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))
    monkeypatch.setattr("cardtable.web.access_file.COST", 2**10)
    monkeypatch.setattr("sys.stdin", Terminal())
    assert main(["director", "--journal", str(journal)]) == 2
    assert "differ" in capsys.readouterr().err
    assert main(["director", "--journal", str(journal)]) == 0
    assert Access(path=phones_file(journal)).enter_pin("1234", AWAY, None, "").phone == 1
