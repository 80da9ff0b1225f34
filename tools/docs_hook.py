"""What MkDocs builds beside the written pages of docs/ (`hooks` in mkdocs.yml).

A line `<!-- KIND: NAME -->` in a page becomes a table, or a text:

- `keys`: the keys of a section of `table.toml`, such as `board`; `top` for those at the top of the file
- `shape`: a message or state of the board's interface; `messages` for the list of all messages
- `licences`: with the name `runtime`, the packages that the program needs, with their licences
- `data`: a CSV file of docs/data/
- `contrast`: with the name `board`, the contrasts of the board's colours
- `rules`: the rules of a game in plain words, which the board tells too (`cardtable.web.rules`)

`<!-- games: house -->` becomes links to the pages of this project's games, which are in the navigation as well.
`<!-- screens: light -->` becomes links to the pictures of every screen in that theme.
`<!-- marks: evening -->` and `<!-- marks: words -->` become the ArUco ids of the action cards.

Some files outside docs/ are pages of the site as well, among them the README as its first page. Their links, and links
to them, are rewritten; a link to another file of the repository becomes plain text.
"""

from __future__ import annotations

import csv
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from cardtable.web.rules import rules_as_markdown
from engine.games import CHOICE_MARKS, HOUSE, title_of, word_marks
from tools.config_tables import key_table
from tools.contrast import contrast_table
from tools.interface_tables import schema_text, shape_table
from tools.licences import licence_table

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = {
    "README.md": "index.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "how-to/contributing.md",
    "vision/faces/MODEL.md": "reference/model-card.md",
    "club/docs/club.md": "how-to/club.md",
}
"""The pages of the site whose files are outside docs/, each with its address there."""
GAMES_PAGE: Final = "reference/games/index.md"
SCHEMA: Final = "reference/interface.schema.json"

_MARKER: Final = re.compile(r"^<!-- (\w+): ([\w-]+) -->$", re.MULTILINE)
_CODE: Final = re.compile(r"`[^`\n]+`")
_LINK: Final = re.compile(r"\[((?:[^][]|\[[^][]*\]\([^()]*\))*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Enter the pages of the games into the navigation, after `GAMES_PAGE`."""
    pages = [{title_of(game): f"{posixpath.dirname(GAMES_PAGE)}/{game}.md"} for game in HOUSE]
    entries = list(config.nav or [])
    while entries:
        entry = entries.pop()
        for section in entry.values() if isinstance(entry, dict) else ():
            if isinstance(section, list):
                if GAMES_PAGE in section:
                    after = section.index(GAMES_PAGE) + 1
                    section[after:after] = pages
                entries += section
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and the schema of the interface."""
    for source, address in PAGES.items():
        files.append(File.generated(config, address, content=(ROOT / source).read_text("utf-8")))
    files.append(File.generated(config, SCHEMA, content=schema_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page with its tables, and with the links that the site needs."""
    if page.file.src_uri == PAGES["README.md"]:
        page.meta["hide"] = ["navigation"]  # its part of the site has no other page
    return with_links(with_bars(with_tables(markdown)), page.file.src_uri)


def data_table(name: str) -> str:
    """Return the table of `docs/data/NAME.csv`, whose first line has the names of the columns.

    A column of percentages, whose name ends in `%`, shows each number with a bar.
    """
    with (ROOT / "docs" / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    number = [all(re.fullmatch(r"[\d.]*", row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        for column, cell in enumerate(row):
            if cell and head[column].endswith("%"):
                row[column] = f'{cell} <meter max="100" value="{cell}"></meter>'
    lines = [head, ["---:" if right else "---" for right in number], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def mark_list(name: str) -> str:
    """Return the ArUco ids of the action cards for the `evening`, or for the `words` of games."""
    evening, marks = CHOICE_MARKS, word_marks()
    cards = {"evening": evening, "words": {word: mark for word, mark in marks.items() if word not in evening}}[name]
    return ", ".join(f"`{word}` {mark}" for word, mark in sorted(cards.items(), key=lambda card: card[1]))


def game_links(name: str) -> str:
    """Return links to the pages of this project's games, from a page beside them."""
    return ", ".join(f"[{title_of(game)}]({game}.md)" for game in HOUSE)


def screen_links(theme: str) -> str:
    """Return links to the pictures of every screen in a theme, from a page in a folder of docs/."""
    ending = f"-{theme}.webp"
    files = sorted((ROOT / "docs/pictures/screens").glob(f"*{ending}"))
    return ", ".join(f"[{file.name.removesuffix(ending)}](../pictures/screens/{file.name})" for file in files)


TABLES: Final[dict[str, Callable[[str], str]]] = {
    "keys": key_table,
    "shape": shape_table,
    "licences": lambda name: licence_table(),
    "contrast": contrast_table,
    "data": data_table,
    "rules": rules_as_markdown,
    "marks": mark_list,
    "games": game_links,
    "screens": screen_links,
}


def tables_in(markdown: str, kind: str) -> list[str]:
    """Return the names of the tables of one kind that a page has."""
    return [match[2] for match in _MARKER.finditer(markdown) if match[1] == kind]


def with_tables(markdown: str) -> str:
    """Return the page with each marker replaced by its table. Raises `KeyError` for an unknown kind or name."""
    return _MARKER.sub(lambda match: TABLES[match[1]](match[2]), markdown)


def with_bars(markdown: str) -> str:
    """Return the page with `|` for `\\|` in code: Git hosts need the backslash in tables, and MkDocs would print it."""
    return _CODE.sub(lambda code: code[0].replace(r"\|", "|"), markdown)


def with_links(markdown: str, address: str) -> str:
    """Return the page, which has this address on the site, with the links that the site needs."""
    outside = {there: source for source, there in PAGES.items()}
    here = posixpath.dirname(outside.get(address, f"docs/{address}"))

    def link(match: re.Match[str]) -> str:
        label, target, anchor = with_links(match[1], address), match[2], match[3] or ""
        path = posixpath.normpath(posixpath.join(here, target))
        there = PAGES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if there is None:
            return label if (ROOT / path).exists() else match[0]
        return f"[{label}]({posixpath.relpath(there, posixpath.dirname(address) or '.')}{anchor})"

    return _LINK.sub(link, markdown)
