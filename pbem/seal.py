"""Secrets: the keys of a game, which stay outside its repo, and what is sealed inside it.

Sealing is deterministic (AES-256-SIV, RFC 5297), so that the same turn gives the same commit id. The price: whoever
reads the repo sees when the same text is sealed twice under the same name. Put the number of the adjudication
into the name where that would tell something. The length is hidden up to a multiple of 1 KiB.
"""

from __future__ import annotations

import os
import secrets
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pbem.dice import LENGTH, SCHEME
from pbem.durable import sync_folder, write
from pbem.places import GAME_NAME

SIV: Final = "siv-v1"
_BEGIN: Final = b"-----BEGIN PBEM SEALED siv-v1-----"
_END: Final = b"-----END PBEM SEALED siv-v1-----"
_BLOCK: Final = 1024
_LINE: Final = 64


class CannotOpen(Exception):
    """A sealed text is damaged, was sealed under another name, or with another key."""


class BadKeys(Exception):
    """A game's secrets are missing, unreadable, open to others, or would be overwritten."""


# ---------------------------------------------------------------------------------------------- sealing


def sealing_key(hidden: bytes, game: str) -> bytes:
    """Derive the key that seals the files of one game from its hidden secret."""
    return HKDF(SHA256(), 64, salt=None, info=f"pbem {SIV} {game}".encode()).derive(hidden)


def seal(key: bytes, name: str, plaintext: bytes) -> bytes:
    """Return armoured text that only the key opens, and only under the same name (the path of the file)."""
    padded = plaintext + b"\x80"
    padded += bytes(-len(padded) % _BLOCK)
    armour = b64encode(AESSIV(key).encrypt(padded, [SIV.encode(), name.encode()]))
    lines = [armour[at : at + _LINE] for at in range(0, len(armour), _LINE)]
    return b"\n".join([_BEGIN, *lines, _END, b""])


def unseal(key: bytes, name: str, sealed: bytes) -> bytes:
    """Return what was sealed; raise `CannotOpen` if it is not exactly what `seal` made under this name."""
    lines = sealed.split()
    begin, end = _BEGIN.split(), _END.split()
    if lines[: len(begin)] != begin or lines[-len(end) :] != end:
        raise CannotOpen(f"{name}: not a text sealed as {SIV}: it must begin with {_BEGIN.decode()}")
    try:
        raw = b64decode(b"".join(lines[len(begin) : -len(end)]), validate=True)
        padded = AESSIV(key).decrypt(raw, [SIV.encode(), name.encode()])
    except (ValueError, InvalidTag):
        raise CannotOpen(f"{name}: was altered, or sealed under another name or with another key") from None
    return padded.rstrip(b"\0")[:-1]


def commitment(secret: bytes) -> str:
    """Return the digest by which a secret is promised before the game, as hex.

    The label keeps it apart from the links of a dice chain: publishing the commitment of a chain's secret
    by mistake must not open its last link.
    """
    return sha256(b"pbem commitment v1:" + secret).hexdigest()


# ---------------------------------------------------------------------------------------------- the keys


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one game: `chain` is what its dice chain is made from, `hidden` what seals and shuffles."""

    game: str
    chain: bytes = field(repr=False)
    hidden: bytes = field(repr=False)
    length: int = LENGTH
    scheme: str = SCHEME

    @classmethod
    def create(
        cls, folder: Path, game: str, *, chain: bytes | None = None, hidden: bytes | None = None, length: int = LENGTH
    ) -> Keys:
        """Write the secrets of a new game, drawn at random unless they are given, and return them."""
        keys = cls(game, chain or secrets.token_bytes(32), hidden or secrets.token_bytes(32), length)
        path = _path(folder, game)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_open(folder)
        if path.exists():
            raise _in_the_way(path)
        draft = folder / f"{path.name}.{os.getpid()}.tmp"
        try:
            write({draft: keys._text()}, mode=0o600)
            os.link(draft, path)  # unlike a rename, never takes the place of another file
        except FileExistsError:
            raise _in_the_way(path) from None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft)
        sync_folder(folder)
        return keys

    @classmethod
    def load(cls, folder: Path, game: str) -> Keys:
        """Read the secrets of a game."""
        path = _path(folder, game)
        try:
            _refuse_open(folder)
            _refuse_open(path)
            text = path.read_text("utf-8")
        except FileNotFoundError:
            raise BadKeys(f"the secrets of {game} are not there: {path} is missing") from None
        except (OSError, UnicodeDecodeError) as wrong:
            raise BadKeys(f"the secrets of {game} cannot be read: {path}: {wrong}") from None
        words = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith("#"))
        try:
            keys = cls(
                words["game"],
                bytes.fromhex(words["chain"]),
                bytes.fromhex(words["hidden"]),
                int(words["length"]),
                words["scheme"],
            )
        except (KeyError, ValueError):
            raise BadKeys(f"{path} is damaged: game, scheme, length, chain and hidden must be there") from None
        if keys.game != game:
            raise BadKeys(f"{path} holds the secrets of {keys.game}, not of {game}")
        if keys.scheme != SCHEME:
            raise BadKeys(f"{path}: dice scheme {keys.scheme} is not known; this version knows {SCHEME}")
        return keys

    def sealing_key(self) -> bytes:
        """Return the key that seals this game's files."""
        return sealing_key(self.hidden, self.game)

    def _text(self) -> bytes:
        return (
            f"# The secrets of the game {self.game}. Who reads this file knows every hand and every coming roll.\n"
            f"# Without it the game cannot go on: keep a copy in a safe place.\n"
            f"game: {self.game}\n"
            f"scheme: {self.scheme}\n"
            f"length: {self.length}\n"
            f"chain: {self.chain.hex()}\n"
            f"hidden: {self.hidden.hex()}\n"
        ).encode()


def _path(folder: Path, game: str) -> Path:
    if not GAME_NAME.fullmatch(game):
        raise BadKeys(f"{game!r} cannot name a game: use 1 to 64 of a-z, 0-9, '_', '-' and '.', not '.' or '-' first")
    return folder / f"{game}.yaml"


def _in_the_way(path: Path) -> BadKeys:
    return BadKeys(f"{path} exists; secrets are never overwritten, for a game could not go on without its own")


def _refuse_open(path: Path) -> None:
    """Raise `BadKeys` if anybody but the owner may read or write a file or folder."""
    mode = path.stat().st_mode
    if mode & 0o077:
        right = "700" if path.is_dir() else "600"
        raise BadKeys(f"{path} is open to others (mode {mode & 0o777:o}); close it with: chmod {right} {path}")
