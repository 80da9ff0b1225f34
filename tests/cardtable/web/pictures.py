"""Write the pictures of every screen at every size, docs/pictures/screens/: `python -m tests.cardtable.web.pictures`.

With names of screens, only those.

They are pictures of the page in Chromium, as WebP; large screens are made smaller. `make setup-dev` installs
what is needed.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Final

from PIL import Image

from tests.cardtable.web.chromium import launched
from tests.cardtable.web.every_screen import every_screen, showing
from tests.cardtable.web.phone_screens import phone_screens, showing_phone

FOLDER: Final = Path(__file__).parents[3] / "docs" / "pictures" / "screens"
SIZES: Final = ((800, 480), (1024, 600), (1920, 1080), (390, 844), (480, 800))
PHONE_SIZES: Final = ((390, 844), (844, 390))
SMALLER: Final = {1024: 560, 1920: 560, 480: 420}
"""Width of the pictures of windows of some widths; those of others are as wide as the window."""
QUALITY: Final = 24


def file_name(screen: str, width: int, height: int) -> str:
    return f"{screen}-{width}x{height}.webp"


def wanted_files() -> set[str]:
    """Return the names of all pictures."""
    of_the_board = {file_name(screen.name, *size) for screen in every_screen() for size in SIZES}
    return of_the_board | {file_name(screen.name, *size) for screen in phone_screens() for size in PHONE_SIZES}


def main() -> None:
    """Write all pictures, and remove those of screens that there are no more."""
    FOLDER.mkdir(exist_ok=True)
    wanted, names = wanted_files(), set(sys.argv[1:])
    for old in FOLDER.glob("*.webp"):
        if old.name not in wanted:
            old.unlink()
    with launched() as browser:
        for width, height in SIZES:
            with showing(browser, viewport={"width": width, "height": height}, color_scheme="light") as shown:
                for screen in every_screen():
                    if names and screen.name not in names:
                        continue
                    shown.show(screen)
                    _write(shown.page.screenshot(animations="disabled"), file_name(screen.name, width, height))
        for width, height in PHONE_SIZES:
            with showing_phone(browser, viewport={"width": width, "height": height}, color_scheme="light") as phone:
                for each in phone_screens():
                    if names and each.name not in names:
                        continue
                    phone.show(each)
                    _write(phone.page.screenshot(animations="disabled"), file_name(each.name, width, height))
    total = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    print(f"{len(wanted)} pictures, {total / 1e6:.1f} MB", file=sys.stderr)


def _write(screenshot: bytes, name: str) -> None:
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    if width := SMALLER.get(picture.width):
        picture = picture.resize((width, picture.height * width // picture.width), Image.Resampling.LANCZOS)
    picture.save(FOLDER / name, "WEBP", quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
