"""Run `cardtable`, also as `python -m cardtable`."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Run the command line and return the exit status. Ctrl-C ends the program also while it is being loaded."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cardtable.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
