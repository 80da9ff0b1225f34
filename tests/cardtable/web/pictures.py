"""Write the pictures of every screen, docs/pictures/screens/: `python -m tests.cardtable.web.pictures`.

With names of screens, only theirs. Each picture shows a screen in one theme: a row for each language, a column for each
size. `test_pictures.py` compares them with what the page shows. `make setup-dev` installs what is needed.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, Request

from cardtable.languages import LANGUAGES, Language
from cardtable.plugins import VARIABLE
from tests.cardtable.web.chromium import launched
from tests.cardtable.web.every_screen import Screen, every_screen, large_screens, showing
from tests.cardtable.web.phone_screens import PhoneScreen, phone_screens, showing_phone

FOLDER: Final = Path(__file__).parents[3] / "docs" / "pictures" / "screens"
Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
Size = tuple[int, int]
Picture = NDArray[np.uint8]
AREA: Final = 44_000
"""So many pixels has each view in a picture, whatever its size is."""
GAP: Final = 8
QUALITY: Final = 18
IN_DOCUMENTS: Final = ("cribbage", "cribbage-show", "hearts", "lobby", "result")
"""Screens that documents show by themselves, at 800 x 480."""


@dataclass(frozen=True)
class Device:
    """A kind of page, with its screens in a language, and the sizes at which they are shown."""

    sizes: tuple[Size, ...]
    screens: Callable[[Language], Sequence[Screen | PhoneScreen]]
    showing: Callable[..., AbstractContextManager[Any]]


DEVICES: Final = (
    Device(((800, 480), (1024, 600), (1280, 800), (1920, 1080), (600, 1024), (390, 844)), every_screen, showing),
    Device(((390, 844), (844, 390)), phone_screens, showing_phone),
    Device(((1280, 720), (1920, 1080), (1080, 1920)), large_screens, showing),
)


@dataclass(frozen=True)
class View:
    """One view of a screen; `device`: its place in `DEVICES`."""

    screen: str
    device: int
    size: Size
    theme: Theme
    language: Language

    def __str__(self) -> str:
        return f"{self.screen}-{self.size[0]}x{self.size[1]}-{self.theme}-{self.language}"


def every_view() -> list[View]:
    return [
        View(screen.name, number, size, theme, language)
        for number, device in enumerate(DEVICES)
        for screen in device.screens("en")
        for language in LANGUAGES
        for size in device.sizes
        for theme in THEMES
    ]


def wanted_files() -> set[str]:
    """Return the names of all pictures."""
    return {f"{view.screen}-{view.theme}.webp" for view in every_view()} | {f"{name}.webp" for name in IN_DOCUMENTS}


def small(size: Size) -> Size:
    """Return the size of a view in a picture."""
    factor = (AREA / (size[0] * size[1])) ** 0.5
    return round(size[0] * factor), round(size[1] * factor)


def box_of(view: View) -> tuple[int, int, int, int]:
    """Return where a view is in its picture: left, top, right, bottom."""
    sizes = [small(size) for size in DEVICES[view.device].sizes]
    column = DEVICES[view.device].sizes.index(view.size)
    left = sum(width + GAP for width, _ in sizes[:column])
    top = LANGUAGES.index(view.language) * (max(height for _, height in sizes) + GAP)
    return left, top, left + sizes[column][0], top + sizes[column][1]


def views(browser: Browser, wanted: Iterable[View]) -> Iterator[tuple[View, Image.Image, Page]]:
    """Yield the views, in full size, and the page that shows each."""
    left = list(wanted)
    while left:  # with each page, each screen once, because what one leaves behind may be seen on those before it
        device, language = left[0].device, left[0].language
        with DEVICES[device].showing(browser, language) as shown:
            settled = Settled(shown.page)
            for screen in DEVICES[device].screens(language):
                about = (screen.name, device, language)
                these = [view for view in left if (view.screen, view.device, view.language) == about]
                these = [view for view in these if view.size == these[0].size]
                left = [view for view in left if view not in these]
                if these:
                    width, height = these[0].size
                    shown.page.set_viewport_size({"width": width, "height": height})
                    shown.show(screen)
                for view in these:
                    yield view, settled.picture(view.theme), shown.page


class Settled:
    """Takes pictures of a page as soon as nothing on it changes any more."""

    WAIT: Final = """async (theme) => {
        await document.fonts.ready;
        await Promise.all([...document.images].map((image) => image.src && image.decode().catch(() => {})));
        do await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        while (document.documentElement.dataset.theme !== theme);
    }"""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._loading = set[Request]()
        page.on("request", lambda request: self._loading.add(request))
        page.on("requestfinished", lambda request: self._loading.discard(request))
        page.on("requestfailed", lambda request: self._loading.discard(request))

    def picture(self, theme: Theme) -> Image.Image:
        self._page.mouse.move(0, 0)
        self._page.emulate_media(color_scheme=theme)
        self._page.evaluate(self.WAIT, theme)
        while self._loading:
            self._page.evaluate(self.WAIT, theme)
        shot = self._page.screenshot(animations="disabled", type="jpeg", quality=95)
        return Image.open(io.BytesIO(shot)).convert("RGB")


def reduced(full: Image.Image) -> Image.Image:
    """Return a view as it is in its picture."""
    return full.resize(small(full.size), Image.Resampling.LANCZOS)


def stored(view: View) -> Image.Image:
    """Return a view from its picture in docs/."""
    with Image.open(FOLDER / f"{view.screen}-{view.theme}.webp") as picture:
        return picture.convert("RGB").crop(box_of(view))


def difference(one: Image.Image, two: Image.Image) -> Picture:
    """Return how much two views differ to the eye around each pixel, as grey levels: distances in CIELAB.

    A pixel is compared with those beside it too, so letters that another browser draws half a pixel further on are the
    same. Colours count half and are blurred more, as in the eye; lossy pictures keep them less exactly.
    """
    first, second = _to_the_eye(one), _to_the_eye(two)
    around = cv2.copyMakeBorder(second, 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    height, width = first.shape[:2]
    moved = [around[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    nearest = np.min([np.linalg.norm(first - each, axis=2) for each in moved], axis=0)
    return np.clip(cv2.blur(nearest, (9, 9)), 0, 255).astype(np.uint8)


def _to_the_eye(image: Image.Image) -> NDArray[np.float32]:
    lab = cv2.cvtColor(np.asarray(image, np.float32) / 255, cv2.COLOR_RGB2LAB)
    light, colour = cv2.GaussianBlur(lab[..., 0], (3, 3), 0), cv2.GaussianBlur(lab[..., 1:], (7, 7), 0)
    return np.dstack((light, colour / 2))


def _reduced_views(language: Language, names: set[str]) -> list[tuple[View, Image.Image]]:
    os.environ[VARIABLE] = "off"
    wanted = {view for view in every_view() if view.language == language and (not names or view.screen in names)}
    with launched() as browser:
        found = []
        for view, full, _ in views(browser, wanted):
            found.append((view, reduced(full)))
            if view.screen in IN_DOCUMENTS and view == View(view.screen, 0, (800, 480), "light", "en"):
                full.save(FOLDER / f"{view.screen}.webp", quality=QUALITY + 6, method=6)
        return found


def main() -> None:
    """Write the pictures, and remove those of screens that there are no more."""
    FOLDER.mkdir(exist_ok=True)
    names, wanted = set(sys.argv[1:]), wanted_files()
    for old in FOLDER.glob("*.webp"):
        if old.name not in wanted:
            old.unlink()
    pictures: dict[tuple[str, Theme], list[tuple[View, Image.Image]]] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(_reduced_views, LANGUAGES, [names] * len(LANGUAGES)):
            for view, image in found:
                pictures.setdefault((view.screen, view.theme), []).append((view, image))
    for (screen, theme), parts in pictures.items():
        boxes = [box_of(view) for view, _ in parts]
        whole = Image.new("RGB", (max(box[2] for box in boxes), max(box[3] for box in boxes)), "#888")
        for box, (_, image) in zip(boxes, parts, strict=True):
            whole.paste(image, box)
        whole.save(FOLDER / f"{screen}-{theme}.webp", quality=QUALITY, method=6)
    total = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    print(f"{len(wanted)} pictures, {total / 1e6:.1f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
