"""Cut the journal before each action of whole games, resume there, and play to the end: every game must finish.

A game is planned by the robots of the simulated table. Its journal is written up to one action and opened as `run`
opens it; then robots and referee play on. Each cut is tried with two states of the table:

- as it was when the last action in the journal was done;
- as it is after the players have gone on by some acts while the program was down: cards laid for the next action, the
  action itself, a trick gathered.

The camera is an imitation (`Eye`): it reports the cards on the stage some frames late, some of them at first without a
face, and never sees a card that lies face down when it starts. Some cuts are also played with rendered frames and the
real vision to the end of the next hand; from there the imitation camera takes over. A game is finished if the robots
reach its end and the record has exactly the planned actions.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Final

from cardtable.evening.playing import Parts, one_game, open_game
from cardtable.journal.journal import Journal
from cardtable.simulation.checking import first_difference
from cardtable.simulation.director import Act, Director, GaveUp, ShownBoard
from cardtable.simulation.source import marks_for
from cardtable.simulation.stage import FAST, FPS, SimulatedCard, Stage
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.live_game import LiveGame
from engine.games import HOUSE, load_game, word_marks
from engine.table import Table
from engine.views import Prompt, View
from lab.torture.bare_stage import BareStage, Eye, known_mat
from lab.torture.cut_games import Cut, Journals, Plan, cuts, plan, standing
from lab.torture.harness import Figure, Scale
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame

GAMES: Final = 6
"""Games that are cut before every action, for each game and number of players."""
RENDERED: Final = 40
"""Cuts with rendered frames, for each game."""
LONGEST: Final = 40_000
"""Frames after which a game counts as stuck: 22 minutes."""


_MEMORY: Final = next((folder for folder in ("/dev/shm",) if Path(folder).is_dir()), None)
"""Where journals are written fast; None: the folder for temporary files."""


@dataclass(eq=False)
class ResumedDirector(Director):
    """Players who resume a game, `ahead` acts further than the journal if these acts make at most one action."""

    ahead: int = 0
    _ahead: list[tuple[Act, SimulatedCard | None]] = field(default_factory=list)

    def _catch_up(self) -> Iterator[Act]:
        rest = super()._catch_up()
        for act in islice(rest, self.ahead):
            for spot in act.takes:
                self.stage.take(self._take(spot))
            card = self._new_card(*act.lays, act.seat) if act.lays else None
            if card:
                self._lying.append(card)
                self.stage.put(card)
            self._ahead.append((act, card))
            if act.action:
                break
        return chain([act for act, _ in self._ahead], rest)

    def _perform(self, act: Act) -> Iterator[None]:
        if not self._ahead:
            yield from super()._perform(act)
            return
        act, card = self._ahead.pop(0)
        if card:
            self._group.append(card)
            if act.expect:
                yield from self._until_seen(act, act.expect, card)
        elif act.expect and not (yield from self._shown(act.expect, act.seat, again=False)):
            raise GaveUp(f"what was done while the program was down does not show: {act.kind} {act.action}")


class RenderedTable:
    """The simulated table of a `director` as a source of frames."""

    live = False
    name = "rendered"

    def __init__(self, director: Director) -> None:
        self.director = director
        self.gave_up: str | None = None
        self._script = director.run()
        self._ended = False
        self._number = 0

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Let the players see the board."""
        self.director.board = ShownBoard(view, prompts)

    def read(self) -> Frame | None:
        """Return the next frame; None after the game, or after the robots gave up."""
        if self._ended:
            return None
        try:
            next(self._script)
        except StopIteration:
            self._ended = True
        except GaveUp as reason:
            self._ended, self.gave_up = True, str(reason)
        seconds, number = self._number / FPS, self._number
        self._number += 1
        return Frame(self.director.stage.frame(seconds), seconds, number)

    def close(self) -> None:
        """End the source."""
        self._ended = True


def resume(plan: Plan, path: Path, cut: Cut) -> str | None:
    """Resume the cut game and play to its end; return what went wrong, None if nothing did."""
    rng = random.Random(f"{plan.name}/{cut}")
    mat = known_mat(plan.header.game, len(plan.header.players))
    with closing(Journal(path)) as journal:
        past = open_game(journal, plan.header)
        if past != plan.actions[: cut.action]:
            return f"{len(past)} actions are resumed"
        director = ResumedDirector(BareStage(mat, rng), iter(plan.acts), rng, standing(past), ahead=cut.ahead)
        table = Table(plan.header)
        live = LiveGame(table, journal, (), past, ["camera"])
        director.board = ShownBoard(lambda: live.snapshot.view, lambda: live.snapshot.prompts)
        eye, script = Eye(director.stage, rng), director.run()
        for frame in range(LONGEST):
            try:
                next(script)
            except StopIteration:
                return _fault(plan, director, journal, table)
            except GaveUp as reason:
                return f"{reason}; asked for: {[prompt.text for prompt in live.snapshot.prompts]}"
            time = frame / FPS
            director.stage.move_on(time)
            if scene := eye.look(time):
                live.take(scene)
            live.pass_time("camera", time)
    return f"it does not end within {LONGEST} frames"


