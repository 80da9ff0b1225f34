"""Build the source distribution and the wheels, install the wheel into an empty environment, and use it there.

    python tools/check_package.py

The wheel is built from the source distribution, which is complete if the wheel is. `cardtable demo` plays a whole game
in another folder, a record is replayed, and the club is added. Exits 1 with the output of the step that failed. Needs
the packages `build` and `pip`, and an index of packages for the dependencies.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

RECORD: Final = """{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}
{"do": "turn", "card": "10H"}
"""
COMPILED: Final = """
import sys
from cardtable.languages import LANGUAGES, translator
assert all(translator(language)("hearts") != "hearts" for language in LANGUAGES if language != "en")
assert "babel" not in sys.modules, "the catalogue is compiled at the start"
"""


class StepFailed(Exception):
    """A command failed. `output`: what it printed."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


def run(name: str, command: Sequence[str | Path], folder: Path) -> str:
    """Run `command` in `folder`, print `name` and the time in seconds. Raises `StepFailed`."""
    start = time.monotonic()
    # No PYTHONPATH: only what is installed may be found.
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(Path.home()), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    print(f"{name} ... {'failed' if done.returncode else f'{time.monotonic() - start:.0f} s'}", flush=True)
    if done.returncode:
        raise StepFailed(done.stdout + done.stderr)
    return done.stdout


def check(folder: Path) -> None:
    """Build, install and use the package in `folder`, which is empty. Raises `StepFailed`."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT]
    run("build the source distribution, and the wheel from it", build, folder)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", ROOT / "club"]
    run("build the wheel of the club", build, folder)
    (wheel,) = (folder / "dist").glob("cardtable-*.whl")
    use(wheel, folder)


def use(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment in `folder`, and use it."""
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    bin_folder, elsewhere = environment / "bin", environment / "elsewhere"
    elsewhere.mkdir()
    install = [sys.executable, "-m", "pip", "--python", environment, "install", "--quiet", "--no-compile"]
    run("install the wheel", [*install, wheel], folder)
    short = ["--game", "fifteen", "--marks", "aruco", "--option", "target=1"]  # a game of 18 actions
    demo = [bin_folder / "cardtable", "demo", "--headless", "--fast", "--whole", *short]
    run("cardtable demo --headless --fast, in another folder", demo, elsewhere)
    record = elsewhere / "record.jsonl"
    record.write_text(RECORD, "utf-8")
    run("cardtable replay", [bin_folder / "cardtable", "replay", record, "--json"], elsewhere)
    typed = "import engine, pathlib; assert pathlib.Path(engine.__file__).with_name('py.typed').exists()"
    run("type information", [bin_folder / "python", "-c", typed], elsewhere)
    run("compiled catalogues", [bin_folder / "python", "-c", COMPILED], elsewhere)
    without = run("without the club", [bin_folder / "cardtable", "--help"], elsewhere)
    run("install the club", [*install, "--find-links", wheel.parent, f"{wheel}[club]"], folder)
    added = run("with the club", [bin_folder / "cardtable", "--help"], elsewhere)
    if "tournament" in without or "tournament" not in added:
        raise StepFailed(f"without the club:\n{without}\nwith it:\n{added}")


def main() -> int:
    """Run all steps in a temporary folder; 0 if they succeed."""
    with tempfile.TemporaryDirectory(prefix="cardtable-package-") as folder:
        try:
            check(Path(folder))
        except StepFailed as failure:
            print(failure.output, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
