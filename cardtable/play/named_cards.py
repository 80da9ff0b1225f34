"""What people say about cards on the table, put into the scenes before the referee gets them.

A card that a person has named keeps that name as long as its source reports it, whatever the source reads; so does a
reading that a person has called wrong, which is left out. A card that lies there and that no source sees is put in,
until the cards around it are taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.cards import Card
from engine.observations import Scene, Sighting
from engine.referee.observed_card import SightingId
from engine.referee.rewriting import NamedCard

_UNSEEN: Final = "unseen-"
"""How the ids of cards begin that no source sees."""


@dataclass(frozen=True, slots=True)
class _Unseen:
    """A card that no source sees. `others`: whether other cards have lain in zones of that name since."""

    sighting: Sighting
    others: bool = False


@dataclass(slots=True)
class _Source:
    scene: Scene
    unseen: list[_Unseen]


class NamedCards:
    """The scenes of all sources, and what people say about them."""

    def __init__(self) -> None:
        self._named: dict[SightingId, NamedCard | None] = {}
        self._sources: dict[str, _Source] = {}
        self._added = 0

    def see(self, scene: Scene) -> Scene:
        """Return the scene as people see it. Names of cards that it no longer has are forgotten."""
        ids = {(scene.source, sighting.card_id) for sighting in scene.sightings}
        self._named = {each: name for each, name in self._named.items() if each[0] != scene.source or each in ids}
        before = self._sources.get(scene.source)
        unseen = [later for each in (before.unseen if before else ()) if (later := _later(each, scene)) is not None]
        self._sources[scene.source] = _Source(scene, unseen)
        return self._as_named(scene)

    def again(self) -> list[Scene]:
        """Return the last scene of every source, as people see it now."""
        return [self._as_named(source.scene) for source in self._sources.values()]

    def has_sources(self) -> bool:
        """Return whether any source has reported a scene."""
        return bool(self._sources)

    def name(self, named: Mapping[SightingId, NamedCard | None]) -> None:
        """Take these cards for what people say; None: nothing lies there."""
        self._named |= {each: name for each, name in named.items() if not each[1].startswith(_UNSEEN)}
        for each, name in named.items():
            if each[1].startswith(_UNSEEN) and (source := self._sources.get(each[0])):
                mine = [one.sighting.card_id == each[1] for one in source.unseen]
                source.unseen = [
                    _renamed(one, name) if is_it else one
                    for one, is_it in zip(source.unseen, mine, strict=True)
                    if name is not None or not is_it
                ]

    def add(self, named: NamedCard) -> None:
        """Put in a card that lies there and that no source sees. It needs a source that has reported a scene."""
        source = next(iter(self._sources.values()))
        self._added += 1
        card_id = f"{_UNSEEN}{self._added}"
        sighting = Sighting(card_id, named.face, named.zone, source.scene.time)
        unseen = _later(_Unseen(sighting), source.scene)
        if unseen is not None:
            source.unseen.append(unseen)

    def copy(self) -> NamedCards:
        """Return a copy, to go back to."""
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
    """Return the unseen card after a scene; None if it is seen now, or was taken away with the cards around it."""
    mine = unseen.sighting
    zone = mine.zone
    if any(each.face == mine.face and each.zone == zone for each in scene.sightings):
        return None
    around = [each.zone.name for each in scene.sightings if each.zone is not None and isinstance(each.face, Card)]
    others = zone is not None and zone.name in around
    if unseen.others and not others:
        return None
    return replace(unseen, others=unseen.others or others)


def _renamed(unseen: _Unseen, name: NamedCard | None) -> _Unseen:
    if name is None:
        return unseen
    return replace(unseen, sighting=replace(unseen.sighting, face=name.face, zone=name.zone))
