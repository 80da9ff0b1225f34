"""A root folder with real dpkg and apt, a source of packages, and a table that answers at /healthz.

Only systemctl and journalctl stand for systemd: they start and stop the table, which is a small web server from the
installed package.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PREINST: Final = (Path(__file__).parents[2] / "packaging/debian/cardtable.preinst").read_text("utf-8")
SERVER: Final = """\
import http.server, pathlib, sys
root, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
kind = (root / "opt/cardtable/kind").read_text()
if kind == "broken":
    raise SystemExit(1)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        screen = (root / "screen").read_text()
        body = ('{"ok": %s, "screen": "%s"}' % ("false" if kind == "unwell" else "true", screen)).encode()
        self.send_response(503 if kind == "unwell" else 200)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
SYSTEMCTL: Final = """\
#!/bin/sh
echo "systemctl $*" >> {folder}/calls
case "$1" in
stop) test ! -e {folder}/pid || {{ kill $(cat {folder}/pid) 2>/dev/null; rm {folder}/pid; }};;
start)
    test ! -e {folder}/pid || exit 0
    kind=$(cat {root}/opt/cardtable/kind)
    test "$kind" = broken || printf "written by $kind" > {root}/var/lib/cardtable/journal.sqlite
    {python} {folder}/server.py {root} {port} >{folder}/log 2>&1 &
    echo $! > {folder}/pid;;
esac
"""


class MachineWithApt:
    """`folder`: an empty one. `environment`: with it, dpkg, apt and systemctl work on the folder `root`."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.root: Final = folder / "root"
        self.source: Final = folder / "source"
        self.programs: Final = folder / "programs"
        for path in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/cardtable", "etc/cardtable", "opt", "tmp"):
            (self.root / path).mkdir(parents=True)
        for path in ("etc/apt/preferences.d", "etc/apt/apt.conf.d", "etc/apt/trusted.gpg.d", "var/log/apt"):
            (self.root / path).mkdir(parents=True)
        (self.root / "usr/lib").mkdir(parents=True)
        (self.root / "lib").symlink_to("usr/lib")  # as on every Debian since version 12
        for path in ("status", "available", "triggers/File", "triggers/Unincorp"):
            file = self.root / "var/lib/dpkg" / path
            file.parent.mkdir(exist_ok=True)
            file.touch()
        self.source.mkdir()
        self.programs.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        (self.root / "etc/cardtable/table.toml").write_text(f"[board]\nport = {port}\n", "utf-8")
        (self.root / "etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{self.source} ./\n", "utf-8")
        self.shows("lobby")
        (folder / "server.py").write_text(SERVER, "utf-8")
        here = f"--root={self.root} --force-not-root --force-script-chrootless --force-unsafe-io"
        self._program("dpkg", f'#!/bin/sh\nexec {shutil.which("dpkg")} {here} "$@"\n')
        self._program("dpkg-query", f'#!/bin/sh\nexec {shutil.which("dpkg-query")} --root={self.root} "$@"\n')
        self._program("journalctl", f"#!/bin/sh\ncat {folder}/log\n")
        self._program("systemctl", SYSTEMCTL.format(folder=folder, root=self.root, port=port, python=sys.executable))
        architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
        self.architecture: Final = architecture.stdout.strip()
        configuration = folder / "apt.conf"
        configuration.write_text(
            f'Dir "{self.root}/";\nDir::State::status "{self.root}/var/lib/dpkg/status";\n'
            f'Dir::Bin::dpkg "{self.programs}/dpkg";\nAPT::Architecture "{self.architecture}";\n'
            f'APT::Architectures "{self.architecture}";\nDPkg::Use-Pty "false";\n'
        )
        self.environment: Final = {
            **{name: value for name, value in os.environ.items() if name != "CARDTABLE_DOWNGRADE"},
            "APT_CONFIG": str(configuration),
            "PATH": f"{self.programs}:{os.environ['PATH']}:/usr/sbin:/sbin",
        }

    def _program(self, name: str, content: str) -> None:
        file = self.programs / name
        file.write_text(content, "utf-8")
        file.chmod(0o755)

    def shows(self, screen: str) -> None:
        """Let the table show this screen."""
        (self.root / "screen").write_text(screen, "utf-8")

    def package(self, version: str, kind: str, postinst: str = "true") -> Path:
        """Make a package of the table; return its file. `kind`: good, unwell or broken; `postinst`: a command."""
        tree = self.folder / f"tree-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "opt/cardtable").mkdir(parents=True)
        (tree / "opt/cardtable/kind").write_text(kind, "utf-8")
        (tree / "opt/cardtable/link").symlink_to("kind")
        (tree / "lib/systemd").mkdir(parents=True)  # where Debian 12 puts units
        (tree / "lib/systemd/cardtable.service").write_text("[Service]\n", "utf-8")
        (tree / "DEBIAN/control").write_text(
            f"Package: cardtable\nVersion: {version}\nArchitecture: {self.architecture}\n"
            "Maintainer: Nobody <nobody@cardtable.invalid>\nDescription: a table\n of the test\n",
            "utf-8",
        )
        for name, script in (("preinst", PREINST), ("postinst", f"#!/bin/sh\nset -e\n{postinst}\n")):
            (tree / "DEBIAN" / name).write_text(script, "utf-8")
            (tree / "DEBIAN" / name).chmod(0o755)
        file = self.folder / f"cardtable_{version}_{self.architecture}.deb"
        self.call(["dpkg-deb", "-Znone", "--root-owner-group", "--build", str(tree), str(file)])
        return file

    def offer(self, *packages: Path) -> None:
        """Put packages into the source that apt reads."""
        for package in packages:
            shutil.copy2(package, self.source)
        listed = subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "."], cwd=self.source, capture_output=True, text=True, check=True
        )
        (self.source / "Packages").write_text(listed.stdout, "utf-8")

    def install(self, package: Path) -> None:
        """Install a package as the table's first, and start it."""
        self.call(["dpkg", "--install", str(package)])
        self.call(["systemctl", "start", "cardtable.service"])

    def call(self, command: Sequence[str]) -> str:
        """Run a command on this machine."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def calls(self) -> list[str]:
        """Return what systemctl was asked for."""
        return (self.folder / "calls").read_text("utf-8").splitlines()

    def close(self) -> None:
        """Stop the table."""
        self.call(["systemctl", "stop", "cardtable.service"])
