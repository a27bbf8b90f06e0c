"""The git process that objects are read through: started by the first read, kept open, ended by `close`.

git unpacks an object before anybody could stop it, and a stranger may have packed a gigabyte into a megabyte. So the
size is always asked first. Before git 2.36 no process answered both questions: then there are two.

Everything else that is asked of git goes through GitPython. These questions are asked by every command, and to import
GitPython for them took longer than the rest of a command such as `pbem status`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    questions: IO[bytes]
    answers: IO[bytes]


class Size(NamedTuple):
    """An object before it is read: its id, its kind, and its size in bytes."""

    oid: str
    kind: str
    size: int


class CatFile:
    """The `git cat-file` of one repo."""

    _answers_both = True
    """Whether git answers both questions in one process, as far as is known."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._path = path
        self._environment = environment
        self._processes: dict[str, _Running] = {}

    def size(self, oid: str) -> Size:
        """Return the size of an object by its id. Raises ValueError if there is none, OSError without git."""
        return self._ask(_SIZES, oid)[1]

    def read(self, oid: str) -> tuple[str, bytes]:
        """Return kind and content of an object by its id. Raises ValueError if there is none, OSError without git.

        Ask for its size first.
        """
        answers, found = self._ask(_CONTENTS, oid)
        return found.kind, _content(answers, found)

    def sizes(self) -> Iterator[Size]:
        """Yield every object of the repo, in any order. Raises ValueError where git fails."""
        for _, found in self._every(_SIZES):
            yield found

    def contents(self) -> Iterator[tuple[Size, bytes]]:
        """Yield every object of the repo with its content, in any order. Raises ValueError where git fails."""
        for answers, found in self._every(_CONTENTS):
            yield found, _content(answers, found)

    def close(self) -> None:
        """End the processes; the next question starts others."""
        processes, self._processes = self._processes, {}
        for running in processes.values():
            for end in (running.questions, running.answers):
                with suppress(OSError):  # it has ended before; what was still to be written to it is not missed
                    end.close()
        for running in processes.values():
            running.process.wait()

    def __del__(self) -> None:
        self.close()

    def _ask(self, question: str, oid: str) -> tuple[IO[bytes], Size]:
        """Ask for one object; return what git says of it, and where its content can be read if that was asked for."""
        if self._answers_both:
            asked = self._running(_BOTH)
            with suppress(BrokenPipeError):  # it has ended, and the empty answer says so
                asked.questions.write(f"{_COMMANDS[question]} {oid}\n".encode())
                asked.questions.flush()
            if (answer := asked.answers.readline()) or asked.process.wait() != _UNKNOWN_OPTION:
                return asked.answers, _size(answer)
            type(self)._answers_both = False
            self.close()
        for each in (_SIZES, _CONTENTS):  # both at once, so that they start at the same time
            self._running(each)
        asked = self._running(question)
        asked.questions.write(f"{oid}\n".encode())
        asked.questions.flush()
        return asked.answers, _size(asked.answers.readline())

    def _running(self, mode: str) -> _Running:
        if mode not in self._processes:
            self._processes[mode] = self._start(mode)
        return self._processes[mode]

    def _every(self, question: str) -> Iterator[tuple[IO[bytes], Size]]:
        """Ask for every object, in a process of its own that may be left before its end."""
        process, questions, answers = self._start(question, "--batch-all-objects", "--unordered", "--buffer")
        try:
            questions.close()
            while line := answers.readline():
                yield answers, _size(line)
            if process.wait():
                raise ValueError("git cat-file failed")
        finally:
            answers.close()
            process.kill()
            process.wait()

    def _start(self, *words: str) -> _Running:
        process = subprocess.Popen(
            ["git", "cat-file", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._path,
            env={**os.environ, **self._environment},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        return _Running(process, process.stdin, process.stdout)


def _size(line: bytes) -> Size:
    """Return what a line of git says of an object. Raises ValueError if it says something else."""
    found = line.decode("utf-8", "replace").split()
    if len(found) != 3:
        raise ValueError(f"git answered {' '.join(found) or 'nothing'}")
    return Size(found[0], found[1], int(found[2]))


def _content(answers: IO[bytes], found: Size) -> bytes:
    """Return the content that follows its line, without the line end after it."""
    content = answers.read(found.size + 1)[:-1]
    if len(content) != found.size:
        raise ValueError(f"git broke off in the middle of {found.oid}")
    return content


_SIZES: Final = "--batch-check"
_CONTENTS: Final = "--batch"
_BOTH: Final = "--batch-command"
_COMMANDS: Final = {_SIZES: "info", _CONTENTS: "contents"}
_UNKNOWN_OPTION: Final = 129
"""The exit code of git when it does not know an option."""
