"""The commands that the club adds to `cardtable`: `club`, `hub` and `tournament`."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardtable_club.hub import DEFAULT_CONFIG
from engine.texts import text


def add_hub(parser: argparse.ArgumentParser) -> None:
    """Add `--config` and `--database`, which name a hub, to the arguments of a command."""
    parser.add_argument(
        "-c",
        "--config",
        type=Path,
        default=DEFAULT_CONFIG,
        metavar="FILE",
        help=text("default: hub.toml, if it exists"),
    )
    parser.add_argument("--database", metavar="URL", help=text("sqlite:///FILE, or postgresql://USER@HOST/NAME"))
