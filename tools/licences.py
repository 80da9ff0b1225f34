"""Check that the program imports nothing under the GPL: `python -m tools.licences`; `make check` does.

Under the LGPL a program may use a library and keep its own licence. `licence_table` lists the licences of everything
that the program needs at run time, from the metadata of the installed packages, for the documentation.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Final, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
DEVELOPMENT: Final = ("dev", "docs", "train")
"""The extras that nobody installs to play; the others count as what the program needs at run time."""
PACKAGES: Final = ("engine", "vision", "firmware_bridge", "hardware", "cardtable", "club/cardtable_club")
PROJECTS: Final = (".", "club")
"""The folders of the distributions that are released together."""
OWN: Final = ("cardtable", "cardtable-club")
_LONGEST: Final = 60
"""Characters of the field `License` that is still a name and not the licence itself."""
_GPL: Final = re.compile(r"\bA?GPL|(?<!Lesser )General Public License|Affero", re.IGNORECASE)


class Package(NamedTuple):
    """An installed package. `needed_by`: those that require it, sorted."""

    name: str
    licence: str
    needed_by: tuple[str, ...]


def licence_of(package: Distribution) -> str:
    """Return the licence: the SPDX expression, the classifiers, or a short field `License`; "?" without any.

    A package that has the whole text of its licence in the field has a classifier as well.
    """
    about = package.metadata
    if expression := about.get("License-Expression"):
        return expression
    field = (about.get("License") or "").strip()
    if field and "\n" not in field and len(field) <= _LONGEST:
        return field
    classifiers = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each.startswith("License")]
    return ", ".join(classifiers) or "?"


def needs(package: Distribution) -> Iterator[str]:
    """Yield the names of what a package requires without extras, on any machine and version of Python."""
    for written in package.requires or ():
        requirement = Requirement(written)
        if "extra" not in str(requirement.marker or ""):
            yield canonicalize_name(requirement.name)


def runtime() -> list[Package]:
    """Return every installed package that the program needs at run time, directly or not, sorted by name."""
    needed_by: dict[str, set[str]] = {}
    for folder in PROJECTS:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"].items()
        optional = (need for extra, needs in extras if extra not in DEVELOPMENT for need in needs)
        for need in (*project["dependencies"], *optional):
            needed_by.setdefault(canonicalize_name(Requirement(need).name), set()).add(project["name"])
    needed_by = {name: by for name, by in needed_by.items() if name not in OWN}
    installed: dict[str, Distribution] = {}
    todo = list(needed_by)
    while todo:
        name = todo.pop()
        if name in installed:
            continue
        try:
            installed[name] = distribution(name)
        except PackageNotFoundError:  # only on other machines or versions of Python
            continue
        for need in needs(installed[name]):
            needed_by.setdefault(need, set()).add(name)
            todo.append(need)
    return [
        Package(name, licence_of(package), tuple(sorted(needed_by[name])))
        for name, package in sorted(installed.items())
    ]


def licence_table() -> str:
    """Return a Markdown table of what the program needs at run time."""
    rows = (f"| {each.name} | {each.licence} | {', '.join(each.needed_by)} |" for each in runtime())
    return "\n".join(["| package | licence | needed by |", "| --- | --- | --- |", *rows])


@cache
def imported(packages: tuple[str, ...] = PACKAGES) -> Mapping[str, str]:
    """Return the top-level modules that the program imports anywhere, each with a file that does."""
    found: dict[str, str] = {}
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.append(node.module)
                for name in names:
                    found.setdefault(name.partition(".")[0], path.relative_to(ROOT).as_posix())
    return found


def under_gpl(modules: Mapping[str, str], licences: Mapping[str, str]) -> list[str]:
    """Return the `modules` that come from a package under the GPL. `licences`: that of each module's package."""
    return [
        f"{path} imports {module}, which is under {licences[module]}"
        for module, path in sorted(modules.items())
        if module in licences and _GPL.search(licences[module]) and "LGPL" not in licences[module]
    ]


def main() -> int:
    """Print every import of a package under the GPL; return the exit code."""
    by_module = {
        module: ", ".join(licence_of(distribution(name)) for name in sorted(set(names)))
        for module, names in packages_distributions().items()
    }
    faults = under_gpl(imported(), by_module)
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
