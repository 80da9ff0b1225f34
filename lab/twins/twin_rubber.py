"""Rubber bridge and Chicago here, and written a second time in this file.

It is written from the Laws of Contract Bridge (72 to 81) and docs/reference/games/bridge.md alone, by another hand than
the engine's, and shares no code with it. The deals are bid at random, and played out or claimed.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

NAMES: Final = ("North", "East", "South", "West")
RANKS: Final = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
STRAINS: Final = ("c", "d", "h", "s", "nt")
PASSES: Final = 0.5
"""Probability that a player passes although another call is possible."""
JUMPS: Final = 0.02
"""Probability of each bid that is more than three steps above the last one."""
SORTED: Final = 0.3
"""Probability that the pack is sorted by suits, and that it is sorted by ranks."""
CLAIMS: Final = 0.7
"""Probability that a deal ends with a claim."""

DIFFERENCES: Final = (
    ("the other implementation", "the engine", "this file: written from the laws and the game's page by another hand"),
    ("revokes", "as in duplicate", "none; compared by the twin `revokes`"),
)


class Contract(NamedTuple):
    """What is played. `doubled`: 1, 2 or 4."""

    level: int
    strain: str
    doubled: int
    declarer: int


class Scored(NamedTuple):
    """What a contract scores: `below` the line and `above` it for the declarer's side, `set` for the other one."""

    below: int = 0
    above: int = 0
    set: int = 0


