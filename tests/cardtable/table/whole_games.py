"""Short games at the simulated table, with each kind of source: a camera, readers, words said on the page.

Each function plays one game, or some hands of it, in this process, and returns what was really done beside the record.
The readers are the real firmware on simulated boards, which are stepped; the camera's pictures are rendered; the page
is a real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from cardtable.config.model import BoardConfig
from cardtable.evening.playing import Parts, one_game
from cardtable.simulation.checking import Count, Readings, first_difference
from cardtable.simulation.director import Act, Director
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.readers import open_readers
from engine.actions import Action
from engine.observations import ActionCard
from engine.texts import word_text
from engine.words import Word
from tests.cardtable.web.chromium import open_page
from tests.cardtable.web.test_phone_page import UPRIGHT, code_of
from vision.camera_pipeline import CameraPipeline


@dataclass(frozen=True)
class Played:
    """A game that was played. `difference`: between the record and what was done, None if they agree.

    `record`: its actions. `cards`: how they were read. `words`: those that were said on the page.
    """

    record: Sequence[Action]
    difference: str | None
    over: bool
    cards: Count
    words: Sequence[str] = ()


def with_camera(setting: Setting, hands: int | None = None) -> Played:
    """Play before a camera; words are said with action cards."""
    source, readings = SyntheticSource(setting, hands=hands), Readings()
    camera = CameraPipeline(source, mat_for(setting.header), card_readers([setting.marks], None, setting.game))
    with one_game(Parts(setting.header, [camera], observed=readings.take)) as playing:
        playing.run()
        table, director = playing.table, source.director
        difference = source.gave_up or first_difference(table.actions, director.done, director.again)
        return Played(table.actions, difference, table.over, readings.count(source.stage.cards_laid))


def with_readers(
    setting: Setting,
    folder: Path,
    hands: int | None = None,
    browser: Browser | None = None,
    phones: bool = False,
) -> Played:
    """Play on readers. Words are said with action cards, or on the board's page in `browser`, or there on the phone of
    each player. Raises `NotBuilt`.
    """
    readings, director = Readings(), Director if browser is None else PageDirector
    table = RfidTable(setting, folder, director=director, hands=hands)

    def ended() -> bool:
        if not table.ended:
            table.turn()
        return table.ended

    with closing(table), ExitStack() as stack:
        readers = open_readers(table.configs, None, lambda: table.time, table.port)
        board = None if browser is None else BoardConfig(port=0, network=phones)
        playing = stack.enter_context(
            one_game(Parts(setting.header, [], readers=readers, observed=readings.take), board)
        )
        table.watch(lambda: playing.game.snapshot.view, lambda: playing.game.snapshot.prompts)
        done, played = table.director, playing.table
        if isinstance(done, PageDirector) and browser and playing.board:
            done.vocabulary = played.vocabulary
            done.pages = open_pages(stack, browser, playing.board.port, setting.header.players if phones else ())
        playing.run(until=ended)
        difference = table.gave_up or first_difference(played.actions, done.done, done.again)
        words = done.words if isinstance(done, PageDirector) else ()
        return Played(played.actions, difference, played.over, readings.count(table.on_readers()), words)


def open_pages(stack: ExitStack, browser: Browser, port: int, players: Sequence[str]) -> list[Page]:
    """Open the board's page; return it, or the pages of the phones of `players`, which are paired with its codes."""
    board = stack.enter_context(open_page(browser, f"http://127.0.0.1:{port}"))
    phones = []
    for name in players:
        url = f"http://127.0.0.1:{port}/phone#{''.join(code_of(board, name).split())}"
        phones.append(stack.enter_context(open_page(browser, url, viewport=UPRIGHT)))
        board.get_by_text(f"{name}’s phone is connected.").wait_for()
        board.keyboard.press("Escape")
    return phones or [board]


class PageDirector(Director):
    """Players who say their words on a page instead of laying action cards.

    `pages`: the board's page alone, or that of each seat's phone. `vocabulary`: the words of the game. `words`: the
    words said.
    """

    pages: Sequence[Page]
    vocabulary: Mapping[str, Word]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.words: list[str] = []

    def _perform(self, act: Act) -> Iterator[None]:
        word = self.vocabulary[act.face.text] if isinstance(act.face, ActionCard) else None
        if word is None or word.needs or (act.kind == "lay" and not self._is_shown(word, act.seat)):
            yield from super()._perform(act)
        elif act.kind == "lay":
            while self.stage.busy():
                yield
            self._say(word, act.seat)
            self.words.append(word.name)
            if act.expect and not (yield from self._shown(act.expect, act.seat, again=False)):
                raise AssertionError(f"the board does not show that {word.name} was said")
        elif any((card.face, card.place.zone) == (act.face, act.zone) for card in self._lying):
            yield from super()._perform(act)

    def _is_shown(self, word: Word, seat: int) -> bool:
        """Return whether the board shows `word` for `seat`; far jumps of a bid are only made with action cards."""
        return self.board is not None and word.name in self.board.view().words[seat]

    def _say(self, word: Word, seat: int) -> None:
        """Press the button of `word`; if it stands with others behind one, press that one first.

        If several seats may say it, the page asks who says it.
        """
        page = self.pages[seat % len(self.pages)]
        view = self.board.view() if self.board else None
        name = word.label or str(word_text(word.name))
        if word.group:
            page.locator("#words").get_by_role("button", name=f"{word.group}…").click()
            page.locator("#ask").get_by_role("button", name=name, exact=True).click()
        else:  # before a word that another seat than the one on turn may say stands its name
            named = re.compile(rf"^(\w+: )?{re.escape(name)}$")
            page.locator("#words").get_by_role("button", name=named).click()
            if view and len(self.pages) == 1 and sum(word.name in words for words in view.words) > 1:
                page.locator("#ask").get_by_role("button", name=view.players[seat], exact=True).click()
