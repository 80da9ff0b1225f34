"""The shape of the state that the board sends: one `TypedDict` for each screen.

The key `screen` names the screen: `lobby`, `game`, `result` or `asleep`. mypy checks the code that builds the states
against these types. The JSON Schema (`cardtable.web.server`) and the tables of docs/reference/interface.md are
generated from them.

Strings described as a sentence, a name or a label for people are in the table's language. Names of games, words, zones
and reasons are for programs.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.table.messages import SHAPE, Role

# Parts that several screens share.


class Menu(TypedDict):
    """The menu that a seat has opened with its button or encoder."""

    seat: int
    """The seat whose button or encoder controls it."""
    title: str
    """What is to be chosen."""
    entries: list[str]
    """The labels of the entries."""
    chosen: int
    """Index of the entry that a long press, or a press of the encoder, chooses."""
    spoken: str
    """The title and the chosen entry, for speech."""


class You(TypedDict):
    """The device that the state is for."""

    role: Role
    """`board`: a page or program on the table's own machine; `director`: a device that knows the PIN; `seat`: a phone
    that was paired with a player; `spectator`: any other device."""
    seat: int | None
    """The seat at which its player sits now; None if it has no player, or the player does not sit at the table."""
    name: str
    """Such as `board`, or `seat 0: Ann`."""
    player: str | None
    """The player to whom the phone belongs."""
    may: list[Literal["say", "accuse", "undo", "correct", "host"]]
    """The messages that are accepted from it now: `say` words of its seat, `accuse` for its seat, `undo` the last
    action, `correct` the record, and `host`: everything that concerns the evening."""
    hand: list[str]
    """The known cards of its hand; empty without a seat."""


class AskState(TypedDict):
    """A phone that asks for the place of a player who has a phone already, for `/phone/answer`."""

    id: int
    player: str
    device: str


class PhoneState(TypedDict):
    """A paired device."""

    id: int
    """Its number, for `/phone/remove`."""
    player: str | None
    """None for a director who does not play."""
    seat: int | None
    """Where the player sits now; None if the player does not sit at the table."""
    director: bool
    device: str
    """The system that its browser reports, such as `Android`; may be empty."""
    connected: bool
    """Whether it has a page open."""


EVERYBODY: Final[You] = {"role": "spectator", "seat": None, "name": "spectator", "player": None, "may": [], "hand": []}
"""The `you` of a state until it is sent, when each page gets its own."""


@with_config(SHAPE)
class Common(TypedDict):
    """The keys that every state has. The screens, and the parts that they contain, take over its configuration."""

    version: int
    """A number that grows with every state of the evening."""
    notice: str | None
    """A sentence to show until it is None again: what went wrong and what to do; or, if `calm`, a question that an
    action card answers, or who plays on; or a message from outside, such as a director's.
    """
    calm: bool
    """Whether the notice reports no fault."""
    trouble: str | None
    """Why nothing can be stored now; None if storing works."""
    menu: Menu | None
    """The menu that is open; None if there is none."""
    you: You
    phones: list[PhoneState]
    """The paired devices; empty for all but the board and the director."""
    asks: list[AskState]
    """The phones that the board has to answer; empty for all but the board and the director."""


def common(trouble: str | None = None) -> Common:
    """Return the common keys of a new state, without announcements and not yet addressed to a device."""
    return {
        "version": 0,
        "notice": None,
        "calm": False,
        "trouble": trouble,
        "menu": None,
        "you": EVERYBODY,
        "phones": [],
        "asks": [],
    }


class TallyEntry(TypedDict):
    """One player's finished games of this evening."""

    name: str
    played: int
    won: int
    shared: int
    """The number of games won together with another side."""


class Tally(TypedDict):
    """The evening so far. It begins with the first game after *good night*, or after six hours without a game."""

    games: int
    players: list[TallyEntry]
    """The best first."""


# The state during a game.


class Claim(TypedDict):
    """A seat that can be accused with a word."""

    seat: int
    cards: list[str]
    """The cards that can be named, if `card` is needed."""
    costs: str
    """What the accusation costs, as a sentence for people; empty if the game does not say."""


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


class GameWord(TypedDict):
    """A word of the game."""

    word: str
    label: str
    """The text of its button, in English (the page translates it); empty if it is the word itself."""
    group: str
    """As in a seat's words."""
    needs: list[str]
    """What a message with this word must name: `against`, `card`."""


class CallState(TypedDict):
    """A call in an auction."""

    seat: int
    word: str
    """A word of the game; a bid of points goes with the word for its trumps, such as `100-heart`."""


class SeatNoteState(TypedDict):
    """What is shown beside a seat, besides its name and its score."""

    role: str
    """What its player is in this hand, such as “declarer”; may be empty."""
    gained: int | None
    """The points of this hand so far; None in games whose players do not look at them."""
    cards: list[str]
    """Cards that it has taken and that everybody wants to know, the most important first."""
    compass: str
    """`N`, `E`, `S` or `W` in games whose players are called so; otherwise empty."""
    vulnerable: bool


