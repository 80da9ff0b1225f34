"""The options of a game: what is wrong with a value is said in full."""

from __future__ import annotations

import pytest

from engine.errors import HeaderError
from engine.rules.state import Option

SWITCH = Option("must_take", True, "a take must be made")
NUMBER = Option("seed", 7, "any number")
POINTS = Option("target", 15, "points that win the game", least=1)
CHOICE = Option("deal", "threes", "how the cards are dealt", choices=("threes", "sixes"))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (SWITCH, 1, "option 'must_take' is true or false, not 1"),
        (NUMBER, True, "option 'seed' is a whole number, not True"),
        (NUMBER, "7", "option 'seed' is a whole number, not '7'"),
        (POINTS, 0, "option 'target' is a whole number from 1, not 0"),
        (POINTS, 1.5, "option 'target' is a whole number from 1, not 1.5"),
        (CHOICE, "fours", "option 'deal' is 'threes' or 'sixes', not 'fours'"),
        (CHOICE, 3, "option 'deal' is 'threes' or 'sixes', not 3"),
    ],
)
def test_a_wrong_value_is_refused(option: Option, value: object, message: str) -> None:
    with pytest.raises(HeaderError) as error:
        option.check(value)
    assert (str(error.value), error.value.key) == (message, f"options.{option.name}")


@pytest.mark.parametrize(
    ("option", "value"),
    [(SWITCH, False), (NUMBER, -3), (NUMBER, 0), (POINTS, 1), (POINTS, 1000), (CHOICE, "threes"), (CHOICE, "sixes")],
)
def test_a_value_that_is_possible(option: Option, value: object) -> None:
    option.check(value)


def test_of_choices_the_first_is_the_default() -> None:
    option = Option.choice("deal", ("threes", "sixes"), "how the cards are dealt", "Dealing")
    assert option == Option("deal", "threes", "how the cards are dealt", None, ("threes", "sixes"), "Dealing")
