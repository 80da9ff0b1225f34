"""A table with a referee, on which a test lays and lifts cards by hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.observations import ActionCard, Scene, Sighting, Zone
from engine.record import Header
from engine.referee.referee import Referee
from engine.referee.trace import TraceEvent
from engine.table import Outcome, Table


class NotedTable(Table):
    """A table that notes the actions done on it, except those that a test has written out."""

    done: list[dict[str, object]]

    def do(self, action: Action | str) -> Outcome:
        outcome = super().do(action)
        if isinstance(action, Action):
            self.done.append(action.to_json())
        return outcome

    def undo(self) -> Outcome:
        before = list(self.done)
        outcome = super().undo()  # it replays the hand
        self.done[:] = before
        return outcome


@dataclass
class TableTop:
    """A table with a referee, and cards that the test lays and lifts by hand."""

    players: tuple[str, ...] = ("Ann", "Bo")
    dealer: int | None = 0
    lying: dict[str, Sighting] = field(default_factory=dict)
    clock: float = 0.0
    made: int = 0
    game: str = "all-fives"
    options: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.table = NotedTable(Header(self.game, self.players, self.dealer, self.options))
        self.done: list[dict[str, object]] = []
        self.table.done = self.done
        self.trace: list[TraceEvent] = []
        self.referee = Referee(self.table, trace=self.trace.append)
        self.show()

    def put(self, face: str | None, zone: str | None, seat: int | None = None, since: float | None = None) -> str:
        """Lay a card without showing the scene yet; return its name."""
        self.made += 1
        name = f"p{self.made}"
        self.lying[name] = Sighting(name, read(face), Zone(zone, seat) if zone else None, since or self.clock)
        return name

    def lay(self, face: str | None, zone: str | None, seat: int | None = None) -> str:
        name = self.put(face, zone, seat)
        self.show()
        return name

    def turns_out(self, name: str, face: str) -> None:
        old = self.lying[name]
        self.lying[name] = Sighting(name, read(face), old.zone, old.since)
        self.show()

    def lift(self, *names: str) -> None:
        for name in names:
            del self.lying[name]
        self.show()

    def show(self, source: str = "camera") -> None:
        self.clock += 1.0
        self.referee.observe(Scene(self.clock, source, tuple(self.lying.values())))

    def say(self, seat: int, word: str) -> None:
        self.lift(self.lay(f"say:{word}", "say", seat))

    def started(self) -> TableTop:
        """After the turn-up, eldest (Bo) stands: hearts are trumps and Bo leads."""
        self.lay("2H", "turn-up")
        self.say(1, "stand")
        self.done.clear()
        return self

    @property
    def kinds(self) -> list[str]:
        return [prompt.kind for prompt in self.referee.prompts]

    def text(self, kind: str) -> str:
        return next(prompt.text for prompt in self.referee.prompts if prompt.kind == kind)


def read(face: str | None) -> Card | ActionCard | None:
    if face is None:
        return None
    return ActionCard(face[4:]) if face.startswith("say:") else parse_card(face)


def play(seat: int, card: str) -> dict[str, object]:
    return {"do": "play", "seat": seat, "card": card}


def hand_over() -> tuple[TableTop, str]:
    """A hand has been played, and all cards but the turn-up, 2H, are cleared away."""
    top = TableTop(options={"target": 1000})
    turned = top.lay("2H", "turn-up")
    top.say(1, "stand")
    for rank in ("3", "4", "5", "6", "7", "8"):
        top.lift(top.lay(f"{rank}S", "play", 1), top.lay(f"{rank}D", "play", 0))
    return top, turned
