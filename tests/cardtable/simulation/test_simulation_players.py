"""The robots: legal and varied play, a director who waits for the board, and interrupted games that are resumed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from cardtable.simulation.all_fives import AllFives
from cardtable.simulation.checking import Readings, first_difference
from cardtable.simulation.director import TRIES, Act, Director, GaveUp, ShownBoard
from cardtable.simulation.places import Place
from cardtable.simulation.stage import FAST, Stage
from engine.actions import Action
from engine.cards import parse_card
from engine.games import word_marks
from engine.observations import ActionCard, Scene, Sighting, Zone
from engine.record import Header
from engine.table import Table
from engine.views import Prompt, View
from vision.mat.layout import lay_out

MAT = lay_out(2, ["play", "turn-up", "say", "show"])
HEADER = Header("all-fives", ("Ann", "Bo"))
SEED = 134
"""A short game with a tied cut, cards run, a revoke called, and exposed cards."""


def game(seed: int, players: int = 2) -> AllFives:
    return AllFives(Header("all-fives", ("Ann", "Bo", "Cy")[:players]), random.Random(f"all-fives/{players}/{seed}"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("players", [2, 3])
def test_robots_play_whole_games_by_the_rules(players: int) -> None:
    done: Counter[str] = Counter()
    for seed in range(8):
        robots = game(seed, players)
        acts = list(robots.acts())
        assert robots.table.over
        assert [act.action for act in acts if act.action] == list(robots.table.actions)
        done.update(action.word or action.do for action in robots.table.actions)
    assert {"cut", "turn", "play", "gather", "withdraw", "expose", "beg", "stand", "take-one", "change"} <= set(done)
    assert {"revoke", "call"} <= set(done)


def test_the_same_seed_plays_the_same_game() -> None:
    assert list(game(SEED).acts()) == list(game(SEED).acts())
    assert list(game(SEED).acts()) != list(game(SEED + 1).acts())


def test_each_card_is_on_the_table_once_and_only_those_are_lifted() -> None:
    for players, seed in ((2, SEED), (3, 343)):
        lying: set[tuple[object, Zone | None]] = set()
        for act in game(seed, players).acts():
            for face, zone in act.faces or ((act.face, act.zone),):
                if act.kind in ("lift", "move", "sweep"):
                    lying.remove((face, zone))
            if act.kind in ("lay", "move"):
                place = (act.face, act.to or act.zone)
                assert place not in lying
                lying.add(place)
        assert not lying


def director(acts: Iterator[Act], already: tuple[Action, ...] = ()) -> Director:
    return Director(Stage(MAT, "aruco", FAST, 1, word_marks()), acts, random.Random(1), already)


def run(director: Director, most: int = 2000) -> int:
    """Run the director to its end; return the number of frames."""
    steps = director.run()
    for number in range(most):
        if next(steps, StopIteration) is StopIteration:
            return number
        director.stage.move_on(number / 30)
    raise AssertionError("it does not end")


def some(count: int) -> Iterator[Act]:
    """The first acts of a game."""
    acts = game(SEED).acts()
    return (next(acts) for _ in range(count))


class Shows:
    """A board that shows every action as soon as its card has been on the table for some frames."""

    def __init__(self, acts: list[Act], blind: int = 0, prompt: str | None = None) -> None:
        self.table = Table(HEADER)
        self._wanted = [act.action for act in acts if act.action]
        self._blind = blind
        self._prompt = prompt
        self.seen = 0

    def view(self) -> View:
        return self.table.view()

    def prompts(self) -> tuple[Prompt, ...]:
        return (Prompt(self._prompt, None, ""),) if self._prompt and self.seen <= self._blind else ()

    def look(self, director: Director) -> None:
        """Process one frame."""
        stage, ahead = director.stage, self._wanted[len(self.table.actions) :]
        fresh = [card for card in stage.cards_laid if card.laid == stage.time and card.face]
        self.seen += len(fresh)
        lies = (
            any(card.face in (ahead[0].card, ActionCard(ahead[0].word or "")) for card in stage.lying())
            if ahead
            else False
        )
        if ahead and lies and not stage.busy() and self.seen > self._blind:
            self.table.do(ahead[0])


def watched(director: Director, shows: Shows, most: int = 4000) -> int:
    director.board = ShownBoard(shows.view, shows.prompts)
    steps = director.run()
    for number in range(most):
        if next(steps, StopIteration) is StopIteration:
            return number
        director.stage.move_on(number / 30)
        shows.look(director)
    raise AssertionError("it does not end")


def test_without_a_board_players_do_not_wait() -> None:
    play = director(some(12))
    run(play)
    assert play.done == [act.action for act in some(12) if act.action]
    assert play.laid_again == 0


def test_players_wait_for_the_board() -> None:
    acts = list(some(8))
    play, shows = director(iter(acts)), Shows(acts)
    watched(play, shows)
    assert play.done == list(shows.table.actions)
    assert play.laid_again == 0


def test_a_card_that_is_not_seen_is_laid_again_elsewhere() -> None:
    acts = list(some(5))
    play, shows = director(iter(acts)), Shows(acts, blind=2)
    watched(play, shows)
    assert play.laid_again == 2
    assert play.again == {0}
    first = [card for card in play.stage.cards_laid if card.face == acts[1].face]
    assert len(first) == 3
    assert len({card.place.at for card in first}) == 3
    assert play.done == list(shows.table.actions)


def test_a_prompt_to_lay_it_again_is_followed_sooner() -> None:
    acts = list(some(2))
    waited = [watched(director(iter(acts)), Shows(acts, blind=1, prompt=prompt)) for prompt in (None, "unreadable")]
    assert waited[1] < waited[0] - 20


def test_players_give_up_if_the_board_never_shows_their_card() -> None:
    acts = list(some(2))  # the pack is shuffled, and one card is cut
    play = director(iter(acts))
    with pytest.raises(GaveUp, match="does not show"):
        watched(play, Shows(acts, blind=99), most=20000)
    assert play.laid_again == TRIES


@pytest.mark.sampled(1)
@pytest.mark.parametrize("stored", [1, 9, 20])
def test_an_interrupted_game_is_resumed(stored: int) -> None:
    whole = list(game(SEED).acts())
    already = tuple(act.action for act in whole if act.action)[:stored]
    play = director(iter(whole[:40]), already)
    steps = play.run()
    next(steps)
    assert play.done == list(already)
    view = Table(HEADER)
    for action in already:
        view.do(action)
    trick = {(lying.card, lying.zone) for lying in view.lying if lying.firm}
    assert trick <= {(card.face, card.place.zone) for card in play.stage.lying()}
    for number in range(3000):
        play.stage.move_on(number / 30)
        if next(steps, StopIteration) is StopIteration:
            break
    assert play.done == [act.action for act in whole[:40] if act.action]


def test_a_card_laid_twice_is_skipped_when_the_game_is_resumed() -> None:
    acts = list(some(60))
    actions = [act.action for act in acts if act.action]
    at = next(number for number, action in enumerate(actions) if action.do == "play")
    played = actions[at]
    twice = [*actions[: at + 1], Action("withdraw", seat=played.seat, card=played.card), played]
    play = director(iter(acts), tuple(twice))
    next(play.run())
    assert play.done == twice


def test_the_first_difference_is_described() -> None:
    real = [Action("turn", card=parse_card("4H")), Action("play", seat=1, card=parse_card("KS"))]
    other = Action("play", seat=1, card=parse_card("QS"))
    assert first_difference(real, real, ()) is None
    assert first_difference(real[:1], real, ()) == "action 2, do=play seat=1 card=KS, is not in the record"
    assert first_difference([real[0], other], real, ()) is not None
    assert first_difference([*real, other], real, ()) == "the record has do=play seat=1 card=QS, which nobody did"
    cards = (parse_card("red-1"), parse_card("red-2"))
    bids = [Action("bid", seat=1, cards=cards)], [Action("bid", seat=1, cards=cards[::-1])]
    assert first_difference(*bids, ()) is None
    taken_up = [*real, Action("withdraw", seat=1, card=parse_card("KS")), real[1]]
    assert first_difference(taken_up, real, ()) is not None
    assert first_difference(taken_up, real, {1}) is None


def test_readings_are_right_wrong_or_missed() -> None:
    stage = Stage(MAT, "aruco", FAST, 1, word_marks())
    names = ("4H", "KS", "7D")
    for name, x in zip(names, (390.0, 440.0, 490.0), strict=True):
        stage.put(stage.card(parse_card(name), 0, Place((x, 320.0), 0.0, Zone("play", 0))))
    seen = [
        Sighting("a", parse_card("4H"), Zone("play", 0), 0.1),
        Sighting("b", parse_card("KC"), Zone("play", 0), 0.1),
    ]
    readings = Readings()
    readings.take(Scene(0.2, "camera", tuple(seen)))
    count = readings.count(stage.cards_laid)
    assert (count.laid, count.right, count.wrong, count.missed) == (3, 1, 1, 2)


def test_each_of_two_equal_cards_must_be_read() -> None:
    stage, card, bid = Stage(lay_out(2, ["bid", "table"]), "aruco", FAST, 1), parse_card("red-1"), Zone("bid", 0)
    for x in (580.0, 660.0):
        stage.put(stage.card(card, 0, Place((x, 440.0), 0.0, bid)))
    readings = Readings()
    readings.take(Scene(0.2, "camera", (Sighting("a", card, bid, 0.1),)))
    readings.take(Scene(0.3, "camera", (Sighting("a", None, bid, 0.1),)))
    readings.take(Scene(0.4, "camera", (Sighting("a", card, bid, 0.1),)))
    count = readings.count(stage.cards_laid)
    assert (count.laid, count.right, count.wrong, count.missed) == (2, 1, 0, 1)
    readings.take(Scene(0.5, "camera", (Sighting("a", card, bid, 0.1), Sighting("b", card, bid, 0.4))))
    assert readings.count(stage.cards_laid).right == 2
    readings.take(Scene(0.6, "camera", (Sighting("c", card, Zone("bid", 1), 0.5),)))
    assert readings.count(stage.cards_laid).wrong == 1
