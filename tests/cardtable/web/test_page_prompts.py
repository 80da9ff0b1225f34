"""Every prompt of every game is four lines at most at 800 x 480 and on a phone, however many words stand below it."""

from __future__ import annotations

from typing import cast

import pytest
from playwright.sync_api import Browser

from cardtable.languages import LANGUAGES, translator
from cardtable.web.screens import GameScreen
from engine.games import HOUSE, load_game
from engine.texts import in_language
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.page_faults import FAULTS
from tests.cardtable.web.prompts_of_games import longest_prompt_of, prompts_of_games
from tests.cardtable.web.prompts_of_sources import prompts_of_sources
from tests.cardtable.web.states import states_of_a_game

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

GAMES = [(game, load_game(game).seats[-1]) for game in HOUSE]
LEAST_PX = 21.9
LINES = """(prompts) => prompts.map((prompt) => {
    const range = document.createRange();
    range.selectNodeContents(prompt);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
})"""
WINDOWS = [(800, 480), (390, 844)]
LONG = f"""([texts, most]) => {{
    const slip = document.getElementById("prompts");
    slip.hidden = false;
    slip.replaceChildren(...texts.map((text) => Object.assign(document.createElement("p"), {{ textContent: text }})));
    for (const prompt of slip.children) prompt.style.fontSize = "{LEAST_PX}px"; // whatever the page has fitted
    const lines = ({LINES})([...slip.children]);
    return texts.filter((text, number) => lines[number] > most);
}}"""


def test_no_prompt_is_longer_than_four_lines_of_small_type_or_five_on_a_phone(browser: Browser) -> None:
    prompts = [*prompts_of_games(), *prompts_of_sources()]
    texts = {in_language(prompt, translator(language)) for prompt in prompts for language in LANGUAGES}
    assert len(prompts_of_sources()) > 12 and len(texts) > 500
    board = board_for("", None, port=0)
    try:
        board.show_screen(cast(GameScreen, states_of_a_game("spades", 4)[0]))
        with open_page(browser, board.url) as page:
            page.wait_for_selector("body[data-version]")
            for (width, height), most in zip(WINDOWS, (4, 5), strict=True):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(LONG, [sorted(texts), most]) == []
                assert page.evaluate(LONG, [["Take back the card. " * 24], most]), "what is too long is found"
    finally:
        board.close()


def test_the_longest_prompts_fit_beside_the_words_of_each_game(browser: Browser) -> None:
    board = board_for("", None, port=0)
    found = []
    try:
        with open_page(browser, board.url) as page:
            for number, (game, players) in enumerate(GAMES, 1):
                states = states_of_a_game(game, players, most=5)
                state = max(states, key=lambda state: max(len(seat["words"]) for seat in state["seats"]))
                urgent = {"kind": "take-back", "seat": 0, "text": longest_prompt_of(game, players), "urgent": True}
                board.show_screen(cast(GameScreen, state | {"prompts": [urgent, *state["prompts"]]}))
                page.wait_for_selector(f'body[data-version="{number}"]')
                if faults := page.evaluate(FAULTS, LEAST_PX):
                    found.append((game, faults))
        assert found == []
    finally:
        board.close()


def test_many_words_take_two_rows_and_leave_the_felt_its_height(browser: Browser) -> None:
    board = board_for("", None, port=0, language="fr")
    try:
        state = next(state for state in states_of_a_game("belote", 4) if state["phase"] == "play")
        declared = [{"word": word, "needs": []} for word in ("tierce", "cinquante", "cent", "carre")]
        seats = [seat | {"words": declared if number == 2 else []} for number, seat in enumerate(state["seats"])]
        board.show_screen(cast(GameScreen, state | {"seats": seats, "turn": 2, "prompts": []}))
        with open_page(browser, board.url) as page:
            page.wait_for_selector("#words .word >> nth=3")
            rows = page.locator("#words .word").evaluate_all("words => words.map((word) => word.offsetTop)")
            assert len(set(rows)) <= 2
            assert page.evaluate("document.getElementById('felt').clientHeight / innerHeight") > 0.35
            assert page.evaluate(FAULTS, LEAST_PX) == []
    finally:
        board.close()


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(800, 480), (1024, 600), (1920, 1080), (390, 844), (480, 800)])
def test_prompts_never_cut_what_lies_on_the_table(browser: Browser, width: int, height: int) -> None:
    asked = [
        {"kind": "take-back", "seat": 1, "text": text, "urgent": True}
        for text in (
            "Bartholomew: take back 3♣, it is Maximiliane-Theodora’s turn.",
            "2 cards cannot be read: lay them again.",
            "The camera gives no pictures.",
        )
    ]
    games = (("its-15", 6), ("bridge", 4), ("hearts", 7))
    states = [state for game in games for state in states_of_a_game(*game, most=4)]
    board = board_for("", None, port=0)
    faults = []
    try:
        with open_page(browser, board.url, viewport={"width": width, "height": height}) as page:
            for number, state in enumerate(states, 1):
                prompts = asked[: number % len(asked) + 1] + state["prompts"]
                board.show_screen(cast(GameScreen, state | {"prompts": prompts}))
                page.wait_for_selector(f'body[data-version="{number}"]')
                faults += [(state["game"], state["n"], len(prompts), fault) for fault in page.evaluate(FAULTS, 0)]
        assert faults == []
    finally:
        board.close()
