"""Print what the first load of each page transfers, compressed and not: `python -m tests.cardtable.web.page_bytes`.

Chromium counts the bytes on the wire: the headers and bodies of all responses, the state included. The table shows a
game of two players.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from playwright.sync_api import Browser

from cardtable.web.server import PAGE
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import launched


def transferred(browser: Browser, url: str, compressed: bool) -> tuple[int, int]:
    """Return the number of requests of a first load of the page at `url`, and the bytes of their answers."""
    sizes: list[int] = []
    with closing(browser.new_context()) as context, closing(context.new_page()) as page:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        if not compressed:
            session.send("Network.setExtraHTTPHeaders", {"headers": {"Accept-Encoding": "identity"}})
        session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
        page.goto(url)
        page.wait_for_load_state("networkidle")
    return len(sizes), sum(sizes)


def lines(browser: Browser) -> Iterator[str]:
    """Yield a line for each page, then the sum of all files of the page."""
    with closing(AtTheTable().board) as board:
        for path in ("", "phone", "overlay"):
            requests, plain = transferred(browser, f"{board.url}/{path}", compressed=False)
            _, small = transferred(browser, f"{board.url}/{path}", compressed=True)
            yield f"/{path}: {requests} requests, {plain / 1000:.0f} kB, {small / 1000:.0f} kB with gzip"
    files = [file.stat().st_size for file in PAGE.rglob("*") if file.is_file()]
    yield f"all {len(files)} files of the pages: {sum(files) / 1000:.0f} kB"


def main() -> None:
    with launched() as browser:
        for line in lines(browser):
            print(line)


if __name__ == "__main__":
    main()
