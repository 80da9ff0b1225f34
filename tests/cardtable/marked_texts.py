"""Find every text to translate in the source of the program, so that no list of them is needed.

Marked are the first argument of `text` and `template`, the first two of `plural` (`engine.texts`), and the first of
a `Translate`. The text is a literal there, or assigned to a name in the same function. The words and the `reasons`
that a game declares, and the choices of its options, are texts too, with spaces for hyphens; and so are the headings,
paragraphs and captions of its rules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from cardtable.web.rules import rules_of
from engine.games import HOUSE, load_game

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "cardtable" / "web" / "page"
ROOMS = ("engine", "vision", "firmware_bridge", "hardware", "cardtable")
COMPUTED = {
    "engine/texts.py": 3,
    "engine/referee/prompts.py": 1,
    "engine/rules/questions.py": 1,
    "engine/rules/wording.py": 3,
    "cardtable/cli/__init__.py": 1,
    "cardtable/config/toml_file.py": 2,
}
"""Calls whose template is not a literal: words of games, templates marked elsewhere, summaries of commands."""

TextId = str | tuple[str, str]
"""A text as a catalogue identifies it: the template, or the English singular and plural."""


class NotLiteral(Exception):
    """A text is marked, but it is not a literal that can be found."""


def sources(rooms: Sequence[str] = ROOMS) -> list[Path]:
    return [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file. Those of the program are kept, because several tests need them."""
    return _kept(path) if path.is_relative_to(ROOT) else ast.parse(path.read_text("utf-8"))


