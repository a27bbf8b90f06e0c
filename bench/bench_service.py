"""How many letters a second the post takes in, from maildir to maildir, with two workers and forty games.

The letters are those of bots, written beforehand: each game is played once in memory of its letters alone, and then
again from the same secrets by the post. Letters that begin the games warm the workers up and are not counted.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from sqlite3 import connect
from subprocess import Popen
from time import monotonic, perf_counter, sleep
from typing import Final, NamedTuple
from unittest.mock import patch

from bench import AT_LEAST, Figure, seconds
from pbem.cli.demo import SECRETS
from pbem.mail.intake import take_in
from pbem.mail.write import enclosures
from pbem.mail.write.outgoing import MailSettings
from pbem.post.settings import load_config
from pbem.post.tables.open_tables import open_tables
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.post.tables.tables import Tables
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines
from tests.support.postgres import missing, running

GAMES: Final = 40
LETTERS: Final = 12
"""So many letters of each game are counted."""
WORKERS: Final = 2
IDLE: Final = 10_000
WORDS: Final = b"standing: default\n\nNEWS asked\n"
CONFIG: Final = """\
from: pbem <pbem@example.org>
games: games
keys: keys
in:
  maildir: {folder: in}
out:
  maildir: {folder: out}
who: {proofs: [address]}
send: {per_hour: 1000000, per_day: 1000000}
limits: {sender_per_hour: 1000000, game_per_hour: 1000000}
"""
SERVICE: Final = """
import signal, sys
from pathlib import Path
from pbem.post.settings import load_config
from pbem.post.service.service import Post, Service
from pbem.post.tables.open_tables import open_tables
from pbem.post.transport import sender, sources
config = load_config(Path(sys.argv[1]))
post = Post(config, open_tables(config), list(sources(config)), sender(config))
signal.signal(signal.SIGTERM, lambda *_: post.stop.set())
Service(post, int(sys.argv[2]), (sys.executable, "-c", sys.argv[3])).run()
"""
WORKER: Final = """
import sys
from pathlib import Path
from pbem.post.service import worker
{changed}
worker.main(Path(sys.argv[1]))
"""
NO_PICTURES: Final = "from pbem.mail.write import enclosures; enclosures.pictures = lambda *_, **__: ()"
SLEEPING: Final = """
from time import sleep
from pbem.mail.tasks import Handled
worker.received = lambda *_: sleep(0.05) or Handled()
"""


def figures() -> Iterator[Figure]:
    """Yield letters a second with pictures and without, what a second worker brings, memory, and an idle tick."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        written = {name: list(play(path / "played", name)) for name in names()}
        whole = taken(path / "pictures", written, "")
        yield Figure("post: letters a second, with pictures", whole.speed, "letters/s", 25.0, AT_LEAST)
        yield Figure("post: memory of the largest process", whole.memory / 1e6, "MB", 150.0)
        yield Figure("post: its growth after half of the letters", whole.memory / whole.halfway, "times", 1.1)
        bare = taken(path / "bare", written, NO_PICTURES)
        yield Figure("post: letters a second, without pictures", bare.speed, "letters/s", 45.0, AT_LEAST)
        if not missing():
            with running() as server:
                shared = taken(path / "database", written, NO_PICTURES, database=server.database())
            share = shared.speed / bare.speed
            yield Figure("post: letters a second on a database / in a file", share, "times", 0.8, AT_LEAST)
        one, two = (taken(path / str(count), written, SLEEPING, count).speed for count in (1, 2))
        yield Figure("post: two workers / one, work that sleeps", two / one, "times", 1.8, AT_LEAST)
        yield Figure(f"post: a look at {IDLE:,} idle games", 1000 * idle(path / "idle.sqlite"), "ms", 50.0)


class Taken(NamedTuple):
    """How the post took letters in: letters a second, bytes of the largest process halfway and at the end."""

    speed: float
    halfway: float
    memory: float


def names() -> list[str]:
    """Return the names of the games."""
    return [f"game-{number:02}" for number in range(1, GAMES + 1)]


def new_game(name: str) -> NewGame:
    """Return a game of the demo's kind, with addresses of its own."""
    players = {side: f"{side}.{name}@example.net" for side in ("carthage", "rome")}
    return NewGame(name, "rome_carthage", players=players, addresses=players, secrets=SECRETS, begin=True)


