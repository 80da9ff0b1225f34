"""Who may do what: every role and every deed, and the sentences that refuse."""

from __future__ import annotations

import pytest

from cardtable.config.model import AccessConfig
from cardtable.table.messages import BOARD, SPECTATOR, Sender, at_seat
from cardtable.web.access import DEEDS, Deed, Permissions

DIRECTOR = Sender("director", None, "director")
PLAYING_DIRECTOR = Sender("director", 1, "director: Bo")
ANN = at_seat(0, "Ann")
AWAY = Sender("seat", None, "phone: Di")
SENDERS = (BOARD, DIRECTOR, PLAYING_DIRECTOR, ANN, AWAY, SPECTATOR)

# For seat 0, which is Ann's: who may by default.
ALLOWED: dict[Deed, tuple[Sender, ...]] = {
    "say": (BOARD, DIRECTOR, PLAYING_DIRECTOR, ANN),
    "accuse": (BOARD, DIRECTOR, PLAYING_DIRECTOR, ANN),
    "undo": (BOARD, DIRECTOR, PLAYING_DIRECTOR, ANN),
    "correct": (BOARD, DIRECTOR, PLAYING_DIRECTOR),
    "host": (BOARD, DIRECTOR, PLAYING_DIRECTOR),
}


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("sender", SENDERS, ids=lambda sender: sender.name)
def test_the_defaults(deed: Deed, sender: Sender) -> None:
    permissions = Permissions(AccessConfig())
    assert permissions.may(sender, deed, 0) == (sender in ALLOWED[deed])
    assert (permissions.refusal(sender, deed, 0, "Ann") is None) == (sender in ALLOWED[deed])


@pytest.mark.parametrize("deed", ["say", "accuse", "undo"])
@pytest.mark.parametrize("seat", [1, None])
def test_a_seat_is_not_another_one(deed: Deed, seat: int | None) -> None:
    assert not Permissions(AccessConfig()).may(ANN, deed, seat)


# One of the values for all deeds: who may do something of seat 0, and who of seat 1.
ONE = {
    "board": ((BOARD,), (BOARD,)),
    "director": ((DIRECTOR, PLAYING_DIRECTOR), (DIRECTOR, PLAYING_DIRECTOR)),
    "seat": ((ANN,), (PLAYING_DIRECTOR,)),
    "seats": ((ANN, PLAYING_DIRECTOR), (ANN, PLAYING_DIRECTOR)),
    "spectator": (SENDERS, SENDERS),
}


@pytest.mark.parametrize("who", ONE)
@pytest.mark.parametrize("deed", ["say", "accuse", "undo"])
def test_each_value_of_the_configuration(who: str, deed: Deed) -> None:
    permissions = Permissions(AccessConfig.model_validate({deed: [who]}))
    for seat, allowed in enumerate(ONE[who]):
        assert {each for each in SENDERS if permissions.may(each, deed, seat)} == set(allowed)


@pytest.mark.parametrize("who", ["seat", "seats"])
@pytest.mark.parametrize("deed", ["correct", "host"])
def test_what_concerns_no_seat_is_for_every_phone_at_a_seat(who: str, deed: Deed) -> None:
    permissions = Permissions(AccessConfig.model_validate({deed: [who]}))
    assert {each for each in SENDERS if permissions.may(each, deed)} == {ANN, PLAYING_DIRECTOR}


@pytest.mark.parametrize(
    ("deed", "config", "sentence"),
    [
        (
            "say",
            {},
            "Bo’s words cannot be said here. They can be said on the board, the director’s device or Bo’s phone.",
        ),
        ("accuse", {"accuse": ["seat"]}, "Bo cannot accuse here. That is possible on Bo’s phone."),
        ("undo", {"undo": ["seats"]}, "This action cannot be taken back here. That is possible on a player’s phone."),
        ("correct", {}, "The record cannot be corrected here. That is possible on the board or the director’s device."),
        ("host", {"host": ["board"]}, "This cannot be chosen here. That is possible on the board."),
        (
            "host",
            {"host": []},
            "This cannot be chosen here. That is possible on no device: the section [access] of table.toml forbids it.",
        ),
    ],
)
def test_a_refusal_says_who_may(deed: Deed, config: dict[str, list[str]], sentence: str) -> None:
    refusal = Permissions(AccessConfig.model_validate(config)).refusal(SPECTATOR, deed, 1, "Bo")
    assert refusal == sentence


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(ValueError, match="anybody"):
        AccessConfig.model_validate({"say": ["anybody"]})