@cache
def _kept(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def marked(path: Path, root: Path = ROOT) -> Iterator[TextId]:
    """Yield the texts marked in one file. Raises `NotLiteral`."""
    source = path.read_text("utf-8")
    tree = parsed(path)
    imported = re.search(r"from engine\.texts import .*\b(text|plural|template)\b", source) or path.name == "texts.py"
    computed = COMPUTED.get(str(path.relative_to(root)), 0)
    yield from _reasons(tree)
    yield from _table_words(tree)
    for scope, call in _calls(tree):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name == "Word":
            yield from _of_a_word(call)
        if name == "Option" or _is_choice(call):
            yield from _choices(call, tree)
        is_text = name in ("text", "plural", "template") and imported and isinstance(call.func, ast.Name)
        if not (is_text or name in ("translate", "_translate")):
            continue
        found: list[TextId] = list(_literals(call.args[0], scope)) if call.args else []
        if name == "plural":
            found = [pair for pair in zip(found, _literals(call.args[1], scope), strict=True) if pair[0]]
        if not found and is_text:
            computed -= 1
            if computed < 0:
                raise NotLiteral(f"{path.relative_to(root)}:{call.lineno}: write the text out")
        yield from found


def _of_a_word(call: ast.Call) -> Iterator[str]:
    """Yield the texts in the declaration of a word: the word itself and those that are given by name."""
    for name in call.args[:1]:
        yield from (found.replace("-", " ") for found in _literals(name, call))
    for keyword in call.keywords:
        if keyword.arg in ("label", "question", "prompt"):
            yield from _literals(keyword.value, call)


def _is_choice(call: ast.Call) -> bool:
    """Whether this is a call of `Option.choice`."""
    return ast.unparse(call.func) == "Option.choice"


def _choices(call: ast.Call, tree: ast.Module) -> Iterator[str]:
    """Yield the values to choose from that an option declares: `choices`, the second argument of `Option.choice` or the
    fifth of `Option`; a tuple, or the name of one in the module.
    """
    place = 1 if _is_choice(call) else 4
    values = [*call.args[place : place + 1], *(keyword.value for keyword in call.keywords if keyword.arg == "choices")]
    named = {getattr(each.target, "id", ""): each.value for each in tree.body if isinstance(each, ast.AnnAssign)}
    values = [named.get(each.id) or each if isinstance(each, ast.Name) else each for each in values]
    for choice in (element for each in values if isinstance(each, ast.Tuple) for element in each.elts):
        yield from (found.replace("-", " ") for found in _literals(choice, call))


def _reasons(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of the reasons that the classes of games declare."""
    for each in (body for node in tree.body if isinstance(node, ast.ClassDef) for body in node.body):
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value and getattr(targets[0], "id", "") == "reasons":
            for part in ast.walk(each.value):
                if isinstance(part, ast.Constant):
                    yield str(part.value).replace("-", " ")


def _table_words(tree: ast.Module) -> Iterator[str]:
    """Yield the words on the table's own action cards."""
    for each in tree.body:
        if isinstance(each, ast.AnnAssign) and getattr(each.target, "id", "") == "TABLE_LABELS":
            assert isinstance(each.value, ast.Dict)
            yield from (str(label.value) for label in each.value.values if isinstance(label, ast.Constant))


def _calls(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Yield every call with the function, or the module, that contains it."""

    def walk(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield scope, child
            yield from walk(child, child if isinstance(child, ast.FunctionDef) else scope)

    yield from walk(tree, tree)


def _literals(node: ast.expr, scope: ast.AST) -> Iterator[str]:
    """Yield the texts that `node` may be: a literal, one of two, or those assigned to a name."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body, scope)
        yield from _literals(node.orelse, scope)
    elif isinstance(node, ast.Name):
        for each in ast.walk(scope):
            if isinstance(each, ast.Assign):
                for target in each.targets:
                    yield from _assigned(target, each.value, node.id, scope)


def _assigned(target: ast.expr, value: ast.expr, name: str, scope: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Name) and target.id == name and not isinstance(value, ast.Name):
        yield from _literals(value, scope)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, content in zip(target.elts, value.elts, strict=True):
            yield from _assigned(part, content, name, scope)


_MESSAGES = {"Refused": 1, "Prompt": 2, "Lost": 2, "SourceLost": 0, "Trouble": 0, "JournalError": 0, "BadMessage": 0}
_MESSAGES |= {"UsageError": 0, "CardtableError": 0, "ConfigError": 0, "NoConfig": 0, "ArgumentTypeError": 0, "Fault": 1}
_MESSAGES |= {"HeaderError": 0, "RecordError": 1, "BadAction": 0, "UnknownCard": 0, "TagsError": 0, "BridgeError": 0}
_MESSAGES |= {"NotBuilt": 0, "NoSuchPin": 0, "PinUsedTwice": 0, "NoSuchDisplay": 0, "NoVoice": 0, "HardwareError": 0}
_MESSAGES |= {"BadSource": 0, "NotAPicture": 0, "PictureTooLarge": 0, "BadDeck": 0, "Option": 2}
_MESSAGES |= {"good": 1, "warning": 1, "trouble": 1, "Answer": 0, "Guidance": 0}
"""Calls whose result is shown to people, with the index of the argument that is the text."""
SHOWN_VALUE_ERRORS = ("cardtable/config/devices.py", "vision/decks/deck.py")
"""Files in which the message of a `ValueError` is shown: a wrong value in table.toml, a wrong deck."""
_INTERNAL = {
    "cardtable/journal/journal.py": 1,
    "cardtable/table/messages.py": 2,
    "vision/cameras/live.py": 1,  # a read after close()
    "cardtable/doctor/system.py": 3,  # only names and numbers
}
"""The number of messages in a file that no player can see: errors of the program, messages that no page sends."""
COMMANDS = ROOT / "cardtable" / "cli"


def bare_texts(
    rooms: Sequence[str] = ROOMS, commands: Path = COMMANDS, value_errors: Sequence[str] = SHOWN_VALUE_ERRORS
) -> Iterator[str]:
    """Yield the places where a message for people is a plain string, which could not be translated.

    `commands`: the folder of the commands, whose help and output are looked at too. `value_errors`: the files in which
    the message of a `ValueError` is shown.
    """
    for path in sources(rooms):
        name = str(path.relative_to(ROOT))
        messages = _MESSAGES | ({"ValueError": 0} if name in value_errors else {})
        allowed = _INTERNAL.get(name, 0)
        for _, call in _calls(parsed(path)):
            named = call.func.value if _is_choice(call) and isinstance(call.func, ast.Attribute) else call.func
            place = messages.get(named.id, -1) if isinstance(named, ast.Name) else -1
            if 0 <= place < len(call.args) and _bare(call.args[place]):
                allowed -= 1
                if allowed < 0:
                    yield f"{name}:{call.lineno}"
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.name == "hint":
                for each in ast.walk(node):
                    if isinstance(each, ast.Return) and each.value is not None and _bare(each.value):
                        yield f"{path.relative_to(ROOT)}:{each.lineno}"
    for path in [*sorted(commands.glob("*.py")), ROOT / "cardtable" / "terminal" / "arguments.py"]:
        yield from (f"{path.relative_to(ROOT)}:{line}" for line in bare_in_a_command(path))


def bare_in_a_command(path: Path) -> Iterator[int]:
    """Yield the lines in which a command prints a text, or has one in its help, that no catalogue can have."""
    tree = parsed(path)
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SUMMARY" and _bare(node.value):
            yield node.lineno
    for _, call in _calls(tree):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        shown = [keyword.value for keyword in call.keywords if keyword.arg in ("help", "description", "epilog")]
        if name in ("print", "say", "report", "warn", "_say", "write"):
            shown += call.args
        yield from (each.lineno for each in shown if _bare(each) and re.search("[a-z]{2}", _letters(each)))


def _letters(node: ast.expr) -> str:
    """The literal parts of a string, without the program's own name."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    found = "".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return found.replace("cardtable", "")


def _bare(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)
    )


MARKED: Final = r'(?:\bdata-t>|\b(?:aria-label|alt)="(?=[^"]*" data-))([^"<]*)'
"""A translated text in HTML: of an element with `data-t`, or of an attribute before `data-label` or `data-alt`."""


def on_the_page(folders: Sequence[Path] = (PAGE,)) -> set[str]:
    """The texts of the pages: those that their scripts translate, and those marked in their HTML."""
    scripts = "".join(path.read_text("utf-8") for folder in folders for path in sorted(folder.glob("*.js")))
    page = "".join(path.read_text("utf-8") for folder in folders for path in sorted(folder.glob("*.html")))
    in_html = {*re.findall(MARKED, page), *re.findall(r'data-\w+="([^"]*)"', page)}
    return {*re.findall(r'\bt\(\s*"([^"]*)"', scripts), *in_html}


@cache
def every_text(rooms: Sequence[str] = ROOMS, folders: Sequence[Path] = (PAGE,)) -> frozenset[TextId]:
    rules = in_rules() if rooms == ROOMS else set()
    return frozenset(on_the_page(folders) | rules | {found for path in sources(rooms) for found in marked(path)})


def in_rules() -> set[str]:
    """Return the texts of the rules of this project's games (`cardtable.web.rules`)."""
    sections = [section for game in HOUSE for section in rules_of(load_game(game))]
    return {section.name for section in sections} | {part.text for section in sections for part in section.parts}
