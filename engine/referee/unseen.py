"""What the table could not see: what lay there when the referee started, and what was done while sources were blind.

`Start`: a source does not report the whole table at once, because a hand covers a card or a card takes longer to read.
So a card that came to rest before the first scene lay there at the start, whenever it is reported; and what a missing
card means is judged only after a source has reported nothing new for some time. To a camera that starts, a card that
lies face down looks like a part of the mat: it may never report the cards that were dealt face down before.

`Unseen`: a lost source or a covered zone hides what players do. What is seen afterwards may have several explanations:
a card that is gone from a trick was withdrawn, or the trick was completed and gathered. So no card is withdrawn then,
and any other conclusion is shown as a prompt (`check`) as long as it is easy to undo. The same holds for a lead that
was taken up: cards laid on it and gathered with it may have been too quick to be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import Scene, Sighting, Zone
from engine.referee.observed_cards import ObservedCard, hand_phase
from engine.referee.prompts import place
from engine.rules.wording import ACTIONS, describe
from engine.table import Table
from engine.texts import both, text
from engine.views import Prompt, TableCard

SETTLE_S: Final = 1.0
"""Seconds after which a source that reports nothing new has settled after the start: then missing cards are judged.
Longer: a trick taken up meanwhile is counted later. Shorter: a card covered by a hand seems withdrawn."""
MAX_SETTLE_S: Final = 3.0
"""Seconds after which the start is over even if something new is reported all the time. Longer: a fast game is judged
later. Shorter: a card that has not been read yet seems withdrawn."""
CHECK_ROUNDS: Final = 2
"""What was concluded while the table could not see is to be checked until each player has acted about this many times.
More: the prompt stays longer than players remember. Fewer: it is gone before it is read."""
MAX_ZONES_NAMED: Final = 2
"""If more zones are covered, the prompt only counts them. More: longer prompts. Fewer: players must look for what
covers the table."""
MAX_LETTERS_NAMED: Final = 48
"""A prompt describes what was done in about this many letters, and counts the rest. More: small displays cut it off.
Fewer: players must look at the history."""
_NEXT_HAND: Final = ("deal", "discard", "turn")
"""Actions that begin the next hand: what was concluded before them is no longer easy to undo."""


class Start:
    """What lay on the table when the referee started. `watched`: it was watched before, so it need not settle."""

    def __init__(self, table: Table, watched: bool) -> None:
        self._table: Final = table
        self._watched: Final = watched
        self._started = False
        self._first: dict[str, float] = {}
        """The time of each source's first scene."""
        self._due: dict[str, float] = {}
        """When each source that has not settled yet will have, unless it reports something new."""
        self._reported: dict[ObservedCard, bool] = {}
        """The cards that lay there at the start, and whether each has been read."""
        self._dealt_before: int | None = None
        """The last hand phase in which cards that were dealt before the start may lie there; None: no such cards."""
        self._dealt: Counter[tuple[int, Zone | None]] = Counter()
        """The most cards dealt for a hand phase that were seen face down at once, in each zone."""

    @property
    def started(self) -> bool:
        """Whether a scene was judged."""
        return self._started

    @property
    def settled(self) -> bool:
        """Whether every source that reported at the start has since reported nothing new for `SETTLE_S`, or is lost.

        True at the latest after `MAX_SETTLE_S`, even if something new is reported all the time.
        """
        return not self._due

    def is_due(self, source: str, time: float) -> bool:
        """Return whether by `time`, on its clock, `source` has reported nothing new for `SETTLE_S` since the start."""
        return self.started and source in self._due and time >= self._due[source]

    def report(self, scene: Scene) -> None:
        """Note the time of a scene; call it before the scene is judged."""
        if not self.started:
            self._first[scene.source] = scene.time
            if not self._watched:
                self._due[scene.source] = scene.time + SETTLE_S
        elif self.is_due(scene.source, scene.time):
            del self._due[scene.source]
        elif scene.source in self._due:
            self._due[scene.source] = min(scene.time + SETTLE_S, self._first[scene.source] + MAX_SETTLE_S)

    def lose(self, source: str) -> None:
        """Stop waiting for a source that is lost."""
        self._due.pop(source, None)

    def begin(self) -> None:
        """Note that the scenes reported last are judged now."""
        self._started = True
        if self._table.actions and not self._watched:  # dealt for this hand or the next
            self._dealt_before = hand_phase(self._table) + 1

    def found(self, cards: Iterable[ObservedCard], first: bool) -> set[ObservedCard]:
        """Return those of the `cards` seen now that lay there at the start and are reported for the first time.

        Those are all cards if this is the `first` scene, and later any card that came to rest before it. A card that
        was reported without a face is returned again when it is read.
        """
        before = self._reported
        there = [card for card in cards if first or card in before or self._lay_there(card)]
        self._reported = {card: card.face is not None for card in there}
        return {card for card, read in self._reported.items() if card not in before or (read and not before[card])}

    def _lay_there(self, card: ObservedCard) -> bool:
        """Return whether the card came to rest before the first scene of every source that sees it."""
        sources = {source for source, _ in card.alternatives_by_sighting}
        return all(source in self._first and card.since < self._first[source] for source in sources)

    def count_face_down(self, cards: Iterable[ObservedCard]) -> None:
        """Count the cards face down in each zone that were dealt for this hand; call it after each scene."""
        now = hand_phase(self._table)
        self._dealt |= Counter((now, card.zone) for card in cards if card.face is None and card.hand_phase == now - 1)

    def perhaps_drawn(self, cards: Iterable[ObservedCard]) -> int | None:
        """Return the seat on turn if a face-down card in front of it may have been drawn; None otherwise.

        The card may also be one that was dealt before the start and never reported, taken up and put back now.
        """
        table, word, seat = self._table, self._table.drawing_says, self._table.turn
        if word is None or seat is None or self._dealt_before is None:
            return None
        view, now, zone = table.view(), hand_phase(table), Zone("show", seat)
        if now > self._dealt_before or word not in view.words[seat] or self._dealt[now, zone] >= view.hands[seat].size:
            return None
        laid = (card for card in cards if card.face is None and card.zone == zone and card.status == "open")
        return seat if any(card.hand_phase == now for card in laid) else None


