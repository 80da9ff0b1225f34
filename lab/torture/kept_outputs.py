"""A display and a voice that keep what they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cardtable.table.snapshot import Snapshot
from hardware.displays import Display
from hardware.screen import Screen
from hardware.wiring import DisplayWiring

PICTURES_EVERY: Final = 20
"""A display's picture file is drawn and kept after this many changes; what it is drawn from is kept after each."""

Keep = Callable[[str, bytes], None]
"""Keeps what each output is given, by its name."""


class KeptDisplay(Display):
    """A display that writes picture files and keeps what it is asked to show."""

    def __init__(self, keep: Keep, name: str, wiring: DisplayWiring) -> None:
        super().__init__(wiring)
        self._keep = keep
        self._name = name
        self._count = 0

    def show(self, screen: Screen) -> None:
        self._keep(self._name, repr(screen).encode())
        if self._count % PICTURES_EVERY == 0 and self.wiring.file is not None:
            super().show(screen)
            self._keep(self._name, self.wiring.file.read_bytes())
        self._count += 1


class KeptVoice:
    """The voice as `HardwareOutputs` uses it."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep

    def say(self, sentences: Sequence[str]) -> None:
        self._keep("voice", "\n".join(sentences).encode())

    def close(self) -> None:
        pass


def names_hands(snapshot: Snapshot) -> bool:
    """Whether the news names cards of hands; `watch`, which has no readers, never gets such news."""
    return any(entry.action.do in ("deal", "discard") for entry in snapshot.news)
