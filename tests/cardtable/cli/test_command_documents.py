"""docs/reference/commands.md has every command with all its options, or refers to the document that has them."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.cli import own_commands
from cardtable.terminal.arguments import Parser

DOCS = Path(__file__).parents[3] / "docs"
# Commands whose options are described in a document of their own.
ELSEWHERE = {"print": "how-to/paper.md", "tags": "how-to/rfid.md"}


def rows(command: str) -> str:
    """Return the rows of docs/reference/commands.md about the command."""
    lines = (DOCS / "reference" / "commands.md").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if re.search(rf"`{command}[ `]", line) and line.startswith("|"))


@pytest.mark.parametrize(("command", "module_name"), own_commands().items())
def test_every_option_is_described(command: str, module_name: str) -> None:
    module = importlib.import_module(module_name)
    parser = Parser(command, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    described = rows(command)
    assert described, "it has a row of its own"
    if command in ELSEWHERE:
        described += (DOCS / ELSEWHERE[command]).read_text("utf-8")
    for action in parser._actions:
        options = [option for option in action.option_strings if action.dest != "help"]
        assert not options or any(re.search(rf"{option}\b", described) for option in options), f"{command}: {options}"


CLUB = {command: f"cardtable_club.commands.{command}" for command in ("club", "hub", "tournament")}


def examples() -> Iterator[tuple[str, str]]:
    """Yield the command lines in documents and help texts, each with where it is."""
    for path in (DOCS.parent / "README.md", *DOCS.rglob("*.md"), *(DOCS.parent / "club" / "docs").glob("*.md")):
        for line in path.read_text("utf-8").splitlines():
            if found := re.match(r" {4,}(?:sudo (?:-u \w+ )?)?(?:\S*/)?cardtable ([a-z].*)", line):
                yield path.name, found[1]
    for command, module_name in (own_commands() | CLUB).items():
        for line in str(importlib.import_module(module_name).EXAMPLE).splitlines():
            if found := re.match(r"\s*(?:sudo )?(?:\S*/)?cardtable ([a-z].*)", line):
                yield f"{command} --help", found[1]


@pytest.mark.parametrize(("where", "line"), sorted({*examples()}))
def test_every_example_is_a_command(where: str, line: str) -> None:
    written = re.split(r" {2,}|\s#|[<>|]|, and| &&", line)[0]
    command, *arguments = shlex.split(written.replace("[", "").replace("]", ""))
    module = importlib.import_module((own_commands() | CLUB)[command])
    parser = Parser(command, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    parser.parse_args(arguments)
