"""The secrets of a game, outside its repo: one file for each game in the key store, which nobody else can read.

`chain` is what the dice chains are made from; it is never revealed, and the key that signs the commits comes from it.
`hidden` orders what is shuffled, and salts. `identity` opens the sealed files. Both are revealed when the game is over.
`office` opens the players' addresses and is never revealed.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from pbem.atomic import write_new
from pbem.crypto.dice import LENGTH, SCHEME
from pbem.crypto.seal import new_identity, recipient_of
from pbem.paths import GAME_NAME
from pbem.protocol import PbemError

_MODES_TELL: Final = os.name == "posix"
"""Whether a mode says who may read a file: on Windows it does not, and every file seems open to all."""
_WORDS: Final = ("game", "scheme", "length", "chain", "hidden", "identity", "office")


class BadKeys(PbemError):
    """A game's secrets are missing, unreadable, open to others, or would be overwritten."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The random parts of a game's secrets."""

    chain: bytes = field(repr=False)
    hidden: bytes = field(repr=False)
    identity: str = field(repr=False)
    office: str = field(repr=False)

    @classmethod
    def drawn(cls) -> Secrets:
        """Return new ones, drawn at random."""
        return cls(secrets.token_bytes(32), secrets.token_bytes(32), new_identity(), new_identity())


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one game."""

    game: str
    secrets: Secrets
    length: int = LENGTH
    scheme: str = SCHEME

    @property
    def chain(self) -> bytes:
        """The secret of the dice chains."""
        return self.secrets.chain

    @property
    def hidden(self) -> bytes:
        """The secret of shuffles and salts."""
        return self.secrets.hidden

    @property
    def identity(self) -> str:
        """The key that opens the sealed files."""
        return self.secrets.identity

    @property
    def office(self) -> str:
        """The key that opens the players' addresses."""
        return self.secrets.office

    @property
    def signing(self) -> bytes:
        """The seed of the key that signs the commits."""
        return hmac.digest(self.chain, b"pbem signing v1", "sha256")

    @classmethod
    def create(cls, folder: Path, game: str, given: Secrets | None = None, *, length: int = LENGTH) -> Keys:
        """Write the secrets of a new game, drawn at random unless they are given, and return them."""
        keys = cls(game, given or Secrets.drawn(), length)
        keys.write(folder)
        return keys

    def write(self, folder: Path) -> Path:
        """Write the secrets into a key store and return their file. Raises BadKeys if there are some already."""
        path = key_file(folder, self.game)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_open(folder)
        if path.exists():
            raise _in_the_way(path)
        try:
            write_new(path, self.text())
        except FileExistsError:
            raise _in_the_way(path) from None
        return path

    @classmethod
    def load(cls, folder: Path, game: str) -> Keys:
        """Read the secrets of a game."""
        path = key_file(folder, game)
        try:
            _refuse_open(folder)
            _refuse_open(path)
            text = path.read_text("utf-8")
        except FileNotFoundError:
            raise BadKeys(
                f"the secrets of {game} are not there: {path} is missing. Bring them back from a backup "
                f"(`pbem keys restore FILE`), or let PBEM_KEYS name the folder where they are"
            ) from None
        except (OSError, UnicodeDecodeError) as wrong:
            raise BadKeys(f"the secrets of {game} cannot be read: {path}: {wrong}") from None
        keys = cls.read(text, str(path))
        if keys.game != game:
            raise BadKeys(f"{path} holds the secrets of {keys.game}, not of {game}")
        return keys

    @classmethod
    def read(cls, text: str, name: str) -> Keys:
        """Return the secrets that `text` wrote; `name` is what a complaint calls it. Raises BadKeys."""
        words = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith("#"))
        try:
            drawn = Secrets(
                bytes.fromhex(words["chain"]), bytes.fromhex(words["hidden"]), words["identity"], words["office"]
            )
            keys = cls(words["game"], drawn, int(words["length"]), words["scheme"])
            recipient_of(keys.identity), recipient_of(keys.office)
        except (KeyError, ValueError):
            raise BadKeys(f"{name} is damaged: {', '.join(_WORDS)} must be there") from None
        if keys.scheme != SCHEME:
            raise BadKeys(f"{name}: dice scheme {keys.scheme} is not known; this version knows {SCHEME}")
        return keys

    def text(self) -> bytes:
        """Return the secrets as their file has them."""
        kept = {"game": self.game, "scheme": self.scheme, "length": self.length}
        drawn = {each.name: getattr(self.secrets, each.name) for each in fields(Secrets)}
        lines = [
            f"# The secrets of the game {self.game}. Who reads this file knows every hand and every coming roll.",
            "# Without it the game cannot go on: keep a copy in a safe place.",
            *(f"{word}: {value}" for word, value in kept.items()),
            *(f"{word}: {value.hex() if isinstance(value, bytes) else value}" for word, value in drawn.items()),
        ]
        return ("\n".join(lines) + "\n").encode()


def key_file(folder: Path, game: str) -> Path:
    """Return the file of a game's secrets in a key store. Raises BadKeys for what cannot name a game."""
    if not GAME_NAME.fullmatch(game):
        raise BadKeys(f"{game!r} cannot name a game: use 1 to 64 of a-z, 0-9, '_', '-' and '.', not '.' or '-' first")
    return folder / f"{game}.yaml"


def _in_the_way(path: Path) -> BadKeys:
    return BadKeys(f"{path} exists; secrets are never overwritten, for a game could not go on without its own")


def _refuse_open(path: Path) -> None:
    """Raise `BadKeys` if anybody but the owner may read or write a file or folder."""
    mode = path.stat().st_mode
    if mode & 0o077 and _MODES_TELL:
        right = "700" if path.is_dir() else "600"
        raise BadKeys(f"{path} is open to others (mode {mode & 0o777:o}); close it with: chmod {right} {path}")
