"""Mishaps with cards that are taken away."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.observations import UndoAsked, Zone
from tests.cardtable.people.people import People
from tests.cardtable.people.plans import plays, taken


def one_by_one(people: People, act: Act) -> bool:
    """Cards are taken away one after another, in any order."""
    if act.kind != "sweep":
        return False
    cards = taken(people, act)
    people.rng.shuffle(cards)
    for placed in cards:
        people.lift(placed)
    return True


def in_two_sweeps(people: People, act: Act) -> bool:
    """Cards are taken away in two sweeps."""
    cards = taken(people, act)
    if act.kind != "sweep" or len(cards) < 2:
        return False
    people.rng.shuffle(cards)
    cut = people.rng.randrange(1, len(cards))
    people.lift(*cards[:cut])
    people.lift(*cards[cut:])
    return True


def swept_late(people: People, act: Act) -> bool:
    """Cards are taken away after the next act."""
    if act.kind not in ("sweep", "lift", "move") or (act.action and act.action.do != "gather"):
        return False
    if act.kind == "sweep" and not act.tidy and act.action is None:
        return False
    if act.kind != "sweep" and not act.tidy:
        return False
    if people.table.header.game == "its-15" or any(face is None for face, _ in act.takes):
        return False

    def late() -> None:
        people.lift(*taken(people, act))
        if act.lays:
            people.lay(*act.lays)

    people.later.append(late)
    return True


def own_card_first(people: People, act: Act) -> bool:
    """The winner of the trick takes up their own card first, leads, and then takes the rest."""
    following = people.plan[people.number + 1] if people.number + 1 < len(people.plan) else None
    if act.kind != "sweep" or act.action is None or act.action.do != "gather" or following is None:
        return False
    laid = [placed for placed in taken(people, act) if placed.zone == Zone("play", act.seat)]
    rest = [placed for placed in taken(people, act) if placed not in laid]
    if not plays(following) or following.seat != act.seat or not laid:
        return False
    people.lift(*laid)
    people.later.append(lambda: people.lift(*[placed for placed in rest if placed in people.lying]))
    return True


def put_back(people: People, act: Act) -> bool:
    """Cards are taken up, laid back, and taken up again."""
    if act.kind != "sweep" or not act.action:
        return False
    cards = taken(people, act)
    if act.action.do == "take":
        cards = people.rng.sample(cards, people.rng.randrange(1, len(cards)))
    people.lift(*cards)
    if act.action.do == "take":
        for placed in cards:
            people.lay(placed.face, placed.zone)
    people.do(act)
    return True


def wrong_cards_taken(people: People, act: Act) -> bool:
    """Other cards on the table are taken up and laid back."""
    if act.kind != "sweep" or not act.action or act.action.do != "take":
        return False
    others = [p for p in people.lying if p.zone == Zone("table") and (p.face, p.zone) not in act.takes]
    if not others:
        return False
    people.tolerated = True
    people.lift(people.rng.choice(others), *people.rng.sample(taken(people, act), 1))
    if not people.right():  # the player could take those cards too
        people.observe(UndoAsked(people.time, "page"))
    people.settle_prompts()
    people.do(act)
    return True


def face_down_left(people: People, act: Act) -> bool:
    """The face-up cards are taken away after the hand, and a face-down card is forgotten."""
    cards = taken(people, act)
    down = [placed for placed in cards if placed.face is None]
    if act.kind != "sweep" or not act.tidy or not down:
        return False
    people.lift(*[placed for placed in cards if placed is not down[0]])
    return True
