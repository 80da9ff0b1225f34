"""A word of a game from another package that needs a player and a card: page, buttons, action cards and records.

The game is defined here only; nothing else in the program knows its words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from cardtable.cli import main
from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.games import word_marks
from engine.observations import ActionCard, Said, Zone
from engine.rules.game import Game, Rules
from engine.rules.offers import PlayToTrick
from engine.rules.questions import Accusation, Say
from engine.views import TableCard
from engine.words import Word
from hardware.buttons import presses, words_of
from hardware.seats import Seats
from hardware.wiring import SeatWiring
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import open_page
from tests.hardware.bench import Clock, Finger, board
from vision.marks import ArucoReader, QrReader

HELD = 3


class Doubt(Game):
    """Each player holds three cards and plays one in turn; a correct claim about another hand scores a point."""

    name = "doubt"
    title = "Doubt"
    seats = range(2, 4)
    words = (
        Word("enough"),
        Word("doubt", needs=("against", "evidence"), label="doubt a player"),
        Word("guess", needs=("against", "card")),
    )
    zones = ("play", "say", "show")
    played: tuple[tuple[int, Card], ...] = ()

    def hand(self) -> Rules[None]:
        """One deal."""
        self.new_pack()
        self.played = ()
        for hand in self.hands:
            hand.deal_unseen(HELD)
        claims = {"doubt": Claim(self, "doubt"), "guess": Claim(self, "guess")}
        seat = self.next_seat(self.dealer)
        while any(hand.size for hand in self.hands):
            action = yield self.question(
                "play", seat, PlayToTrick(self, seat, None), Say(self, seat, ("enough",), claims)
            )
            if action.card and action.do == "play":
                self.hands[seat].lay(action.card)
                self.played += ((seat, action.card),)
                seat = self.next_seat(seat)
            elif action.word in claims and isinstance(action.seat, int):
                self.score(action.seat, 1, "doubt")
            else:
                break
        self.report("hand-over")
        best = max(self.match.scores)
        self.win(*(side for side, score in enumerate(self.match.scores) if score == best))

    def lying(self) -> Iterable[TableCard]:
        """The cards played."""
        yield from super().lying()
        for seat, card in self.played:
            yield TableCard(card, Zone("play", seat))


class Claim(Accusation):
    """The claim that the accused player holds this card."""

    __slots__ = ("game", "word")

    def __init__(self, game: Doubt, word: str) -> None:
        self.game = game
        self.word = word

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        accused, card = action.against, action.card
        if accused is None or card is None or accused == action.seat or not self.game.hands[accused].may_hold(card):
            raise Refused("bad-call", "This proves nothing.")

    def actions(self) -> Iterator[Action]:
        """Every card that another seat may hold."""
        for seat in self.game.every_seat:
            for hand in self.game.hands:
                if hand.seat != seat and hand.size:
                    for card in hand.candidates(self.game.deck):
                        yield Action("say", seat, card, word=self.word, against=hand.seat)

    def open_to(self, seat: int) -> bool:
        """Return true as long as the others hold cards."""
        return any(hand.size for hand in self.game.hands if hand.seat != seat)


DOUBTED = {"do": "say", "seat": 2, "word": "doubt", "against": 0, "card": "5S"}


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with the game."""
    info = tmp_path / "installed" / "doubt-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: doubt\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[cardtable.games]\ndoubt = {__name__}:Doubt\n", "utf-8")
    monkeypatch.syspath_prepend(str(info.parent))


@pytest.fixture
def table() -> Iterator[AtTheTable]:
    table = AtTheTable(("Ann", "Bo", "Cy"), game="doubt")
    yield table
    table.board.close()


def last_action(table: AtTheTable) -> dict[str, object]:
    return table.game.table.actions[-1].to_json()


def prompt(table: AtTheTable, kind: str) -> str:
    (text,) = [prompt.text for prompt in table.game.snapshot.prompts if prompt.kind == kind]
    return text


def test_the_word_is_said_with_a_message_from_the_page(table: AtTheTable) -> None:
    """The message as the page sends it over the WebSocket."""
    from websockets.sync.client import connect

    with connect(table.board.url.replace("http", "ws") + "/live", origin=table.board.url) as page:  # type: ignore[arg-type]
        state = json.loads(page.recv(timeout=10))
        words = {word["word"]: word for word in state["seats"][2]["words"]}
        assert (words["doubt"]["needs"], words["doubt"]["against"]) == (["against", "card"], [0, 1])
        assert words["doubt"]["label"] == "doubt a player"
        assert len(words["doubt"]["cards"]) == 52
        page.send(json.dumps(DOUBTED))
        message = table.pass_on()
    assert isinstance(message, Said)
    assert last_action(table) == DOUBTED
    assert table.game.table.scores == (0, 0, 1)


