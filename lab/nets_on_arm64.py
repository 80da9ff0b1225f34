"""Compare the answers of the reader's nets on arm64 with those of onnxruntime on this machine.

    python -m lab.nets_on_arm64 --suite bookworm --work build/packages

Each runtime (onnxruntime, OpenVINO, ncnn) is installed in a clean Debian system for arm64, which qemu-user runs on a
machine of another architecture: as a Cortex-A72, the processor of a Raspberry Pi 4, and as a Cortex-A76, that of a
Pi 5, which has more instructions that the runtimes choose from. There each net answers the same inputs, and the
complete reader reads the same drawn pictures, in each form that the runtime can run (`vision/faces/net_forms.py`), and
also with 8 bits as OpenVINO and ncnn round them (`lab/benchmarks/runtime_eight_bits.py`). Exits 1 if in one of the two
forms a class or a cell that counts is another one than with integers on this machine, if an output differs by more than
`vision.faces.runtimes.MOST_APART`, or if a card or its confidence, of four digits, is another one. With 8 bits of a
runtime's own nothing has to be the same: the program never uses those. Emulation says nothing about speed. Needs root,
`onnx`, and what `make deb` needs; docs/reading.md has the results.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tools.release.chroots import (  # fmt: skip
    NATIVE,
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

ARCH: Final = "arm64"
PACKAGES: Final = ("numpy", "opencv-python", "onnxruntime", "openvino", "ncnn", "onnx")
SYSTEM: Final = ("python3", "python3-pip", "libgl1", "libglib2.0-0")
OWN: Final = "own"
"""8 bits as a runtime rounds them, instead of a form of the nets."""
RUN: Final = (
    ("onnxruntime", "integers"), ("onnxruntime", "floats"), ("openvino", "floats"), ("ncnn", "floats"),
    ("openvino", OWN), ("ncnn", OWN),
)  # fmt: skip
"""What is compared: runtimes, each with a form; the first is what the others are compared with."""
CARRIED: Final = (
    *("vision", "engine", "lab/nets_inside.py"),
    *(f"benchmarks/{name}.py" for name in ("__init__", "runtime_eight_bits", "opened_nets")),
)
"""The parts of the project that run in the emulated system."""
COLUMNS: Final = (
    f"{'largest difference':>20} {'from its own here':>20} {'outputs that decide the same':>30} "
    f"{'the same readings':>20} {'the same cards':>15}"
)
READ: Final = 1
"""Pictures of each kind that the complete reader reads; an emulated reading takes twenty seconds and more."""
LONGEST_S: Final = 1800
"""Seconds after which a runtime is given up."""
PROCESSORS: Final = {"cortex-a72": "0x00000000410fd083", "cortex-a76": "0x00000000414fd0b1"}
"""What is emulated, by qemu's name, with the number by which Linux identifies it on arm64."""
_CPU: Final = Path("sys/devices/system/cpu")
_CORE: Final = {"physical_package_id": "0", "core_id": "0", "core_cpus": "1", "thread_siblings": "1"}
_CACHES: Final = (("1", "Data", "32K"), ("1", "Instruction", "48K"), ("2", "Unified", "1024K"))
Answers = Mapping[str, npt.NDArray[np.float32]]


def given() -> dict[str, npt.NDArray[Any]]:
    """Return the inputs of the nets, by net, name of the input and round, and the pictures."""
    from lab.benchmarks.reading import pictures
    from tests.drawing.german import german_table
    from vision.faces.runtime_measuring import inputs

    found: dict[str, npt.NDArray[Any]] = {}
    for number, nets in enumerate(inputs(3)):
        for net, named in nets.items():
            found |= {f"{net} {name} {number}": value for name, value in named.items()}
    drawn = {f"french {kind}": some for kind, some in pictures(READ).items()}
    drawn["german cards apart"] = [german_table(seed) for seed in range(READ)]
    for kind, some in drawn.items():
        found |= {f"picture {kind} {k}": one for k, one in enumerate(some)}
    return found


def compared(expected: Answers, found: Answers) -> tuple[float, list[str]]:
    """Return the largest difference of an output, and the outputs that decide otherwise.

    An output with another number of rows, as from OpenVINO with its own 8 bits on a Cortex-A72, differs infinitely.
    """
    from vision.faces.runtime_measuring import decisions, difference

    apart = max(difference(expected[key], found[key]) for key in expected)
    others = [
        key
        for key in expected
        if not np.array_equal(decisions(key.split()[0], expected[key]), decisions(key.split()[0], found[key]))
    ]
    return apart, others