class PosterState(TypedDict):
    """What the players look at most."""

    figure: str
    """Such as “4 ♠” or “24”."""
    lines: list[str]
    """What explains it, such as “South”, “doubled”."""


class TallyState(TypedDict):
    """What one party of this hand has won."""

    figure: int
    name: str
    need: str
    """Such as “of 9”; may be empty."""


class MomentState(TypedDict):
    """Something that an action has brought about and that the whole board shows once, such as a slam."""

    n: int
    """The `n` of the action in the history."""
    kind: str
    """Such as `revoke`, `trumps`, `last-trick` or `won`."""
    headline: str
    seat: int | None
    """Whose moment it is; None if it is nobody's."""
    cards: list[str]
    captions: list[str]
    """A sentence beside each card; empty without them."""
    follows: str
    """What follows, as a sentence; may be empty."""


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
    note: SeatNoteState
    words: list[WordChoice]
    """What it may say now, limited to what the receiving device may say for this seat."""


class LyingCard(TypedDict):
    """A card that lies face up by the record."""

    card: str
    zone: str
    seat: int | None
    n: int | None
    """The `n` in `history` of the action that laid it; None if no action that stands has laid it."""
    others: list[str]
    """Other cards that it may be according to the camera that sees it, the likeliest first."""


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
    """For each of `cards`, then for the starter: the `n` in `history` of the action that laid it; None if it was never
    laid face up."""
    value: int
    """The result: the points, or in some games the sum of the cards."""
    sets: list[CountedSet]
    """What scores, in the order counted."""


class LastPoints(TypedDict):
    """What was scored last."""

    fresh: bool
    """Whether the very last action scored it."""
    list: list[Points]


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


class SourceTrouble(TypedDict):
    """Whether a source works."""

    name: str
    camera: bool
    """Whether it has a picture."""
    trouble: str | None
    """What is wrong and what to do, as a sentence; None if nothing is."""
    works: bool
    """Whether it reports what it sees, even if it does so badly, as in a glare."""


class OtherGameState(TypedDict):
    """A game that the same players can play, for `change-game`."""

    game: str
    title: str


