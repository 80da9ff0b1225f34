"""Build an image for the memory card of a Raspberry Pi, and boot it in an emulator: `make image`.

    python -m tools.release.image --deb build/packages/debs/cardtable_0.2.0+deb13_arm64.deb --boot

The image is Debian for arm64 with the package, the page on the attached display, the name cardtable.local, no ssh, a
read-only root and a partition `data` for what people make (packaging/image/fstab). `--boot` starts it under
qemu-system-aarch64 and waits until the lobby answers from outside. A package for amd64 gives an image of the same
system for amd64, which is built and booted in minutes; only a virtual machine starts from it. Needs root, what
`make deb` needs, and the packages e2fsprogs, dosfstools, mtools, fdisk; for `--boot` qemu-system-arm or
qemu-system-x86. Docs: docs/how-to/releasing.md.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tools.release.boot import (
    LONGEST_S,
    Emulated,
    become_director,
    boot,
    care_state,
    on_a_card,
    post,
    started_from,
    until,
)
from tools.release.checks import target
from tools.release.chroots import Chroot, ReleaseError, call, options, reported, step, system, unpacked
from tools.release.updates import newer

# Update a memory card in the emulator, as the board does it: from a source of packages in its network, with apt.
#
# The root of a card is read-only and small, and its updater's folder is on another partition: what works in an ordinary
# system (`tools.release.updates`) is tried there too. A newer version of the package is served on this machine.

THIS_MACHINE: Final = "10.0.2.2"
"""Its address in the emulator's network."""
UPDATE_S: Final = 3000.0
SOURCES: Final = "etc/apt/sources.list"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder on this machine; yield the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_sources(card: Path, line: str, folder: Path) -> None:
    """Make `line` the only source of packages on the card. Raises `ReleaseError`."""
    shown = subprocess.run(["sfdisk", "--json", str(card)], capture_output=True, text=True, check=True).stdout
    start = json.loads(shown)["partitiontable"]["partitions"][1]["start"] * 512
    content = folder / "sources"
    content.write_text(f"{line}\n", "utf-8")
    commands = folder / "commands"
    present = [f"rm {SOURCES}", "rm etc/apt/sources.list.d/debian.sources"]
    commands.write_text("\n".join([*present, f"write {content} {SOURCES}"]) + "\n", "utf-8")
    call(["debugfs", "-w", "-f", commands, f"{card}?offset={start}"])


def prove(image: Path, deb: Path, arch: str) -> None:
    """Update a copy of `image`, which has the package `deb` and perhaps that of the display, which lies beside it.

    Raises `ReleaseError`.
    """
    with on_a_card(image) as card, tempfile.TemporaryDirectory(dir=image.parent) as name:
        folder = Path(name)
        version = deb.stem.split("_")[1]
        packages = folder / "packages"
        packages.mkdir()
        for each in (deb, *deb.parent.glob(f"cardtable-kiosk_{version}_all.deb")):
            newer(each, f"99.1+{version}", packages)
        scanned = subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "."], cwd=packages, capture_output=True, text=True, check=True
        )
        (packages / "Packages").write_text(scanned.stdout, "utf-8")
        with served(packages) as port:
            write_sources(card, f"deb [trusted=yes] http://{THIS_MACHINE}:{port} ./", folder)
            with Emulated(card, arch, folder / "console") as machine:
                with step("boot of a card whose source has a newer version"):
                    machine.await_lobby(LONGEST_S)
                become_director(machine.client, machine.console)
                with step("the card's system is updated"):
                    update(machine)


def update(machine: Emulated) -> None:
    """Ask for the newer version and wait until the table runs with it. Raises `ReleaseError`."""
    client = machine.client
    post(client, "/care/do", {"do": "check"})
    offer = until("no update is offered", lambda: care_state(client)["update"]["offer"])
    print(f"offered: {offer}", flush=True)
    post(client, "/care/do", {"do": "install"})

    def ended() -> dict[str, Any] | None:
        state: dict[str, Any] = care_state(client)["update"]
        return None if state["busy"] or state["offer"] else state

    state = until("the update does not end", ended, UPDATE_S)
    print(f"the board: {state['text']}", flush=True)
    if state["wrong"] or "99.1" not in state["text"]:
        raise ReleaseError(f"the update has failed: {state['text']}")


