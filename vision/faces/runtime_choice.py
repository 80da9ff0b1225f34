"""Which program runs the reader's nets on this machine: the fastest that is installed and gives the same answers.

With onnxruntime alone there is nothing to choose, and nothing is measured or stored. With an extra (`ncnn`, `openvino`)
each is measured once, in seconds, by `runtime_measuring.py`, and the choice is kept in `runtime.json` in the folder
`cardtable` of the user's caches, for this processor, these versions and these nets. The environment variable
`CARDTABLE_RUNTIME` names one of them instead. If a net cannot be opened by it, onnxruntime runs that net.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from vision.atomic_files import store
from vision.faces.net_forms import FORMS, form_file
from vision.faces.net_threads import net_threads
from vision.faces.runtimes import NEEDED, NETS_FOLDER, ONNX, OUTPUTS, Measured, installed, open_with

VARIABLE: Final = "CARDTABLE_RUNTIME"
AUTO: Final = "auto"
WORTH: Final = 0.9
"""A runtime is used if it takes less than this share of onnxruntime's time. Higher: chance decides between two that are
equally fast; lower: one that is a little faster is not used."""
LONGEST_S: Final = 20.0
"""Seconds after which measuring a runtime is given up. Higher: a start may take longer; lower: a slow machine
never uses it."""
_LOG: Final = logging.getLogger(__name__)
_CPUINFO: Final = Path("/proc/cpuinfo")
_PROCESSOR: Final = ("model name", "CPU implementer", "CPU part", "Model")
"""The lines of Linux's /proc/cpuinfo that say which processor and which board this is."""


def open_net(path: Path, *, memory_arena: bool = True) -> Any:
    """Return the net that was trained as `path`, opened by this machine's runtime; it has onnxruntime's `run`.

    `memory_arena=False`: for inputs of changing size, see `open_session`.
    """
    runtime = runtime_here()
    if runtime != ONNX:
        try:
            return open_with(runtime, path)
        except Exception as error:  # whatever the library raises
            _LOG.warning("%s cannot open %s, onnxruntime does: %s", runtime, path.name, error)
    return open_with(ONNX, path, memory_arena)


@cache
def runtime_here() -> str:
    """Return the name of the runtime that this process uses."""
    return wanted(os.environ.get(VARIABLE) or AUTO, installed(), lambda: chosen(installed(), _file()))


def wanted(asked: str, names: tuple[str, ...], choice: Callable[[], str]) -> str:
    """Return the runtime that is `asked` for; `choice` is called if that is left to the machine.

    >>> wanted("ncnn", ("onnxruntime", "ncnn"), lambda: "onnxruntime")
    'ncnn'
    """
    if asked == AUTO:
        return choice() if len(names) > 1 else ONNX
    if asked not in names:
        why = "is not installed" if asked in NEEDED else f"is not one of {', '.join((AUTO, *NEEDED))}"
        _LOG.warning("%s: %s %s; onnxruntime runs the nets", VARIABLE, asked, why)
        return ONNX
    return asked


def chosen(names: tuple[str, ...], file: Path | None, measured: Callable[[str], Measured] | None = None) -> str:
    """Return the choice in `file`, if it was made on such a machine; else measure and keep it there.

    `names`: the runtimes that are installed. `file`: None if the user has no home. `measured`: measures one of
    them. Before that onnxruntime is kept, so that a start which measuring makes too long is not the next one too.
    """
    here = machine(names)
    if (known := _kept(file, here)) in names:
        return str(known)
    _keep(file, {"machine": here, "runtime": ONNX})
    found = [(measured or measured_apart)(name) for name in names if name != ONNX]
    best = fastest(found)
    for one in found:
        _LOG.info("%s takes %.2f of onnxruntime's time, outputs differ by %.1e", one.name, one.share, one.apart)
    _keep(file, {"machine": here, "runtime": best, "measured": [asdict(one) for one in found]})
    return best


def fastest(measured: Iterable[Measured]) -> str:
    """Return the runtime to use: the fastest that gives the same answers and is worth it.

    >>> fastest([Measured("ncnn", 0.6, 2e-6, True), Measured("openvino", 0.5, 0.2, False)])
    'ncnn'
    """
    good = [one for one in measured if one.agrees and one.share < WORTH]
    return min(good, key=lambda one: one.share).name if good else ONNX


def measured_apart(name: str) -> Measured:
    """Measure a runtime in a process of its own; one that fails, takes too long or ends the process does not agree."""
    home = str(NETS_FOLDER.parents[1])
    more = {VARIABLE: ONNX, "PYTHONPATH": os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-m", "vision.faces.runtime_measuring", name, str(net_threads())]
    try:
        done = subprocess.run(
            command, env=os.environ | more, capture_output=True, text=True, timeout=LONGEST_S, check=True
        )
        return Measured(**json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError) as error:
        _LOG.warning("%s cannot run the nets: %s %s", name, error, str(getattr(error, "stderr", "") or "")[-500:])
        return Measured(name, 1e9, 1e9, False)


def machine(names: Iterable[str]) -> list[str]:
    """Return what the choice depends on: the processor, the threads of a net, the runtimes' versions, and the nets."""
    modules = sorted({module for name in names for module in NEEDED[name]})
    files = sorted({form_file(NETS_FOLDER / net, form) for net in OUTPUTS for form in FORMS})
    nets = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    threads = f"{net_threads()} threads"
    return [
        platform.machine(),
        *_processor(_CPUINFO),
        threads,
        *(f"{module} {_version(module)}" for module in modules),
        nets,
    ]


def _processor(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return [platform.processor()]
    fields = (line.partition(":") for line in lines)
    return sorted({f"{key.strip()}: {value.strip()}" for key, _, value in fields if key.strip() in _PROCESSOR})


def _version(module: str) -> str:
    try:
        return version(module)
    except PackageNotFoundError:
        return "?"


def _kept(file: Path | None, here: list[str]) -> object:
    """Return the runtime in `file`; None if there is none for this machine."""
    try:
        stored: Mapping[str, object] = json.loads(file.read_bytes()) if file else {}
        return stored["runtime"] if stored["machine"] == here else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep(file: Path | None, choice: Mapping[str, object]) -> None:
    """Write the choice, in a folder that is made if need be."""
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        store(file, json.dumps(choice, indent=1).encode())
    except OSError as error:
        _LOG.warning("the choice of a runtime is not kept: %s", error)


def _file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file that keeps the choice; None if the user has no home folder."""
    try:
        return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache", "cardtable", "runtime.json")
    except RuntimeError:
        return None
