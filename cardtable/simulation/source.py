"""The simulated table as a source of frames: `synthetic:all-fives?players=2&seed=7&marks=faces`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.errors import UsageError
from cardtable.simulation.acts import Act
from cardtable.simulation.director import Director, GaveUp, ShownBoard
from cardtable.simulation.fingers import Fingers, PressingDirector, with_buttons
from cardtable.simulation.pace import FAST, FPS, HUMAN
from cardtable.simulation.robots import ROBOTS, load_robots, robot_names
from cardtable.simulation.settings import settings
from cardtable.simulation.stage import Faces, Stage
from cardtable.simulation.textures import KINDS, Marks
from engine.actions import Action
from engine.cards import SUIT_NAMES
from engine.errors import HeaderError
from engine.games import DEFAULT_GAME, game_names, load_game, word_marks
from engine.record import Header
from engine.referee.prompts import Prompt
from engine.texts import span, text
from engine.views import View
from vision.frames import Frame
from vision.marks.names import CARDS
from vision.table.mat import lay_out

NAMES: Final = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")


@dataclass(frozen=True, slots=True)
class Setting:
    """The game that is played on the simulated table, and how. `pace`: `fast` or `human` (30 frames per second).

    `known`: cards are dealt and laid away across readers, or laid open before a camera, so that the table knows the
    hands. `options`: the options of
    the game that are not the defaults, by name.
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
            raise UsageError(text("marks are {names}, not {given!r}", names=", ".join(KINDS), given=self.marks))
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
        if self.pace not in ("fast", "human"):
            raise UsageError(text("the pace is fast or human, not {pace!r}", pace=self.pace))
        try:
            self.header.check()
        except HeaderError as error:
            raise UsageError(str(error)) from error

    @property
    def header(self) -> Header:
        """The game's header. It names a first dealer (`seed` modulo `players`) only if the game does not cut for it."""
        dealer = None if load_robots(self.game).cut_for_deal else self.seed % self.players
        return Header(self.game, NAMES[: self.players], dealer, dict(self.options))

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


def parse_option(game: str, given: str) -> tuple[str, bool | int | str]:
    """Return the name and the value of an option of `game`, written like `target=5` or `honours=true`.

    The value has the type of the option's default if it can be read so. `Setting.check` refuses an unknown option and a
    wrong value.
    """
    name, _, value = given.partition("=")
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
        raise UsageError(text("marks are {names}, not {given!r}", names=", ".join(KINDS), given=values["marks"]))
    setting = Setting(game, players, seed, marks, values.get("pace", "human"))
    setting.check()
    return setting


class SyntheticSource:
    """A `FrameSource`: a camera over a table at which robots play. It ends with the game.

    `already`: the actions in the record of an unfinished game, which the robots resume. `sleep`: called with seconds to
    keep the frame rate; None to return frames without waiting. `fingers`: say words with buttons. `faces`: the deck,
    as for `Stage`.
    """

    live = False

    def __init__(
        self,
        setting: Setting,
        already: Sequence[Action] = (),
        sleep: Callable[[float], None] | None = None,
        fingers: Fingers | None = None,
        faces: Faces | None = None,
    ) -> None:
        header = setting.header
        pace = FAST if setting.pace == "fast" else HUMAN
        self.name = f"synthetic:{setting.name}"
        mat = lay_out(setting.players, load_game(setting.game).zones)
        self.stage: Final = Stage(mat, setting.marks, pace, setting.seed, word_marks(setting.game), faces)
        rng = random.Random(f"{setting.game}/{setting.players}/{setting.seed}")
        robots = load_robots(setting.game)(header, rng)
        robots.opens = setting.known
        self.director: Final = _director(
            self.stage, robots.acts(), random.Random(setting.seed), already, fingers, setting.game
        )
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


def _director(
    stage: Stage, acts: Iterator[Act], rng: random.Random, already: Sequence[Action], fingers: Fingers | None, game: str
) -> Director:
    if fingers is None:
        return Director(stage, acts, rng, already)
    director = PressingDirector(stage, with_buttons(acts, load_game(game).vocabulary), rng, already)
    director.fingers = fingers
    return director


def open_synthetic(spec: str) -> SyntheticSource:
    """Open the simulated table described by `spec`, the source without `synthetic:`. Raises `UsageError`."""
    return SyntheticSource(parse_setting(spec))


__all__ = ["NAMES", "ROBOTS", "Act", "Setting", "SyntheticSource", "marks_for", "open_synthetic", "parse_setting"]
