"""Fuzz one target guided by coverage: `python -m lab.torture.fuzzing_guided TARGET RUNS SEED FOLDER`.

The engine is libFuzzer, through atheris. It is a process of its own, because libFuzzer ends it. FOLDER gets the corpus,
the input that failed, and `memory.json`: the resident memory in MB after a tenth of the runs, and at the end.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

INSTRUMENTED = ["cardtable", "engine", "firmware_bridge", "vision", "lab.torture"]
"""Packages whose branches are counted."""
MOST_BYTES = 4096
SLOW_S = 1.0
"""Seconds of processor time that one input may take."""
HANGS_S = 60
"""Wall-clock seconds, allowing for other work on the machine, after which an input counts as endless."""


def resident_mb() -> float:
    """Return the resident memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main(name: str, runs: int, seed: int, folder: Path) -> None:
    """Fuzz, and end the process: with 0, or libFuzzer's code for a crash, a hang or too much memory."""
    import atheris  # has no wheels for other machines than x86

    with atheris.instrument_imports(include=INSTRUMENTED):
        targets = importlib.import_module("lab.torture.fuzzing_targets")
    target = targets.TARGETS[name]
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for number, example in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(example)
    (folder / "words").write_text(targets.dictionary(target), "ascii")
    memory: list[float] = []
    done = 0

    def feed(data: bytes) -> None:
        nonlocal done
        done += 1
        if done in (runs // 10, runs - 1):
            memory.append(resident_mb())
            (folder / "memory.json").write_text(json.dumps(memory))
        began = time.thread_time()
        target.feed(data)
        if (took := time.thread_time() - began) > SLOW_S:
            raise RuntimeError(f"an input took {took:.1f} s")

    options = [f"-runs={runs}", f"-seed={seed}", f"-max_len={MOST_BYTES}", f"-timeout={HANGS_S}", "-rss_limit_mb=2000"]
    if target.words:
        options.append(f"-dict={folder / 'words'}")
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder}/", "-print_final_stats=1", str(corpus)], feed)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