class TableState(Common):
    """What a game shows while it is played and after its end."""

    n: int
    """The number of accepted actions, including undos; an `undo` repeats it."""
    game: str
    title: str
    rules: bool
    """Whether `/rules.json` has the rules of the game."""
    phase: str
    """`cut deal discard turn say play bid show over`."""
    turn: int | None
    """The seat that must act; None unless it is exactly one seat."""
    actor: int | None
    """The seat of the player who acts: the seat on turn, or the one that plays its cards for it, as for a dummy."""
    target: int | None
    """The score that ends the game; None in games without one."""
    hand: int
    """The number of this hand, from 1."""
    poster: PosterState | None
    """The largest figure of the board, such as the contract or the trumps; None for none."""
    tallies: list[TallyState]
    """What the parties of this hand have won; empty, or two of them."""
    led: str | None
    """The suit led to the trick that lies on the table."""
    taker: int | None
    """The seat that has won the complete trick on the table; None without one."""
    sheet: list[list[int]]
    """What each side has scored in each hand that is over; empty in games with a cribbage board."""
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
    others: list[OtherGameState]
    """The other games for that many players."""
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
    ones only, `placed` on the board by a note, the poster or a tally, or as a `symbol` of its own (trumps)."""
    prompts: list[PromptState]
    points: LastPoints
    moments: list[MomentState]
    """Those of the last actions, oldest first."""
    history: list[HistoryEntry]
    """The last actions and corrections, newest first; `/actions.json` has all of them."""
    standing: str
    """The state of the game for speech: the scores, trumps, facts, the cards that lie face up."""
    spoken_facts: list[str]
    """A sentence for each fact that every display shows, such as the count; those that have changed are spoken."""
    sources: list[SourceTrouble]


class GameScreen(TableState):
    """A game that is played."""

    screen: Literal["game"]


# The state of the lobby: who plays what, and what the table sees.

Light = Literal["good", "warning", "bad"]


class Choice(TypedDict):
    """One value that an option may have."""

    value: str
    label: str


class OptionState(TypedDict):
    """An option of a game."""

    name: str
    kind: Literal["switch", "number", "choice"]
    """`switch`: true or false; `number`: a whole number; `choice`: one of `choices`."""
    label: str
    about: str
    """A sentence about it."""
    default: bool | int | str
    value: bool | int | str
    """The present value."""
    least: int | None
    """The smallest number; None without a limit."""
    usual: list[int]
    """Numbers that players often choose, in order."""
    choices: list[Choice]


class GameChoice(TypedDict):
    """A game that can be chosen."""

    game: str
    title: str
    about: str
    """A sentence about the game."""
    picture: str
    """Address of a small SVG picture, relative to the page."""
    rules: bool
    """Whether `/rules.json` has its rules."""
    seats: list[int]
    """The numbers of players that it is for."""
    options: list[OptionState]
    broken: str | None
    """The fault of its package, because of which it cannot be chosen; otherwise None."""


class Check(TypedDict):
    """One finding of the live check."""

    what: Literal["picture", "mat", "light", "focus", "cards", "connection", "reader"]
    state: Light
    text: str
    """What was found, such as “it sees the four corner marks”."""
    advice: str
    """What to do about it; empty if nothing."""


class SourceCheck(TypedDict):
    """The findings about one camera, reader board or other device."""

    name: str
    kind: Literal["camera", "readers", "buttons", "display", "voice"]
    state: Light
    """The worst of its checks."""
    checks: list[Check]
    picture: str | None
    """Address of its picture; None without a camera."""


class LobbyCard(TypedDict):
    """A card that a source sees now."""

    source: str
    card: str | None
    """Its name, such as `QS`; `say:` and a word for an action card; None if it cannot be read."""
    label: str
    """The card for people: `Q♠`."""
    zone: str | None
    seat: int | None
    sure: bool
    """Whether the reading is certain: the card was read, and can be no other."""


class UnfinishedGame(TypedDict):
    """A stored game that can be continued."""

    id: int
    game: str
    title: str
    players: list[str]
    scores: list[int]
    """The score of each side; empty if it is not known."""
    started: float
    """Seconds since 1970."""
    last: float
    """Time of the last action, seconds since 1970."""
    actions: int


class UnreadableGameEntry(TypedDict):
    """A stored game that is damaged or that the rules refuse."""

    id: int
    title: str
    players: list[str]
    started: float
    reason: str


class NextRoundState(TypedDict):
    """The round that this table is to play next, with its players."""

    round: int
    players: list[str]
    """The names, in seat order."""
    ready: bool
    """Whether the table has said that it is ready."""


class SetupLink(TypedDict):
    """A step of the first start that can be opened by itself, at `start?only=` and its name."""

    step: str
    label: str


class LobbyState(Common):
    """The lobby, before a game and between two games."""

    screen: Literal["lobby"]
    prompt: str
    """What to do next, as a sentence."""
    focus: Literal["game", "players"] | None
    """What the players returned to the lobby to change; None if that is not known."""
    games: list[GameChoice]
    game: str | None
    """The game chosen."""
    players: list[str]
    """The names, in seat order: clockwise, seat 0 at the bottom edge of the mat."""
    remembered: list[str]
    """Players who do not sit at the table now, most recent first."""
    most_players: int
    """The number of seats at the table."""
    dealer: int | None
    """The seat that deals first; None if the cut decides."""
    first_does: str
    """What that seat does in the chosen game, such as “deals first”."""
    is_cut_for: bool
    """Whether the players may cut for the first deal."""
    ready: bool
    """Whether `begin` is accepted."""
    asks_dealer: bool
    """Whether only `set-dealer` is missing before `begin` is accepted, because the players do not cut for the deal."""
    why_not: str | None
    """What is missing; None if the game can begin."""
    sources: list[SourceCheck]
    cards: list[LobbyCard]
    hands: int
    """For how many players cards lie at every seat; 0 if for none."""
    unfinished: list[UnfinishedGame]
    """The newest eight, newest first; `/history/games.json` has all of them."""
    unreadable: list[UnreadableGameEntry]
    """Newest first."""
    tally: Tally
    next_round: NextRoundState | None
    """None if no round is offered."""
    setup: list[SetupLink]
    """The steps of the first start that plug-ins offer in the lobby."""


# The state after the end of a game.


class SideResult(TypedDict):
    """A side at the end of a game."""

    name: str
    """The names of its players, such as “Ann and Cy”."""
    seats: list[int]
    score: int
    won: bool


class Decided(TypedDict):
    """The play that decided the game: the one that moved the score most for the winners since they were last not ahead.

    In a hand that is only counted at its end, it is the last trick with which somebody had what was needed.
    """

    text: str
    """What happened, as a sentence."""
    points: list[Points]
    """What was scored by it, or by its hand."""
    cards: list[str]
    """The card that was played, and those that lay face up beside it."""


class WayOn(TypedDict):
    """A choice that is offered after a game."""

    do: Literal["again", "other-game", "other-players", "good-night"]
    label: str
    about: str
    """What follows, as a sentence, such as who deals."""


class Result(TypedDict):
    """The result of a game."""

    id: int
    """Its number in the journal."""
    headline: str
    """Who won, as a sentence."""
    notes: list[str]
    """Further sentences about the end, such as a skunk, or what players are asked to check."""
    sides: list[SideResult]
    """The best first."""
    decided: Decided | None
    """None if nobody did better than others."""
    seconds: float
    """The time from the first to the last action."""
    tally: Tally
    ways_on: list[WayOn]


class ResultState(TableState):
    """A game that is over: everything of its last state, and the result."""

    screen: Literal["result"]
    result: Result


class AsleepState(Common):
    """Good night: lights, displays and voice are off, cameras and readers are closed."""

    screen: Literal["asleep"]
    text: str
    """How to wake the table, as a sentence."""
    tally: Tally
    """The evening that has ended."""
    keepsake: int | None
    """The number of its last game, of which the history has a picture of the evening; None without a game."""


State = LobbyState | GameScreen | ResultState | AsleepState
"""What `/state.json` and the WebSocket send."""
