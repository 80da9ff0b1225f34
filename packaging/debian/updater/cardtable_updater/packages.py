"""The packages of the table: what is installed and offered, apt, and an installed package packed again."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Final

from cardtable_updater import Failed, last_lines

# Run a program of the system.


def output(command: Sequence[str], check: bool = True, more: Mapping[str, str] | None = None) -> str:
    """Return what a program printed. `more`: variables for its environment.

    Raises `Failed` if the program fails and `check` is true.
    """
    environment = os.environ | {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"} | dict(more or {})
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode and check:
        raise Failed("refused", last_lines(done.stdout))
    return done.stdout


PACKAGES: Final = ("cardtable", "cardtable-kiosk")
SCRIPTS: Final = ("preinst", "postinst", "prerm", "postrm", "md5sums", "triggers", "shlibs")


class Packages:
    """The packages of the system in `root`. `folder`: the updater's own, for what apt downloads and what is kept."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def present(self) -> dict[str, str]:
        """Return those of the table's packages that are installed completely, with their versions."""
        return {package: version for package in PACKAGES if (version := self.installed(package))}

    def installed(self, package: str) -> str | None:
        """Return the installed version of a package; None if it is not installed completely."""
        shown = output(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package], check=False)
        state, _, version = shown.partition(" ")
        return version.strip() if state == "installed" else None

    def newer(self, refused: Container[str]) -> str | None:
        """Ask the sources for a newer version that is not in `refused`; None if there is none. Raises `Failed`."""
        try:
            self.apt("update", "-o", "APT::Update::Error-Mode=any")
        except Failed as failed:
            raise Failed("no-answer", failed.output) from failed
        shown = self.apt("policy", "cardtable", program="apt-cache")
        lines = dict(line.strip().split(": ", 1) for line in shown.splitlines() if ": " in line)
        installed, candidate = lines.get("Installed"), lines.get("Candidate", "(none)")
        if "://" not in shown and "file:/" not in shown:  # known to dpkg only
            raise Failed("no-source")
        if candidate in ("(none)", installed) or candidate in refused:
            return None
        compared = subprocess.run(["dpkg", "--compare-versions", candidate, "gt", installed or "0"], check=False)
        return candidate if compared.returncode == 0 else None

    def download(self, wanted: Sequence[str]) -> None:
        """Download packages, each "name=version", and what they need. Raises `Failed`."""
        self.apt("install", "--yes", "--no-remove", "--download-only", *wanted)

    def install(self, wanted: Sequence[str]) -> None:
        """Install downloaded packages, each "name=version"; nothing may be removed for them. Raises `Failed`."""
        self.apt("install", "--yes", "--no-remove", *wanted)

    def forget_downloads(self) -> None:
        """Delete what was downloaded."""
        shutil.rmtree(self._folder / "apt/archives", ignore_errors=True)

    def apt(self, *arguments: str, program: str = "apt-get") -> str:
        """Run apt with its files in the updater's own folder, as the root may be read-only. Raises `Failed`."""
        folder = self._folder / "apt"
        (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
        (folder / "archives/partial").mkdir(parents=True, exist_ok=True)
        options = {
            "Dir::State::Lists": folder / "lists",
            "Dir::Cache": folder,
            "APT::Sandbox::User": "root",
            "Dpkg::Options::": "--force-confold",
        }
        named = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        return output([program, "-q", *named, *arguments])

    def configure(self) -> None:
        """Finish what dpkg was interrupted in. Raises `Failed`."""
        output(["dpkg", "--configure", "--pending"])

    # The way back

    def kept(self, package: str) -> Path:
        """Return the file to which `repack` packs a package."""
        return self._folder / "previous" / f"{package}.deb"

    def repack(self, package: str) -> Path:
        """Pack an installed package again, as it is; return its file. Raises `Failed`."""
        target = self.kept(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        verified = output(["dpkg", "--verify", package], check=False).splitlines()
        # Some systems leave out manuals and translations.
        if damaged := [line for line in verified if line and "/usr/share/" not in line]:
            raise Failed("refused", last_lines("\n".join(damaged)))
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="repack-") as name:
            tree = Path(name)
            tree.chmod(0o755)
            self._copy_control(package, tree / "DEBIAN")
            paths = [Path(line) for line in output(["dpkg-query", "--listfiles", package]).splitlines()]
            folders = {folder for path in paths for folder in path.parents}
            for path in paths:
                self._link(path, tree, path in folders)
            fresh = target.with_suffix(".new")
            output(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z1", "--build", name, str(fresh)])
        fresh.replace(target)
        return target

    def put_back(self, packages: Sequence[str]) -> None:
        """Install the packages that were packed before, though they are older. Raises `Failed`."""
        files = [str(self.kept(package)) for package in packages]
        output(["dpkg", "--force-confold", "--install", *files], more={"CARDTABLE_DOWNGRADE": "yes"})
        self.configure()

    def _copy_control(self, package: str, folder: Path) -> None:
        """Put the fields and the scripts of an installed package into `folder`."""
        folder.mkdir()
        fields = output(["dpkg-query", "--status", package])
        control = [line for line in fields.splitlines(keepends=True) if not line.startswith("Status:")]
        (folder / "control").write_text("".join(control), "utf-8")
        information = self._root / "var/lib/dpkg/info"
        architecture = output(["dpkg", "--print-architecture"]).strip()
        for part in SCRIPTS:
            for stem in (package, f"{package}:{architecture}"):
                if (information / f"{stem}.{part}").exists():
                    shutil.copy2(information / f"{stem}.{part}", folder / part)

    def _link(self, path: Path, tree: Path, is_folder: bool) -> None:
        """Put an installed file into the tree of a package: linked, or copied from another file system.

        `is_folder`: whether it holds files of the package; then it may still be a link in the system, as /lib is.
        """
        source, place = self._root / path.relative_to("/"), tree / path.relative_to("/")
        if source.is_symlink() and not is_folder:
            place.symlink_to(source.readlink())
        elif source.is_dir():
            place.mkdir(exist_ok=True)
            shutil.copymode(source, place)
        elif source.exists():
            try:
                os.link(source, place)
            except OSError:
                shutil.copy2(source, place)
