"""Build everything of a release and try it: wheel, Debian packages, card image: `make release`.

    python -m tools.release --work build/packages

For each suite and architecture: builds the packages (`tools.release_debs`), installs and tries them in a clean system
of that architecture, with piuparts (`tools.release_checks`); boots a system with it and updates it there, on the
machine's own architecture (`tools.release_updates`); then builds the card image and boots it (`tools.release_image`).
`make check` installs and uses the wheel. Takes hours: what is not native runs in an emulator. docs/releasing.md has the
last output.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools import release_checks, release_debs, release_image, release_updates
from tools.release_chroots import MACHINES, NATIVE, SUITES

ROOT: Final = Path(__file__).parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all steps, and go on after one that fails; 0 if all succeeded."""
    parser = argparse.ArgumentParser(description="Build everything of a release and try it.")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "packages", help="default: build/packages")
    parser.add_argument("--image-suite", choices=tuple(SUITES), default="trixie", help="the suite of the card image")
    args = parser.parse_args(arguments)
    work = ["--work", str(args.work)]
    failed = []

    def run(name: str, status: int) -> None:
        print(f"{name}: {'failed' if status else 'good'}", flush=True)
        if status:
            failed.append(name)

    version = release_debs.project_version()
    for suite in SUITES.values():
        for arch in MACHINES:
            run(f"{suite.name} {arch}: build", release_debs.main(["--suite", suite.name, "--arch", arch, *work]))
            name = f"cardtable_{release_debs.debian_version(version, suite)}_{arch}.deb"
            deb = args.work / "debs" / name
            if deb.exists():
                run(f"{suite.name} {arch}: use", release_checks.main([str(deb), "--piuparts", *work]))
            if deb.exists() and arch == NATIVE:
                run(f"{suite.name} {arch}: updates", release_updates.main([str(deb), *work]))
            if deb.exists() and (suite.name, arch) == (args.image_suite, "arm64"):
                run("card image", release_image.main(["--deb", str(deb), "--boot", *work]))
    print(f"failed: {', '.join(failed)}" if failed else "everything is good")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