def resume_rendered(plan: Plan, path: Path, cut: Cut) -> str | None:
    """Resume the cut game with rendered frames to the end of the next hand, then as `resume` does to its end."""
    rng = random.Random(f"rendered/{plan.name}/{cut}")
    game, marks = plan.header.game, marks_for(plan.header.game)
    mat = mat_for(plan.header)
    stage = Stage(mat, marks, FAST, rng.getrandbits(16), word_marks(game))
    with closing(Journal(path)) as journal:
        past = open_game(journal, plan.header)
        if past != plan.actions[: cut.action]:
            return f"{len(past)} actions are resumed"
        source = RenderedTable(ResumedDirector(stage, iter(plan.acts), rng, standing(past), ahead=cut.ahead))
        camera = CameraPipeline(source, mat, card_readers([marks], None, game))
        until = _after_next_hand(plan, cut.action)
        with one_game(Parts(plan.header, [camera], journal, past)) as playing:
            table = playing.table
            playing.run(until=lambda: camera.ended or until <= len(source.director.done) < len(plan.actions))
            if source.gave_up:
                return f"{source.gave_up}; asked for: {[prompt.text for prompt in playing.game.snapshot.prompts]}"
            if camera.ended:
                return _fault(plan, source.director, journal, table)
            if difference := first_difference(table.actions, plan.actions[: len(table.actions)], source.director.again):
                return difference
    return resume(plan, path, Cut(until, 0))


def _after_next_hand(plan: Plan, action: int) -> int:
    """Return the number of actions at the end of the hand after the one in which `action` falls."""
    turns = [number for number, each in enumerate(plan.actions) if each.do == "turn" and number >= action]
    return turns[1] if len(turns) > 1 else len(plan.actions)


def _fault(plan: Plan, director: Director, journal: Journal, table: Table) -> str | None:
    """Return why the game was not played as planned or not stored as played; None if it was both."""
    if not table.over:
        return "the robots have finished, the table has not"
    if difference := first_difference(table.actions, plan.actions, director.again):
        return difference
    number = journal.games.last()
    stored = () if number is None else standing(journal.games.read(number).actions)
    return None if tuple(stored) == table.actions else "the journal has other actions than the table"


def run(scale: Scale) -> Iterator[Figure]:
    """Resume before each action of `GAMES` games of each kind, and `RENDERED` times with rendered frames.

    If the scale is less than one game of each kind, only some cuts of one game are tried.
    """
    for game in HOUSE:
        if scale.has(f"{game}, imitated"):
            yield _imitated(game, scale)
    for game in HOUSE:
        if scale.has(f"{game}, rendered"):
            yield _rendered(game, scale)


def some(every: Sequence[Cut], share: float, rng: random.Random) -> Sequence[Cut]:
    """Return all cuts, or a random `share` of them below 1, at least one."""
    return every if share >= 1 else rng.sample(every, max(1, round(share * len(every))))


def _imitated(game: str, scale: Scale) -> Figure:
    tried, games, failures = 0, 0, []
    begin = time.monotonic()
    for players in load_game(game).seats:
        for seed in range(scale.seed, scale.seed + scale.of(GAMES)):
            whole = plan(game, players, seed)
            games += 1
            with tempfile.TemporaryDirectory(dir=_MEMORY) as folder:
                journals = Journals(whole, Path(folder))
                for cut in some(list(cuts(whole, random.Random(seed))), scale.share * GAMES, random.Random(seed)):
                    journals.cut(cut.action)
                    tried += 1
                    if fault := resume(whole, journals.path, cut):
                        failures.append(f"{whole.name}, {cut}: {fault}")
            scale.report(f"{whole.name}: {tried} cuts so far, {len(failures)} failed, {time.monotonic() - begin:.0f} s")
    what = "cut before each action" if scale.share * GAMES >= 1 else "cut before some actions"
    return Figure(f"{game}, {what}", tried, tuple(failures), f"{games} games, imitated camera")


def _rendered(game: str, scale: Scale) -> Figure:
    rng = random.Random(f"rendered/{game}/{scale.seed}")
    failures = []
    times = scale.of(RENDERED)
    for number in range(times):
        whole = plan(game, rng.choice(list(load_game(game).seats)), scale.seed + number)
        cut = rng.choice(list(cuts(whole, rng)))
        with tempfile.TemporaryDirectory(dir=_MEMORY) as folder:
            journals = Journals(whole, Path(folder))
            journals.cut(cut.action)
            if fault := resume_rendered(whole, journals.path, cut):
                failures.append(f"{whole.name}, {cut}, rendered: {fault}")
        scale.report(f"{whole.name}, {cut}, rendered: {len(failures)} failed")
    return Figure(f"{game}, rendered to the end of the next hand", times, tuple(failures), "the real vision")
