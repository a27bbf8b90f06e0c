"""Two hosts with a database and a shared folder: one dies, sleeps, or loses its network in the middle of a letter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from pbem.post.tables.postgres_tables import PostgresTables, connect
from tests.real.hosts import Host, missing
from tests.support.postgres import Server
from tests.support.seasons import Season, until
from tests.support.walks import FOLDERS

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent.parent
GAMES = ("punica", "zama", "cannae")
ON_DUTY = "this service reads the mailboxes and sends"


class Cluster:
    """Two hosts, their database, and the folder that they share."""

    def __init__(self, path: Path) -> None:
        self.hosts = [Host(number, path / f"host{number}") for number in (1, 2)]
        self.server = Server(",".join(host.address for host in self.hosts))
        (path / "shared").mkdir()
        self.season = Season(path / "shared", workers=1)
        for name in GAMES:
            self.season.create(name, begin=True)
        urls = self.server.database()
        hosts = [urls.replace(self.server.host, host.address) for host in self.hosts]
        for host, url in zip(self.hosts, hosts, strict=True):
            host.start(self.season, url)
        until(lambda: all("the post is open" in host.log for host in self.hosts), 60)
        until(lambda: sum(ON_DUTY in host.log for host in self.hosts) == 1)
        self.connection = connect(hosts[0])
        self.tables = PostgresTables(hosts[0])

    @property
    def on_duty(self) -> Host:
        return max(self.hosts, key=lambda host: host.log.count(ON_DUTY))

    @property
    def other(self) -> Host:
        return next(host for host in self.hosts if host is not self.on_duty)

    def adjudications(self) -> list[int]:
        found = []
        for name in GAMES:
            with self.season.open(name) as game:
                found.append(game.adjudication)
        return found

    def order(self) -> list[int]:
        """Let everybody write who is asked; return where the games stand."""
        before = self.adjudications()
        for name in GAMES:
            assert self.season.order(name)
        return before

    def goes_on(self, before: list[int] | None = None) -> float:
        """Wait until all games have gone on; return for how many seconds."""
        before = before or self.order()
        started = monotonic()
        until(lambda: all(now > then for now, then in zip(self.adjudications(), before, strict=True)), 120)
        return monotonic() - started

    def at_rest(self) -> bool:
        counts = self.tables.counts()
        return counts.waiting == counts.to_send == 0

    def in_the_middle_of_a_letter(self, host: Host) -> list[int]:
        """Stop the worker of one host in the middle of a letter; return where the games stood before."""
        for _ in range(10):
            until(self.at_rest, 120)
            (rest,) = [each for each in self.hosts if each is not host]
            sleep(1)  # for a worker holds the claim of its last game until then
            rest.signal(signal.SIGSTOP)
            taken = self.tables.counts().taken
            before = self.order()
            end = monotonic() + 60
            while monotonic() < end and self.tables.counts().taken < taken + len(GAMES):
                if self.begun():
                    host.signal(signal.SIGSTOP)
                    break
            rest.signal(signal.SIGCONT)
            if self.begun():
                return before
            host.signal(signal.SIGCONT)
            self.goes_on(before)
        pytest.fail("no letter was caught")

    def begun(self) -> bool:
        query = "SELECT 1 FROM work JOIN letters ON id = letter WHERE waits AND tries > 0"
        return bool(self.connection.execute(query).fetchall())

    def verify(self) -> None:
        """Nothing is lost, nothing is there twice, and every game can be derived again."""
        until(self.at_rest, 120)
        ids = Counter(self.season.ids())
        assert [each for each, count in ids.items() if count > 1] == []
        for name in GAMES:
            command = [sys.executable, "-m", "pbem", "verify", name, "--with-key"]
            folders = {"PBEM_GAMES": str(self.season.games), "PBEM_KEYS": str(self.season.path / "keys")}
            rules = {"PBEM_RULES": os.pathsep.join(map(str, FOLDERS))}
            ran = subprocess.run(command, env={**os.environ, **folders, **rules}, capture_output=True, text=True)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            repo = self.season.games / f"{name}.git"
            words = ["git", "-C", str(repo), "fsck", "--strict", "--full", "--no-dangling"]
            assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == ""

    def close(self) -> None:
        self.connection.close()
        self.tables.close()
        for host in self.hosts:
            host.close()
        self.server.close()


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    if why := missing():
        pytest.skip(why)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    made = Cluster(tmp_path)
    try:
        yield made
    except BaseException:
        for host in made.hosts:
            print(host.log)
        raise
    finally:
        made.close()


def test_host_that_dies_in_the_middle_of_a_letter(cluster: Cluster) -> None:
    cluster.goes_on()
    dying, living = cluster.on_duty, cluster.other
    before = cluster.in_the_middle_of_a_letter(dying)
    dying.die()
    assert cluster.goes_on(before) < 120
    assert ON_DUTY in living.log
    cluster.goes_on()
    cluster.verify()


def test_worker_that_sleeps_through_its_lock_and_wakes_up(cluster: Cluster) -> None:
    asleep = cluster.on_duty
    before = cluster.in_the_middle_of_a_letter(asleep)
    assert cluster.goes_on(before) < 120
    asleep.signal(signal.SIGCONT)
    cluster.goes_on()
    cluster.other.signal(signal.SIGSTOP)  # who was asleep works on alone
    cluster.goes_on()
    cluster.other.signal(signal.SIGCONT)
    cluster.verify()
    assert "Traceback" not in asleep.log


def test_database_that_is_killed_and_started_again(cluster: Cluster) -> None:
    for _ in range(2):
        before = cluster.order()
        sleep(0.3)
        cluster.server.kill()
        sleep(1)
        cluster.server.start()
        cluster.tables.close()
        assert cluster.goes_on(before) < 120
    cluster.verify()


def test_host_that_loses_its_network(cluster: Cluster) -> None:
    cut, living = cluster.on_duty, cluster.other
    cluster.goes_on()
    cut.network("down")
    assert cluster.goes_on() < 120
    assert ON_DUTY in living.log
    cut.network("up")
    until(lambda: "games are queued again" in cut.log, 60)
    living.signal(signal.SIGSTOP)
    cluster.goes_on()
    living.signal(signal.SIGCONT)
    cluster.verify()
