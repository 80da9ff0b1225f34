"""What goes wrong at a real table. Each mishap does an act of the plan, and something wrong before, with or after it."""

from __future__ import annotations

from typing import Final

from cardtable.simulation.acts import Act
from engine.actions import Action
from engine.cards import Card
from engine.games import load_game
from engine.meaning import BETWEEN
from engine.observations import Back, Lost, Said, UndoAsked, Word, Zone
from tests.cardtable.people import Lain, Mishap, People


def _lays_card(act: Act) -> bool:
    return act.kind == "lay" and isinstance(act.face, Card)


def _plays(act: Act) -> bool:
    return _lays_card(act) and bool(act.action) and act.zone is not None and act.zone.name == "play"


def _other_zone(people: People, zone: Zone) -> Zone | None:
    players = len(people.table.header.players)
    kind = load_game(people.table.header.game)
    every = [Zone(n, s) for n in kind.zones if n in ("play", "say", "show", "bid") for s in range(players)]
    every += [Zone(n) for n in kind.zones if n in ("turn-up", "table", "crib")]
    return people.rng.choice([None, *(each for each in every if each != zone)])


def _other_card(people: People, face: Card) -> Card:
    return people.rng.choice([card for card in load_game(people.table.header.game).deck if card != face])


# About a card that is laid


def laid_outside(people: People, act: Act) -> bool:
    """It comes down outside every zone, and is pushed, or laid, to where it belongs."""
    if act.kind != "lay" or act.face is None:
        return False
    lain = people.lay(act.face, None)
    _bring(people, lain, act.zone)
    return True


def laid_in_wrong_zone(people: People, act: Act) -> bool:
    """It comes down in a wrong zone, and is pushed, or laid, to where it belongs."""
    if not _lays_card(act) or act.zone is None:
        return False
    people.tolerated = True
    lain = people.lay(act.face, _other_zone(people, act.zone))
    if not people.right() and people.table.actions[-1].do in ("play", "bid"):  # it counts for who was on turn
        people.tell(UndoAsked(people.time, "page"))
    _bring(people, lain, act.zone)
    return True


def _bring(people: People, lain: Lain, zone: Zone | None) -> None:
    if people.rng.random() < 0.5:
        lain.zone, lain.since = zone, people.time
        people.log.append(f"push {lain.face} to {zone}")
        people.show()
    else:
        if people.rng.random() < 0.5:
            people.lift(lain)
        else:
            people.take(lain)
        people.lay(lain.face, zone)


def taken_back_at_once(people: People, act: Act) -> bool:
    """It is taken up again, and laid again."""
    if act.kind != "lay" or act.face is None:
        return False
    people.lift(people.lay(act.face, act.zone))
    people.lay(act.face, act.zone)
    return True


def another_first(people: People, act: Act) -> bool:
    """Another card of the hand is laid, taken back, and the right one laid."""
    held = [card for card in people.held(act.seat) if card not in (act.face, people.truth[-2].card)]
    if not _plays(act) or not held or act.action is None or act.action.do != "play":
        return False
    people.tolerated = True
    wrong = people.lay(people.rng.choice(held), act.zone)
    people.lift(wrong)
    if people.table.actions[-1] == Action("play", act.seat, wrong.face):  # no trick: it can only be undone
        people.tell(UndoAsked(people.time, "page"))
    people.settle_prompts()
    people.lay(act.face, act.zone)
    return True


def two_at_once(people: People, act: Act) -> bool:
    """Another card of the hand comes down with it, and is taken back."""
    held = [card for card in people.held(act.seat) if card not in (act.face, people.truth[-2].card)]
    if not _plays(act) or not held or act.action is None or act.action.do != "play":
        return False
    both = [(act.face, False), (people.rng.choice(held), True)]
    people.rng.shuffle(both)
    laid = [(people.put(face, act.zone), extra) for face, extra in both]
    people.show()
    if people.rng.random() < 0.7:
        people.lift(next(lain for lain, extra in laid if extra))
    return True


