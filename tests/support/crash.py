"""Lets a piece of work die at any of its calls to the system, as a power switch or `kill -9` would.

    for at in count(1):
        path = fresh_copy()
        died = dies(partial(work, path), at)
        ...look at what is left at path...
        if not died:
            break

The work runs in a process of its own, so it must be a function that another process can import, with plain
arguments. Nothing is cleaned up when it dies: no `finally`, no flush.
"""

from __future__ import annotations

import builtins
import fcntl
import io
import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import ENOSPC
from functools import wraps
from typing import Any

from tests.support.disk import unsynced

_DIED = 77
_FAILED = 78
_SECONDS = 60
FEW = 12
"""The points at which work dies in `make test`; in `make check` it dies at all of them."""
NURSERY = multiprocessing.get_context("forkserver")
"""Where processes of the tests are born: small, with one thread, so that they may fork."""
# Children start with these imported: what the modules of tests import, and the command line when it is at work. It is
# ten times as quick. A name that is not there does no harm.
NURSERY.set_forkserver_preload(
    [
        "pytest",
        "hypothesis",
        "tests.support.live",
        "tests.support.walks",
        "tests.support.ward",
        "pbem.audit.verify",
        "pbem.mail.intake",
        "pbem.cli.master.play",
    ]
)

CALLS: tuple[tuple[Any, str], ...] = (
    *((os, name) for name in ("open", "write", "pwrite", "close", "fsync", "fdatasync", "ftruncate", "truncate")),
    *((os, name) for name in ("rename", "replace", "link", "symlink", "unlink", "remove", "mkdir", "rmdir", "chmod")),
    (fcntl, "flock"),
    (builtins, "open"),
    (io, "open"),
)
"""What counts: everything through which Python code changes files or takes locks."""


def dies(work: Callable[[], object], at: int, *, torn: bool = False) -> bool:
    """Run work in a process that dies before its `at`-th call; return False if it ended before that.

    `torn`: where that call would write, half of the bytes are written first.
    """
    child = NURSERY.Process(target=_run, args=(work, at, torn, None))
    child.start()
    child.join(_SECONDS)
    if child.exitcode is None:
        child.kill()
        child.join()
        raise AssertionError(f"the work hung, to die at call {at}")
    if child.exitcode not in (0, _DIED):
        raise AssertionError(f"the work failed instead of dying at call {at}: exit code {child.exitcode}, see stderr")
    return child.exitcode == _DIED


def points(work: Callable[[], object], *, whole: bool) -> list[int]:
    """Return the calls before which work is to die: all of them, or a few from the first to the last; then one more.

    The work is done once, in a process of its own, to count its calls.
    """
    made = NURSERY.Value("q", 0)
    child = NURSERY.Process(target=_run, args=(work, 0, False, made))
    child.start()
    child.join(_SECONDS)
    assert child.exitcode == 0, child.exitcode
    last = made.value
    found = range(1, last + 1) if whole else sorted({1 + at * (last - 1) // (FEW - 1) for at in range(FEW)})
    return [*found, last + 1]


@contextmanager
def recorded() -> Iterator[list[tuple[str, tuple[Any, ...], Any]]]:
    """Yield a list that grows by name, arguments and result of each call this process makes meanwhile."""
    calls: list[tuple[str, tuple[Any, ...], Any]] = []

    def record(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def recording(*args: Any, **options: Any) -> Any:
            result = call(*args, **options)
            calls.append((name, args, result))
            return result

        return recording

    real = [(module, name, getattr(module, name)) for module, name in CALLS]
    try:
        for module, name, call in real:
            setattr(module, name, record(name, call))
        yield calls
    finally:
        for module, name, call in real:
            setattr(module, name, call)


def refuse_writing(at: int, error: int, *, lasting: bool = True) -> Callable[[], int]:
    """Let the `at`-th call of this process that would write, and those after it if `lasting`, fail with an error.

    What a full disk still allows (to delete, to shorten) does not count unless the error is another. Returns what
    tells how many calls have failed.
    """
    left, refusals = at, 0

    def writes(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        if name == "open" and (isinstance(args[0], int) or str(args[0]).startswith(("/dev/", "/proc/"))):
            return False  # a pipe, or what is no disk
        if name == "open" and isinstance(flags := (*args, 0)[1], int) and "mode" not in options:
            return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if name == "open":
            return bool(set("wax+") & set(options.get("mode") or (*args, "r")[1]))
        return name in _WRITING or (error != ENOSPC and name in _LESSENING)

    def refusing(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def refused(*args: Any, **options: Any) -> Any:
            nonlocal left, refusals
            if writes(name, args, options):
                left -= 1
                if left == 0 or (left < 0 and lasting):
                    refusals += 1
                    named = [args[0]] if isinstance(args[0], str | os.PathLike) else []
                    raise OSError(error, os.strerror(error), *map(str, named))
            return call(*args, **options)

        return refused

    for module, name in CALLS:
        setattr(module, name, refusing(name, getattr(module, name)))
    return lambda: refusals


_WRITING = {"write", "pwrite", "fsync", "fdatasync", "rename", "replace", "link", "symlink", "mkdir"}
_LESSENING = {"unlink", "remove", "rmdir", "truncate", "ftruncate", "chmod"}


def _run(work: Callable[[], object], at: int, torn: bool, made: Any) -> None:
    """Do the work, and die before its `at`-th call; `made` gets the number of all its calls."""
    left = at
    os.fsync = unsynced

    def die_at_zero(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def counting(*args: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                if torn and name in ("write", "pwrite"):
                    call(args[0], args[1][: len(args[1]) // 2], *args[2:])
                os._exit(_DIED)
            return call(*args, **options)

        return counting

    for module, name in CALLS:
        setattr(module, name, die_at_zero(name, getattr(module, name)))
    code = 0
    try:
        work()
    except BaseException:
        traceback.print_exc()
        code = _FAILED
    if made is not None:
        made.value = at - left
    os._exit(code)