class Unseen:
    """Remembers which sources were blind, and the actions concluded from what they saw afterwards."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._blind: set[str] = set()
        """The sources that may have missed something since their last scene in which everything could be seen."""
        self._lost: set[str] = set()
        """Those of them that have sent no scene since they were lost."""
        self._seen_again: frozenset[Zone] | None = frozenset()
        """The zones that were covered before this scene and are not now; None: all, because the source was lost."""
        self._covered: dict[str, tuple[Zone, ...]] = {}
        """The zones covered in the last scene of each source."""
        self._concluded: dict[int, tuple[tuple[Card, ...], tuple[Action, ...]]] = {}
        """Actions concluded together, with the trick gathered then, by the number of the first action."""

    def lose(self, source: str) -> None:
        """Note that the source sees nothing until its next scene."""
        self._blind.add(source)
        self._lost.add(source)

    def hides(self, scene: Scene) -> bool:
        """Return whether something may have happened unseen since the last scene of this source, or just now.

        It stays true until the cards in the play and bid zones can be read.
        """
        uncovered = frozenset(self._covered.get(scene.source, ())) - set(scene.covered)
        self._seen_again = None if scene.source in self._lost else uncovered
        self._lost.discard(scene.source)
        hidden = bool(scene.covered) or scene.source in self._blind
        lasts = bool(scene.covered) or (hidden and any(map(_is_unread, scene.sightings)))
        (self._blind.add if lasts else self._blind.discard)(scene.source)
        self._covered[scene.source] = scene.covered
        return hidden

    def conclude(self, before: Sequence[Action], trick: Sequence[TableCard], unseen: bool) -> None:
        """Note the actions that were done or replaced since the record was `before`.

        `trick`: the cards of the trick that lay there then. `unseen`: people may have done more than was concluded.
        """
        actions = self._table.actions
        differing = (at for at, (old, new) in enumerate(zip(before, actions, strict=False)) if old != new)
        number = next(differing, min(len(before), len(actions)))
        done = actions[number:]
        if not done:
            self._doubt_last(trick)
            return
        lone = any(each.do == "withdraw" for each in done) and not self._others_lie()
        gathered = tuple(entry.card for entry in trick)
        if any(entry.card in gathered for entry in self._table.lying):
            gathered = ()
        if (lone or unseen) and (gathered or any(self._sentence(action) for action in done)):
            self._concluded[number] = gathered, done
            self._join(number)

    def _doubt_last(self, trick: Sequence[TableCard]) -> None:
        """Note the play of the last card of `trick` if its zone can be seen again.

        The card still lies there, but may have been taken back, and led to a later trick, while the zone was hidden.
        """
        again, actions = self._seen_again, self._table.actions
        if not trick or not (again is None or trick[-1].zone in again):
            return
        for number in reversed(range(len(actions))):
            if actions[number].do == "play" and actions[number].card == trick[-1].card:
                self._concluded.setdefault(number, ((), actions[number:]))
                return

    def _join(self, number: int) -> None:
        """Join the conclusion that begins at action `number` with one that reaches up to it or overlaps it."""
        for begin, (gathered, done) in self._concluded.items():
            kept = self._table.actions[begin:number]
            if begin < number <= begin + len(done) and kept == done[: len(kept)]:
                trick, more = self._concluded.pop(number)
                self._concluded[begin] = (*gathered, *trick), (*kept, *more)
                return

    def _others_lie(self) -> bool:
        """Return whether more than the card played last lies in front of the players."""
        plays = [entry for entry in self._table.lying if entry.zone.name == "play"]
        last = self._table.actions[-1]
        return len(plays) - (last.do == "play") > 0

    def prompts(self) -> Iterator[Prompt]:
        """Yield which zones are covered, and a request to check what was concluded, while it is easy to undo.

        After the end of the game, conclusions are still to be checked, but covered zones no longer matter.
        """
        players = self._table.header.players
        zones = sorted({zone for zones in self._covered.values() for zone in zones}, key=str)
        if zones and not self._table.over:
            places = both([place(zone, players) for zone in zones])
            if len(zones) > MAX_ZONES_NAMED:
                places = text("on {number} zones", number=len(zones))
            yield Prompt("covered", None, text("Something lies {places}: cards under it are not seen.", places=places))
        actions = self._table.actions
        for number, (gathered, done) in tuple(self._concluded.items()):
            end = number + len(done)
            later = actions[end:]
            stands = actions[number:end] == done and len(later) <= CHECK_ROUNDS * len(players)
            if not stands or any(action.do in _NEXT_HAND for action in later) or _is_put_back(done, later):
                del self._concluded[number]
            else:
                yield self._check(gathered, done)

    def _check(self, gathered: Sequence[Card], done: Sequence[Action]) -> Prompt:
        sentences = [sentence for action in done if (sentence := self._sentence(action))]
        if gathered and done[0].do != "withdraw":
            cards = " ".join(card.glyph for card in gathered)
            sentences.insert(0, text("trick {cards}", cards=cards))
        count = next((n for n in range(len(sentences), 1, -1) if sum(map(len, sentences[:n])) <= MAX_LETTERS_NAMED), 1)
        if left := len(sentences[count:]):
            sentences[count:] = [text("{count} more", count=left)]
        what = reduce(lambda these, this: text("{these}; {this}", these=these, this=this), sentences or [""])
        if len(done) == 1 and done[0].do == "withdraw":
            request = "{what}. If it was a trick that was not seen, undo and lay it again."
        else:
            request = "Not seen: {what}. If that is wrong, undo."
        return Prompt("check", None, text(request, what=what))

    def _sentence(self, action: Action) -> str:
        named = action.do != "gather" and ACTIONS[action.do].history
        return describe(action, self._table.header.players) if named else ""


def _is_unread(sighting: Sighting) -> bool:
    zone = sighting.zone
    return sighting.face is None and zone is not None and zone.name in ("play", "table", "turn-up", "bid")


def _is_put_back(done: Sequence[Action], later: Sequence[Action]) -> bool:
    """Return whether the only conclusion was a withdrawal, and the card was laid again."""
    withdrawn = done[0] if len(done) == 1 and done[0].do == "withdraw" else None
    return withdrawn is not None and later[:1] == (Action("play", seat=withdrawn.seat, card=withdrawn.card),)
