"""What others can check about a release: locked dependencies, a bill of materials, and signatures.

    python -m tools.release.supply FILE …

signs files with the key that CARDTABLE_SIGNING_KEY names in GnuPG's keyring, each in a file with `.asc` added. The
packages contain its public key, and cardtable-update installs no file without such a signature.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.utils import parse_wheel_filename

from tools.release.chroots import ReleaseError, reported

LOCK: Final = Path(__file__).parents[2] / "packaging" / "requirements.txt"
"""The version of each package that the Debian packages contain, with the hashes of its files: `make lock` writes it."""
KEY: Final = "CARDTABLE_SIGNING_KEY"
"""The environment variable that names the key."""


def bill_of_materials(wheels: Path, version: str, seconds: int) -> str:
    """Return what a package is made of, as CycloneDX 1.6 in JSON: every wheel in `wheels` with its SHA-256.

    `version`: that of the package; `seconds`: its date, since 1970.
    """
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"cardtable {version} {wheels.name}"))
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, UTC)
    bom.metadata.component = Component(
        name="cardtable", version=version, type=ComponentType.APPLICATION, bom_ref="cardtable"
    )
    for wheel in sorted(wheels.glob("*.whl")):
        name, released, _, _ = parse_wheel_filename(wheel.name)
        content = HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(wheel.read_bytes()).hexdigest())
        url = PackageURL("pypi", None, name, str(released))
        bom.components.add(Component(name=name, version=str(released), purl=url, bom_ref=str(url), hashes=[content]))
    bom.register_dependency(bom.metadata.component, bom.components)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2) + "\n"


def public_key() -> bytes:
    """Return the public key, as gpgv reads it; empty without a key. Raises `ReleaseError` if GnuPG does not have it."""
    return _gpg("--export", _key()) if _key() else b""


def sign(files: Sequence[Path]) -> None:
    """Sign `files`, and say so; without a key say that they are not signed. Raises `ReleaseError`."""
    if not _key():
        print(f"not signed, and no cardtable-update will install them: name a key in {KEY}", flush=True)
        return
    for file in files:
        _gpg("--yes", "--local-user", _key(), "--armor", "--detach-sign", str(file))
        print(f"signed: {file}.asc", flush=True)


def _key() -> str:
    return os.environ.get(KEY, "")


def _gpg(*arguments: str) -> bytes:
    try:
        done = subprocess.run(["gpg", "--batch", *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise ReleaseError("gpg, which signs, is not installed: sudo apt install gpg") from error
    if done.returncode or not (done.stdout or "--export" not in arguments):
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ReleaseError(f"gpg cannot use the key {_key()!r} of {KEY}: {said[-1] if said else 'there is none'}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(reported("sign", lambda: sign([Path(name) for name in sys.argv[1:]])))
