"""What a game's repo publishes, read without any key: the charter and the turn files, of a live game or of a clone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pbem import yamlio
from pbem.store import GameRepo, NoSuchGame, StoreError, numbered

CHARTER: Final = "game.yaml"


@dataclass(frozen=True, slots=True)
class Page:
    """A published file: what it says, and the digest of its bytes as hex."""

    value: Mapping[str, Any]
    digest: str

    @property
    def whole(self) -> dict[str, Any]:
        """What it says, and its digest under the word `sha256`."""
        return {**self.value, "sha256": self.digest}


@dataclass(frozen=True, slots=True)
class Published:
    """The charter of a game and all its turn files."""

    charter: Page
    turns: list[Page]


def published(path: Path) -> Published:
    """Return what the repo at a path publishes. Raises StoreError if it is no game, or a file cannot be read."""
    with GameRepo.open(path) as repo:
        charter = _page(repo, CHARTER)
        if charter is None:
            raise NoSuchGame(f"{path} holds no game: it has no {CHARTER}")
        return Published(charter, list(_turns(repo)))


def _turns(repo: GameRepo) -> Iterator[Page]:
    n = 1
    while (page := _page(repo, numbered("turns", n))) is not None:
        yield page
        n += 1


def _page(repo: GameRepo, path: str) -> Page | None:
    raw = repo.read(path)
    if raw is None:
        return None
    try:
        value = yamlio.read(raw, name=path).value
    except yamlio.Unreadable as wrong:
        raise StoreError(f"{repo.path}: {wrong}") from None
    if not isinstance(value, dict):
        raise StoreError(f"{repo.path}: {path} says nothing by name")
    return Page(value, sha256(raw).hexdigest())
