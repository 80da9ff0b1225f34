"""Pages that ask while the table is being opened: its board serves them before the table is complete."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from cardtable import open_table
from cardtable.config.model import BoardConfig, TableConfig

PAGES = ("care/state.json", "care/offer.json", "doctor/findings.json", "history/games.json", "start/state.json")


def test_a_page_that_asks_before_the_table_is_open_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, int] = {}
    serve = open_table.Board

    def asked_at_once(*args: Any, **keys: Any) -> Any:
        board = serve(*args, **keys)
        found.update({page: httpx.get(f"{board.url}/{page}").status_code for page in PAGES})
        return board

    monkeypatch.setattr(open_table, "Board", asked_at_once)
    config = TableConfig(journal=tmp_path / "journal.sqlite", board=BoardConfig(port=0))
    with ExitStack() as stack:
        url = open_table.OpenTable(config, tmp_path / "table.toml", stack).page.url
        assert set(found.values()) == {503}, found
        assert httpx.get(f"{url}/care/state.json").status_code == 200
