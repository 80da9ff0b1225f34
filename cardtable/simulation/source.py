"""The simulated table as a source of frames: `synthetic:all-fives?players=2&seed=7&marks=faces`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from cardtable.errors import UsageError, suggestion
from cardtable.simulation import stage
from cardtable.simulation.director import Act, Director, Fingers, GaveUp, ShownBoard, with_buttons
from cardtable.simulation.places import Place
from cardtable.simulation.players import Players
from cardtable.simulation.robots import ROBOTS, load_robots, robot_names
from cardtable.simulation.sprites import KINDS, Marks
from cardtable.simulation.stage import FAST, FPS, PACES, Faces, Movement, Pace, Stage
from engine.actions import Action
from engine.cards import SUIT_NAMES, Card, UnknownCard, parse_card
from engine.errors import HeaderError
from engine.games import DEFAULT_GAME, game_names, load_game, word_marks
from engine.record import Header
from engine.texts import span, text
from engine.views import Prompt, View
from vision.frames import Frame
from vision.marks.names import CARDS
from vision.mat.layout import lay_out

__all__ = ["NAMES", "ROBOTS", "Act", "Setting", "SyntheticSource", "marks_for", "parse_setting"]


# Parse the settings of a source, written like the query of a URL: `synthetic:its-15?players=3&seed=7`.


def settings(source: str, query: str, known: tuple[str, ...]) -> dict[str, str]:
    """Return the settings in `query`; the last value of a repeated key. Raises `UsageError` for an unknown key."""
    values: dict[str, str] = dict(parse_qsl(query, keep_blank_values=True))
    for key in values:
        if key not in known:
            message = "{source} has no {key!r}, it has {names}{guess}"
            guess = suggestion(key, known)
            raise UsageError(text(message, source=source, key=key, names=", ".join(known), guess=guess))
    return values


# A simulated hand that shows a deck to the camera: `synthetic:deck?game=its-15&marks=plain&seed=3`.
#
# It lays card by card, or several on the table at a time.

_REST: Final = 14
"""Frames for which a card stays on the table, and for which the table then stays empty."""
_MOST: Final = 6
"""Number of cards that fit on the table side by side."""
_PITCH_MM: Final = (150.0, 130.0)
"""Distance between the middles of cards that lie beside and above one another, millimetres."""


@dataclass(frozen=True, slots=True)
class ShowSetting:
    """Which deck is shown: each different card of `game`, or the cards `only` if there are any.

    `at_once`: how many cards are laid before they are taken away, 1 to 6.
    """

    game: str = DEFAULT_GAME
    marks: Marks = "faces"
    seed: int = 1
    only: tuple[Card, ...] = ()
    at_once: int = 1
    pace: Pace = FAST

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order in which they are shown."""
        return self.only or tuple(load_game(self.game).deck)


def parse_show(query: str) -> ShowSetting:
    """Return the settings after `synthetic:deck?`. Raises `UsageError` if one is unknown or has a wrong value."""
    values = settings("synthetic:deck", query, ("game", "marks", "seed", "cards", "at_once", "pace"))
    game = values.get("game", DEFAULT_GAME)
    if game not in game_names():
        raise UsageError(
            text(
                "synthetic:deck: there is no game {game!r}{guess}; games: {names}",
                game=game,
                guess=suggestion(game, game_names()),
                names=", ".join(game_names()),
            )
        )
    ordinary = all(card.suit in SUIT_NAMES for card in load_game(game).deck)
    wanted = values.get("marks", "faces" if ordinary else "plain")
    marks = next((marks for marks in KINDS if marks == wanted), None)
    if marks is None:
        raise UsageError(text("marks are {names}, not {value!r}", names=", ".join(KINDS), value=wanted))
    try:
        only = tuple(parse_card(name) for name in values["cards"].split(",")) if "cards" in values else ()
        seed = int(values.get("seed", 1))
    except UnknownCard as error:
        raise UsageError(text("synthetic:deck: {error}", error=str(error))) from error
    except ValueError:
        raise UsageError(text("synthetic:deck: a seed is a whole number, as in seed=7")) from None
    at_once = values.get("at_once", "1")
    if at_once not in map(str, range(1, _MOST + 1)):
        raise UsageError(text("synthetic:deck: at_once is 1 to {most}, not {value!r}", most=_MOST, value=at_once))
    if (pace := values.get("pace", "fast")) not in PACES:
        raise UsageError(text("synthetic:deck: the pace is fast or human, not {value!r}", value=pace))
    return ShowSetting(game, marks, seed, only, int(at_once), PACES[pace])


