"""The hub of a club: it takes the journals of many tables, and shows standings and each table (club/docs/club.md)."""

from pathlib import Path
from typing import Final

DEFAULT_CONFIG: Final = Path("hub.toml")
"""The configuration of a hub unless the command line names another. It need not exist."""
