"""Skat here and in OpenSpiel: six deals a game, each from the declarer's skat to the last card."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

import pyspiel

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.games.skat import EYES
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

PLAYERS: Final = 3
DEALT: Final = 32
ROUNDS: Final = 2
GAMES: Final = {"diamonds": "diamond", "hearts": "heart", "spades": "spade", "clubs": "club"}
"""OpenSpiel's names of the suit games, by the names used here."""

DIFFERENCES: Final = (
    ("bidding", "by values, 18 to 264", "each seat in turn names a game or passes; the same seat plays here for 18"),
    ("order", "the skat is laid away, then the game is named", "the game is named first; both are compared at the end"),
    ("hand, announcements", "schneider, schwarz, ouvert", "none; not played here"),
    ("score", "the value of the game, or minus twice the value", "card points; here those are compared"),
    ("null", "won or lost", "card points too; the end at the declarer's first trick is compared"),
    ("deals", "as many as the option `rounds` says", "one"),
)


@cache
def cards() -> tuple[Card, ...]:
    """Return the card of each of OpenSpiel's action numbers."""
    state = pyspiel.load_game("skat").new_initial_state()
    names = [state.action_to_string(0, action) for action in range(DEALT)]
    return tuple(parse_card(name[1] + name[0]) for name in names)


def play(seed: int) -> int:
    """Play the deals of this seed on both sides. Return the number of actions compared."""
    rng, compared = random.Random(seed), 0
    table = Table(Header("skat", ("Ann", "Bo", "Cy"), rng.randrange(PLAYERS), {"rounds": ROUNDS}))
    while not table.over:
        compared += play_deal(rng, table)
    agree("winners", {table.scores[seat] for seat in table.winners}, {max(table.scores)}, table)
    return compared


def play_deal(rng: random.Random, table: Table) -> int:
    """Play one deal on both sides. Return the number of actions compared."""
    before, forehand = table.scores, ((table.view().dealer or 0) + 1) % PLAYERS
    other = pyspiel.load_game("skat").new_initial_state()
    while other.current_player() < 0:
        other.apply_action(rng.choice(other.legal_actions()))
    hands = hands_of(other)
    for player, hand in enumerate(hands):
        table.do(Action("deal", (player + forehand) % PLAYERS, cards=tuple(hand)))
    game = make_bids(rng, table, other, forehand)
    if game is None:
        agree("scores", table.scores, before, table)
        return PLAYERS
    seat = (other.current_player() + forehand) % PLAYERS
    skat = take_skat(rng, table, other, seat)
    table.do(Action("say", seat, word=game))
    trick, won, plays = list[Card](), list[Card](), 0
    while not other.is_terminal():
        winner = play_card(rng, table, other, forehand, trick)
        plays += 1
        if winner is not None:
            won += trick if winner == seat else ()
            trick.clear()
    score_agrees(table, other, (seat - forehand) % PLAYERS, game, won, skat)
    return plays + PLAYERS + 1


def hands_of(other: Any) -> list[list[Card]]:
    """Return the cards of each player, from the signs in OpenSpiel's text."""
    ranks = dict(zip("1789abde", ("A", "7", "8", "9", "10", "J", "Q", "K"), strict=True))
    hands = []
    for line in str(other).splitlines():
        if line.startswith("Player "):
            codes = [f"{ord(sign) - 0x1F0A0:02x}" for sign in line.split(":")[1].split()]
            hands.append([Card(ranks[code[1]], "SHDC"[int(code[0])]) for code in codes])
    return hands


def make_bids(rng: random.Random, table: Table, other: Any, forehand: int) -> str | None:
    """Let one player name a game in OpenSpiel and bid 18 here. Return the word of the game; None if all pass."""
    for player in range(PLAYERS):
        names = {other.action_to_string(player, action): action for action in other.legal_actions()}
        name = "unknown/pass" if rng.random() < 0.3 else rng.choice(sorted(names))
        other.apply_action(names[name])
        if name != "unknown/pass":
            for call in (("1 pass", "2 pass", "0 18"), ("1 18", "0 pass", "2 pass"), ("1 pass", "2 18", "0 pass"))[
                player
            ]:
                table.do(Action("say", (int(call[0]) + forehand) % PLAYERS, word=call[2:]))
            return GAMES.get(name, name)
    for place in (1, 2, 0):
        table.do(Action("say", (place + forehand) % PLAYERS, word="pass"))
    return None


def take_skat(rng: random.Random, table: Table, other: Any, seat: int) -> list[Card]:
    """Take up the skat and lay two cards away on both sides; return these."""
    table.do(Action("say", seat, word="take-up"))
    held = {cards()[action] for action in other.legal_actions()}
    agree("cards with the skat", set(table.view(seat).hands[seat].cards), held, table)
    laid = []
    for _ in range(2):
        action = rng.choice(other.legal_actions())
        laid.append(cards()[action])
        other.apply_action(action)
    table.do(Action("discard", seat, cards=tuple(laid)))
    return laid


def play_card(rng: random.Random, table: Table, other: Any, forehand: int, trick: list[Card]) -> int | None:
    """Play a card on both sides, after comparing whose turn it is and what may be played.

    Return the winner of the trick if it is complete. `trick`: the cards in it; the new one is added.
    """
    seat, legal = (other.current_player() + forehand) % PLAYERS, other.legal_actions()
    mine = {(each.seat, each.card) for each in table.legal_actions() if each.do == "play"}
    agree("legal plays", mine, {(seat, cards()[action]) for action in legal}, table)
    action = rng.choice(legal)
    trick.append(cards()[action])
    other.apply_action(action)
    outcome = table.do(Action("play", seat, cards()[action]))
    agree("end of the hand", any(event.event == "hand-over" for event in outcome.events), other.is_terminal(), table)
    winner = next((event.seat for event in outcome.events if event.event == "trick"), None)
    if winner is not None and not other.is_terminal():
        agree("trick", winner, (other.current_player() + forehand) % PLAYERS, table)
    return winner


def score_agrees(table: Table, other: Any, player: int, game: str, cards_won: list[Card], skat: list[Card]) -> None:
    """Compare the card points of the declarer, and who has won."""
    won = table.view().points[0].reason == "game-won"
    if game == "null":
        agree("null", won, not cards_won, table)
        return
    eyes = sum(EYES.get(card.rank, 0) for card in (*cards_won, *skat))
    agree("card points", eyes, round(other.returns()[player] * 120) + 60, table)
    agree("won", won, eyes > 60 and table.view().points[0].points > 0, table)