def unread_at_first(people: People, act: Act) -> bool:
    """It cannot be read at first, or lies face down and is turned over."""
    if act.kind != "lay" or act.face is None:
        return False
    lain = people.put(act.face, act.zone, blank=True)
    people.show()
    if people.rng.random() < 0.5:
        lain.seen = lain.face
        people.log.append(f"read {lain.face}")
        people.show()
    elif people.rng.random() < 0.5:
        people.lift(lain)
        people.lay(act.face, act.zone)
    return True


def misread(people: People, act: Act) -> bool:
    """It is taken for another card, and then for what it is."""
    if not _lays_card(act):
        return False
    assert isinstance(act.face, Card)
    people.tolerated = True
    lain = people.put(act.face, act.zone, _other_card(people, act.face))
    people.show()

    def right() -> None:
        people.log.append(f"read {lain.face}")
        lain.seen = lain.face
        people.show()

    following = people.plan[people.number + 1 :]
    if people.table.header.game != "cribbage" and following and _plays(act) and _plays(following[0]) and people.rng.random() < 0.5:
        people.later.append(right)
    else:
        right()
    return True


def out_of_turn(people: People, act: Act) -> bool:
    """Somebody else lays a card, and takes it back before or after."""
    players = len(people.table.header.players)
    if not _plays(act):
        return False
    seat = people.rng.choice([seat for seat in range(players) if seat != act.seat])
    held = people.held(seat)
    if not held:
        return False
    face = people.rng.choice(held)
    if people.table.can(Action("play", seat, face)):  # it says that those passed over cannot play
        return False
    early = people.lay(face, Zone("play", seat))
    people.lift(early)
    people.do(act)
    return True


def the_next_before(people: People, act: Act) -> bool:
    """The next player lays his card before this one, and it lies until it is his turn."""
    number = people.number + 1
    following = people.plan[number] if number < len(people.plan) else None
    if not _plays(act) or following is None or not _plays(following) or following.seat == act.seat:
        return False
    if people.table.header.game == "cribbage" or people.table.phase == "cut":
        return False
    people.put(following.face, following.zone)
    people.show()
    people.early.add(number)
    people.do(act)
    return True


# About words


def said_on_the_page(people: People, act: Act) -> bool:
    """The word is said on the page; perhaps by the wrong one first."""
    if act.kind != "lay" or not isinstance(act.face, Word) or act.action is None:
        return False
    action = act.action
    players = len(people.table.header.players)
    if people.rng.random() < 0.5 and not action.against and action.word not in ("revoke", "call"):
        people.tell(Said(people.time, "page", (act.seat + 1) % players, str(action.word)))
    people.tell(Said(people.time, "page", act.seat, str(action.word), action.card, action.against))
    if people.rng.random() < 0.3:
        people.lay(act.face, act.zone)
    return True


def said_by_the_wrong_seat(people: People, act: Act) -> bool:
    """Somebody else lays the word, and takes it back before or after."""
    if act.kind != "lay" or not isinstance(act.face, Word) or act.action is None or act.action.word in ("revoke", "call"):
        return False
    players = len(people.table.header.players)
    seat = people.rng.choice([seat for seat in range(players) if seat != act.seat])
    wrong = people.lay(act.face, Zone("say", seat))
    if people.rng.random() < 0.5 or people.table.header.game in ("its-15", "cribbage"):
        people.lift(wrong)
    people.do(act)
    if wrong in people.lying and people.rng.random() < 0.7:
        people.lift(wrong)
    return True


def another_word_first(people: People, act: Act) -> bool:
    """Another word of the game is laid, and taken back."""
    if act.kind != "lay" or not isinstance(act.face, Word):
        return False
    words = [word for word in load_game(people.table.header.game).words if word != act.face.text]
    view = people.table.view(None)
    words = [word for word in words if word not in view.words[act.seat]]
    if not words:
        return False
    wrong = people.lay(Word(people.rng.choice(words)), act.zone)
    if people.rng.random() < 0.5:
        people.lift(wrong)
    people.do(act)
    if wrong in people.lying:
        people.lift(wrong)
    return True


def word_left_lying(people: People, act: Act) -> bool:
    """It is not taken up again."""
    return act.kind == "lift" and isinstance(act.face, Word)


