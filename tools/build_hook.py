"""Hatch's build hook: compile the catalogues into `*.mo` files, which the wheel then contains."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[Any]):
    """Runs before the wheel is built, an editable one included. Needs Babel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the `.mo` file of every catalogue beside its `.po` file."""
        sys.path.insert(0, self.root)
        from cardtable.languages import compile_catalogues

        compile_catalogues()
