"""The description of a table for Home Assistant, and the words that its buttons say."""

from __future__ import annotations

import json
import re

from cardtable.table.snapshot import Snapshot
from cardtable.web.state import state_of
from cardtable_club.member.home_assistant import Shown, discovery, shown_in, topic_of
from cardtable_club.member.link import answer
from cardtable_club.member.messages import Topics
from engine.games import game_names, load_game
from engine.record import Header
from engine.table import Table

NAMES = ("Ann", "Bo", "Cy", "Di")
TOPICS = Topics("north", "t1")
SHOWN = Shown(("Ann", "Bo"), (("go", "Go"),))


def test_a_device_has_what_home_assistant_documents() -> None:
    message = discovery(TOPICS, SHOWN)
    assert topic_of(TOPICS) == "homeassistant/device/cardtable_north_t1/config"
    assert message["dev"]["ids"] and message["o"]["name"]  # both are required
    components = message["cmps"]
    assert {*components} == {
        *("game", "phase", "turn", "points", "waiting", "trouble", "online"),
        *("score_0", "score_1", "say_0_go", "say_1_go"),
    }
    names = [component["uniq_id"] for component in components.values()]
    assert len(names) == len({*names})
    for component in components.values():
        assert component["p"] in ("sensor", "binary_sensor", "button") and component["name"]
        assert "cmd_t" in component if component["p"] == "button" else "val_tpl" in component
    assert message["stat_t"] == "ct/v1/north/t1/state" and message["avty_t"] == "ct/v1/north/t1/online"


def test_what_is_gone_is_removed_and_nothing_else() -> None:
    before = discovery(TOPICS, SHOWN)["cmps"]
    components = discovery(TOPICS, Shown(("Ann",)), before)["cmps"]
    assert components["say_0_go"] == {"p": "button"} and components["score_1"] == {"p": "sensor"}
    assert "name" in components["score_0"]


def test_a_button_sends_a_command_that_the_table_does() -> None:
    template = discovery(TOPICS, SHOWN)["cmps"]["say_1_go"]["cmd_tpl"]
    words: list[tuple[int, str]] = []

    def say(seat: int, word: str) -> bool:
        words.append((seat, word))
        return True

    written = template.replace("{{ now().timestamp() }}", "1000.5").replace("{{ now().timestamp() + 10 }}", "1010.5")
    assert not re.search("{{|}}", written)
    assert answer(written.encode(), 1005.0, lambda: None, 0, say)["done"] is True and words == [(1, "go")]
    assert answer(written.encode(), 1011.0, lambda: None, 0, say) == {"id": "1000.5", "done": False, "why": "expired"}
    assert answer(written.encode(), 1005.0, lambda: None, 0)["why"] == "unknown"  # table.toml does not allow it
    wrong = json.dumps({"v": 1, "id": "1", "expires": 2000, "do": "say", "seat": "1", "word": "go"})
    assert answer(wrong.encode(), 1005.0, lambda: None, 0, say)["done"] is False


def test_the_components_follow_the_state_of_the_board() -> None:
    assert shown_in('{"screen":"lobby","players":["Ann"]}') == Shown()
    words = [
        {"word": "go", "label": "Go", "needs": []},
        {"word": "revoke", "label": "Call a revoke", "needs": ["card"]},
    ]
    assert shown_in(json.dumps({"seats": [{"name": "Ann"}, {"name": "Bo"}], "words": words})) == SHOWN


def test_every_button_of_every_game_has_a_text_and_can_be_pressed() -> None:
    for game in game_names():
        view = Table(Header(game, NAMES[: load_game(game).seats[0]], 0)).view()
        shown = shown_in(json.dumps(state_of(Snapshot(1, 0.0, view, (), (), (), ()), "Title")))
        assert shown.words == tuple(dict(shown.words).items())
        for word, label in shown.words:
            assert label and not view.vocabulary[word].keys
