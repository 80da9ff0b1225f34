"""The referee with several sources: nothing is judged before each of them has sent a scene."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Lost, Scene, Sighting, Zone
from engine.record import Header
from engine.referee.referee import Referee
from engine.table import Table

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
TRICK = (
    Action("turn", card=parse_card("2H")),
    Action("say", 1, word="stand"),
    Action("play", 1, parse_card("KS")),
    Action("play", 0, parse_card("AS")),
)


def begun() -> Table:
    table = Table(HEADER)
    for action in TRICK:
        table.do(action)
    return table


def scene(source: str, time: float, **cards: Zone) -> Scene:
    return Scene(time, source, tuple(Sighting(card, parse_card(card), zone, 0.0) for card, zone in cards.items()))


def test_half_of_the_table_seen_first_gathers_no_trick() -> None:
    table = begun()
    referee = Referee(table, ("camera", "readers"))
    referee.observe(scene("readers", 0.0, **{"2H": Zone("turn-up")}))
    assert tuple(table.actions) == TRICK
    referee.observe(scene("camera", 0.1, KS=Zone("play", 1), AS=Zone("play", 0)))
    assert tuple(table.actions) == TRICK
    assert [prompt.kind for prompt in referee.prompts] == ["turn"]


def test_one_source_alone_that_sees_half_the_table_gathers_the_trick() -> None:
    table = begun()
    referee = Referee(table, ("readers",))
    referee.observe(scene("readers", 0.0, **{"2H": Zone("turn-up")}))
    assert tuple(table.actions) == TRICK, "another scene may show the trick"
    assert not referee.is_due("readers", 0.9) and referee.is_due("readers", 1.0)
    referee.observe(scene("readers", 1.0, **{"2H": Zone("turn-up")}))
    assert table.actions[-1] == Action("gather", 0)


def test_a_lost_source_is_not_awaited() -> None:
    table = begun()
    referee = Referee(table, ("camera", "readers"))
    referee.observe(Lost(0.0, "camera", "The camera is away."))
    referee.observe(scene("readers", 0.1, KS=Zone("play", 1), AS=Zone("play", 0)))
    referee.observe(scene("readers", 1.1))
    assert table.actions[-1] == Action("gather", 0)


def hands_known() -> tuple[Table, Referee]:
    """Bo, who leads, was dealt QD and not 4D; both sources have sent a scene."""
    table = Table(HEADER)
    cards = ("QS", "9S", "10S", "QD", "KD", "AD")
    for action in (Action("deal", 1, cards=tuple(map(parse_card, cards))), *TRICK[:2]):
        table.do(action)
    referee = Referee(table, ("camera", "readers"))
    for source in ("camera", "readers"):
        referee.observe(scene(source, 0.0, **{"2H": Zone("turn-up")}))
    return table, referee


def bos_card(source: str, time: float, face: str, *others: str) -> Scene:
    """The scene of `source`: the turn-up and one card in front of Bo."""
    cards = tuple(map(parse_card, others))
    laid = Sighting("bo", parse_card(face), Zone("play", 1), 1.0, alternatives=cards)
    return Scene(time, source, (Sighting("2H", parse_card("2H"), Zone("turn-up"), 0.0), laid))


def test_an_uncertain_and_a_certain_source_see_the_same_card() -> None:
    table, referee = hands_known()
    for time in (1.0, 2.0, 3.0):
        referee.observe(bos_card("camera", time, "4D", "QD"))
        referee.observe(bos_card("readers", time, "QD"))
        assert [prompt.kind for prompt in referee.prompts] == ["turn"]
    assert table.actions[-1] == Action("play", 1, parse_card("QD"))


def test_a_card_that_one_source_is_sure_of_has_no_alternatives() -> None:
    table, referee = hands_known()
    for time in (1.0, 2.0, 3.0):
        referee.observe(bos_card("readers", time, "4D"))
        referee.observe(bos_card("camera", time, "4D", "QD"))
    assert table.actions[-1].do == "say"
    assert [prompt.kind for prompt in referee.prompts] == ["take-back", "turn"]
