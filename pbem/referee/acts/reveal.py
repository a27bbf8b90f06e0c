"""The reveal: publishes the secrets of a finished game, and opens its history into a folder of readable files.

The adjudication that ends a game publishes the secrets itself; if it could not, `reveal_secrets` does. Opening needs
only the repo, because the secrets stand in `revealed.yaml`: a clone from anywhere will do. What is written:

```
game.yaml  position.yaml  joined/  requests/  turns/        what is in clear, as it is in the repo
turns/000/0042.act.yaml        what the game master did out of sight
sheets/<side>/000/0017.yaml    each sheet, as it was received
standing/<side>/0003.yaml      a side's standing orders, each version of them
press/0003.yaml                what players said and showed, as far as it is opened, each version of it
state/0002.yaml                a state from which the game is resumed, each that was committed
```

Left sealed are the players' addresses and the talk that is never opened, whose key is never published, and what was
sealed to a side's own key, which holds nothing that is not in the records. The notes of letters are left out: they say
only that a letter came.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pbem.crypto.seal import open_padded, unseal
from pbem.game import yaml as yamlio
from pbem.protocol import Plain
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import (
    LETTERS,
    OFFICE,
    PRESS,
    REVEALED,
    SEALED,
    SHEETS,
    STANDING,
    STATE,
    VIEWS,
)
from pbem.repo.git import GameRepo
from pbem.repo.git.formats import path_parts
from pbem.repo.git.history import PastRepo
from pbem.repo.ledger import read_committed
from pbem.repo.public import charter_in, revealed_in


@dataclass(slots=True)
class OpenedHistory:
    """The result of opening a history: the game, the folder, the number of files, and those that stay sealed."""

    game: str
    folder: Path
    files: int = 0
    sealed: list[str] = field(default_factory=list)


def reveal_secrets(game: Adjudicator) -> bool:
    """Publish the secrets of a game, and return whether they were not published before.

    Raises CannotPlay if the game is still in play: its secrets would tell every hand.
    """
    with game.lock():
        if game.result is None:
            raise CannotPlay(
                f"{game.name} goes on, and its secrets would tell every hand. One that nobody plays on is broken off "
                f"with: pbem ruling {game.name} --end --reason TEXT"
            )
        if game.ledger.repo.read(REVEALED) is not None:
            return False
        game.ledger.commit(game.ledger.revealed_files(), f"{game.name}: its secrets are published")
        return True


def open_history(path: Path, folder: Path) -> OpenedHistory:
    """Open the history of the game whose repo lies at a path into a new or empty folder.

    Raises CannotPlay if the game has not been revealed or the folder is in use, CannotOpen if a file was not sealed to
    its key, StoreError if the repo cannot be read.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CannotPlay(f"{folder} is not empty; name another folder")
    with PastRepo(path) as repo:
        with GameRepo.open(repo.path) as told:
            game, revealed = charter_in(told).game, revealed_in(told)
        if revealed is None:
            raise CannotPlay(
                "its secrets are not published: that is done when the game is over, and `pbem reveal` says how"
            )
        versions = _versions(repo)
        opened = OpenedHistory(game, folder)
        # Written beside it first, so that a failure leaves no half of a history that looks like a whole one.
        draft = folder.absolute().with_name(f".{folder.absolute().name}.opening")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            for where, content in _contents(repo, versions, revealed.identity, opened.sealed):
                target = draft.joinpath(*path_parts(where))
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
    """Return the ids of all contents of each file, the oldest first."""
    versions: dict[str, list[bytes]] = {}
    for commit in repo.commits():
        for change in commit.changes:
            if change.new is not None:
                versions.setdefault(change.path, []).append(change.new)
    return versions


def _contents(
    repo: PastRepo, versions: dict[str, list[bytes]], identity: str, left: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each readable file; add to `left` what stays sealed."""
    for path, oids in sorted(versions.items()):
        if path.startswith(LETTERS):
            continue
        if not path.endswith(SEALED):
            yield path, repo.blob(oids[-1])
        elif path in OFFICE or path.startswith(VIEWS):
            left.append(path)
        elif path.startswith(SHEETS):
            yield path.removesuffix(SEALED) + ".yaml", unseal(identity, path, repo.blob(oids[-1]))
        elif path == PRESS or path.startswith(STANDING):
            where = path.removesuffix(SEALED) if path != PRESS else "press"
            for number, oid in enumerate(oids, 1):
                yield f"{where}/{number:04}.yaml", _readable(identity, path, repo.blob(oid))
        elif path == STATE:
            for number, oid in enumerate(oids, 1):
                state = read_committed(open_padded(identity, path, repo.blob(oid)))
                yield f"state/{number:04}.yaml", yamlio.dump(state._asdict()).encode()
        else:
            yield path.removesuffix(SEALED) + ".act.yaml", _readable(identity, path, repo.blob(oids[-1]))


def _readable(identity: str, path: str, sealed: bytes) -> bytes:
    content: Plain = json.loads(unseal(identity, path, sealed))
    return yamlio.dump(content).encode()
