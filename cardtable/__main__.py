"""Run `cardtable`, also as `python -m cardtable`."""

from __future__ import annotations

import signal
import sys
from importlib import import_module


def main() -> int:
    """Run the command line and return the exit status. Ctrl-C ends the program also while it is being loaded."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        if "--safe-mode" in sys.argv:
            import_module("cardtable.cli.run")
        from cardtable.cli import main as run

        return run()
    except Exception as error:  # not even safe mode works
        if "--safe-mode" not in sys.argv:
            raise
        from cardtable.incomplete import say_so

        return say_so(error, sys.argv)


if __name__ == "__main__":
    sys.exit(main())
