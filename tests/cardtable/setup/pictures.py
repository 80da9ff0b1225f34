"""Write the pictures of docs/start/first-start.md: `python -m tests.cardtable.setup.pictures`.

With a folder as the argument, every question at every size and in every language goes there instead.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from cardtable.languages import LANGUAGES
from cardtable.setup.first_start import all_steps
from tests.cardtable.setup.programs import install
from tests.cardtable.setup.test_first_start_page import running
from tests.cardtable.web.chromium import launched, open_page
from tests.system.film import frames
from tests.system.test_run import Camera
from tests.waiting import tries

FOLDER: Final = Path(__file__).parents[3] / "docs" / "pictures" / "first-start"
SIZES: Final = ((800, 480), (390, 844), (1024, 600), (1920, 1080), (480, 800))
SHOWN: Final = ("wifi", "camera", "mat", "card")
"""The questions in the document, at 800x480, and the first of them on a phone too."""
WITHIN: Final = {
    "time-zone": "Europe",
    "wifi": "network:Home",
    "phone": "pin:2468",
    "mat": "whole",
}
"""Answers that lead to a question within the step."""


@contextmanager
def table() -> Iterator[str]:
    """A table at its first start, with a card before its camera; its address."""
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        closing(Camera(list(frames()))) as camera,
    ):
        install(Path(folder) / "bin", patch)
        camera.done = 1
        with running(Path(folder), camera.address) as url:
            yield url


def do(url: str, event: str, value: str) -> None:
    """Send an event for the question that is shown."""
    wanted = {"do": event, "step": now(url)["step"], "value": value}
    answer = httpx.post(f"{url}/start/do", json=wanted, timeout=60).json()
    while "opening" in answer and now(url)["session"] == answer["session"]:
        pass


def now(url: str) -> dict[str, Any]:
    """Return the state, as soon as the table answers."""
    for _ in tries("an answer of the table", pause_s=0.02):
        with suppress(httpx.TransportError, ValueError):  # the table is being opened again
            state: dict[str, Any] = httpx.get(f"{url}/start/state.json", timeout=60).json()
            return state


def shown(page: Page) -> None:
    """Wait until the page shows the question and its picture."""
    page.wait_for_timeout(2500)


def write(page: Page, path: Path) -> None:
    """Write what the page shows."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(path, quality=60, method=6)


def document(browser: Browser) -> None:
    """Write the pictures of the document."""
    FOLDER.mkdir(exist_ok=True)
    with table() as url:
        for name in SHOWN:
            do(url, "go", name)
            for width, height in SIZES[: 2 if name == SHOWN[0] else 1]:
                with open_page(browser, f"{url}/start", viewport={"width": width, "height": height}) as page:
                    shown(page)
                    write(page, FOLDER / f"{name}-{width}x{height}.webp")


def everything(browser: Browser, folder: Path) -> None:
    """Write every question at every size, in every language, to look at."""
    folder.mkdir(exist_ok=True)
    with table() as url:
        for language in LANGUAGES:
            do(url, "go", "language")
            do(url, "answer", language)
            for name in [step.name for step in all_steps()]:
                for within in ("", WITHIN.get(name, "")):
                    do(url, "go", name)
                    if within:
                        do(url, "answer", within)
                    for width, height in SIZES:
                        with open_page(browser, f"{url}/start", viewport={"width": width, "height": height}) as page:
                            shown(page)
                            write(page, folder / f"{name}{'-in' if within else ''}-{language}-{width}x{height}.webp")
                    if not WITHIN.get(name):
                        break


def main() -> None:
    """Write the pictures."""
    with launched() as browser:
        if len(sys.argv) > 1:
            everything(browser, Path(sys.argv[1]))
        else:
            document(browser)


if __name__ == "__main__":
    main()
