"""List the licences of all that the program needs at run time, from the metadata of what is installed.

    python -m tools.licences           # check docs/licences.md; `make check` does
    python -m tools.licences --write   # write it

Exits 1 if the list is out of date, or if the program imports a package under the GPL. (Under the LGPL a program may
use a library and keep its own licence.)
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Final, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
LIST: Final = ROOT / "docs" / "licences.md"
PACKAGES: Final = ("engine", "vision", "firmware_bridge", "hardware", "cardtable", "club/cardtable_club")
EXTRAS: Final = ("pi", "displays", "ncnn", "openvino")
"""The extras with which people install the program, besides the club; the others are for development."""
PROJECTS: Final[Mapping[str, Sequence[str]]] = {".": EXTRAS, "club": ("hub",)}
"""The folders of the distributions that are released together, with the extras of each."""
OWN: Final = ("cardtable", "cardtable-club")
_LONGEST: Final = 60
"""Characters of the field `License` that is still a name and not the licence itself."""
_GPL: Final = re.compile(r"\bA?GPL|(?<!Lesser )General Public License|Affero", re.IGNORECASE)

_HEAD: Final = """# Licences

What the program needs at run time, with its extras `pi`, `displays`, `hub`, `ncnn` and `openvino`, from the metadata of
what is installed. `python -m tools.licences --write` writes this list; `make check` checks that it is up to date, and
that the program imports nothing under the GPL. Wheels may contain other libraries, whose licences they bring along:
that of opencv-python FFmpeg and Qt (LGPL). pyzbar, the second QR reader, uses the system's ZBar (LGPL).

| package | licence | needed by |
| --- | --- | --- |
"""


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
    for folder, extras in PROJECTS.items():
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        optional = (need for extra in extras for need in project["optional-dependencies"][extra])
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


def written(packages: Sequence[Package]) -> str:
    """Return the list as a document."""
    rows = (f"| {each.name} | {each.licence} | {', '.join(each.needed_by)} |\n" for each in packages)
    return _HEAD + "".join(rows)


def differences(document: str, packages: Sequence[Package]) -> list[str]:
    """Return what is wrong with the document. It may list packages that only other machines need."""
    listed = dict(re.findall(r"^\| ([\w.-]+) \| ([^|]+?) \|", document, re.MULTILINE))
    return [
        f"{each.name} ({each.licence}) is listed as {listed.get(each.name, 'nothing')}"
        for each in packages
        if listed.get(each.name) != each.licence
    ]


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


def main(argv: Sequence[str]) -> int:
    """Check or write the list; return the exit code."""
    packages = runtime()
    if "--write" in argv:
        LIST.write_text(written(packages), "utf-8")
        return 0
    by_module = {
        module: ", ".join(licence_of(distribution(name)) for name in sorted(set(names)))
        for module, names in packages_distributions().items()
    }
    document = LIST.read_text("utf-8") if LIST.exists() else ""
    faults = [*differences(document, packages), *under_gpl(imported(), by_module)]
    for fault in faults:
        print(fault)
    if faults:
        print("python -m tools.licences --write writes docs/licences.md")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
