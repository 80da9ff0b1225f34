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
| `unclear` | a card may lead to the next trick, or be laid in exchange for the one taken up |
| `two-cards` | two cards were laid at once and one is meant |
| `evidence` | a revoke was called: a card that proves it must be shown |
| `which-card` | a word needs a card, and several are possible |
| `misread` | a card that was counted looks different now, and the game cannot be put right by itself |
| `refused` | something said on the page or by a button was not accepted |
| `source` | a camera or reader does not work |
| `over` | the game is over |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.cards import SUIT_TEXTS, Card
from engine.observations import ActionCard, Zone
from engine.referee.interpretation import waits_for_more
from engine.referee.observed_cards import ObservedCard
from engine.rules.wording import ZONES
from engine.texts import Text, both, either, text, word_text
from engine.views import View, side_names


@dataclass(frozen=True, slots=True)
class Prompt:
    """`seat`: whom it concerns; None for everybody."""

    kind: str
    seat: int | None
    text: str


def place(zone: Zone | None, players: Sequence[str]) -> Text:
    """Where a card lies, as people say it: `in front of Bo`."""
    if zone is None:
        return text("outside the zones")
    named = ZONES.get(zone.name, zone.name)
    if zone.seat is None:
        return text("in the {zone} zone", zone=named)
    if zone.name == "play":
        return text("in front of {name}", name=players[zone.seat])
    return text("in the {zone} zone of {name}", zone=named, name=players[zone.seat])


def face_text(face: Card | ActionCard | None) -> str:
    """A face as people read it: `K♦`, `the card “beg”`."""
    if face is None:
        return text("a card")
    return face.glyph if isinstance(face, Card) else text("the card “{word}”", word=word_text(face.text))


def led_suit(view: View) -> str:
    """The suit led to the trick that lies, in words; empty where none lies."""
    led = next((lying.card for lying in view.lying if lying.zone.name == "play"), None)
    return SUIT_TEXTS.get(led.suit, "") if led else ""


def about(view: View, piece: ObservedCard, pieces: Iterable[ObservedCard] = ()) -> Prompt | None:
    """What is to be done about a piece that lies on the table among `pieces`; None where nothing is."""
    face, zone = piece.face, piece.zone
    seat = zone.seat if zone else None
    if piece.standing == "refused":
        if piece.code == "two-cards":
            name = view.players[seat] if seat is not None else text("Somebody")
            return Prompt("two-cards", seat, text("{name} laid two cards at once: take one of them back.", name=name))
        if piece.code == "misread":
            return _misread(view, piece)
        if piece.code == "unclear" and seat is not None:
            told = text(
                "{name}: take up the rest of the trick if {card} leads to the next one. "
                "If it replaces the card taken up, press undo on the page and lay it again.",
                name=view.players[seat],
                card=face_text(face),
            )
            return Prompt("unclear", seat, told)
        if waits_for_more(piece) and piece.code != "not-in-hand" and _may_be_completed(view, piece):
            who = seat if seat is not None else view.dealer
            if piece.code == "wrong-amount" or who is None:
                return Prompt("unfinished", who, piece.message)
            return Prompt("unfinished", who, text("{name}: {what}", name=view.players[who], what=piece.message))
        return _take_back(view, piece)
    if piece.standing != "open":
        return None
    if face is None:
        where = place(zone, view.players)
        told = text("The card {place} cannot be read: lay it again, face up.", place=where)
        by_right = zone is None or (zone.name in view.face_down and not _one_of_several(zone, pieces))
        return None if by_right else Prompt("unreadable", seat, told)
    if zone is None:
        told = text("{card} lies outside every zone: lay it in one, or take it away.", card=face_text(face))
        return Prompt("outside", None, told)
    if isinstance(face, ActionCard):
        return _waiting_word(view, face, zone)
    if zone.name == "say":
        where = place(zone, view.players)
        told = text("{card} lies {place}: only words belong there.", card=face_text(face), place=where)
        return Prompt("outside", seat, told)
    return None


def _waiting_word(view: View, word: ActionCard, zone: Zone) -> Prompt | None:
    """An action card that cannot be counted yet: in the wrong zone, or a card is missing that it needs."""
    if zone.name != "say" or zone.seat is None:
        return Prompt("outside", zone.seat, text("Lay {card} in your own say zone.", card=face_text(word)))
    name = view.players[zone.seat]
    if word.text not in view.words[zone.seat]:
        what = text("{name}: take back {card}", name=name, card=face_text(word))
        return Prompt(
            "take-back", zone.seat, text("{what}, {reason}.", what=what, reason=text("it cannot be said now"))
        )
    declared = view.vocabulary.get(word.text)
    if declared and "evidence" in declared.needs:
        what = text("a card")
        if declared.cards == "led":
            what = text("a card of {suit}", suit=suit) if (suit := led_suit(view)) else text("a card of the suit led")
        if declared.prompt:
            return Prompt("evidence", zone.seat, text(declared.prompt, name=name, card=what))
        request = "{name} says “{word}”: lay {card} that proves it in the show zone of the other player."
        return Prompt("evidence", zone.seat, text(request, name=name, word=word_text(word.text), card=what))
    if declared and "against" in declared.needs:
        request = "{name} says “{word}”: choose on the page who is meant."
        return Prompt("which-card", zone.seat, text(request, name=name, word=word_text(word.text)))
    told = "{name} says “{word}”: choose on the page which card is meant."
    return Prompt("which-card", zone.seat, text(told, name=name, word=word_text(word.text)))


