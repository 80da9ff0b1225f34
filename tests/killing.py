"""Kill a program before one of its operations on files, as a power cut would."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

CHANGING: Final = ("rename", "replace", "unlink", "fsync", "rmdir", "mkdir", "sync")
_KILLED: Final = 9


def killed(number: int, work: Callable[[], object]) -> bool:
    """Do `work` in another process that is killed before its operation `number` on files; return whether it was."""
    if (other := os.fork()) == 0:
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
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(other, 0)[1]) == _KILLED
