"""Signatures in the form of `ssh-keygen -Y sign` (SSHSIG, Ed25519): git and OpenSSH verify them as well.

Signing is deterministic: the same key and the same message give the same signature.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import lru_cache
from hashlib import sha512
from struct import pack
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

GIT: Final = "git"
"""The purpose of signatures of commits."""
_KIND: Final = b"ssh-ed25519"
_MAGIC: Final = b"SSHSIG"
_BEGIN: Final = b"-----BEGIN SSH SIGNATURE-----"
_END: Final = b"-----END SSH SIGNATURE-----"
_LINE: Final = 70


def public_key(seed: bytes) -> str:
    """Return the public key of a seed of 32 bytes, as OpenSSH writes it: `ssh-ed25519 AAAA...`."""
    raw = _private(seed).public_key().public_bytes_raw()
    return f"{_KIND.decode()} {b64encode(_strings(_KIND, raw)).decode()}"


def sign(seed: bytes, message: bytes, namespace: str = GIT) -> bytes:
    """Return the armoured signature of a message, made for one purpose only."""
    public = b64decode(public_key(seed).split(" ")[1])
    signature = _private(seed).sign(_signed_bytes(message, namespace))
    blob = _MAGIC + pack(">I", 1) + _strings(public, namespace.encode(), b"", b"sha512", _strings(_KIND, signature))
    armour = b64encode(blob)
    lines = [armour[at : at + _LINE] for at in range(0, len(armour), _LINE)]
    return b"\n".join([_BEGIN, *lines, _END])


def verifies(public: str, message: bytes, signature: bytes, namespace: str = GIT) -> bool:
    """Tell whether a signature is that of a message, by the holder of a public key, for this purpose."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    words, lines = public.split(" "), signature.split()
    if len(words) < 2 or words[0] != _KIND.decode() or lines[:3] != _BEGIN.split() or lines[-3:] != _END.split():
        return False
    try:
        key, blob = b64decode(words[1], validate=True), b64decode(b"".join(lines[3:-3]), validate=True)
        head = _MAGIC + pack(">I", 1) + _strings(key, namespace.encode(), b"", b"sha512")
        own = head + pack(">I", len(_strings(_KIND, bytes(64)))) + pack(">I", len(_KIND)) + _KIND + pack(">I", 64)
        if len(blob) != len(own) + 64 or not blob.startswith(own):
            return False
        Ed25519PublicKey.from_public_bytes(key[-32:]).verify(blob[-64:], _signed_bytes(message, namespace))
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=16)
def _private(seed: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # who only reads needs none of it

    return Ed25519PrivateKey.from_private_bytes(seed)


def _signed_bytes(message: bytes, namespace: str) -> bytes:
    """Return the bytes that are signed in place of a message: its digest and the purpose."""
    return _MAGIC + _strings(namespace.encode(), b"", b"sha512", sha512(message).digest())


def _strings(*values: bytes) -> bytes:
    return b"".join(pack(">I", len(value)) + value for value in values)
