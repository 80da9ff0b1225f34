"""Find everything in the program's source that writes something, so that no output of the table is forgotten.

Room by room, it finds the server's routes, commands, log messages, calls that write to a file, a stream, a socket or a
device, and functions in such modules that are given a part of the game.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("cardtable", "club/cardtable_club", "firmware_bridge", "hardware", "vision")
"""Without `engine`, which is pure: the test looks for `print` and `open` there."""

WRITING: Final = frozenset(
    (
        *("print", "say", "write", "writelines", "write_text", "write_bytes", "writestr", "save", "tofile", "dump"),
        *(
            "send",
            "sendto",
            "sendall",
            "send_text",
            "send_bytes",
            "send_json",
            "Popen",
            "run",
            "check_output",
            "system",
        ),
        *("execute", "executemany", "executescript", "imwrite", "display", "output", "set_lights", "urlopen"),
        *("Response", "PlainTextResponse", "HTMLResponse", "JSONResponse", "StreamingResponse", "FileResponse"),
        *("StaticFiles", "on", "json_answer"),
    )
)
"""Names of functions and methods that write; `run` counts only with an argument, as in `subprocess.run(command)`."""
OPENING: Final = frozenset("wax+")
LOGGING: Final = frozenset(("debug", "info", "warning", "error", "exception", "critical", "log"))
ROUTING: Final = frozenset(("Route", "WebSocketRoute", "Mount"))
GAME: Final = frozenset(
    (
        *(
            "Snapshot",
            "LogEntry",
            "View",
            "HandView",
            "Table",
            "LiveGame",
            "Playing",
            "Journal",
            "Games",
            "StoredGame",
        ),
        *("Observation", "Swipe", "Swiped", "Scene", "Sighting", "Action", "Prompt", "Screen"),
        *("TraceEvent", "TagTracker", "Referee", "Report"),
    )
)
"""Types that hold a part of a game."""


class Source(NamedTuple):
    """The parts of a module that matter here."""

    calls: tuple[ast.Call, ...]
    functions: tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]
    assignments: tuple[ast.Assign, ...]


def modules(packages: Sequence[str] = PACKAGES) -> Iterator[tuple[str, Source]]:
    """Yield the path of each module of these packages, relative to the root, and its source."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), _source(path)


def room(module: str) -> str:
    """Return the room of a module: its package below `cardtable`, or else its top-level folder.

    >>> room("cardtable/web/server.py"), room("cardtable/languages.py"), room("vision/faces/reader.py")
    ('cardtable/web', 'cardtable', 'vision')
    """
    top, *inner = module.split("/")[:-1]
    return f"{top}/{inner[0]}" if top == "cardtable" and inner else top


@cache
def _source(path: Path) -> Source:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    return Source(
        tuple(node for node in nodes if isinstance(node, ast.Call)),
        tuple(node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)),
        tuple(node for node in nodes if isinstance(node, ast.Assign)),
    )


def called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_logger(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(name)):
            return name.strip("_").lower() in ("log", "logger", "logging")
    return False


def _text(node: ast.expr | None) -> str:
    """Return the value of a string; otherwise the expression as it is written."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "" if node is None else ast.unparse(node)


def routes() -> set[tuple[str, str]]:
    """Return the room and the path of each route of the table's server."""
    return {
        (room(name), _text(call.args[0]))
        for name, source in modules()
        for call in source.calls
        if called(call) in ROUTING and call.args and room(name) != "club"
    }


def commands() -> set[str]:
    """Return the names of the commands, the club's among them."""
    folders = (ROOT / "cardtable" / "cli", ROOT / "club" / "cardtable_club" / "commands")
    return {path.stem for folder in folders for path in folder.glob("*.py") if not path.stem.startswith("_")}


def log_messages(source: Source) -> set[str]:
    """Return the messages that a module logs."""
    return {_text(call.args[0]) for call in source.calls if _is_logger(call) and called(call) in LOGGING and call.args}


def writes(source: Source) -> set[str]:
    """Return the names of the writing calls of a module; `open` counts if it opens for writing."""
    found = set()
    for call in source.calls:
        name = called(call)
        if _is_logger(call):
            continue
        if name in WRITING and not (name == "run" and not call.args):
            found.add(name)
        if name in ("open", "fdopen", "NamedTemporaryFile", "mkstemp"):
            mode = next(
                (_text(each) for each in call.args[:2] if OPENING & set(_text(each)) and len(_text(each)) < 4), ""
            )
            keyword = next((_text(each.value) for each in call.keywords if each.arg in ("mode", "opener")), "")
            if mode or keyword or name == "mkstemp" or "O_WRONLY" in ast.unparse(call):
                found.add(name)
    if any(_is_value(target) for node in source.assignments for target in node.targets):
        found.add("value=")  # how gpiozero sets a pin
    return found


def _is_value(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == "value"


@dataclass(slots=True)
class Found:
    """The modules of a room that write or log something.

    `calls`: the names of their writing calls. `messages`: what they log. `game_functions`: their functions that are
    given a part of a game, as `module:name`.
    """

    calls: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    game_functions: set[str] = field(default_factory=set)


def rooms() -> dict[str, Found]:
    """Return what is found in each room that writes or logs something."""
    found: dict[str, Found] = {}
    for name, source in modules():
        calls, messages = writes(source), log_messages(source)
        if calls or messages:
            here = found.setdefault(room(name), Found())
            here.calls |= calls
            here.messages |= messages
            here.game_functions |= {
                f"{name}:{function.name}" for function in source.functions if _is_given_game(function)
            }
    return found


def _is_given_game(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    declared = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {
        node.id
        for argument in declared
        if argument.annotation is not None
        for node in ast.walk(argument.annotation)
        if isinstance(node, ast.Name)
    }
    return bool(names & GAME)
