"""What the hub acknowledges while the broker is busy."""

from __future__ import annotations

from cardtable_club.hub.receiver import RECENT, Acknowledgements
from cardtable_club.hub.store import Key
from cardtable_club.member.messages import read_ack


def test_every_stream_is_named_once_even_if_the_acknowledgement_waits() -> None:
    sent: list[set[str]] = []

    def send(table: str, message: bytes) -> int:
        sent.append(set(read_ack(message).games))
        return len(sent)

    acks, games = Acknowledgements("a", set(), send), [f"{n}-00000000" for n in range(2 * RECENT)]
    acks.acknowledge({Key("t1", "1000-00000000"): 1})
    acks.acknowledge({Key("t1", game): 1 for game in games})
    assert len(sent) == 1, "the broker has not taken the first one"
    acks.taken({7})
    assert len(sent) == 1
    acks.taken({1})
    assert len(sent) == 2 and sent[1] >= set(games)
    acks.taken({2})
    acks.send("t1")
    assert sent[2] == set(games[-RECENT:])
