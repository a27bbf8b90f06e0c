"""Kills a piece of work at any instant, wherever it is: in Python, in a library, in the system.

    with Ward(warm) as ward:
        died = ward.kills(partial(work, path), after=0.012)
        ...look at what is left at path...

`tests.support.crash` lets work die before its n-th call to the system, which finds the gaps between two calls; this one
knows nothing of the work, and so finds what nobody thought of. The work is forked off a process that is warm
already (its modules imported, its boxes read), so that an attempt takes what the work takes. Nothing is cleaned up.
"""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, NamedTuple

from tests.support.crash import NURSERY

_FAILED = 78
_SECONDS = 120


class Attempt(NamedTuple):
    """How a piece of work ended: killed or by itself, and after how many seconds."""

    killed: bool
    seconds: float


class Ward:
    """A process that forks off work and kills it; the work and `warm` must be functions that it can import."""

    def __init__(self, warm: Callable[[], object]) -> None:
        self._here, there = NURSERY.Pipe()
        self._process = NURSERY.Process(target=_wait_for_work, args=(there, warm), daemon=True)
        self._process.start()
        there.close()
        self._answer()

    def __enter__(self) -> Ward:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._here.close()
        self._process.join(_SECONDS)

    def kills(self, work: Callable[[], object], after: float) -> bool:
        """Start work, kill it some seconds later; return False if it had ended by then."""
        return self._attempt(work, after).killed

    def dies(self, work: Callable[[], object]) -> bool:
        """Let work end by itself; tell whether it was by killing itself."""
        return self._attempt(work, None).killed

    def lets_live(self, work: Callable[[], object]) -> float:
        """Let work end by itself; return the seconds that it took."""
        return self._attempt(work, None).seconds

    def ends(self, work: Callable[[], object]) -> int:
        """Let work end by itself, also by `sys.exit`; return its exit code."""
        status, _ = self._ask(work, None)
        return os.waitstatus_to_exitcode(status)

    def _attempt(self, work: Callable[[], object], after: float | None) -> Attempt:
        status, seconds = self._ask(work, after)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not killed and status != 0:
            raise AssertionError(f"the work failed instead of being killed: status {status}, see stderr")
        return Attempt(killed, seconds)

    def _ask(self, work: Callable[[], object], after: float | None) -> tuple[int, float]:
        self._here.send((work, after))
        status, seconds = self._answer()
        return status, seconds

    def _answer(self) -> Any:
        if not self._here.poll(_SECONDS):
            self._process.kill()
            raise AssertionError("the work hung")
        return self._here.recv()


def _wait_for_work(there: Connection, warm: Callable[[], object]) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warm()
    there.send((0, 0.0))
    while True:
        try:
            work, after = there.recv()
        except EOFError:
            return
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            _do(work)
        if after is not None:
            time.sleep(after)
            os.kill(child, signal.SIGKILL)  # one that has ended still waits to be asked how
        _, status = os.waitpid(child, 0)
        there.send((status, time.monotonic() - begun))


def _do(work: Callable[[], object]) -> None:
    code = _FAILED
    try:
        work()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
