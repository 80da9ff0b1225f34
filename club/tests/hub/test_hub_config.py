"""`hub.toml`: what it may hold, and what is said about a file that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.config.load import ConfigError
from cardtable_club.hub import DEFAULT_CONFIG
from cardtable_club.hub.config import HubConfig, read_hub_config
from cardtable_club.hub.store import Store


def test_without_a_file_everything_has_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_hub_config(DEFAULT_CONFIG) == HubConfig()
    with pytest.raises(ConfigError, match=r"club\.toml cannot be read: No such file"):
        read_hub_config(Path("club.toml"))


def test_paths_of_certificates_are_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "hub.toml"
    path.write_text('\ufefflanguage = "fr"\n[broker]\nca = "ca.crt"\n', "utf-8")
    config = read_hub_config(path)
    assert (config.language, config.broker.ca) == ("fr", tmp_path / "ca.crt")


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("sqlite:///club.sqlite", "sqlite:///{folder}/club.sqlite"),
        ("sqlite:////var/lib/club.sqlite", "sqlite:////var/lib/club.sqlite"),
        ("sqlite://", "sqlite://"),
        ("postgresql://club@localhost/club", "postgresql://club@localhost/club"),
    ],
)
def test_a_relative_database_is_beside_the_file(tmp_path: Path, written: str, at: str) -> None:
    path = tmp_path / "hub.toml"
    path.write_text(f'database = "{written}"\n', "utf-8")
    assert read_hub_config(path).database == at.format(folder=tmp_path)
    path.write_text("", "utf-8")
    assert read_hub_config(path).database == f"sqlite:///{tmp_path}/club.sqlite"


def test_other_users_do_not_read_the_database(tmp_path: Path) -> None:
    for name, before, after in (("new", None, 0o600), ("old", 0o644, 0o640)):
        path = tmp_path / f"{name}.sqlite"
        if before is not None:
            path.touch()
            path.chmod(before)
        store = Store(f"sqlite:///{path}")
        store.note_table("t1", True)
        assert {each.stat().st_mode & 0o777 for each in tmp_path.glob(f"{name}.sqlite*")} == {after}
        store.close()


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (b"port = 8016\nport = 8017\n", "line 2: 'port' is set in line 1 already"),
        (b"port = 99999\n", "line 1"),
        (b"colour = 1\n", "there is no key 'colour'"),
        (b"name = " + b"[" * 50_000, "nested too deeply, or a number is too long"),
        (b"port = " + b"9" * 10_000, "nested too deeply, or a number is too long"),
        (b'name = "\xff"\n', "is not UTF-8 text"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(tmp_path: Path, written: bytes, fault: str) -> None:
    path = tmp_path / "hub.toml"
    path.write_bytes(written)
    with pytest.raises(ConfigError) as error:
        read_hub_config(path)
    assert str(path) in str(error.value) and fault in str(error.value)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_hub_config(tmp_path)
