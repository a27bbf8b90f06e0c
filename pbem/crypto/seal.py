"""Sealed files of a game's repo: age files (age-encryption.org/v1) that name the path to which they belong.

Any tool that reads age opens them with the right key. Inside stands one line, `pbem-sealed-v1 PATH LENGTH`, then the
content, then zeros up to a *room*: a padded size that depends on public facts only. Otherwise the size of a file would
tell how many cards a side holds.

age draws a new key for each file, so that the same content never looks the same twice. What goes into the dice must be
the same each time, so a *salted digest* stands for it: HMAC(salt, content), where the salt of a path is
HMAC(hidden secret, path). Who knows the content and the salt can check it; nobody else learns anything.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final, TypeAlias

from pyrage import DecryptError, IdentityError, RecipientError, decrypt, encrypt, ssh, x25519
from pyrage import passphrase as passphrase_lock

from pbem.protocol import PbemError

Identity: TypeAlias = x25519.Identity | ssh.Identity
"""A secret key that opens age files."""
Recipient: TypeAlias = x25519.Recipient | ssh.Recipient
"""A public key to which age files are sealed."""
MARK: Final = b"pbem-sealed-v1"
ROOM: Final = 2048
"""The least room, in bytes."""
ROOM_HEAD: Final = 128
"""The most bytes of the line before the content."""
_STEP: Final = 1024


class CannotOpen(PbemError):
    """A sealed text is damaged, has the wrong path, or was sealed to another key."""


class BadRecipient(PbemError, ValueError):
    """A text is no key to which something can be sealed."""


# ---------------------------------------------------------------------------------------------- keys


def new_identity() -> str:
    """Return a new secret key of age, as its text."""
    return str(x25519.Identity.generate())


def recipient_of(identity: str) -> str:
    """Return the public key, `age1...`, that belongs to a secret one. Raises ValueError if that is none."""
    return str(_identity(identity).to_public())


def check_recipient(text: str) -> str:
    """Return a public key, `age1...` or `ssh-ed25519 ...` without its comment. Raises BadRecipient."""
    words = text.split()
    kept = " ".join(words[:2] if words and words[0].startswith("ssh-") else words)
    _recipient(kept)
    return kept


@lru_cache(maxsize=64)
def _identity(text: str) -> Identity:
    try:
        return x25519.Identity.from_str(text)
    except IdentityError:
        raise ValueError("no secret key of age: it begins with AGE-SECRET-KEY-1") from None


@lru_cache(maxsize=64)
def _recipient(text: str) -> Recipient:
    try:
        if text.startswith("ssh-ed25519 "):
            return ssh.Recipient.from_str(text)
        return x25519.Recipient.from_str(text)
    except (RecipientError, ValueError):
        raise BadRecipient(f"{text[:40]!r} is no key to seal to: write age1... or ssh-ed25519 AAAA...") from None


# ---------------------------------------------------------------------------------------------- sealing


def room_for(length: int, least: int = ROOM) -> int:
    """Return the smallest double of the least room that holds so many bytes."""
    room = least
    while room < length:
        room *= 2
    return room


def padded(path: str, content: bytes, *, public: int = 0) -> bytes:
    """Return a content as it is sealed: with the path that it belongs to, and zeros up to its room.

    `public` is a length that follows from what everybody knows, and that no honest content exceeds: the room is chosen
    by it. A longer content still finds room, in doubles of that.
    """
    head = b"%b %b %d\n" % (MARK, path.encode(), len(content))
    least = max(ROOM, -(-(public + ROOM_HEAD) // _STEP) * _STEP)
    return (head + content).ljust(room_for(len(head) + len(content), least), b"\0")


def seal(recipients: Sequence[str], path: str, content: bytes, *, public: int = 0) -> bytes:
    """Return what only the holders of some keys open, as an age file; `public` is as in `padded`."""
    keys = [_recipient(each) for each in recipients]
    sealed: bytes = encrypt(padded(path, content, public=public), keys, armored=False)
    return sealed


def unseal(identity: str, path: str, sealed: bytes) -> bytes:
    """Return the content sealed for a path; raise `CannotOpen` for another key or another path."""
    return unpadded(path, open_padded(identity, path, sealed))


def open_padded(identity: str, path: str, sealed: bytes) -> bytes:
    """Return what `padded` made before it was sealed; raise `CannotOpen` for another key."""
    try:
        opened: bytes = decrypt(sealed, [_identity(identity)])
    except (DecryptError, ValueError):
        raise CannotOpen(f"{path}: was altered, or sealed to another key") from None
    return opened


def unpadded(path: str, opened: bytes) -> bytes:
    """Return the content that `padded` was given; raise `CannotOpen` for another path."""
    sealed_for, content = _unpadded(opened, path)
    if sealed_for != path:
        raise CannotOpen(f"{path}: was sealed as {sealed_for}")
    return content


class Sealing:
    """The sealing of a game's files: to a public key, opened with the identity that belongs to it."""

    def __init__(self, recipient: str, identity: str) -> None:
        self._recipient = recipient
        self._identity = identity

    def seal(self, path: str, content: bytes, public: int = 0, recipient: str | None = None) -> bytes:
        """Return a content sealed to the game's key, or to another `recipient`; `public` is as in `padded`."""
        return seal([recipient or self._recipient], path, content, public=public)

    def open(self, path: str, sealed: bytes) -> bytes:
        """Return the content that was sealed for a path. Raises CannotOpen."""
        return unseal(self._identity, path, sealed)