def word_laid_twice(people: People, act: Act) -> bool:
    """It is laid, taken up, and laid once more, or two of them are laid."""
    if act.kind != "lay" or not isinstance(act.face, Word) or act.action is None:
        return False
    if people.rng.random() < 0.5 and act.action.word not in ("pass", "stay", "card", "go"):
        people.lift(people.lay(act.face, act.zone))
        people.lay(act.face, act.zone)
    else:
        people.put(act.face, act.zone)
        people.lay(act.face, act.zone)
    return True


# About cards that are taken away


def one_by_one(people: People, act: Act) -> bool:
    """Cards are taken away one after another, in any order."""
    if act.kind != "sweep":
        return False
    pieces = _pieces(people, act)
    people.rng.shuffle(pieces)
    for lain in pieces:
        people.lift(lain)
    return True


def in_two_sweeps(people: People, act: Act) -> bool:
    """Cards are taken away in two sweeps."""
    pieces = _pieces(people, act)
    if act.kind != "sweep" or len(pieces) < 2:
        return False
    people.rng.shuffle(pieces)
    cut = people.rng.randrange(1, len(pieces))
    people.lift(*pieces[:cut])
    people.lift(*pieces[cut:])
    return True


def swept_late(people: People, act: Act) -> bool:
    """Cards are taken away after the next thing has been done."""
    if act.kind not in ("sweep", "lift", "move") or (act.action and act.action.do != "gather"):
        return False
    if act.kind == "sweep" and not act.tidy and act.action is None:
        return False
    if act.kind != "sweep" and not act.tidy:
        return False
    if people.table.header.game == "its-15" or any(face is None for face, _ in act.takes):
        return False

    def late() -> None:
        people.lift(*_pieces(people, act))
        if act.lays:
            people.lay(*act.lays)

    people.later.append(late)
    return True


def own_card_first(people: People, act: Act) -> bool:
    """Who has won the trick takes his own card first, leads, and takes the rest after that."""
    following = people.plan[people.number + 1] if people.number + 1 < len(people.plan) else None
    if act.kind != "sweep" or act.action is None or act.action.do != "gather" or following is None:
        return False
    own = [lain for lain in _pieces(people, act) if lain.zone == Zone("play", act.seat)]
    rest = [lain for lain in _pieces(people, act) if lain not in own]
    if not _plays(following) or following.seat != act.seat or not own:
        return False
    people.lift(*own)
    people.later.append(lambda: people.lift(*[lain for lain in rest if lain in people.lying]))
    return True


def put_back(people: People, act: Act) -> bool:
    """Cards are taken up, laid back, and taken up again."""
    if act.kind != "sweep" or not act.action:
        return False
    pieces = _pieces(people, act)
    if act.action.do == "take":
        pieces = people.rng.sample(pieces, people.rng.randrange(1, len(pieces)))
    people.lift(*pieces)
    if act.action.do == "take":
        for lain in pieces:
            people.lay(lain.face, lain.zone)
    people.do(act)
    return True


def wrong_cards_taken(people: People, act: Act) -> bool:
    """Other cards of the table are taken up, and laid back."""
    if act.kind != "sweep" or not act.action or act.action.do != "take":
        return False
    others = [lain for lain in people.lying if lain.zone and lain.zone.name == "table" and (lain.face, lain.zone) not in act.takes]
    if not others:
        return False
    people.tolerated = True
    people.lift(people.rng.choice(others), *people.rng.sample(_pieces(people, act), 1))
    if not people.right():  # it could take that as well
        people.tell(UndoAsked(people.time, "page"))
    people.settle_prompts()
    people.do(act)
    return True


def _pieces(people: People, act: Act) -> list[Lain]:
    found: list[Lain] = []
    for face, zone in act.takes:
        every = [lain for lain in people.lying if lain.face == face and lain not in found]
        every.sort(key=lambda lain: lain.zone != zone)
        if every and (face is not None or every[0].zone == zone):
            found.append(every[0])
    return found


# At any time


