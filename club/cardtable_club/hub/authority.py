"""The certificate authority of a club, and the enrolment of its tables.

The authority issues and revokes the certificates of the broker, the hub and each table. Keys are created where they are
used: a table sends a signing request, and receives a certificate in its name. Files in the folder: `ca.crt`, `ca.key`,
`crl.pem`, `broker.crt`, `broker.key`, `hub.crt`, `hub.key`. Keys have mode 0600.
"""

from __future__ import annotations

import datetime
import hmac
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import sqlalchemy as sql
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cardtable.certificates import Dates, Key, alternative, authority, issued, key_in, key_pem, new_key, pem
from cardtable.errors import CardtableError, why
from cardtable_club.hub.store import ENROLMENT, Store
from cardtable_club.member.enrolment import Code, new_code
from cardtable_club.member.home_assistant import topic_of
from cardtable_club.member.messages import Topics
from engine.texts import text

HUB: Final = "hub"
"""The name in the certificate of the hub."""
BROKER: Final = "broker"
"""The name in the certificate of the broker."""
HOME_ASSISTANT: Final = "home-assistant"
"""The name in the certificate of Home Assistant."""
RESERVED: Final = (HUB, BROKER, HOME_ASSISTANT, "league")
"""Names that no table can have; `league` is part of the topic of the seats."""
_DAY: Final = datetime.timedelta(days=1)
_NEVER: Final = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
"""The end of what does not expire (RFC 5280): the hub's clock may be years ahead, and what is cut off is listed."""


class Authority:
    """An authority with its files in `folder`, which are created if they are missing. Raises `CardtableError`.

    `names`: the addresses and host names at which tables reach the broker.
    """

    def __init__(self, folder: Path, club: str, names: Iterable[str] = ()) -> None:
        self.folder: Final = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (folder / "ca.key").exists():
                self._begin(club)
            self._key = key_in((folder / "ca.key").read_bytes())
            self._certificate = x509.load_pem_x509_certificate((folder / "ca.crt").read_bytes())
            if not (folder / "crl.pem").exists():
                self._write_list([])
            for name in (BROKER, HUB):
                if not (folder / f"{name}.crt").exists():
                    key = new_key()
                    _write_key(folder / f"{name}.key", key)
                    certificate = self._issue(name, key.public_key(), map(alternative, names if name == BROKER else ()))
                    (folder / f"{name}.crt").write_bytes(certificate)
            self.name_broker(names)
        except (OSError, ValueError) as error:
            reason = why(error) if isinstance(error, OSError) else str(error)
            raise CardtableError(text("{path} cannot be used: {why}", path=folder, why=reason)) from error

    @property
    def certificate(self) -> bytes:
        """The certificate of the authority, as PEM."""
        return (self.folder / "ca.crt").read_bytes()

    def sign(self, request: bytes, table: str) -> bytes:
        """Return the certificate for a signing request (PKCS #10, PEM). It names `table`, whatever the request says.

        Raises `ValueError` if the request is malformed or its signature invalid, and for a name in `RESERVED`.
        """
        loaded = x509.load_pem_x509_csr(request)
        if table in RESERVED or not loaded.is_signature_valid:
            raise ValueError("the request is not valid")
        return self._issue(table, loaded.public_key(), ())

    def issue_to(self, name: str, folder: Path) -> list[Path]:
        """Write a key and certificate for `name`, and the certificate of the authority, to `folder`; return the files.

        Raises `CardtableError` if they cannot be written.
        """
        key = new_key()
        files = [folder / "club-ca.crt", folder / f"{name}.crt", folder / f"{name}.key"]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files[0].write_bytes(self.certificate)
            files[1].write_bytes(self._issue(name, key.public_key(), ()))
            _write_key(files[2], key)
        except OSError as error:
            raise CardtableError(text("{path} cannot be written: {why}", path=folder, why=why(error))) from error
        return files

    def write_access(self, club: str) -> bool:
        """Write the access list for mosquitto; return whether it has changed."""
        path, rules = self.folder / "access.txt", access_rules(club, self.tables())
        if path.exists() and path.read_text("utf-8") == rules:
            return False
        path.write_text(rules, "utf-8")
        return True

    def cut_off(self, table: str) -> int:
        """Revoke every certificate that was issued to `table`; return how many there are."""
        numbers = [int(line.split()[0], 16) for line in self._issued() if line.split()[1:] == [table]]
        revoked = {entry.serial_number for entry in self.revoked()}
        self._write_list([*revoked, *(number for number in numbers if number not in revoked)])
        return len(numbers)

    def tables(self) -> list[str]:
        """Return the names of the tables that were issued a certificate, including revoked ones."""
        return sorted({line.split()[1] for line in self._issued()} - {*RESERVED})

    def name_broker(self, names: Iterable[str], more: bool = False) -> None:
        """Reissue the certificate of the broker unless it is for exactly `names`.

        `more`: keep the names that it has already.
        """
        path = self.folder / "broker.crt"
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        try:
            present = {*certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value}
        except x509.ExtensionNotFound:
            present = set()
        wanted = {alternative(each) for each in names} | (present if more else set())
        if wanted and wanted != present:
            new = self.folder / "broker.new"
            key = key_in((self.folder / "broker.key").read_bytes())
            new.write_bytes(self._issue(BROKER, key.public_key(), wanted))
            os.replace(new, path)

    def revoked(self) -> list[x509.RevokedCertificate]:
        """Return the certificates that are revoked."""
        return list(x509.load_pem_x509_crl((self.folder / "crl.pem").read_bytes()))

    def _begin(self, club: str) -> None:
        key = new_key()
        certificate = authority(f"cardtable club {club}", key, _dates())
        _write_key(self.folder / "ca.key", key)
        (self.folder / "ca.crt").write_bytes(pem(certificate))

    def _issue(self, name: str, public: object, names: Iterable[x509.GeneralName]) -> bytes:
        if not isinstance(public, ec.EllipticCurvePublicKey):
            raise ValueError("the key is not of an elliptic curve")
        certificate = issued(name, public, _dates(), (self._certificate, self._key), names)
        with (self.folder / "issued.txt").open("a", encoding="utf-8") as record:
            record.write(f"{certificate.serial_number:x} {name}\n")
        return pem(certificate)

    def _issued(self) -> list[str]:
        return (self.folder / "issued.txt").read_text("utf-8").splitlines()

    def _write_list(self, numbers: Iterable[int]) -> None:
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateRevocationListBuilder().issuer_name(self._certificate.subject)
        builder = builder.last_update(now - _DAY).next_update(_NEVER)
        for number in numbers:
            entry = x509.RevokedCertificateBuilder().serial_number(number).revocation_date(now).build()
            builder = builder.add_revoked_certificate(entry)
        content = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        new = self.folder / "crl.new"
        new.write_bytes(content)
        os.replace(new, self.folder / "crl.pem")


