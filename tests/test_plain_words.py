"""The project's code and documents use the words of docs/glossary.md; tests of the check itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import plain_words
from tests.plain_words import files, findings, main


def words(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, source: str) -> list[tuple[int, str]]:
    """The line and the word of each finding in a file `name` that holds `source`."""
    monkeypatch.setattr(plain_words, "ROOT", folder)
    path = folder / name
    path.write_text(source, "utf-8")
    return [(found.line, found.word) for found in findings(path)]


def test_the_whole_project_uses_plain_words() -> None:
    assert [str(found) for path in files() for found in findings(path)] == []


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("a.py", "x = 1\n# it is reckoned by hand\n", [(2, "reckoned")]),
        ("a.py", "def f():\n    '''Return the sum.\n\n    None where it is empty.\n    '''\n", [(2, "None where")]),
        ("a.py", "class A:\n    x = 1\n    '''Whoever plays.'''\n", [(3, "Whoever")]),
        ("a.py", "def whoever_leads():\n    pass\n", [(1, "whoever_leads")]),
        ("a.py", "x.told = y\n", [(1, "told")]),
        ("a.py", "x = 1  # `told` is code; it is told\n", [(1, "told")]),
        ("a.c", "int x; /* nobody\n reads it */\n// dealt anew\n", [(1, "nobody"), (3, "anew")]),
        ("a.js", "let x = 1 // tell the page\n", [(1, "tell")]),
        ("a.js", "const x = 1;\nfunction tellPage() {}\n", [(2, "tellPage")]),
        ("a.js", "let x = `nobody ${told} here`;\n", [(1, "told")]),
        ("a.c", "int told;\n", [(1, "told")]),
        ("a.py", "class ToldCard:\n    pass\n", [(1, "ToldCard")]),
        ("a.py", "# Where there are many, they wait. Nobody plays.\n", [(1, "Where there are"), (1, "Nobody")]),
        ("a.md", "# Title\n\nIt is dealt anew.\n", [(3, "anew")]),
    ],
)
def test_a_word_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, source: str, found: list[tuple[int, str]]
) -> None:
    assert words(monkeypatch, tmp_path, name, source) == found


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.py", "print(text('Nobody has told the table who deals anew'))\n"),
        ("a.py", "def f():\n    '''Return `told`.\n\n    >>> f('told')\n    'nobody'\n    '''\n"),
        ("a.py", "# the foretold, untold and retelling of a teller; is no longer there\n"),
        ("a.c", 'char *text = "nobody";\n'),
        ("a.js", 'let url = "http://nobody/told"\n'),
        ("a.js", "let storyteller = text('nobody') + `told` + foretold;\n"),
        ("a.css", ".told { color: red }\n"),
        ("a.md", "The word `anew` is code.\n\n```\ndeal anew\n```\n\n    whoever\n"),
        ("a.md", "In documents nobody is told that this is wrong.\n"),
    ],
)
def test_texts_for_players_and_code_in_prose_are_not_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, source: str
) -> None:
    assert words(monkeypatch, tmp_path, name, source) == []


def test_the_command_prints_each_finding_and_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plain_words, "ROOT", tmp_path)
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text("# nobody\n")
    good.write_text("# no player\n")
    monkeypatch.setattr(plain_words, "files", lambda paths: [bad, good] if paths == ["bad.py"] else [good])
    assert main(["bad.py"]) == 1
    assert capsys.readouterr().out == "bad.py:1: nobody\n"
    assert main([]) == 0
    assert capsys.readouterr().out == ""


def test_generated_and_other_files_are_not_listed() -> None:
    names = {str(path.relative_to(plain_words.ROOT)) for path in files()}
    assert {"engine/cards.py", "docs/tour.md", "tests/test_plain_words.py"} <= names
    assert not names & {"tests/plain_words.py", "docs/glossary.md", "LICENSE"}
    assert files(["engine/cards.py"]) == [plain_words.ROOT / "engine" / "cards.py"]
