"""The mirror: a bare repo with the main branch of a game, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from pbem.atomic import rename_folder, sync_folder
from pbem.repo.git import REF, GameRepo, NoSuchGame, StoreError, lay_out
from pbem.repo.git.objects import ENVIRONMENT

_SETTINGS: Final = ("-c", "fetch.unpackLimit=1", "-c", "fetch.fsckObjects=true", "-c", "core.fsync=all")
_SPARE: Final = ("--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", "--no-recurse-submodules")
_FETCH: Final = (*_SETTINGS, "fetch", "--quiet", *_SPARE)


class InTheWay(StoreError):
    """The folder for a mirror holds something that is no earlier mirror of the same game."""


def mirror(repo: GameRepo, folder: Path) -> int:
    """Update a bare repo at `folder` to a game's main branch; return the number of new commits.

    It is made, whole or not at all, if there is nothing or an empty folder. Raises InTheWay where it is no earlier
    state of the same game: what lies there is then left as it is.
    """
    repo.require_small()
    folder = folder.absolute()
    at = _mirrored(folder) if os.path.lexists(folder) and not _is_empty(folder) else None
    history = [commit.sha for commit in repo.history()]
    if at is not None:
        if os.path.samefile(folder, repo.path):
            raise InTheWay(f"{folder} is the game itself")
        if at not in history:
            raise InTheWay(f"{folder} holds another repo than {repo.path.stem}, or one that went its own way")
        _fetch(repo, folder)
        return history.index(at)
    os.makedirs(folder.parent, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        lay_out(draft)
        _fetch(repo, draft)
        rename_folder(draft, folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    sync_folder(folder.parent)
    return len(history)


def _mirrored(folder: Path) -> str:
    """Return the commit of an earlier mirror."""
    try:
        with GameRepo.open(folder) as repo:
            return repo.head
    except (NoSuchGame, StoreError, OSError):
        raise InTheWay(f"{folder} is there already and is no repo of a game") from None


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _fetch(repo: GameRepo, folder: Path) -> None:
    """Fetch the main branch, and write what a web server needs to serve the mirror as plain files."""
    from git.cmd import Git
    from git.exc import GitCommandError

    git = Git(folder)
    git.update_environment(**{**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "file", "GIT_DIR": str(folder)})
    try:
        git.execute(["git", *_FETCH, str(repo.path), f"{REF}:{REF}"])
        git.execute(["git", "update-server-info"])
    except GitCommandError as wrong:
        raise StoreError(f"{folder} cannot be brought level with {repo.path}: {wrong.stderr.strip()}") from None
