"""Atomic writes: files that survive a crash. Write the file, rename it, then sync its folder, so that the name lasts.

Windows has no way to sync a folder, and refuses some renames that other systems allow; both is seen to here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
"""What keeps Windows from turning line ends into its own."""
_FOLDER: Final[int | None] = getattr(os, "O_DIRECTORY", None)
"""What opens a folder; None: the system cannot."""


def write(files: Mapping[Path, bytes], mode: int = 0o644) -> None:
    """Write files, over what they held, and sync them. The disk is set to work on all before any is waited for."""
    with ExitStack() as opened:
        fds = []
        for path, content in files.items():
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, mode)
            opened.callback(os.close, fd)
            fds.append(fd)
            with naming(path):
                while content:
                    content = content[os.write(fd, content) :]
        if len(fds) > 1 and hasattr(os, "posix_fadvise"):
            for fd in fds:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        for path, fd in zip(files, fds, strict=True):
            with naming(path):
                os.fsync(fd)


def write_new(path: Path, content: bytes) -> None:
    """Write a file for its owner alone, whole or not at all. Raises FileExistsError if one of its name is there."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write({draft: content}, mode=0o600)
        os.link(draft, path)  # unlike a rename, never takes the place of another file
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)
    sync_folder(path.parent)


def rename_folder(draft: Path, folder: Path) -> None:
    """Give a folder its name, which an empty folder may bear already."""
    try:
        os.rename(draft, folder)
    except FileExistsError:  # on Windows; elsewhere a rename takes the place of an empty folder
        os.rmdir(folder)
        os.rename(draft, folder)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let what goes wrong with an open file say which file it is; the system knows only its number."""
    try:
        yield
    except OSError as wrong:
        wrong.filename = wrong.filename or str(path)
        raise


def sync_folder(path: Path) -> None:
    """Make the names in a folder last, where the system has a way to."""
    if _FOLDER is None:
        return
    fd = os.open(path, os.O_RDONLY | _FOLDER)
    try:
        with naming(path):
            os.fsync(fd)
    finally:
        os.close(fd)
