"""The table: one game in progress, checked at every step, and the replay of a record.

>>> table = Table("all-fives", ["Ann", "Bo"], dealer=0)
>>> table
<Table all-fives: Ann 0, Bo 0; deal>
>>> table.do("turn 10H").moments[0].headline
'hearts are trumps'
>>> table.turn, table.legal_actions()
(1, <2 legal actions: 1 say stand, 1 say beg>)
>>> table.do("0 say beg")
Traceback (most recent call last):
    ...
engine.errors.Refused: Only Bo may say something now. (not-your-turn)
>>> table.undo().points, table.phase
((), 'deal')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from random import Random
from typing import Any, NamedTuple

from engine.actions import ACTION_KINDS, HIDING, KEYS, Action, BadAction
from engine.cards import Card
from engine.errors import Refused
from engine.games import load_game
from engine.record import Header, Record, bad_players, read_record
from engine.rules.offers import Hold
from engine.rules.questions import NOTHING, NotNow, Question
from engine.rules.sampling import random_hands
from engine.rules.state import Match
from engine.texts import text
from engine.views import Event, Feat, FeatKind, Moment, Point, TableCard, View, table_svg
from engine.words import Word


class Outcome(NamedTuple):
    """The result of one action: the points it scored, in the order scored, other events, and moments."""

    points: tuple[Point, ...] = ()
    events: tuple[Event, ...] = ()
    moments: tuple[Moment, ...] = ()


_QUIET = Outcome()


class LegalActions(list[Action]):
    """A list of actions whose repr lists them in the short notation, the first dozen if there are many."""

    __slots__ = ()

    def __repr__(self) -> str:
        listed = ", ".join(map(str, self[:12])) + (", ..." if len(self) > 12 else "")
        return f"<{len(self)} legal action{'' if len(self) == 1 else 's'}{': ' if self else ''}{listed}>"


class Table:
    """A game from its first action to its current state. Illegal actions are refused and change nothing.

    `print(table)` shows what everybody may see; a notebook shows the same as a picture.
    """

    # No state is stored for undo: it replays the actions since the start of the hand.

    def __init__(
        self, game: str | Header, players: Sequence[str] = (), dealer: int | None = None, **options: object
    ) -> None:
        """Begin a game.

        `game`: its name (see `engine.game_names`), or the header of a record, which holds all the rest. `players`:
        the names in clockwise order; seats are indices into it. `dealer`: the seat of the first dealer; without it
        the players cut for the deal. `options`: the game's options by name. Raises `HeaderError` if the game cannot
        be played like this.
        """
        if isinstance(players, str):
            raise bad_players(players)
        header = game if isinstance(game, Header) else Header.new(game, tuple(players), dealer, options)
        header.check()
        self.header = header
        self._kind = load_game(header.game)
        self._seats = frozenset((None, *range(len(header.players))))
        self._actions: list[Action] = []
        self._question: Question = NOTHING
        # For every hand begun (the first includes the cut): the number of actions before it, and the match as it was.
        self._begun: list[tuple[int, Match]] = []
        self._start()

    # Acting

    def do(self, action: Action | str) -> Outcome:
        """Do `action` and return its outcome.

        `action` may be text in the short notation (`Action.parse`); without a seat it is that of the seat on turn.
        Raises `Refused` if the action is against the rules, and `BadAction` if it is malformed or names a seat that
        does not exist; neither changes anything.
        """
        if isinstance(action, str):
            action = self._read(action)
        if action.seat not in self._seats or (action.against is not None and action.against not in self._seats):
            self._check_seats(action)
        question = self._question
        try:  # `question.check(action)`, without the time of a call for an action that is legal
            question.offers[action.do].check(action)
        except (KeyError, NotNow):
            if action.do == "undo":
                return self.undo()
            if action.do == "hold":
                return self._hold(action)
            question.check(action)
        game = self._game
        game.points = game.events = game.moments = ()
        try:
            self._question = self._rules.send(action)
        except StopIteration:
            self._begin_hand(len(self._actions) + 1)
        self._actions.append(action)
        if game.points or game.events or game.moments:
            return Outcome(game.points, game.events, game.moments)
        return _QUIET

    def undo(self) -> Outcome:
        """Take back the last accepted action. Raises `Refused` (`nothing-to-undo`) if there is none."""
        if not self._actions:
            raise Refused("nothing-to-undo", text("There is nothing to undo yet."))
        self._actions.pop()
        self._replay_hand()
        return _QUIET

    def can(self, action: Action | str) -> bool:
        """Return whether `do(action)` would be accepted now; False for an action that is malformed."""
        if isinstance(action, str):
            try:
                action = self._read(action)
            except BadAction:
                return False
        if action.do == "undo":
            return bool(self._actions)
        try:
            self._check_seats(action)
            (self._naming if action.do == "hold" else self._question).check(action)
        except (BadAction, Refused):
            return False
        return True

    def legal_actions(self) -> LegalActions:
        """Return every action accepted now, except the kinds `undo`, `deal`, `hold` and `expose`.

        For a hidden hand, every card that has not been seen elsewhere is legal. Cards laid away and shown are listed
        only if the table knows them; a hidden hand may lay cards away without naming them.
        """
        return LegalActions(self._question.known_actions())

    # Other tables

    def copy(self) -> Table:
        """Return an independent table in the same state."""
        return self._first(len(self._actions))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Table:
        return self.copy()

    def seen_by(self, seat: int | None) -> Table:
        """Return the table as `seat` may know it; with None, as everybody may.

        Cards of this hand that only others have seen are not named on it, so that their hands are hidden. What was
        asked only of a known hand is left out. Raises `Refused` if the rules allow an action only with known hands.
        """
        seen = self._first(self._begun[-1][0])
        known = seen.copy()
        for action in self._actions[len(seen.actions) :]:
            known.do(action)
            if action.do in HIDING and action.seat != seat:
                action = replace(action, cards=None)
            if seen.can(action) or action.do not in (*HIDING, "say"):
                seen.do(action)
            if seat is not None and known.holds(seat) and not seen.holds(seat):
                seen.do(Action("hold", seat, cards=known.holds(seat)))
        return seen

    def holds(self, seat: int) -> tuple[Card, ...]:
        """Return the cards in the hand of `seat` if it is known; empty if it is hidden or holds no card."""
        hand = self._game.hands[seat]
        return tuple(hand.known) if hand.complete else ()

    def deal_random(self, rng: Random) -> Table:
        """Return the table with every hidden hand known: with cards at random, as far as the table knows it may hold.

        In a game whose deck has several copies of a card, hidden hands stay hidden.
        """
        dealt = self.copy()
        for seat, cards in random_hands(dealt._game.pack, rng).items():
            action = Action("deal", seat, cards=cards)
            if dealt.can(action):
                dealt.do(action)
            else:
                dealt._actions.append(replace(action, do="hold"))
        dealt._replay_hand()
        return dealt

    # State

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions accepted and not undone, in order."""
        return tuple(self._actions)

    @property
    def question(self) -> Question:
        """The question that the rules ask now: who may do what."""
        return self._question

    @property
    def phase(self) -> str:
        """One of `cut deal discard turn say play bid show over`."""
        return self._question.phase

    @property
    def turn(self) -> int | None:
        """The one seat that must act next, or None."""
        return self._question.turn

    @property
    def drawing_says(self) -> str | None:
        """The word that drawing a card implies, or None in games without one."""
        return self._kind.drawing_says

    @property
    def vocabulary(self) -> Mapping[str, Word]:
        """The words of the game, by name."""
        return self._kind.vocabulary

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat, or by side if partners share a score."""
        return tuple(self._game.match.scores)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._game.match.over

    @property
    def between_hands(self) -> bool:
        """Whether nothing of the present hand has happened yet; the last trick of the one before may be gathered."""
        return not self.over and all(action.do == "gather" for action in self._actions[self._begun[-1][0] :])

    @property
    def hand_starts(self) -> tuple[int, ...]:
        """For each hand begun, the first including the cut: the number of actions before it."""
        return tuple([done for done, _ in self._begun])

    @property
    def turns_up(self) -> bool:
        """Whether cards are turned up in the game: its mat has a zone for them."""
        return not set(ACTION_KINDS["turn"].zones).isdisjoint(self._kind.zones)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats (or sides) that have won; empty until the game is over."""
        return self._game.match.winners

    @property
    def result(self) -> dict[str, Any]:
        """The game's result besides scores and winners, such as `skunk` in cribbage."""
        return self._game.result()

    @property
    def feats(self) -> tuple[Feat, ...]:
        """What players will boast about, in the order in which it happened."""
        return self._game.match.feats

    @property
    def feat_kinds(self) -> Mapping[str, FeatKind]:
        """The records that are kept of the game, by name."""
        return self._kind.feat_kinds

    @property
    def deal_data(self) -> dict[str, Any]:
        """More about this deal for programs, such as the `vulnerable` sides in bridge."""
        return self._game.deal_data()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about the end of the game, besides who has won."""
        return self._game.remarks()

    @property
    def lying(self) -> tuple[TableCard, ...]:
        """The cards that lie face up on the table, in the order in which they were laid."""
        return tuple(self._game.lying())

    def view(self, seat: int | None = None) -> View:
        """Return the table as `seat` may see it; with None, as everybody may."""
        return self._game.view(self._question, seat)

    def __repr__(self) -> str:
        return f"<Table {self.view().summary()}>"

    def __str__(self) -> str:
        return str(self.view())

    def _repr_svg_(self) -> str:
        return table_svg(self.view())

    # Running the rules

    def _first(self, count: int) -> Table:
        """Return an independent table on which the first `count` actions were done."""
        table = object.__new__(type(self))
        table.header, table._kind, table._seats = self.header, self._kind, self._seats
        table._actions, table._begun = self._actions[:count], self._begun.copy()
        table._replay_hand()
        return table

    def _replay_hand(self) -> None:
        """Do the actions since the start of the hand of the last one again: its points and events show again."""
        done, match = self._begun.pop()
        while done and done >= len(self._actions):
            done, match = self._begun.pop()
        self._start(done, match.copy())
        again = self._actions[done:]
        del self._actions[done:]
        for place, action in enumerate(again):
            if action.do == "hold":  # as known as if it had been before the action that dealt the cards
                self._game.hand_of(action).become_known(action.cards or ())
                self._actions.append(action)
                continue
            named = [*takewhile(lambda each: each.do == "hold", again[place + 1 :])]
            for each in named:
                self._game.hand_of(each).told = each.cards or ()
            self.do(action)
            for each in named:
                self._game.hand_of(each).told = ()

    def _start(self, done: int = 0, match: Match | None = None) -> None:
        """Start the rules at the first hand, or at the hand that `match` has come to after `done` actions."""
        self._game = self._kind(self.header.players, self.header.dealer, self.header.options)
        if match is not None:
            self._game.match = match
        self._course = self._game.course()
        self._begin_hand(done)

    def _begin_hand(self, done: int) -> None:
        """Begin the next hand, or the cut, after `done` actions, up to its first question."""
        self._question = NOTHING
        for rules in self._course:
            match = self._game.match
            if match.hands >= len(self._begun):
                self._begun.append((done, match.copy()))
            if (question := next(rules, None)) is not None:
                self._rules, self._question = rules, question
                return

    @property
    def _naming(self) -> Question:
        """The question for the cards of a hidden hand, which may be named whatever the rules ask."""
        asked = self._question
        return Question(asked.phase, asked.turn, {"hold": Hold(self._game, asked.offers)})

    def _hold(self, action: Action) -> Outcome:
        """Learn the cards of a hidden hand."""
        self._naming.check(action)
        self._actions.append(action)
        self._replay_hand()
        return _QUIET

    def _read(self, written: str) -> Action:
        """Read the short notation; a missing seat is the one on turn. Raises `BadAction`."""
        action = Action.parse(written)
        if action.seat is None and "seat" in KEYS[action.do][0]:
            if self.turn is None:
                raise BadAction(text("{written!r} needs a seat: “0 {written}”", written=written))
            action = replace(action, seat=self.turn)
        return action

    def _check_seats(self, action: Action) -> None:
        """Raise `BadAction` for a seat that does not exist. Only what is shown can be the crib's."""
        for seat in (action.seat, action.against):
            if seat not in self._seats and (seat, action.do) != ("crib", "show"):
                last = len(self.header.players) - 1
                raise BadAction(text("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=last))


def replay(lines: Iterable[str | bytes], legal: bool = False) -> Iterator[dict[str, Any]]:
    """Replay the record in `lines`; yield one answer per action, then the result.

    `legal`: also list the legal actions after each action. The answers are dictionaries as docs/reference/record.md
    describes them ("Replaying"). The whole record is read first: raises `RecordError` at the call.

    >>> lines = [
    ...     '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}',
    ...     '{"do": "turn", "card": "QH"}',
    ... ]
    >>> [answer["phase"] for answer in replay(lines) if "phase" in answer]
    ['say']
    """
    return answers(read_record(lines), legal)


def answers(record: Record, legal: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the answers to the actions of `record`, then the result; as `replay` does."""
    table = Table(record.header)
    accepted = 0
    for number, action in zip(record.lines, record.actions, strict=True):
        out = answer_to(table, action, number)
        accepted += out["ok"]
        if legal:
            out["legal"] = [action.to_json() for action in table.question.actions()]
        yield out
    yield {
        "over": table.over,
        "winners": list(table.winners),
        "scores": list(table.scores),
        "accepted": accepted,
        "refused": len(record.actions) - accepted,
        **table.result,
    }


def answer_to(table: Table, action: Action, number: int) -> dict[str, Any]:
    """Do `action` on the table and return its answer. `number`: the number of its line, from 2."""
    outcome, refused = Outcome(), None
    try:
        outcome = table.do(action)
    except Refused as refusal:
        refused = refusal
    return answer(number, outcome, table.scores, table.turn, table.phase, refused)


def answer(
    number: int,
    outcome: Outcome,
    scores: Sequence[int],
    turn: int | None,
    phase: str,
    refusal: Refused | None = None,
) -> dict[str, Any]:
    """Return the answer to an action, as `answer_to` does, from values that were kept.

    `number`: the line of the action. `scores`, `turn`, `phase`: those of the table after the action.
    """
    out: dict[str, Any] = {"n": number, "ok": refusal is None}
    if refusal is not None:
        out |= {"error": refusal.code, "message": refusal.message}
    return out | {
        "scores": list(scores),
        "turn": turn,
        "phase": phase,
        "points": [_point(point) for point in outcome.points],
        "events": [_event(event) for event in outcome.events],
    }


def _point(point: Point) -> dict[str, Any]:
    return {"seat": point.seat, "points": point.points, "for": point.reason}


def _event(event: Event) -> dict[str, Any]:
    out: dict[str, Any] = {"event": event.event}
    if event.seat is not None or event.won:
        out["seat"] = event.seat
    if event.card is not None:
        out["card"] = str(event.card)
    return out