ROOT: Final = Path(__file__).parents[2]
FILES: Final = ROOT / "packaging" / "image"

SYSTEM: Final = (
    *("systemd-sysv", "systemd-timesyncd", "udev", "dbus", "kmod", "initramfs-tools", "e2fsprogs", "sudo", "zstd"),
    "gpgv",
    *("network-manager", "wpasupplicant", "dnsmasq-base", "avahi-daemon", "libnss-mdns", "polkitd"),
)
DISPLAY: Final = ("cage", "chromium", "fonts-dejavu-core", "seatd")
GROWING: Final = ("fdisk",)
"""For packaging/image/cardtable-grow."""
FIRMWARE: Final = ("raspi-firmware", "firmware-brcm80211")
"""What a Raspberry Pi needs to start, from Debian's section non-free-firmware."""

BUSES: Final = "dtparam=i2c_arm=on\ndtparam=spi=on\n"
HOST: Final = "cardtable"
MIB: Final = 1024 * 1024
BOOT_MIB: Final = 256
DATA: Final = {
    "games": "var/lib/cardtable",
    "config": "etc/cardtable",
    "networks": "etc/NetworkManager/system-connections",
    "updates": "var/lib/cardtable-updater",
    "clock": "var/lib/systemd/timesync",
}
"""Folders of the partition `data`, and the places below the root where packaging/image/fstab mounts them."""
DATA_MIB: Final = 128
"""Size of the partition `data` in the image; it grows to the end of the card at the first start."""
JOURNAL_MIB: Final = 16
"""Of its file system, through which all data go; it does not grow."""
ROOM_MIB: Final = 800
"""Free in the root for an update, in addition to a third of what the system occupies."""


