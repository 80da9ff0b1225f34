"""Observed cards in each status."""

from __future__ import annotations

from typing import get_args

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import ActionCard, Zone
from engine.referee.observed_cards import Face, ObservedCard, Status

KING, QUEEN, JACK = parse_card("KS"), parse_card("QS"), parse_card("JS")
BEG, STAND = ActionCard("beg"), ActionCard("stand")
ZONE = Zone("play", 1)
PLAY = Action("play", 1, KING)
PHASE, LATER = 4, 6

STATUSES: tuple[Status, ...] = get_args(Status)


def laid(face: Face = KING, put_back_count: int = 0) -> ObservedCard:
    """A card that was just laid, whose status is open."""
    return ObservedCard(face, ZONE, 1.0, PHASE, {("camera", "a"): ()}, put_back_count)


def counted(face: Face | None = KING, number: int = 3) -> ObservedCard:
    card = laid()
    card.count(PLAY, number)
    card.face = card.read_face = face
    return card


def in_status(
    status: Status, face: Face | None = KING, code: str = "not-your-turn", numbered: bool = False
) -> ObservedCard:
    """A card in this status, with an action number if `numbered` or if the status implies one."""
    card = counted(face) if numbered or status in ("counted", "misread") else laid(face)
    match status:
        case "open" | "nudged" if numbered:
            card.move(Zone("play", 0), 2.0)
        case "refused":
            card.refuse(code, "It is Bo's turn.")
        case "misread":
            card.read_as(STAND if isinstance(face, ActionCard) else QUEEN, PHASE)
            card.mark_misread()
        case "spent":
            card.retire()
        case "left-over":
            card.leave_over()
    if status == "nudged":
        card.nudge()
    assert card.status == status
    return card


def assumed(status: Status) -> ObservedCard:
    card = in_status(status)
    card.assumed = True
    return card
