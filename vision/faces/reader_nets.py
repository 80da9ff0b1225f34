"""Which nets read the cards: those for French suits, or those for German ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from engine.texts import text
from vision.faces.card_classifier import CARD_MODEL
from vision.faces.index_classifier import CORNER_MODEL, GLYPH_MODEL
from vision.faces.settings import ReaderSettings

Suits = Literal["french", "german"]
"""The signs that a deck prints. German acorns, leaves, hearts and bells are clubs, spades, hearts and diamonds."""


class ReaderNets(NamedTuple):
    """The names of the nets that depend on the signs.

    `corners`: reads the corners of outlines, also of those extrapolated from an index. `glyphs`: reads indices wherever
    they are. `cards`: reads whole cards. `counts_pips`: whether the suit finder, which knows French pips, is used as
    well.
    """

    corners: str
    glyphs: str
    cards: str
    counts_pips: bool


NETS: Final[Mapping[Suits, ReaderNets]] = {
    "french": ReaderNets(CORNER_MODEL, GLYPH_MODEL, CARD_MODEL, counts_pips=True),
    "german": ReaderNets(f"german/{CORNER_MODEL}", f"german/{GLYPH_MODEL}", f"german/{CARD_MODEL}", counts_pips=False),
}


_ADVICE: Final = text("Hardly a card of this deck is read: run `cardtable deck check`, or learn the deck.")
_ADVICE_FRENCH: Final = text(
    "Hardly a card of this deck is read: run `cardtable deck check`, or learn the deck. "
    'If it has acorns and leaves, set `deck = "german-suits"` for the camera.'
)
UNREAD_ADVICE: Final[Mapping[Suits, str]] = {"french": _ADVICE_FRENCH, "german": _ADVICE}
"""What to do if hardly any card of the deck on the table is read."""


def settings_for(suits: Suits, settings: ReaderSettings) -> ReaderSettings:
    """Return the settings with which a deck with these signs is read.

    German indices are small, often 10 mm high, and stand in all four corners: more of their heights lie between them.
    An acorn does not look like a leaf, as a club does like a spade: what is asked of spades, of black court cards, of
    black covered cards, and of number cards that two nets read in two suits is not asked here. In single pictures cards
    count from a higher confidence, because under hard light these nets are surer than they are right.
    """
    if suits == "french":
        return settings
    assembly = replace(settings.assembly, beside=(1.2, 6.5), below=(1.7, 9.0))
    return replace(
        settings,
        assembly=assembly,
        min_confidence=max(0.95, settings.min_confidence),
        min_confidence_alone=max(0.9, settings.min_confidence_alone),
        sure_spade=0.0,
        least_spade_court=0.0,
        least_black_court=0.0,
        least_spade_covered=0.0,
        least_club_covered=0.0,
        min_confidence_other_suit=0.0,
    )