def access_rules(club: str, tables: Iterable[str] = ()) -> str:
    """Return the access list for mosquitto: a table, identified by its certificate, writes only its own topics.

    Home Assistant reads what everybody may see, and sends commands. `tables`: those with a certificate. A table with a
    dot in its name needs a rule of its own, because Home Assistant knows it by another name (`id_of`).
    """
    club_topics = f"ct/v1/{club}"
    topics = ("journal", "online", "state", "health", "ready", "cmd/reply")
    writes = [f"pattern write {club_topics}/%u/{topic}" for topic in topics]
    writes.append(f"pattern write {topic_of(Topics(club, '%u'))}")
    reads = [f"pattern read {club_topics}/{topic}" for topic in ("%u/ack", "%u/cmd", "%u/online", "league/assign/%u")]
    hub = [f"user {HUB}", f"topic readwrite {club_topics}/#", "topic readwrite homeassistant/#"]
    home = [
        f"user {HOME_ASSISTANT}",
        "topic readwrite homeassistant/status",
        "topic read homeassistant/device/+/config",
        *(f"topic read {club_topics}/+/{topic}" for topic in ("online", "state", "health")),
        f"topic write {club_topics}/+/cmd",
    ]
    dotted = [
        line
        for table in tables
        if "." in table
        for line in (f"user {table}", f"topic write {topic_of(Topics(club, table))}")
    ]
    of_tables = [*writes, *reads, "pattern read homeassistant/status"]
    return "\n".join([*hub, "", *home, "", *dotted, "", *of_tables, ""])


def _dates() -> Dates:
    return datetime.datetime.now(datetime.UTC) - _DAY, _NEVER


def _write_key(path: Path, key: Key) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(key_pem(key))


VALID_S: Final = 3600.0
"""How long a code is valid, in seconds."""


class Enrolment:
    """Invites tables with codes that can be used once, and gives them certificates. Methods raise `StoreError`."""

    def __init__(self, store: Store, authority: Authority) -> None:
        self._store, self._authority = store, authority

    def invite(self, table: str) -> Code:
        """Return a new code for a table, and invalidate an earlier one."""
        code = new_code(self._authority.certificate)
        with self._store.transaction() as database:
            database.execute(sql.delete(ENROLMENT).where(ENROLMENT.c.table == table))
            values = {"table": table, "secret": code.secret, "expires": time.time() + VALID_S}
            database.execute(sql.insert(ENROLMENT).values(values))
        return code

    def withdraw(self, table: str) -> bool:
        """Invalidate the code for a table; return whether there was one."""
        with self._store.transaction() as database:
            return bool(database.execute(sql.delete(ENROLMENT).where(ENROLMENT.c.table == table)).rowcount)

    def accept(self, request: bytes, proof: str) -> tuple[str, bytes] | None:
        """Return the table and its certificate if `proof` shows that the sender knows a code, which is used up.

        None for a wrong proof, an expired code or a malformed request.
        """
        with self._store.transaction() as database:
            for row in database.execute(sql.select(ENROLMENT).where(ENROLMENT.c.expires > time.time())).all():
                if not hmac.compare_digest(Code(row.secret, "").proof(request), proof):
                    continue
                used = sql.delete(ENROLMENT).where(
                    (ENROLMENT.c.table == row.table) & (ENROLMENT.c.secret == row.secret)
                )
                if not database.execute(used).rowcount:
                    return None
                try:
                    return row.table, self._authority.sign(request, row.table)
                except ValueError:
                    return None
        return None
