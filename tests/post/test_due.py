"""What falls due by itself: the service looks for it, in the order of the mailbox's times, and opens no idle game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.mail.correspondence import correspondence
from pbem.post.open_tables import open_tables
from pbem.post.service import Post, once
from pbem.post.sqlite_tables import SqliteTables
from pbem.post.worker import Worker
from pbem.referee.adjudicator import Adjudicator
from tests.support.boxes import Box, Way
from tests.support.seasons import Season, address

MORNING = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Time:
    """A time that is set by hand."""

    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def season(tmp_path: Path) -> Season:
    return Season(tmp_path)


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def way() -> Way:
    return Way()


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def post(season: Season, box: Box, way: Way, clock: Time) -> Iterator[Post]:
    tables = open_tables(season.config)
    yield Post(season.config, tables, [box], way, season.said.append, clock)
    tables.close()


def told(way: Way, to: str) -> list[str]:
    """Return the adjudications that the letters to an address have told of, as their receipts say it."""
    found = []
    for recipient, content in way.given:
        if recipient == to:
            found += re.findall(rb"(?m)^told: (\d+-\d+)\r?$", message_from_bytes(content).as_bytes())
    return [each.decode() for each in found]


def moves(season: Season, box: Box, post: Post, clock: Time, name: str = "punica") -> None:
    """Let the sides that are asked answer, one hour later."""
    clock.now += HOUR
    for side, sheet in season.asked(name):
        box.put(season.letter(name, side, sheet), clock.now)
    once(post)


def test_news_of_a_day_is_one_letter_in_the_morning(
    season: Season, post: Post, box: Box, way: Way, clock: Time
) -> None:
    """It is told by the zone of its reader, and only if anything was held back."""
    season.create("punica", rules="five", scenario="late", begin=True)
    clock.now += HOUR
    oak = address("punica", "oak")
    box.put(season.letter("punica", "oak", b"NEWS daily\nZONE europe/berlin\n"), clock.now)
    once(post)
    repo = season.games / "punica.git"
    for _ in range(12):
        if correspondence(repo, "oak").owed:
            break
        moves(season, box, post, clock)
    before, day = told(way, oak), datetime.fromisoformat(correspondence(repo, "oak").owed)
    assert day <= clock.now
    clock.now = day.replace(hour=5, minute=58) + timedelta(days=1)
    once(post)
    assert told(way, oak) == before
    clock.now += timedelta(minutes=3)
    once(post)
    assert len(told(way, oak)) == len(before) + 1
    clock.now += timedelta(days=1)
    once(post)
    assert len(told(way, oak)) == len(before) + 1
    with season.open("punica") as game:
        assert told(way, oak)[-1].endswith(f"-{game.adjudication}")


def test_idle_games_are_not_opened(season: Season, post: Post, clock: Time) -> None:
    """They are opened once; then only those that a command has changed."""
    for name in ("punica", "zama"):
        season.create(name, begin=True)
    opened: list[str] = []
    real = Adjudicator.open.__func__  # type: ignore[attr-defined]

    def noting(kind: type[Adjudicator], games: Path, keys: Path, name: str, /, **more: object) -> Adjudicator:
        opened.append(name)
        found: Adjudicator = real(kind, games, keys, name, **more)
        return found

    with patch.object(Adjudicator, "open", classmethod(noting)):
        clock.now += HOUR
        once(post)
        assert sorted(set(opened)) == ["punica", "zama"]
        opened.clear()
        clock.now += HOUR
        once(post)
        assert opened == []
        with season.open("zama") as game:
            side, sheet = next(season.asked("zama"))
            assert game.receive(side, sheet).number
        opened.clear()
        clock.now += HOUR
        once(post)
        assert opened == ["zama"]


def test_ten_thousand_idle_games_are_not_looked_at_one_by_one(tmp_path: Path) -> None:
    """Which games are due is found by an index: the plan of the query scans no table."""
    tables = SqliteTables(tmp_path / "post.sqlite", lambda: 0.0)
    tables.note_looked(1_000_000.0, 0.0)
    seen: list[str] = []
    tables._connection.set_trace_callback(seen.append)
    assert tables.next_games(1_000_000.0, 9) == []
    tables._connection.set_trace_callback(None)
    queries = [each for each in seen if each.startswith("SELECT game")]
    assert len(queries) == 2
    for query in queries:
        plan = " ".join(str(row) for row in tables._connection.execute(f"EXPLAIN QUERY PLAN {query}"))
        assert "SCAN" not in plan or "games_waiting" in plan, plan
    tables.close()


def test_a_long_time_without_a_look_is_noted(tmp_path: Path) -> None:
    tables = SqliteTables(tmp_path / "post.sqlite", lambda: 0.0)
    for until in (1000.0, 1010.0, 9000.0, 9010.0):
        tables.note_looked(until, until)
    assert tables.looked() == 9010.0
    assert tables.downs() == [(1010.0, 9000.0)]
    tables.close()


def test_a_game_waits_for_the_letters_that_came_before(season: Season, post: Post, box: Box, clock: Time) -> None:
    """So long as a letter waits, its game goes on by itself only until the time of that letter."""
    season.create("punica", begin=True)
    worker = Worker(post.config, post.tables, season.said.append, clock)
    post.tables.note("since", "0", 0.0)
    post.tables.note_looked(clock() + 1000, clock())
    assert worker._looked(["punica"]) == datetime.fromtimestamp(clock() + 1000, UTC)
    clock.now += HOUR
    side, sheet = next(season.asked("punica"))
    box.put(season.letter("punica", side, sheet), clock.now - timedelta(minutes=50))
    post.sweeps[0].look()
    assert worker._looked(["punica"]) == MORNING + timedelta(minutes=10)
    waiting = post.tables.next_letter("punica", clock())
    assert waiting is not None
    assert worker._looked(["punica"], waiting.id) == MORNING + timedelta(seconds=1000)