def same_cards(expected: Sequence[Any], found: Sequence[Any]) -> tuple[int, int]:
    """Return how many cards there are in the pictures, and how many are the same with the same confidence.

    >>> same_cards([[["KS", 0.99, []]], [["2H", 0.9, []]]], [[["KS", 0.99, []]], [["2H", 0.91, []]]])
    (2, 1)
    """
    pairs = list(zip(expected, found, strict=True))
    same = sum(one[:2] == other[:2] for a, b in pairs if len(a) == len(b) for one, other in zip(a, b, strict=True))
    return sum(max(len(a), len(b)) for a, b in pairs), same


def wheels(suite: str, folder: Path) -> None:
    """Download the packages for arm64, in the versions that are installed here. Raises `ReleaseError`."""
    tags = [part for tag in platform_tags(ARCH, SUITES[suite].libc) for part in ("--platform", tag)]
    wanted = []
    for name in PACKAGES:
        try:
            wanted.append(f"{name}=={version(name)}")
        except PackageNotFoundError:
            wanted.append(name)
    python = ("--python-version", SUITES[suite].python, "--implementation", "cp")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", *tags, *python]
    call([*command, "--dest", folder, *wanted])


def describe_processor(root: Path, number: str) -> None:
    """Write the files in /sys by which OpenVINO identifies an arm64 processor; this machine's are of another kind.

    Without them it ends with a memory fault. With the files `present` and `possible` onnxruntime would: it then expects
    an arm64 processor in /proc/cpuinfo, which qemu-user does not replace.
    """
    if NATIVE == ARCH:
        return
    files = {"online": "0", "cpu0/regs/identification/midr_el1": number}
    files |= {f"cpu0/topology/{name}": value for name, value in _CORE.items()}
    for index, (level, kind, size) in enumerate(_CACHES):
        cache = {"level": level, "type": kind, "size": size, "coherency_line_size": "64", "shared_cpu_map": "1"}
        files |= {f"cpu0/cache/index{index}/{name}": value for name, value in cache.items()}
    for name, value in files.items():
        file = root / _CPU / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n", "utf-8")


def same_faces(expected: Sequence[Any], found: Sequence[Any]) -> int:
    """Return how many cards are read in both, whatever their confidence.

    >>> same_faces([[["KS", 0.99, []]], [["2H", 0.9, []]]], [[["KS", 0.98, []]], [["3H", 0.9, []]]])
    1
    """
    from lab.benchmarks.runtimes import Same

    return Same.of(*([Counter(card[0] for card in picture) for picture in some] for some in (expected, found))).same


def outputs_row(expected: Answers, file: Path, here: Path) -> tuple[str, bool]:
    """Return the columns about the nets' outputs in `file`, and whether they are right.

    `here`: the outputs of the same runtime in the same form on this machine, if it is there.
    """
    from vision.faces.runtimes import MOST_APART

    answers = np.load(file)
    apart, others = compared(expected, answers)
    beside = f"{compared(np.load(here), answers)[0]:.1e}" if here.exists() else "–"
    decided = f"{len(expected) - len(others)} of {len(expected)}"
    return f"{apart:20.1e} {beside:>20} {decided:>30}", apart <= MOST_APART and not others


def cards_row(expected: Sequence[Any], file: Path) -> tuple[str, bool]:
    """Return the columns about the cards in `file`, and whether they are right."""
    found = json.loads(file.read_text("utf-8"))
    cards, same = same_cards(expected, found)
    return f"{f'{same} of {cards}':>20} {f'{same_faces(expected, found)} of {cards}':>15}", same == cards


def report(folder: Path, processor: str) -> bool:
    """Print what each runtime answered on a processor; return whether all of it but with its own 8 bits is right."""
    own = os.uname().machine
    first = "-".join(RUN[0])
    expected = np.load(folder / f"{first}-{own}.npz")
    read = json.loads((folder / f"{first}-{own}.json").read_text("utf-8"))
    right = True
    print(f"{processor:22} {COLUMNS}")
    for runtime, form in RUN:
        file = folder / processor / f"{runtime}-{form}-aarch64"
        outputs, cards, failed = (Path(f"{file}.{kind}") for kind in ("npz", "json", "txt"))
        columns, good = "", not failed.exists()
        if outputs.exists():
            row, same = outputs_row(expected, outputs, folder / f"{runtime}-{form}-{own}.npz")
            columns, good = row, good and same
        if cards.exists():
            row, same = cards_row(read, cards)
            columns, good = columns + row, good and same
        problem = f"  ended: {failed.read_text('utf-8')}" if failed.exists() else ""
        print(f"{runtime + ', ' + ('its 8 bits' if form == OWN else form):22} {columns}{problem}", flush=True)
        right &= good or form == OWN
    return right


