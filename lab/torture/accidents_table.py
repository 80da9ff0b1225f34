"""People at a table with accidents: for a while the camera sees nothing, or only part of the table.

The people are those of `tests.cardtable.people`: they play what robots have planned, follow the prompts, and repeat
what the board does not show. Here they also play on while the table cannot see them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import wraps

from cardtable.simulation.director import Act
from engine.actions import Action
from engine.cards import Card
from engine.observations import Back, Lost, Scene, Sighting, UndoAsked, Zone
from engine.views import Prompt
from tests.cardtable.people.people import Mishap, People
from tests.cardtable.people.table_top import PlacedCard

_HIDING = ("lamp_off_and_on", "camera_bumped", "sleeve_over_half", "turned_before_read")
"""The accidents that hide what people do."""


class AccidentTable(People):
    """One game with accidents; those that have `happened` least in all games come first.

    `helped`: how often people followed a prompt (`asked`) or repeated something (`again`).
    """

    def __init__(self, game: str, players: int, seed: int, known: bool, happened: Counter[str]) -> None:
        super().__init__(game, players, seed, known)
        self.happened = happened
        self.helped: Counter[str] = Counter()
        self._change_order()
        self.last = ""
        """The accident of the last act."""
        self.blind_for = 0
        """Acts until the table sees everything again."""
        self._dark = False
        self._lost = False
        self._covered: frozenset[Zone | None] = frozenset()
        self._covered_cards: list[Sighting] = []

    def _change_order(self) -> None:
        """In half of the games, change the order in which players cut and hands are dealt across readers."""
        units: list[list[Act]] = [[]]
        for act in self.plan:
            units[-1].append(act)
            if act.action or act.kind not in ("lay", "pass"):
                units.append([])
        for at in range(len(units) - 1):
            first, second = units[at], units[at + 1]
            kinds = {unit[-1].action.do for unit in (first, second) if unit and unit[-1].action}
            seats = {unit[-1].action.seat for unit in (first, second) if unit and unit[-1].action}
            if len(seats) == 2 and kinds in ({"cut"}, {"deal"}) and self.rng.random() < 0.5:
                units[at], units[at + 1] = second, first
                self.happened["dealt_in_another_order"] += 1
        self.plan = [act for unit in units for act in unit]

    # What the table sees

    def go_dark(self, acts: int, reason: str = "") -> None:
        """Let the camera see nothing for `acts` acts.

        `reason`: why it reports that it is lost; empty if it does not.
        """
        self.log.append(f"dark for {acts} acts: {reason}")
        self.blind_for, self._dark, self._lost = acts, True, bool(reason)
        if reason:
            self.observe(Lost(self.time, "camera", reason))

    def cover(self, zones: frozenset[Zone | None], acts: int) -> None:
        """Cover these zones for `acts` acts: cards laid or taken up there are not noticed."""
        self.log.append(f"covered for {acts} acts: {', '.join(sorted(map(str, zones)))}")
        self.blind_for, self._covered = acts, zones
        self._covered_cards = [self._sighting(placed) for placed in self.lying if placed.zone in zones]
        self.show()

    @property
    def sees(self) -> bool:
        """Whether the whole table is seen."""
        return not self._dark and not self._covered

    def show(self) -> None:
        """Show the referee what the camera sees."""
        if self.sees:
            super().show()
            return
        self.time += 1.0
        if self._dark:
            return
        seen = [self._sighting(placed) for placed in self.lying if placed.zone not in self._covered]
        covered = tuple(sorted((zone for zone in self._covered if zone), key=str))
        self.observe(Scene(self.time, "camera", (*self._covered_cards, *seen), covered))

    def see_again(self) -> None:
        """Let the camera see the whole table: some cards have new ids, and some are not read at once."""
        self.log.append("seen again")
        if self._lost:
            self._lost = False
            self.observe(Back(self.time, "camera"))
        self._dark, self._covered, self._covered_cards = False, frozenset(), []
        share = self.rng.choice((0.0, 0.3, 1.0))
        for placed in self.lying:
            if self.rng.random() < share:
                self.rename(placed)
        if self.rng.random() < 0.5:
            unread = [placed for placed in self.lying if placed.since == self.time and self.rng.random() < 0.5]
            faces = [placed.seen for placed in unread]
            for placed in unread:
                placed.seen = None
            self.show()
            for placed, face in zip(unread, faces, strict=True):
                placed.seen = face
        self.show()

    def rename(self, placed: PlacedCard) -> None:
        """Let the camera take the card for a new one."""
        self.made += 1
        placed.name, placed.since = f"p{self.made}", self.time

    @staticmethod
    def _sighting(placed: PlacedCard) -> Sighting:
        return Sighting(placed.name, placed.seen, placed.zone, placed.since)

    # What people do

    def act(self, act: Act, mishaps: Sequence[Mishap]) -> str:
        """Do one act; people check the board and correct it only while the table sees them."""
        if self.sees:
            self.last = "no accident"
        mishaps = sorted(mishaps, key=lambda mishap: self.happened[mishap.__name__])
        happened = super().act(act, [self._named(mishap) for mishap in mishaps] if self.sees else ())
        self.happened[happened] += 1
        if not self.sees:
            following = self.plan[self.number + 1 : self.number + 2]
            wait = self._waits_for_light(following[0]) if following else True
            self.blind_for = 0 if wait else self.blind_for - 1
            if self.blind_for <= 0 and act.action and act.expect and not self.later:
                self.see_again()
                self.settle()
        return happened

    def _waits_for_light(self, act: Act) -> bool:
        """Whether the act has to wait until the table sees people and the board shows it: cutting and saying a word."""
        return (act.kind == "lay" and not isinstance(act.face, Card)) or bool(act.action and act.action.do == "cut")

    def _named(self, mishap: Mishap) -> Mishap:
        """Return the mishap, which stores its name in `last` before it begins."""

        @wraps(mishap)
        def named(people: People, act: Act) -> bool:
            before, self.last = self.last, mishap.__name__
            happens = mishap(people, act)
            self.last = self.last if happens else before
            return happens

        return named

    def settle(self) -> None:
        """Correct the record, if the table sees what people do.

        If the record contains something that was not done, and the table asks people to check it, they undo it.
        """
        if not self.sees:
            return
        if not self.right() and self.checks():
            self.helped["checked"] += 1
            self.tolerated = True
            while not self.right():
                self.observe(UndoAsked(self.time, "page"))
        super().settle()
        self._clear_last_hand()

    def _clear_last_hand(self) -> None:
        """Take up the cards left from the last hand, once its end and the first card of the next one are recorded."""
        starts = self.table.hand_starts
        if len(starts) < 2 or starts[-1] == len(self.table.actions):
            return
        record = {(each.card, each.zone) for each in self.table.lying}
        played = {each.card for each in self.table.actions[starts[-2] : starts[-1]] if each.do == "play"}
        left = [each for each in self.lying if each.face in played and (each.face, each.zone) not in record]
        if left:
            self.lift(*left)

    def checks(self) -> list[Prompt]:
        """Return the prompts that ask people to check a conclusion, or say that a recorded card is missing."""
        kinds = ("check", "put-back") if self.last in _HIDING else ("check",)
        return [prompt for prompt in self.referee.prompts if prompt.kind in kinds]

    def look_at_record(self) -> None:
        """Check the record, unless the table sees nothing or asks people to check it."""
        if self.sees and not self.checks():
            super().look_at_record()

    def perform(self, action: Action) -> None:
        """Repeat `action`."""
        self.helped["again"] += 1
        super().perform(action)

    def _obey(self, prompt: Prompt) -> None:
        self.helped["asked"] += 1
        if prompt.kind == "two-cards":
            there = [placed for placed in self.lying if placed.zone == Zone("play", prompt.seat)]
            group = [placed for placed in there if placed.since == max(placed.since for placed in there)]
            wanted = [action.card for action in self._missing() if action.seat == prompt.seat]
            keep = next((placed for face in wanted for placed in group if placed.face == face), None)
            if keep is not None and len(group) > 1:
                self.lift(*[placed for placed in group if placed is not keep])
                return
        super()._obey(prompt)

    def _look_at_prompts(self) -> None:
        if self.sees:
            super()._look_at_prompts()
