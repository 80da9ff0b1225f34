"""Random play of any game as Hypothesis strategies, which shrink to few and simple actions.

A play is a header and a list of steps. A step is two numbers that choose an action from those possible when its turn
comes: a legal one, an undo, or any action that a record could hold. A failing play is reduced to the shortest list of
steps that still fails, each as small as possible; step (0, 0) is the first legal action.

Hidden hands hold what their seats turn out to play: any card that has not been seen elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st

from engine.actions import KEYS, Action
from engine.cards import STANDARD_DECK, Card
from engine.errors import HeaderError
from engine.games import load_game
from engine.games.its_15 import ShowBrown
from engine.record import Header
from engine.rules.crib_game import CribGame
from engine.rules.state import Option
from engine.table import Table

NAMES: Final = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus")

Step: TypeAlias = tuple[int, int]
"""Which kind of step (0 to 99) and which of the actions of that kind (a non-negative number)."""

LEGAL: Final = 86
UNDO: Final = 90
"""Steps below `LEGAL` do a legal action, those below `UNDO` take one back, the others try any action."""

_STEP: Final = st.tuples(st.integers(0, 99), st.integers(0, 2**24))
_SAMPLED: Final = 60


def _values(option: Option) -> st.SearchStrategy[object]:
    """Values that `option` allows; small numbers, so that games end soon."""
    if isinstance(option.default, bool):
        return st.booleans()
    if isinstance(option.default, int):
        least = 0 if option.least is None else option.least
        return st.sampled_from(sorted({least, least + 2, least + 15, option.default}))
    return st.sampled_from(option.choices)


def examples(count: int) -> settings:
    """Settings for `count` examples, or in proportion fewer in a profile of fewer than 100."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))


@st.composite
def headers(draw: st.DrawFn, game: str) -> Header:
    """Headers of `game`: any number of players, any dealer or a cut, some options."""
    kind = load_game(game)
    players = NAMES[: draw(st.sampled_from(kind.seats))]
    options = {option.name: draw(_values(option)) for option in kind.options if draw(st.booleans())}
    dealer = draw(st.integers(0, len(players) - 1))
    cut = None if draw(st.booleans()) else dealer
    # Some games do not cut for the deal, and some options exclude each other.
    return next(
        filter(_playable, (Header(game, players, *rest) for rest in ((cut, options), (dealer, options), (0, {}))))
    )


def _playable(header: Header) -> bool:
    try:
        header.check()
    except HeaderError:
        return False
    return True


@dataclass
class Play:
    """All seats of one game. `naming`: the probability that cards which may stay unknown to the table are named."""

    header: Header
    steps: list[Step]
    naming: float = 0.5
    table: Table = field(init=False)
    tried: list[Action] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Begin the game."""
        self.table = Table(self.header)

    def actions(self) -> Iterator[Action]:
        """Yield the action of each step, then do it if it is legal; end with the game."""
        for kind, pick in self.steps:
            if kind < LEGAL and not self.table.over:
                action = legal_action(self.table, pick, self.naming)
            elif kind < UNDO:
                action = Action("undo")
            else:
                action = any_action(self.table, pick)
            self.tried.append(action)
            yield action
            if self.table.can(action):
                self.table.do(action)

    def finished(self) -> Play:
        """Do every step and return self."""
        for _ in self.actions():
            pass
        return self


def plays(
    game: str, longest: int, naming: float | None = None, legal: bool = False, header: Header | None = None
) -> st.SearchStrategy[Play]:
    """Plays of `game` of up to `longest` steps. `legal`: nothing but legal actions."""
    step = st.tuples(st.integers(0, LEGAL - 1), st.integers(0, 2**24)) if legal else _STEP
    steps = st.integers(0, longest).flatmap(lambda count: st.lists(step, min_size=count, max_size=count))
    return st.builds(
        Play,
        headers(game) if header is None else st.just(header),
        steps,
        st.sampled_from((0.0, 0.5, 1.0)) if naming is None else st.just(naming),
    )


def legal_action(table: Table, pick: int, naming: float = 0.5) -> Action:
    """Return an action that the table accepts now. Pick 0 is the first listed one, if any is listed.

    Deals, discards and showings are drawn at random from `pick`: there are too many to list.
    """
    listed = [action for action in table.legal_actions() if action.do != "discard"]
    rng = random.Random(pick)
    if listed and (not pick or rng.random() < 0.6):
        return listed[pick % len(listed)]
    for _ in range(200):  # a drawn action may be illegal: for example, cards shown that are elsewhere
        drawn = [action for action in _unlisted(table, rng, naming) if table.can(action)]
        if drawn:
            return rng.choice(drawn)
        if listed:
            return listed[pick % len(listed)]
    raise AssertionError(f"nothing is legal after {[str(action) for action in table.actions]}")


def _unlisted(table: Table, rng: random.Random, naming: float) -> Iterator[Action]:
    """Yield at most one action of each kind that the list of legal actions leaves out."""
    for do, each in table.question.offers.items():
        offer: Any = each
        if do == "deal":
            if offer.seats and rng.random() < naming:
                cards = rng.sample([*offer.game.pack.unaccounted()], offer.counts[offer.seats[0]])
                yield Action("deal", rng.choice(offer.seats), cards=tuple(cards))
        elif do == "discard":
            if offer.seats:
                hand = offer.game.hands[rng.choice(offer.seats)]
                if not hand.complete and rng.random() >= naming:
                    yield Action("discard", hand.seat)
                else:
                    held = rng.sample([*hand.candidates(offer.game.deck)], offer.count)
                    yield Action("discard", hand.seat, cards=tuple(held))
        elif do == "show" and isinstance(offer.game, CribGame):
            unseen = rng.sample([*offer.game.pack.unaccounted()], offer.size - len(offer.game.crib))
            yield Action("show", "crib", cards=(*offer.game.crib, *unseen))
        elif isinstance(offer, ShowBrown):
            seat = rng.choice(offer.seats)
            brown = [card for card in offer.game.deck.cards if card.suit == "brown"]
            yield Action("show", seat, cards=tuple(rng.sample(brown, offer.game.hands[seat].size)))
        elif not offer.listed and (first := [*islice(offer.actions(), _SAMPLED)]):
            yield rng.choice(first)


def any_action(table: Table, pick: int) -> Action:
    """Return any action that a record could hold: mostly illegal, of this game or another."""
    rng = random.Random(pick)
    game = load_game(table.header.game)
    deck = game.deck if rng.random() < 0.9 else STANDARD_DECK
    words = (*(word.name for word in game.words), "accept", "revoke", "nonsense")

    def card() -> Card:
        return Card(rng.choice(("1S", "5X", "joker")), "") if rng.random() < 0.1 else rng.choice(deck.cards)

    do = rng.choice([*table.question.offers] if rng.random() < 0.8 and not table.over else [*KEYS])
    needed, allowed = KEYS[do]
    keys = [*needed, *(key for key in allowed if rng.random() < 0.7)]
    players = len(table.header.players)
    seat: Any = table.turn if table.turn is not None and rng.random() < 0.6 else rng.randrange(players)
    values: dict[str, Any] = {
        "seat": "crib" if do == "show" and rng.random() < 0.4 else seat,
        "card": card(),
        "cards": tuple(card() for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 5, 6, 7)))),
        "word": rng.choice(words),
        "against": rng.randrange(players),
    }
    # A discard of no card is written like one that names no cards.
    return Action(do, **{key: values[key] for key in keys if key in needed or values[key] != ()})
