"""Kill a program before one of its operations on files, as a power cut would."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from multiprocessing import forkserver
from typing import Any, Final

from tests.programs import FORK, ROOT

CHANGING: Final = ("rename", "replace", "unlink", "fsync", "rmdir", "mkdir", "sync")
_KILLED: Final = 9


def _work(number: int, work: Callable[..., object], arguments: tuple[object, ...]) -> None:
    left = [number]

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os._exit(_KILLED)
            return real(*args, **options)

        return call

    for name in CHANGING:
        setattr(os, name, counted(getattr(os, name)))
    work(*arguments)
    os._exit(0)


def killed(number: int, work: Callable[..., object], *arguments: object) -> bool:
    """Do `work` in another process that is killed before its operation `number` on files; return whether it was."""
    with contextlib.chdir(ROOT):
        forkserver.ensure_running()
    process = FORK.Process(target=_work, args=(number, work, arguments), daemon=True)
    process.start()
    process.join()
    assert process.exitcode in (0, _KILLED)
    return process.exitcode == _KILLED
