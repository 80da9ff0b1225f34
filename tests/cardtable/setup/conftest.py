"""The programs of the machine, and a table whose cameras the test decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cardtable.doctor.finding import Machine
from cardtable.setup import step
from cardtable.web.screens import LobbyCard, SourceCheck
from tests.cardtable.setup.programs import Programs, install


class Site(step.Site):
    """A real configuration file; what cameras see is the test's."""

    def __init__(self, folder: Path) -> None:
        super().__init__(cast(Any, None), folder / "table.toml")
        self.machine = Machine(dev=folder / "dev", run=lambda command: None)
        self.seen: list[LobbyCard] = []
        self.checks: list[SourceCheck] = []
        self.pipelines: list[Any] = []
        self.pin = ""
        self.in_network = False

    def sources(self) -> Sequence[SourceCheck]:
        return self.checks

    def cards(self) -> Sequence[LobbyCard]:
        return self.seen

    def cameras(self) -> Sequence[Any]:
        return self.pipelines

    def is_in_network(self) -> bool:
        return self.in_network

    def set_pin(self, pin: str) -> None:
        self.pin = pin

    def phone_address(self) -> str | None:
        return "http://192.168.1.23:8015/phone"

    def camera_says(self, what: str, state: str, text: str = "so it is") -> None:
        """Let the first camera have one finding."""
        check: Any = {"what": what, "state": state, "text": text, "advice": "do that"}
        source: Any = {"name": "camera", "kind": "camera", "state": state, "checks": [check], "picture": None}
        self.checks = [source]


def pipeline(
    image: Any = None,
    homography: Any = None,
    missing: Sequence[int] = (),
    name: str = "camera",
    flickers: bool | None = None,
) -> Any:
    """What the steps ask of a camera."""
    frame = None if image is None else SimpleNamespace(image=image, number=0, time=0.0)
    return SimpleNamespace(
        name=name, frame=frame, homography=homography, missing_marks=tuple(missing), flickers=flickers
    )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "dev").mkdir()
    return Site(tmp_path)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    return install(tmp_path / "bin", monkeypatch)
