"""Compare the answers of the reader's nets on arm64 with those on this machine.

    python -m lab.nets_on_arm64 --suite bookworm --work build/packages

onnxruntime is installed in a clean Debian system for arm64, which qemu-user runs on a machine of another architecture:
as a Cortex-A72, the processor of a Raspberry Pi 4, and as a Cortex-A76, that of a Pi 5, which has more instructions
that onnxruntime chooses from. There each net answers the same inputs, and the complete reader reads the same drawn
pictures, in both forms of the nets (`vision/faces/net_forms.py`). Exits 1 if, compared with integers on this machine, a
class or a cell that counts differs, an output differs by more than `MOST_APART`, or a card or its confidence (four
digits) differs. Emulation says nothing about speed. Needs root, and what `make deb` needs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tools.release.chroots import (  # fmt: skip
    ROOT,
    SUITES,
    WORK,
    Chroot,
    ReleaseError,
    call,
    reported,
    step,
    system,
    unpacked,
)
from tools.release.debian import platform_tags
from vision.faces.net_forms import FORMS

ARCH: Final = "arm64"
PACKAGES: Final = ("numpy", "opencv-python", "onnxruntime", "pillow")
SYSTEM: Final = ("python3", "python3-pip", "libgl1", "libglib2.0-0")
CARRIED: Final = (
    *("vision", "engine", "lab/__init__.py", "lab/nets_inside.py"),
    *("lab/benchmarks/__init__.py", "lab/benchmarks/opened_nets.py", "tests/drawing/net_inputs.py"),
)
"""The parts of the project that run in the emulated system."""
PICTURES: Final = 1
"""Pictures of each kind that the complete reader reads; an emulated reading takes twenty seconds or more."""
LONGEST_S: Final = 1800
"""Seconds after which a form is given up."""
PROCESSORS: Final = ("cortex-a72", "cortex-a76")
"""The emulated processors, by qemu's names."""
Answers = Mapping[str, npt.NDArray[np.float32]]


def inputs_and_pictures() -> dict[str, npt.NDArray[Any]]:
    """Return the inputs of the nets, by net, name of the input and round, and the pictures."""
    from lab.benchmarks.reading import pictures
    from tests.drawing.german import german_table
    from tests.drawing.net_inputs import inputs

    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, nets in enumerate(inputs(3)):
        for net, named in nets.items():
            arrays |= {f"{net} {name} {number}": value for name, value in named.items()}
    drawn = {f"french {kind}": some for kind, some in pictures(PICTURES).items()}
    drawn["german cards apart"] = [german_table(seed) for seed in range(PICTURES)]
    for kind, some in drawn.items():
        arrays |= {f"picture {kind} {k}": picture for k, picture in enumerate(some)}
    return arrays


def compared(expected: Answers, found: Answers) -> tuple[float, list[str]]:
    """Return the largest difference of an output, and the outputs that lead to another decision.

    An output of another shape differs infinitely.
    """
    from tests.drawing.net_inputs import decisions, difference

    apart = max(difference(expected[key], found[key]) for key in expected)
    others = [
        key
        for key in expected
        if not np.array_equal(decisions(key.split()[0], expected[key]), decisions(key.split()[0], found[key]))
    ]
    return apart, others


def same_cards(expected: Sequence[Any], found: Sequence[Any]) -> tuple[int, int]:
    """Return how many cards there are in the pictures, and how many are the same with the same confidence.

    >>> same_cards([[["KS", 0.99]], [["2H", 0.9]]], [[["KS", 0.99]], [["2H", 0.91]]])
    (2, 1)
    """
    pairs = list(zip(expected, found, strict=True))
    same = sum(card == other for a, b in pairs if len(a) == len(b) for card, other in zip(a, b, strict=True))
    return sum(max(len(a), len(b)) for a, b in pairs), same


def download_wheels(suite: str, folder: Path) -> None:
    """Download the packages for arm64, in the versions that are installed here. Raises `ReleaseError`."""
    tags = [part for tag in platform_tags(ARCH, SUITES[suite].libc) for part in ("--platform", tag)]
    python = ("--python-version", SUITES[suite].python, "--implementation", "cp")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", *tags, *python]
    call([*command, "--dest", folder, *(f"{name}=={version(name)}" for name in PACKAGES)])


