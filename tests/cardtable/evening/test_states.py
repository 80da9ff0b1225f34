"""Which messages each state of an evening accepts."""

from __future__ import annotations

from typing import get_args

import pytest

from cardtable.evening.states import NEXT, SCREENS, EventRefused, Screen, after
from cardtable.table.messages import EveningMessage
from tests.cardtable.french import assert_french

MESSAGES = {get_args(kind.model_fields["do"].annotation)[0] for kind in get_args(EveningMessage)}


def test_every_message_is_accepted_somewhere() -> None:
    assert {message for accepted in NEXT.values() for message in accepted} == MESSAGES


@pytest.mark.parametrize("screen", SCREENS)
def test_any_other_message_is_refused_with_a_sentence(screen: Screen) -> None:
    for message in MESSAGES - NEXT[screen].keys():
        with pytest.raises(EventRefused) as refused:
            after(screen, message)
        assert_french(refused.value.args[0])
        assert str(refused.value).endswith(".")
