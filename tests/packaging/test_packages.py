"""The parts of the packages that need no clean system: versions, fields, environment, comparison of results."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cardtable.config.load import read_config
from tools.release import checks, debian, supply
from tools.release.chroots import MACHINES, SUITES, Chroot, ReleaseError

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONTROL = (ROOT / "packaging/debian/control").read_text("utf-8")


@pytest.fixture(scope="module")
def environment() -> ModuleType:
    """packaging/debian/environment.py, which is outside the packages of the project."""
    spec = importlib.util.spec_from_file_location("environment", ROOT / "packaging/debian/environment.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_extras_are_those_of_the_project(environment: ModuleType) -> None:
    assert environment.EXTRAS == debian.EXTRAS
    assert set(debian.EXTRAS.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_club_is_released_with_the_table(environment: ModuleType) -> None:
    club = tomllib.loads((ROOT / "club/pyproject.toml").read_text("utf-8"))["project"]
    version = PROJECT["version"]
    assert club["version"] == version and f"cardtable=={version}" in club["dependencies"]
    assert PROJECT["optional-dependencies"]["club"] == [f"cardtable-club=={version}"]
    assert PROJECT["optional-dependencies"]["hub"] == [f"cardtable-club[hub]=={version}"]
    assert "club" in debian.EXTRAS.split(",") and "cardtable_club" in environment.OWN


def test_the_suites_have_a_python_that_the_project_supports() -> None:
    supported = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line}
    assert {suite.python for suite in SUITES.values()} <= supported


def test_the_descriptions_and_licence_are_the_projects() -> None:
    assert "License: MIT" in (ROOT / "packaging/debian/copyright").read_text("utf-8")
    assert PROJECT["license"] == "MIT"
    for line in CONTROL.splitlines():
        assert len(line) <= 120


def test_every_system_library_of_the_set_up_is_a_dependency() -> None:
    setup = (ROOT / "tools/setup").read_text("utf-8")
    needed = re.findall(r"has_library \S+ \|\| missing\+=\((\S+)\)", setup)
    assert len(needed) >= 3
    names = re.findall(r"[a-z0-9.+-]+", CONTROL)
    assert [name for name in needed if name not in names] == []


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="this machine has no dpkg")
def test_versions_sort_by_release_then_by_suite() -> None:
    ascending = [
        debian.debian_version(version, SUITES[suite])
        for version in ("0.2.0.dev1", "0.2.0a1", "0.2.0rc1", "0.2.0", "0.2.1", "0.10.0")
        for suite in ("bookworm", "trixie")
    ]
    for older, newer in pairwise(ascending):
        assert subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=False).returncode == 0


def test_the_changelog_has_the_version_and_a_date() -> None:
    text = debian.changelog("0.2.0+deb13", SUITES["trixie"], 1_700_000_000)
    assert text.startswith("cardtable (0.2.0+deb13) trixie; urgency=medium\n")
    assert text.endswith(">  Tue, 14 Nov 2023 22:13:20 +0000\n")


def test_wheels_are_for_the_c_library_of_the_suite() -> None:
    tags = debian.platform_tags("arm64", SUITES["bookworm"].libc)
    assert tags[0] == "manylinux_2_36_aarch64" and tags[-1] == "manylinux2014_aarch64"
    assert "manylinux_2_28_aarch64" in tags and not [tag for tag in tags if "x86" in tag]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("arch", MACHINES)
def test_the_name_of_a_package_says_its_suite_and_architecture(suite: str, arch: str) -> None:
    version = debian.debian_version("1.2.3", SUITES[suite])
    assert checks.target(Path(f"/debs/cardtable_{version}_{arch}.deb")) == (suite, arch)
    with pytest.raises(ReleaseError, match="no known suite"):
        checks.target(Path(f"cardtable_1.2.3_{arch}.deb"))


def test_the_first_configuration_opens_the_lobby(tmp_path: Path) -> None:
    shutil.copy2(ROOT / "packaging/table.toml", tmp_path)
    config = read_config(tmp_path / "table.toml")
    assert config.game is None and config.players == ()
    assert config.journal == Path("/var/lib/cardtable/journal.sqlite")
    assert not config.board.network and config.board.port == 8015


def test_what_the_program_does_not_need_is_deleted(environment: ModuleType, tmp_path: Path) -> None:
    kept = (
        "numpy/__init__.py",
        "numpy/_core/core.so",
        "babel/locale-data/fr.dat",
        "cardtable/locale/fr.po",
        "onnxruntime/capi/run.so",
        "cv2/a.so",
    )
    deleted = (
        "numpy/_core/tests/test_a.py",
        "numpy/__init__.pyi",
        "numpy/__pycache__/a.pyc",
        "babel/locale-data/ja.dat",
        "onnxruntime/transformers/gpt.py",
        "cv2/qt/plugins/window.so",
        "bin/f2py",
    )
    for name in (*kept, *deleted):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    doomed = list(environment.unneeded(tmp_path))

    def is_deleted(name: str) -> bool:
        return any((tmp_path / name).is_relative_to(path) for path in doomed)

    assert [name for name in kept if is_deleted(name)] == []
    assert [name for name in deleted if not is_deleted(name)] == []


def test_only_libraries_that_nothing_needs_are_unused(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = {
        "module.so": {"a.so", "libc.so.6"},
        "a.so": {"b.so"},
        "b.so": {"a.so"},
        "window.so": {"x.so"},
        "x.so": set(),
    }
    for name in ("a.so", "b.so", "window.so", "x.so"):
        (tmp_path / name).touch()
    monkeypatch.setattr(environment, "needed_libraries", lambda file: set(needs[file.name]))
    unused = {file.name for file in environment.unused_libraries(tmp_path, tmp_path / "module.so")}
    assert unused == {"window.so", "x.so"}


@pytest.mark.skipif(shutil.which("readelf") is None, reason="this machine has no readelf")
def test_readelf_is_understood(environment: ModuleType) -> None:
    import _sqlite3

    assert any(name.startswith("libsqlite3.so") for name in environment.needed_libraries(Path(_sqlite3.__file__)))


def test_the_environment_uses_the_systems_python(environment: ModuleType, tmp_path: Path) -> None:
    environment.write_environment(tmp_path)
    assert (tmp_path / "bin/python").readlink() == Path(
        f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    )
    command = (tmp_path / "bin/cardtable").read_text("utf-8")
    assert command.startswith("#!/opt/cardtable/bin/python\n")
    compile(command, "cardtable", "exec")
    # spidev and picamera2 come from apt.
    assert "include-system-site-packages = true\n" in (tmp_path / "pyvenv.cfg").read_text("utf-8")


def test_twenty_photographs_come_evenly_from_all_sets(tmp_path: Path) -> None:
    for name, count in (("few", 1), ("some", 30), ("more", 40)):
        (tmp_path / name / "images").mkdir(parents=True)
        for number in range(count):
            (tmp_path / name / "images" / f"{number:02}.jpg").touch()
    chosen = checks.chosen_photographs(tmp_path)
    assert len(chosen) == len(set(chosen)) == 15
    assert [path.name for path in chosen if path.parents[1].name == "more"][:3] == ["00.jpg", "05.jpg", "11.jpg"]
    with pytest.raises(ReleaseError, match="has no photographs"):
        checks.chosen_photographs(tmp_path / "few")


def test_pictures_are_read_by_all_processors_and_read_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "pictures").mkdir()
    for name in ("10H-aruco.png", "QS-qr.png"):
        shutil.copy(ROOT / "docs/pictures/paper" / name, tmp_path / "pictures")
    (tmp_path / "pictures/no picture.png").touch()
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards/no picture.png.json").write_text('["AS"]', "utf-8")  # of the run before
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'packaging')!r}); import proof, json; from pathlib import Path"
    )
    asked = f"{program}; print(json.dumps(proof.cards_in(Path({str(tmp_path)!r}))))"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(done.stdout) == {"10H-aruco.png": ["10H"], "QS-qr.png": ["QS"], "no picture.png": ["AS"]}


def test_results_that_differ_are_named() -> None:
    here = {"records": {"a": ["1"], "b": ["2"]}, "random games": {}, "pictures": {"p": ["AS", "2H"]}}
    text = json.dumps(here)
    assert "2 records, 0 random games, 1 pictures with 2 cards" in checks.compare("trixie", text, text)
    there = json.dumps(here | {"records": {"a": ["1"]}, "pictures": {"p": ["AS"]}})
    with pytest.raises(ReleaseError, match="other results than with this tree: pictures: p, records: b"):
        checks.compare("trixie", text, there)


def test_apt_of_this_machine_changes_only_the_clean_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], str]] = []

    def start(self: Chroot, command: list[str], more: dict[str, str], quiet: bool, check: bool) -> str:
        configuration = Path(more["APT_CONFIG"]).read_text("utf-8") if more else ""
        started.append((command, configuration))
        return "arm64\n"

    monkeypatch.setattr(Chroot, "_start", start)
    Chroot(tmp_path).apt("install", "libgl1")
    command, configuration = started[-1]
    assert command[0] == "apt-get" and command[-2:] == ["install", "libgl1"]
    assert f'Dir "{tmp_path}/";' in configuration and f'DPkg::Chroot-Directory "{tmp_path}";' in configuration
    assert 'APT::Architecture "arm64";' in configuration


def test_a_command_that_fails_is_reported_with_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command itself, as root, is what `make release` runs; here it is replaced."""
    popen = subprocess.Popen
    script = "import sys; print('line'); sys.exit(3)"
    monkeypatch.setattr(
        subprocess, "Popen", lambda command, **options: popen([sys.executable, "-c", script], **options)
    )
    with pytest.raises(ReleaseError, match="exit status 3\nline"):
        Chroot(tmp_path).run(["true"], quiet=True)
    assert Chroot(tmp_path).run(["true"], quiet=True, check=False) == "line\n"


