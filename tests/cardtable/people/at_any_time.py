"""Mishaps at any time: cards pushed on the table, cameras lost, the program killed, actions undone."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.cards import Card
from engine.games import load_game
from engine.observations import Back, Lost, UndoAsked
from engine.referee.observed_cards import BEFORE_HAND
from tests.cardtable.people.people import People
from tests.cardtable.people.plans import lays_card, taken


def nudged(people: People, act: Act) -> bool:
    """Cards are pushed or turned, and the camera reports them as new ones."""
    if not people.lying:
        return False
    for placed in people.rng.sample(people.lying, people.rng.randrange(1, len(people.lying) + 1)):
        people.made += 1
        placed.name = f"p{people.made}"
        placed.since = people.time
    people.log.append("cards are nudged")
    people.show()
    people.do(act)
    return True


def squared_up(people: People, act: Act) -> bool:
    """Cards of one zone are squared up into a pile that shows only the top card, and spread again."""
    zones = {placed.zone for placed in people.lying if placed.face is not None}
    zone = people.rng.choice(sorted(zones, key=str)) if zones else None
    heap = [placed for placed in people.lying if placed.zone == zone and placed.face is not None]
    if len(heap) < 2:
        return False
    people.tolerated = True
    hidden = heap[:-1]
    people.take(*hidden)
    people.show()
    for placed in hidden:
        people.put(placed.face, placed.zone)
    people.show()
    people.settle_prompts()
    people.do(act)
    return True


def looked_at(people: People, act: Act) -> bool:
    """A player takes up a card, looks at it, and lays it back."""
    faces = [placed for placed in people.lying if isinstance(placed.face, Card)]
    if not faces:
        return False
    if len(people.truth) > 1 and "withdraw" in (people.truth[-1].do, people.truth[-2].do):
        return False  # the whole trick would be taken up
    if any(action.word == "call" for action in people.truth[-2:]):
        return False  # lifting the card withdraws it, which cancels the call
    people.tolerated = True
    placed = people.rng.choice(faces)
    if people.table.phase in BEFORE_HAND and (placed.name in people.looked_at or people.table.phase == "cut"):
        return False  # a card laid a second time counts
    people.lift(placed)
    if people.rng.random() < 0.5 and people.table.phase not in BEFORE_HAND:
        people.time += 10
    people.looked_at.add(people.lay(placed.face, placed.zone).name)
    people.settle_prompts()
    people.do(act)
    return True


def started_again(people: People, act: Act) -> bool:
    """The program is killed and started again, before or after the act."""
    if people.rng.random() < 0.5:
        people.restart()
        people.do(act)
    else:
        people.do(act)
        people.restart()
    return True


def laid_while_it_was_off(people: People, act: Act) -> bool:
    """The card is laid while the program is not running."""
    if not act.action or not act.lays or act.face is None:
        return False
    for placed in taken(people, act):
        people.take(placed)
    people.put(*act.lays)
    people.restart()
    return True


def left_from_another_game(people: People, act: Act) -> bool:
    """The program starts while a card of another game is still on the table; the card is then taken away."""
    if not lays_card(act) or people.table.phase not in BEFORE_HAND or people.lying:
        return False
    deck = load_game(people.table.header.game).deck
    old = people.put(people.rng.choice([card for card in deck if card != act.face]), act.zone)
    people.restart()
    people.lift(old)
    people.do(act)
    return True


def camera_lost(people: People, act: Act) -> bool:
    """The camera is unplugged, and plugged in again."""
    people.observe(Lost(people.time, "camera", "The camera is unplugged: plug it in."))
    people.do(act)
    people.observe(Back(people.time, "camera"))
    return True


def undone(people: People, act: Act) -> bool:
    """Actions are undone on the page, and the cards are taken up at once or when a prompt asks for it."""
    if people.late:
        return False  # no player clears up first and undoes the action afterwards
    people.do(act)
    if not act.action:
        return True
    people.tolerated = True
    last = people.lying[-1] if people.lying and act.lays else None
    for _ in range(people.rng.choice((1, 1, 1, 2, 3))):
        if people.table.actions and people.table.actions[-1].do != "expose":
            people.observe(UndoAsked(people.time, "page"))
    while not people.right():  # a card taken back is played again
        people.observe(UndoAsked(people.time, "page"))
    if last and people.rng.random() < 0.5:
        people.lift(last)
    return True


def pack_pushed_about(people: People, act: Act) -> bool:
    """The pack lies outside all zones, and may be moved."""
    pack = people.put(None, None)
    people.show()
    people.do(act)
    if pack in people.lying:
        people.lift(pack)
    return True
