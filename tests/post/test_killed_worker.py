"""The test that chose what hands out the games of a cluster: one of two workers is killed and not started again.

400 letters for 40 games come, 60 a second, each 25 ms of work; a worker dies in the middle of one. The engine is fit if
no letter is lost or counts twice, each game keeps its order, and none stands still for two minutes. docs/hosting.md has
the figures of 20 runs (`make soak GAMES=180` plays as many); each run prints its own.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from random import Random
from subprocess import PIPE, Popen
from time import monotonic, sleep, time
from typing import Final, NamedTuple

import pytest

from pbem.post.service.cluster import Feeder, make_queue
from pbem.post.tables.tables import NewLetter, Tables
from tests.support.postgres import Server
from tests.support.seasons import Season, until
from tests.support.soak import scaled

RUNS: Final = scaled(20)
LETTERS: Final = 400
GAMES: Final = 40
A_SECOND: Final = 60
STRANDED: Final = 120.0
"""Seconds for which no game may stand still."""
WORKER: Final = """
import os, sys
from pathlib import Path
from time import sleep, time
from pbem.atomic import write
from pbem.mail.tasks import Handled
from pbem.post.service import worker

def received(raw, *_):
    game, number = raw.decode().split()
    record = Path(sys.argv[1]).with_name(f"{game}.record")
    before = record.read_text() if record.exists() else ""
    if f"{number} " not in before:  # as a commit tells of a letter that is taken in again
        sleep(0.025)
        draft = record.with_suffix(f".{os.getpid()}")
        write({draft: f"{before}{number} {time()}\\n".encode()})
        draft.replace(record)
    return Handled()

worker.received = received
worker.main(Path(sys.argv[1]))
"""
"""A worker for which a letter is 25 ms of sleep, and a line in the record of its game."""


class Run(NamedTuple):
    """The outcome of one run."""

    lost: int
    twice: int
    disordered: int
    """The games whose letters were not taken in in the order in which they came."""
    longest: float
    """For how many seconds a game stood still at most after the kill, although a letter waited for it."""
    whole: float
    """The seconds until the last letter was taken in."""


@pytest.fixture
def season(tmp_path: Path, server: Server) -> Iterator[Season]:
    """Return a folder with tables in a database, whose games are queued."""
    made = Season(tmp_path, more=f"database: {server.database()}\n")
    url = made.config.database or ""
    make_queue(url)
    tables = made.tables()
    feeder = Feeder(url, tables, made.said.append)
    feeder.start()
    yield made
    feeder.end()
    tables.close()


def put(tables: Tables, number: int) -> float:
    """Put a letter in order, and return when that was."""
    game = f"game-{number % GAMES:02}"
    content = f"{game} {number:03}".encode()
    tables.add("box", str(number), NewLetter(content.hex(), "ann@example.org", time(), content, [game]), {})
    return time()


def taken(season: Season) -> list[list[tuple[int, float]]]:
    """Return the letters that each game has, in order, and when it got each."""
    lines = [record.read_text().splitlines() for record in season.path.glob("*.record")]
    return [[(int(number), float(at)) for number, at in map(str.split, each)] for each in lines]


def stood_still(letters: Sequence[tuple[int, float]], came: Sequence[float], killed: float) -> float:
    """Return for how long a game stood still at most after the kill, while a letter waited for it."""
    longest = before = 0.0
    for number, at in letters:
        longest = max(longest, at - max(before, came[number], killed))
        before = at
    return longest


def run(season: Season, kill_after: int) -> Run:
    """Let the letters come, kill a worker when so many have come, and wait until all are taken in."""
    with ExitStack() as closing:
        tables = season.tables()
        closing.callback(tables.close)
        workers = []
        for _ in range(2):
            workers.append(Popen([sys.executable, "-c", WORKER, str(season.file)], stdin=PIPE))
            closing.enter_context(workers[-1])
            closing.callback(workers[-1].kill)
        came = [put(tables, 0)]
        until(lambda: tables.counts().taken == 1)
        began, killed = monotonic(), 0.0
        for number in range(1, LETTERS):
            sleep(max(0.0, began + number / A_SECOND - monotonic()))
            came.append(put(tables, number))
            if number == kill_after:
                os.kill(workers[0].pid, signal.SIGKILL)
                killed = time()
        until(lambda: tables.counts().waiting == 0, 10 * STRANDED)
    games = taken(season)
    numbers = [number for letters in games for number, _ in letters]
    return Run(
        lost=LETTERS - len(set(numbers)),
        twice=len(numbers) - len(set(numbers)),
        disordered=sum(any(one > two for (one, _), (two, _) in pairwise(letters)) for letters in games),
        longest=max(stood_still(letters, came, killed) for letters in games),
        whole=max(at for letters in games for _, at in letters) - came[0],
    )


@pytest.mark.soak
@pytest.mark.parametrize("number", range(RUNS))
def test_killed_worker_strands_no_game(season: Season, number: int) -> None:
    found = run(season, Random(number).randrange(100, 300))
    print(f"\nrun {number}: {found}")
    assert (found.lost, found.twice, found.disordered) == (0, 0, 0)
    assert found.longest < STRANDED
