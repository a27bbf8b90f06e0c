"""The service as its own process: it keeps its workers going, stops in peace, and is alone on its tables."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from datetime import UTC, datetime
from pathlib import Path
from subprocess import Popen
from threading import Thread
from time import monotonic, sleep, time
from typing import Any

import pytest

from pbem.post.desk.setup import unit_file
from pbem.post.service import service as service_module
from pbem.post.service.duty import AnotherRuns, alone_on
from pbem.post.service.health import BEAT, STOPPED, health
from pbem.post.service.service import Post, Service, run_once
from pbem.post.service_log import notify
from tests.support.boxes import Box, Way
from tests.support.seasons import Season, alive, children, until

ROOT = Path(__file__).parent.parent.parent
BLANK_WORKER = """
import sys
from pathlib import Path
from pbem.mail.write import enclosures
from pbem.post.service import worker
enclosures.pictures = lambda *_, **__: ()
worker.main(Path(sys.argv[1]))
"""
"""The program of a worker that draws no maps."""


@pytest.fixture
def season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Season:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    made = Season(tmp_path)
    for name in ("punica", "zama"):
        made.create(name, begin=True)
    return made


@pytest.fixture
def running(season: Season) -> Iterator[Popen[str]]:
    service = season.start()
    until(lambda: "the post is open" in season.log)
    until(lambda: len(children(service.pid)) == 2)
    yield service
    if service.poll() is None:
        service.terminate()
    service.wait(60)


def adjudications(season: Season) -> list[int]:
    found = []
    for name in ("punica", "zama"):
        with season.open(name) as game:
            found.append(game.adjudication)
    return found


def goes_on(season: Season) -> None:
    """Let everybody write who is asked, and wait until both games have gone on."""
    before = adjudications(season)
    for name in ("punica", "zama"):
        assert season.order(name)
    until(lambda: all(now > then for now, then in zip(adjudications(season), before, strict=True)), 120)


@pytest.mark.real
def test_service_outlives_its_workers_and_its_own_death(season: Season, running: Popen[str]) -> None:
    goes_on(season)
    killed = children(running.pid)
    for worker in killed:
        os.kill(worker, signal.SIGKILL)
    goes_on(season)
    assert "a worker has ended (signal 9); another one is started" in season.log
    workers = children(running.pid)
    assert not set(workers) & set(killed)
    for name in ("punica", "zama"):
        season.order(name)
    running.kill()
    running.wait()
    until(lambda: not any(alive(worker) for worker in workers))
    assert season.tables().noted(BEAT) is not None
    again = season.start()
    try:
        until(lambda: season.tables().counts()[0] == 0)
        goes_on(season)
        until(lambda: season.tables().counts().to_send == 0)
    finally:
        again.terminate()
        assert again.wait(60) == 0
    assert season.log.rstrip().endswith("the post is closed")
    assert len(season.ids()) == len(set(season.ids()))
    noted = season.tables().noted(BEAT)
    assert noted is not None
    assert noted[0] == STOPPED
    assert list((season.path / "in" / "new").iterdir()) == []


@pytest.mark.real
def test_second_service_refuses_and_names_the_first(season: Season, running: Popen[str]) -> None:
    for words in ([], ["--once"]):
        second = season.start(*words)
        assert second.wait(60) == 1
    assert season.log.count(f"process {running.pid} on {socket.gethostname()} since ") == 2
    assert season.log.count("works on") == 2


def test_lock_is_free_when_its_holder_is_gone(season: Season) -> None:
    file = season.config.tables_file
    with alone_on(file), pytest.raises(AnotherRuns, match=f"process {os.getpid()} on"), alone_on(file):
        pass
    with alone_on(file):
        pass


@pytest.mark.real
def test_systemd_is_told_of_start_and_stop(season: Season, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind("\0pbem-test-of-the-service")
        channel.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", "@pbem-test-of-the-service")
        service = season.start()
        said = channel.recv(4096).decode()
        assert said.startswith("READY=1\nSTATUS=")
        service.terminate()
        while "STOPPING=1" not in said:
            said = channel.recv(4096).decode()
        assert service.wait(60) == 0


def test_without_systemd_nobody_is_told(tmp_path: Path) -> None:
    assert not notify("READY=1", environment={})
    assert not notify("READY=1", environment={"NOTIFY_SOCKET": str(tmp_path / "gone")})


def test_unit_file_starts_the_service_with_its_config(season: Season, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_CACHE", "/var/cache/my games")
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(unit_file(season.file, season.config))
    assert unit["Service"]["Type"] == "notify"
    assert unit["Service"]["ExecStart"].endswith(f"post --config {season.file}")
    assert unit["Service"]["Environment"] == '"PBEM_CACHE=/var/cache/my games"'
    assert unit["Service"]["Restart"] == "always"
    assert unit["Install"]["WantedBy"] == "default.target", "the manager of a user knows no multi-user.target"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "_RETRY_PAUSES", (0.01, 0.02))
    monkeypatch.setattr(service_module, "_TICK", 0.05)
    monkeypatch.setattr(service_module, "_WAIT", 0.05)
    monkeypatch.setattr(service_module, "_SOON", 0.05)
    monkeypatch.setattr(service_module, "_BEAT", 0.05)


def opened(season: Season, box: Box, way: Way) -> Post:
    return Post(season.config, season.tables(), [box], way, season.said.append)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_unreachable_servers_are_told_of_once(season: Season) -> None:
    box, way = Box(wrong="connection refused"), Way(wrong="no route to host")
    post = opened(season, box, way)
    thread = Thread(target=Service(post, 1, (sys.executable, "-c", BLANK_WORKER)).run)
    thread.start()
    try:
        until(lambda: len(season.said) >= 2)
        for name, side in [("punica", "red"), ("zama", "blue")]:
            box.put(season.letter(name, side, b"STATUS\n"), datetime.now(UTC))
        sleep(0.5)
        until(lambda: not health(post.tables, time()).well)
        found = health(post.tables, time())
        assert "box cannot be reached since" in found.line
        assert ": connection refused" in found.line
        box.wrong = ""
        until(lambda: post.tables.counts().to_send == 2)
        until(lambda: "way cannot be reached: no route to host" in season.said)
        way.wrong = ""
        until(lambda: len(way.given) == 2)
        until(lambda: len(box.marked) == 2)
        until(lambda: "way can be reached again" in season.said)
        until(lambda: health(post.tables, time()).well)
    finally:
        post.stop.set()
        thread.join(60)
    troubles = [line for line in season.said if "reached" in line]
    assert sorted(troubles) == [
        "box can be reached again",
        "box cannot be reached: connection refused",
        "way can be reached again",
        "way cannot be reached: no route to host",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_fault_in_a_reader_is_told_and_the_rest_goes_on(season: Season, capsys: pytest.CaptureFixture[str]) -> None:
    box, way = Box(), Way()
    post = opened(season, box, way)
    real, failures = post.sweeps[0].look, [3]

    def look(**_: Any) -> Any:
        failures[0] -= 1
        if failures[0] >= 0:
            raise RuntimeError("a bug")
        return real()

    post.sweeps[0].look = look  # type: ignore[method-assign, assignment]
    box.put(season.letter("punica", "red", b"STATUS\n"), datetime.now(UTC))
    thread = Thread(target=Service(post, 1, (sys.executable, "-c", BLANK_WORKER)).run)
    thread.start()
    try:
        until(lambda: len(way.given) == 1)
    finally:
        post.stop.set()
        thread.join(60)
    assert sum("a fault in pbem: RuntimeError: a bug" in line for line in season.said) == 1


def test_once_tells_what_it_could_not_reach_and_does_the_rest(season: Season) -> None:
    box, way = Box(), Way(wrong="no route to host")
    post = opened(season, box, way)
    box.put(season.letter("punica", "red", b"STATUS\n"), datetime.now(UTC))
    assert not run_once(post)
    assert season.said[-1] == "way cannot be reached: no route to host"
    assert post.tables.counts().to_send == 1
    way.wrong = ""
    assert run_once(post)
    assert len(way.given) == 1
    box.wrong = "it hung up"
    assert not run_once(post)
    assert season.said[-2:] == ["way cannot be reached: no route to host", "box cannot be reached: it hung up"]
    assert "NOT well: box cannot be reached since" in health(post.tables, time()).line


@pytest.mark.real
def test_service_stops_within_seconds(season: Season, running: Popen[str]) -> None:
    started = monotonic()
    running.terminate()
    assert running.wait(60) == 0
    assert monotonic() - started < 30
    assert children(running.pid) == []
