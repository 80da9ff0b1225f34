"""`cardtable tags`: with the real firmware on a simulated reader board."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtable.cli import main
from engine.cards import parse_card
from engine.observations import ActionCard
from firmware_bridge.simulated import SimulatedBoard
from firmware_bridge.tags import TagsError, TagTable
from tests.programs import Program


class Command:
    """`cardtable tags … --json`, read line by line."""

    def __init__(self, *arguments: str) -> None:
        self.process = Program("tags", *arguments, "--json")

    def entries(self) -> Iterator[dict[str, Any]]:
        for line in self.process.stdout:
            yield json.loads(line)

    def until(self, **wanted: Any) -> dict[str, Any]:
        for entry in self.entries():
            if all(entry.get(key) == value for key, value in wanted.items()):
                return entry
        raise AssertionError(f"it ended without telling {wanted}")

    def end(self) -> int:
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(20)


@pytest.fixture
def tags(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run `cardtable tags …`; return its status, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["tags", *arguments])
        return status, *capsys.readouterr()

    return run


Run = Callable[..., tuple[int, str, str]]


def test_cards_are_learnt_one_after_the_other(board: SimulatedBoard, tmp_path: Path) -> None:
    file = tmp_path / "tags.json"
    table = TagTable(file)
    table.learn("04aabb01", parse_card("KS"))
    table.learn("04aabb02", parse_card("QS"))
    board.lay(0, "04aabb09")  # lies there before anybody asks
    learning = Command("learn", "QS", "say:beg", "2S", "--port", board.port, "--tags", str(file))
    learning.until(lay="QS")
    board.lay(1, "04aabb03")
    assert learning.until(learnt=True) == {"uid": "04aabb03", "card": "QS", "learnt": True}
    learning.until(lay="say:beg")
    board.lift(1, "04aabb03")
    board.lay(2, "0411223344556a")
    learning.until(learnt=True, card="say:beg")
    learning.until(lay="2S")
    board.lay(3, "04aabb01")
    assert learning.until(without="KS")["uid"] == "04aabb01"  # which loses its tag
    assert learning.end() == 0
    found = dict(TagTable(file))
    assert found == {"04aabb01": parse_card("2S"), "04aabb03": parse_card("QS"), "0411223344556a": ActionCard("beg")}


def test_neither_the_tag_of_another_card_nor_one_of_two_is_learned(board: SimulatedBoard, tmp_path: Path) -> None:
    """Of two tags that are laid at once, it is unknown which one is on the card."""
    file = tmp_path / "tags.json"
    TagTable(file).learn("04aabb01", parse_card("AS"))
    board.attach(3, False)
    learning = Command("learn", "--game", "cribbage", "--port", board.port, "--tags", str(file))
    learning.until(lay="2S")
    board.lay(1, "04aabb01")
    learning.until(uid="04aabb01", wanted="2S")
    board.lay(3, "04aabb02")
    board.lay(3, "04aabb03")
    board.attach(3, True)
    together = next(entry["together"] for entry in learning.entries() if "together" in entry)
    assert sorted(together) == ["04aabb02", "04aabb03"]
    board.lay(1, "04aabb04")
    learning.until(learnt=True, card="2S")
    learning.process.terminate()
    assert learning.end() == 143
    assert dict(TagTable(file)) == {"04aabb01": parse_card("AS"), "04aabb04": parse_card("2S")}


def test_tags_on_the_readers_are_printed(board: SimulatedBoard, tmp_path: Path) -> None:
    file = tmp_path / "tags.json"
    TagTable(file).learn("04aabb01", parse_card("AS"))
    board.attach(6, False)
    testing = Command("test", "--port", board.port, "--tags", str(file))
    assert testing.until(event="fault")["index"] == 6
    testing.until(test="tags")
    board.lay(4, "04aabb01")
    assert testing.until(event="laid") == {"event": "laid", "index": 4, "uid": "04aabb01", "card": "AS"}
    board.lay(5, "04aabb02")
    assert testing.until(event="laid")["card"] is None
    board.lift(4, "04aabb01")
    assert testing.until(event="lifted")["index"] == 4
    board.reset()
    testing.until(restarted="its reset button was pressed, or its port was opened")
    testing.process.terminate()
    assert testing.end() == 143


def test_the_cable_is_tested(board: SimulatedBoard, tmp_path: Path) -> None:
    board.noise(0.01, seed=1)
    record = tmp_path / "line.jsonl"
    testing = Command("test", "--line", "200", "--port", board.port, "--record", str(record))
    result = testing.until(events=200)
    assert result["damaged"] > 0 and result["rate"] > 0
    assert testing.end() == 0
    assert '"in"' in record.read_text("utf-8")


def test_a_recording_is_replayed(board: SimulatedBoard, tmp_path: Path, tags: Run) -> None:
    record = tmp_path / "line.jsonl"
    testing = Command("test", "--port", board.port, "--record", str(record), "--tags", str(tmp_path / "tags.json"))
    testing.until(test="tags")
    board.lay(4, "04aabb01")
    testing.until(event="laid")
    testing.process.terminate()
    assert testing.end() == 143
    status, replayed, errors = tags("replay", str(record))
    assert status == 0 and errors == ""
    assert "the reader board has restarted" in replayed and "laid at 4 04aabb01" in replayed
    entries = [json.loads(line) for line in tags("replay", str(record), "--json")[1].splitlines()]
    assert entries[0]["met"]["firmware"] == "1.1"
    assert [entry["event"]["uid"] for entry in entries if "event" in entry] == ["04aabb01"]
    assert {entry["state"]["index"] for entry in entries if "state" in entry} == set(range(8))
    record.write_text(record.read_text("utf-8") + '{"t": 9', "utf-8")
    status, out, errors = tags("replay", str(record))
    assert status == 2 and out == replayed
    assert f"{record}: line " in errors and "is not a line of a recorded session" in errors


def test_a_full_disk_ends_the_recording_with_a_message(board: SimulatedBoard, tags: Run) -> None:
    message = "cardtable: the recording ends here, because the disk is full: No space left on device\n"
    assert tags("test", "--port", board.port, "--record", "/dev/full")[::2] == (1, message)


def test_the_tags_are_listed(tmp_path: Path, tags: Run) -> None:
    file = tmp_path / "tags.json"
    TagTable(file).learn("04aabb01", parse_card("10H"))
    assert tags("list", "--tags", str(file))[1] == "10H          04aabb01\n"
    assert json.loads(tags("list", "--tags", str(file), "--json")[1]) == {"uid": "04aabb01", "card": "10H"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "QX"), "'QX' is not a card"),
        (("learn", "--game", "mah-jongg"), "there is no game 'mah-jongg'"),
        (("learn", "say:bge"), "no game has the word 'bge'; did you mean 'beg'?"),
        (("replay",), "name one file to replay"),
        (("replay", "/dev/none"), "/dev/none cannot be read"),
        (("list", "QS"), "'QS' is one argument too many"),
        (("test", "--seconds", "-3"), "choose more than 0"),
        (("test", "--line", "0"), "choose one from 1 to 65535"),
    ],
)
def test_wrong_arguments_get_one_line(arguments: tuple[str, ...], message: str, tags: Run) -> None:
    status, out, errors = tags(*arguments)
    assert (status, out) == (2, "")
    assert message in errors and errors.count("\n") == 1


def test_a_port_without_a_board_ends_with_a_message(tags: Run) -> None:
    message = "cardtable: The reader board is not connected (/dev/none): plug in its USB cable.\n"
    assert tags("test", "--port", "/dev/none")[::2] == (1, message)


@pytest.mark.parametrize("text", ["", "[]", '{"tags": []}', '{"tags": {"xyz": "QS"}}', '{"tags": {"04aabb01": "QX"}}'])
def test_a_file_that_holds_no_tags_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tags.json"
    file.write_text(text, "utf-8")
    with pytest.raises(TagsError, match=str(file)):
        TagTable(file)
