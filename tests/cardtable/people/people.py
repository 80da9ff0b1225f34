"""People at a real table: they play the acts that robots planned, with mishaps.

Between the acts they have mishaps (`mishaps.py`). Then they follow the prompts, and repeat what the board does not
show.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

from cardtable.simulation.director import Act, same
from cardtable.simulation.robots import load_robots
from cardtable.simulation.source import Setting, marks_for
from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.observations import Observation, Said, UndoAsked, Zone
from engine.record import Header
from engine.referee.observed_cards import BEFORE_HAND
from engine.referee.prompts import place
from engine.referee.referee import Referee
from engine.views import Prompt
from tests.cardtable.people.doing import Doing
from tests.cardtable.people.record import begins, described, plain, shown_in_order_of
from tests.cardtable.people.table_top import value_in

Mishap = Callable[["People", Act], bool]
"""Does an act with a mishap and returns True, or does nothing and returns False if the mishap is not possible."""

QUIET = ("turn", "over", "refused", "source", "check", "drawn")
"""Kinds of prompts that do not ask for a correction."""
PATIENCE = 100
"""Largest number of corrections after one mishap before the test fails: twice the cards of a round of bids."""


class People(Doing):
    """One game; `play` plays it. All randomness comes from `rng`. `known`: cards are dealt across readers."""

    def __init__(self, game: str, players: int, seed: int, known: bool = False) -> None:
        header = Setting(game, players, seed, marks_for(game)).header
        super().__init__(header)
        name = f"{game}/{players}/{seed}/{known}"
        self.rng = random.Random(f"people/{name}")
        robots = load_robots(game)(header, random.Random(name))
        robots.across = known and robots.deals
        self.plan = list(robots.acts())
        self.number = 0
        self._counted = True
        self.later: list[Callable[[], None]] = []
        self.early: set[int] = set()
        self.looked_at: set[str] = set()
        self.late = False

    def restart(self) -> None:
        """The program is killed and started again."""
        self.log.append("restart")
        self.referee = Referee(self.table)
        self.show()

    # Correcting

    def asks(self) -> list[Prompt]:
        """Return the prompts that ask for a correction; those that complete a call come last."""
        asks = [prompt for prompt in self.referee.prompts if prompt.kind not in QUIET]
        return sorted(asks, key=lambda prompt: prompt.kind in ("evidence", "which-card"))

    def settle(self) -> None:
        """Follow the prompts, and repeat actions missing from the record, until record and truth agree."""
        for _ in range(PATIENCE):
            if asks := self.asks():
                self._obey(asks[0])
            elif missing := self._missing():
                self.look_at_record()
                self._repeat(missing[0])
            else:
                self.tolerated = False
                self.look_at_record()
                return
        self.check(False, f"people give up: {[p.text for p in self.asks()]} {self._missing()}")

    def _repeat(self, action: Action) -> None:
        """Repeat what is missing from the record: say a word if the table asks whether a card was drawn."""
        asked = any((prompt.kind, prompt.seat) == ("drawn", action.seat) for prompt in self.referee.prompts)
        if asked and isinstance(action.seat, int) and action.word is not None:
            self.observe(Said(self.time, "page", action.seat, action.word))
        else:
            self.perform(action)

    def settle_prompts(self) -> None:
        """Follow the prompts until they ask for nothing."""
        for _ in range(PATIENCE):
            asks = [prompt for prompt in self.asks() if prompt.kind not in ("unfinished", "evidence")]
            if not asks:
                return
            self._obey(asks[0])
        self.check(False, "people give up")

    def right(self) -> bool:
        """Return whether every action in the record was done."""
        return begins(plain(self.table.actions), plain(self.truth))

    def _missing(self) -> list[Action]:
        record, truth = plain(self.table.actions), plain(self.truth)
        if len(record) > len(truth):
            truth += [act.action for act in self.coming() if act.action]
        truth = shown_in_order_of(record, truth)
        common = 0
        while common < min(len(record), len(truth)) and same(record[common], truth[common]):
            common += 1
        right = begins(record, truth)
        self.check(right, f"silently wrong: {described(record[common:])}, and not {described(truth[common:])}")
        return truth[common : len(plain(self.truth))]

    def _obey(self, prompt: Prompt) -> None:
        """Follow the prompt."""
        self.log.append(f"obey: {prompt.text}")
        players = self.table.header.players
        match prompt.kind:
            case "take-back" | "outside":
                self.lift(self.concerned(prompt)[-1])
            case "put-back":
                spot = value_in(prompt.text, "card"), value_in(prompt.text, "place")
                lying = self.table.lying
                wanted = next(e for e in lying if (e.card.glyph, place(e.zone, players)) == spot)
                lost = self.at(wanted.card, anywhere=True) if wanted.card.suit in "SHDC" else None
                if lost:
                    self.take(lost)
                placed = self.lay(wanted.card, wanted.zone)
                last = self.truth[-1] if self.truth else None
                if last and (last.do, last.card) == ("withdraw", wanted.card):
                    self.lift(placed)  # it was taken back unseen, so it is taken back once more
            case "unreadable":
                placed = self.concerned(prompt)[-1]
                self.lift(placed)
                if (
                    placed.face is not None and "before" not in prompt.text
                ):  # otherwise it was left from an earlier game
                    self.lay(placed.face, placed.zone)
            case "two-cards":
                there = [p for p in self.lying if p.zone == Zone("play", prompt.seat)]
                group = [p for p in there if p.since == max(p.since for p in there)]
                self.check(len(group) > 1, "no two cards were laid there")
                self.lift(next(p for p in group if p.face != self.truth[-1].card))
            case "misread":
                while self.table.actions and not self.right():
                    self.observe(UndoAsked(self.time, "page"))
            case "unclear":
                concerned = self.concerned(prompt)
                if len(self.truth) > 1 and self.truth[-2].do == "withdraw":
                    self.observe(UndoAsked(self.time, "page"))
                    return
                self.lift(*[p for p in self.lying if p.zone and p.zone.name == "play" and p not in concerned])
            case "which-card":
                call = next(action for action in self._missing() if action.word == "call" and action.seat is not None)
                assert isinstance(call.seat, int)
                self.observe(Said(self.time, "page", call.seat, "call", call.card))
            case "unfinished":
                several = [a for a in self._missing() if a.do in ("bid", "show")]
                if several:
                    self.perform(several[0])
                else:
                    zones = [Zone("bid", prompt.seat), Zone("show", prompt.seat), Zone("crib")]
                    self.lift(next(p for p in self.lying if p.zone in zones and p.face))
            case _:
                self.check(False, f"nobody knows how to obey: {prompt}")

    # Doing

    def play(self, share: float, mishaps: Sequence[Mishap], most: int) -> Counter[str]:
        """Play up to `most` acts of the plan, a `share` of them with mishaps; return the number of each mishap."""
        self.show()
        happened: Counter[str] = Counter()
        for number, act in enumerate(self.plan[:most]):
            self.number = number
            if self._would_be_proved(act):
                break
            wrong = self.rng.sample(mishaps, len(mishaps)) if self.rng.random() < share else []
            if name := self.act(act, wrong):
                happened[name] += 1
        return happened

    def _would_be_proved(self, act: Act) -> bool:
        """Return whether the plan is a revoke that a card shown in a mishap would prove at once."""
        action = act.action
        if action is None or action.do != "play" or not self.right() or action.seat != self.table.turn:
            return False
        try:
            self.table.do(action)
        except Refused as refusal:
            return refusal.code == "must-follow-suit" and not act.refused
        self.table.do(Action("undo"))
        return False

    def coming(self) -> list[Act]:
        """Return the acts of the next actions that are already done: some cards of an action, and cards laid early."""
        out = []
        for number, act in enumerate(self.plan[self.number :], start=self.number):
            if act.action and (number != self.number or not self._counted):
                whole = self.plan[self.number].action is None and act.action.do in ("bid", "show", "say")
                if number in self.early or (whole and not out):
                    out.append(act)
                else:
                    break
        return out

    def held(self, seat: int) -> list[Card]:
        """Return the cards that `seat` holds, according to the plan for this deal."""
        cards = []
        for act in self.plan[self.number + 1 :]:
            if act.kind == "deal" or (act.action and act.action.do == "turn"):
                break
            if act.kind == "lay" and act.seat == seat and act.action and act.action.do == "play" and act.action.card:
                cards.append(act.action.card)
        return cards

    def speaks(self, seat: int) -> bool:
        """Return whether `seat` may say a word later in this deal: one that lies there early counts then."""
        for act in self.plan[self.number + 1 :]:
            if act.kind == "deal":
                break
            if act.action and act.action.do == "say" and act.action.seat == seat:
                return True
        return False

    def counts_again(self, action: Action) -> bool:
        """Return whether the word that `action` says can be said again at once, such as a second tierce."""
        if action.do != "say":
            return False
        try:
            self.table.do(action)
        except Refused:  # the record is not as far yet
            return False
        again = self.table.can(action)
        self.table.do(Action("undo"))
        return again

    def act(self, act: Act, mishaps: Sequence[Mishap]) -> str:
        """Do one act of the plan and the corrections; return the name of the first possible mishap."""
        self.log.append(f"-- {act.kind} {act.seat} {act.face} {act.zone} {act.action.to_json() if act.action else ''}")
        self._counted = bool(act.action)
        if act.refused:
            return ""
        if act.action:
            self.truth.append(act.action)
            self.time += 5 * (act.action.do == "cut")  # the pack is shuffled for the next deal
        later, self.later = self.later, []
        self.late = bool(later)
        happened = ""
        if self.number not in self.early:
            happened = next((mishap.__name__ for mishap in mishaps if mishap(self, act)), "")
            self.log.append(f"   ({happened})")
            if not happened:
                self.do(act)
        for each in later:
            each()
        if act.action and act.expect and not self.later:
            self.settle()
        return happened

    def do(self, act: Act) -> None:
        """Do the act as planned."""
        match act.kind:
            case "deal":
                self.time += 20
                if self.table.phase in BEFORE_HAND:
                    self.lift(*[placed for placed in self.lying if placed.face is not None])
            case "pass":
                if act.action:
                    self.perform(act.action)
            case "press":
                assert act.action
                self.perform(act.action)
            case _:
                for face, zone in act.takes:
                    if placed := self.at(face, zone) or (face and self.at(face, anywhere=True)):
                        self.take(placed)
                if act.lays:
                    self.put(*act.lays)
                if act.kind == "sweep" and act.tidy and self.table.phase in BEFORE_HAND:
                    self.clear_up()
                self.show()


class Recorded(People):
    """People at a table whose observations are kept. Cards are dealt across readers if the game allows it."""

    def __init__(self, game: str, players: int, seed: int) -> None:
        self.observed: list[Observation] = []
        super().__init__(game, players, seed, known=True)

    def observe(self, observation: Observation) -> None:
        self.observed.append(observation)
        super().observe(observation)


def observations(game: str, players: int, seed: int, acts: int) -> tuple[Header, list[Observation]]:
    """Return the header of a game that robots play, and what is observed of its first `acts` acts."""
    people = Recorded(game, players, seed)
    people.play(0.0, [], acts)
    return people.table.header, people.observed
