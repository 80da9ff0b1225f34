"""The shape of the state during a game."""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.screen_parts import SHAPE, Common


@with_config(SHAPE)
class Claim(TypedDict):
    """A seat that can be accused with a word."""

    seat: int
    cards: list[str]
    """The cards that can be named, if `card` is needed."""
    costs: str
    """What the accusation costs, as a sentence for people; empty if the game does not say."""


@with_config(SHAPE)
class WordChoice(TypedDict):
    """A word that a seat may say now."""

    word: str
    needs: list[str]
    """What a message with this word must name: `against`, `card`."""
    label: NotRequired[str]
    """The text of its button, if it is not the word itself. English: the page translates it (`/texts.json`)."""
    group: NotRequired[str]
    """The button under which it is listed with the other words of this group; empty if it has a button of its own."""
    question: NotRequired[str]
    """The question that asks for the card, in English; may be empty."""
    against: NotRequired[list[int]]
    """The seats that can be named, if `against` is needed."""
    claims: NotRequired[list[Claim]]
    """For each seat in `against`, the cards and the cost."""
    cards: NotRequired[list[str]]
    """The cards that can be named, if `card` is needed."""


@with_config(SHAPE)
class GameWord(TypedDict):
    """A word of the game."""

    word: str
    label: str
    """The text of its button, in English (the page translates it); empty if it is the word itself."""
    group: str
    """As in a seat's words."""
    needs: list[str]
    """What a message with this word must name: `against`, `card`."""


@with_config(SHAPE)
class CallState(TypedDict):
    """A call in an auction."""

    seat: int
    word: str
    """A word of the game; a bid of points goes with the word for its trumps, such as `100-heart`."""


@with_config(SHAPE)
class SeatState(TypedDict):
    """A seat during a game."""

    name: str
    score: int
    """The score of its side."""
    won: int | None
    """Tricks or cards captured by its side, or by itself in a game with bids; None in games without."""
    bid: int | None
    """The number of tricks that it has bid; None before, and in games without such bids."""
    cards: int
    """The number of cards in its hand."""
    dealer: bool
    words: list[WordChoice]
    """What it may say now, as far as the device that the state is for may say it for this seat."""


@with_config(SHAPE)
class LyingCard(TypedDict):
    """A card that lies face up by the record."""

    card: str
    zone: str
    seat: int | None
    n: int | None
    """The `n` in `history` of the action that laid it; None if no action that stands has laid it."""
    others: list[str]
    """Other cards that it may be according to the camera that sees it, the likeliest first."""


@with_config(SHAPE)
class PicturedCard(TypedDict):
    """A card in the picture of a camera."""

    source: str
    id: str
    """Its identifier, for `name-card`."""
    card: str | None
    """None if it cannot be read."""
    n: int | None
    """The `n` in `history` of the action that it stands for; None if it does not count."""
    others: list[str]
    """Other cards that it may be, the likeliest first."""
    corners: list[list[float]]
    """Its corners, x and y, as fractions of the picture's width and height."""


@with_config(SHAPE)
class PromptState(TypedDict):
    """What a player should do."""

    kind: str
    seat: int | None
    text: str
    urgent: bool
    spoken: str
    """The text for speech: cards in words, and the name of the player that the game waits for."""


# `for` is a keyword of Python, so this one cannot be written as a class.
Points = TypedDict("Points", {"seat": int, "points": int, "for": str})


CountedSet = TypedDict("CountedSet", {"points": int, "for": str, "cards": list[str]})


@with_config(SHAPE)
class CountedHandState(TypedDict):
    """Cards that were counted at the end of a deal."""

    seat: int
    """The seat that scores them."""
    name: str
    """What they are called, such as “the crib”; empty for the seat's own cards."""
    cards: list[str]
    starter: str | None
    """The card that is counted with them."""
    lines: list[int | None]
    """For each of `cards`, then for the starter: the `n` in `history` of the action that laid it; None if everybody has
    seen no such action."""
    value: int
    """The result: the points, or in some games the sum of the cards."""
    sets: list[CountedSet]
    """What scores, in the order counted."""


@with_config(SHAPE)
class LastPoints(TypedDict):
    """What was scored last."""

    fresh: bool
    """Whether the very last action scored it."""
    list: list[Points]


@with_config(SHAPE)
class HistoryEntry(TypedDict):
    """An action that stands, or a correction."""

    n: int
    """Its line in the record; for a correction, the first line that it changed."""
    seat: int | None
    text: str
    points: list[Points]
    events: list[str]
    spoken: str
    """The action as a sentence for speech."""
    outcome: str
    """Its result for speech: points with their reasons, events, the scores if they changed; may be empty."""
    cards: NotRequired[list[str]]
    """Only in an action whose cards everybody has seen: those that `correct-card` can replace."""
    by: NotRequired[str]
    """Only in a correction: who made it, such as `board`."""


@with_config(SHAPE)
class SourceTrouble(TypedDict):
    """Whether a source works."""

    name: str
    camera: bool
    """Whether it has a picture."""
    trouble: str | None
    """What is wrong and what to do, as a sentence; None if nothing is."""
    works: bool
    """Whether it reports what it sees, even if it does so badly, as in a glare."""


@with_config(SHAPE)
class TableState(Common):
    """What a game shows while it is played and after its end."""

    n: int
    """The number of accepted actions, including undos; an `undo` repeats it."""
    game: str
    title: str
    phase: str
    """`cut deal discard turn say play bid show over`."""
    turn: int | None
    """The seat that must act; None if it is not one seat alone."""
    actor: int | None
    """The player who acts: that of the seat on turn, or the one who plays its cards for it, as for a dummy."""
    target: int | None
    """The score that ends the game; None in games without one."""
    sides: int
    """How many sides there are; seat `s` belongs to side `s % sides`."""
    trump: str | None
    """`S H D C` or None."""
    dealer_does: str
    """What the dealer does in this game, such as “deals”."""
    over: bool
    winners: list[int]
    """The sides that have won."""
    between_hands: bool
    """Whether players may join and leave now."""
    remembered: list[str]
    """Players who can join now, most recent first; empty within a hand."""
    seats: list[SeatState]
    words: list[GameWord]
    """All words of the game; those that a seat may say now are in `seats`."""
    auction: list[CallState]
    """The calls of the auction of this hand, in order; empty in games without one."""
    pegs: list[list[int]] | None
    """For each side its two pegs: the score before it scored last, and its score. None without a cribbage board."""
    peg_lines: list[int]
    """The scores at which the cribbage board has a line."""
    counts: list[CountedHandState]
    """The hands counted at the end of a deal, in order, until the next deal."""
    lying: list[LyingCard]
    seen: list[PicturedCard]
    """The cards that cameras see."""
    deck: list[list[str]]
    """For each suit or colour of the game's cards: its name, then its ranks or numbers."""
    restoring: int | None
    """The number of cards still to be moved after *The record is right*; None otherwise."""
    facts: list[list[str]]
    """What else is shown, each as name, name for people, value, and where it is shown: on `all` displays, on `large`
    ones only, or as a `symbol` of its own (trumps)."""
    prompts: list[PromptState]
    points: LastPoints
    history: list[HistoryEntry]
    """The last actions and corrections, newest first; `/actions.json` has all of them."""
    standing: str
    """The state of the game for speech: the scores, trumps, facts, the cards that lie face up."""
    spoken_facts: list[str]
    """A sentence for each fact that every display shows, such as the count; speech says those that have changed."""
    sources: list[SourceTrouble]


@with_config(SHAPE)
class GameScreen(TableState):
    """A game that is played."""

    screen: Literal["game"]
