"""Every screen looks as in its picture in docs/, to the eye; and the comparison sees what an eye would."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from PIL import Image, ImageEnhance, ImageFilter
from playwright.sync_api import Browser, Page

from cardtable.languages import LANGUAGES
from tests.cardtable.web.chromium import CHROMIUM
from tests.cardtable.web.contrast import LEAST_TARGET_PX, LOW_CONTRAST, SMALL_TARGETS
from tests.cardtable.web.every_screen import every_screen, large_screens, showing
from tests.cardtable.web.page_faults import FAULTS, SHEET_FAULTS
from tests.cardtable.web.pictures import (
    DEVICES,
    FOLDER,
    QUALITY,
    THEMES,
    Settled,
    View,
    difference,
    every_view,
    reduced,
    stored,
    views,
    wanted_files,
)
from tests.cardtable.web.test_page_sizes import SET_TYPE
from tests.cardtable.web.test_phone_page import FAULTS as PHONE_FAULTS

BUILD: Final = Path(__file__).parents[3] / "build" / "pictures"
MOST_BYTES: Final = 9_000_000
TOLERANCE: Final = 12
"""The highest `difference` of two views that look the same."""
FAULTS_OF: Final = (FAULTS, PHONE_FAULTS, FAULTS)
OVERLAYS: Final = {screen.name for screen in large_screens() if screen.path.startswith("overlay")}
CUBIC: Final = Image.Resampling.BICUBIC


def differs(one: Image.Image, two: Image.Image) -> int:
    return int(difference(one, two).max())


def sample() -> list[View]:
    """Return one view of each screen, or some; each size of a device, each theme and each language is among them."""
    chosen = []
    for number, device in enumerate(DEVICES):
        every = [(size, theme, language) for language in LANGUAGES for theme in THEMES for size in device.sizes]
        for place, screen in enumerate(device.screens("en")):
            size, theme, language = every[place * 7 % len(every)]  # the number of combinations has no factor 7
            chosen.append(View(screen.name, number, size, theme, language))
    return chosen


def test_there_is_a_picture_of_every_screen() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == wanted_files(), "run python -m tests.cardtable.web.pictures"
    assert sum(files.values()) < MOST_BYTES


def test_the_sample_has_every_screen_size_theme_and_language() -> None:
    for part in ("screen", "theme", "language"):
        assert {getattr(view, part) for view in sample()} == {getattr(view, part) for view in every_view()}
    assert {(view.device, view.size) for view in sample()} == {(view.device, view.size) for view in every_view()}


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_looks_as_in_its_picture(browser: Browser, language: str, whole: bool) -> None:
    """And fits, can be read and tapped. `make long` looks at every view, and at each with larger type too."""
    wanted = [view for view in (every_view() if whole else sample()) if view.language == language]
    found, unfit = {}, {}
    for view, full, page in views(browser, wanted):
        shown, picture = reduced(full), stored(view)
        found[view] = differs(picture, shown)
        if found[view] > TOLERANCE:
            write_beside(view, picture, shown)
        if faults := faults_of(view, page, ("normal", "150%", "200%") if whole else ("normal",)):
            unfit[str(view)] = faults
    assert unfit == {}
    wrong = {str(view): value for view, value in found.items() if value > TOLERANCE}
    names = " ".join(sorted({view.screen for view in found if str(view) in wrong}))
    assert not wrong, (
        f"{wrong}: more than {TOLERANCE}. See build/pictures: as stored, as shown, the difference. "
        f"If they are right: python -m tests.cardtable.web.pictures {names}"
    )


def faults_of(view: View, page: Page, types: Sequence[str]) -> list[str]:
    """Return what does not fit, is too small to tap or to read against its ground, with these sizes of type."""
    faults: list[str] = page.evaluate(FAULTS_OF[view.device], 0) if view.screen not in OVERLAYS else []
    for size in types:
        page.evaluate(SET_TYPE, size)
        page.evaluate(Settled.WAIT, view.theme)
        found = page.evaluate(SHEET_FAULTS) + page.evaluate(LOW_CONTRAST)[0]
        found += page.evaluate(SMALL_TARGETS, LEAST_TARGET_PX)
        faults += [f"{size}: {fault}" for fault in found]
    page.evaluate(SET_TYPE, "normal")
    return faults


def write_beside(view: View, picture: Image.Image, shown: Image.Image) -> None:
    """Write a view as stored, as shown, and the difference into build/pictures."""
    BUILD.mkdir(parents=True, exist_ok=True)
    marked = Image.fromarray(difference(picture, shown)).point(lambda level: min(255, level * 128 // TOLERANCE))
    beside = Image.new("RGB", (shown.width * 3, shown.height))
    for column, image in enumerate((picture, shown, marked)):
        beside.paste(image, (column * shown.width, 0))
    beside.save(BUILD / f"{view}.png")


CHANGES: Final = {
    "a panel is moved": "#felt { transform: translateX(12px) }",
    "a name is missing": ".seat.n .name { visibility: hidden }",
    "a button is missing": "#undo { visibility: hidden }",
    "a number is cut": ".seat.e .score { clip-path: inset(0 0 50% 0) }",
    "a ground has another colour": ".seat.turn { filter: hue-rotate(40deg) }",
    "letters are of another font": "#table * { font-family: monospace !important }",
}


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_the_comparison_sees_what_an_eye_sees(browser: Browser) -> None:
    with showing(browser, bypass_csp=True) as shown:
        shown.show(next(screen for screen in every_screen() if screen.name == "hearts"))
        settled = Settled(shown.page)
        full = settled.picture("light")
        right = reduced(full)
        changed = {}
        for name, style in CHANGES.items():
            element = shown.page.add_style_tag(content=style)
            changed[name] = differs(right, reduced(settled.picture("light")))
            element.evaluate("style => style.remove()")
        assert differs(right, reduced(settled.picture("light"))) == 0
    assert min(changed.values()) > TOLERANCE, changed
    lossy = io.BytesIO()
    right.save(lossy, "WEBP", quality=QUALITY)
    noise = Image.effect_noise(full.size, 40).convert("RGB")
    half_a_pixel = (1, 0, 0.5, 0, 1, 0.5)
    same = {
        "as it is stored": Image.open(lossy).convert("RGB"),
        "moved by half a pixel": reduced(full.transform(full.size, Image.Transform.AFFINE, half_a_pixel, CUBIC)),
        "noise": reduced(Image.blend(full, noise, 0.1)),
        "bolder letters": reduced(full.filter(ImageFilter.UnsharpMask(1, 60))),
        "softer letters": reduced(full.filter(ImageFilter.GaussianBlur(0.6))),
        "a little lighter": reduced(ImageEnhance.Brightness(full).enhance(1.02)),
    }
    unchanged = {name: differs(right, image) for name, image in same.items()}
    assert max(unchanged.values()) <= TOLERANCE, unchanged
