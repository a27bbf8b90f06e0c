"""Services that share a database: their workers, their duty, what dies, and who wakes up late."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from time import sleep

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.post.service.service import run_once
from pbem.post.service.worker import Worker
from pbem.post.settings import BadConfig
from pbem.post.tables.open_tables import open_tables
from pbem.repo.git.locks import GameLock, RefLock
from tests.support.postgres import Server, running
from tests.support.seasons import Season, children, until

ROOT = Path(__file__).parent.parent.parent
GAMES = ("punica", "zama")


@pytest.fixture
def season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Season:
    return made_season(tmp_path, monkeypatch, server)


def made_season(path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Season:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    made = Season(path, more=f"database: {server.database()}\n", workers=1)
    for name in GAMES:
        made.create(name, begin=True)
    return made


@pytest.fixture
def services() -> Iterator[list[Popen[str]]]:
    started: list[Popen[str]] = []
    yield started
    for each in started:
        if each.poll() is None:
            each.terminate()
    for each in started:
        each.wait(60)


def adjudications(season: Season) -> list[int]:
    found = []
    for name in GAMES:
        with season.open(name) as game:
            found.append(game.adjudication)
    return found


def goes_on(season: Season) -> None:
    """Let everybody write who is asked, and wait until both games have gone on."""
    before = adjudications(season)
    for name in GAMES:
        assert season.order(name)
    until(lambda: all(now > then for now, then in zip(adjudications(season), before, strict=True)), 120)


def nothing_waits(season: Season) -> bool:
    tables = season.tables()
    counts = tables.counts()
    tables.close()
    return counts.waiting == counts.to_send == 0


@pytest.mark.real
def test_service_outlives_its_worker_and_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, services: list[Popen[str]], server: Server
) -> None:
    with running() as own:
        season = made_season(tmp_path, monkeypatch, own)
        services.append(season.start())
        goes_on(season)
        (worker,) = children(services[0].pid)
        os.kill(worker, signal.SIGKILL)
        goes_on(season)
        for name in GAMES:
            season.order(name)
        before = adjudications(season)
        own.kill()
        until(lambda: "games cannot be queued" in season.log)
        own.start()
        until(lambda: all(now > then for now, then in zip(adjudications(season), before, strict=True)), 120)
        until(lambda: nothing_waits(season), 120)
        services[0].terminate()
        assert services[0].wait(60) == 0
        assert "Traceback" not in season.log
        assert len(set(season.ids())) == len(season.ids())


@pytest.mark.real
def test_second_service_works_along_and_takes_over_the_duty(season: Season, services: list[Popen[str]]) -> None:
    on_duty = "this service reads the mailboxes and sends"
    services.append(season.start())
    until(lambda: on_duty in season.log)
    services.append(season.start())
    until(lambda: season.log.count("the post is open") == 2)
    goes_on(season)
    assert season.log.count(on_duty) == 1
    until(lambda: nothing_waits(season))
    sleep(1)  # for it holds the claim of its last game until then
    stopped = children(services[0].pid)
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)
    goes_on(season)
    services[0].kill()
    for worker in stopped:
        os.kill(worker, signal.SIGKILL)
    until(lambda: season.log.count(on_duty) == 2, 60)
    goes_on(season)
    until(lambda: nothing_waits(season))
    assert len(set(season.ids())) == len(season.ids())


@pytest.mark.real
def test_once_is_refused_while_another_service_is_on_duty(season: Season) -> None:
    from pbem.post.service.cluster import ClusterDuty
    from pbem.post.service.duty import AnotherRuns

    post = season.post()
    duty = ClusterDuty(post.config.database or "", post.tables, season.said.append)
    with duty.alone(), pytest.raises(AnotherRuns, match="another service with postgresql://"):
        run_once(post)
    season.order("punica")
    assert run_once(post)
    assert adjudications(season)[0] == 2
    post.tables.close()


@pytest.mark.slow
def test_job_of_a_dead_worker_gives_way_to_the_one_behind_it(season: Season) -> None:
    """The library alone would not queue it again, and the one behind it would wait for ever."""
    from pbem.post.service import cluster

    tables = season.tables()
    url = season.config.database or ""
    cluster.make_queue(url)
    cluster.make_queue(url)
    feeder = cluster.Feeder(url, tables, season.said.append)

    async def die() -> object:
        async with cluster.queue(url).open_async() as app:
            jobs = app.job_manager
            queued = app.configure_task("take in", lock="game punica", queueing_lock="game punica")
            await queued.defer_async(game="punica")
            assert await jobs.fetch_job(queues=None, worker_id=await jobs.register_worker()) is not None
            await queued.defer_async(game="punica")
            living = await jobs.register_worker()
            assert await jobs.fetch_job(queues=None, worker_id=living) is None
            await app.connector.execute_query_async(
                "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour' WHERE id <> %(living)s",
                living=living,
            )
            await feeder.look(app)
            return await jobs.fetch_job(queues=None, worker_id=living)

    assert asyncio.run(die()) is not None
    tables.close()


def test_worker_that_wakes_up_late_reads_again(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another host has taken the letter in meanwhile: file locks did not keep it out, the commit does."""
    monkeypatch.setattr(GameLock, "acquire", lambda *_: None)
    tables = season.tables()
    post = season.post()
    season.order("punica")
    for sweep in post.sweeps:
        sweep.look()
    late, early = (Worker(season.config, tables, season.said.append) for _ in range(2))
    take, taken, heads = RefLock.take, list[RefLock](), list[str]()

    def asleep(lock: RefLock, patience: float) -> None:
        taken.append(lock)
        if len(taken) == 1:
            assert early.work() > 0
            with season.open("punica") as game:
                heads.append(game.ledger.repo.head)
        take(lock, patience)

    monkeypatch.setattr(RefLock, "take", asleep)
    late.work()
    with season.open("punica") as game:
        assert game.adjudication == 2
        assert [game.ledger.repo.head] == heads
    assert not any(" wait: " in line for line in season.said)
    assert tables.counts().waiting == 0
    names = [each.name for each in tables.to_send(1e12, 100)]
    assert len(names) == len(set(names)) > 0
    post.tables.close()
    tables.close()


