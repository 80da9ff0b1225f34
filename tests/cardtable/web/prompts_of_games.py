"""Every kind of prompt of every game, with long names: what random games ask for, and what wrong cards lead to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from cardtable.journal.corrections import What
from engine.actions import Action
from engine.cards import Card, parse_card
from engine.errors import Refused
from engine.games import game_names, load_game
from engine.observations import ActionCard, Scene, Zone
from engine.record import Header
from engine.referee import prompts
from engine.referee.interpretation import interpretations
from engine.referee.observed_cards import ObservedCard
from engine.referee.unseen import Unseen
from engine.table import Table
from engine.texts import Text, text
from engine.views import Prompt, View
from tests.cardtable.web.states import choose

LONG_NAMES: Final = ("Bartholomew", "Anneliese", "Maximilian", "Konstantin", "Friederike", "Christiane", "Ferdinand")
LONGEST: Final = 60
OFTEN: Final = 2
"""How often wrong cards are tried in each phase of a game."""
MOST_LETTERS: Final = 12
"""Of the cards of an action that is described: a hand of four; a bid with more is rare."""
DEALERS: Final = {"its-15": 0}
"""The games without a cut for the deal."""
ZONES: Final = ("play", "show", "bid", "say", "table", "turn-up", "crib")
OWNED: Final = ("play", "show", "bid", "say")
CODES: Final = ("before", "undone", "already-seen", "two-cards", "unclear", "wrong-phase", "wrong-amount")
STRANGE: Final = ActionCard("nonsense")


@cache
def prompts_of_games() -> list[str]:
    """Return the longest prompt of each template, of all games, each with the most players."""
    longest: dict[object, str] = {}
    for game in game_names():
        for sentence in _texts_of(game, load_game(game).seats[-1]):
            key = _templates(sentence)
            longest[key] = max(longest.get(key, ""), sentence, key=len)
    return list(longest.values())


def longest_prompt_of(game: str, players: int) -> str:
    """Return the longest prompt of this game."""
    return max(_texts_of(game, players), key=len)


@cache
def _texts_of(game: str, players: int) -> list[str]:
    return [prompt.text for prompt in prompts_of(game, players)]


def _templates(part: object) -> object:
    """Return what two texts have in common that differ in names, cards and numbers alone."""
    if not isinstance(part, Text):
        return ""
    return part.template, *(_templates(value) for value in part.values.values())


def prompts_of(game: str, players: int) -> Iterator[Prompt]:
    """Yield prompts of a random game."""
    rng, table = random.Random(1), Table(Header(game, LONG_NAMES[:players], DEALERS.get(game)))
    phases = Counter[str]()
    for _ in range(LONGEST):
        view = table.view()
        yield prompts.turn(view)
        if table.over:
            break
        phases[view.phase] += 1
        if phases[view.phase] <= OFTEN:
            yield from _of_wrong_cards(table, rng)
            yield from _of_refusals(table, rng)
        table.do(choose(table, rng))
    yield from _of_what_was_not_seen(table)
    yield from _of_corrections(table)


def _of_wrong_cards(table: Table, rng: random.Random) -> Iterator[Prompt]:
    """Yield what is said about cards in all zones, by what the rules say and by what the referee finds out."""
    view, seats = table.view(), range(len(table.header.players))
    faces = rng.sample(list(view.deck), 2)
    zones = [Zone(name, seat) for name in ZONES for seat in (seats if name in OWNED else (None,))]
    for zone in zones:
        words = [ActionCard(word) for word in (*view.vocabulary, "nonsense")] if zone.name == "say" else []
        for face in (*faces, *words, None):
            cards = [ObservedCard(face, zone, 1.0, 0)]
            yield from _about(view, cards[0])
            for each in interpretations(cards[0], cards, table):
                if (refusal := _refused(table, each.action)) is not None:
                    yield from _about(view, cards[0], refusal.code, refusal.message)
        for code in CODES:
            yield from _about(view, ObservedCard(faces[0], zone, 1.0, 0), code)
        yield from _about(view, _misread(faces, zone))
        yield prompts.put_back(view, faces[0], zone)
    for face in (*faces, STRANGE, None):
        yield from _about(view, ObservedCard(face, None, 1.0, 0))
    if table.drawing_says:
        yield prompts.perhaps_drawn(view, 0, table.drawing_says)


def _about(view: View, card: ObservedCard, code: str = "", message: str = "") -> Iterator[Prompt]:
    if code:
        card.refuse(code, message or "")
    prompt = prompts.about(view, card, [card])
    if prompt is not None and (message or not code or prompt.text != card.message):
        yield prompt


def _misread(faces: list[Card], zone: Zone) -> ObservedCard:
    card = ObservedCard(faces[0], zone, 1.0, 0)
    card.count(Action("play", 0, faces[0]), 0)
    card.read_as(faces[1], 2)
    card.mark_misread()
    return card


def _refused(table: Table, action: Action) -> Refused | None:
    try:
        table.do(action)
    except Refused as refusal:
        return refusal
    table.undo()
    return None


def _of_refusals(table: Table, rng: random.Random) -> Iterator[Prompt]:
    """Yield what is answered to words that cannot be said."""
    view, seats = table.view(), range(len(table.header.players))
    card = rng.choice(list(view.deck))
    for word in view.vocabulary:
        for seat in seats:
            other = (seat + 1) % len(seats)
            for action in (Action("say", seat, word=word), Action("say", seat, word=word, against=other, card=card)):
                if (refusal := _refused(table, action)) is not None:
                    yield Prompt("refused", seat, refusal.message)


def _of_what_was_not_seen(table: Table) -> Iterator[Prompt]:
    """Yield the requests to check, and what is said about covered zones."""
    unseen = Unseen(table)
    done, last = _usual(table), len(table.header.players)
    trick = [parse_card("10S"), parse_card("10H"), parse_card("10C"), parse_card("10D")][:last]
    for number, action in enumerate(done):
        for gathered in ((), tuple(trick)) if action.do in ("play", "take", "bid") else ():
            for count in (1, 2, 3):
                yield unseen._check(gathered, done[number : number + count])
    for count in (1, 2, last):
        zones = tuple(Zone("play", seat) for seat in range(count))
        covering = Unseen(Table(Header(table.header.game, table.header.players, 0)))
        covering.hides(Scene(1.0, "camera", (), zones))
        yield from covering.prompts()


def _usual(table: Table) -> list[Action]:
    """Return some actions of each kind."""
    kinds = Counter[str]()
    usual = [action for action in table.actions if sum(len(card.glyph) for card in action.cards or ()) <= MOST_LETTERS]
    return [action for action in usual if (kinds.update([action.do]), kinds[action.do])[1] <= 2 * OFTEN]


def _of_corrections(table: Table) -> Iterator[Prompt]:
    """Yield what is announced after corrections, and what puts the table right."""
    actions = _usual(table)
    card, other = list(table.view().deck)[:2]
    players = table.header.players
    kinds: Iterable[What] = [
        *(What(kind, action, card, 12) for kind in ("replace", "remove", "add") for action in actions),
        *(What("remove", action, None, 12) for action in actions),
        What("undo-to", None, None, 12),
        *(What("name", None, was, 0, now) for was in (card, None) for now in (other, None)),
        What("table-right", None),
        What("record-right", None),
    ]
    for what in kinds:
        yield Prompt("corrected", None, what.sentence(players))
    where = prompts.place(Zone("turn-up"), players), prompts.place(Zone("show", 0), players)
    for place in where:
        for move in ("Take {card} away: it lies {place}.", "Lay {card} {place}."):
            advice = text(move, card=card.glyph, place=place)
            yield Prompt("restore", None, text("{move} Then {count} more.", move=advice, count=12))