def _take_back(view: View, piece: ObservedCard) -> Prompt:
    face, zone = piece.face, piece.zone
    seat = zone.seat if zone else None
    what = text("Take back {card}", card=face_text(face))
    if seat is not None:
        what = text("{name}: take back {card}", name=view.players[seat], card=face_text(face))
    reason = ""
    if piece.code == "must-follow-suit" and (suit := led_suit(view)):
        reason = text("{suit} were led", suit=suit)
    elif _was_early(view, piece):
        reason = text("it came too early: lay it again")
    elif piece.code == "not-your-turn" and view.turn is not None:
        reason = text("it is {name}’s turn", name=view.players[view.turn])
    elif piece.code == "before":
        reason = text("it lay there before: lay it again if it is to count")
    elif piece.code == "undone":
        reason = text("it was undone")
    elif piece.code == "wrong-amount":
        reason = text("it was not counted")
    elif piece.code == "already-seen":
        reason = text("it has been seen already; if it was read wrongly, lay it again")
    elif piece.code == "wrong-phase":
        reason = text("nothing is to be laid {place} now", place=place(zone, view.players))
    if reason:
        return Prompt("take-back", seat, text("{what}, {reason}.", what=what, reason=reason))
    return Prompt("take-back", seat, text("{what}. {message}", what=what, message=piece.message))


def _one_of_several(zone: Zone, pieces: Iterable[ObservedCard]) -> bool:
    """Whether cards are laid open there and more are wanted: one that cannot be read may be what is missing."""
    return any(piece.zone == zone and waits_for_more(piece) for piece in pieces)


def _may_be_completed(view: View, piece: ObservedCard) -> bool:
    """Whether more cards would still make something of it: no more is added to a bid by who has passed."""
    return piece.code != "wrong-amount" or (piece.zone is not None and view.turn == piece.zone.seat)


def _was_early(view: View, piece: ObservedCard) -> bool:
    """Whether what was refused as not yet possible is possible now; by itself it does not count any more."""
    zone = piece.zone
    if zone is None or zone.seat is None or piece.code not in ("not-your-turn", "wrong-phase", "no-such-word"):
        return False
    if isinstance(piece.face, ActionCard):
        return piece.face.text in view.words[zone.seat]
    return zone.name == view.phase == "play" and view.turn == zone.seat


def _misread(view: View, piece: ObservedCard) -> Prompt:
    told = text(
        "{was} was counted {place}, but {now} lies there: "
        "undo as far as that card and lay it again, or lay {was} there.",
        was=face_text(piece.was),
        place=place(piece.zone, view.players),
        now=face_text(piece.face),
    )
    return Prompt("misread", piece.zone.seat if piece.zone else None, told)


def put_back(view: View, card: Card, zone: Zone) -> Prompt:
    """A card that the record says lies there, and that nobody sees lying."""
    told = text("Lay {card} back {place}.", card=card.glyph, place=place(zone, view.players))
    return Prompt("put-back", zone.seat, told)


def turn(view: View) -> Prompt:
    """What the table waits for."""
    names = view.players
    if view.over:
        sides = side_names(names, len(view.scores))
        winners = both([sides[side] for side in view.winners]) or text("nobody")
        score = "–".join(str(score) for score in view.scores)
        return Prompt("over", None, text("The game is over: {names} won, {score}.", names=winners, score=score))
    if view.hint:
        return Prompt("turn", view.turn, view.hint)
    if view.phase == "cut":
        return Prompt("turn", None, text("Cut for the deal: everybody lays the card cut in front of himself."))
    if view.phase in ("deal", "turn"):
        dealer = names[view.dealer] if view.dealer is not None else text("The dealer")
        return Prompt("turn", view.dealer, text("{name} deals and turns the next card up.", name=dealer))
    if view.phase == "discard":
        return Prompt("turn", None, text("Lay the cards away face down."))
    if view.phase == "show":
        return Prompt("turn", None, text("Lay the cards open to be counted."))
    if view.turn is None:
        return Prompt("turn", None, text("The table waits."))
    name = names[view.turn]
    if view.phase == "say":
        return Prompt("turn", view.turn, text("{name}: {words}?", name=name, words=_either(view.words[view.turn])))
    if view.phase == "bid":
        words = _either(view.words[view.turn])
        return Prompt("turn", view.turn, text("{name}: bid, or {words}.", name=name, words=words))
    lead = not any(lying.firm and lying.zone.name == "play" for lying in view.lying)
    return Prompt("turn", view.turn, text("{name} leads.", name=name) if lead else text("{name} plays.", name=name))


def _either(words: Sequence[str]) -> str:
    return either([word_text(word) for word in words]) or text("say something")
