"""A table on which people lay cards, and a referee that observes it. Every scene is checked.

The record may contain only actions that were done, each prompt must be true, and prompts must not contradict each
other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cardtable.simulation.director import Act, Face
from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Observation, Scene, Sighting, Zone
from engine.record import Header
from engine.referee.prompts import face_text, place
from engine.referee.referee import Referee
from engine.table import Table
from engine.texts import Text
from engine.views import Prompt
from tests.cardtable.people.record import begins, described, plain
from tests.engine.deal_readers import DealReaders


class Wrong(AssertionError):
    """The referee made an error; the message has the log of the game."""


@dataclass(eq=False)
class PlacedCard:
    """A card on the table: its face, the face that the camera reads, its zone, and when it was laid (seconds)."""

    name: str
    face: Face | None
    seen: Face | None
    zone: Zone | None
    since: float


class TableTop:
    """One game. `truth`: the actions really done. `tolerated`: whether the record may differ from them now."""

    def __init__(self, header: Header) -> None:
        self.table = Table(header)
        self.referee = Referee(self.table)
        self.lying: list[PlacedCard] = []
        self.truth: list[Action] = []
        self.tolerated = False
        self.time = 0.0
        self.made = 0
        self.log: list[str] = []
        self.readers = DealReaders()

    def coming(self) -> list[Act]:
        """Return the acts of the next actions that are already done."""
        return []

    def restart(self) -> None:
        """The program is killed and started again."""
        self.log.append("restart")
        self.referee = Referee(self.table)
        self.show()

    # The table top

    def put(self, face: Face | None, zone: Zone | None, seen: Face | None = None, blank: bool = False) -> PlacedCard:
        """Lay a card without showing it to the referee. The camera reads it as `seen`, or not at all if `blank`."""
        single = isinstance(face, Card) and face.suit in "SHDC"
        if single and (forgotten := [placed for placed in self.lying if placed.face == face]):
            self.lift(*forgotten)
            self.time += 5
        self.made += 1
        placed = PlacedCard(f"p{self.made}", face, None if blank else (seen or face), zone, self.time)
        self.lying.append(placed)
        self.log.append(f"lay {face} in {zone}" + (f" seen as {placed.seen}" if placed.seen != face else ""))
        return placed

    def take(self, *cards: PlacedCard) -> None:
        """Take up cards without showing it to the referee."""
        for placed in cards:
            self.lying.remove(placed)
            self.log.append(f"lift {placed.face} from {placed.zone}")

    def lay(self, face: Face | None, zone: Zone | None) -> PlacedCard:
        placed = self.put(face, zone)
        self.show()
        return placed

    def lift(self, *cards: PlacedCard) -> None:
        self.take(*cards)
        self.show()

    def at(self, face: Face | None, zone: Zone | None = None, anywhere: bool = False) -> PlacedCard | None:
        """Return the uppermost such card in `zone`, or in any zone; None if there is none."""
        found = [placed for placed in self.lying if placed.face == face and (anywhere or placed.zone == zone)]
        return found[-1] if found else None

    def show(self) -> None:
        """Show the referee the cards on the table."""
        self.time += 1.0
        seen = tuple(Sighting(placed.name, placed.seen, placed.zone, placed.since) for placed in self.lying)
        self.observe(Scene(self.time, "camera", seen))

    def observe(self, observation: Observation) -> None:
        if not isinstance(observation, Scene):
            self.log.append(f"{observation}")
        try:
            self.log += [f"        > {done.action.to_json()}" for done in self.referee.observe(observation)]
        except Exception as error:
            raise Wrong(self.story(f"raised {error!r}")) from error
        for prompt in self.referee.prompts:
            if prompt.kind not in ("turn",):
                self.log.append(f"        “{prompt.text}” ({prompt.kind} {prompt.seat})")
        self._look_at_prompts()
        if not self.tolerated:
            self.look_at_record()

    # Checks

    def story(self, what: str) -> str:
        lying = ", ".join(f"{placed.face}@{placed.zone}" for placed in self.lying)
        prompts = "\n".join(f"   {prompt}" for prompt in self.referee.prompts)
        return "\n".join([*self.log[-60:], f"lying: {lying}", prompts, f"*** {what}"])

    def check(self, right: bool, what: str) -> None:
        if not right:
            raise Wrong(self.story(what))

    def look_at_record(self) -> None:
        """Check that the record contains only actions that were done; the last ones may still be missing."""
        record = plain(self.table.actions)
        coming = [act.action for act in self.coming() if act.action]
        done = [plain([*self.truth[: len(self.truth) - late], *coming * (not late)]) for late in range(4)]
        self.check(any(begins(record, truth) for truth in done), f"the record has what nobody did: {described(record)}")

    def _look_at_prompts(self) -> None:
        """Check that each prompt is true and that prompts do not contradict each other."""
        prompts, players = self.referee.prompts, self.table.header.players
        self.check(bool(prompts) and prompts[-1].kind in ("turn", "over"), "no prompt says what the table waits for")
        last = prompts[-1]
        if last.kind == "turn" and self.table.turn is not None:
            actor = self.table.view().actor
            self.check(last.seat == actor, f"it is {actor} who is on turn")
        taken_back: list[str] = []
        for prompt in prompts:
            if prompt.kind in ("take-back", "outside", "misread", "evidence", "which-card", "unreadable", "unclear"):
                self.check(bool(self.concerned(prompt)), f"no such card lies there: {prompt.text}")
                if prompt.kind in ("take-back", "outside"):
                    taken_back.append(value_in(prompt.text, "card"))
            if prompt.kind == "unfinished" and "must add" in prompt.text:
                self.check((self.table.phase, self.table.turn) == ("bid", prompt.seat), f"it need not: {prompt.text}")
            if prompt.kind == "put-back":
                card = value_in(prompt.text, "card")
                where = value_in(prompt.text, "place")
                there = [p for p in self.lying if face_text(p.seen) == card and place(p.zone, players) == where]
                lie = [e for e in self.table.lying if (e.card.glyph, place(e.zone, players)) == (card, where)]
                self.check(len(there) < len(lie), f"it lies there already: {prompt.text}")
                self.check(card not in taken_back or len(lie) > 1, f"to be taken back and laid back: {card}")
            if m := re.search(r"it is (\w+)’s turn", prompt.text):
                self.check(players.index(m[1]) == self.table.turn, f"it is not {m[1]}'s turn")

    def concerned(self, prompt: Prompt) -> list[PlacedCard]:
        """Return the cards on the table that the prompt is about."""
        name = "now" if prompt.kind == "misread" else "card"
        card = value_in(prompt.text, name)
        if prompt.kind in ("evidence", "which-card"):
            word = "revoke" if prompt.kind == "evidence" else "call"
            return [p for p in self.lying if p.seen == ActionCard(word) and p.zone and p.zone.seat == prompt.seat]
        if prompt.kind == "unreadable":
            card = face_text(None)
        seat = prompt.seat
        return [p for p in self.lying if face_text(p.seen) == card and (p.zone.seat if p.zone else None) == seat]


def value_in(part: object, name: str) -> str:
    """Return the value called `name` of a text or of the texts within it; an empty string if there is none."""
    if not isinstance(part, Text):
        return ""
    if name in part.values:
        return str(part.values[name])
    return next((found for value in part.values.values() if (found := value_in(value, name))), "")
