"""Opens the whole history of a game that is over into a folder of readable files, with nothing but its repo.

The secrets stand in `revealed.yaml`, so a clone from anywhere will do. What is written:

```
game.yaml  position.yaml  joined/  requests/  turns/000/0042.yaml    as they are in the repo
turns/000/0042.whole.yaml      the sealed record beside a turn file: answers, events with their readers, hidden draws
sheets/<side>/000/0017.yaml    each sheet, as it was received
standing/<side>/0003.yaml      a side's standing orders, each version of them
state.yaml                     what the game was resumed from last
```

Left sealed are the players' addresses, whose key is never published, and what was sealed to a side's own key, which
holds nothing that is not in the records. The notes of letters are left out: they say only that a letter came.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pbem import plain, yamlio
from pbem.charter import Charter, Revealed
from pbem.ledger import CHARTER, PLAYERS, REVEALED, STATE
from pbem.open_game import CannotPlay
from pbem.seal import unseal
from pbem.store.past import PastRepo
from pbem.store.paths import parts

_LETTERS: Final = "letters/"
_KNOWN: Final = "known/"
_STANDING: Final = "standing/"
_SHEETS: Final = "sheets/"
_SEALED: Final = ".age"


@dataclass(slots=True)
class Opened:
    """What came of it: the game, the folder, how many files were written, and which stay sealed for ever."""

    game: str
    folder: Path
    files: int = 0
    sealed: list[str] = field(default_factory=list)


def open_history(path: Path, folder: Path) -> Opened:
    """Open the history of the game whose repo lies at a path into a new or empty folder.

    Raises CannotPlay if the game has not been revealed or the folder is in use, CannotOpen if a file was not sealed
    to its key, StoreError if the repo cannot be read.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CannotPlay(f"{folder} is not empty; name another folder")
    with PastRepo(path) as repo:
        versions = _versions(repo)
        game, identity = _game(repo, versions, path), _identity(repo, versions)
        opened = Opened(game, folder)
        # Beside it first, so that what breaks on the way leaves no half of a history that looks like a whole one.
        draft = folder.absolute().with_name(f".{folder.absolute().name}.opening")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            for where, content in _contents(repo, versions, identity, opened.sealed):
                target = draft.joinpath(*parts(where))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                opened.files += 1
            if folder.exists():
                folder.rmdir()
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return opened


def _versions(repo: PastRepo) -> dict[str, list[bytes]]:
    """Return what names each content that a file has had, the first first."""
    versions: dict[str, list[bytes]] = {}
    for commit in repo.commits():
        for change in commit.changes:
            if change.new is not None:
                versions.setdefault(change.path, []).append(change.new)
    return versions


def _contents(
    repo: PastRepo, versions: dict[str, list[bytes]], identity: str, left: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield where each readable file goes, and what is in it; note in `left` what stays sealed."""
    for path, oids in sorted(versions.items()):
        if path.startswith(_LETTERS):
            continue
        if not path.endswith(_SEALED):
            yield path, repo.blob(oids[-1])
        elif path == PLAYERS or path.startswith(_KNOWN):
            left.append(path)
        elif path.startswith(_SHEETS):
            yield path.removesuffix(_SEALED) + ".yaml", unseal(identity, path, repo.blob(oids[-1]))
        elif path.startswith(_STANDING):
            for number, oid in enumerate(oids, 1):
                yield f"{path.removesuffix(_SEALED)}/{number:04}.yaml", _readable(identity, path, repo.blob(oid))
        else:
            where = "state.yaml" if path == STATE else path.removesuffix(_SEALED) + ".whole.yaml"
            yield where, _readable(identity, path, repo.blob(oids[-1]))


def _readable(identity: str, path: str, sealed: bytes) -> bytes:
    content: Any = json.loads(unseal(identity, path, sealed))
    return yamlio.dump(content).encode()


def _game(repo: PastRepo, versions: dict[str, list[bytes]], path: Path) -> str:
    if CHARTER not in versions:
        raise CannotPlay(f"{path} holds no game: it has no {CHARTER}")
    charter = plain.decode(Charter, yamlio.read(repo.blob(versions[CHARTER][-1]), name=CHARTER).value)
    return charter.game


def _identity(repo: PastRepo, versions: dict[str, list[bytes]]) -> str:
    if REVEALED not in versions:
        raise CannotPlay(
            "its secrets are not published: that is done when the game is over, and `pbem reveal` says how"
        )
    revealed = plain.decode(Revealed, yamlio.read(repo.blob(versions[REVEALED][-1]), name=REVEALED).value)
    return revealed.identity
