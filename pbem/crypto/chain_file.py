"""A player's chain as a file on their machine: made once, promised by its tip, opened link by link."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from pbem.atomic import sync_folder, write, write_new
from pbem.crypto.dice import SCHEME, Chain
from pbem.crypto.player_chains import LOST, MOST_LINKS
from pbem.protocol import PbemError

LENGTH: Final = 500
"""The number of sheets that a chain is good for, unless its owner says otherwise."""


class BadChainFile(PbemError):
    """The file of a player's chain is missing, damaged, used up, or would be overwritten."""


@dataclass(frozen=True, slots=True)
class MyChain:
    """A player's chain; `opened` counts the links that have been written into sheets."""

    secret: bytes = field(repr=False)
    length: int
    opened: int = 0

    @property
    def promise(self) -> str:
        """The line to mail before the first shuffle."""
        return f"CHAIN {Chain(self.secret, self.length).tip} {self.length}"

    def link(self, number: int) -> str:
        """Return a link as hex. Raises BadChainFile for one that the chain does not have."""
        if not 1 <= number <= self.length:
            raise BadChainFile(
                f"this chain has {self.length} links; there is no link {number}. When all are opened, "
                f"'link: {LOST}' in a sheet ends the chain"
            )
        return Chain(self.secret, self.length).link(number)


def new_chain(path: Path, length: int = LENGTH) -> MyChain:
    """Write a new chain into a file that nobody else can read, and return it. Raises BadChainFile."""
    if not 1 <= length <= MOST_LINKS:
        raise BadChainFile(f"a chain has 1 to {MOST_LINKS} links, not {length}")
    made = MyChain(secrets.token_bytes(32), length)
    try:
        write_new(path, _as_file(made))
    except FileExistsError:
        raise BadChainFile(f"{path} exists; a chain is never overwritten, for a game may need it") from None
    return made


def load_chain(path: Path) -> MyChain:
    """Read a chain from its file. Raises BadChainFile."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise BadChainFile(f"{path} is not there; `pbem my-chain new {path}` makes a new chain") from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise BadChainFile(f"{path} cannot be read: {wrong}") from None
    words = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith("#"))
    try:
        found = MyChain(bytes.fromhex(words["secret"]), int(words["length"]), int(words["opened"]))
    except (KeyError, ValueError):
        raise BadChainFile(f"{path} is damaged: scheme, length, secret and opened must be there") from None
    if words.get("scheme") != SCHEME:
        raise BadChainFile(f"{path} is of the scheme {words.get('scheme')}; this version knows {SCHEME}")
    if len(found.secret) != 32 or not 1 <= found.length <= MOST_LINKS or not 0 <= found.opened <= found.length:
        raise BadChainFile(f"{path} is damaged: its secret has 32 bytes, its length is 1 to {MOST_LINKS}")
    return found


class NextLink(NamedTuple):
    """A link to write into a sheet: its number, its hex, and whether it was printed before."""

    number: int
    link: str
    given_before: bool


def open_next(path: Path, after: int | None = None) -> NextLink:
    """Return the next link of the chain in a file, and count it there.

    `after` is the number of links that the referee has, if the file has lost count. Raises BadChainFile.
    """
    chain = load_chain(path)
    number = (chain.opened if after is None else after) + 1
    link = chain.link(number)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    write({draft: _as_file(replace(chain, opened=max(number, chain.opened)))}, mode=0o600)
    os.replace(draft, path)
    sync_folder(path.parent)
    return NextLink(number, link, number <= chain.opened)


def _as_file(chain: MyChain) -> bytes:
    return (
        "# A dice chain of your own, for one game. Who reads this file knows what your sheets will open.\n"
        "# Without it you can open no more links: keep a copy in a safe place.\n"
        f"scheme: {SCHEME}\n"
        f"length: {chain.length}\n"
        f"secret: {chain.secret.hex()}\n"
        f"opened: {chain.opened}\n"
    ).encode()
