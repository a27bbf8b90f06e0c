"""The git process that objects are read through: started by the first read, kept open, ended by `close`.

Everything else that is asked of git goes through GitPython. This one question is asked by every command, and to import
GitPython for it took longer than the rest of a command such as `pbem status`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    questions: IO[bytes]
    answers: IO[bytes]


class CatFile:
    """One `git cat-file --batch` for one repo."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment
        self._process: _Running | None = None

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content of an object by its id. Raises ValueError if there is none, OSError without git."""
        process = self._process = self._process or self._start()
        process.questions.write(f"{oid}\n".encode())
        process.questions.flush()
        found = process.answers.readline().split()
        if len(found) != 3:
            raise ValueError(f"git answered {b' '.join(found).decode('utf-8', 'replace') or 'nothing'}")
        length = int(found[2])
        content = process.answers.read(length + 1)[:-1]
        if len(content) != length:
            raise ValueError(f"git broke off in the middle of {oid}")
        return found[1].decode(), content

    def close(self) -> None:
        """End the process; the next read starts another."""
        running, self._process = self._process, None
        if running is not None:
            for end in (running.questions, running.answers):
                try:
                    end.close()
                except OSError:  # it has ended before; what was still to be written to it is lost, and not missed
                    continue
            running.process.wait()

    def __del__(self) -> None:
        self.close()

    def _start(self) -> _Running:
        process = subprocess.Popen(
            ["git", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._path,
            env={**os.environ, **self._environment},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        return _Running(process, process.stdin, process.stdout)
