"""Files that outlive a crash. A new name lasts once its folder is synced too, so: write, rename, `sync_folder`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def write(files: Mapping[Path, bytes], mode: int = 0o644) -> None:
    """Write files, over what they held, and sync them. The disk is set to work on all before any is waited for."""
    with ExitStack() as opened:
        fds = []
        for path, content in files.items():
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
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


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let what goes wrong with an open file say which file it is; the system knows only its number."""
    try:
        yield
    except OSError as wrong:
        wrong.filename = wrong.filename or str(path)
        raise


def sync_folder(path: Path) -> None:
    """Make the names in a folder last."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with naming(path):
            os.fsync(fd)
    finally:
        os.close(fd)