def scored(contract: Contract, vulnerable: bool, tricks: int) -> Scored:
    """Return what the contract scores with so many tricks, without games and honours."""
    level, strain, doubled, _ = contract
    more = tricks - 6 - level
    if more < 0:
        if doubled == 1:
            return Scored(set=-more * (100 if vulnerable else 50))
        steps = [200, 300, 300] if vulnerable else [100, 200, 200]
        return Scored(set=sum((steps + [300] * 10)[:-more]) * doubled // 2)
    trick = 20 if strain in "cd" else 30
    below = doubled * (trick * level + (10 if strain == "nt" else 0))
    each = trick if doubled == 1 else (200 if vulnerable else 100) * doubled // 2
    slam = {6: 750 if vulnerable else 500, 7: 1500 if vulnerable else 1000}.get(level, 0)
    return Scored(below, more * each + slam + {1: 0, 2: 50, 4: 100}[doubled])


class Sheet:
    """The score of a rubber, or of the four deals of Chicago, by side. `below`: the part-scores of this game."""

    def __init__(self, chicago: bool) -> None:
        self.chicago = chicago
        self.total = [0, 0]
        self.below = [0, 0]
        self.games = [0, 0]
        self.deals = 0

    def vulnerable(self, side: int, dealer: int) -> bool:
        """Return whether a side is vulnerable in the next deal."""
        if self.chicago:
            return self.deals == 3 or (self.deals in (1, 2) and dealer % 2 == side)
        return self.games[side] > 0

    @property
    def over(self) -> bool:
        """Whether the last deal has been scored."""
        return self.deals == 4 if self.chicago else max(self.games) == 2

    def enter(self, contract: Contract, dealer: int, tricks: int) -> None:
        """Score a deal."""
        side = contract.declarer % 2
        vulnerable = self.vulnerable(side, dealer)
        below, above, down = scored(contract, vulnerable, tricks)
        self.deals += 1
        self.total[side] += below + above
        self.total[1 - side] += down
        self.below[side] += below
        if self.below[side] >= 100:
            self.below = [0, 0]
            self.games[side] += 1
            if self.chicago:
                self.total[side] += 500 if vulnerable else 300
            elif self.games[side] == 2:
                self.total[side] += 500 if self.games[1 - side] else 700
        elif self.chicago and self.deals == 4 and below:
            self.total[side] += 100


def honours(strain: str, seen: list[list[Card]]) -> list[int]:
    """Return what each side scores for honours in one hand. `seen`: the cards of each seat that were seen."""
    found = [0, 0]
    for seat, cards in enumerate(seen):
        if strain == "nt":
            found[seat % 2] += 150 * (sum(card.rank == "A" for card in cards) == 4)
        else:
            held = sum(card.suit == strain.upper() and card.rank in ("A", "K", "Q", "J", "10") for card in cards)
            found[seat % 2] += {4: 100, 5: 150}.get(held, 0)
    return found


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    chicago, counted, dealer = rng.random() < 0.3, rng.random() < 0.5, rng.randrange(4)
    options = {"scoring": "chicago" if chicago else "rubber", "honours": counted}
    table, sheet = Table(Header("bridge", NAMES, dealer, options)), Sheet(chicago)
    while not sheet.over:
        agree("dealer", table.view().dealer, dealer, table)
        hands = deal(rng, table, known := rng.random() < 0.5)
        dealt = [list(hand) for hand in hands]
        contract = bid(rng, table, dealer)
        if contract is None:
            dealer = dealer if chicago else (dealer + 1) % 4
            continue
        tricks, seen = play_out(rng, table, contract, hands)
        sheet.enter(contract, dealer, tricks)
        for side, points in enumerate(honours(contract.strain, dealt if known else seen) if counted else ()):
            sheet.total[side] += points
        agree("scores", list(table.scores), sheet.total, table)
        dealer = (dealer + 1) % 4
    best = tuple(side for side in (0, 1) if sheet.total[side] == max(sheet.total))
    agree("winners", (table.over, table.winners), (True, best), table)
    return len(table.actions)


def deal(rng: random.Random, table: Table, known: bool) -> list[list[Card]]:
    """Deal all cards, sometimes badly shuffled, so that honours come together."""
    pack = rng.sample(STANDARD_DECK.cards, 52)
    if rng.random() < SORTED:
        pack.sort(key=lambda card: "SHDC".index(card.suit) + 2 * rng.random())
    elif rng.random() < SORTED:
        pack.sort(key=lambda card: RANKS.index(card.rank) + 2 * rng.random())
    hands = [pack[13 * seat : 13 * seat + 13] for seat in range(4)]
    for seat, hand in enumerate(hands):
        if known:
            table.do(Action("deal", seat, cards=tuple(hand)))
    return hands


def bid(rng: random.Random, table: Table, dealer: int) -> Contract | None:
    """Bid at random on both sides, after comparing what may be called."""
    bids = [f"{level}{strain}" for level in range(1, 8) for strain in STRAINS]
    calls: list[tuple[int, str]] = []
    highest, doubled, seat = -1, 1, dealer
    while not (len(calls) > 3 and [call for _, call in calls[-3:]] == ["pass"] * 3):
        may = bids[highest + 1 :]
        holder = next((who for who, call in reversed(calls) if call in bids), seat)
        if highest >= 0 and (holder - seat) % 2 and doubled == 1:
            may = [*may, "double"]
        if highest >= 0 and (holder - seat) % 2 == 0 and doubled == 2:
            may = [*may, "redouble"]
        agree("turn", table.turn, seat, table)
        ours = {action.word for action in table.legal_actions() if action.do == "say"}
        agree("calls", ours, {"pass", *may}, table)
        call = "pass"
        if may and rng.random() > PASSES:
            call = rng.choice([word for word in may if word not in bids[highest + 4 :] or rng.random() < JUMPS] or may)
        calls.append((seat, call))
        table.do(Action("say", seat, word=call))
        if call in bids:
            highest, doubled = bids.index(call), 1
        doubled *= 2 if call in ("double", "redouble") else 1
        seat = (seat + 1) % 4
    if highest < 0:
        return None
    strain = bids[highest][1:]
    holder = next(who for who, call in calls if call == bids[highest])
    first = next(who for who, call in calls if call[1:] == strain and call in bids and (who - holder) % 2 == 0)
    return Contract(int(bids[highest][0]), strain, doubled, first)


def play_out(
    rng: random.Random, table: Table, contract: Contract, hands: list[list[Card]]
) -> tuple[int, list[list[Card]]]:
    """Play at random until a claim or the last card; return the declarer's tricks, and the cards that were played."""
    declarer, trump = contract.declarer, contract.strain.upper()
    leader, won = (declarer + 1) % 4, [0, 0]
    seen: list[list[Card]] = [[] for _ in hands]
    last = rng.randrange(52) if rng.random() < CLAIMS else 52
    trick: list[Card] = []
    for number in range(52):
        if number == last and number:
            remaining = 13 - sum(won)
            claimant = rng.choice([seat for seat in range(4) if (seat - declarer) % 4 != 2])
            needed = contract.level + 6 - won[declarer % 2]
            claimed = min(max(needed + rng.choice((-2, -1, 0, 0, 0, 1)), 0), remaining)
            if (claimant - declarer) % 2:
                claimed = remaining - claimed
            table.do(Action("say", claimant, word="claim"))
            table.do(Action("say", claimant, word=str(claimed)))
            others = [seat for seat in range(4) if seat != claimant and (seat - declarer) % 4 != 2]
            for seat in sorted(others, key=lambda seat: (seat - claimant) % 4):
                table.do(Action("say", seat, word="accept"))
            won[claimant % 2] += claimed
            return (won[declarer % 2] if claimant % 2 == declarer % 2 else 13 - won[claimant % 2]), seen
        seat = (leader + len(trick)) % 4
        follow = [card for card in hands[seat] if trick and card.suit == trick[0].suit]
        card = rng.choice(follow or hands[seat])
        hands[seat].remove(card)
        table.do(Action("play", seat, card))
        trick.append(card)
        seen[seat].append(card)
        if len(trick) == 4:
            suit = trump if any(each.suit == trump for each in trick) else trick[0].suit
            best = max((each for each in trick if each.suit == suit), key=lambda each: RANKS.index(each.rank))
            leader = (leader + trick.index(best)) % 4
            won[leader % 2] += 1
            trick = []
    return won[declarer % 2], seen
