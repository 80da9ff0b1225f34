"""What the parts of an evening share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cardtable.board.server import Board
from cardtable.config.model import TableConfig
from cardtable.evening.equipment import Equipment
from cardtable.evening.next_round import NextRound
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.journal import Journal
from engine.texts import Translate


@dataclass(frozen=True, slots=True)
class Services:
    """`alive` is called repeatedly while everything makes progress. `trace`, `trace_hands`: those of the
    command.
    """

    config: TableConfig
    journal: Journal
    board: Board
    equipment: Equipment
    translate: Translate
    outputs: HardwareOutputs | None = None
    alive: Callable[[], None] = lambda: None
    trace: Path | None = None
    trace_hands: bool = False
    next_round: NextRound = field(default_factory=NextRound)
