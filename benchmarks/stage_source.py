"""The simulated table with the cards of any deck, as a camera sees it: for `benchmarks.laying`."""

from __future__ import annotations

import time

from benchmarks.unseen_decks import Faces
from cardtable.simulation.pace import FPS, Pace
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import card_sprite
from cardtable.simulation.stage import SimulatedCard, Stage
from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Frame
from vision.table.mat import Mat


class DeckStage(Stage):
    """A stage with the cards of another deck."""

    def __init__(self, mat: Mat, seed: int, faces: Faces, pace: Pace) -> None:
        super().__init__(mat, "faces", pace, seed)
        self._faces = faces

    def card(self, face: Card | ActionCard | None, seat: int, place: Place) -> SimulatedCard:
        """Return a card of the deck that can be put at `place`."""
        if not isinstance(face, Card):
            return super().card(face, seat, place)
        card = SimulatedCard(face, seat, place)
        self._sprites[card] = card_sprite(self.camera, self._faces(face), place.at, place.angle)
        return card


class Staged:
    """The stage as a `FrameSource`. `drawing`: processor time for drawing its pictures, seconds."""

    name = "stage"
    live = False

    def __init__(self, stage: Stage) -> None:
        self.stage, self._number, self.drawing = stage, 0, 0.0

    def read(self) -> Frame:
        """Return the next frame."""
        begun = time.thread_time()
        self._number += 1
        frame = Frame(self.stage.frame(self._number / FPS), self._number / FPS, self._number)
        self.drawing += time.thread_time() - begun
        return frame

    def close(self) -> None:
        """Do nothing: the source holds no resources."""
