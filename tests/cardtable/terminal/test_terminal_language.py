"""The language of the terminal: from the environment by gettext's rules, or from a configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cardtable.terminal.output import configured_language, environment_language
from tests.cardtable.config.configs import GOOD


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr"}, "fr"),
        ({"LANG": "fr_CA@euro"}, "fr"),
        ({"LANG": "xx_XX.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr"),
        ({"LC_MESSAGES": "fr_FR.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "fr"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "en"}, "en"),
        ({"LANG": "xx_XX.UTF-8", "LANGUAGE": "xx:fr:en"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": ""}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_ALL": "POSIX", "LANGUAGE": "fr"}, "en"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "fr"}, "en"),
        ({"LANGUAGE": "fr"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "C:fr"}, "en"),
        ({"LANG": "../fr"}, "en"),
    ],
)
def test_the_language_of_the_environment(environment: dict[str, str], language: str) -> None:
    assert environment_language(environment) == language


@pytest.mark.parametrize(
    ("written", "language"),
    [
        (GOOD + 'language = "fr"\n', "fr"),
        (GOOD + 'language = "en"\n', "en"),
        (GOOD, None),
        (GOOD + 'language = "xx"\n', None),
        (GOOD + "language = 5\n", None),
        ('language = "fr"\nxyzzy = 1\n', "fr"),
        ("game = \n  language = 'fr'  # of the table\n", "fr"),
        ('game = \n[voice]\nlanguage = "fr"\n', None),
        ('# language = "fr"\ngame = \n', None),
        ("\x00", None),
    ],
)
def test_the_language_of_a_configuration(written: str, language: str | None, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(written, "utf-8")
    assert configured_language(path) == language


def test_no_configuration_sets_no_language(tmp_path: Path) -> None:
    assert configured_language(tmp_path / "table.toml") is None
    (tmp_path / "bytes.toml").write_bytes(b'language = "fr"\n\xff')
    assert configured_language(tmp_path / "bytes.toml") is None
    os.mkfifo(tmp_path / "pipe")
    assert configured_language(tmp_path / "pipe") is None, "it is not read"