def answer_here(folder: Path) -> None:
    """Let every installed runtime answer on this machine, in each form. Raises `ReleaseError`."""
    from vision.faces.runtimes import installed

    for runtime, form in (one for one in RUN if one[0] in installed()):
        with step(f"{runtime}, {form}, on this machine"):
            command = [sys.executable, str(ROOT / "tools" / "nets_inside.py"), str(folder), runtime, form]
            done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
            if done.returncode and form != OWN:
                raise ReleaseError(f"{runtime} ended with {done.returncode}")


def answer_on(chroot: Chroot, processor: str, folder: Path) -> None:
    """Let every runtime answer on an emulated processor; what it wrote is moved to `folder`.

    Of one that fails, `folder` gets the last line that it printed.
    """
    folder.mkdir()
    # The first process of a system cannot end itself with a signal; a shell notices that its child does.
    begin = ["sh", "-c", '"$@"; exit $?', "sh", "timeout", str(LONGEST_S)]
    setting = ["env", f"QEMU_CPU={processor}", "PYTHONPATH=/tree"]
    for runtime, form in RUN:
        inside = ["python3", "/tree/lab/nets_inside.py", "/nets", runtime, form]
        with step(f"{processor}, {runtime}, {form}"):
            try:
                chroot.run([*begin, *setting, *inside], quiet=True)
            except ReleaseError as error:
                (folder / f"{runtime}-{form}-aarch64.txt").write_text(str(error).splitlines()[-1], "utf-8")
    for file in (chroot.root / "nets").glob("*-aarch64.*"):
        file.rename(folder / file.name)


def check(suite: str, work: Path, processors: Sequence[str]) -> bool:
    """Compare in a clean system; return whether all answers in the two forms are the same. Raises `ReleaseError`."""
    from lab.benchmarks.recorded_inputs import recorded
    from lab.benchmarks.runtime_eight_bits import prepare
    from vision.faces.runtimes import NEEDED

    with (
        tempfile.TemporaryDirectory() as name,
        unpacked(system(suite, ARCH, "nets", work, SYSTEM), work) as chroot,
    ):
        folder = Path(name)
        with step("wheels for arm64"):
            wheels(suite, folder / "wheels")
        np.savez(folder / "given.npz", **given())
        with step("nets with 8 bits"):
            prepare(folder / "eight", recorded())
        answer_here(folder)
        for part in ("given.npz", "eight", "wheels"):
            chroot.put(folder / part, f"/nets/{part}")
        for part in CARRIED:
            chroot.put(ROOT / part, f"/tree/{part}")
        with step("installed"):
            pip = ["pip3", "install", "--quiet", "--break-system-packages", "--no-compile", "--no-index"]
            chroot.run([*pip, "--find-links", "/nets/wheels", *PACKAGES], quiet=True)
        packages = [file.name.split("-")[:2] for file in sorted((folder / "wheels").glob("*.whl"))]
        print(f"{suite}: {', '.join(' '.join(one) for one in packages if one[0] in NEEDED)}", flush=True)
        right = True
        for processor in processors:
            describe_processor(chroot.root, PROCESSORS[processor])
            answer_on(chroot, processor, folder / processor)
            right &= report(folder, processor)
        return right


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; 0, 1 with the message of the step that failed, or 1 if an answer differs."""
    parser = argparse.ArgumentParser(description="Compare the nets' answers on arm64 with those on this machine.")
    parser.add_argument("--work", type=Path, default=WORK, help="default: build/packages")
    parser.add_argument("--suite", choices=tuple(SUITES), default="bookworm", help="default: bookworm")
    parser.add_argument("--processor", choices=tuple(PROCESSORS), action="append", help="default: all")
    args = parser.parse_args(arguments)
    processors = args.processor or tuple(PROCESSORS)
    right: list[bool] = []
    return reported("nets_on_arm64", lambda: right.append(check(args.suite, args.work.resolve(), processors))) or int(
        right != [True]
    )


if __name__ == "__main__":
    sys.exit(main())
