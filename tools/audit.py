"""Look for known vulnerabilities in what is installed for the program, with pip-audit: `make audit`.

    python -m tools.audit

Asks the advisories of PyPI, so it needs the network. Exits 0 if every package was looked up and none is vulnerable, 1
if one is vulnerable, 2 if packages could not be looked up: without the network nothing is known, and that is not "no
vulnerabilities".
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tools.licences import runtime


class Result(NamedTuple):
    """What pip-audit found: lines about vulnerable packages, the packages it could not look up, and how many it did."""

    vulnerable: list[str]
    unknown: list[str]
    looked_up: int


def read(output: str) -> Result:
    """Read the output of `pip-audit --format json`. Raises `ValueError` if it is something else."""
    found: dict[str, Any] = json.loads(output)
    vulnerable, unknown, looked_up = [], [], 0
    for package in found["dependencies"]:
        name = package["name"]
        if "skip_reason" in package:
            unknown.append(name)
            continue
        looked_up += 1
        for fault in package["vulns"]:
            fixed = ", ".join(fault["fix_versions"]) or "no version yet"
            vulnerable.append(f"{name} {package['version']}: {fault['id']}, fixed in {fixed}")
    return Result(vulnerable, unknown, looked_up)


def code(result: Result) -> int:
    """Return the exit code."""
    if result.vulnerable:
        return 1
    return 2 if result.unknown or not result.looked_up else 0


def main() -> int:
    """Audit the installed versions of all packages that the program needs at run time. Return the exit code."""
    pinned = "".join(f"{package.name}=={version(package.name)}\n" for package in runtime())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "installed.txt")
        path.write_text(pinned, "utf-8")
        command = [sys.executable, "-m", "pip_audit", "-r", str(path), "--no-deps", "--disable-pip"]
        quiet = ["--progress-spinner", "off", "--format", "json"]
        done = subprocess.run([*command, *quiet], capture_output=True, text=True, check=False)
    try:
        result = read(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        print(f"nothing could be looked up, so nothing is known: is there a network? pip-audit: {last[:300]}")
        return 2
    for line in result.vulnerable:
        print(line)
    if result.unknown:
        print(f"not looked up, so nothing is known of them: {', '.join(result.unknown)}")
    print(f"{result.looked_up} packages looked up, {len(result.vulnerable)} vulnerabilities")
    return code(result)


if __name__ == "__main__":
    sys.exit(main())