def configure(chroot: Chroot) -> None:
    """Write the settings of the system: name, mounts, services."""
    root = chroot.root
    (root / "etc/hostname").write_text(f"{HOST}\n", "utf-8")
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {HOST}\n::1 localhost ip6-localhost\n", "utf-8")
    shutil.copyfile(FILES / "fstab", root / "etc/fstab")
    for name, place, mode in (
        ("cardtable-update", "usr/sbin", 0o755),
        ("cardtable-grow", "usr/sbin", 0o755),
        ("cardtable-grow.service", "etc/systemd/system", 0o644),
    ):
        (root / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(FILES / name, root / place / name)
        (root / place / name).chmod(mode)
    # systemd makes an identity at each start, as the root cannot store one.
    (root / "etc/machine-id").write_text("", "utf-8")
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/resolv.conf").symlink_to("/run/NetworkManager/resolv.conf")
    (root / "etc/systemd/journald.conf.d").mkdir(parents=True, exist_ok=True)
    (root / "etc/systemd/journald.conf.d/cardtable.conf").write_text(
        "[Journal]\nStorage=volatile\nRuntimeMaxUse=32M\n", "utf-8"
    )
    # The buses for small displays; Debian's firmware package adds the first file to config.txt.
    (root / "etc/default").mkdir(parents=True, exist_ok=True)
    (root / "etc/default/raspi-firmware-custom").write_text(BUSES, "utf-8")
    firmware = root / "boot/firmware/config.txt"
    if firmware.exists():
        firmware.write_text(firmware.read_text("utf-8") + BUSES, "utf-8")
    (root / "etc/modules-load.d").mkdir(parents=True, exist_ok=True)
    (root / "etc/modules-load.d/cardtable.conf").write_text("i2c-dev\n", "utf-8")
    # At the first start the table may be in a network of its own, where a phone finds it by the same name; and what it
    # prints for that phone, its address and a code, is on the console too.
    for name, content in (
        ("etc/NetworkManager/dnsmasq-shared.d/cardtable.conf", f"address=/{HOST}.local/10.42.0.1\n"),
        ("etc/systemd/system/cardtable.service.d/console.conf", "[Service]\nStandardError=journal+console\n"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, "utf-8")
    table = root / "etc/cardtable/table.toml"
    table.write_text(table.read_text("utf-8").replace("network = false", "network = true"), "utf-8")
    for folder in ("data", "boot/firmware", "var/lib/NetworkManager"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    chroot.run(["systemctl", "enable", "cardtable-grow.service"], quiet=True)
    for name in ("apt-daily.timer", "apt-daily-upgrade.timer"):
        chroot.run(["systemctl", "mask", name], quiet=True)


def move_data(root: Path) -> Path:
    """Make the folder of the partition `data` beside `root`, with the owners and modes of what it replaces."""
    data = root.with_name(f"{root.name}-data")
    data.mkdir()
    for name, place in DATA.items():
        (root / place).mkdir(parents=True, exist_ok=True)
        call(["cp", "-a", root / place, data / name])
    return data


def clean(chroot: Chroot) -> None:
    """Delete what only the building needed."""
    chroot.apt("clean")
    for pattern in (
        "var/lib/apt/lists/*",
        "var/log/*",
        "var/cache/*",
        "debs",
        "usr/sbin/policy-rc.d",
        "tmp/*",
        "etc/apt/apt.conf.d/99*",
    ):
        for path in chroot.root.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def filesystem(folder: Path, label: str, file: Path, mib: int) -> None:
    """Write an ext4 file system of `mib` MiB with the content of `folder` to `file`, which can grow a thousandfold."""
    with file.open("wb") as empty:
        empty.truncate(mib * MIB)
    # Blocks as in a large one, and nothing reserved for root: only the table writes there.
    form = ["-t", "ext4", "-b", "4096", "-m", "0", "-J", f"size={JOURNAL_MIB}"]
    call(["mke2fs", "-q", *form, "-L", label, "-E", "root_owner=0:0", "-d", folder, file])


def boot_filesystem(root: Path, file: Path) -> None:
    """Write the FAT file system from which a Raspberry Pi starts, with the content of boot/firmware, to `file`."""
    with file.open("wb") as empty:
        empty.truncate(BOOT_MIB * MIB)
    call(["mkfs.vfat", "-n", "CTBOOT", file])
    content = sorted((root / "boot/firmware").iterdir())
    if content:
        call(["mcopy", "-s", "-i", file, *content, "::"])
        for path in content:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def layout(sizes: Sequence[int]) -> str:
    """Return sfdisk's description of the three partitions, with sizes in MiB: boot (FAT), root, data.

    >>> print(layout((256, 2000, 128)))
    label: dos
    start=4MiB, size=256MiB, type=c, bootable
    start=260MiB, size=2000MiB, type=83
    start=2260MiB, size=128MiB, type=83
    """
    start, lines = 4, ["label: dos"]
    for size, kind in zip(sizes, ("c, bootable", "83", "83"), strict=True):
        lines.append(f"start={start}MiB, size={size}MiB, type={kind}")
        start += size
    return "\n".join(lines)


def write_image(parts: Sequence[Path], image: Path) -> None:
    """Write `image`, a disk with the file systems in `parts`, each a whole number of MiB."""
    sizes = [part.stat().st_size // MIB for part in parts]
    with image.open("wb") as disk:
        disk.truncate((sum(sizes) + 8) * MIB)
    subprocess.run(["sfdisk", "--quiet", str(image)], input=layout(sizes), text=True, check=True)
    start = 4
    for part, size in zip(parts, sizes, strict=True):
        call(["dd", f"if={part}", f"of={image}", "bs=1M", f"seek={start}", "conv=notrunc,sparse", "status=none"])
        start += size


def card_system(suite: str, arch: str, work: Path, display: bool, firmware: bool) -> Path:
    """Return the archive of the system without the table, made if `work` has none yet: its slowest part."""
    kind = "card" if display else "card-headless"
    archive = work / "chroots" / f"{kind}{'' if firmware else '-emulated'}-{suite}-{arch}.tar"
    if archive.exists():
        return archive
    packages = [f"linux-image-{arch}", *SYSTEM, *(FIRMWARE if firmware else ()), *(DISPLAY if display else ())]
    with unpacked(system(suite, arch, "base", work), work) as chroot:
        if firmware:
            for sources in chroot.root.glob("etc/apt/sources.list*"):
                if sources.is_file():
                    sources.write_text(sources.read_text("utf-8").replace(" main", " main non-free-firmware"), "utf-8")
        with step(f"{suite} {arch}: the system ({len(packages)} packages and what they need)"):
            chroot.apt("update")
            chroot.apt("install", *packages)
            chroot.apt("clean")
        fresh = archive.with_suffix(".new")
        call(["tar", "--create", "--numeric-owner", "--file", fresh, "--directory", chroot.root, "."])
        fresh.rename(archive)
    return archive


def build(deb: Path, work: Path, display: bool, firmware: bool) -> Path:
    """Build the image with the package `deb`; return its file, which has kernel and initial RAM disk beside it."""
    suite, arch = target(deb)
    output = work / "image"
    output.mkdir(parents=True, exist_ok=True)
    image = output / f"{deb.stem}.img"
    debs = [deb]
    if display:
        debs += deb.parent.glob(f"cardtable-kiosk_{deb.stem.split('_')[1]}_all.deb")
    archive = card_system(suite, arch, work, display, firmware and arch == "arm64")
    with unpacked(archive, work) as chroot, tempfile.TemporaryDirectory(dir=work) as folder:
        for each in debs:
            chroot.put(each, f"/debs/{each.name}")
        with step(f"{suite} {arch}: {', '.join(each.name for each in debs)}"):
            chroot.apt("update")
            chroot.apt("install", *GROWING, *(f"{chroot.root}/debs/{each.name}" for each in debs))
        configure(chroot)
        clean(chroot)
        for name, copy in zip(("vmlinuz", "initrd.img"), started_from(image), strict=True):
            # Links to the newest kernel, relative to the root.
            shutil.copyfile(chroot.root / (chroot.root / name).readlink(), copy)
        with step("file systems"):
            used = write_card(chroot.root, Path(folder), image)
    print(f"{image}: {image.stat().st_size / 1e6:.0f} MB, {used} MiB in the root")
    return image


def write_card(root: Path, folder: Path, image: Path) -> int:
    """Write the image of a card with the system in `root`; return the MiB that the system occupies.

    `folder`: an empty one, for the file systems.
    """
    parts = [folder / name for name in ("boot", "root", "data")]
    data = move_data(root)
    try:
        boot_filesystem(root, parts[0])
        shown = subprocess.run(["du", "-sm", str(root)], capture_output=True, text=True, check=True).stdout
        used = int(shown.split()[0])
        filesystem(root, "ct-root", parts[1], used * 4 // 3 + ROOM_MIB)
        filesystem(data, "ct-data", parts[2], DATA_MIB)
    finally:
        shutil.rmtree(data)
    write_image(parts, image)
    return used


def main(arguments: Sequence[str] | None = None) -> int:
    """Build and boot what the arguments say; 0, or 1 with the message of the step that failed."""
    parser = options("Build an image for the memory card of a Raspberry Pi.")
    parser.add_argument("--deb", type=Path, help="the package (default: the newest for arm64 in WORK/debs)")
    parser.add_argument("--headless", action="store_true", help="without a browser for the attached display")
    parser.add_argument(
        "--without-firmware", action="store_true", help="for the emulator only: no Raspberry Pi firmware"
    )
    parser.add_argument("--boot", action="store_true", help="start the image in an emulator and wait for the lobby")
    parser.add_argument("--update", action="store_true", help="update the system of the image in an emulator")
    parser.add_argument(
        "--image", type=Path, help="boot this image, with its kernel beside it, instead of building one"
    )
    args = parser.parse_args(arguments)

    def make() -> None:
        work, image = args.work.resolve(), args.image
        if image is None:
            debs = sorted((work / "debs").glob("cardtable_*_arm64.deb"), key=lambda file: file.stat().st_mtime)
            if args.deb is None and not debs:
                raise ReleaseError("there is no package for arm64 yet: make deb ARGS='--arch arm64 --suite trixie'")
            image = build(args.deb or debs[-1], work, not args.headless, not args.without_firmware)
        if args.boot:
            boot(image, target(image)[1])
        if args.update:
            prove(image, args.deb or work / "debs" / f"{image.stem}.deb", target(image)[1])

    return reported("make image", make)


if __name__ == "__main__":
    sys.exit(main())
