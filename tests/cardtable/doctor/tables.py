"""Configurations for the tests of the doctor, and helpers for its findings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cardtable.config.load import read_config
from cardtable.config.model import TableConfig
from cardtable.doctor import Finding

GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\n'
SEATS = "[[seat]]\nseat = 0\nbutton = 17\n[[seat]]\nseat = 1\nbutton = 27\n"


def config(folder: Path, text: str = "") -> TableConfig:
    path = folder / "table.toml"
    path.write_text(GOOD + text, "utf-8")
    return read_config(path)


def states(findings: Iterable[Finding]) -> list[str]:
    return [finding.state for finding in findings]


def only(findings: Iterable[Finding]) -> Finding:
    (finding,) = findings
    assert (finding.state == "good") == (finding.advice == "")
    return finding
