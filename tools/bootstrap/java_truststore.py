"""Write a Java trust store (JKS, version 2) from a PEM bundle.

The unpacked Java runtime does not include one. Format: magic, version and count, big-endian. Each
entry has a tag (2 = trusted certificate), an alias, a timestamp, a type, and the certificate in
DER. A SHA-1 of the password, a salt and all preceding bytes follows, as
`sun.security.provider.JavaKeyStore` writes it.
"""

import base64
import hashlib
import re
import struct

_MAGIC, _VERSION, _TRUSTED_CERTIFICATE = 0xFEEDFEED, 2, 2
_PASSWORD = "changeit"  # Java's default; a trust store is not secret
_SALT = b"Mighty Aphrodite"
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)


def trust_store(pem_bundle: str) -> bytes:
    """Return a JKS file that trusts every certificate in `pem_bundle`."""
    certificates = dict.fromkeys(base64.b64decode("".join(body.split())) for body in _PEM.findall(pem_bundle))
    content = struct.pack(">III", _MAGIC, _VERSION, len(certificates))
    content += b"".join(_entry(number, der) for number, der in enumerate(certificates))
    return content + hashlib.sha1(_PASSWORD.encode("utf-16-be") + _SALT + content).digest()


def _entry(number: int, der: bytes) -> bytes:
    head = struct.pack(">I", _TRUSTED_CERTIFICATE) + _encode_text(f"ca{number:04d}") + struct.pack(">Q", 0)
    return head + _encode_text("X.509") + struct.pack(">I", len(der)) + der


def _encode_text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()
