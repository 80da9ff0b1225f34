"""Each cell of the table of states and events."""

from __future__ import annotations

import pytest

from cardtable.evening import states
from cardtable.evening.states import EVENTS, NEXT, SCREENS, Event, EventRefused, Screen, after
from tests.cardtable.french import assert_french

ROWS = [
    [cell.strip() for cell in line.strip("| ").split("|")]
    for line in (states.__doc__ or "").splitlines()
    if line.startswith("| `")
]
CELLS = [
    (screen, event.strip(" `"), cell)
    for row in ROWS
    for event in row[0].partition(" (")[0].split(",")
    for screen, cell in zip(SCREENS, row[1:], strict=True)
]


def test_the_table_of_the_docstring_is_complete() -> None:
    assert sorted((screen, event) for screen, event, _ in CELLS) == sorted(
        (screen, event) for screen in SCREENS for event in EVENTS
    )
    assert {(screen, event): cell for screen, event, cell in CELLS if cell != "–"} == NEXT


@pytest.mark.parametrize(("screen", "event", "cell"), CELLS)
def test_an_event_leads_to_its_state_or_is_refused_with_a_sentence(screen: Screen, event: Event, cell: str) -> None:
    if cell != "–":
        assert after(screen, event) == cell
        return
    with pytest.raises(EventRefused) as refused:
        after(screen, event)
    assert_french(refused.value.args[0])
    assert str(refused.value).endswith(".")
