"""The simulated table without pictures: a stage that draws nothing, and an imitation camera above it."""

from __future__ import annotations

import random
from functools import cache
from typing import Final

import numpy as np

from cardtable.simulation.places import Place
from cardtable.simulation.sprites import Camera, Rect, Sprite
from cardtable.simulation.stage import FAST, Arms, Doing, Reach, SimulatedCard, Stage
from engine.cards import Card
from engine.games import load_game
from engine.observations import ActionCard, Scene, Sighting, Zone
from vision.mat.layout import Mat, lay_out

_NOTHING: Final = Sprite(Rect(0, 0, 1, 1), np.zeros((1, 1, 3), np.uint8), np.zeros((1, 1, 3), np.uint8))


class KnownMat(Mat):
    """A mat that computes the zone of each point once."""

    def zone_at(self, x_mm: float, y_mm: float) -> Zone | None:
        """Return the zone of a card with its centre at this point; None outside every zone."""
        known: dict[tuple[float, float], Zone | None] = self.__dict__.setdefault("known", {})
        if (x_mm, y_mm) not in known:
            known[x_mm, y_mm] = super().zone_at(x_mm, y_mm)
        return known[x_mm, y_mm]


@cache
def known_mat(game: str, players: int) -> Mat:
    """Return the mat of this game for this number of players."""
    mat = lay_out(players, load_game(game).zones)
    return KnownMat(mat.size_mm, mat.marks, mat.areas, mat.turns)


class _NoArms(Arms):
    """Hands that hide nothing from the camera."""

    def __init__(self) -> None:
        """Draw nothing."""

    def reach(self, seat: int, place: Place, flat: bool = False) -> Reach:
        """Return a hand that is not drawn; movements take as long as with a drawn one."""
        return Reach(_NOTHING, _NOTHING, (0, 0), np.zeros(2))


class BareStage(Stage):
    """A stage at the pace `fast` without pictures; cards and hands move as on any other stage."""

    def __init__(self, mat: Mat, rng: random.Random) -> None:
        self.mat, self.pace, self.time = mat, FAST, 0.0
        self.camera, self.arms = Camera.above(mat.size_mm, np.random.default_rng(rng.getrandbits(32))), _NoArms()
        self.cards_laid: list[SimulatedCard] = []
        self._lying: list[SimulatedCard] = []
        self._doing: list[Doing] = []

    def card(self, face: Card | ActionCard | None, seat: int, place: Place) -> SimulatedCard:
        """Return a card that can be put at `place`."""
        return SimulatedCard(face, seat, place)

    def sprite(self, card: SimulatedCard) -> Sprite:
        """Return a sprite that is not drawn."""
        return _NOTHING

    def put(self, card: SimulatedCard) -> None:
        """Put the card on the table, on top of the cards that lie there."""
        card.laid = self.time
        self.cards_laid.append(card)
        self._lying.append(card)

    def take(self, card: SimulatedCard) -> Sprite:
        """Take the card off the table."""
        card.lifted = self.time
        self._lying.remove(card)
        return _NOTHING


class Eye:
    """An imitation camera: it reports what lies on `stage`, some frames late.

    A card is reported 6 to 12 frames after it is laid, one in seven at first without a face; a face-down card after 12
    to 16. A card that is taken up disappears after 10 to 14. Cards that lie face down in the first frame are never
    reported, because they look like part of the mat. Face-up ones are reported within 8 frames, not all in the same
    scene.
    """

    def __init__(self, stage: Stage, rng: random.Random) -> None:
        self._stage = stage
        self._rng = rng
        self._frame = 0
        self._ids: dict[SimulatedCard, str] = {}
        self._report_at: dict[SimulatedCard, int] = {}
        self._read_at: dict[SimulatedCard, int] = {}
        self._gone_at: dict[SimulatedCard, int] = {}
        self._invisible: set[SimulatedCard] = set()
        self._reported: tuple[Sighting, ...] | None = None

    def look(self, time: float) -> Scene | None:
        """Look at the table once a frame; return the scene if it has changed."""
        self._frame += 1
        lying = self._stage.lying()
        for card in lying:
            if card not in self._ids and card not in self._invisible:
                self._notice(card)
        for card in self._ids.keys() - set(lying) - self._gone_at.keys():
            self._gone_at[card] = self._frame + self._rng.randint(10, 14)
        for card in [card for card, frame in self._gone_at.items() if frame <= self._frame]:
            for known in (self._ids, self._report_at, self._read_at, self._gone_at):
                del known[card]
        sightings = tuple(self._sighting(card) for card in self._ids if self._report_at[card] <= self._frame)
        if self._frame < 3 or sightings == self._reported:
            return None
        self._reported = sightings
        return Scene(time, "camera", sightings)

    def _notice(self, card: SimulatedCard) -> None:
        first = self._frame == 1
        if card.face is None and first:
            self._invisible.add(card)
            return
        self._ids[card] = f"camera-{len(self._stage.cards_laid)}-{self._rng.getrandbits(32):08x}"
        late = self._rng.randint(2, 8) if first else self._rng.randint(6, 12)
        unread = not first and self._rng.random() < 1 / 7
        if card.face is None or unread:
            late = self._rng.randint(12, 16)
        self._report_at[card] = self._frame + late
        self._read_at[card] = self._frame + late + (self._rng.randint(1, 20) if unread else 0)

    def _sighting(self, card: SimulatedCard) -> Sighting:
        face = card.face if self._read_at[card] <= self._frame else None
        return Sighting(self._ids[card], face, card.place.zone, card.laid or 0.0, 1.0 if face else 0.0)
