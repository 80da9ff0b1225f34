"""Every text of the program that is to be translated, found in its source: no list that somebody could forget to keep.

What is marked: the first argument of `text` (`engine.texts`), of `to_translate`, and of a `Translate`. It is written
out there, or in the same function a few lines before, under a name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cardtable.config.template import comments

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "cardtable" / "board" / "page"
GUIDE = ROOT / "cardtable" / "board" / "guide_page"
ROOMS = ("engine", "vision", "firmware_bridge", "hardware", "cardtable")
COMPOSED = {
    "engine/texts.py": 2,
    "engine/referee/prompts.py": 1,
    "cardtable/cli.py": 1,
    "cardtable/config/template.py": 1,
}
"""Texts made of what is a text elsewhere: words, texts side by side, the summary of a command, what config writes."""


class Unclear(Exception):
    """A text that is marked, but not written out where it can be found."""


def sources() -> list[Path]:
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def marked(path: Path, root: Path = ROOT) -> Iterator[str]:
    """The texts marked in one file. Raises `Unclear`."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    own = re.search(r"from engine\.texts import .*\btext\b", source) or path.name == "texts.py"
    composed = COMPOSED.get(str(path.relative_to(root)), 0)
    for scope, call in _calls(tree):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name == "Word":
            yield from _of_a_word(call)
        translates = name in ("to_translate", "translate", "_translate")
        if not (translates or (name == "text" and own and isinstance(call.func, ast.Name))):
            continue
        found = list(_written_out(call.args[0], scope)) if call.args else []
        if not found and not translates:
            composed -= 1
            if composed < 0:
                raise Unclear(f"{path.relative_to(root)}:{call.lineno}: write the text out")
        yield from found


def _of_a_word(call: ast.Call) -> Iterator[str]:
    """The texts in the declaration of a word: the word itself and those that are given by name."""
    for name in call.args[:1]:
        yield from (found.replace("-", " ") for found in _written_out(name, call))
    for keyword in call.keywords:
        if keyword.arg in ("label", "question", "prompt"):
            yield from _written_out(keyword.value, call)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Every call, with the function (or the module) that it stands in."""

    def walk(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield scope, child
            yield from walk(child, child if isinstance(child, ast.FunctionDef) else scope)

    yield from walk(tree, tree)


def _written_out(node: ast.expr, scope: ast.AST) -> Iterator[str]:
    """The texts that `node` may be: a text, one of two, or a name that was given to some."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _written_out(node.body, scope)
        yield from _written_out(node.orelse, scope)
    elif isinstance(node, ast.Name):
        for each in ast.walk(scope):
            if isinstance(each, ast.Assign):
                for target in each.targets:
                    yield from _given(target, each.value, node.id, scope)


def _given(target: ast.expr, value: ast.expr, name: str, scope: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Name) and target.id == name and not isinstance(value, ast.Name):
        yield from _written_out(value, scope)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _given(one, other, name, scope)


_TOLD = {"Refused": 1, "Prompt": 2, "Lost": 2, "SourceLost": 0, "Trouble": 0, "JournalError": 0, "BadMessage": 0}
_TOLD |= {"UsageError": 0, "CardtableError": 0, "ConfigError": 0, "ArgumentTypeError": 0, "Fault": 1}
_TOLD |= {"HeaderError": 0, "RecordError": 1, "BadAction": 0, "UnknownCard": 0, "TagsError": 0, "BridgeError": 0}
_TOLD |= {"NotBuilt": 0, "NoSuchPin": 0, "PinUsedTwice": 0, "NoSuchDisplay": 0, "NoVoice": 0, "HardwareError": 0}
_TOLD |= {"BadSource": 0, "NotAPicture": 0, "BadDeck": 0, "Option": 2}
_TOLD |= {"good": 1, "warning": 1, "trouble": 1, "Answer": 0, "Guidance": 0}
"""What is made to be told at the table or in the terminal, and which of its arguments people read."""
_TOLD_OF_A_KEY = {f"cardtable/{name}.py": {"ValueError": 0} for name in ("wiring", "reader_config", "camera_config")}
_TOLD_OF_A_KEY["vision/decks/deck.py"] = {"ValueError": 0}
"""Where the message of a `ValueError` is what is said of a key in table.toml, or of a deck."""
_INTERNAL = {
    "cardtable/play/journal.py": 1,
    "cardtable/board/messages.py": 2,
    "vision/cameras/live.py": 1,  # read after it was closed
    "cardtable/doctor/system.py": 3,  # names and numbers alone
}
"""Those nobody at the table can come to see: a mistake of the program, a message that no page sends."""
COMMANDS = ROOT / "cardtable" / "commands"


def bare_texts() -> Iterator[str]:
    """Places where something made to be told is given a text that is put together on the spot."""
    for path in sources():
        name = str(path.relative_to(ROOT))
        allowed, told = _INTERNAL.get(name, 0), _TOLD | _TOLD_OF_A_KEY.get(name, {})
        for _, call in _calls(ast.parse(path.read_text("utf-8"))):
            place = told.get(call.func.id, -1) if isinstance(call.func, ast.Name) else -1
            if 0 <= place < len(call.args) and _bare(call.args[place]):
                allowed -= 1
                if allowed < 0:
                    yield f"{name}:{call.lineno}"
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "hint":
                for each in ast.walk(node):
                    if isinstance(each, ast.Return) and each.value is not None and _bare(each.value):
                        yield f"{path.relative_to(ROOT)}:{each.lineno}"
    for path in [*sorted(COMMANDS.glob("*.py")), ROOT / "cardtable" / "cli.py"]:
        yield from (f"{path.relative_to(ROOT)}:{line}" for line in bare_in_a_command(path))


def bare_in_a_command(path: Path) -> Iterator[int]:
    """The lines in which a command says what no catalogue can have: a summary, help, something printed."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SUMMARY" and _bare(node.value):
            yield node.lineno
    for _, call in _calls(tree):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        told = [keyword.value for keyword in call.keywords if keyword.arg in ("help", "description", "epilog")]
        if name in ("print", "say", "report", "warn", "_say", "write"):
            told += call.args
        yield from (each.lineno for each in told if _bare(each) and re.search("[a-z]{2}", _letters(each)))


def _letters(node: ast.expr) -> str:
    """What stands in a text that is put together on the spot, but for the program's own name and the values."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    found = "".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return found.replace("cardtable", "")


def _bare(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)
    )


def on_the_page() -> set[str]:
    """The texts of the pages: what their scripts translate, and what their elements say by themselves."""
    scripts = "".join(path.read_text("utf-8") for each in (PAGE, GUIDE) for path in sorted(each.glob("*.js")))
    page = "".join((each / "index.html").read_text("utf-8") for each in (PAGE, GUIDE))
    return {*re.findall(r'\bt\("([^"]*)"', scripts), *re.findall(r'data-(?:t|label|alt)="([^"]*)"', page)}


def every_text() -> set[str]:
    return on_the_page() | set(comments()) | {found for path in sources() for found in marked(path)}