class NoSealing(Sealing):
    """The sealing of a game that is derived again: its files are padded, but stay open."""

    def __init__(self) -> None:
        super().__init__("", "")

    def seal(self, path: str, content: bytes, public: int = 0, recipient: str | None = None) -> bytes:
        """Return a content as it would be sealed."""
        return padded(path, content, public=public)

    def open(self, path: str, sealed: bytes) -> bytes:
        """Return the content that stands open. Raises CannotOpen for one of another path."""
        return unpadded(path, sealed)


def open_with(identities: Iterable[Identity], sealed: bytes) -> tuple[str, bytes]:
    """Return the path that something was sealed for, and what it is. Raises CannotOpen."""
    return _unpadded(unwrap(sealed, identities), "the file")


def _unpadded(padded: bytes, name: str) -> tuple[str, bytes]:
    """Return path and content of what was sealed; `name` is what a complaint calls it."""
    head, _, rest = padded.partition(b"\n")
    words = head.decode("utf-8", "replace").split(" ")
    if len(words) != 3 or words[0].encode() != MARK or not words[2].isdigit() or int(words[2]) > len(rest):
        raise CannotOpen(f"{name}: is not of this kind: it must begin with {MARK.decode()}")
    return words[1], rest[: int(words[2])]


# ---------------------------------------------------------------------------------------------- promises


def commitment(secret: bytes) -> str:
    """Return the digest by which a secret is promised before the game, as hex.

    The label keeps it apart from the links of a dice chain: publishing the commitment of a chain's secret
    by mistake must not open its last link.
    """
    return sha256(b"pbem commitment v1:" + secret).hexdigest()


def salt_of(hidden: bytes, path: str) -> bytes:
    """Return the salt of a path: its own side is told, everybody else once the hidden secret is revealed."""
    return hmac.digest(hidden, b"pbem salt v1:" + path.encode(), "sha256")


def salted(salt: bytes, content: bytes) -> str:
    """Return the digest of a content under a salt, as hex."""
    return hmac.digest(salt, content, "sha256").hex()


# ---------------------------------------------------------------------------------------------- whole files


def wrap(content: bytes, recipients: Sequence[str] = (), passphrase: str = "") -> bytes:
    """Return a plain age file, armoured, sealed to some keys, or with a passphrase if there are none."""
    if not recipients:
        locked: bytes = passphrase_lock.encrypt(content, passphrase, armored=True)
        return locked
    sealed: bytes = encrypt(content, [_recipient(each) for each in recipients], armored=True)
    return sealed


def unwrap(sealed: bytes, identities: Iterable[Identity] = (), passphrase: str = "") -> bytes:
    """Return what is in a plain age file. Raises CannotOpen."""
    keys = list(identities)
    if not keys and not passphrase:
        raise CannotOpen("the file is sealed: give the key, or the passphrase, that opens it")
    try:
        content: bytes = decrypt(sealed, keys) if keys else passphrase_lock.decrypt(sealed, passphrase)
    except (DecryptError, ValueError) as wrong:
        raise CannotOpen(f"this key or passphrase does not open the file, or it was altered ({wrong})") from None
    return content


def identities_in(text: str) -> list[Identity]:
    """Return the secret keys in a key file of age, or in one of ssh-ed25519 without passphrase. Raises CannotOpen."""
    try:
        if "PRIVATE KEY-----" in text:
            return [ssh.Identity.from_buffer(text.encode())]
        found = [_identity(line.strip()) for line in text.splitlines() if line.startswith("AGE-SECRET-KEY-")]
    except (IdentityError, ValueError) as wrong:
        raise CannotOpen(f"no secret key that opens age files: {wrong}") from None
    if not found:
        raise CannotOpen(
            "no secret key in the file: a line must begin with AGE-SECRET-KEY-1, or it is a key of ssh-ed25519"
        )
    return found
