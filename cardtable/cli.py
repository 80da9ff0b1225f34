"""The command line: `cardtable COMMAND …`.

Every wrong argument gets one line on standard error, which says what is wrong and what would be right, and exit
status 2. Ctrl-C ends with 130, a reader that has gone (`| head`) with 141: as the shell reports such ends.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from cardtable.errors import CardtableError, UsageError, suggestion

COMMANDS = Path(__file__).parent / "commands"
INTERRUPTED, PIPE_CLOSED, TERMINATED = 130, 141, 143


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `UsageError`s that suggest what was probably meant."""

    def __init__(self, command: str, example: str, summary: str) -> None:
        self.command = command
        self.example = example
        self._given: Sequence[str] = ()
        super().__init__(
            prog=f"cardtable {command}",
            description=summary,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """The arguments in `argv`. Raises `UsageError`."""
        self._given = argv
        return self.parse_args(argv)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the message of argparse made plain."""
        raise UsageError(f"{self.command}: {self._plain(message)}")

    def _plain(self, message: str) -> str:
        for_example = f"; for example: {self.example.splitlines()[0].strip()}"
        if match := re.fullmatch(r"unrecognized arguments: (\S+).*", message, re.DOTALL):
            wrong = match[1]
            if wrong.startswith("-"):
                return self._no_option(wrong) + for_example
            return f"{wrong!r} is one argument too many{for_example}"
        if match := re.fullmatch(r"(.*): invalid choice: '?(.*?)'? \(choose from (.*)\)", message, re.DOTALL):
            where = match[1].removeprefix("argument ")
            choices = tuple(choice.strip().strip("'") for choice in match[3].split(","))
            guess = suggestion(match[2], choices)
            told = "" if "|" in where else f"{where}: "  # which names the choices already
            return f"{told}{match[2]!r} is not one of {', '.join(choices)}{guess}"
        if match := re.fullmatch(r"the following arguments are required: (.*)", message, re.DOTALL):
            # An option written wrongly is often the reason why something is missing: it is told first.
            options = (text for text in self._given if text.startswith("--") and text != "--")
            wrong = next((text for text in options if text.partition("=")[0] not in self._option_string_actions), None)
            return (self._no_option(wrong) if wrong else f"{match[1]} is missing") + for_example
        message = re.sub(r"invalid int value: '?(.*?)'?$", r"'\1' is not a whole number", message)
        return " ".join(message.removeprefix("argument ").split()) + for_example

    def _no_option(self, wrong: str) -> str:
        name = wrong.partition("=")[0]
        return f"there is no option {name}{suggestion(name, tuple(self._option_string_actions))}"


def port(text: str) -> int:
    """The number of a port; the type of an argument. Raises `ArgumentTypeError`."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: choose one from 1024 to 65535")
    return number


def command_names() -> tuple[str, ...]:
    """The commands that there are, in alphabetical order."""
    return tuple(sorted(path.stem for path in COMMANDS.glob("*.py") if not path.stem.startswith("_")))


def _summary(name: str) -> str:
    """The command's `SUMMARY`, read from its source without importing what it needs."""
    import ast

    for node in ast.parse((COMMANDS / f"{name}.py").read_text("utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == "SUMMARY" for target in targets):
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if isinstance(value, ast.Constant):
                return str(value.value)
    return ""


def _overview() -> str:
    names = command_names()
    width = max(map(len, names), default=0)
    lines = [f"  {name:<{width}}  {_summary(name)}" for name in names]
    return "\n".join(
        [
            "usage: cardtable COMMAND …",
            "",
            "A card table that sees its cards, referees the game and shows the state of play.",
            "",
            *lines,
            "",
            "cardtable COMMAND --help says more, with an example.",
        ]
    )


def _dispatch(argv: Sequence[str]) -> int:
    names = command_names()
    if not argv:
        raise UsageError(f"a command is missing; there are {', '.join(names)}; for example: cardtable demo")
    name, rest = argv[0], argv[1:]
    if name in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if name == "--version":
        from importlib.metadata import version  # slow to load

        print(f"cardtable {version('cardtable')}")
        return 0
    if name.startswith("-"):
        raise UsageError(
            f"the command comes before its options: cardtable COMMAND {name}; there are {', '.join(names)}"
        )
    if name not in names:
        guess = suggestion(name, names) or f"; there are {', '.join(names)}"
        raise UsageError(f"there is no command {name!r}{guess}")
    module = importlib.import_module(f"cardtable.commands.{name}")
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    return int(module.run(parser.read(rest)))


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


class _Interrupt:
    """Ctrl-C, remembered: a library that is interrupted while it is loaded may say only that it cannot be loaded."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self, number: int, frame: FrameType | None) -> NoReturn:
        self.came = True
        raise KeyboardInterrupt


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (without the program's name) asks for; the exit status."""
    if sys.stdout is None:  # closed by whoever called
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # records and card symbols are UTF-8 wherever we run
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    interrupt = _Interrupt()
    signal.signal(signal.SIGINT, interrupt)
    try:
        status = _dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except CardtableError as error:
        print(f"cardtable: {' '.join(str(error).split())}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except ImportError:
        if not interrupt.came:
            raise
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads any more; without this the interpreter would complain when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("cardtable: the disk is full: make room, then try again", file=sys.stderr)
        return UsageError.status
