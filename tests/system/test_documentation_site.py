"""The documentation site: its links between pages, and its tables of data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs_hook import data_table, with_links

DATA = Path(__file__).parents[2] / "docs" / "data"


@pytest.mark.parametrize(
    ("address", "link", "on_the_site"),
    [
        ("index.md", "[Start](docs/start/index.md)", "[Start](start/index.md)"),
        ("how-to/trace.md", "[read](../explanation/reading.md#a)", "[read](../explanation/reading.md#a)"),
        ("how-to/trace.md", "[changes](../../CHANGELOG.md)", "[changes](../reference/changelog.md)"),
        ("reference/model-card.md", "[read](../../docs/explanation/reading.md)", "[read](../explanation/reading.md)"),
        ("how-to/contributing.md", "[the rules](engine/cards.py)", "the rules"),
        (
            "index.md",
            "[![board](docs/pictures/table.jpg)](docs/missing.md)",
            "[![board](pictures/table.jpg)](missing.md)",
        ),
        ("index.md", "[a](https://example.org/a) [b](#b)", "[a](https://example.org/a) [b](#b)"),
    ],
)
def test_links_lead_to_pages_of_the_site(address: str, link: str, on_the_site: str) -> None:
    assert with_links(link, address) == on_the_site


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.csv")))
def test_every_row_of_data_has_all_columns(name: str) -> None:
    assert len({line.count("|") for line in data_table(name).splitlines()}) == 1
