"""What a message asks for, which decides who may send it; and refusals, as a page gets them."""

from __future__ import annotations

from cardtable.board.access.permissions import Deed
from cardtable.board.correction_messages import CORRECTIONS, CorrectionMessage
from cardtable.board.messages import EveningMessage, Misread
from cardtable.board.screens import MisfitState, Refusal
from engine.observations import Said, UndoAsked
from engine.texts import in_language
from hardware.texts import Translate


def deed_of(
    wanted: Said | UndoAsked | Misread | CorrectionMessage | EveningMessage, last: int | None
) -> tuple[Deed, int | None]:
    """Return what a message asks for, and the seat that it concerns, if any. `last`: the seat of the last action."""
    if isinstance(wanted, Said):
        return ("say" if wanted.against is None else "accuse"), wanted.seat
    if isinstance(wanted, Misread):
        return "say", wanted.seat
    if isinstance(wanted, UndoAsked):
        return "undo", last
    return ("correct" if isinstance(wanted, CORRECTIONS) else "host"), None


def refusal_in(why: str, misfit: MisfitState | None, translate: Translate) -> Refusal:
    """Return the answer to a message that was refused, translated. `misfit`: what does not fit a correction."""
    refusal: Refusal = {"refused": in_language(why, translate)}
    if misfit is not None:
        refusal["misfit"] = {
            "action": in_language(misfit["action"], translate),
            "reason": in_language(misfit["reason"], translate),
            "lost": [in_language(each, translate) for each in misfit["lost"]],
        }
    return refusal