def report(folder: Path, processor: str) -> bool:
    """Print what each form answered on a processor, and return whether all of it is right."""
    from tests.drawing.net_inputs import MOST_APART

    here = folder / f"{FORMS[0]}-{os.uname().machine}"
    expected, cards_here = np.load(f"{here}.npz"), json.loads(Path(f"{here}.json").read_text("utf-8"))
    all_right = True
    print(f"{processor:12} {'largest difference':>20} {'outputs that decide the same':>30} {'the same cards':>16}")
    for form in FORMS:
        file = folder / processor / f"{form}-aarch64"
        failed = Path(f"{file}.txt")
        if failed.exists():
            print(f"{form:12} failed: {failed.read_text('utf-8')}", flush=True)
            all_right = False
            continue
        apart, others = compared(expected, np.load(f"{file}.npz"))
        cards, same = same_cards(cards_here, json.loads(Path(f"{file}.json").read_text("utf-8")))
        decided = f"{len(expected) - len(others)} of {len(expected)}"
        print(f"{form:12} {apart:20.1e} {decided:>30} {f'{same} of {cards}':>16}", flush=True)
        all_right &= apart <= MOST_APART and not others and same == cards
    return all_right


def answer_here(folder: Path) -> None:
    """Run the form that the others are compared with on this machine. Raises `ReleaseError`."""
    with step(f"{FORMS[0]}, on this machine"):
        command = [sys.executable, str(ROOT / "lab" / "nets_inside.py"), str(folder), FORMS[0]]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
        if done.returncode:
            raise ReleaseError(f"the nets on this machine ended with {done.returncode}")


def answer_on(chroot: Chroot, processor: str, folder: Path) -> None:
    """Run both forms on an emulated processor, and move what they wrote to `folder`.

    For a form that fails, `folder` gets the last line that it printed.
    """
    folder.mkdir()
    # The first process of a system cannot end itself with a signal; a shell notices that its child does.
    begin = ["sh", "-c", '"$@"; exit $?', "sh", "timeout", str(LONGEST_S)]
    environment = ["env", f"QEMU_CPU={processor}", "PYTHONPATH=/tree"]
    for form in FORMS:
        inside = ["python3", "/tree/lab/nets_inside.py", "/nets", form]
        with step(f"{processor}, {form}"):
            try:
                chroot.run([*begin, *environment, *inside], quiet=True)
            except ReleaseError as error:
                (folder / f"{form}-aarch64.txt").write_text(str(error).splitlines()[-1], "utf-8")
    for file in (chroot.root / "nets").glob("*-aarch64.*"):
        file.rename(folder / file.name)


def check(suite: str, work: Path, processors: Sequence[str]) -> bool:
    """Compare in a clean system; return whether all answers are the same. Raises `ReleaseError`."""
    with (
        tempfile.TemporaryDirectory() as name,
        unpacked(system(suite, ARCH, "nets", work, SYSTEM), work) as chroot,
    ):
        folder = Path(name)
        with step("wheels for arm64"):
            download_wheels(suite, folder / "wheels")
        np.savez(folder / "inputs.npz", **inputs_and_pictures())
        answer_here(folder)
        for part in ("inputs.npz", "wheels"):
            chroot.put(folder / part, f"/nets/{part}")
        for part in CARRIED:
            chroot.put(ROOT / part, f"/tree/{part}")
        with step("installed"):
            pip = ["pip3", "install", "--quiet", "--break-system-packages", "--no-compile", "--no-index"]
            chroot.run([*pip, "--find-links", "/nets/wheels", *PACKAGES], quiet=True)
        print(f"{suite}: onnxruntime {version('onnxruntime')}", flush=True)
        all_right = True
        for processor in processors:
            answer_on(chroot, processor, folder / processor)
            all_right &= report(folder, processor)
        return all_right


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; 0, 1 with the message of the step that failed, or 1 if an answer differs."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.nets_on_arm64", description="Compare the nets' answers on arm64 with those on this machine."
    )
    parser.add_argument("--work", type=Path, default=WORK, help="default: build/packages")
    parser.add_argument("--suite", choices=tuple(SUITES), default="bookworm", help="default: bookworm")
    parser.add_argument("--processor", choices=PROCESSORS, action="append", help="default: all")
    args = parser.parse_args(arguments)
    processors = args.processor or PROCESSORS
    results: list[bool] = []
    failed = reported("nets_on_arm64", lambda: results.append(check(args.suite, args.work.resolve(), processors)))
    return failed or int(results != [True])


if __name__ == "__main__":
    sys.exit(main())
