"""Accidents that affect what the camera sees: lamp, camera, sleeves, cards that go before they are read."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.cards import Card
from engine.observations import Zone
from engine.referee.observed_cards import BEFORE_HAND
from lab.torture.accidents_table import AccidentTable
from tests.cardtable.people.people import People
from tests.cardtable.people.plans import plays, taken

_BIDS = [Zone("bid", seat) for seat in range(6)]
_DARK = "No corner marks in sight: lay the mat, or the four corner marks, so that the camera sees all four."


def lamp_off_and_on(people: People, act: Act) -> bool:
    """The lamp goes off and on again; people play on meanwhile."""
    assert isinstance(people, AccidentTable)
    people.go_dark(people.rng.choice((1, 1, 1, 2, 3, 5)), _DARK)
    people.do(act)
    return True


def camera_bumped(people: People, act: Act) -> bool:
    """The camera is bumped: it sees nothing until it is still, and misreads cards."""
    assert isinstance(people, AccidentTable)
    people.go_dark(1, _DARK if people.rng.random() < 0.5 else "")
    people.do(act)
    return True


def sleeve_over_half(people: People, act: Act) -> bool:
    """A sleeve covers half the table for a minute; people play on, sometimes under it too."""
    assert isinstance(people, AccidentTable)
    seats = range(len(people.table.header.players))
    names = ("play", "say", "show", "bid")
    half = people.rng.sample(seats, max(1, len(seats) // 2))
    zones = {Zone(name, seat) for name in names for seat in half}
    zones |= {Zone(name) for name in ("turn-up", "table", "crib") if people.rng.random() < 0.5}
    people.cover(frozenset(zones), people.rng.choice((1, 2, 3, 5, 8)))
    people.do(act)
    return True


def turned_before_read(people: People, act: Act) -> bool:
    """The last card of a trick is laid, and the trick is swept up before that card is read."""
    following = people.plan[people.number + 1] if people.number + 1 < len(people.plan) else None
    if not plays(act) or following is None or following.kind != "sweep" or not act.lays:
        return False
    assert isinstance(people, AccidentTable)
    people.go_dark(2)  # until the sweep
    people.put(*act.lays)
    return True


def swept_and_laid_again(people: People, act: Act) -> bool:
    """All cards are swept up and laid again in their places, in any order.

    Cards left over in a bid zone are put away: laid there again, they would be a bid.
    """
    bids = [placed for placed in people.lying if isinstance(placed.face, Card) and placed.zone in _BIDS]
    by_record = [(entry.card, entry.zone) for entry in people.table.lying]
    forgotten = []
    for placed in reversed(bids):  # of equal cards, those laid last belong to this round
        if (placed.face, placed.zone) in by_record:
            by_record.remove((placed.face, placed.zone))
        else:
            forgotten.append(placed)
    cards = [placed for placed in people.lying if isinstance(placed.face, Card) and placed not in forgotten]
    withdraws = act.action is not None and act.action.do == "withdraw"
    if not cards or withdraws or (len(people.truth) > 1 and people.truth[-2].do == "withdraw"):
        return False
    if people.table.phase in BEFORE_HAND:
        return False  # a card laid a second time counts
    people.tolerated = True
    people.lift(*cards, *forgotten)
    people.time += people.rng.choice((0.0, 5.0, 30.0))
    if people.rng.random() < 0.5:
        people.rng.shuffle(cards)
    together = people.rng.random() < 0.5
    for placed in cards:
        people.put(placed.face, placed.zone)
        if not together:
            people.show()
    people.show()
    people.settle_prompts()
    people.do(act)
    return True


def blinked(people: People, act: Act) -> bool:
    """All cards vanish for one scene and come back: the lamp flickers, or the readers lose power."""
    cards = list(people.lying)
    if not cards or (act.action is not None and act.action.do == "withdraw"):
        return False
    if len(people.truth) > 1 and people.truth[-2].do == "withdraw":
        return False
    people.tolerated = True
    people.take(*cards)
    people.show()
    for placed in cards:
        people.lying.append(placed)
        assert isinstance(people, AccidentTable)
        people.rename(placed)
    people.log.append("they are there again")
    people.show()
    people.settle_prompts()
    people.do(act)
    return True


def taken_before_read(people: People, act: Act) -> bool:
    """Cards are taken away while another card on the table has not been read yet."""
    cards = [placed for placed in taken(people, act) if isinstance(placed.face, Card)]
    if act.kind != "sweep" or not cards or act.action is None:
        return False
    blank = people.rng.choice(cards)
    assert isinstance(people, AccidentTable)
    blank.seen = None
    people.rename(blank)
    people.show()
    people.do(act)
    return True
