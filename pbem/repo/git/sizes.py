"""The sizes of the objects of a repo, looked at before anything is read: a stranger's clone may hold anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.repo.git.formats import FOLDER
from pbem.repo.git.objects import Objects, StoreError


def require_small(objects: Objects, head: Callable[[], bytes]) -> None:
    """Raise TooLarge, which names the file, if an object of a repo is too large to be read.

    `head` returns the commit to look for names from; it may raise StoreError.
    """
    huge = objects.too_large()
    if huge is not None:
        oid = bytes.fromhex(huge.found.oid)
        path = next((path for path, each in _paths(objects, head()) if each == oid), None)
        raise huge if path is None else huge.named(path)


def _paths(objects: Objects, head: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and id of every file and folder of every commit, each folder once; what cannot be read is skipped."""
    seen: set[bytes] = set()
    commit: bytes | None = head
    while commit is not None:
        try:
            found = objects.commit(commit)
        except StoreError:
            return
        folders = [("", found.tree)]
        while folders:
            folder, oid = folders.pop()
            if oid in seen:
                continue
            seen.add(oid)
            try:
                entries = objects.tree(oid)
            except (StoreError, ValueError):
                continue
            for name, entry in entries.items():
                yield f"{folder}{name}", entry.oid
                if entry.mode == FOLDER:
                    folders.append((f"{folder}{name}/", entry.oid))
        commit = found.parent
