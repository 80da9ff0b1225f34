"""The updater of the Debian package: installs a newer version with apt, and goes back if the table does not come up.

errors.py      why a step failed, and what the program said
status.py      what the updater reports, in a file that everybody may read
packages.py    what is installed and offered; apt, and the installed package packed again
kept_state.py  the games and the configuration as they were before an update, and the note of an unfinished one
table.py       the table's service: whether it answers, and stays up
updater.py     what is due, and the update from the first question to the end

Standard library only, and every module is imported at the start: the updater runs with the system's Python and survives
the package, with these files, being replaced.
"""

from typing import Final

# Why a step of an update failed.

LINES: Final = 12


class Failed(Exception):
    """A step failed. `why`: the reason, as in the status (updater.py); `output`: what the failed program printed."""

    def __init__(self, why: str, output: str = "") -> None:
        super().__init__(why)
        self.why: Final = why
        self.output: Final = output


def last_lines(text: str) -> str:
    """Return the last lines of a program's output."""
    return "\n".join(text.strip().splitlines()[-LINES:])
