"""What happened while the table could not see: what is not concluded from it, and what players are asked to check.

A source that was lost, and a zone that is covered, hide what people do. What is seen afterwards may come about in
several ways: a card that is gone from a trick was withdrawn, or the trick was completed and gathered. So nothing is
taken to be withdrawn then, and what else is concluded at once is shown as a prompt (`check`) for as long as undoing it
is easy. The same holds for a lead that was taken up: cards laid on it and gathered with it may have been too quick to
be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final

from engine.action_kinds import ACTION_KINDS
from engine.actions import Action
from engine.cards import Card
from engine.observations import Scene, Sighting, Zone
from engine.referee.prompts import Prompt, place
from engine.referee.thresholds import DEFAULT_THRESHOLDS, Thresholds
from engine.rules.wording import describe
from engine.table import Table
from engine.texts import both, text
from engine.views import TableCard

_NEXT_HAND: Final = ("deal", "discard", "turn")


class Unseen:
    """Remembers which sources were blind, and the actions concluded from what they saw then."""

    def __init__(self, table: Table, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> None:
        self._table = table
        self._thresholds = thresholds
        self._blind: set[str] = set()
        """The sources that may have missed something since their last complete scene."""
        self._lost: set[str] = set()
        """Those of them that have sent no scene since they were lost."""
        self._seen_again: frozenset[Zone] | None = frozenset()
        """The zones that were covered before this scene and are not now; None: all, because the source was lost."""
        self._covered: dict[str, tuple[Zone, ...]] = {}
        """The zones covered in the last scene of each source."""
        self._concluded: dict[int, tuple[tuple[Card, ...], tuple[Action, ...]]] = {}
        """By the number of the first action: the trick that was gathered then, and actions concluded together."""

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

        `trick`: the cards of the trick that lay there then. `unseen`: more may have been done than what was concluded.
        """
        actions = self._table.actions
        number = next(
            (at for at, pair in enumerate(zip(before, actions, strict=False)) if pair[0] != pair[1]),
            min(len(before), len(actions)),
        )
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
        """Yield what is covered, and a request to check for all that was concluded and can still be undone easily.

        What ended the game is still to be checked, but after it nothing needs to be seen.
        """
        players = self._table.header.players
        zones = sorted({zone for zones in self._covered.values() for zone in zones}, key=str)
        if zones and not self._table.over:
            places = both([place(zone, players) for zone in zones])
            if len(zones) > self._thresholds.max_zones_named:
                places = text("on {number} zones", number=len(zones))
            yield Prompt("covered", None, text("Something lies {places}: cards under it are not seen.", places=places))
        actions, rounds = self._table.actions, self._thresholds.check_rounds
        for number, (gathered, done) in tuple(self._concluded.items()):
            end = number + len(done)
            later = actions[end:]
            stands = actions[number:end] == done and len(later) <= rounds * len(players)
            if not stands or any(action.do in _NEXT_HAND for action in later) or _is_put_back(done, later):
                del self._concluded[number]
            else:
                yield self._check(gathered, done)

    def _check(self, gathered: Sequence[Card], done: Sequence[Action]) -> Prompt:
        sentences = [sentence for action in done if (sentence := self._sentence(action))]
        if gathered and done[0].do != "withdraw":
            cards = " ".join(card.glyph for card in gathered)
            sentences.insert(0, text("trick {cards}", cards=cards))
        most = self._thresholds.max_letters_named
        count = next((n for n in range(len(sentences), 1, -1) if sum(map(len, sentences[:n])) <= most), 1)
        if left := len(sentences[count:]):
            sentences[count:] = [text("{count} more", count=left)]
        what = reduce(lambda these, this: text("{these}; {this}", these=these, this=this), sentences or [""])
        if len(done) == 1 and done[0].do == "withdraw":
            request = "{what}. If it was a trick that was not seen, undo and lay it again."
        else:
            request = "Not seen: {what}. If that is wrong, undo."
        return Prompt("check", None, text(request, what=what))

    def _sentence(self, action: Action) -> str:
        named = action.do != "gather" and ACTION_KINDS[action.do].history is not None
        return describe(action, self._table.header.players) if named else ""


def _is_unread(sighting: Sighting) -> bool:
    zone = sighting.zone
    return sighting.face is None and zone is not None and zone.name in ("play", "table", "turn-up", "bid")


def _is_put_back(done: Sequence[Action], later: Sequence[Action]) -> bool:
    """Return whether all that was concluded is that a card was taken up, and it was laid again."""
    withdrawn = done[0] if len(done) == 1 and done[0].do == "withdraw" else None
    return withdrawn is not None and later[:1] == (Action("play", seat=withdrawn.seat, card=withdrawn.card),)
