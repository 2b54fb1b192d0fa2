"""Tests that the trust store has each certificate once, in Java's format."""

import base64
import hashlib
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from java_truststore import trust_store


def _pem(der: bytes) -> str:
    return f"-----BEGIN CERTIFICATE-----\n{base64.encodebytes(der).decode()}-----END CERTIFICATE-----\n"


def test_truststore_header_counts_distinct_certificates() -> None:
    store = trust_store(_pem(b"one") + "a comment\n" + _pem(b"two") + _pem(b"one"))
    assert struct.unpack(">III", store[:12]) == (0xFEEDFEED, 2, 2)


def test_certificates_are_stored_as_der() -> None:
    der = bytes(range(200))
    assert struct.pack(">I", len(der)) + der in trust_store(_pem(der))


def test_truststore_digest_covers_password_salt_and_content() -> None:
    store = trust_store(_pem(b"one"))
    keyed = "changeit".encode("utf-16-be") + b"Mighty Aphrodite" + store[:-20]
    assert store[-20:] == hashlib.sha1(keyed).digest()


def test_empty_bundle_creates_an_empty_store() -> None:
    assert struct.unpack(">III", trust_store("")[:12])[2] == 0
