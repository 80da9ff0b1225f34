"""Prompts: who should do what now, in words for the people at the table.

A prompt is a standing request, not a message: it is there as long as its cause is, and goes by itself. `kind` is
for programs (a light, a filter), `text` for people.

| kind | why |
| --- | --- |
| `turn` | the game waits for this seat, or for the table |
| `take-back` | a card lies where the rules do not allow it; the text says which rule |
| `put-back` | a card that belongs to the trick was taken away |
| `unreadable` | a card lies face down, or cannot be read |
| `outside` | a card lies outside every zone |
| `unfinished` | of a bid, a showing or the crib more cards are needed, or fewer |
| `two-cards` | two cards were laid at once and one is meant |
| `evidence` | a revoke was called: a card that proves it must be shown |
| `which-card` | a word needs a card, and several are possible |
| `misread` | a card that was counted looks different now, and the game cannot be put right by itself |
| `refused` | something said on the page or by a button was not accepted |
| `source` | a camera or reader does not work |
| `over` | the game is over |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import SUIT_NAMES, Card
from engine.meaning import waits_for_more
from engine.observations import Word, Zone
from engine.pieces import Piece
from engine.views import View, side_names


@dataclass(frozen=True, slots=True)
class Prompt:
    """`seat`: whom it concerns; None for everybody."""

    kind: str
    seat: int | None
    text: str


_PLACES: Final = {
    "play": "in front of {}",
    "say": "in the say zone of {}",
    "show": "in the show zone of {}",
    "bid": "in the bid zone of {}",
}


def place(zone: Zone | None, players: Sequence[str]) -> str:
    """Where a card lies, as people say it: `in front of Bo`."""
    if zone is None:
        return "outside the zones"
    if zone.seat is None:
        return f"in the {zone.name} zone"
    return _PLACES.get(zone.name, "in the " + zone.name + " zone of {}").format(players[zone.seat])


def face_text(face: Card | Word | None) -> str:
    """A face as people read it: `K♦`, `the card “beg”`."""
    if face is None:
        return "a card"
    return face.glyph if isinstance(face, Card) else f"the card “{face.text}”"


def led_suit(view: View) -> str:
    """The suit led to the trick that lies, in words; empty where none lies."""
    led = next((lying.card for lying in view.lying if lying.zone.name == "play"), None)
    return SUIT_NAMES.get(led.suit, "") if led else ""


def about(view: View, piece: Piece) -> Prompt | None:
    """What is to be done about a piece that lies on the table; None where nothing is."""
    face, zone = piece.face, piece.zone
    seat = zone.seat if zone else None
    if piece.standing == "refused":
        if piece.code == "two-cards":
            name = view.players[seat] if seat is not None else "Somebody"
            return Prompt("two-cards", seat, f"{name} laid two cards at once: take one of them back.")
        if piece.code == "misread":
            return _misread(view, piece)
        if waits_for_more(piece) and piece.code != "not-in-hand":
            who = seat if seat is not None else view.dealer
            name = "" if piece.code == "wrong-amount" or who is None else f"{view.players[who]}: "
            return Prompt("unfinished", who, name + piece.message)
        return _take_back(view, piece)
    if piece.standing != "open":
        return None
    if face is None:
        where = place(zone, view.players)
        text = f"The card {where} cannot be read: lay it again, face up."
        return Prompt("unreadable", seat, text) if zone and zone.name not in view.face_down else None
    if zone is None:
        return Prompt("outside", None, f"{face_text(face)} lies outside every zone: lay it in one, or take it away.")
    if isinstance(face, Word):
        return _waiting_word(view, face, zone)
    if zone.name == "say":
        return Prompt("outside", seat, f"{face_text(face)} lies {place(zone, view.players)}: only words belong there.")
    return None


def _waiting_word(view: View, word: Word, zone: Zone) -> Prompt | None:
    """An action card that cannot be counted yet: in the wrong zone, or a card is missing that it needs."""
    if zone.name != "say" or zone.seat is None:
        return Prompt("outside", zone.seat, f"Lay {face_text(word)} in your own say zone.")
    name = view.players[zone.seat]
    if word.text not in view.words[zone.seat]:
        return Prompt("take-back", zone.seat, f"{name}: take back {face_text(word)}, it cannot be said now.")
    if word.text == "revoke":
        what = f"a card of {suit}" if (suit := led_suit(view)) else "a card of the suit led"
        text = f"{name} calls a revoke: lay {what} that proves it in the show zone of the one who revoked."
        return Prompt("evidence", zone.seat, text)
    return Prompt("which-card", zone.seat, f"{name} says “{word.text}”: choose on the page which card is meant.")


def _take_back(view: View, piece: Piece) -> Prompt:
    face, zone = piece.face, piece.zone
    seat = zone.seat if zone else None
    what = f"{view.players[seat]}: take" if seat is not None else "Take"
    reason = ""
    if piece.code == "must-follow-suit" and (suit := led_suit(view)):
        reason = f"{suit} were led"
    elif _was_early(view, piece):
        reason = "it came too early: lay it again"
    elif piece.code == "not-your-turn" and view.turn is not None:
        reason = f"it is {view.players[view.turn]}’s turn"
    elif piece.code == "undone":
        reason = "it was undone"
    elif piece.code == "already-seen":
        reason = "it has been seen already; if it was read wrongly, lay it again"
    elif piece.code == "wrong-phase":
        reason = f"nothing is to be laid {place(zone, view.players)} now"
    why = f", {reason}." if reason else f". {piece.message}"
    return Prompt("take-back", seat, f"{what} back {face_text(face)}{why}")


def _was_early(view: View, piece: Piece) -> bool:
    """Whether what was refused as not yet possible is possible now; by itself it does not count any more."""
    zone = piece.zone
    if zone is None or zone.seat is None or piece.code not in ("not-your-turn", "wrong-phase", "no-such-word"):
        return False
    if isinstance(piece.face, Word):
        return piece.face.text in view.words[zone.seat]
    return zone.name == view.phase == "play" and view.turn == zone.seat


def _misread(view: View, piece: Piece) -> Prompt:
    was, now = face_text(piece.was), face_text(piece.face)
    text = (
        f"{was} was counted {place(piece.zone, view.players)}, but {now} lies there: "
        f"undo as far as that card and lay it again, or lay {was} there."
    )
    return Prompt("misread", piece.zone.seat if piece.zone else None, text)


def put_back(view: View, card: Card, zone: Zone) -> Prompt:
    """A card that the record says lies there, and that nobody sees lying."""
    return Prompt("put-back", zone.seat, f"Lay {card.glyph} back {place(zone, view.players)}.")


def turn(view: View) -> Prompt:
    """What the table waits for."""
    names = view.players
    if view.over:
        sides = side_names(names, len(view.scores))
        winners = " and ".join(sides[side] for side in view.winners)
        score = "–".join(str(score) for score in view.scores)
        return Prompt("over", None, f"The game is over: {winners or 'nobody'} won, {score}.")
    if view.hint:
        return Prompt("turn", view.turn, view.hint)
    if view.phase == "cut":
        return Prompt("turn", None, "Cut for the deal: everybody lays the card cut in front of himself.")
    if view.phase in ("deal", "turn"):
        dealer = names[view.dealer] if view.dealer is not None else "The dealer"
        return Prompt("turn", view.dealer, f"{dealer} deals and turns the next card up.")
    if view.phase == "discard":
        return Prompt("turn", None, "Lay the cards away face down.")
    if view.phase == "show":
        return Prompt("turn", None, "Lay the cards open to be counted.")
    if view.turn is None:
        return Prompt("turn", None, "The table waits.")
    name = names[view.turn]
    if view.phase == "say":
        return Prompt("turn", view.turn, f"{name}: {_either(view.words[view.turn])}?")
    if view.phase == "bid":
        return Prompt("turn", view.turn, f"{name}: bid, or {_either(view.words[view.turn])}.")
    lead = not any(lying.firm and lying.zone.name == "play" for lying in view.lying)
    return Prompt("turn", view.turn, f"{name} {'leads' if lead else 'plays'}.")


def _either(words: Sequence[str]) -> str:
    plain = [word.replace("-", " ") for word in words]
    return plain[0] if len(plain) == 1 else f"{', '.join(plain[:-1])} or {plain[-1]}" if plain else "say something"
