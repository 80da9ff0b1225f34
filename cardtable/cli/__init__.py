"""The commands, one module each: `cardtable replay` is `cardtable/cli/replay.py`. Plug-ins add others.

A command has `SUMMARY` (one line), `EXAMPLE`, `configure(parser)` and `run(args) -> exit status`. Only the requested
command is imported, so that a small one does not wait for OpenCV or the web server. `SUMMARY` is a literal in the
module's source, because the overview reads it there.

A wrong argument prints one line on standard error that says what is wrong and what would be right; the exit status is
then 2. Texts are in the language of the terminal (`cardtable.terminal.output`). As in a shell, the exit status is 130
after Ctrl-C and 141 if the reader of the output has gone (`| head`).
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from cardtable import stopping
from cardtable.errors import CardtableError, UsageError, guess_or_all
from cardtable.plugins import installed
from cardtable.terminal.arguments import Parser
from cardtable.terminal.output import environment_language, say, set_language, translated
from cardtable.terminal.progress import ActivityLine, load
from engine.texts import text

COMMANDS = Path(__file__).parent
PIPE_CLOSED = 141


_SUMMARY = re.compile(r'^SUMMARY = text\(\s*"(.*)"\s*\)$', re.MULTILINE)


def own_commands() -> dict[str, str]:
    """Return the module of each of the program's own commands, by name."""
    stems = sorted(path.stem for path in COMMANDS.glob("*.py") if not path.stem.startswith("_"))
    return {stem: f"cardtable.cli.{stem}" for stem in stems}


def all_commands() -> dict[str, str]:
    """Return the module of each command, by name in alphabetical order, with those of plug-ins."""
    commands = own_commands()
    for plugin in installed().values():
        commands |= plugin.commands
    return dict(sorted(commands.items()))


def _summary(module: str) -> str:
    """Return the `SUMMARY` of a command from its source, without importing the command and its libraries."""
    found = find_spec(module)
    if found is None or found.origin is None:
        return ""
    summary = _SUMMARY.search(Path(found.origin).read_text("utf-8"))
    return translated(text(summary[1])) if summary else ""


def _overview() -> str:
    commands = all_commands()
    width = max(map(len, commands), default=0)
    lines = [f"  {name:<{width}}  {_summary(module)}" for name, module in commands.items()]
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
    if not argv:
        wrong = "a command is missing; choose from {names}; for example: cardtable demo"
        raise UsageError(text(wrong, names=", ".join(all_commands())))
    name, rest = argv[0], argv[1:]
    if name in ("-h", "--help", "help"):
        sys.stdout.write(f"{_overview()}\n")  # in this package, `print` is a command
        return 0
    if name == "--version":
        from importlib.metadata import version  # slow to load

        sys.stdout.write(f"cardtable {version('cardtable')}\n")
        return 0
    if name.startswith("-"):
        wrong = "the command comes before its options: cardtable COMMAND {name}; commands: {names}"
        raise UsageError(text(wrong, name=name, names=", ".join(all_commands())))
    command = own_commands().get(name) or all_commands().get(name)  # plug-ins are slow to find
    if command is None:
        guess = guess_or_all(name, tuple(all_commands()))
        raise UsageError(text("there is no command {name!r}{guess}", name=name, guess=guess))
    load(command)
    module = importlib.import_module(command)
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    if language := parser.language(rest):
        set_language(language)
    with ActivityLine(module.ACTIVITY):
        _add_games((parser.config_file(rest) or Path("table.toml")).parent)
        return int(module.run(parser.read(rest)))


def _add_games(beside: Path) -> None:
    """Add the games that files in the folder `games` beside the configuration describe."""
    if any((beside / "games").glob("*.toml")):
        from cardtable.config.load import add_games  # slow to load

        for fault in add_games(beside):
            say(text("cardtable: this game is left out: {fault}", fault=fault), sys.stderr)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (without the program's name) and return the exit status."""
    # Streams that the caller has closed.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # for records and card symbols, on every machine
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # OpenCV reads it when it first needs threads. They take more processor time than they save
    # (docs/explanation/reading.md).
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
    with stopping.on_signals():
        set_language(environment_language(os.environ))
        status = _run(sys.argv[1:] if argv is None else argv)
        return stopping.requested() or status


def _run(argv: Sequence[str]) -> int:
    """Run the command line, report an error, and return the exit status."""
    try:
        status = _dispatch(argv)
        sys.stdout.flush()
        return status
    except CardtableError as error:
        line = re.sub(r"[ \t\r\n]+", " ", translated(str(error)))  # but keep no-break spaces
        sys.stderr.write(f"cardtable: {line.strip()}\n")
        return error.status
    except KeyboardInterrupt:
        return stopping.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone. Otherwise the interpreter would report an error when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            say(text("cardtable: the disk is full: make room, then try again"), sys.stderr)
            return UsageError.status
        # What is interrupted can raise another exception: `ImportError` by a library that was being imported,
        # `RuntimeError` by the end of a thread that was being started.
        if stopping.requested() is None:
            raise
        return stopping.requested() or 0
