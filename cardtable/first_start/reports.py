"""What the live check says of the cameras, as findings."""

from __future__ import annotations

from collections.abc import Collection

from cardtable.doctor.finding import Finding
from cardtable.first_start.question import doubtful, fine, wrong
from cardtable.first_start.step import Site

_KINDS = {"warning": doubtful, "bad": wrong}


def camera_reports(site: Site, what: Collection[str]) -> list[Finding]:
    """Return the findings about these parts of the cameras' views: `picture`, `mat`, `light`, `focus`, `cards`."""
    found = []
    for source in site.sources():
        for check in source["checks"] if source["kind"] == "camera" else ():
            if check["what"] in what:
                kind = _KINDS.get(check["state"])
                found.append(fine(check["text"]) if kind is None else kind(check["text"], check["advice"]))
    return found


def reader_reports(site: Site) -> list[Finding]:
    """Return the findings about the reader boards."""
    found = []
    for source in site.sources():
        for check in source["checks"] if source["kind"] == "readers" else ():
            kind = _KINDS.get(check["state"])
            found.append(fine(check["text"]) if kind is None else kind(check["text"], check["advice"]))
    return found
