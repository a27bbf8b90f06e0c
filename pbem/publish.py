"""Publishes a running game: a bare clone for spectators, which verifies as the game itself does.

It is a mirror of the game's main branch, commit by commit, for a commit that was changed would no longer be signed.
So what must stay private can only be kept so by what it is sealed to. The hands, the sheets, the plans are sealed to a
key that is published when the game is over. The players' addresses are in it as well, but sealed to a key that never
is (`pbem.keys`: `office`). The secrets that make the dice are not in it at all.

What lies in the game's repo beside main, such as locks, packs half written or objects that no commit names, stays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbem import plain, yamlio
from pbem.charter import Charter
from pbem.published import CHARTER
from pbem.store import GameRepo, StoreError
from pbem.store.mirror import mirror


@dataclass(frozen=True, slots=True)
class Publication:
    """What came of it: the game, where its clone stands, how many commits are new there, and the last of them."""

    game: str
    folder: Path
    commits: int
    head: str


def publish(repo: GameRepo, folder: Path) -> Publication:
    """Make a bare clone of a game for spectators, or bring one that was made before up to date.

    No key is needed. Raises StoreError if `repo` is no game or anything stands in the way at `folder`.
    """
    charter = repo.read(CHARTER)
    if charter is None:
        raise StoreError(f"{repo.path} holds no game: it has no {CHARTER}")
    game = plain.decode(Charter, yamlio.read(charter, name=CHARTER).value).game
    commits = mirror(repo, folder)
    with GameRepo.open(folder) as published:
        return Publication(game, folder.absolute(), commits, published.head)
