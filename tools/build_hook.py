"""Hatch's build hook: compile the catalogues into `*.mo` files, which the wheel then contains.

The option `catalogues` names their folder, relative to the package that is built.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).parents[1]


class CompileCatalogues(BuildHookInterface[Any]):
    """Runs before the wheel is built, an editable one included. Needs Babel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the `.mo` file of every catalogue beside its `.po` file."""
        sys.path.insert(0, str(ROOT))
        from cardtable.languages import compile_catalogues

        compile_catalogues(Path(self.root, self.config["catalogues"]))
