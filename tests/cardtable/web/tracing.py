"""What Chromium's own trace says about a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

Event = dict[str, Any]
CATEGORIES = [
    "devtools.timeline",
    *(f"disabled-by-default-devtools.timeline{part}" for part in ("", ".stack", ".frame")),
]


@contextmanager
def traced(page: Page) -> Iterator[list[Event]]:
    """Trace the page. The list has the events afterwards."""
    events: list[Event] = []
    complete: list[Event] = []
    session = page.context.new_cdp_session(page)
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda end: complete.append(end))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": CATEGORIES}})
    yield events
    session.send("Tracing.end")
    while not complete:
        page.evaluate("null")  # Playwright takes events in while it waits for an answer
    session.detach()


def by_message(events: list[Event]) -> list[list[Event]]:
    """Return for each message that the page has received the events from then until the next one."""
    found: list[list[Event]] = [[]]
    for event in sorted(events, key=lambda event: event["ts"]):
        if event["name"] == "WebSocketReceive":
            found.append([])
        found[-1].append(event)
    return found[1:]


def forced_layouts(events: list[Event]) -> list[str]:
    """Return the function that has forced each layout by reading a size after the page has changed."""
    layouts = [event["args"]["beginData"] for event in events if event["name"] == "Layout"]
    return [layout["stackTrace"][0]["functionName"] for layout in layouts if "stackTrace" in layout]
