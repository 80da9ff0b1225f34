"""Corrections of the record.

`Rewriting` follows the sources: a card that counted is now read as another one; and the players: they name, add or
remove a card, or undo everything up to a point. The cards on the table then count for the actions of the new record.

`NamedCards` applies what players say to the scenes before the referee gets them. A card that a player has named keeps
its name as long as its source reports it, whatever the source reads. A reading that a player has called wrong is left
out as long. A card that no source sees is added until the cards around it are taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.observations import Scene, Sighting, Zone
from engine.referee.matching import RecordMatching, count_as_laid, reconcile
from engine.referee.observed_cards import ObservedCard, ObservedCards, SightingId, hand_phase
from engine.referee.placements import is_temporary
from engine.table import Table

_NAME_OTHER_CARDS: Final = ("take", "say")
"""The kinds of actions that name cards laid before, so that a misread card is wrong in them too."""
_FINAL: Final = frozenset(("undone", "before"))
"""Refusals that a changed record does not lift: the card must be laid again."""
_UNSEEN: Final = "unseen-"
"""Prefix of the ids of cards that no source sees."""


@dataclass(frozen=True, slots=True)
class NamedCard:
    """The face and zone of a card according to the players."""

    face: Card
    zone: Zone | None


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card that is observed on the table.

    `face`: None if it cannot be read. `number`: the index of the action that it stands for, if it counts.
    `alternatives`: the other faces that it may have, the likeliest first. `sightings`: the sources that see it.
    `refused`: the players are asked to do something about it. `done`: it has had its effect, and still lies there;
    `earlier` is then the index of the action that it stood for.
    """

    face: Card | None
    zone: Zone | None
    number: int | None
    alternatives: tuple[Card, ...]
    sightings: tuple[SightingId, ...]
    refused: bool = False
    done: bool = False
    earlier: int | None = None


class Rewriting:
    """Rewrites the record of one table, and judges the cards that lie there.

    `apply` does an action, which may be an undo. It raises `Refused` if the rules do not allow it.
    """

    def __init__(
        self, table: Table, cards: ObservedCards, matching: RecordMatching, apply: Callable[[Action], object]
    ) -> None:
        self._table = table
        self._cards = cards
        self._matching = matching
        self._apply = apply

    def replace(self, number: int, actions: Sequence[Action]) -> None:
        """Undo all but the first `number` actions, and do `actions` instead.

        Raises `Refused` and changes nothing unless the rules allow all of them.
        """
        trial = Table(self._table.header)
        for action in (*self._table.actions[:number], *actions):
            trial.do(action)
        while len(self._table.actions) > number:
            self._apply(Action("undo"))
        for action in actions:
            self._apply(action)

    def correct(self, card: ObservedCard) -> Action:
        """Replace `card.counted_as` in the record by `card.face`; return the action that the card stands for now.

        Raises `Refused` (`misread`) and changes nothing if the record cannot be corrected: the card stands for no
        action of the record, a hand has ended since, or the rules do not allow what follows.
        """
        number, before, face = card.action_number, card.counted_as, card.face
        if card.action is None or number is None or not isinstance(face, Card) or not isinstance(before, Card):
            raise Refused("misread", "")
        old = self._table.actions[number:]
        if old[:1] != (card.action,) or (len(old) > 1 and card.hand_phase != hand_phase(self._table)):
            raise Refused("misread", "")
        first = old[0].with_card(face, before)
        rest = [each.with_card(face, before) if each.do in _NAME_OTHER_CARDS else each for each in old[1:]]
        self.replace(number, [first, *rest])
        return first

    def rewrite(
        self, kept: int, actions: Sequence[Action], named: Mapping[SightingId, NamedCard], started: bool
    ) -> None:
        """Undo all but the first `kept` actions and do `actions`. Raises `Refused` unless the rules allow all of them.

        `named`: the cards that players have named, by any of their sightings. `started`: whether the cards on the table
        are known. A card that stood for an undone action is refused as `undone`, unless the new record has the same
        action, or in its place an action with an equal card. Cards that the rules had refused are judged again.
        """
        self.replace(kept, actions)
        for card in self._cards:
            name = next((named[each] for each in card.alternatives_by_sighting if each in named), None)
            if name is not None:
                card.name(name.face, name.zone)
                if card.is_refused:
                    card.reopen()
            self._carry_over(card, kept, actions)
        if started:
            count_as_laid(self._table, self._cards)
            reconcile(self._table, self._cards, found=())
        self._matching.retire_unmatched()

    def _carry_over(self, card: ObservedCard, kept: int, actions: Sequence[Action]) -> None:
        """Let the card count for its action in the new record, or refuse it; judge refused cards again."""
        number = card.action_number
        if number is not None and number >= kept:
            same = [new for new, action in enumerate(actions, start=kept) if action == card.action]
            if not same and card.is_done and number < kept + len(actions) and _names(actions[number - kept], card):
                same = [number]
            if not same or card.action is None:
                card.refuse("undone")
            elif card.status in ("counted", "spent", "nudged"):
                done = card.is_done
                card.count(actions[same[-1] - kept], same[-1])
                if done:
                    card.retire()
        elif card.status == "refused" and card.code not in _FINAL:
            if actions or not is_temporary(card):
                card.reopen()
            else:  # it waited for what is now undone, and would count by itself
                card.refuse("undone")
        elif card.status == "misread":
            card.reopen()

    def seen(self) -> tuple[SeenCard, ...]:
        """Return the cards that are observed on the table, except action cards."""
        return tuple(
            SeenCard(
                card.face,
                card.zone,
                card.action_number if card.status == "counted" else None,
                card.alternatives,
                tuple(card.alternatives_by_sighting),
                card.is_refused,
                card.is_done,
                card.action_number if card.is_done else None,
            )
            for card in self._cards
            if card.face is None or isinstance(card.face, Card)
        )


