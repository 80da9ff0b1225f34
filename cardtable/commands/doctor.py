"""`cardtable doctor`: everything that a table needs, looked at, and what to do about it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUMMARY = "look at everything that the table needs, and say what to do"
EXAMPLE = "cardtable doctor -c table.toml"

SIGNS = {"good": "✓", "warning": "!", "trouble": "✗"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help="the configuration (default: table.toml)"
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="CHECK", help="leave a check out: cameras, voice …"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object for each finding")


def run(args: argparse.Namespace) -> int:
    """Tell each finding as it is made; 1 where anything does not work."""
    from cardtable.app import checked
    from cardtable.config import read_config
    from cardtable.doctor import CHECKS, Machine, examine
    from cardtable.errors import UsageError, suggestion
    from cardtable.languages import translator

    for name in args.skip:
        if name not in CHECKS:
            guess = suggestion(name, CHECKS) or f"; there are {', '.join(CHECKS)}"
            raise UsageError(f"doctor: --skip: there is no check {name!r}{guess}")
    config = read_config(Path(args.config))
    checked(config.header)
    translate = translator(config.language)
    worst = 0
    for finding in examine(config, Machine(), args.skip):
        if args.json:
            print(json.dumps(finding.to_json(), ensure_ascii=False), flush=True)
        else:
            shown = finding.in_language(translate)
            print(f"{SIGNS[shown.state]} {shown.check}: {shown.text}", flush=True)
            if shown.advice:
                print(f"    {shown.advice}", flush=True)
        worst = max(worst, finding.state == "trouble")
    return worst
