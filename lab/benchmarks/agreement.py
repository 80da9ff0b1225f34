"""What both sides of a comparison must agree on (`lab.twins.twins`)."""

from __future__ import annotations

from engine.table import Table


class Differs(Exception):
    """The two sides disagree."""


def agree(what: str, ours: object, theirs: object, table: Table) -> None:
    """Raise `Differs` unless both are equal. `table`: the game so far, for the message."""
    if ours != theirs:
        last = ", ".join(map(str, table.actions[-8:]))
        raise Differs(f"{what}: here {ours}, there {theirs}; {dict(table.header.options)}; after {last}")
