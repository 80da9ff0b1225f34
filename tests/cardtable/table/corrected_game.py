"""A game whose record is corrected, fed with scenes."""

from __future__ import annotations

from typing import Any

from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import MESSAGE, CorrectionMessage, Refusal, Sender
from cardtable.table.snapshot import Snapshot
from engine.cards import Card
from engine.observations import Said
from engine.record import Header
from engine.referee.observed_cards import SightingId
from engine.table import Table
from tests.cardtable.scenes import Scenes
from tests.cardtable.shown import Shown

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


class Game:
    """A game with one camera, corrected by messages."""

    def __init__(self, journal: Journal, header: Header = HEADER) -> None:
        journal.begin(header)
        self.journal = journal
        self.shown: list[Snapshot] = []
        self.kept: list[tuple[SightingId, Card]] = []
        self.scenes = Scenes()
        self.live = LiveGame(
            Table(header),
            journal,
            [Shown(self.shown.append)],
            places=self.places,
            corrected=lambda sighting, card: self.kept.append((sighting, card)),
        )
        self.take = self.live.take

    def places(self) -> dict[str, dict[str, tuple[tuple[float, float], ...]]]:
        corners = ((0.1, 0.1), (0.2, 0.1), (0.2, 0.3), (0.1, 0.3))
        return {"camera": {sighting.card_id: corners for sighting in self.scenes.again().sightings}}

    def begin(self) -> None:
        """Hearts are trumps, Bo has stood; Bo has led K♠, as the camera reads it."""
        self.take(self.scenes.again())
        self.take(self.scenes.lay("2H", "turn-up"))
        self.take(Said(0.0, "page", 1, "stand"))
        self.take(self.scenes.lay("KS", "play", 1))
        self.take(self.scenes.lay("3S", "play", 0))
        assert self.record == ["turn 2H", "1 say stand", "1 play KS", "0 play 3S"]

    def ask(self, do: str, who: str = "board", **keys: Any) -> Refusal | None:
        wanted = {"do": do, **keys}
        if do != "record-is-right":
            wanted.setdefault("n", self.now.n)
        message: Any = MESSAGE.validate_python(wanted)
        asked: CorrectionMessage = message
        return self.live.correct(asked, Sender("board", None, who))

    def line(self, action: str) -> int:
        return next(entry.n for entry in self.now.history if str(entry.action) == action)

    @property
    def now(self) -> Snapshot:
        return self.live.snapshot

    @property
    def record(self) -> list[str]:
        return [str(action) for action in self.live.table.actions]

    @property
    def kinds(self) -> list[str]:
        return [prompt.kind for prompt in self.now.prompts]

    @property
    def made(self) -> list[str]:
        return [str(made.what.sentence(HEADER.players)) for made in self.journal.corrections]


def why(refusal: Refusal | None) -> str:
    assert refusal is not None
    return refusal["refused"]
