"""Bad input for every parser that reads data from outside (`lab.torture.fuzzing_targets`).

With atheris (libFuzzer), if installed, the fuzzing is guided by coverage; it has wheels for x86 only. Otherwise inputs
are mutated at random. Either way there must be no undocumented error, no input that takes a second, and no growth of
memory; and a piece that is repeated takes time in proportion to its length (`lab.torture.fuzzing_sizes`).
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from lab.torture.fuzzing_sizes import ladder
from lab.torture.fuzzing_targets import TARGETS, Target, found
from lab.torture.harness import Figure, Scale

ROOT: Final = Path(__file__).parents[2]
SLOW_S: Final = 1.0
"""Seconds of processor time that one input may take."""
GROWTH_MB: Final = 60.0
"""Memory by which a process may grow after the first tenth of its inputs: caches and libFuzzer's corpus."""
PIECE: Final = 200_000
"""Inputs of one process of the guided form."""


def mutations(target: Target, rng: random.Random) -> Iterator[bytes]:
    """Yield randomly mutated examples of the target, without end."""
    while True:
        data = bytearray(rng.choice(target.seeds))
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            at = rng.randrange(len(data) + 1)
            match rng.randrange(7 if target.words else 6):
                case 0:
                    data[at : at + 1] = bytes([rng.randrange(256)])
                case 1:
                    del data[at : at + rng.choice((1, 2, 8, 64))]
                case 2:
                    data[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
                case 3:
                    data[at:at] = data[at : at + rng.choice((1, 4, 32))]
                case 4:
                    other = rng.choice(target.seeds)
                    data[at:] = other[rng.randrange(len(other) + 1) :]
                case 5 if at < len(data):
                    data[at] ^= 1 << rng.randrange(8)
                case _ if target.words:
                    data[at : at + rng.choice((0, 0, 1, 4))] = rng.choice(target.words)
        yield bytes(data)


def fault_of(target: Target, data: bytes) -> str | None:
    """Feed one input; return what is wrong with the parser, or None."""
    began = time.thread_time()
    try:
        target.feed(data)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{error!r:.200} at {where.filename}:{where.lineno}"
    took = time.thread_time() - began
    return f"took {took:.1f} s" if took > SLOW_S else None


def unguided(target: Target, count: int, seed: int) -> Figure:
    """Feed the inputs that failed before, then `count` mutated examples."""
    failures = {}
    inputs = mutations(target, random.Random(f"fuzzing/{target.name}/{seed}"))
    known = found().get(target.name, [])
    for data in [*known, *target.seeds, *(next(inputs) for _ in range(count))]:
        if fault := fault_of(target, data):
            failures.setdefault(fault, data)
    return Figure(target.name, len(known) + len(target.seeds) + count, _lines(target, failures), "at random")


def apart(name: str, count: int, seed: int) -> Figure:
    """Return `unguided` of the target `name`, in a process of its own.

    A process's peak memory is inherited by the processes that it starts: after one input that takes much memory, every
    guided run would be reported.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(_unguided, name, count, seed).result()
        except BrokenProcessPool:
            return Figure(name, count, (f"{name}: an input ends the process",), "at random")


def _unguided(name: str, count: int, seed: int) -> Figure:
    figure = unguided(TARGETS[name], count, seed)
    return figure._replace(failures=(*figure.failures, *ladder(TARGETS[name])))


def _lines(target: Target, failures: dict[str, bytes]) -> tuple[str, ...]:
    return tuple(f"{target.name}: {fault}: {data[:300].hex()}" for fault, data in failures.items())


def guided(target: Target, count: int, seed: int, folder: Path) -> Figure:
    """Fuzz the target with atheris in several processes; each continues with the corpus in `folder`."""
    failures: list[str] = []
    covered, growth, done = 0, 0.0, 0
    while done < count and not failures:
        runs = min(PIECE, count - done)
        (folder / "memory.json").unlink(missing_ok=True)
        command = [sys.executable, "-m", "lab.torture.fuzzing_guided", target.name, str(runs), str(seed + done)]
        ended = subprocess.run([*command, str(folder)], cwd=ROOT, capture_output=True, text=True, errors="replace")
        done += runs
        if cover := re.findall(r"cov: (\d+)", ended.stderr):
            covered = int(cover[-1])
        if ended.returncode:
            crashed = [path for path in folder.glob("*-*") if path.is_file()]
            data = crashed[0].read_bytes()[:300].hex() if crashed else ""
            errors = [
                line for line in ended.stderr.splitlines() if "Error" in line or "ERROR" in line or "File" in line
            ]
            failures.append(f"{target.name}: {' | '.join(errors[-4:])}: {data}")
        memory = json.loads(path.read_text()) if (path := folder / "memory.json").exists() else []
        if len(memory) == 2:
            growth = max(growth, memory[1] - memory[0])
    if growth > GROWTH_MB:
        failures.append(f"{target.name}: memory grew by {growth:.0f} MB")
    note = f"guided, {covered} branches covered, memory +{growth:.0f} MB"
    return Figure(target.name, done, tuple(failures), note)


def run(scale: Scale) -> Iterator[Figure]:
    """Fuzz every target; 10 million inputs in all with a share of 1."""
    with_atheris = importlib.util.find_spec("atheris") is not None
    for target in TARGETS.values():
        if not scale.has(target.name):
            continue
        scale.report(f"fuzzing: {target.name}")
        count = scale.of(target.inputs)
        yield apart(target.name, max(1, count // 20) if with_atheris else count, scale.seed)
        if with_atheris:
            with tempfile.TemporaryDirectory() as folder:
                yield guided(target, count, scale.seed, Path(folder))
