"""Euchre here and in OpenSpiel: whole games, one deal after the other, with the options that both have."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

import pyspiel

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

PLAYERS: Final = 4
DEALT: Final = 20
LONE: Final = 0.3
"""Probability that a player plays alone."""

DIFFERENCES: Final = (
    ("length", "deals until a side has the target", "one deal, so each deal is a new state there"),
    ("alone", "said instead of ordering up, or before the suit", "asked after the dealer has laid a card away"),
    ("a dealer who sits out", "neither takes up the turn-up nor lays a card away", "does both; not compared"),
    ("lone defender", "against a lone maker only (option)", "against partners too; refused there"),
    ("score", "of the side that scores", "plus for one side and minus for the other"),
    ("farmer’s hand", "an option", "none; not played here"),
)


@cache
def cards() -> tuple[Card, ...]:
    """Return the card of each of OpenSpiel's action numbers."""
    state = pyspiel.load_game("euchre").new_initial_state()
    state.apply_action(0)
    names = [state.action_to_string(0, action) for action in range(24)]
    return tuple(parse_card(name[1] + name[0]) for name in names)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    stick, lone = rng.random() < 0.5, rng.random() < 0.5
    options = {"stick_the_dealer": stick, "lone_defender": lone, "target": rng.choice((2, 5, 10))}
    table = Table(Header("euchre", ("North", "East", "South", "West"), rng.randrange(PLAYERS), options))
    game = pyspiel.load_game("euchre", {"stick_the_dealer": stick, "allow_lone_defender": lone})
    compared = 0
    while not table.over:
        compared += Deal(rng, table, game.new_initial_state()).play()
    best = table.scores.index(max(table.scores))
    agree("winner", table.winners, (best,), table)
    agree("end", table.scores[best] >= options["target"], True, table)
    return compared


class Deal:
    """One deal on both sides. `compared`: the number of actions compared."""

    def __init__(self, rng: random.Random, table: Table, other: Any) -> None:
        self.rng = rng
        self.table = table
        self.other = other
        self.compared = 0

    def play(self) -> int:
        """Deal, make trumps and play to the last card on both sides. Return the number of actions compared."""
        dealer = self.table.view().dealer or 0
        self.deal(dealer)
        before = self.table.scores
        if self.make_trumps(dealer):
            lone = not all(hand.size for hand in self.table.view().hands)
            laid_away = self.choose(self.names()) if "Alone" not in self.names() else None
            self.other.apply_action(self.names()["Alone" if lone else "Partner"])
            while "Alone" in self.names():
                self.defend_alone(lone)
            if laid_away is not None and self.table.view().hands[dealer].size:
                self.lay_away(dealer, laid_away)
            while not self.other.is_terminal():
                self.play_card()
        gained = [new - old for old, new in zip(before, self.table.scores, strict=True)]
        agree("score", gained, [max(int(value), 0) for value in self.other.returns()[:2]], self.table)
        return self.compared

    def deal(self, dealer: int) -> None:
        """Deal the same cards on both sides, and turn one up."""
        self.other.apply_action(dealer)
        hands: list[list[Card]] = [[] for _ in range(PLAYERS)]
        for number in range(DEALT):
            hands[(number + dealer) % PLAYERS].append(cards()[self.choose(self.names())])
        for seat, hand in enumerate(hands):
            self.table.do(Action("deal", seat, cards=tuple(hand)))
        turned = cards()[self.choose(self.names())]
        self.table.do(Action("turn", card=turned))

    def names(self) -> dict[str, int]:
        """Return the number of each action that is legal there, by its name."""
        player = self.other.current_player()
        return {self.other.action_to_string(player, action): action for action in self.other.legal_actions()}

    def choose(self, names: dict[str, int]) -> int:
        """Choose and do one of OpenSpiel's actions, and return its number."""
        action = names[self.rng.choice(sorted(names))]
        self.other.apply_action(action)
        return action

    def make_trumps(self, dealer: int) -> bool:
        """Say the same words on both sides, and return whether anybody made trumps."""
        for calls in range(2 * PLAYERS):
            if self.other.is_terminal():
                return False
            seat, names = self.other.current_player(), self.names()
            agree("turn", self.table.turn, seat, self.table)
            takes = "take-up" if seat == dealer else "order-up"
            words = {name: takes if calls < PLAYERS else name[:-1].lower() for name in names} | {"Pass": "pass"}
            mine = {action.word for action in self.table.legal_actions() if action.do == "say"}
            agree("words", mine, {"alone", *(words[name] for name in names)}, self.table)
            self.compared += 1
            name = self.rng.choice(sorted(names))
            self.other.apply_action(names[name])
            alone = name != "Pass" and self.rng.random() < LONE
            if alone:
                self.table.do(Action("say", seat, word="alone"))
            if not alone or calls >= PLAYERS:
                self.table.do(Action("say", seat, word=words[name]))
            if name != "Pass":
                return True
        return False

    def defend_alone(self, lone: bool) -> None:
        """Ask one player to defend alone; here only against a lone maker."""
        seat = self.other.current_player()
        if not lone:
            self.other.apply_action(self.names()["Partner"])
            return
        agree("turn", self.table.turn, seat, self.table)
        self.compared += 1
        alone = self.rng.random() < LONE
        self.other.apply_action(self.names()["Alone" if alone else "Partner"])
        self.table.do(Action("say", seat, word="alone" if alone else "pass"))

    def lay_away(self, dealer: int, chosen: int) -> None:
        """Lay away the card that the dealer has laid away in OpenSpiel, after comparing the permitted ones."""
        held = {card for card in cards() if self.table.can(Action("discard", dealer, cards=(card,)))}
        agree("cards to lay away", held, set(self.table.view(dealer).hands[dealer].cards), self.table)
        self.compared += 1
        self.table.do(Action("discard", dealer, cards=(cards()[chosen],)))

    def play_card(self) -> None:
        """Play a card on both sides, after comparing whose turn it is and what may be played."""
        seat = self.other.current_player()
        mine = {(each.seat, each.card) for each in self.table.legal_actions() if each.do == "play"}
        agree("legal plays", mine, {(seat, cards()[action]) for action in self.other.legal_actions()}, self.table)
        self.compared += 1
        outcome = self.table.do(Action("play", seat, cards()[self.choose(self.names())]))
        winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
        if winner is not None and not self.other.is_terminal():
            agree("trick", winner, self.other.current_player(), self.table)
