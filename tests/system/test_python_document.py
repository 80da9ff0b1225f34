"""docs/how-to/python.md: every example on the page runs unchanged."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import cv2
import pytest

from tests.system.film import shrunk
from tests.vision.drawn_table import DrawnTable

DOCS = Path(__file__).parents[2] / "docs"


def film(folder: Path) -> None:
    """Write the frames that the document referees: a turn-up, an action card, a card led."""
    folder.mkdir()
    table = DrawnTable(players=2)
    number = 0
    for card, zone in (
        (None, None),
        ("10H", ("turn-up", None)),
        ("say:stand", ("say", 1)),
        ("KS", ("play", 1)),
    ):
        if card and zone:
            table.lay(card, zone)
        for _ in range(8):
            frame = table.read()
            assert frame is not None
            cv2.imwrite(str(folder / f"{number:04}.png"), shrunk(frame.image))
            number += 1


def test_the_examples_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (DOCS / "how-to" / "python.md").read_text("utf-8")
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", source, re.DOTALL))
    shutil.copy(DOCS / "pictures" / "table.jpg", tmp_path / "photo.jpg")
    film(tmp_path / "frames")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples, {}, "python.md", "docs/how-to/python.md", 0)
    assert len(test.examples) > 30
    output: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    assert result.failed == 0, "".join(output)