def test_every_dependency_is_locked_with_the_hashes_of_its_files() -> None:
    entries = supply.LOCK.read_text("utf-8").replace("\\\n", " ").splitlines()
    locked: dict[str, list[str]] = {}
    for entry in filter(None, entries):
        requirement, *hashes = re.split(r"\s+--hash=", entry)
        parsed = Requirement(requirement)
        assert hashes and all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes)
        locked.setdefault(parsed.name, []).append(str(parsed.specifier).removeprefix("=="))
    club = tomllib.loads((ROOT / "club" / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    extras = [each for name in debian.EXTRAS.split(",") for each in PROJECT["optional-dependencies"][name]]
    for written in (*PROJECT["dependencies"], *extras, *club):
        needed = Requirement(written)
        if not needed.name.startswith("cardtable"):
            versions = locked[canonicalize_name(needed.name)]
            assert all(needed.specifier.contains(version) for version in versions), needed


def test_the_bill_of_materials_has_every_wheel(tmp_path: Path) -> None:
    for name in ("numpy-2.4.6-cp311-cp311-manylinux_2_28_aarch64.whl", "cardtable-0.3.0-py3-none-any.whl"):
        (tmp_path / name).write_bytes(name.encode())
    written = supply.bill_of_materials(tmp_path, "0.3.0+deb13", 1_800_000_000)
    assert written == supply.bill_of_materials(tmp_path, "0.3.0+deb13", 1_800_000_000)
    bill = json.loads(written)
    assert (bill["bomFormat"], bill["metadata"]["component"]["version"]) == ("CycloneDX", "0.3.0+deb13")
    assert {each["purl"] for each in bill["components"]} == {"pkg:pypi/numpy@2.4.6", "pkg:pypi/cardtable@0.3.0"}
    assert all(len(each["hashes"][0]["content"]) == 64 for each in bill["components"])
