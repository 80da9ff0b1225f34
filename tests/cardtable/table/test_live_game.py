"""A game in progress: actions are stored before they are shown, all of an observation or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from cardtable.table.snapshot import Snapshot
from engine.actions import Action
from engine.observations import Back, Hampered, Lost, Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.limits import full_disk
from tests.cardtable.scenes import Scenes
from tests.cardtable.shown import Shown
from tests.cardtable.stored import append
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


class Game:
    """A game with a real journal, and everything that it has shown."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.shown: list[Snapshot] = []
        self.stored_when_shown: list[tuple[Action, ...]] = []
        last = journal.last()
        if last is None:
            journal.begin(HEADER)
        else:
            journal.resume(last.id)
        self.scenes = Scenes()
        self.live = LiveGame(Table(HEADER), journal, [Shown(self.show)], last.actions if last else ())
        self.take = self.live.take

    def show(self, shown: Snapshot) -> None:
        self.shown.append(shown)
        self.stored_when_shown.append(self.stored)

    @property
    def stored(self) -> tuple[Action, ...]:
        last = self.journal.last()
        assert last is not None
        return last.actions

    @property
    def now(self) -> Snapshot:
        return self.shown[-1]

    @property
    def texts(self) -> str:
        return " ".join(prompt.text for prompt in self.now.prompts)

    def begin(self) -> None:
        """Hearts are trumps, Bo has stood and leads."""
        self.take(self.scenes.again())
        self.take(self.scenes.lay("2H", "turn-up"))
        self.take(Said(0.0, "page", 1, "stand"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


@pytest.fixture
def game(journal: Journal) -> Game:
    return Game(journal)


def test_actions_are_stored_before_they_are_shown(game: Game) -> None:
    game.begin()
    game.take(game.scenes.lay("10H", "play", 1))
    assert [entry.action for entry in game.now.history] == list(game.stored)
    assert [str(action.do) for action in game.stored] == ["turn", "say", "play"]
    for shown, stored in zip(game.shown, game.stored_when_shown, strict=True):
        assert stored[: shown.n] == tuple(entry.action for entry in shown.history)
        assert len(stored) == shown.n


def test_the_first_snapshot_shows_the_current_table(game: Game) -> None:
    assert game.now.n == 0 and game.now.view.phase == "deal"
    assert "Ann deals" in game.texts


def test_a_scene_without_changes_shows_nothing(game: Game) -> None:
    game.begin()
    count = len(game.shown)
    game.take(game.scenes.again())
    game.take(game.scenes.again())
    assert len(game.shown) == count


def test_a_card_against_the_rules_is_shown_and_not_stored(game: Game) -> None:
    game.begin()
    before = game.stored
    game.take(game.scenes.lay("10H", "play", 0))
    assert game.stored == before
    assert game.now.news == () and "Ann" in game.texts


def test_a_correction_is_stored_whole(game: Game) -> None:
    game.begin()
    game.take(game.scenes.lay("10H", "play", 1))
    game.take(game.scenes.lay("4H", "play", 0))
    game.take(game.scenes.turns_out("10H", "JH"))
    assert [entry.action for entry in game.now.news] == [
        Action("undo"),
        Action("undo"),
        action("1 play JH"),
        action("0 play 4H"),
    ]
    assert [entry.n for entry in game.now.news] == [6, 7, 8, 9], "the lines of the record"
    assert [entry.action for entry in game.now.history][2:] == [action("1 play JH"), action("0 play 4H")]
    assert game.stored[-4:] == tuple(entry.action for entry in game.now.news)


def test_undo_takes_the_last_action_back(game: Game) -> None:
    game.begin()
    game.take(UndoAsked(0.0, "page"))
    assert game.now.view.phase == "say"
    assert [entry.action.do for entry in game.now.history] == ["turn"]
    assert game.stored == (action("turn 2H"), action("1 say stand"), Action("undo"))


def test_an_undo_of_what_is_no_longer_last_is_ignored(game: Game) -> None:
    game.begin()
    shown = game.now
    game.take(UndoAsked(0.0, "page", actions=shown.n - 1))
    assert game.now is shown
    game.take(UndoAsked(0.0, "page", actions=shown.n))
    assert game.stored[-1] == Action("undo")


def test_a_source_is_lost_and_comes_back(game: Game) -> None:
    game.take(Lost(1.0, "camera", "Plug the camera in."))
    assert [source.trouble for source in game.now.sources] == ["Plug the camera in."]
    assert "Plug the camera in." in game.texts
    game.take(Back(2.0, "camera"))
    assert [source.trouble for source in game.now.sources] == [None]
    assert "Plug" not in game.texts


def test_a_source_that_works_badly_is_shown_until_it_works_well(game: Game) -> None:
    game.begin()
    game.take(Hampered(1.0, "camera", "The camera is slow."))
    game.take(game.scenes.lay("9H", "play", 1))
    assert game.stored[-1] == action("1 play 9H")
    assert "The camera is slow." in game.texts
    assert [source.trouble for source in game.now.sources] == ["The camera is slow."]
    game.take(Back(2.0, "camera"))
    assert "The camera is slow." not in game.texts


def test_a_restart_continues_the_game(path: Path) -> None:
    with closing(Journal(path)) as journal:
        game = Game(journal)
        game.begin()
        game.take(game.scenes.lay("10H", "play", 1))
        game.take(UndoAsked(0.0, "page"))
        game.take(game.scenes.lift("10H"))
        game.take(game.scenes.lay("JH", "play", 1))
        before, before_actions = game.now, game.stored
    with closing(Journal(path)) as journal:
        again = Game(journal)
        assert (again.now.n, again.now.view, again.now.history) == (before.n, before.view, before.history)
        assert again.now.news == ()
        again.take(game.scenes.again())
        assert again.stored == before_actions, "what lies there already is no new action"
        again.take(game.scenes.lay("4H", "play", 0))
        assert again.stored[-1] == action("0 play 4H")


def test_a_stored_game_that_the_rules_refuse(journal: Journal) -> None:
    journal.begin(HEADER)
    append(journal, [action("turn 2H"), action("0 play 3H")])
    with pytest.raises(JournalError, match=r"its line 3: .*Begin a new game with --new"):
        Game(journal)


def test_storing_fails_and_works_again(game: Game) -> None:
    game.begin()
    game.take(Lost(1.0, "left", "Plug the left camera in."))
    view, stored = game.now.view, game.stored
    with full_disk(game.journal.path.with_name("journal.sqlite-wal").stat().st_size):
        game.take(game.scenes.lay("10H", "play", 1))
        assert game.now.trouble is not None and "full" in game.now.trouble
        assert game.now.view == view and game.stored == stored and game.now.n == len(stored)
        assert game.now.news == ()
        assert "left camera" in game.texts
        # People go on laying cards and pressing buttons; nothing becomes part of the record.
        game.take(game.scenes.lay("4H", "play", 0))
        game.take(Said(5.0, "page", 0, "beg"))
        game.take(UndoAsked(6.0, "page"))
        game.live.retry_store()
        assert game.now.trouble is not None
        assert game.now.view == view and game.stored == stored
    game.live.retry_store()
    assert game.now.trouble is None
    assert game.stored == (*stored, action("1 play 10H"), action("0 play 4H"))
    assert [entry.action for entry in game.now.history] == list(game.stored)
    assert game.now.view.lying[-1].card == action("0 play 4H").card


def test_storing_fails_in_a_correction(game: Game) -> None:
    """The record is restored to its state before the correction."""
    game.begin()
    game.take(game.scenes.lay("10H", "play", 1))
    view, stored = game.now.view, game.stored
    with full_disk(game.journal.path.with_name("journal.sqlite-wal").stat().st_size):
        game.take(game.scenes.turns_out("10H", "JH"))
        assert (game.now.view, game.stored) == (view, stored)
        assert tuple(entry.action for entry in game.now.history) == stored
    game.live.retry_store()
    assert game.now.trouble is None
    assert game.now.view.lying[-1].card == action("1 play JH").card
    assert tuple(entry.action for entry in game.now.history) == (*stored, action("1 withdraw 10H"), action("1 play JH"))


def test_an_observation_tries_to_store_again_by_itself(game: Game) -> None:
    game.begin()
    with full_disk(game.journal.path.with_name("journal.sqlite-wal").stat().st_size):
        game.take(game.scenes.lay("10H", "play", 1))
    game.take(game.scenes.lay("4H", "play", 0))
    assert game.now.trouble is None
    assert game.stored[-2:] == (action("1 play 10H"), action("0 play 4H"))


def test_a_game_without_a_journal() -> None:
    shown: list[Snapshot] = []
    live = LiveGame(Table(HEADER), None, [Shown(shown.append)])
    scenes = Scenes()
    live.take(scenes.again())
    live.take(scenes.lay("2H", "turn-up"))
    live.retry_store()
    assert [entry.action for entry in shown[-1].history] == [action("turn 2H")]


@pytest.mark.parametrize(("recorded", "done"), [(False, []), (True, [action("turn 2H")])])
def test_cards_that_lie_there_at_the_start_of_a_recording_count(recorded: bool, done: list[Action]) -> None:
    shown: list[Snapshot] = []
    live = LiveGame(Table(HEADER), None, [Shown(shown.append)], recorded=recorded)
    live.take(Scenes().lay("2H", "turn-up"))
    assert [entry.action for entry in shown[-1].history] == done


def test_a_prompt_that_has_stood_for_two_seconds_is_shown_again_as_urgent(game: Game) -> None:
    game.begin()
    game.take(game.scenes.lay("3S", "play", 0))
    shown, time = len(game.shown), game.now.time
    assert [prompt.urgent for prompt in game.now.prompts] == [False, False]
    game.live.pass_time("camera", time + 1.9)
    assert len(game.shown) == shown
    game.live.pass_time("camera", time + 2.0)
    game.live.pass_time("camera", time + 2.1)
    assert len(game.shown) == shown + 1
    assert [prompt.urgent for prompt in game.now.prompts] == [True, False]