def test_the_word_is_said_by_clicking_on_the_page(table: AtTheTable, browser: Browser) -> None:
    with open_page(browser, table.board.url) as page:
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name="doubt a player…").click()
        page.locator("#ask").get_by_role("button", name="Cy").click()
        expect(page.locator("#ask")).to_contain_text("Cy calls “doubt”. Against whom?")
        page.locator("#ask").get_by_role("button", name="Ann").click()
        expect(page.locator("#ask")).to_contain_text("“doubt”: which card?")
        page.get_by_role("button", name="5 of spades").click()
        expect(page.locator("#ask-text")).to_be_hidden()
        page.get_by_role("button", name="Yes: doubt a player").click()
        table.pass_on()
        expect(page.locator("#news")).to_contain_text("Cy +1 doubt")
    assert last_action(table) == DOUBTED


def test_action_card_and_evidence_count_in_either_order(table: AtTheTable) -> None:
    table.lay(("say:doubt", "say", 2))
    assert prompt(table, "evidence").startswith("Cy says “doubt”: lay a card as proof")
    table.lay(("5S", "show", 0))
    assert last_action(table) == DOUBTED
    table.game.take(table.scenes.lift("say:doubt", "5S"))
    table.lay(("6S", "show", 1))
    table.lay(("say:doubt", "say", 0))
    assert last_action(table) == {"do": "say", "seat": 0, "word": "doubt", "against": 1, "card": "6S"}


def test_the_word_is_said_with_a_button_and_evidence_on_the_table(table: AtTheTable) -> None:
    clock, pins = Clock(), board()
    seats = Seats(pins, [SeatWiring(2, button=17)], clock=clock)
    seats.show(table.game.snapshot.view, table.game.snapshot.prompts)
    finger = Finger(pins, seats, clock, 17)
    ((seat, word),) = finger.history([(0.1, 0), (1.0, 1)])
    seats.close()
    table.say(seat, word)
    assert (seat, word) == (2, "doubt")
    assert prompt(table, "evidence").startswith("Cy says “doubt”: lay a card as proof")
    table.lay(("5S", "show", 0))
    assert last_action(table) == DOUBTED
    assert [prompt.kind for prompt in table.game.snapshot.prompts] == ["turn"]


def test_a_short_press_makes_no_claim(table: AtTheTable) -> None:
    view = table.game.snapshot.view
    assert presses(words_of(view, 1)) == {"short": "enough", "long": "doubt", "double": "guess"}
    assert presses(words_of(view, 2)) == {"long": "doubt", "double": "guess"}


def test_a_pressed_word_is_forgotten_when_something_else_happens(table: AtTheTable) -> None:
    table.say(2, "doubt")
    table.lay(("KD", "play", 1))
    assert [prompt.kind for prompt in table.game.snapshot.prompts] == ["turn"]
    table.lay(("5S", "show", 0))
    assert last_action(table) == {"do": "play", "seat": 1, "card": "KD"}


def test_a_word_that_only_the_page_can_complete(table: AtTheTable) -> None:
    table.say(2, "guess")
    assert prompt(table, "which-card") == "Cy says “guess”: tap the player who is meant."


def test_the_word_is_replayed_from_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "doubt.jsonl"
    header = {"record": 1, "game": "doubt", "players": ["Ann", "Bo", "Cy"], "dealer": 0}
    record.write_text("".join(json.dumps(line) + "\n" for line in (header, DOUBTED)), "utf-8")
    assert main(["replay", str(record), "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["points"] == [{"seat": 2, "points": 1, "for": "doubt"}]


@pytest.mark.parametrize("marks", ["aruco", "qr"])
def test_action_cards_are_printed_and_read(marks: str, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    assert main(["print", "actions", "--game", "doubt", "--marks", marks, "--png", str(folder)]) == 0
    reader = ArucoReader(word_marks("doubt")) if marks == "aruco" else QrReader()
    for word in ("enough", "doubt", "guess"):
        image = cv2.imread(str(folder / f"{word}.png"))
        assert image is not None
        (reading,) = reader.read(np.asarray(image, np.uint8))
        assert reading.face == ActionCard(word)


@pytest.mark.long
def test_robots_play_the_game_before_a_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are no robots for this game; the words are on action cards with ArUco marks."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    options = ["--headless", "--fast", "--whole", "--marks", "aruco", "--players", "2", "--seed", "1", "--json"]
    assert main(["demo", "--game", "doubt", *options]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["agree"], summary["difference"]) == (True, None)
    assert summary["scores"] != [0, 0], "nobody has doubted"
    assert summary["cards"]["right"] == summary["cards"]["laid"] > 8
