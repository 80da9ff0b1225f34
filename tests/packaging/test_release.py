"""`make release`: each step once, and again after what it depends on has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.release import __main__
from tools.release.chroots import NATIVE, PACKAGE, PROOF, ROOT, SUITES, digest, prepared


def counting(status: int, calls: list[int]) -> Callable[[], int]:
    def work() -> int:
        calls.append(status)
        return status

    return work


def test_a_step_that_succeeded_is_not_run_again_until_its_key_changes(tmp_path: Path) -> None:
    calls: list[int] = []
    for key in ("one", "one", "two"):
        steps = __main__.Steps(tmp_path / "done")
        assert steps.run("trixie amd64: build", key, counting(0, calls))
        assert steps.summary[0].startswith("trixie amd64: build: good, 0 s, on 20") and steps.failed == []
    assert len(calls) == 2
    steps.forget("trixie amd64: build")
    assert steps.run("trixie amd64: build", "two", counting(0, calls)) and len(calls) == 3


def test_a_step_that_failed_is_run_again(tmp_path: Path) -> None:
    calls: list[int] = []
    for status in (1, 1, 0):
        steps = __main__.Steps(tmp_path)
        assert steps.run("boot", "key", counting(status, calls)) is (status == 0)
        assert steps.failed == (["boot"] if status else [])
    assert calls == [1, 1, 0]


def test_the_digest_follows_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one.py").write_text("1", "utf-8")
    first = digest([tmp_path / "a"])
    (tmp_path / "a/one.pyc").write_text("compiled", "utf-8")
    assert digest([tmp_path / "a"]) == first
    (tmp_path / "a/one.py").write_text("2", "utf-8")
    assert digest([tmp_path / "a"]) != first
    (tmp_path / "a/one.py").rename(tmp_path / "a/two.py")
    assert len({first, digest([tmp_path / "a"]), digest([])}) == 3


def test_what_is_prepared_is_made_once(tmp_path: Path) -> None:
    made: list[Path] = []

    def fill(folder: Path) -> None:
        made.append(folder)
        (folder / "expected.json").write_text("{}", "utf-8")

    for _ in range(2):
        assert (prepared(tmp_path / "proof", fill) / "expected.json").exists()
    assert len(made) == 1
    (tmp_path / "proof/tree").write_text("another tree", "ascii")
    prepared(tmp_path / "proof", fill)
    assert len(made) == 2


def test_every_input_is_there() -> None:
    assert [name for name in (*PACKAGE, *PROOF) if not (ROOT / name).exists()] == []


SHOWN = ("--results", "--piuparts", "--boot", "--deb", "--update")


@pytest.mark.parametrize("build_fails", [False, True])
def test_every_step_of_a_release_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build_fails: bool) -> None:
    """The steps themselves take hours as root; here each only says that it was asked for, and with which options."""
    called: list[str] = []

    def build(arguments: list[str]) -> int:
        called.append("build")
        if not build_fails:
            suite = SUITES[arguments[arguments.index("--suite") + 1]]
            arch = arguments[arguments.index("--arch") + 1]
            version = __main__.debian.debian_version(__main__.debian.project_version(), suite)
            (tmp_path / "debs").mkdir(exist_ok=True)
            (tmp_path / f"debs/cardtable_{version}_{arch}.deb").write_text(arch, "utf-8")
        return int(build_fails)

    def record(name: str) -> Callable[[list[str]], int]:
        def work(arguments: list[str]) -> int:
            assert Path(arguments[0]).exists() or arguments[0] in ("--deb", "--image", "--suite")
            called.append(" ".join([name, *(word for word in arguments if word in SHOWN)]))
            return 0

        return work

    monkeypatch.setattr(__main__.debian, "main", build)
    parts = {"checks": "checks", "updates": "updates", "image": "release_image", "pins": "boot", "wheel": "wheel"}
    for name, module in parts.items():
        monkeypatch.setattr(getattr(__main__, module), "main", record(name))
    monkeypatch.setattr(__main__.check_package, "main", lambda: 0)
    other = "arm64" if NATIVE != "arm64" else "amd64"
    status = __main__.main(["--suite", "trixie", "--arch", NATIVE, "--arch", other, "--work", str(tmp_path)])
    if build_fails:
        assert status == 1 and called == ["build", "build"]
        return
    native = ["build", "wheel", "checks", "checks --results", "checks --piuparts", "updates"]
    image = ["image --deb", "image --boot", "pins", "image --update"]
    if NATIVE == "arm64":
        assert called == [*native, *image, "build", "wheel", "checks", "checks --results"]
    else:
        assert called == [*native, "build", "wheel", "checks", "checks --results", *image]
    assert status == 0
    before = len(called)
    assert __main__.main(["--suite", "trixie", "--work", str(tmp_path)]) == 0 and len(called) == before
