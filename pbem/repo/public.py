"""The public part of a game, read and copied without any key, from a running game or from a clone.

A clone for observers is a mirror of the game's main branch, commit by commit, because a changed commit would no longer
be signed. So only encryption keeps private what must stay private. Hands, sheets and standing orders are sealed to a
key that is published when the game is over. The players' addresses are sealed to a key that is never published
(`pbem.crypto.keys`: `office`). The secrets that make the dice are not in the repo at all.

Whatever else lies in the folder of the repo, such as locks, unfinished packs or unused objects, is not copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.boxes.box_file import SUFFIX, Correction, Corrections
from pbem.protocol import Record
from pbem.repo.files.charter import Charter, Revealed, check_format, read_charter
from pbem.repo.files.layout import BOX, CHARTER, POSITION, REVEALED, Store, box_path, turn_path
from pbem.repo.git import GameRepo, NoSuchGame, StoreError
from pbem.repo.git.mirror import mirror


@dataclass(frozen=True, slots=True)
class Page:
    """A published file: its content, and the digest of its bytes as hex."""

    value: Record
    digest: str

    @property
    def whole(self) -> dict[str, object]:
        """The content, with the digest under `sha256`."""
        return {**self.value, "sha256": self.digest}


@dataclass(frozen=True, slots=True)
class Published:
    """The charter of a game and all its turn files."""

    charter: Page
    turns: list[Page]


def published(path: Path) -> Published:
    """Return the public part of the game at a path. Raises StoreError if there is none that is read here."""
    with GameRepo.open(path) as repo:
        charter = _charter_page(repo)
        check_format(charter.value)
        return Published(charter, list(_turn_pages(repo)))


def repo_of(games: Path, name: str) -> Path:
    """Return where the repo of a game lies: a name in the folder of games, or the path of a clone, bare or not."""
    clone = Path(name).absolute()  # of "." the name is empty
    for path in (games / f"{name}.git", clone / ".git", clone, clone.parent / f"{clone.name}.git"):
        if (path / "HEAD").is_file():
            return path
    return games / f"{name}.git"


def charter_in(repo: GameRepo) -> Charter:
    """Return the charter of the game in a repo. Raises NoSuchGame if there is none, StoreError if it is damaged."""
    try:
        return read_charter(_charter_page(repo).value)
    except (ValueError, TypeError, KeyError) as wrong:
        raise StoreError(f"{repo.path}: {CHARTER} is damaged: {wrong}") from None


def corrections_in(repo: Store) -> dict[str, Correction]:
    """Return the corrected files of the box that a game keeps in its repo."""
    folders = [BOX.rstrip("/")]
    paths: list[str] = []
    for folder in folders:
        for name in repo.listdir(folder):
            (paths if name.endswith(SUFFIX) else folders).append(f"{folder}/{name}")
    return corrections_of((path, repo.read(path) or b"") for path in paths)


def corrections_of(files: Iterable[tuple[str, bytes]]) -> dict[str, Correction]:
    """Return the corrections that files of a game's repo hold, given by path and content."""
    return {path.removeprefix(BOX).removesuffix(SUFFIX): Correction(path, content) for path, content in files}


def as_files(corrections: Corrections) -> dict[str, bytes]:
    """Return the files in which a game keeps corrections in its repo."""
    return {box_path(name): each.text for name, each in corrections.items()}


def revealed_in(repo: GameRepo) -> Revealed | None:
    """Return the secrets that a game has published; None: not yet. Raises StoreError if their file is damaged."""
    page = _page(repo, REVEALED)
    try:
        return None if page is None else plain.decode(Revealed, page.value)
    except (ValueError, TypeError, KeyError) as wrong:
        raise StoreError(f"{repo.path}: {REVEALED} is damaged: {wrong}") from None


def position_in(repo: GameRepo) -> Record:
    """Return the position as an observer may know it; empty before the first adjudication."""
    page = _page(repo, POSITION)
    return {} if page is None else page.value


def last_turn(repo: GameRepo) -> Record:
    """Return the last turn file; empty before the first."""
    last: Record = {}
    for page in _turn_pages(repo):
        last = page.value
    return last


def _charter_page(repo: GameRepo) -> Page:
    page = _page(repo, CHARTER)
    if page is None:
        raise NoSuchGame(f"{repo.path} holds no game: it has no {CHARTER}")
    return page


def _turn_pages(repo: GameRepo) -> Iterator[Page]:
    n = 1
    while (page := _page(repo, turn_path(n))) is not None:
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


# ---------------------------------------------------------------------------------------------- for observers


@dataclass(frozen=True, slots=True)
class Publication:
    """The result of publishing: the game, the folder of the clone, the number of new commits, and the last one."""

    game: str
    folder: Path
    commits: int
    head: str


def publish_game(repo: GameRepo, folder: Path) -> Publication:
    """Make a bare clone of a game for observers, or update an earlier one.

    No key is needed. Raises StoreError if `repo` is no game or anything stands in the way at `folder`.
    """
    game = charter_in(repo).game
    commits = mirror(repo, folder)
    with GameRepo.open(folder) as clone:
        return Publication(game, folder.absolute(), commits, clone.head)
