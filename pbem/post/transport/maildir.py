"""Maildirs: one that letters arrive in, and one that letters are put into for something else to send.

In a maildir that letters arrive in, other programs may rename the files, to set flags. So a letter is known by what
comes before the colon of its file's name.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.mail.notes.outboxes import write_to_maildir
from pbem.mail.read.mime import Headers
from pbem.post.settings import MaildirIn, MaildirOut
from pbem.post.transport.base import Accepted, Arrived, Delivery, Gone, Sender, Source, Unreachable

_FOLDERS: Final = ("new", "cur")
_POLL_FOLDER: Final = 0.5
"""Seconds between two looks at the folder."""
_LONGEST_HEAD: Final = 1024 * 1024
_SEEN_FLAG: Final = "S"


class MaildirSource(Source):
    """A maildir that letters arrive in."""

    def __init__(self, config: MaildirIn) -> None:
        self.folder = config.folder
        self.name = str(config.folder)
        self._done = config.done
        self._source = f"maildir:{config.folder.absolute()}"
        self._files: dict[str, Path] = {}
        """Where the letters were when we last looked, by what they are known by."""
        self._changed = 0

    def holds(self, source: str) -> bool:
        return source == self._source

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        with self._readable():
            self._changed = self._last_change()
            self._look()
            found = [(uid, status) for uid, path in self._files.items() if (status := _status(path)) is not None]
        for uid, status in sorted(found, key=lambda each: (each[1].st_mtime_ns, each[0])):
            if not known(self._source, uid):
                at = datetime.fromtimestamp(status.st_mtime, UTC)
                yield Arrived(self._source, uid, status.st_size, at)

    def head(self, letter: Arrived) -> bytes:
        with self._readable(), self._file(letter).open("rb") as file:
            head = b""
            for line in file:
                head += line
                if not line.strip(b"\r\n") or len(head) > _LONGEST_HEAD:
                    break
            return head

    def fetch(self, letter: Arrived) -> bytes:
        with self._readable():
            return self._file(letter).read_bytes()

    def done(self, letter: Arrived) -> None:
        with self._readable():
            try:
                path = self._file(letter)
            except Gone:
                return
            base, _, flags = path.name.partition(":2,")
            name = f"{base}:2,{''.join(sorted({*flags, _SEEN_FLAG}))}"
            folder = self._done or self.folder
            for room in ("tmp", "new", "cur"):
                (folder / room).mkdir(parents=True, exist_ok=True)
            target = folder / "cur" / name
            if path != target:
                shutil.move(path, target)
            if self._done is None:
                self._files[letter.uid] = target
            else:
                self._files.pop(letter.uid, None)

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while True:
            with self._readable():
                if self._last_change() != self._changed:
                    return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, _POLL_FOLDER))

    def close(self) -> None:
        """There is nothing to take leave of."""

    def _look(self) -> None:
        """Find out where the letters are."""
        self._files = {
            path.name.partition(":")[0]: path
            for room in _FOLDERS
            for path in (self.folder / room).iterdir()
            if path.name[0] != "." and path.is_file()
        }

    def _file(self, letter: Arrived) -> Path:
        """Return the file of a letter, wherever another program has moved it meanwhile. Raises Gone."""
        path = self._files.get(letter.uid)
        if path is None or not path.is_file():
            self._look()
            path = self._files.get(letter.uid)
        if path is None or letter.source != self._source:
            raise Gone(f"letter {letter.uid} is no longer in {self.folder}")
        return path

    def _last_change(self) -> int:
        return (self.folder / "new").stat().st_mtime_ns

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn what the system says into Unreachable."""
        try:
            yield
        except OSError as wrong:
            raise Unreachable(f"{wrong.filename or self.folder}: {wrong.strerror or wrong}") from wrong


def _status(path: Path) -> os.stat_result | None:
    """Return size and time of a file; None: it has been moved."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


class MaildirSender(Sender):
    """A maildir that something else sends the letters of."""

    def __init__(self, config: MaildirOut) -> None:
        self.folder = config.folder
        self.name = str(config.folder)

    def check(self) -> None:
        """There is nothing to connect to."""

    def send(self, to: str, letter: bytes) -> Delivery:
        identity = Headers(letter).one("message-id").encode("utf-8", "replace") or letter
        try:
            write_to_maildir(self.folder, letter, f"letter-{sha256(identity).hexdigest()[:16]}")
        except OSError as wrong:
            raise Unreachable(f"{wrong.filename or self.folder}: {wrong.strerror or wrong}") from wrong
        return Accepted()

    def close(self) -> None:
        """There is nothing to take leave of."""
