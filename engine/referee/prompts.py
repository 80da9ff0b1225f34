"""Prompts: who should do what now, in texts for the players.

A `Prompt` (`engine.views`) is a request that stands as long as its cause. `kind` is for programs (a light, a filter),
`text` for people. What looks wrong is often only unfinished: a card touches down beside its zone, a bid is laid card by
card. So a prompt about something wrong is shown calmly at first, and becomes `urgent` (red on the page and the lights,
a sound, the voice) after two seconds (`URGENT_S`), which `Urgency` measures.

| kind | why |
| --- | --- |
| `turn` | the game waits for this seat, or for the table |
| `take-back` | a card lies where the rules do not allow it; the text says why |
| `put-back` | a card that must lie on the table was picked up |
| `unreadable` | a card lies face down, or cannot be read |
| `outside` | a card lies outside every zone |
| `unfinished` | a bid, a showing or the crib needs more cards, or fewer |
| `unclear` | a card may lead to the next trick, or replace the card picked up |
| `drawn` | a card laid face down may have been drawn, which a word says |
| `two-cards` | two cards were laid at the same time and only one is allowed |
| `evidence` | a word accuses another player: a card that proves it must be shown |
| `which-card` | a word needs a card, and several are possible |
| `misread` | a card that counted is seen to be another, and the record cannot be corrected automatically |
| `check` | the table could not see what happened, and what it concluded may be wrong |
| `covered` | something covers zones, so that cards laid there are not seen |
| `refused` | a word or an undo from the page, a button or a reader was not accepted |
| `source` | a camera or reader does not work |
| `corrected` | what a player has just corrected |
| `restore` | a card must be moved so that the table agrees with the record |
| `over` | the game is over |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from engine.cards import SUIT_TEXTS, Card
from engine.observations import ActionCard, Zone
from engine.referee.interpretation import waits_for_more
from engine.referee.observed_cards import ObservedCard
from engine.rules.wording import ZONES
from engine.texts import Text, both, either, text, word_text
from engine.views import MISPLACED, Prompt, View, result_scores, side_names

_REASONS: Final = {
    "no-such-word": text("it cannot be said now"),
    "said": text("it was said already"),
    "wrong-amount": text("it was not counted"),
    "wrong-count": text("it was not counted"),
    "already-seen": text("it was seen already: lay it again if it was misread"),
    "wrong-phase": text("no card may be laid there now"),
}
"""By the code of a refusal, why the card is to be taken back, if nothing more is known."""
_GONE: Final = {"before": text("it is left over"), "undone": text("that play was undone")}
"""By the code of a refusal, why the card is to be picked up: nobody has just laid it."""
LAST_TRICK: Final = Prompt("take-back", None, text("Pick up the last trick."))
"""The request about all cards that are left over from one trick."""
URGENT_S: Final = 2.0
"""Seconds after which a prompt about something wrong becomes urgent. Longer: mistakes are noticed later. Shorter: cards
that are still being laid raise an alarm."""
_WRONG_AT_ONCE: Final = frozenset(("refused", "source"))
"""The kinds of prompts that are urgent at once, because they are not about cards on the table."""


def place(zone: Zone | None, players: Sequence[str]) -> Text:
    """Return where a card in `zone` lies, in words: `in front of Bo`."""
    if zone is None:
        return text("outside the zones")
    named = ZONES.get(zone.name, zone.name)
    if zone.seat is None:
        return text("in the {zone} zone", zone=named)
    if zone.name == "play":
        return text("in front of {name}", name=players[zone.seat])
    return text("in the {zone} zone of {name}", zone=named, name=players[zone.seat])


def face_text(face: Card | ActionCard | None) -> str:
    """Return a face in words: `K♦`, `the card “beg”`."""
    if face is None:
        return text("a card")
    return face.glyph if isinstance(face, Card) else text("the card “{word}”", word=word_text(face.text))


def led_suit(view: View) -> str:
    """Return the suit led to the current trick, in words; empty before the lead."""
    led = next((lying.card for lying in view.lying if lying.zone.name == "play"), None)
    return SUIT_TEXTS.get(view.suit(led), "") if led else ""


def about(view: View, card: ObservedCard, cards: Iterable[ObservedCard] = ()) -> Prompt | None:
    """Return the request about a card, one of the `cards` on the table; None if it needs none."""
    if card.is_refused:
        return _about_refused(view, card)
    return _about_open(view, card, cards) if card.status == "open" else None


def _about_refused(view: View, card: ObservedCard) -> Prompt:
    seat = card.zone.seat if card.zone else None
    if card.status == "misread":
        return _misread(view, card)
    if card.code == "two-cards" and seat is not None:
        request = text("{name} laid two cards at once: take one of them back.", name=view.players[seat])
        return Prompt("two-cards", seat, request)
    if card.code == "unclear" and seat is not None:
        request = text(
            "{name}: take up the trick if {card} leads; if it replaces a card, undo and lay it again.",
            name=view.players[seat],
            card=face_text(card.face),
        )
        return Prompt("unclear", seat, request)
    if waits_for_more(card) and card.code != "not-in-hand" and _can_be_completed(view, card):
        who = seat if seat is not None else view.dealer
        if card.code == "wrong-amount" or who is None:
            return Prompt("unfinished", who, card.message)
        return Prompt("unfinished", who, text("{name}: {what}", name=view.players[who], what=card.message))
    return _take_back(view, card)


def _about_open(view: View, card: ObservedCard, cards: Iterable[ObservedCard]) -> Prompt | None:
    """Return the request about a card that could not be judged: it is unread, or its place has no meaning."""
    face, zone = card.face, card.zone
    seat = zone.seat if zone else None
    where = place(zone, view.players)
    if face is None:
        allowed = zone is None or (zone.name in view.face_down and not _needs_one_more(zone, cards))
        request = text("The card {place} cannot be read: lay it again, face up.", place=where)
        return None if allowed else Prompt("unreadable", seat, request)
    if zone is None:
        request = text("{card} lies outside every zone: lay it in one, or take it away.", card=face_text(face))
        return Prompt("outside", None, request)
    if isinstance(face, ActionCard):
        return waiting_word(view, face, zone)
    if zone.name == "say":
        request = text("{card} lies {place}: only words belong there.", card=face_text(face), place=where)
        return Prompt("outside", seat, request)
    return None


def waiting_word(view: View, word: ActionCard, zone: Zone) -> Prompt | None:
    """Return the request about an action card that cannot count yet: its zone is wrong, or something is missing."""
    if zone.name != "say" or zone.seat is None:
        return Prompt("outside", zone.seat, text("Lay {card} in your own say zone.", card=face_text(word)))
    name = view.players[zone.seat]
    if word.text not in view.words[zone.seat]:
        what = text("{name}: take back {card}", name=name, card=face_text(word))
        return Prompt(
            "take-back", zone.seat, text("{what}, {reason}.", what=what, reason=text("it cannot be said now"))
        )
    declared = view.vocabulary.get(word.text)
    needs = declared.needs if declared else ()
    if declared and "evidence" in needs:
        what = text("a card")
        if declared.cards == "led":
            what = text("a card of {suit}", suit=suit) if (suit := led_suit(view)) else text("a card of the suit led")
        if declared.prompt:
            return Prompt("evidence", zone.seat, text(declared.prompt, name=name, card=what))
        request = "{name} says “{word}”: lay {card} as proof in the show zone of the other player."
        return Prompt("evidence", zone.seat, text(request, name=name, word=word_text(word.text), card=what))
    request = "{name} says “{word}”: tap the card that is meant."
    if "against" in needs:
        request = "{name} says “{word}”: tap the player who is meant."
    return Prompt("which-card", zone.seat, text(request, name=name, word=word_text(word.text)))


def _take_back(view: View, card: ObservedCard) -> Prompt:
    face, zone = card.face, card.zone
    seat = zone.seat if zone else None
    if gone := _GONE.get(card.code):
        what = text("Pick up {card}", card=face_text(face))
        if seat is not None:
            what = text("{name}: pick up {card}", name=view.players[seat], card=face_text(face))
        return Prompt("take-back", seat, text("{what}; {reason}.", what=what, reason=gone))
    what = text("Take back {card}", card=face_text(face))
    if seat is not None:
        what = text("{name}: take back {card}", name=view.players[seat], card=face_text(face))
    if reason := _reason(view, card):
        return Prompt("take-back", seat, text("{what}, {reason}.", what=what, reason=reason))
    return Prompt("take-back", seat, text("{what}. {message}", what=what, message=card.message))


def _reason(view: View, card: ObservedCard) -> str:
    """Return why the card is to be taken back; empty if the message of its refusal says everything."""
    if card.code == "must-follow-suit" and (suit := led_suit(view)):
        return text("{suit} were led", suit=suit)
    if _was_early(view, card):
        return text("it came too early: lay it again")
    if card.code == "not-your-turn" and view.turn is not None:
        return text("it is {name}’s turn", name=view.players[view.turn])
    return _REASONS.get(card.code, "")


def _needs_one_more(zone: Zone, cards: Iterable[ObservedCard]) -> bool:
    """Return whether the cards laid in the zone need another: a card that cannot be read may be the missing one."""
    return any(card.zone == zone and waits_for_more(card) for card in cards)


def _can_be_completed(view: View, card: ObservedCard) -> bool:
    """Return whether more cards may complete it now: a bid only while its seat is on turn, nothing after an undo."""
    if card.lies_in("bid"):
        return view.phase == "bid" and card.zone is not None and view.turn == card.zone.seat
    return card.tried is not None and card.tried.do == view.phase


def _was_early(view: View, card: ObservedCard) -> bool:
    """Return whether the card was refused as too early and would be allowed now, but no longer counts by itself."""
    zone = card.zone
    if zone is None or zone.seat is None or card.code not in ("not-your-turn", "wrong-phase", "no-such-word"):
        return False
    if isinstance(card.face, ActionCard):
        return card.face.text in view.words[zone.seat]
    return zone.name == view.phase == "play" and view.turn == zone.seat


def _misread(view: View, card: ObservedCard) -> Prompt:
    request = text(
        "{now} lies {place} instead of {was}: change it, or undo.",
        was=face_text(card.counted_as),
        place=place(card.zone, view.players),
        now=face_text(card.face),
    )
    return Prompt("misread", card.zone.seat if card.zone else None, request)


def put_back(view: View, card: Card, zone: Zone) -> Prompt:
    """Return the request to put back a card that must lie in `zone` according to the record, and is not seen there."""
    request = text("Lay {card} back {place}.", card=card.glyph, place=place(zone, view.players))
    return Prompt("put-back", zone.seat, request)


def perhaps_drawn(view: View, seat: int, word: str) -> Prompt:
    """Return the request to say `word` if the card that `seat` has laid face down was drawn."""
    request = text(
        "{name}: say “{word}” if the card laid face down was drawn now.", name=view.players[seat], word=word_text(word)
    )
    return Prompt("drawn", seat, request)


def turn(view: View) -> Prompt:
    """Return what the game waits for, or that it is over."""
    names = view.players
    if view.over:
        sides = side_names(names, len(view.scores))
        winners = both([sides[side] for side in view.winners]) or text("nobody")
        score = result_scores(view.scores, view.winners)
        return Prompt("over", None, text("The game is over: {names} won, {score}.", names=winners, score=score))
    if view.hint:
        return Prompt("turn", view.turn if view.actor is None else view.actor, view.hint)
    if view.phase == "cut":
        return Prompt("turn", None, text("Cut for the deal: everybody lays the card they cut in front of them."))
    if view.phase in ("deal", "turn"):
        dealer = names[view.dealer] if view.dealer is not None else text("The dealer")
        return Prompt("turn", view.dealer, text("{name} deals and turns the next card up.", name=dealer))
    if view.phase == "discard":
        return Prompt("turn", None, text("Lay the cards away face down."))
    if view.phase == "show":
        return Prompt("turn", None, text("Lay the cards face up to be counted."))
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


class Urgency:
    """Finds out which prompts are urgent: those about something that has been wrong for `URGENT_S`.

    Each source has a clock of its own, so the time for which a prompt stands is measured on each separately.
    """

    def __init__(self) -> None:
        self._standing: dict[Prompt, dict[str, float]] = {}

    def mark(self, prompts: Iterable[Prompt], source: str, time: float) -> tuple[Prompt, ...]:
        """Return the prompts that stand at `time`, on the clock of `source`, with the urgent ones marked."""
        before = self._standing
        self._standing = {prompt: before.get(prompt, {}) for prompt in prompts}
        return tuple(replace(prompt, urgent=self._is_urgent(prompt, source, time)) for prompt in self._standing)

    def _is_urgent(self, prompt: Prompt, source: str, time: float) -> bool:
        since = self._standing[prompt]
        if prompt.kind in MISPLACED and time - since.setdefault(source, time) >= URGENT_S:
            since[""] = 0.0  # it stays urgent, whichever source reports next
        return prompt.kind in _WRONG_AT_ONCE or "" in since
