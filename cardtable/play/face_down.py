"""Cards that lie face down on an RFID reader: it reads them through their backs, and the table must not.

In a zone for cards laid face down (`View.face_down`: the crib, the stock, the showing of It's 15) a reader reports
nothing until cards must be shown. Those laid from then on are reported as long as they lie there.

The card turned up is always reported: if it is turned over later, as in Euchre, everybody has seen it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.observations import Scene
from engine.views import View

_TURN_UP: Final = "turn-up"
SHOWN_IN: Final = "show"
"""The phase in which the cards of these zones are laid open."""


class FaceDown:
    """Leaves the cards that lie face down out of the scenes of one board."""

    def __init__(self) -> None:
        self._open: frozenset[str] = frozenset()
        self._closed: frozenset[str] = frozenset()

    def without(self, scene: Scene, view: View) -> Scene:
        """Return `scene` without the cards that lie face down. `view`: the table before this scene."""
        zones = {name for name in view.face_down if name != _TURN_UP}
        concerned = frozenset(
            sighting.card_id for sighting in scene.sightings if sighting.zone and sighting.zone.name in zones
        )
        if view.phase == SHOWN_IN:
            self._open = concerned - self._closed
        else:
            self._open &= concerned
        self._closed = concerned - self._open
        return replace(scene, sightings=tuple(s for s in scene.sightings if s.card_id not in self._closed))
