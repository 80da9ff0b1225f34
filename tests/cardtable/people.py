"""People at a real table: they play a game by its robots' plan, and everything goes wrong that does go wrong.

`People` lay and lift cards, and tell the referee what lies, as a perfect camera would. Between the acts of the plan
they have mishaps (`tests.cardtable.mishaps`); then they do what the prompts ask for, and nothing else. After every scene it is checked that
the record holds nothing that was not done, and that the prompts are true and agree with one another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cardtable.simulation.acts import Act, Face, same
from cardtable.simulation.robots import ROBOTS
from cardtable.simulation.source import Setting, marks_for
from engine.actions import Action
from engine.cards import Card
from engine.meaning import BETWEEN
from engine.observations import Dealt, LaidAway, Observation, Scene, Sighting, UndoAsked, Word, Zone
from engine.prompts import Prompt, face_text, place
from engine.referee import Referee
from engine.table import Table
from engine.texts import Text

Mishap = Callable[["People", Act], bool]
"""What goes wrong about an act: does the act with what goes wrong; False where nothing can, and nothing is done."""

QUIET = ("turn", "over", "refused", "source")
"""Prompts that ask nobody to put anything right."""
PATIENCE = 40
"""So many things people do to put one mishap right; then they give up."""


class Wrong(AssertionError):
    """The referee did something that people at a table must not meet; the message tells what had happened."""


@dataclass(eq=False)
class Lain:
    """A card that lies: what it is, what the camera takes it for, and where."""

    name: str
    face: Face | None
    seen: Face | None
    zone: Zone | None
    since: float


class People:
    """One game. `play` plays it; `rng` decides everything."""

    def __init__(self, game: str, players: int, seed: int, known: bool = False) -> None:
        self.rng = random.Random(f"people/{game}/{players}/{seed}/{known}")
        header = Setting(game, players, seed, marks_for(game)).header
        options = dict(header.options)
        header = replace(header, options=options)
        robots = ROBOTS[game](header, random.Random(f"{game}/{players}/{seed}/{known}"))
        robots.across = known and robots.deals
        self.plan = list(robots.acts())
        self.number = 0
        self._counted = True
        self.table = Table(header)
        self.referee = Referee(self.table, self._act)
        self.lying: list[Lain] = []
        self.truth: list[Action] = []
        self.tolerated = False
        self.later: list[Callable[[], None]] = []
        self.early: set[int] = set()
        self.time = 0.0
        self.made = 0
        self.log: list[str] = []

    def _act(self, action: Action) -> object:
        outcome = self.table.do(action)
        self.log.append(f"        > {action.to_json()}")
        return outcome

    def restart(self) -> None:
        """The program is killed and started again."""
        self.log.append("restart")
        self.referee = Referee(self.table, self._act)
        self.show()

    # The table top

    def put(self, face: Face | None, zone: Zone | None, seen: Face | None = None, blank: bool = False) -> Lain:
        """Lay a card, without telling the referee yet; the camera takes it for `seen`, or cannot read it."""
        if isinstance(face, Card) and face.suit in "SHDC":  # there is only one of it, wherever it was forgotten
            self.take(*[lain for lain in self.lying if lain.face == face])
        self.made += 1
        lain = Lain(f"p{self.made}", face, None if blank else (seen or face), zone, self.time)
        self.lying.append(lain)
        self.log.append(f"lay {face} in {zone}" + (f" seen as {lain.seen}" if lain.seen != face else ""))
        return lain

    def take(self, *pieces: Lain) -> None:
        """Take cards up, without telling the referee yet."""
        for lain in pieces:
            self.lying.remove(lain)
            self.log.append(f"lift {lain.face} from {lain.zone}")

    def lay(self, face: Face | None, zone: Zone | None) -> Lain:
        lain = self.put(face, zone)
        self.show()
        return lain

    def lift(self, *pieces: Lain) -> None:
        self.take(*pieces)
        self.show()

    def at(self, face: Face | None, zone: Zone | None = None, anywhere: bool = False) -> Lain | None:
        """The uppermost such card in `zone`, or anywhere."""
        found = [lain for lain in self.lying if lain.face == face and (anywhere or lain.zone == zone)]
        return found[-1] if found else None

    def show(self) -> None:
        """What lies is told to the referee."""
        self.time += 1.0
        seen = tuple(Sighting(lain.name, lain.seen, lain.zone, lain.since) for lain in self.lying)
        self.tell(Scene(self.time, "camera", seen))

    def tell(self, observation: Observation) -> None:
        if not isinstance(observation, Scene):
            self.log.append(f"{observation}")
        try:
            self.referee.observe(observation)
        except Exception as error:
            raise Wrong(self.told(f"raised {error!r}")) from error
        for prompt in self.referee.prompts:
            if prompt.kind not in ("turn",):
                self.log.append(f"        “{prompt.text}” ({prompt.kind} {prompt.seat})")
        self._look_at_prompts()
        if not self.tolerated:
            self._look_at_record()

    # What is checked

    def told(self, what: str) -> str:
        lying = ", ".join(f"{lain.face}@{lain.zone}" for lain in self.lying)
        prompts = "\n".join(f"   {prompt}" for prompt in self.referee.prompts)
        return "\n".join([*self.log[-60:], f"lying: {lying}", prompts, f"*** {what}"])

    def check(self, right: bool, what: str) -> None:
        if not right:
            raise Wrong(self.told(what))

    def _look_at_record(self) -> None:
        """Nothing is in the record that was not done; what was done last may not be in it yet."""
        record = plain(self.table.actions)
        coming = [act.action for act in self.coming() if act.action]
        done = [plain([*self.truth[: len(self.truth) - late], *coming * (not late)]) for late in range(3)]
        self.check(any(_begins(record, truth) for truth in done), f"the record has what nobody did: {_told(record)}")

    def _look_at_prompts(self) -> None:
        """Each is true, and none says the contrary of another."""
        prompts, players = self.referee.prompts, self.table.header.players
        self.check(bool(prompts) and prompts[-1].kind in ("turn", "over"), "nobody knows what the table waits for")
        last = prompts[-1]
        if last.kind == "turn" and self.table.turn is not None:
            self.check(last.seat == self.table.turn, f"it is {self.table.turn} who is on turn")
        taken_back: list[str] = []
        for prompt in prompts:
            if prompt.kind in ("take-back", "outside", "misread", "evidence", "which-card", "unreadable", "unclear"):
                self.check(bool(self._concerned(prompt)), f"no such card lies there: {prompt.text}")
                if prompt.kind in ("take-back", "outside"):
                    taken_back.append(_value(prompt.text, "card"))
            if prompt.kind == "unfinished" and "must add" in prompt.text:
                self.check((self.table.phase, self.table.turn) == ("bid", prompt.seat), f"it need not: {prompt.text}")
            if prompt.kind == "put-back":
                card = _value(prompt.text, "card")
                where = _value(prompt.text, "place")
                there = [p for p in self.lying if face_text(p.seen) == card and place(p.zone, players) == where]
                lie = [e for e in self.table.view(None).lying if (e.card.glyph, place(e.zone, players)) == (card, where)]
                self.check(len(there) < len(lie), f"it lies there already: {prompt.text}")
                self.check(card not in taken_back or len(lie) > 1, f"to be taken back and laid back: {card}")
            if m := re.search(r"it is (\w+)’s turn", prompt.text):
                self.check(players.index(m[1]) == self.table.turn, f"it is not {m[1]}'s turn")

    def _concerned(self, prompt: Prompt) -> list[Lain]:
        """The cards that lie and that the prompt speaks of."""
        name = "now" if prompt.kind == "misread" else "card"
        card = _value(prompt.text, name)
        if prompt.kind in ("evidence", "which-card"):
            word = "revoke" if prompt.kind == "evidence" else "call"
            return [p for p in self.lying if p.seen == Word(word) and p.zone and p.zone.seat == prompt.seat]
        if prompt.kind == "unreadable":
            card = face_text(None)
        seat = prompt.seat
        return [p for p in self.lying if face_text(p.seen) == card and (p.zone.seat if p.zone else None) == seat]

    # Putting right

    def asks(self) -> list[Prompt]:
        """The prompts that ask somebody to put something right."""
        return [prompt for prompt in self.referee.prompts if prompt.kind not in QUIET]

    def settle(self) -> None:
        """Do what the prompts ask for, and do again what the record has not got, until both agree."""
        for _ in range(PATIENCE):
            if asks := self.asks():
                self._obey(asks[0])
            elif missing := self._missing():
                self._look_at_record()
                self.perform(missing[0])
            else:
                self.tolerated = False
                self._look_at_record()
                return
        self.check(False, f"people give up: {[p.text for p in self.asks()]} {self._missing()}")

    def settle_prompts(self) -> None:
        """Do what the prompts ask for, until they ask for nothing."""
        for _ in range(PATIENCE):
            asks = [prompt for prompt in self.asks() if prompt.kind not in ("unfinished", "evidence")]
            if not asks:
                return
            self._obey(asks[0])
        self.check(False, "people give up")

    def right(self) -> bool:
        """Whether everything that the record has was done."""
        return _begins(plain(self.table.actions), plain(self.truth))

    def _missing(self) -> list[Action]:
        record, truth = plain(self.table.actions), plain(self.truth)
        if len(record) > len(truth):
            truth += [act.action for act in self.coming() if act.action]
        common = 0
        while common < min(len(record), len(truth)) and same(record[common], truth[common]):
            common += 1
        right = _begins(record, truth)
        self.check(right, f"silently wrong: {_told(record[common:])}, and not {_told(truth[common:])}")
        return truth[common : len(plain(self.truth))]

    def _obey(self, prompt: Prompt) -> None:
        """Do what it says."""
        self.log.append(f"obey: {prompt.text}")
        players = self.table.header.players
        match prompt.kind:
            case "take-back" | "outside":
                self.lift(self._concerned(prompt)[-1])
            case "put-back":
                card = next(e.card for e in self.table.view(None).lying if e.card.glyph == _value(prompt.text, "card"))
                zones = [e.zone for e in self.table.view(None).lying if e.card == card]
                zone = next(z for z in zones if place(z, players) == _value(prompt.text, "place"))
                lost = self.at(card, anywhere=True) if card.suit in "SHDC" else None
                if lost:
                    self.take(lost)
                self.lay(card, zone)
            case "unreadable":
                lain = self._concerned(prompt)[-1]
                self.take(lain)
                self.lay(lain.face, lain.zone)
            case "two-cards":
                group = [p for p in self.lying if p.zone == Zone("play", prompt.seat) and p.since == self.lying[-1].since]
                wanted = [self.truth[-1].card]
                extra = [p for p in group if p.face not in wanted] or group[-1:]
                self.check(bool(group), "no two cards lie there")
                self.lift(extra[-1])
            case "misread":
                while self.table.actions and not self.right():
                    self.tell(UndoAsked(self.time, "page"))
            case "unclear":
                own = self._concerned(prompt)
                if len(self.truth) > 1 and self.truth[-2].do == "withdraw":
                    self.tell(UndoAsked(self.time, "page"))
                    return
                self.lift(*[p for p in self.lying if p.zone and p.zone.name == "play" and p not in own])
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

    def play(self, mishap: float, mishaps: Sequence[Mishap], most: int = 10_000) -> int:
        """Play the plan, up to `most` acts, with mishaps by chance; the number of mishaps."""
        self.show()
        happened = 0
        for self.number, act in enumerate(self.plan[:most]):
            happened += self.act(act, self.rng.choice(mishaps) if self.rng.random() < mishap else None)
        return happened

    def coming(self) -> list[Act]:
        """What is done already of what comes next in the plan: cards of one action, and cards laid before their time."""
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
        """Cards that `seat` holds, by what it will play in this deal."""
        cards = []
        for act in self.plan[self.number + 1 :]:
            if act.kind == "deal" or (act.action and act.action.do == "turn"):
                break
            if act.kind == "lay" and act.seat == seat and act.action and act.action.do == "play" and act.action.card:
                cards.append(act.action.card)
        return cards

    def act(self, act: Act, mishap: Mishap | None = None) -> int:
        """One act of the plan, with a mishap, and what puts it right."""
        self.log.append(f"-- {act.kind} {act.seat} {act.face} {act.zone} {act.action.to_json() if act.action else ''}")
        self._counted = bool(act.action)
        if act.refused:
            return 0
        if act.action:
            self.truth.append(act.action)
        later, self.later = self.later, []
        done = False
        if self.number not in self.early:
            if mishap:
                self.log.append(f"   ({mishap.__name__})")
                done = mishap(self, act)
            if not done:
                self.do(act)
        for each in later:
            each()
        if act.action and act.expect and not self.later:
            self.settle()
        return done

    def do(self, act: Act) -> None:
        """The act as planned."""
        match act.kind:
            case "deal":
                self.time += 20
                if self.table.phase in BETWEEN:
                    self.lift(*[lain for lain in self.lying if lain.face is not None])
            case "pass":
                if act.action:
                    self.perform(act.action)
            case "press":
                assert act.action
                self.perform(act.action)
            case _:
                for face, zone in act.takes:
                    if lain := self.at(face, zone) or (face and self.at(face, anywhere=True)):
                        self.take(lain)
                if act.lays:
                    self.put(*act.lays)
                if act.kind == "sweep" and act.tidy and self.table.phase in BETWEEN:
                    self._clear_up()
                self.show()

    def _clear_up(self) -> None:
        """What was forgotten goes as well, but for a pot that waits."""
        stays = [entry.card for entry in self.table.view(None).lying]
        if forgotten := [lain for lain in self.lying if lain.face is not None and lain.face not in stays]:
            self.lift(*forgotten)
            self.time += 5

    def perform(self, action: Action) -> None:
        """Do, once more, what `action` is."""
        self.log.append(f"again: {action.to_json()}")
        seat = action.seat if isinstance(action.seat, int) else None
        zones = self.table._kind.zones
        match action.do:
            case "deal":
                assert seat is not None
                if self.table.phase in BETWEEN:
                    self._clear_up()
                self.tell(Dealt(self.time, "readers", seat, action.cards or ()))
            case "discard":
                assert seat is not None
                self.tell(LaidAway(self.time, "readers", seat, action.cards or ()))
            case "cut" | "play":
                self._lay_anew(action.card, Zone("play", seat))
            case "turn" | "give":
                if self.table.phase in BETWEEN:
                    self._clear_up()
                if action.do == "give":
                    self.lift(*[p for p in self.lying if p.zone == Zone("turn-up")])
                self._lay_anew(action.card, Zone("turn-up") if "turn-up" in zones else Zone("table"))
            case "expose":
                self._lay_anew(action.card, Zone("show", seat))
            case "say":
                for old in [p for p in self.lying if p.face == Word(action.word or "") and p.zone == Zone("say", seat)]:
                    self.lift(old)
                laid = [self.lay(Word(action.word or ""), Zone("say", seat))]
                if action.against is not None:
                    laid.append(self.lay(action.card, Zone("show", action.against)))
                self.lift(*[p for p in laid if p in self.lying])
            case "take":
                mine = [p for p in self.lying if p.zone and p.zone.name in ("play", "table")]
                done = plain(self.truth)
                done = done[: done.index(action)]
                last = next(a.card for a in reversed(done) if a.do == "play")
                for entry in self.table.view(None).lying:
                    if entry.card not in (*(action.cards or ()), last) and not self.at(entry.card, anywhere=True):
                        self.lay(entry.card, entry.zone)
                self.lift(*[p for p in mine if p.face in (*(action.cards or ()), last)])
            case "bid" | "show":
                zone = Zone("crib") if seat is None else Zone(action.do, seat)
                wanted = list(action.cards or ())
                self.take(*[p for p in self.lying if p.zone == zone and p.face is not None and p.seen is None])
                there = [p.face for p in self.lying if p.zone == zone and p.face is not None]
                earlier = self._bid_before(action) if action.do == "bid" else []
                for card in earlier:
                    if card in there:
                        there.remove(card)
                for card in wanted:
                    if card in there:
                        there.remove(card)
                    else:
                        self.lay(card, zone)
            case "withdraw":
                pass  # the card that is laid next says so
            case _:
                self.check(False, f"nobody knows how to do {action}")

    def _bid_before(self, action: Action) -> list[Card]:
        """What its seat had put forward in this round before."""
        cards: list[Card] = []
        for each in plain(self.truth):
            if each.do == "turn":
                cards = []
            elif each is action:
                break
            elif each.do == "bid" and each.seat == action.seat:
                cards += each.cards or ()
        return cards

    def _lay_anew(self, card: Card | None, zone: Zone) -> None:
        lain = self.at(card, anywhere=True)
        if lain:
            twice = sum(action.do == "turn" and action.card == card for action in self.truth) > 1
            self.check(lain.zone != zone or twice, f"{card} lies {zone} and is not counted, and nobody is told why")
            self.lift(lain)
            self.time += 5
        self.lay(card, zone)


def plain(actions: Sequence[Action]) -> list[Action]:
    """What counts of a record: cards withdrawn were never played, tricks turned over and cards exposed are no matter."""
    out: list[Action] = []
    for action in actions:
        if action.do in ("gather", "expose"):
            continue
        if action.do == "withdraw":
            out.pop()
        else:
            out.append(action)
    return out


def _begins(record: Sequence[Action], truth: Sequence[Action]) -> bool:
    """Whether the record is the truth as far as it goes; its last action may be a part of one that several cards make."""
    if len(record) > len(truth):
        return False
    pairs = list(zip(record, truth, strict=False))
    return all(same(*pair) for pair in pairs[:-1]) and all(same(*pair) or _part_of(*pair) for pair in pairs[-1:])


def _told(actions: Sequence[Action]) -> str:
    return "; ".join(str(action.to_json()) for action in actions[-4:])


def _part_of(action: Action, whole: Action) -> bool:
    """Whether it is a part of an action that several cards make."""
    if (action.do, action.seat) != (whole.do, whole.seat) or action.do not in ("bid", "show"):
        return False
    left = list(whole.cards or ())
    for card in action.cards or ():
        if card not in left:
            return False
        left.remove(card)
    return True


def _value(told: object, name: str) -> str:
    """The value called `name` in a text, or in the texts in it."""
    if not isinstance(told, Text):
        return ""
    if name in told.values:
        return str(told.values[name])
    return next((found for value in told.values.values() if (found := _value(value, name))), "")
