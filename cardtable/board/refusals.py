"""Refusals, as a page gets them."""

from __future__ import annotations

from cardtable.board.screens import MisfitState, Refusal
from engine.texts import in_language
from hardware.texts import Translate


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