class DeckShow:
    """A `FrameSource`: a hand lays each card, or some at a time, on the empty table, and takes them away.

    It ends after the last card.
    """

    live = False

    def __init__(self, setting: ShowSetting) -> None:
        self.name = f"synthetic:deck-{setting.game}-{setting.marks}-{setting.seed}"
        self._mat = lay_out(2, load_game(setting.game).zones)
        self.stage: Final = Stage(self._mat, setting.marks, setting.pace, setting.seed)
        self._rng = random.Random(setting.seed)
        self._script = self._show(setting.cards, setting.at_once)
        self._number = 0

    def read(self) -> Frame | None:
        """Return the next frame; None after the last card."""
        if next(self._script, None) is None:
            return None
        seconds = self._number / FPS
        frame = Frame(self.stage.frame(seconds), seconds, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """Do nothing: the source holds no resources."""

    def _show(self, cards: Sequence[Card], at_once: int) -> Iterator[bool]:
        yield from self._wait()
        for first in range(0, len(cards), at_once):
            some = cards[first : first + at_once]
            shown = [self.stage.card(card, 0, self._place(number, len(some))) for number, card in enumerate(some)]
            for card in shown:
                yield from self._done(stage.lay(self.stage, card))
            yield from self._wait()
            away = stage.lift(self.stage, shown[0]) if len(shown) == 1 else stage.sweep(self.stage, 0, shown)
            yield from self._done(away)
            yield from self._wait()

    def _place(self, number: int, of: int) -> Place:
        """Return where a card lies: near the middle, or one of up to six in two rows."""
        width, height = self._mat.size_mm
        x, y = width / 2, height / 2
        if of == 1:
            x, y = x + self._rng.uniform(-60, 60), y + self._rng.uniform(-40, 40)
            return Place((x, y), self._rng.uniform(-25, 25), None)
        across, along = _PITCH_MM
        x += across * (number % 3 - 1) + self._rng.uniform(-8, 8)
        y += along * (number // 3 - 0.5) + self._rng.uniform(-6, 6)
        return Place((x, y), self._rng.uniform(-12, 12), None)

    def _done(self, movement: Movement) -> Iterator[bool]:
        doing = self.stage.start(movement, 0)
        while not doing.done:
            yield True

    def _wait(self) -> Iterator[bool]:
        for _ in range(_REST):
            yield True


NAMES: Final = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")


@dataclass(frozen=True, slots=True)
class Setting:
    """The game that is played on the simulated table, and how. `pace`: `fast` or `human` (30 frames per second).

    `known`: cards are dealt and laid away across readers, or laid open before a camera, so that the table knows the
    hands. `options`: the options of the game that are not the defaults, by name.
    """

    game: str = DEFAULT_GAME
    players: int = 2
    seed: int = 1
    marks: Marks = "faces"
    pace: str = "human"
    known: bool = False
    options: tuple[tuple[str, bool | int | str], ...] = ()

    def check(self) -> None:
        """Raise `UsageError` if robots cannot play this."""
        load_robots(self.game)
        game = load_game(self.game)
        if self.players not in game.seats:
            message = "{title} is for {span} players, not {players}"
            raise UsageError(text(message, title=game.title, span=span(game.seats), players=self.players))
        if self.seed < 0:
            raise UsageError(text("a seed is a whole number from 0, not {seed}", seed=self.seed))
        if self.marks not in KINDS:
            raise UsageError(text("marks are {names}, not {value!r}", names=", ".join(KINDS), value=self.marks))
        usual = marks_for(self.game)
        if usual == "qr" and self.marks != "qr":
            raise UsageError(
                text("{game} has words or cards for which there is no ArUco mark: take qr", game=self.game)
            )
        if usual == "aruco" and self.marks == "faces":
            raise UsageError(
                text("{game} has cards of its own, which are read by their marks: take aruco or qr", game=self.game)
            )
        if self.known and not load_robots(self.game).deals:
            raise UsageError(text("in {game} the hands are secret: leave --known out", game=self.game))
        if self.pace not in PACES:
            raise UsageError(text("the pace is fast or human, not {pace!r}", pace=self.pace))
        try:
            self.header.check()
        except HeaderError as error:
            raise UsageError(str(error)) from error

    @property
    def header(self) -> Header:
        """The game's header. It names a first dealer (`seed` modulo `players`) only if the game does not cut for it."""
        dealer = None if load_robots(self.game).cut_for_deal else self.seed % self.players
        return Header.new(self.game, NAMES[: self.players], dealer, dict(self.options))

    @property
    def name(self) -> str:
        """A name that differs for all different settings."""
        options = "".join(f"-{name}={value}" for name, value in self.options)
        return f"{self.game}-{self.players}-{self.seed}-{self.marks}{'-known' if self.known else ''}{options}"


def marks_for(game: str) -> Marks:
    """Return the default marks of `game`: printed faces if it is played with an ordinary pack, otherwise ArUco marks.

    Games of other packages may have words or cards without an ArUco mark; they get QR codes.
    """
    if game not in robot_names():
        return "faces"
    kind = load_game(game)
    if not (set(kind.deck) <= set(CARDS.values()) and kind.vocabulary.keys() <= word_marks(game).keys()):
        return "qr"
    return "faces" if all(card.suit in SUIT_NAMES for card in kind.deck) else "aruco"


def parse_option(game: str, written: str) -> tuple[str, bool | int | str]:
    """Return the name and the value of an option of `game`, written like `target=5` or `honours=true`.

    The value has the type of the option's default if it can be read so. `Setting.check` refuses an unknown option and a
    wrong value.
    """
    name, _, value = written.partition("=")
    default = next((option.default for option in load_game(game).options if option.name == name), "")
    if isinstance(default, bool):
        return name, {"true": True, "false": False}.get(value, value)
    if isinstance(default, int) and value.lstrip("-").isdecimal():
        return name, int(value)
    return name, value


def fewest_players(game: str) -> int:
    """Return the smallest number of players of `game` ("": the default game); 2 if it is not installed."""
    name = game or DEFAULT_GAME
    return load_game(name).seats[0] if name in game_names() else 2


def parse_setting(spec: str) -> Setting:
    """Parse a source without `synthetic:`, such as `all-fives?players=3&seed=7`. Raises `UsageError` if it is wrong."""
    game, _, query = spec.partition("?")
    values = settings("synthetic:", query, ("players", "seed", "marks", "pace"))
    try:
        players, seed = int(values.get("players", fewest_players(game))), int(values.get("seed", 1))
    except ValueError:
        raise UsageError(text("synthetic: players and seed are whole numbers, as in players=2&seed=7")) from None
    game = game or DEFAULT_GAME
    marks = next((marks for marks in KINDS if marks == values.get("marks", marks_for(game))), None)
    if marks is None:
        raise UsageError(text("marks are {names}, not {value!r}", names=", ".join(KINDS), value=values["marks"]))
    setting = Setting(game, players, seed, marks, values.get("pace", "human"))
    setting.check()
    return setting


def actions_of(setting: Setting, hands: int | None = None) -> int:
    """Return how many actions the robots do in the game, or in its first `hands` hands."""
    return sum(act.action is not None for act in robots_of(setting).acts(hands))


def robots_of(setting: Setting, across: bool = False) -> Players:
    """Return the robots that play this game; they play it in the same way each time.

    `across`: the table sees with readers, so known hands are dealt across them and not laid open.
    """
    rng = random.Random(f"{setting.game}/{setting.players}/{setting.seed}")
    robots = load_robots(setting.game)(setting.header, rng)
    robots.across, robots.opens = setting.known and across, setting.known and not across
    return robots


class SyntheticSource:
    """A `FrameSource`: a camera over a table at which robots play. It ends with the game.

    `already`: the actions in the record of an unfinished game, which the robots resume. `sleep`: called with seconds to
    keep the frame rate; None to return frames without waiting. `fingers`: say words with buttons. `faces`: the deck,
    as for `Stage`. `hands`: end after this many hands of the game; None to play all of it.
    """

    live = False

    def __init__(
        self,
        setting: Setting,
        already: Sequence[Action] = (),
        sleep: Callable[[float], None] | None = None,
        fingers: Fingers | None = None,
        faces: Faces | None = None,
        hands: int | None = None,
    ) -> None:
        self.name = f"synthetic:{setting.name}"
        mat = lay_out(setting.players, load_game(setting.game).zones)
        self.stage: Final = Stage(
            mat, setting.marks, PACES[setting.pace], setting.seed, word_marks(setting.game), faces
        )
        acts = robots_of(setting).acts(hands)
        if fingers is not None:
            acts = with_buttons(acts, load_game(setting.game).vocabulary)
        self.director: Final = Director(self.stage, acts, random.Random(setting.seed), already, fingers=fingers)
        self.gave_up: str | None = None
        """Why the robots gave up; None if they have not."""
        self._script: Iterator[None] = self.director.run()
        self._number = 0
        self._sleep = sleep
        self._started = time.monotonic()
        self._ended = False

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Let the robots see the board: `view` and `prompts` return what it shows now."""
        self.director.board = ShownBoard(view, prompts)

    def read(self) -> Frame | None:
        """Return the next frame; None after the game, or after the robots gave up."""
        if self._ended:
            return None
        seconds = self._number / FPS
        if self._sleep:
            self._sleep(max(self._started + seconds - time.monotonic(), 0.0))
        try:
            next(self._script)
        except StopIteration:
            self._ended = True
        except GaveUp as reason:
            self._ended, self.gave_up = True, str(reason)
        frame = Frame(self.stage.frame(seconds), seconds, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """End the source; it holds no resources."""
        self._ended = True
