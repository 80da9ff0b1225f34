"""The lobby shows the next round that a plug-in offers, and takes "We are ready"."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

from tests.cardtable.evening.evenings import TestEvening


def test_ready_seats_the_players_of_the_round_and_says_so(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        offer = evening.host.services.next_round
        ready: SimpleQueue[int] = SimpleQueue()
        offer.on_ready = ready.put
        assert evening.send("ready-for-round", round=3) == "The next round has changed: look again."
        offer.offer(3, ["Ann", "Bo"], False)
        evening.turn()
        shown = evening.state(lambda state: state["next_round"] is not None)
        assert shown["next_round"] == {"round": 3, "players": ["Ann", "Bo"], "ready": False}
        assert evening.send("ready-for-round", round=2) is not None and ready.empty()
        assert evening.send("ready-for-round", round=3) is None
        assert ready.get(timeout=30) == 3
        evening.state(lambda state: state["players"] == ["Ann", "Bo"])
        offer.offer(None, [], False)
        evening.turn()
        evening.state(lambda state: state["next_round"] is None)
