"""Build everything of a release and try it: wheel, Debian packages, card image: `make release`.

    python -m tools.release --work build/packages

Builds the wheel and the source distribution and uses them (tools/check_package.py). For each suite and architecture:
builds the packages (`tools.release.debian`), installs and tries the wheel (`tools.release.wheel`) and the package
(`tools.release.checks`) in a clean system of that architecture; on the machine's own architecture with piuparts, and
boots a system and updates it there (`tools.release.updates`). Then it builds the card image, boots it
(`tools.release.image`) and tries its pins (`tools.release.boot`). Takes hours: what is not native runs in an emulator.
A step that has succeeded with the same tree and the same package is not run again, so that a run that was cut off goes
on where it was. docs/how-to/releasing.md has the last output.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tools import check_package
from tools.release import boot, checks, debian, updates, wheel
from tools.release import image as release_image
from tools.release.chroots import MACHINES, NATIVE, PACKAGE, PROOF, SUITES, Suite, digest, digest_of, options


class Steps:
    """Steps that are run once: `folder` has a file for each that has succeeded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.summary: Final[list[str]] = []
        self.failed: Final[list[str]] = []

    def run(self, name: str, key: str, work: Callable[[], int]) -> bool:
        """Run a step unless it has succeeded before with the same `key`; return whether it has succeeded.

        `key`: a digest of what the step depends on; `work` returns an exit status.
        """
        note = self._note(name)
        try:
            before = json.loads(note.read_text("utf-8"))
        except (OSError, ValueError):
            before = {}
        if before.get("key") == key:
            self._say(f"{name}: good, {before['seconds']:.0f} s, on {before['ended']}")
            return True
        start = time.monotonic()
        status = work()
        seconds, ended = time.monotonic() - start, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        if status:
            self._say(f"{name}: failed, {seconds:.0f} s")
            self.failed.append(name)
            return False
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"key": key, "seconds": seconds, "ended": ended}), "utf-8")
        self._say(f"{name}: good, {seconds:.0f} s, on {ended}")
        return True

    def forget(self, name: str) -> None:
        """Make a step due again."""
        self._note(name).unlink(missing_ok=True)

    def _note(self, name: str) -> Path:
        return self._folder / f"{name.replace(':', '').replace(' ', '-')}.json"

    def _say(self, line: str) -> None:
        print(line, flush=True)
        self.summary.append(line)


def release(steps: Steps, suite: Suite, arch: str, work: Path, image: bool, photos: Path | None) -> None:
    """Run the steps of one suite and architecture. `image`: with the card image; `photos`: to be read too."""
    option = ["--work", str(work)]
    version = debian.debian_version(debian.project_version(), suite)
    deb = work / "debs" / f"cardtable_{version}_{arch}.deb"
    build = ["--suite", suite.name, "--arch", arch, *option]
    name = f"{suite.name} {arch}"
    if not deb.exists():
        steps.forget(f"{name}: build")
    if not steps.run(f"{name}: build", digest_of(*PACKAGE), lambda: debian.main(build)):
        return
    key = digest_of(*PACKAGE, *PROOF, "tools/release/wheel.py")
    steps.run(f"{name}: wheel", key, lambda: wheel.main(build))
    package = digest([deb])
    key = package + digest_of("tools/release/checks.py")
    steps.run(f"{name}: use", key, lambda: checks.main([str(deb), *option]))
    key = package + digest_of(*PROOF) + ("" if photos is None else digest(checks.chosen_photographs(photos)))
    chosen = ["--results", *([] if photos is None else ["--photos", str(photos)])]
    steps.run(f"{name}: results", key, lambda: checks.main([str(deb), *chosen, *option]))
    if arch == NATIVE:
        # Scripts and lists of files are the same for the other architecture, for which piuparts takes hours.
        steps.run(f"{name}: piuparts", package, lambda: checks.main([str(deb), "--piuparts", *option]))
        key = package + digest_of("tools/release/updates.py")
        steps.run(f"{name}: updates", key, lambda: updates.main([str(deb), *option]))
    if image:
        key = package + digest_of("packaging/image", "tools/release/image.py")
        if steps.run(f"{name}: image", key, lambda: release_image.main(["--deb", str(deb), *option])):
            file = work / "image" / f"{deb.stem}.img"
            key += digest_of("tools/release/boot.py")
            steps.run(f"{name}: boot", key, lambda: release_image.main(["--image", str(file), "--boot", *option]))
            pins = key + digest_of("tools/release/boot.py")
            steps.run(f"{name}: pins", pins, lambda: boot.main(["--image", str(file)]))
            key += digest_of("tools/release/image.py")
            more = ["--image", str(file), "--update", *option]
            steps.run(f"{name}: update of a card", key, lambda: release_image.main(more))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all steps that are due, and go on after one that fails; 0 if all succeeded."""
    parser = options("Build everything of a release and try it.", selected=True)
    parser.add_argument("--image-suite", choices=tuple(SUITES), default="trixie", help="the suite of the card image")
    parser.add_argument("--photos", type=Path, help="also read twenty photographs of this folder, SET/images/PICTURE")
    args = parser.parse_args(arguments)
    work = args.work.resolve()
    steps = Steps(work / "done")
    steps.run("wheel", digest_of(*PACKAGE, "tools/check_package.py"), check_package.main)
    for suite in args.suite or SUITES:
        for arch in args.arch or MACHINES:
            release(steps, SUITES[suite], arch, work, (suite, arch) == (args.image_suite, "arm64"), args.photos)
    print("\n".join(["", *steps.summary]))
    print(f"failed: {', '.join(steps.failed)}" if steps.failed else "everything is good")
    return 1 if steps.failed else 0


if __name__ == "__main__":
    sys.exit(main())