def test_database_that_is_away_is_told_by_every_command(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    season.file.write_text(
        season.file.read_text().replace("postgresql://pbem@127.0.0.1:", "postgresql://pbem@127.0.0.2:")
    )
    monkeypatch.chdir(season.path)
    for name, folder in (("GAMES", "games"), ("KEYS", "keys"), ("RULES", str(ROOT / "tests" / "toy"))):
        monkeypatch.setenv(f"PBEM_{name}", folder)

    def said(verb: str) -> str:
        return CliRunner().invoke(app, [verb]).stdout

    assert "Post: what waits cannot be told: postgresql://pbem@127.0.0.2:" in said("status")
    (wrong,) = [line for line in said("doctor").splitlines() if " tables: " in line]
    assert wrong.startswith("WRONG  tables: postgresql://pbem@127.0.0.2:")


@pytest.mark.parametrize("missing", ["psycopg", "procrastinate"])
def test_database_without_the_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    season = Season(tmp_path, more="database: postgresql://pbem@localhost/pbem\n")
    with pytest.raises(BadConfig, match=rf"needs {missing}.*pip install 'pbem\[cluster\]'"):
        open_tables(season.config)


def test_service_on_a_file_imports_nothing_of_the_cluster(tmp_path: Path) -> None:
    with ExitStack() as closing:
        season = Season(tmp_path)
        for name in ("psycopg", "procrastinate"):
            blocked = pytest.MonkeyPatch()
            blocked.setitem(sys.modules, name, None)
            closing.callback(blocked.undo)
        post = season.post()
        assert run_once(post)
        post.tables.close()
