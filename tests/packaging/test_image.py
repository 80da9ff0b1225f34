"""The image of a memory card: its partitions, mounts, settings and updates, without building one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tools.release import boot, checks, supply
from tools.release import image as release_card_update
from tools.release import image as release_image
from tools.release.chroots import MACHINES, Chroot, ReleaseError

FILES = Path(__file__).parents[2] / "packaging" / "image"
UPDATE, GROW = FILES / "cardtable-update", FILES / "cardtable-grow"


def mounts() -> dict[str, list[str]]:
    """The fields of the lines of fstab, by their mount point."""
    lines = (line.split() for line in (FILES / "fstab").read_text("utf-8").splitlines() if not line.startswith("#"))
    return {fields[1]: fields for fields in lines}


def test_the_root_is_read_only_and_what_people_make_is_not() -> None:
    table = mounts()
    assert all(len(fields) == 6 for fields in table.values())
    assert "ro" in table["/"][3].split(",") and "ro" in table["/boot/firmware"][3].split(",")
    assert "data=journal" in table["/data"][3]
    places = {fields[0].removeprefix("/data/"): place for place, fields in table.items() if "bind" in fields[3]}
    assert places == {f"{name}": f"/{place}" for name, place in release_image.DATA.items()}
    assert {"/tmp", "/var/tmp", "/var/log", "/var/lib/NetworkManager"} <= {
        place for place, fields in table.items() if fields[2] == "tmpfs"
    }


@pytest.mark.skipif(shutil.which("findmnt") is None, reason="this machine has no findmnt")
def test_findmnt_understands_fstab() -> None:
    done = subprocess.run(
        ["findmnt", "--verify", "--tab-file", str(FILES / "fstab")], capture_output=True, text=True, check=False
    )
    assert "0 parse errors" in (done.stdout + done.stderr).splitlines()[-1]


def test_partitions_follow_each_other() -> None:
    assert release_image.layout((10, 20, 30)).splitlines()[1:] == [
        "start=4MiB, size=10MiB, type=c, bootable",
        "start=14MiB, size=20MiB, type=83",
        "start=34MiB, size=30MiB, type=83",
    ]


@pytest.mark.skipif(shutil.which("sfdisk") is None, reason="this machine has no sfdisk")
def test_an_image_has_its_file_systems_where_the_table_says(tmp_path: Path) -> None:
    parts = []
    for name, size in (("boot", 2), ("root", 3), ("data", 1)):
        parts.append(tmp_path / name)
        parts[-1].write_bytes(name[0].encode() * size * release_image.MIB)
    image = tmp_path / "card.img"
    release_image.write_image(parts, image)
    shown = subprocess.run(["sfdisk", "--dump", str(image)], capture_output=True, text=True, check=True).stdout
    starts = [int(line.split("start=")[1].split(",")[0]) for line in shown.splitlines() if "start=" in line]
    content = image.read_bytes()
    assert [content[start * 512 : start * 512 + 1] for start in starts] == [b"b", b"r", b"d"]


@pytest.mark.skipif(shutil.which("sfdisk") is None, reason="this machine has no sfdisk")
def test_the_last_partition_grows_to_the_end_of_a_larger_card(tmp_path: Path) -> None:
    """The command of packaging/image/cardtable-grow, on a file instead of a disk."""
    (command,) = [line for line in GROW.read_text("utf-8").splitlines() if "sfdisk --quiet" in line]
    image = tmp_path / "card.img"
    parts = [tmp_path / name for name in ("boot", "root", "data")]
    for part in parts:
        part.write_bytes(b"x" * 4 * release_image.MIB)
    release_image.write_image(parts, image)

    def partitions() -> list[tuple[int, int]]:
        shown = subprocess.run(["sfdisk", "--dump", str(image)], capture_output=True, text=True, check=True).stdout
        return [(int(start), int(size)) for start, size in re.findall(r"start= *(\d+), size= *(\d+)", shown)]

    before = partitions()
    with image.open("r+b") as card:
        card.truncate(200 * release_image.MIB)
    on_a_file = command.replace('"/dev/$disk"', str(image))
    subprocess.run(["sh", "-c", on_a_file], env={"number": "3", "PATH": os.environ["PATH"]}, check=True)
    after = partitions()
    assert after[:2] == before[:2] and after[2][0] == before[2][0]
    assert sum(after[2]) == 200 * release_image.MIB // 512


@pytest.mark.skipif(shutil.which("mke2fs") is None or shutil.which("debugfs") is None, reason="no e2fsprogs")
def test_a_file_system_has_the_content_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "root"
    (folder / "etc").mkdir(parents=True)
    (folder / "etc/hostname").write_text("cardtable\n", "utf-8")
    release_image.filesystem(folder, "ct-root", tmp_path / "root.img", 80)
    command = ["debugfs", "-R", "cat /etc/hostname", str(tmp_path / "root.img")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "cardtable\n"


@pytest.mark.skipif(shutil.which("mke2fs") is None or shutil.which("debugfs") is None, reason="no e2fsprogs")
@pytest.mark.skipif(shutil.which("sfdisk") is None, reason="this machine has no sfdisk")
def test_a_card_gets_another_source_of_packages_which_is_served(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "etc/apt/sources.list.d").mkdir(parents=True)
    (root / "etc/apt/sources.list").write_text("deb something else\n", "utf-8")
    parts = [tmp_path / name for name in ("boot", "root.img", "data")]
    for part in parts:
        part.write_bytes(b"x" * release_image.MIB)
    release_image.filesystem(root, "ct-root", parts[1], 80)
    card = tmp_path / "card.img"
    release_image.write_image(parts, card)
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/Packages").write_text("Package: cardtable\n", "utf-8")
    with release_card_update.served(tmp_path / "packages") as port:
        release_card_update.write_sources(card, f"deb http://127.0.0.1:{port} ./", tmp_path)
        assert httpx.get(f"http://127.0.0.1:{port}/Packages").text == "Package: cardtable\n"
    written = ["debugfs", "-R", "cat /etc/apt/sources.list", f"{card}?offset={5 * release_image.MIB}"]
    shown = subprocess.run(written, capture_output=True, text=True, check=True).stdout
    assert shown == f"deb http://127.0.0.1:{port} ./\n"


def test_the_system_has_its_name_and_lets_phones_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(Chroot, "run", lambda self, command, **options: called.append(list(command)) or "")
    for folder in ("etc/cardtable", "etc/systemd", "usr/sbin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copyfile(FILES.parent / "table.toml", tmp_path / "etc/cardtable/table.toml")
    release_image.configure(Chroot(tmp_path))
    assert (tmp_path / "etc/hostname").read_text("utf-8") == "cardtable\n"
    assert "127.0.1.1 cardtable" in (tmp_path / "etc/hosts").read_text("utf-8")
    configuration = (tmp_path / "etc/cardtable/table.toml").read_text("utf-8")
    assert "network = true" in configuration and '"cardtable.local"' in configuration
    assert os.access(tmp_path / "usr/sbin/cardtable-update", os.X_OK)
    assert (tmp_path / "etc/machine-id").read_text("utf-8") == ""
    assert ["systemctl", "mask", "apt-daily.timer"] in called
    assert ["systemctl", "enable", "cardtable-grow.service"] in called and os.access(
        tmp_path / "usr/sbin/cardtable-grow", os.X_OK
    )
    assert "openssh-server" not in (*release_image.SYSTEM, *release_image.DISPLAY)


def test_data_keep_their_owners_and_modes(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "var/lib/cardtable").mkdir(parents=True)
    (root / "var/lib/cardtable").chmod(0o750)
    data = release_image.move_data(root)
    assert sorted(path.name for path in data.iterdir()) == sorted(release_image.DATA)
    assert oct((data / "games").stat().st_mode & 0o777) == "0o750"


def test_an_emulator_that_ends_is_reported_with_its_console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    console = tmp_path / "console"
    script = f"open({str(console)!r}, 'w').write('Kernel panic: no root')"
    monkeypatch.setattr(boot, "emulator", lambda *arguments: [sys.executable, "-c", script])
    monkeypatch.setattr(boot, "PAUSE_S", 0.01)
    with (
        boot.Emulated(tmp_path / "card.img", "arm64", console) as machine,
        pytest.raises(ReleaseError, match="Kernel panic: no root"),
    ):
        machine.await_lobby(30)


@pytest.mark.parametrize("arch", MACHINES)
def test_the_emulated_page_is_reached_from_this_machine_only(tmp_path: Path, arch: str) -> None:
    command = " ".join(boot.emulator(tmp_path / "card.img", arch, 4321, tmp_path / "console"))
    assert "hostfwd=tcp:127.0.0.1:4321-:8015" in command and " ro " in command


def built_images() -> list[Path]:
    """The images that `make image` has built here, the newest last."""
    found = (release_image.ROOT / "build/packages/image").glob("*.img")
    return sorted(found, key=lambda file: file.stat().st_mtime)


@pytest.mark.long
@pytest.mark.skipif(not built_images(), reason="no image is built here: sudo make image")
def test_the_image_boots_to_the_lobby_and_saves_on_a_stick() -> None:
    """Takes minutes: an emulator starts it twice. Without an image `make release` does this."""
    image = built_images()[-1]
    arch = checks.target(image)[1]
    if shutil.which(boot.MACHINES[arch][0][0]) is None:
        pytest.skip(f"this machine has no {boot.MACHINES[arch][0][0]}")
    assert boot.boot(image, arch)["screen"] == "lobby"


def update_tools(folder: Path, fails: bool = False) -> tuple[Path, dict[str, str]]:
    """Replace the tools by which cardtable-update changes a system; return the file of their calls, and variables."""
    calls = folder / "calls"
    for name, body in {
        "id": "echo 0",
        "mount": f'echo "mount $*" >> {calls}',
        "mountpoint": "exit 0",
        "mkdir": ":",
        "sync": ":",
        "apt-get": f'echo "apt-get $*" >> {calls}; case "$1" in upgrade|install) exit {int(fails)};; esac',
    }.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", "utf-8")
        (folder / name).chmod(0o755)
    return calls, {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}


@pytest.mark.parametrize("fails", [False, True])
def test_updates_leave_the_root_read_only(tmp_path: Path, fails: bool) -> None:
    calls, environment = update_tools(tmp_path, fails)
    done = subprocess.run(["sh", str(UPDATE)], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) is fails
    lines = calls.read_text("utf-8").splitlines()
    assert lines[0] == "mount -o remount,rw /" and lines[-1] == "mount -o remount,ro /"
    assert "apt-get upgrade --yes" in lines


@pytest.mark.skipif(shutil.which("gpg") is None, reason="this machine has no gpg")
def test_only_a_package_that_the_release_key_has_signed_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, environment = update_tools(tmp_path)
    key = tmp_path / "cardtable-release.gpg"
    script = tmp_path / "cardtable-update"
    script.write_text(UPDATE.read_text("utf-8").replace(f"/usr/share/keyrings/{key.name}", str(key)), "utf-8")
    for folder in ("theirs", "ours"):
        (tmp_path / folder).mkdir(mode=0o700)
        monkeypatch.setenv("GNUPGHOME", str(tmp_path / folder))
        make = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", f"{folder}@example.org"]
        subprocess.run([*make, "ed25519", "sign"], check=True)
        monkeypatch.setenv(supply.KEY, f"{folder}@example.org")
        package = tmp_path / f"{folder}.deb"
        package.write_bytes(b"a package")
        supply.sign([package])
    key.write_bytes(supply.public_key())
    changed, unsigned = tmp_path / "changed.deb", tmp_path / "unsigned.deb"
    changed.write_bytes(b"another package")
    shutil.copy(tmp_path / "ours.deb.asc", tmp_path / "changed.deb.asc")
    unsigned.write_bytes(b"a package")
    for refused in (changed, unsigned, tmp_path / "theirs.deb"):
        done = subprocess.run(
            ["sh", str(script), str(refused)], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1 and f"{refused} does not come from the makers of this table" in done.stderr
        assert not calls.exists()
    subprocess.run(["sh", str(script), str(tmp_path / "ours.deb")], env=environment, capture_output=True, check=True)
    installed = r"apt-get install --yes /\S+/ours\.deb"
    assert [line for line in calls.read_text("utf-8").splitlines() if re.fullmatch(installed, line)]
    calls.unlink()
    subprocess.run(["sh", str(script), "ours.deb"], env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert [line for line in calls.read_text("utf-8").splitlines() if re.fullmatch(installed, line)]
    for folder in ("theirs", "ours"):
        subprocess.run(["gpgconf", "--homedir", str(tmp_path / folder), "--kill", "all"], check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="this machine has no shellcheck")
def test_shellcheck_finds_nothing() -> None:
    done = subprocess.run(["shellcheck", str(UPDATE), str(GROW)], capture_output=True, text=True, check=False)
    assert done.stdout == ""
