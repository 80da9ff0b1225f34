"""The content of a small display: scores, turn, prompt, and at a seat the meaning of its button.

Without I/O. The content is made from the same views as the page: for a display at a seat from that seat's view, for any
other display from the public one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import SUIT_GLYPHS
from engine.texts import Translate, as_written, in_language, word_text
from engine.views import MISPLACED, Prompt, View
from hardware.buttons import Press, presses, words_of

MARKS: Final[dict[Press, str]] = {"short": "•", "long": "—", "double": "••"}
"""The symbol of each press."""


@dataclass(frozen=True, slots=True)
class Player:
    """One player on the display."""

    name: str
    score: int
    on_turn: bool
    dealer: bool


@dataclass(frozen=True, slots=True)
class Screen:
    """The content of a display. `alarm`: whether the prompt is about a misplaced card.

    `hand`: the known cards of this seat; `hints`: pairs of the symbol of a press and its word. Both are empty if the
    display is not at a seat. `entries`, `chosen`: a menu and the index of its chosen entry; it is shown instead of
    players, facts and hand.
    """

    players: tuple[Player, ...]
    facts: str
    prompt: str
    alarm: bool = False
    hand: tuple[str, ...] = ()
    hints: tuple[tuple[str, str], ...] = ()
    entries: tuple[str, ...] = ()
    chosen: int = 0


def screen_of(
    view: View,
    prompts: Sequence[Prompt],
    seat: int | None = None,
    chosen: str | None = None,
    translate: Translate = as_written,
) -> Screen:
    """Return the content of a display at `seat` (None: for everyone).

    `chosen`: the word that the seat's encoder selects. The texts of `prompts` are already translated.
    """
    sides = max(len(view.scores), 1)
    players = tuple(
        Player(name, view.scores[number % sides] if view.scores else 0, number == view.turn, number == view.dealer)
        for number, name in enumerate(view.players)
    )
    prompt = next((each for each in prompts if seat is not None and each.seat == seat), None)
    prompt = prompt or next(iter(prompts), None)
    return Screen(
        players,
        _facts(view, translate),
        prompt.text if prompt else "",
        prompt is not None and prompt.urgent and prompt.kind in MISPLACED,
        _hand(view, seat, translate),
        _hints(view, seat, chosen, translate),
    )


def _facts(view: View, translate: Translate) -> str:
    parts = [SUIT_GLYPHS[view.trump]] if view.trump in SUIT_GLYPHS else []
    parts += [f"{in_language(name, translate)} {in_language(value, translate)}" for name, value in view.told_facts()]
    return "  ".join(parts)


def _hand(view: View, seat: int | None, translate: Translate) -> tuple[str, ...]:
    if seat is None or seat >= len(view.hands):
        return ()
    return tuple(in_language(card.glyph, translate) for card in view.hands[seat].cards)


def _hints(view: View, seat: int | None, chosen: str | None, translate: Translate) -> tuple[tuple[str, str], ...]:
    if seat is None:
        return ()
    if chosen is not None:
        return ((MARKS["short"], in_language(word_text(chosen), translate)),)
    return tuple(
        (MARKS[press], in_language(word_text(word), translate)) for press, word in presses(words_of(view, seat)).items()
    )
