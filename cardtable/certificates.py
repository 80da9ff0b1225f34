"""Certificates of authorities, and of the servers and tables that they vouch for.

Keys are of the elliptic curve P-256, which every browser, phone and broker accepts.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterable

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Key = ec.EllipticCurvePrivateKey
Dates = tuple[datetime.datetime, datetime.datetime]
"""When a certificate begins and ends to be valid."""
_AUTHORITY: x509.KeyUsage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)


def new_key() -> Key:
    """Return a new key."""
    return ec.generate_private_key(ec.SECP256R1())


def key_in(pem: bytes) -> Key:
    """Return the key in PEM. Raises `ValueError` if it is none of an elliptic curve."""
    key = serialization.load_pem_private_key(pem, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("the key is not of an elliptic curve")
    return key


def key_pem(key: Key) -> bytes:
    """Return the key as PEM, not encrypted."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def pem(certificate: x509.Certificate) -> bytes:
    """Return the certificate as PEM."""
    return certificate.public_bytes(serialization.Encoding.PEM)


def authority(name: str, key: Key, dates: Dates, only: Iterable[x509.GeneralName] = ()) -> x509.Certificate:
    """Return the certificate of a new authority.

    `only`: the domains and networks that it can vouch for; all if there are none.
    """
    builder = (
        _builder(name, _named(name), key.public_key(), dates)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_AUTHORITY, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if permitted := [*only]:
        builder = builder.add_extension(x509.NameConstraints(permitted, None), critical=True)
    return builder.sign(key, hashes.SHA256())


def issued(
    name: str,
    public: ec.EllipticCurvePublicKey,
    dates: Dates,
    by: tuple[x509.Certificate, Key],
    names: Iterable[x509.GeneralName] = (),
    server: bool = False,
) -> x509.Certificate:
    """Return a certificate that an authority issues. `names`: its addresses. `server`: for browsers."""
    issuer, key = by
    builder = (
        _builder(name, issuer.subject, public, dates)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    )
    if alternatives := [*names]:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    if server:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    return builder.sign(key, hashes.SHA256())


def alternative(name: str) -> x509.GeneralName:
    """Return a host name or an address as it is written in a certificate.

    >>> alternative("cardtable.local"), alternative("192.168.1.9")
    (<DNSName(value='cardtable.local')>, <IPAddress(value=192.168.1.9)>)
    """
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(name: str, issuer: x509.Name, public: ec.EllipticCurvePublicKey, dates: Dates) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(dates[0])
        .not_valid_after(dates[1])
    )
