"""A Java trust store (JKS, version 2) from a PEM bundle: the unpacked Java runtime comes without one.

Format: big-endian magic, version and count; per entry a tag (2 = trusted certificate), alias, time stamp, type and the
certificate in DER; at the end a SHA-1 over password, salt and everything before it (as `sun.security.provider.JavaKeyStore`
writes it).
"""

import base64
import hashlib
import re
import struct

_MAGIC, _VERSION, _TRUSTED_CERTIFICATE = 0xFEEDFEED, 2, 2
_PASSWORD = "changeit"  # Java's own default; a trust store holds nothing secret.
_SALT = b"Mighty Aphrodite"
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)


def trust_store(pem_bundle: str) -> bytes:
    """The bytes of a JKS file that trusts each certificate of `pem_bundle`."""
    certificates = dict.fromkeys(base64.b64decode("".join(body.split())) for body in _PEM.findall(pem_bundle))
    content = struct.pack(">III", _MAGIC, _VERSION, len(certificates))
    content += b"".join(_entry(number, der) for number, der in enumerate(certificates))
    return content + hashlib.sha1(_PASSWORD.encode("utf-16-be") + _SALT + content).digest()


def _entry(number: int, der: bytes) -> bytes:
    head = struct.pack(">I", _TRUSTED_CERTIFICATE) + _text(f"ca{number:04d}") + struct.pack(">Q", 0)
    return head + _text("X.509") + struct.pack(">I", len(der)) + der


def _text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()
