"""The director's page: who may use it, what it stores, and a tournament directed in the browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import sqlalchemy as sql
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from cardtable.web.access import Access
from cardtable_club.hub.config import HubConfig
from cardtable_club.hub.director import TournamentLog
from cardtable_club.hub.games import LiveGame
from cardtable_club.hub.pages import Hub, HubPages
from cardtable_club.hub.store import Key, Received
from cardtable_club.member.home_assistant import Health
from cardtable_club.member.messages import Line, compact
from cardtable_club.member.outbox import public_line
from club.tests.hub.test_hub_pages import FakeHub
from club.tests.hub.test_tournament_log import bridge
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.contrast import LOW_CONTRAST

PIN = "4711"
ELSEWHERE = {"x-forwarded-for": "192.0.2.7"}
"""What a device in the network sends by way of a proxy on this machine: it is not this machine."""
BEGIN = {"do": "begin", "kind": "swiss", "rounds": 3, "entrants": ["Ann", "Bo", "Cy", "Di"], "tables": ["t1", "t2"]}
AXE = "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.map((each) => each.id)"


@pytest.fixture
def hub(tmp_path: Path) -> FakeHub:
    return FakeHub(tmp_path)


@pytest.fixture
def access() -> Access:
    return Access()


@pytest.fixture
def pages(hub: FakeHub, access: Access) -> Iterator[HubPages]:
    with closing(HubPages(HubConfig(port=0), cast(Hub, hub), access)) as pages:
        yield pages


def do(client: httpx.Client, **what: Any) -> httpx.Response:
    return client.post("/director/do", json=what)


def test_a_table_has_a_name_that_a_topic_can_have(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:
        for name in ("t#1", "t+", "a/b", "Tisch ä"):
            refused = do(client, **{**BEGIN, "tables": ["t1", name]})
            assert refused.status_code == 409 and "its name has 1 to 40 letters" in refused.json()["refused"]
    assert TournamentLog(hub.store).tournament().setup is None


def test_a_name_is_no_formula_and_hides_nothing(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:
        names = ["=1+1", "A\u200bnn", "B\u202eo", "Cy\u3164"]
        begun = do(client, **BEGIN | {"entrants": names}).json()["tournament"]
        assert begun["playing"] == ["=1+1", "Ann", "Bo", "Cy"]
        twice = do(client, **BEGIN | {"entrants": ["Ann", "A\u200bnn", "Bo", "Cy"]})
        assert twice.status_code == 409 and "twice" in twice.json()["refused"]
        assert ",'=1+1," in client.get("/director/results?as=csv").text


def test_the_machine_of_the_hub_directs_and_what_it_does_is_stored(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:
        first = client.get("/director.json").json()
        assert (first["role"], first["tournament"], first["tables"]) == ("board", None, ["t1", "t2"])
        assert do(client, **BEGIN).json()["tournament"]["playing"] == ["Ann", "Bo", "Cy", "Di"]
        games = do(client, do="round").json()["tournament"]["games"]
        assert [game["table"] for game in games] == ["t1", "t2"]
        again = do(client, do="round")
        assert again.status_code == 409 and "not over yet" in again.json()["refused"]
        do(client, do="result", round=1, table="t1", scores=[121, 90])
        do(client, do="broken", table="t2")
        done = do(client, do="leave", entrant=games[1]["entrants"][0]).json()["tournament"]
        assert [game["done"] for game in done["games"]] == [True, True] and done["broken"] == ["t2"]
        assert done["games"][1]["walkover"] == games[1]["entrants"][1]
        assert "1,,Ann" in client.get("/director/results?as=csv").text.replace("\r", "")
        assert client.get("/director/results?as=usebio").status_code == 409
        assert client.get("/director/results?as=exe").status_code == 404
    assert TournamentLog(hub.store).tournament().left == {games[1]["entrants"][0]: 1}


def test_another_device_needs_the_pin_and_gets_an_http_only_cookie(pages: HubPages, access: Access) -> None:
    with httpx.Client(base_url=pages.url, headers=ELSEWHERE) as client:
        assert do(client, **BEGIN).status_code == 403
        assert client.post("/director", json={"pin": PIN}).status_code == 403  # there is none yet
        assert client.post("/director/pin", json={"pin": PIN}).status_code == 403  # only at the hub's machine
        access.set_pin(PIN)
        assert client.get("/director.json").json() | {"tables": []} == {
            "role": "spectator", "pin": True, "kinds": client.get("/director.json").json()["kinds"],
            "scorings": client.get("/director.json").json()["scorings"], "tables": [], "health": [],
            "tournament": None,
        }  # fmt: skip
        assert client.post("/director", json={"pin": "0000"}).status_code == 403
        answer = client.post("/director", json={"pin": PIN})
        assert answer.status_code == 200
        assert "httponly" in (cookie := answer.headers["set-cookie"].lower()) and "samesite=strict" in cookie
        assert do(client, **BEGIN).status_code == 200
        access.set_pin("0815")
        assert do(client, do="round").status_code == 403


def test_a_director_who_presses_twice_gets_one_round(pages: HubPages) -> None:
    with httpx.Client(base_url=pages.url) as client:
        do(client, **BEGIN)
        do(client, do="round")
        assert do(client, do="round", late=True, round=2).json()["tournament"]["round"] == 2
        again = do(client, do="round", late=True, round=2)
        assert again.status_code == 409 and "round 2 is paired already" in again.json()["refused"]
        assert client.get("/director.json").json()["tournament"]["round"] == 2


FOR_DIRECTORS = "/director/do /director/message /director/pin /director/results"
FOR_ALL = "/director /ready /enrol"


@pytest.mark.parametrize("path", [*FOR_DIRECTORS.split(), *FOR_ALL.split()])
def test_every_request_that_changes_something(pages: HubPages, path: str) -> None:
    """tests/cardtable/web/access/test_every_route.py fails on a route that is not listed."""
    with httpx.Client(base_url=pages.url, headers=ELSEWHERE) as client:
        body = {"pin": "1234"} if "pin" in path or path == "/director" else {}
        sent = client.get(path) if path.endswith("results") else client.post(path, json=body)
        for_directors = sent.json()["refused"].startswith("This is for the ")
        assert for_directors == (path in FOR_DIRECTORS.split())


NO_ORDERS = {
    400: (
        *(b"", b"[]", b"[" * 5000, b"\xff", b'{"do":"paint"}'),
        b'{"do":"result","round":1,"table":"t1","scores":[1]}',
        b'{"do":"result","round":1,"table":"t1","scores":[1,1e99]}',
        b'{"do":"round","late":"yes"}',
    ),
    409: (
        b'{"do":"round"}',
        b'{"do":"begin","kind":"chess","entrants":["a","b"],"tables":["t"]}',
        b'{"do":"board","round":1,"table":"t1","board":1,"score":"many"}',
    ),
    413: (b" " * 200_001,),
}
"""By the status of the answer: what is sent, and refused."""


def test_what_is_not_an_order_is_refused_and_stores_nothing(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:
        for status, contents in NO_ORDERS.items():
            for content in contents:
                answer = client.post("/director/do", content=content, headers={"content-type": "application/json"})
                assert (answer.status_code, bool(answer.json()["refused"])) == (status, True), content[:60]
        assert client.post("/director/do", content=b'{"do":"round"}').status_code == 415
    assert TournamentLog(hub.store).tournament().setup is None


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_a_tournament_is_directed_in_the_browser(browser: Browser, pages: HubPages, hub: FakeHub) -> None:
    with open_page(browser, f"{pages.url}/director.html") as page:
        page.on("dialog", lambda dialog: dialog.accept())
        begin = page.locator("#begin")
        begin.locator("[name=entrants]").fill("Ann\nBo\nCy\nDi\nEve\n")
        expect(begin.locator("[name=tables]")).to_have_value("t1\nt2")
        begin.locator("[name=kind]").select_option("swiss")
        begin.locator("[name=name]").fill("Thursday")
        begin.get_by_role("button", name="Begin").click()
        expect(page.get_by_role("heading", name="Thursday")).to_be_visible()
        page.get_by_role("button", name="Next round", exact=True).click()
        games = page.locator("#games article")
        expect(games).to_have_count(2)
        page.get_by_role("button", name="Next round", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("not over yet")
        expect(games.nth(0).locator("label")).to_have_text(["Ann", "Cy"])
        for article in (0, 1):
            for field, score in ((0, "121"), (1, str(80 + article))):
                games.nth(article).get_by_role("spinbutton").nth(field).fill(score)
            games.nth(article).get_by_role("button", name="Enter").click()
            expect(games.nth(article).locator("h3.done")).to_be_visible()
        page.locator("#entrants li", has_text="Eve").get_by_role("button", name="Leaves").click()
        expect(page.locator("#entrants li.left")).to_contain_text("Eve")
        page.locator("#join [name=entrant]").fill("Fay")
        page.get_by_role("button", name="Joins", exact=True).click()
        expect(page.locator("#entrants")).to_contain_text("Fay")
        page.locator("#tables li", has_text="t2").get_by_role("button").click()
        expect(page.locator("#tables li.left")).to_contain_text("t2")
        page.get_by_role("button", name="Next round", exact=True).click()
        expect(games).to_have_count(4)
        expect(games.nth(1)).to_contain_text("later, at any table")
        page.locator("#new summary").click()
        page.locator("#quarter input").check()
        expect(page.locator("#names")).to_be_hidden()
        _can_be_used(page)
    tournament = TournamentLog(hub.store).tournament()
    assert tournament.round == 2 and [game.scores for game in tournament.games[:2]] == [(121, 80), (121, 81)]


def _can_be_used(page: Page) -> None:
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(AXE) == []
    assert page.evaluate(LOW_CONTRAST)[0] == []
    for width, height in ((800, 480), (1920, 1080), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_boards_still_to_be_played_are_shown_to_the_director_only(pages: HubPages, hub: FakeHub) -> None:
    table = bridge(7)
    stored = [compact(value.to_json()) for value in (table.header, *table.actions)]
    lines = [Line("1000-00000000", n, public_line(each), 5e9) for n, each in enumerate(stored)]
    live = LiveGame(Key("t1", "1000-00000000"))
    live.add(lines)
    pairs = ["Ann & Bo", "Cy & Di", "Eve & Flo", "Gus & Hal", "Ian & Jo", "Kim & Leo"]
    begin = {"do": "begin", "kind": "howell", "entrants": pairs, "tables": ["t1", "t2", "t3"], "boards": 1, "rounds": 1}
    with httpx.Client(base_url=pages.url) as director, httpx.Client(base_url=pages.url, headers=ELSEWHERE) as spectator:
        do(director, **begin)
        games = do(director, do="round").json()["tournament"]["games"]
        hub.store.take([Received("t1", line) for line in lines])
        hub.mirror.put(hub.store.keep_results([live.result()]))
        results, record = "/director/results?as=pbn", "/games/1.jsonl"
        assert director.get(results).status_code == director.get(record).status_code == 200
        assert spectator.get(results).status_code == 403
        refused = spectator.get(record)
        assert refused.status_code == 403 and "still to play" in refused.json()["refused"]
        for game in games:
            for board in game["boards"]:
                result = {"board": board["board"], "score": "420", "entrants": game["entrants"]}
                assert do(director, do="board", round=1, **result).status_code == 200
        assert spectator.get(record).text.count("\n") > 50
        assert spectator.get(results).status_code == 403


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_the_director_sees_the_tables_and_speaks_to_them(browser: Browser, pages: HubPages, hub: FakeHub) -> None:
    faults = ("camera: it is too dark: switch a lamp on",)
    hub.healths.put("t1", Health(time.time() - 7200.0, 3, "", faults, 83.4, 12_345_678_901, "1.2.3"))
    hub.duplicates.add("t2")
    with open_page(browser, f"{pages.url}/director.html") as page:
        expect(page.locator("#states li")).to_have_count(2)
        first, second = page.locator("#states li").all()
        expect(first).to_contain_text("t1 connected · lines to send: 3 · 83 °C · 12.3 GB free · 1.2.3")
        for fault in ("switch a lamp on", "Its clock is 120 min slow", "It is hot: let more air reach it"):
            expect(first).to_contain_text(fault)
        expect(second).to_contain_text("Two tables have this name")
        page.locator("#message [name=text]").fill("Please finish this game.")
        page.get_by_role("button", name="Show", exact=True).click()
        expect(page.locator("#shown")).to_have_text("Shown at t1. t2: does not answer")
        page.locator("#message [name=table]").select_option("t1")
        page.get_by_role("button", name="Take it back").click()
        expect(page.locator("#shown")).to_have_text("Taken back at t1.")
        _can_be_used(page)
    assert hub.messages == [("t1", "Please finish this game."), ("t2", "Please finish this game."), ("t1", "")]


def test_only_the_director_speaks_to_the_tables(pages: HubPages, hub: FakeHub) -> None:
    message = {"tables": ["t1"], "text": "Please finish this game."}
    with httpx.Client(base_url=pages.url, headers=ELSEWHERE) as spectator:
        assert spectator.post("/director/message", json=message).status_code == 403
    with httpx.Client(base_url=pages.url) as director:
        for wrong in ({"tables": []}, {"tables": ["t#1"]}, {"text": "x" * 201}, {"text": "two\nlines"}, {"more": 1}):
            assert director.post("/director/message", json=message | wrong).status_code == 400
    assert hub.messages == []


def test_what_is_refused_is_said_in_the_language_of_the_hub(hub: FakeHub) -> None:
    with (
        closing(HubPages(HubConfig(port=0, language="fr"), cast(Hub, hub))) as pages,
        httpx.Client(base_url=pages.url) as client,
    ):
        for order, refusal in (
            ({"do": "paint"}, "do\xa0: 'paint' ne peut pas être fait ici"),
            ({"do": "result", "round": "1", "scores": [1, 2]}, "result.round\xa0: il faut un nombre entier"),
            ({"do": "result", "round": 1, "scores": [1]}, "result.scores\xa0: cette valeur n’est pas permise"),
            ({}, "do\xa0: cela manque"),
        ):
            assert client.post("/director/do", json=order).json()["refused"] == refusal


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_the_page_says_that_the_database_is_away(
    browser: Browser, pages: HubPages, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.store, "_engine", sql.create_engine("sqlite:////nowhere/club.sqlite"))
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.goto(f"{pages.url}/director.html")
        expect(page.get_by_role("alert")).to_contain_text("The database cannot be read now")
        monkeypatch.undo()
        page.clock.run_for(3000)
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(page.locator("#begin")).to_be_visible()
