"""Words that must not appear in code, comments and documents: `python -m tests.plain_words [PATH ...]`.

`docs/glossary.md` says which term to use instead. Identifiers, comments and docstrings of the code are checked, and
the prose of the documents; texts for the players (ordinary string literals) are not. Prints one line per finding and
exits 1 if there is any.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]

EVERYWHERE: Final = re.compile(
    r"\b(anew|reckon\w*|whoever|by and by|how-manieth|in so many words|had better|the like of|told of)\b", re.IGNORECASE
)
"""Forbidden in documents and in code."""

IN_CODE: Final = re.compile(
    r"\b(nobody|somebody|tells?|told|telling|is no (?!longer\b)\w+"
    r"|(?:None|True|False|empty|0|nothing) where|where there (?:is|are|was|were)|raises? [^.]{0,60}? where)\b",
    re.IGNORECASE,
)
"""Also forbidden in code: they are vague (*tell*), or replace a plainer word (*where* for *if*)."""

NAMES: Final = frozenset(
    ("anew", "reckon", "reckoned", "whoever", "nobody", "somebody", "tell", "tells", "told", "telling", "manieth")
)
"""Forbidden as parts of identifiers."""

_PERHAPS: Final = re.compile(
    r"anew|reckon|whoever|nobody|somebody|tell|told|manieth|by\W+and\W+by|in\W+so\W+many|had\W+better|the\W+like\W+of"
    r"|is\W+no\W+(?!longer\b)\w|(?:none|true|false|empty|\b0|nothing)\W+where|where\W+there|raises?\b[^\n]*(?:\n[^\n]*){0,2}where",
    re.IGNORECASE,
)
"""Found in every source that may contain a forbidden word, and in few others; a search takes far less than a parse."""

_TOKEN: Final = re.compile(
    r"""(?P<comment>/\*.*?\*/|(?<!:)//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"|`(?P<template>(?:\\.|[^`\\])*)`|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)
"""A comment, a string or an identifier of JavaScript, C or CSS; `template` is the inside of a JavaScript template."""


class Finding(NamedTuple):
    """One forbidden word: the file, the line (from 1) and the word."""

    path: Path
    line: int
    word: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word}"


def files(paths: Sequence[str] = ()) -> list[Path]:
    """The tracked and new files of the project to check, or those of them that are below `paths`."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    kinds = {".py", ".md", ".c", ".h", ".cpp", ".ino", ".js", ".css"}
    return [
        ROOT / name
        for name in sorted(set(listed))
        if Path(name).suffix in kinds
        and (ROOT / name).is_file()
        and name not in ("tests/plain_words.py", "docs/glossary.md")
    ]


def findings(path: Path) -> Iterator[Finding]:
    """Every forbidden word in the file at `path`."""
    source = path.read_text("utf-8")
    match path.suffix:
        case ".py":
            for line, word in _in_python(source):
                yield Finding(path.relative_to(ROOT), line, word)
        case ".md":
            for line, prose in _paragraphs(source):
                for found in EVERYWHERE.finditer(prose):
                    yield Finding(path.relative_to(ROOT), line, found[0])
        case kind:
            for line, word in _in_other(source, names=kind != ".css"):
                yield Finding(path.relative_to(ROOT), line, word)


def _in_python(source: str) -> Iterator[tuple[int, str]]:
    if not _PERHAPS.search(source):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            for word in _forbidden(token.string):
                yield token.start[0], word
        elif token.type == tokenize.NAME and _is_forbidden_name(token.string):
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        for body in (getattr(node, "body", None),):
            if not isinstance(body, list):
                continue
            for statement in body:
                if (
                    isinstance(statement, ast.Expr)
                    and isinstance(statement.value, ast.Constant)
                    and isinstance(statement.value.value, str)
                ):
                    for word in _forbidden(_without_examples(statement.value.value)):
                        yield statement.lineno, word


def _in_other(source: str, names: bool) -> Iterator[tuple[int, str]]:
    """The findings in the comments and, with `names`, in the identifiers of JavaScript, C or CSS."""
    for token in _TOKEN.finditer(source):
        line = source.count("\n", 0, token.start()) + 1
        if token["comment"]:
            for word in _forbidden(token["comment"]):
                yield line, word
        elif names:
            code = token["name"] or " ".join(re.findall(r"\$\{([^}]*)\}", token["template"] or ""))
            for name in re.findall(r"[A-Za-z_]\w*", code):
                if _is_forbidden_name(name):
                    yield line, name


def _is_forbidden_name(name: str) -> bool:
    """Whether a part of an identifier in snake_case or camelCase is forbidden."""
    return not NAMES.isdisjoint(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))


def _forbidden(prose: str) -> Iterator[str]:
    """The forbidden words of a comment or docstring; text between backticks is code."""
    joined = re.sub(r"\s+", " ", re.sub(r"`[^`]*`", "``", prose))
    for pattern in (EVERYWHERE, IN_CODE):
        yield from (found[0] for found in pattern.finditer(joined))


def _without_examples(docstring: str) -> str:
    """`docstring` without its doctests and what they print."""
    return re.sub(r"^[ \t]*>>>.*?(?=^\s*$|\Z)", "", docstring, flags=re.DOTALL | re.MULTILINE)


def _paragraphs(source: str) -> Iterator[tuple[int, str]]:
    """The prose of a Markdown file, line by line, without code."""
    fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "``", line)


def main(argv: Sequence[str]) -> int:
    """Print every finding below the paths in `argv`, or in the whole project."""
    count = 0
    for path in files(argv):
        for finding in findings(path):
            print(finding)
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