def nudged(people: People, act: Act) -> bool:
    """Cards are pushed, turned, squared up and spread: the camera takes them for new ones."""
    if not people.lying:
        return False
    for lain in people.rng.sample(people.lying, people.rng.randrange(1, len(people.lying) + 1)):
        people.made += 1
        lain.name = f"p{people.made}"
        lain.since = people.time
    people.log.append("cards are nudged")
    people.show()
    people.do(act)
    return True


def squared_up(people: People, act: Act) -> bool:
    """Cards of one zone are squared up to a heap, of which the uppermost shows, and spread again."""
    zones = {lain.zone for lain in people.lying if lain.face is not None}
    zone = people.rng.choice(sorted(zones, key=str)) if zones else None
    heap = [lain for lain in people.lying if lain.zone == zone and lain.face is not None]
    if len(heap) < 2:
        return False
    people.tolerated = True
    hidden = heap[:-1]
    people.take(*hidden)
    people.show()
    for lain in hidden:
        people.put(lain.face, lain.zone)
    people.show()
    people.settle_prompts()
    people.do(act)
    return True


def looked_at(people: People, act: Act) -> bool:
    """Somebody takes a card up, looks at it, and lays it back."""
    faces = [lain for lain in people.lying if isinstance(lain.face, Card)]
    if not faces:
        return False
    if len(people.truth) > 1 and "withdraw" in (people.truth[-1].do, people.truth[-2].do):
        return False  # the whole trick would be taken up
    if any(action.word == "call" for action in people.truth[-2:]):
        return False  # who takes his card up withdraws it, and the call falls
    people.tolerated = True
    lain = people.rng.choice(faces)
    people.lift(lain)
    if people.rng.random() < 0.5 and people.table.phase not in BETWEEN:
        people.time += 10
    people.lay(lain.face, lain.zone)
    people.settle_prompts()
    people.do(act)
    return True


def started_again(people: People, act: Act) -> bool:
    """The program is killed and started again, before or after it."""
    if people.rng.random() < 0.5:
        people.restart()
        people.do(act)
    else:
        people.do(act)
        people.restart()
    return True


def laid_while_it_was_off(people: People, act: Act) -> bool:
    """The card is laid while the program does not run."""
    if not act.action or not act.lays or act.face is None:
        return False
    for lain in _pieces(people, act):
        people.take(lain)
    people.put(*act.lays)
    people.restart()
    return True


def camera_lost(people: People, act: Act) -> bool:
    """The camera is unplugged, and plugged in again."""
    people.tell(Lost(people.time, "camera", "The camera is unplugged: plug it in."))
    people.do(act)
    people.tell(Back(people.time, "camera"))
    return True


def undone(people: People, act: Act) -> bool:
    """Undo on the page, once or several times, and the cards are taken up at once or when they are asked for."""
    people.do(act)
    if not act.action:
        return True
    people.tolerated = True
    last = people.lying[-1] if people.lying and act.lays else None
    for _ in range(people.rng.choice((1, 1, 1, 2, 3))):
        if people.table.actions and people.table.actions[-1].do != "expose":
            people.tell(UndoAsked(people.time, "page"))
    while not people.right():  # a card taken back is played again
        people.tell(UndoAsked(people.time, "page"))
    if last and people.rng.random() < 0.5:
        people.lift(last)
    return True


def pack_pushed_about(people: People, act: Act) -> bool:
    """The pack lies here, and then there."""
    pack = people.put(None, None)
    people.show()
    people.do(act)
    if pack in people.lying:
        people.lift(pack)
    return True


MISHAPS: Final[tuple[Mishap, ...]] = (
    laid_outside,
    laid_in_wrong_zone,
    taken_back_at_once,
    another_first,
    two_at_once,
    unread_at_first,
    misread,
    out_of_turn,
    the_next_before,
    said_on_the_page,
    said_by_the_wrong_seat,
    another_word_first,
    word_left_lying,
    word_laid_twice,
    one_by_one,
    in_two_sweeps,
    swept_late,
    own_card_first,
    put_back,
    wrong_cards_taken,
    nudged,
    squared_up,
    looked_at,
    started_again,
    laid_while_it_was_off,
    camera_lost,
    undone,
    pack_pushed_about,
)
