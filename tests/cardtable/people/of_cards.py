"""Mishaps with a card that is laid. Each does an act of the plan, and something wrong before, during or after it."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.actions import Action
from engine.cards import Card
from engine.games import load_game
from engine.observations import UndoAsked, Zone
from tests.cardtable.people.people import People
from tests.cardtable.people.plans import lays_card, plays
from tests.cardtable.people.table_top import PlacedCard


def laid_outside(people: People, act: Act) -> bool:
    """The card is laid outside all zones, and then pushed or laid where it belongs."""
    if act.kind != "lay" or act.face is None:
        return False
    placed = people.lay(act.face, None)
    _bring(people, placed, act.zone)
    return True


def laid_in_wrong_zone(people: People, act: Act) -> bool:
    """The card is laid in a wrong zone, and then pushed or laid where it belongs."""
    if not lays_card(act) or act.zone is None:
        return False
    zone = _other_zone(people, act.zone)
    if zone and zone.name == "show" and zone.seat != act.seat and people.table.header.game == "all-fives":
        return False  # it counts as exposed there, unless it is moved at once
    people.tolerated = True
    placed = people.lay(act.face, zone)
    if not people.right() and people.table.actions[-1].do in (
        "play",
        "bid",
        "show",
    ):  # it counts as an action of the player on turn
        people.observe(UndoAsked(people.time, "page"))
    _bring(people, placed, act.zone)
    return True


def _bring(people: People, placed: PlacedCard, zone: Zone | None) -> None:
    if people.rng.random() < 0.5:
        placed.zone, placed.since = zone, people.time
        people.log.append(f"push {placed.face} to {zone}")
        people.show()
    else:
        if people.rng.random() < 0.5:
            people.lift(placed)
        else:
            people.take(placed)
        people.lay(placed.face, zone)


def taken_back_at_once(people: People, act: Act) -> bool:
    """The card is taken up and laid again."""
    if act.kind != "lay" or act.face is None or (act.action and people.counts_again(act.action)):
        return False
    people.lift(people.lay(act.face, act.zone))
    people.lay(act.face, act.zone)
    return True


def _others_held(people: People, act: Act) -> list[Card]:
    """Return the other cards in the hand, without those that would prove a planned revoke."""
    held = [card for card in people.held(act.seat) if card not in (act.face, people.truth[-2].card)]
    led = next((lying.card.suit for lying in people.table.lying if lying.zone.name == "play"), None)
    follows = isinstance(act.face, Card) and act.face.suit == led
    return [card for card in held if follows or card.suit != led]


def another_first(people: People, act: Act) -> bool:
    """Another card of the hand is laid and taken back, and then the right one is laid."""
    held = _others_held(people, act)
    if not plays(act) or not held or act.action is None or act.action.do != "play":
        return False
    people.tolerated = True
    wrong = people.lay(people.rng.choice(held), act.zone)
    people.lift(wrong)
    if people.table.actions[-1] == Action("play", act.seat, wrong.face):  # outside a trick it can only be undone
        people.observe(UndoAsked(people.time, "page"))
    people.settle_prompts()
    people.lay(act.face, act.zone)
    return True


def two_at_once(people: People, act: Act) -> bool:
    """Another card of the hand is laid together with the card, and taken back."""
    held = _others_held(people, act)
    if not plays(act) or not held or act.action is None or act.action.do != "play":
        return False
    both = [(act.face, False), (people.rng.choice(held), True)]
    people.rng.shuffle(both)
    laid = [(people.put(face, act.zone), extra) for face, extra in both]
    people.show()
    if people.rng.random() < 0.7:
        people.lift(next(placed for placed, extra in laid if extra))
    return True


def unread_at_first(people: People, act: Act) -> bool:
    """The card cannot be read at first, or is face down and then turned over."""
    if act.kind != "lay" or act.face is None:
        return False
    placed = people.put(act.face, act.zone, blank=True)
    people.show()
    if people.rng.random() < 0.5:
        placed.seen = placed.face
        people.log.append(f"read {placed.face}")
        people.show()
    elif people.rng.random() < 0.5:
        people.lift(placed)
        people.lay(act.face, act.zone)
    return True


def misread(people: People, act: Act) -> bool:
    """The card is read as another card, and then correctly."""
    if not lays_card(act):
        return False
    assert isinstance(act.face, Card)
    people.tolerated = True
    placed = people.put(act.face, act.zone, _other_card(people, act.face))
    people.show()

    def right() -> None:
        people.log.append(f"read {placed.face}")
        placed.seen = placed.face
        people.show()

    following = people.plan[people.number + 1 : people.number + 2]
    goes = people.table.header.game == "cribbage"  # the next play implies that this player could not play
    if not goes and plays(act) and any(map(plays, following)) and people.rng.random() < 0.5:
        people.later.append(right)
    else:
        right()
    return True


def out_of_turn(people: People, act: Act) -> bool:
    """Another player lays a card, and takes it back before or after the act."""
    players = len(people.table.header.players)
    if not plays(act):
        return False
    seat = people.rng.choice([seat for seat in range(players) if seat != act.seat])
    held = people.held(seat)
    if not held:
        return False
    face = people.rng.choice(held)
    if people.table.can(Action("play", seat, face)):  # it implies that the players passed over cannot play
        return False
    early = people.lay(face, Zone("play", seat))
    people.lift(early)
    people.do(act)
    return True


def the_next_before(people: People, act: Act) -> bool:
    """The next player lays a card before this one; it stays on the table until that player's turn."""
    number = people.number + 1
    following = people.plan[number] if number < len(people.plan) else None
    if not plays(act) or following is None or not plays(following) or following.seat == act.seat:
        return False
    if people.table.header.game == "cribbage" or people.table.phase == "cut":
        return False
    people.put(following.face, following.zone)
    people.show()
    people.early.add(number)
    people.do(act)
    return True


def _other_zone(people: People, zone: Zone) -> Zone | None:
    players = len(people.table.header.players)
    kind = load_game(people.table.header.game)
    every = [Zone(n, s) for n in kind.zones if n in ("play", "say", "show", "bid") for s in range(players)]
    every += [Zone(n) for n in kind.zones if n in ("turn-up", "table", "crib")]
    return people.rng.choice([None, *(each for each in every if each != zone)])


def _other_card(people: People, face: Card) -> Card:
    return people.rng.choice([card for card in load_game(people.table.header.game).deck if card != face])
