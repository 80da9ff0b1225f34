"""Mishaps with words."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.actions import Action
from engine.games import load_game
from engine.observations import ActionCard, Said, Zone
from tests.cardtable.people.people import People


def said_on_the_page(people: People, act: Act) -> bool:
    """The word is said on the page, sometimes by a wrong seat first."""
    if act.kind != "lay" or not isinstance(act.face, ActionCard) or act.action is None:
        return False
    action = act.action
    players = len(people.table.header.players)
    if people.rng.random() < 0.5 and not action.against and action.word not in ("revoke", "call"):
        people.observe(Said(people.time, "page", (act.seat + 1) % players, str(action.word)))
    people.observe(Said(people.time, "page", act.seat, str(action.word), action.card, action.against))
    if people.rng.random() < 0.3:
        people.lay(act.face, act.zone)
    return True


def said_by_the_wrong_seat(people: People, act: Act) -> bool:
    """Another player lays the action card, and takes it back before or after the act."""
    if act.kind != "lay" or not isinstance(act.face, ActionCard) or act.face.text in ("revoke", "call"):
        return False
    players = len(people.table.header.players)
    seat = people.rng.choice([seat for seat in range(players) if seat != act.seat])
    wrong = people.lay(act.face, Zone("say", seat))
    if people.rng.random() < 0.5 or people.speaks(seat):
        people.lift(wrong)
    people.do(act)
    if wrong in people.lying and people.rng.random() < 0.7:
        people.lift(wrong)
    return True


def another_word_first(people: People, act: Act) -> bool:
    """Another action card is laid and taken back."""
    if act.kind != "lay" or not isinstance(act.face, ActionCard):
        return False
    words = [word for word in load_game(people.table.header.game).vocabulary if word != act.face.text]
    words = [word for word in words if not people.table.can(Action("say", act.seat, word=word))]
    if not words:
        return False
    wrong = people.lay(ActionCard(people.rng.choice(words)), act.zone)
    if people.rng.random() < 0.5:
        people.lift(wrong)
    people.do(act)
    if wrong in people.lying:
        people.lift(wrong)
    return True


def word_left_lying(people: People, act: Act) -> bool:
    """The action card is not taken up again."""
    return act.kind == "lift" and isinstance(act.face, ActionCard)


def word_laid_twice(people: People, act: Act) -> bool:
    """The action card is laid, taken up and laid again, or two of them are laid."""
    if act.kind != "lay" or not isinstance(act.face, ActionCard) or act.action is None:
        return False
    again = people.counts_again(act.action) or people.speaks(act.seat)
    if people.rng.random() < 0.5 and not again:
        people.lift(people.lay(act.face, act.zone))
        people.lay(act.face, act.zone)
    else:
        people.put(act.face, act.zone)
        people.lay(act.face, act.zone)
    return True
