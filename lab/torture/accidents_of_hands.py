"""Accidents at the table: two players at once, foreign cards, a player who leaves, a bumped table."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.actions import Action
from engine.cards import Card
from engine.games import game_names, load_game
from engine.observations import ActionCard, UndoAsked, Zone
from tests.cardtable.people.people import People
from tests.cardtable.people.plans import lays_card, plays
from tests.cardtable.people.table_top import PlacedCard


def two_play_at_once(people: People, act: Act) -> bool:
    """The next player lays a card at the same moment, or a moment before."""
    number = people.number + 1
    following = people.plan[number] if number < len(people.plan) else None
    if not plays(act) or following is None or not plays(following) or following.seat == act.seat:
        return False
    if people.table.phase == "cut" or not act.lays or not following.lays:
        return False
    both = [people.put(*act.lays), people.put(*following.lays)]
    both[1].since += people.rng.choice((-0.3, -0.1, 0.0, 0.1, 0.3))
    if people.rng.random() < 0.5:
        people.lying[-2:] = reversed(people.lying[-2:])
    people.early.add(number)
    people.show()
    return True


def foreign_card(people: People, act: Act) -> bool:
    """A card of another game lies in a zone, and is taken away once the table asks for it, or at once."""
    game = people.table.header.game
    deck = set(load_game(game).deck)
    other = people.rng.choice([name for name in game_names() if name != game])
    faces = [card for card in load_game(other).deck if card not in deck]
    words = [word for word in load_game(other).vocabulary if word not in load_game(game).vocabulary]
    strange: list[Card | ActionCard | None] = [None, *map(ActionCard, words), *faces]
    zones = [Zone(name, seat) for name in ("play", "say") for seat in range(len(people.table.header.players))]
    zones += [Zone(name) for name in load_game(game).zones if name in ("turn-up", "table")]
    face = people.rng.choice(strange)
    if face is None:
        zones = [zone for zone in zones if zone.name in ("play", "turn-up")]
    card = people.lay(face, people.rng.choice(zones))
    if people.rng.random() < 0.5:
        people.settle_prompts()
    if card in people.lying:
        people.lift(card)
    people.do(act)
    return True


def second_deck(people: People, act: Act) -> bool:
    """A card of a second pack, equal to one that was seen in this hand, is laid and taken away again."""
    done = people.truth[-8:-1]
    withdrawn = [action.card for action in done if action.do == "withdraw"]
    seen = [action.card for action in done if action.do == "play" and action.card and action.card not in withdrawn]
    zone = next((lays[1] for lays in [act.lays] if lays), None)
    if not plays(act) or not seen or zone is None or people.table.phase != "play":
        return False
    face = people.rng.choice(seen)
    if people.table.can(Action("play", act.seat, face)):
        return False
    people.made += 1
    extra = PlacedCard(f"p{people.made}", face, face, zone, people.time)
    people.lying.append(extra)
    people.log.append(f"lay a second {face} in {zone}")
    people.show()
    if people.rng.random() < 0.5:
        people.lift(extra)
        people.do(act)
    else:
        people.do(act)
        people.lift(extra)
    return True


def a_player_leaves(people: People, act: Act) -> bool:
    """A player leaves for some minutes, and may take the last card along."""
    people.show()
    people.time += people.rng.choice((60.0, 600.0, 7200.0))
    people.referee.pass_time("camera", people.time)
    people.show()
    people.do(act)
    return True


def card_pushed_across(people: People, act: Act) -> bool:
    """The table is bumped: a card slides into a neighbouring zone, and is pushed back."""
    cards = [placed for placed in people.lying if isinstance(placed.face, Card) and placed.zone]
    withdraws = any(action.do == "withdraw" for action in people.truth[-2:])
    if not cards or withdraws:
        return False
    placed = people.rng.choice(cards)
    assert placed.zone is not None
    seats = range(len(people.table.header.players))
    kinds = load_game(people.table.header.game).zones
    near: list[Zone | None] = [Zone(name, seat) for name in kinds for seat in seats if name in ("play", "say")]
    near += [Zone(name) for name in kinds if name in ("turn-up", "table")]
    where = people.rng.choice([None, *(zone for zone in near if zone != placed.zone)])
    people.tolerated = True
    was, placed.zone, placed.since = placed.zone, where, people.time
    people.log.append(f"{placed.face} slides from {was} to {where}")
    people.show()
    if not people.right():
        people.observe(UndoAsked(people.time, "page"))
    placed.zone, placed.since = was, people.time
    people.log.append(f"{placed.face} is pushed back")
    people.show()
    people.settle_prompts()
    people.do(act)
    return True


def shown_by_accident(people: People, act: Act) -> bool:
    """A card falls face up beside the table's zones, and is taken back into the hand."""
    held = [card for card in people.held(act.seat) if card != act.face]
    if not lays_card(act) or not held:
        return False
    people.lift(people.lay(people.rng.choice(held), None))
    people.do(act)
    return True


def word_of_another_game(people: People, act: Act) -> bool:
    """An action card of another game lies in a say zone, and is taken away."""
    game = people.table.header.game
    words = [w for name in game_names() for w in load_game(name).vocabulary if w not in load_game(game).vocabulary]
    card = people.lay(ActionCard(people.rng.choice(sorted(words))), Zone("say", act.seat))
    people.do(act)
    if card in people.lying:
        people.lift(card)
    return True
