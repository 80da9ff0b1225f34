"""The argument parser of the commands, argument types, and the options for diagnostics.

The options `--trace FILE`, `--trace-hands` and `--log-level LEVEL` are for maintainers. The log goes to standard error,
and only if `--log-level` or the environment variable CARDTABLE_LOG_LEVEL asks for it. Under systemd each line begins
with its priority, as journald reads it (sd-daemon(3)).
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from cardtable.errors import UsageError, suggestion
from cardtable.terminal.output import configured_language, is_language, translated
from engine.texts import Text, text


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Translate the help: the texts of the commands and argparse's own headings.

    argparse takes its headings from gettext's global catalogue, which this program does not use. Names with a hyphen
    are not broken, so that they can be copied.
    """

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, translated(text("usage: ")) if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        known = {"positional arguments": text("positional arguments"), "options": text("options")}
        super().start_section(translated(known.get(heading or "", heading or "")))

    def add_text(self, text: str | None) -> None:
        super().add_text(translated(text) if text else text)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_on_hyphens=False)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return translated(action.help) if action.help else action.help


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `UsageError`s: one line that says what is wrong, with an example.

    `command`, `example` and `summary` are the name, `EXAMPLE` and `SUMMARY` of the command. Argument types raise
    `ArgumentTypeError` with a `Text`, so that argparse's own English messages are not shown.
    """

    def __init__(self, command: str, example: str, summary: str) -> None:
        self.command = command
        self.example = example
        self._argv: Sequence[str] = ()
        super().__init__(
            prog=f"cardtable {command}",
            description=summary,
            epilog=text("example:\n  {example}", example=example),
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
            add_help=False,
            exit_on_error=False,
        )
        self.register("type", int, whole_number)
        self.register("type", float, decimal_number)
        self.add_argument("-h", "--help", action="help", help=text("show this help message and exit"))

    def add_argument(self, *names: str, choices: Iterable[str] | None = None, **settings: Any) -> argparse.Action:
        """Add an argument as argparse does. `choices` become a type whose error message suggests one of them."""
        if choices is not None:
            choices = tuple(choices)
            settings = {"metavar": f"{{{','.join(choices)}}}", **settings, "type": one_of(choices)}
        return super().add_argument(*names, **settings)

    def language(self, argv: Sequence[str]) -> str | None:
        """Return the language set by `argv`, or by the configuration that the command reads; None if neither sets one.

        The language is needed before the arguments are parsed, because they may be wrong.
        """
        language = self._early(argv).get("language")
        if language is not None and is_language(language):
            return str(language)
        path = self.config_file(argv)
        return configured_language(path) if path else None

    def config_file(self, argv: Sequence[str]) -> Path | None:
        """Return the path of the configuration that the command reads, before its arguments are parsed.

        Return None if the command reads no configuration.
        """
        early = self._early(argv)
        path = early.get("check") or ("config" in early and (early["config"] or "table.toml"))
        return Path(path) if path else None

    def _early(self, argv: Sequence[str]) -> dict[str, Any]:
        """Return the values of `--language`, `--config` and `--check`, ignoring all other arguments."""
        options = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        for action in self._actions:
            if action.dest in ("language", "config", "check") and action.option_strings:
                options.add_argument(*action.option_strings, dest=action.dest, nargs="?", default=action.default)
        return vars(options.parse_known_args(argv)[0])

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse `argv`. Raises `UsageError`."""
        self._argv = argv
        try:
            args, extra = self.parse_known_args(argv)
        except argparse.ArgumentError as error:
            if error.argument_name is None:
                self.error(error.message)
            raise self._usage_error(self._wrong_value(error), error.argument_name) from None
        if extra:
            too_many = text("{wrong!r} is one argument too many", wrong=extra[0])
            raise self._usage_error(self._no_option(extra[0]) if extra[0].startswith("-") else too_many)
        return args

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` for missing arguments, whose names are at the end of argparse's message."""
        # Report an unknown option first: it is often a misspelling, and the reason why an argument is missing.
        options = (word for word in self._argv if word.startswith("--") and word != "--")
        unknown = next((word for word in options if word.partition("=")[0] not in self._option_string_actions), None)
        if unknown:
            raise self._usage_error(self._no_option(unknown))
        names = message.partition(" required: ")[2]
        raise self._usage_error(text("{names} is missing", names=names) if names else " ".join(message.split()))

    def _wrong_value(self, error: argparse.ArgumentError) -> str:
        """Describe the wrong value of an argument: refused by its type, missing, or superfluous."""
        if isinstance(error.message, Text):
            return error.message
        for option in (error.argument_name or "").split("/"):
            action = self._option_string_actions.get(option)
            if action is not None and action.nargs == 0:
                value = next((word.removeprefix(option) for word in self._argv if word.startswith(option)), "")
                return text("it takes no value: leave {wrong!r} out", wrong=value.removeprefix("="))
        return text("its value is missing")

    def _no_option(self, word: str) -> Text:
        name = word.partition("=")[0]
        guess = suggestion(name, tuple(self._option_string_actions))
        return text("there is no option {name}{guess}", name=name, guess=guess)

    def _usage_error(self, wrong: str, argument: str | None = None) -> UsageError:
        """Return the error with the description `wrong`, preceded by the name of the `argument` if there is one."""
        if argument and "|" not in argument:  # a positional argument may be named by the list of its choices
            wrong = text("{argument}: {wrong}", argument=argument, wrong=wrong)
        example = self.example.strip().splitlines()[0].partition("  ")[0]  # without its remark
        return UsageError(
            text("{command}: {wrong}; for example: {example}", command=self.command, wrong=wrong, example=example)
        )


def whole_number(typed: str) -> int:
    """Argument type: an integer. Raises `ArgumentTypeError`."""
    try:
        return int(typed)
    except ValueError:
        raise argparse.ArgumentTypeError(text("{wrong!r} is not a whole number", wrong=typed)) from None


def decimal_number(typed: str) -> float:
    """Argument type: a number. Raises `ArgumentTypeError`."""
    try:
        return float(typed)
    except ValueError:
        raise argparse.ArgumentTypeError(text("{wrong!r} is not a number", wrong=typed)) from None


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """Return an argument type that accepts `choices`. It raises `ArgumentTypeError` with a suggestion."""

    def read(typed: str) -> str:
        if typed not in choices:
            guess = suggestion(typed, tuple(choices))
            template = "{wrong!r} is not one of {choices}{guess}"
            raise argparse.ArgumentTypeError(text(template, wrong=typed, choices=", ".join(choices), guess=guess))
        return typed

    return read


def port(typed: str) -> int:
    """Argument type: a port number, 0 to 65535. Raises `ArgumentTypeError`."""
    try:
        number = int(typed)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(text("{value} is not a port: choose one from 1024 to 65535", value=typed))
    return number


def add_config(
    parser: argparse.ArgumentParser,
    default: str | None = "table.toml",
    about: Text | None = None,
) -> None:
    """Add `--config`. `default` is None for a command that also works without the file."""
    about = about or text("the configuration (default: table.toml)")
    parser.add_argument("-c", "--config", default=default, metavar="FILE", help=about)


def add_port(parser: argparse.ArgumentParser) -> None:
    """Add `--port`, the port of the page that the command serves."""
    about = text("serve the page on port N instead of the configured one")
    parser.add_argument("--port", type=port, metavar="N", help=about)


LEVELS: Final = ("debug", "info", "warning", "error")
VARIABLE: Final = "CARDTABLE_LOG_LEVEL"
PACKAGES: Final = ("cardtable", "engine", "vision", "firmware_bridge", "hardware")
"""The packages whose log is written. The loggers of libraries are left alone."""

_PRIORITIES: Final = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""Level of a log record → priority of syslog(3)."""


def add_diagnostics(parser: argparse.ArgumentParser) -> None:
    """Add `--trace`, `--trace-hands` and `--log-level` to the arguments of a command."""
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help=text("append observations, interpretations and refusals to FILE: docs/how-to/trace.md"),
    )
    parser.add_argument(
        "--trace-hands",
        action="store_true",
        help=text(
            "with --trace: include the hands that readers know; do not show the file to a player during the game"
        ),
    )
    add_log_level(parser)


def add_log_level(parser: argparse.ArgumentParser) -> None:
    """Add `--log-level` to the arguments of a command."""
    parser.add_argument(
        "--log-level",
        choices=LEVELS,
        help=text("how much to log on standard error (default: CARDTABLE_LOG_LEVEL, or nothing)"),
    )


def start_logging(
    level: str | None, environment: Mapping[str, str] = os.environ, stream: TextIO | None = None
) -> logging.Handler | None:
    """Log records of `level` and above to `stream` (default: standard error), and return the handler.

    Without `level` the environment decides; if it names no level either, nothing is logged and None is returned. A
    later call replaces the handler. Raises `UsageError` if the environment names an unknown level.
    """
    for name in PACKAGES:
        logger = logging.getLogger(name)
        for old in [handler for handler in logger.handlers if isinstance(handler, _Handler)]:
            logger.removeHandler(old)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())  # otherwise Python prints warnings to standard error
    level = level or environment.get(VARIABLE) or None
    if level is None:
        return None
    if level not in LEVELS:
        message = "{variable}: {level!r} is not one of {levels}"
        raise UsageError(text(message, variable=VARIABLE, level=level, levels=", ".join(LEVELS)))
    handler = _Handler(stream or sys.stderr)
    if _goes_to_journald(handler.stream, environment):
        handler.setFormatter(_JournalFormatter("%(name)s: %(message)s"))
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S"))
    for name in PACKAGES:
        logger = logging.getLogger(name)
        logger.setLevel(level.upper())
        logger.addHandler(handler)
    return handler


class _Handler(logging.StreamHandler[TextIO]):
    """The handler that `start_logging` adds."""


def _goes_to_journald(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether JOURNAL_STREAM names the device and inode of `stream` (systemd.exec(5))."""
    try:
        state = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return environment.get("JOURNAL_STREAM") == f"{state.st_dev}:{state.st_ino}"


class _JournalFormatter(logging.Formatter):
    """Begin each line with its priority; journald adds the time."""

    def format(self, record: logging.LogRecord) -> str:
        prefix = f"<{_PRIORITIES.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in super().format(record).splitlines())
