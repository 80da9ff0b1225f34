"""`cardtable doctor`: check everything that a table needs, and give advice."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.errors import guess_or_all
from cardtable.terminal.arguments import add_config
from cardtable.terminal.output import translated
from cardtable.terminal.progress import Progress, load
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.doctor import Finding

SUMMARY = text("check everything that the table needs, and say what to do")
ACTIVITY = text("checking the table")
EXAMPLE = "cardtable doctor -c table.toml"

SIGNS = {"good": "✓", "warning": "!", "trouble": "✗"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser, None)
    parser.add_argument(
        "--skip", action="append", default=[], metavar="CHECK", help=text("skip a check: cameras, voice …")
    )
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each finding"))


def run(args: argparse.Namespace) -> int:
    """Print each finding. Return 1 if anything does not work."""
    load("cardtable.doctor")
    from cardtable.config.load import NoConfig, read_config
    from cardtable.doctor import CHECKS, Machine, examine, examine_machine
    from cardtable.errors import UsageError
    from cardtable.evening.playing import checked
    from cardtable.plugins import installed

    for name in args.skip:
        if name not in (names := (*CHECKS, *installed())):
            guess = guess_or_all(name, names)
            raise UsageError(text("doctor: --skip: there is no check {name!r}{guess}", name=name, guess=guess))
    file = Path(args.config or "table.toml")
    worst = 0
    progress = Progress(shown=not args.json)

    def begin(name: str, number: int, count: int) -> None:
        progress.at(text("checking {name}: {number} of {count}", name=name, number=number, count=count))

    try:
        config = read_config(file)
        checked(config.header)
        findings = examine(config, Machine(), args.skip, begin)
    except NoConfig:
        if args.config is not None:
            raise
        findings = examine_machine(Machine(), args.skip, begin)
    with progress:
        for finding in findings:
            if args.json:
                print(json.dumps(finding.to_json(), ensure_ascii=False), flush=True)
            else:
                print_finding(finding, f"{finding.check}: ")
            worst = max(worst, finding.state == "trouble")
    return worst


def print_finding(finding: Finding, label: str = "") -> None:
    """Print a finding after its sign and a label, with its advice and its command."""
    print(f"{SIGNS[finding.state]} {label}{translated(finding.text)}", flush=True)
    if finding.advice:
        print(f"    {translated(finding.advice)}", flush=True)
    if finding.command:
        print(f"    $ {finding.command}", flush=True)
