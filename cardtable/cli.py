"""The command line: `cardtable COMMAND …`.

Every wrong argument gets one line on standard error, which says what is wrong and what would be right, and exit
status 2. What is told is in the language of the terminal (`cardtable.terminal.output`). Ctrl-C ends with 130, a reader that
has gone (`| head`) with 141: as the shell reports such ends.
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
from typing import Any, NoReturn

from cardtable.errors import CardtableError, UsageError, guess_or_all, suggestion
from cardtable.terminal.output import (
    configured_language,
    environment_language,
    is_language,
    say,
    set_language,
    translated,
)
from engine.texts import Text, text

COMMANDS = Path(__file__).parent / "commands"
INTERRUPTED, PIPE_CLOSED, TERMINATED = 130, 141, 143


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The help in the language of the terminal: what is ours, and argparse's own words."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, translated(text("usage: ")) if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        known = {"positional arguments": text("positional arguments"), "options": text("options")}
        super().start_section(translated(known.get(heading or "", heading or "")))

    def add_text(self, text: str | None) -> None:
        super().add_text(translated(text) if text else text)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return translated(action.help) if action.help else action.help


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `UsageError`s that suggest what was probably meant."""

    def __init__(self, command: str, example: str, summary: str) -> None:
        self.command = command
        self.example = example
        self._given: Sequence[str] = ()
        super().__init__(
            prog=f"cardtable {command}",
            description=summary,
            epilog=text("example:\n  {example}", example=example),
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
            add_help=False,
            exit_on_error=False,
        )
        self.add_argument("-h", "--help", action="help", help=text("show this help message and exit"))

    def language(self, argv: Sequence[str]) -> str | None:
        """The language that `argv` says, or the configuration that the command will read; None where neither does.

        Looked for before the arguments are read, which may be wrong.
        """
        given = self._value(argv, "language")
        if given is not None and is_language(given):
            return given
        config = self._value(argv, "check")
        if config is None and any(action.dest == "config" for action in self._actions):
            config = self._value(argv, "config") or "table.toml"
        return configured_language(Path(config)) if config is not None else None

    def _value(self, argv: Sequence[str], dest: str) -> str | None:
        """What `argv` gives for an option, where it gives something; the last time counts."""
        names = [name for action in self._actions if action.dest == dest for name in action.option_strings]
        found = None
        for number, word in enumerate(argv):
            if word == "--":
                break
            for name in names:
                if word == name:
                    found = argv[number + 1] if number + 1 < len(argv) else found
                elif word.startswith(name if len(name) == 2 else f"{name}="):
                    found = word.removeprefix(name).removeprefix("=")
        return found

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """The arguments in `argv`. Raises `UsageError`."""
        self._given = argv
        try:
            return self.parse_args(argv)
        except argparse.ArgumentError as error:
            raise self._wrong(error.argument_name, error.message) from None

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the message of argparse made plain."""
        raise self._wrong(None, message)

    def _wrong(self, argument: str | None, message: str) -> UsageError:
        """What argparse says, in our words. `argument`: the option or place that it is about."""
        wrong, with_example = self._plain(message)
        if argument and "|" not in argument:  # such a one names the choices already
            wrong = text("{argument}: {wrong}", argument=argument, wrong=wrong)
        if not with_example:
            return UsageError(text("{command}: {wrong}", command=self.command, wrong=wrong))
        example = self.example.strip().splitlines()[0].partition("  ")[0]  # without what is said beside it
        return UsageError(
            text("{command}: {wrong}; for example: {example}", command=self.command, wrong=wrong, example=example)
        )

    def _plain(self, message: str) -> tuple[str, bool]:
        """What is wrong, and whether an example helps."""
        if isinstance(message, Text):
            return message, True
        if match := re.fullmatch(r"unrecognized arguments: (\S+).*", message, re.DOTALL):
            if match[1].startswith("-"):
                return self._no_option(match[1]), True
            return text("{wrong!r} is one argument too many", wrong=match[1]), True
        if match := re.fullmatch(r"invalid choice: '?(.*?)'? \(choose from (.*)\)", message, re.DOTALL):
            choices = tuple(choice.strip().strip("'") for choice in match[2].split(","))
            guess = suggestion(match[1], choices)
            told = "{wrong!r} is not one of {choices}{guess}"
            return text(told, wrong=match[1], choices=", ".join(choices), guess=guess), False
        if match := re.fullmatch(r"the following arguments are required: (.*)", message, re.DOTALL):
            # An option written wrongly is often the reason why something is missing: it is told first.
            options = (word for word in self._given if word.startswith("--") and word != "--")
            wrong = next((word for word in options if word.partition("=")[0] not in self._option_string_actions), None)
            return self._no_option(wrong) if wrong else text("{names} is missing", names=match[1]), True
        if match := re.fullmatch(r"invalid (int|float) value: '?(.*?)'?", message, re.DOTALL):
            told = "{wrong!r} is not a whole number" if match[1] == "int" else "{wrong!r} is not a number"
            return text(told, wrong=match[2]), True
        if match := re.fullmatch(r"ignored explicit argument '?(.*?)'?", message, re.DOTALL):
            return text("it takes no value: leave {wrong!r} out", wrong=match[1]), True
        if re.fullmatch(r"expected (one|at least one) argument", message):
            return text("its value is missing"), True
        return " ".join(message.split()), True

    def _no_option(self, wrong: str) -> Text:
        name = wrong.partition("=")[0]
        guess = suggestion(name, tuple(self._option_string_actions))
        return text("there is no option {name}{guess}", name=name, guess=guess)


def port(given: str) -> int:
    """The number of a port; the type of an argument. Raises `ArgumentTypeError`."""
    try:
        number = int(given)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(text("{given} is no port: choose one from 1024 to 65535", given=given))
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
            if isinstance(value, ast.Call) and isinstance(value.args[0], ast.Constant):
                return translated(text(str(value.args[0].value)))
    return ""


def _overview() -> str:
    names = command_names()
    width = max(map(len, names), default=0)
    lines = [f"  {name:<{width}}  {_summary(name)}" for name in names]
    return "\n".join(
        [
            translated(text("usage: cardtable COMMAND …")),
            "",
            translated(text("A card table that sees its cards, referees the game and shows the state of play.")),
            "",
            *lines,
            "",
            translated(text("cardtable COMMAND --help says more, with an example.")),
        ]
    )


def _dispatch(argv: Sequence[str]) -> int:
    names = command_names()
    if not argv:
        wrong = "a command is missing; there are {names}; for example: cardtable demo"
        raise UsageError(text(wrong, names=", ".join(names)))
    name, rest = argv[0], argv[1:]
    if name in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if name == "--version":
        from importlib.metadata import version  # slow to load

        print(f"cardtable {version('cardtable')}")
        return 0
    if name.startswith("-"):
        wrong = "the command comes before its options: cardtable COMMAND {name}; there are {names}"
        raise UsageError(text(wrong, name=name, names=", ".join(names)))
    if name not in names:
        raise UsageError(text("there is no command {name!r}{guess}", name=name, guess=guess_or_all(name, names)))
    module = importlib.import_module(f"cardtable.commands.{name}")
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    if language := parser.language(rest):
        set_language(language)
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
    set_language(environment_language(os.environ))
    try:
        status = _dispatch(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except CardtableError as error:
        line = re.sub(r"[ \t\r\n]+", " ", translated(str(error)))  # and not the spaces that hold a French line together
        print(f"cardtable: {line.strip()}", file=sys.stderr)
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
        say(text("cardtable: the disk is full: make room, then try again"), sys.stderr)
        return UsageError.status