def _names(action: Action, card: ObservedCard) -> bool:
    """Return whether `action` is that of the card, with the name that players have given the card now."""
    same_kind = card.action is not None and (action.do, action.seat) == (card.action.do, card.action.seat)
    return same_kind and card.face in (action.card, *(action.cards or ()))


@dataclass(frozen=True, slots=True)
class _Unseen:
    """A card that no source sees. `others`: other cards have lain in zones of that name since it was put in."""

    sighting: Sighting
    others: bool = False


@dataclass(slots=True)
class _Source:
    """The last scene of a source, and the cards on the table that it does not see."""

    scene: Scene
    unseen: list[_Unseen]


class NamedCards:
    """The last scenes of all sources, corrected by the players."""

    def __init__(self) -> None:
        self._named: dict[SightingId, NamedCard | None] = {}
        self._sources: dict[str, _Source] = {}
        self._added = 0

    def see(self, scene: Scene) -> Scene:
        """Take a scene and return it corrected. Forget the names of cards that are no longer in it."""
        ids = {(scene.source, sighting.card_id) for sighting in scene.sightings}
        self._named = {each: name for each, name in self._named.items() if each[0] != scene.source or each in ids}
        before = self._sources.get(scene.source)
        unseen = [later for each in (before.unseen if before else ()) if (later := _later(each, scene)) is not None]
        self._sources[scene.source] = _Source(scene, unseen)
        return self._as_named(scene)

    def again(self) -> list[Scene]:
        """Return the last scene of every source, corrected."""
        return [self._as_named(source.scene) for source in self._sources.values()]

    def last(self, source: str) -> Scene | None:
        """Return the last scene of a source, corrected; None if it has reported none."""
        found = self._sources.get(source)
        return None if found is None else self._as_named(found.scene)

    def has_sources(self) -> bool:
        """Return whether any source has reported a scene."""
        return bool(self._sources)

    def name(self, named: Mapping[SightingId, NamedCard | None]) -> None:
        """Name cards, by their sightings; None: no card lies there."""
        self._named |= {each: name for each, name in named.items() if not each[1].startswith(_UNSEEN)}
        for each, name in named.items():
            if each[1].startswith(_UNSEEN) and (source := self._sources.get(each[0])):
                source.unseen = _renamed(source.unseen, each[1], name)

    def add(self, named: NamedCard) -> None:
        """Add a card that lies on the table and that no source sees. Call this only if `has_sources()`."""
        source = next(iter(self._sources.values()))
        self._added += 1
        card_id = f"{_UNSEEN}{self._added}"
        sighting = Sighting(card_id, named.face, named.zone, source.scene.time)
        unseen = _later(_Unseen(sighting), source.scene)
        if unseen is not None:
            source.unseen.append(unseen)

    def copy(self) -> NamedCards:
        """Return a copy, to be restored later."""
        other = NamedCards()
        other._named = dict(self._named)
        other._sources = {name: _Source(each.scene, list(each.unseen)) for name, each in self._sources.items()}
        other._added = self._added
        return other

    def _as_named(self, scene: Scene) -> Scene:
        unseen = tuple(each.sighting for each in self._sources[scene.source].unseen)
        if not self._named and not unseen:
            return scene
        sightings = []
        for sighting in scene.sightings:
            name = self._named.get((scene.source, sighting.card_id), sighting)
            if isinstance(name, NamedCard):
                sightings.append(replace(sighting, face=name.face, zone=name.zone, confidence=1.0, alternatives=()))
            elif name is not None:
                sightings.append(sighting)
        return replace(scene, sightings=(*sightings, *unseen))


def _later(unseen: _Unseen, scene: Scene) -> _Unseen | None:
    """Return the unseen card after a scene; None if a source sees it now, or the cards around it were taken away."""
    face, zone = unseen.sighting.face, unseen.sighting.zone
    if any(each.face == face and each.zone == zone for each in scene.sightings):
        return None
    around = [each.zone.name for each in scene.sightings if each.zone is not None and isinstance(each.face, Card)]
    others = zone is not None and zone.name in around
    if unseen.others and not others:
        return None
    return replace(unseen, others=unseen.others or others)


def _renamed(unseen: Iterable[_Unseen], card_id: str, name: NamedCard | None) -> list[_Unseen]:
    """Return the unseen cards with another name for one of them, or without it."""
    renamed = []
    for card in unseen:
        if card.sighting.card_id != card_id:
            renamed.append(card)
        elif name is not None:
            renamed.append(replace(card, sighting=replace(card.sighting, face=name.face, zone=name.zone)))
    return renamed
