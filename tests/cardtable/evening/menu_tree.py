"""All pages of the menu that can be reached in one situation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cardtable.evening.menu_pages import Opens, Page, Situation, first_page


def every_page(situation: Situation) -> Iterator[Page]:
    """Yield the first page and all that it leads to; of the pages that spell a name only those without a letter."""
    waiting: list[Opens] = [first_page]
    for opens in waiting:
        page = opens(situation)
        yield page
        known = {_key(each) for each in waiting}
        new = [entry.opens for entry in page.entries if entry.opens is not None and not entry.stays]
        waiting += {_key(each): each for each in new if _key(each) not in known}.values()


def _key(opens: Opens) -> object:
    return (opens.func, opens.args) if isinstance(opens, partial) else opens