def play(path: Path, name: str) -> Iterator[bytes]:
    """Play a game by letters, and yield them: one to begin with for each side, and those that are counted."""
    settings = MailSettings(path / "games", path / "keys", "pbem <pbem@example.org>", datetime.now(UTC))
    with (
        create_game(settings.games, settings.keys, new_game(name)) as game,
        patch.object(enclosures, "pictures", lambda *_, **__: ()),
    ):
        for number in range(len(game.rules.sides) + LETTERS):
            asked = game.open_decisions[0].side
            begins = number < len(game.rules.sides)
            side = game.rules.sides[number] if begins else asked
            raw = letter(game, side, number, begins=begins)
            handled = take_in(raw, settings)
            assert handled.accepted, handled.complaints or handled.notes
            with game.lock():
                pass
            yield raw


def letter(game: Adjudicator, side: str, number: int, *, begins: bool) -> bytes:
    """Return a letter of a bot; one to begin with files standing orders and says which news are wanted."""
    asked = [] if begins else [each for each in game.open_decisions if each.side == side]
    orders = [game.rules.bot_order(game.view(side), each) for each in asked]
    lines = [line for order in orders for line in order_lines(order.kind, order.body)]
    head = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
    sheet = "\n".join([*head, *lines, ""]).encode()
    return (
        f"From: {side}.{game.name}@example.net\nTo: pbem@example.org\nSubject: Re: your move\n"
        f"Message-ID: <{number}.{side}.{game.name}@example.net>\nContent-Type: text/plain; charset=utf-8\n\n"
    ).encode() + (sheet.replace(b"orders:\n", WORDS) if begins else sheet)


def taken(
    path: Path, written: Mapping[str, Sequence[bytes]], changed: str, workers: int = WORKERS, database: str = ""
) -> Taken:
    """Let the post take the letters in, with its tables in a file or in a database."""
    for room in ("games", "in/new", "in/cur", "in/tmp"):
        (path / room).mkdir(parents=True)
    (path / "pbem.yaml").write_text(CONFIG + (f"database: {database}\n" if database else ""))
    for name in written:
        create_game(path / "games", path / "keys", new_game(name)).close()
    sides = 2
    first = [raw for letters in written.values() for raw in letters[:sides]]
    rest = [raw for turn in zip_longest(*(letters[sides:] for letters in written.values())) for raw in turn if raw]
    command = [sys.executable, "-c", SERVICE, str(path / "pbem.yaml"), str(workers), WORKER.format(changed=changed)]
    service = Popen(command, stdout=(path / "log").open("w"), stderr=sys.stderr)
    tables = open_tables(load_config(path / "pbem.yaml"))
    try:
        deliver(path / "in", first, 0)
        wait(tables, len(first))
        started = perf_counter()
        deliver(path / "in", rest, len(first))
        wait(tables, len(first) + len(rest) // 2, sent=False)
        halfway = largest(service.pid)
        wait(tables, len(first) + len(rest))
        elapsed = perf_counter() - started
        memory = largest(service.pid)
    finally:
        service.terminate()
        service.wait()
        tables.close()
    return Taken(len(rest) / elapsed, halfway, memory)


def deliver(box: Path, letters: Sequence[bytes], first: int) -> None:
    """Put letters into a maildir, in order."""
    for number, raw in enumerate(letters, first):
        draft = box / "tmp" / f"{number:06}"
        draft.write_bytes(raw)
        draft.rename(box / "new" / draft.name)


def wait(tables: Tables, count: int, *, sent: bool = True) -> None:
    """Wait until so many letters are taken in, and all answers have left if they are to be `sent`."""
    until = monotonic() + 900
    while (counts := tables.counts()).taken < count or (sent and counts.to_send):
        assert monotonic() < until, f"{counts} after 15 minutes"
        sleep(0.05)


def largest(pid: int) -> float:
    """Return the bytes of the largest process of a service."""
    return max(resident(each) for each in [pid, *children(pid)])


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident(pid: int) -> float:
    """Return the bytes of memory that a process has."""
    return float(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))


def idle(file: Path) -> float:
    """Return how long the post looks at tables with thousands of games in which nothing waits."""
    tables = SqliteTables(file)
    with connect(file) as direct:
        direct.executemany("INSERT INTO games (game) VALUES (?)", ((f"game-{at}",) for at in range(IDLE)))
        letters = ((f"{at:064x}", "ann@example.org", 0.0, 0.0) for at in range(10 * IDLE))
        direct.executemany("INSERT INTO letters (digest, sender, at, since) VALUES (?, ?, ?, ?)", letters)
    direct.close()
    now = datetime.now(UTC).timestamp()

    def look() -> None:
        tables.next_games(now, 32)
        tables.to_mark(lambda source: True)
        tables.to_send(now, 8)

    took = min(seconds(look) for _ in range(5))
    tables.close()
    return took
