"""What falls due by itself: the service looks for it, in the order of the mailbox's times, and opens no idle game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.mail.notes.correspondence import CORRESPONDENCES, note_reported
from pbem.mail.write.report_letters import first_letters
from pbem.mail.write.time_letters import reminder
from pbem.post.service.service import Post, run_once
from pbem.post.service.worker import Worker
from pbem.post.settings import Rates
from pbem.post.tables.open_tables import open_tables
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.post.transport.base import Accepted, Later
from pbem.referee import opening
from pbem.referee.game.side_clocks import Clocks
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.boxes import Box, Way
from tests.support.live import SECRETS
from tests.support.seasons import Season, address
from tests.support.walks import FOLDERS

MORNING = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
BOUNCE = """\
From: MAILER-DAEMON@mail.example.org
Subject: Undelivered Mail Returned to Sender
To: pbem@example.org
Auto-Submitted: auto-replied
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Action: failed
Status: 5.2.2
Diagnostic-Code: smtp; 552 mailbox full

--b
Content-Type: message/rfc822

Message-ID: {id}

Your move
--b--
"""


class Time:
    """A time that is set by hand."""

    def __init__(self) -> None:
        self.now = MORNING

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def season(tmp_path: Path) -> Season:
    return Season(tmp_path, proofs="token, address")


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
    run_once(post)


def test_news_of_a_day_is_one_letter_in_the_morning(
    season: Season, post: Post, box: Box, way: Way, clock: Time
) -> None:
    """It is told by the zone of its reader, and only if anything was held back."""
    season.create("punica", rules="five", scenario="late", begin=True)
    clock.now += HOUR
    oak = address("punica", "oak")
    box.put(season.letter("punica", "oak", b"NEWS daily\nZONE europe/berlin\n"), clock.now)
    run_once(post)
    repo = season.games / "punica.git"
    for _ in range(12):
        if CORRESPONDENCES.read(repo, "oak").owed:
            break
        moves(season, box, post, clock)
    before, day = told(way, oak), datetime.fromisoformat(CORRESPONDENCES.read(repo, "oak").owed)
    assert day <= clock.now
    clock.now = day.replace(hour=5, minute=58) + timedelta(days=1)
    run_once(post)
    assert told(way, oak) == before
    clock.now += timedelta(minutes=3)
    run_once(post)
    assert len(told(way, oak)) == len(before) + 1
    clock.now += timedelta(days=1)
    run_once(post)
    assert len(told(way, oak)) == len(before) + 1
    with season.open("punica") as game:
        assert told(way, oak)[-1].endswith(f"-{game.adjudication}")


def test_idle_games_are_not_opened(season: Season, post: Post, clock: Time) -> None:
    """They are opened once; then only those that a command has changed."""
    for name in ("punica", "zama"):
        season.create(name, begin=True)
    opened: list[str] = []
    real = opening.open_game

    def noting(games: Path, keys: Path, name: str, **more: Any) -> Adjudicator:
        opened.append(name)
        return real(games, keys, name, **more)

    with patch("pbem.mail.write.outgoing.open_game", noting):
        clock.now += HOUR
        run_once(post)
        assert sorted(set(opened)) == ["punica", "zama"]
        opened.clear()
        clock.now += HOUR
        run_once(post)
        assert opened == []
        with season.open("zama") as game:
            side, sheet = next(season.asked("zama"))
            assert game.receive(side, sheet).number
        opened.clear()
        clock.now += HOUR
        run_once(post)
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


CLOCK = {"pace": {"bank": "3d", "bonus": "12h", "most": "9d"}, "hold": "20m", "late": "default", "grace": "6h"}


def begun(season: Season, clock: Time, post: Post) -> None:
    """Make a game with a clock that begins now, and send its first letters."""
    with create_game(
        season.games, season.path / "keys", season.new_game("punica", "toy", SECRETS, clock=CLOCK, begin=False)
    ) as game:
        game.carry_out_letter_of(clock.now, clock.now)
        game.adjudicate()
        note_reported(game.path, game.adjudication)
        for out in first_letters(game, post.config.mail_settings(clock.now, post.outbox)):
            out.put_into(post.outbox)


def clocks(season: Season) -> Clocks:
    with season.open("punica") as game:
        found = game.clock.read()
        assert found is not None
        return found


def passes(post: Post, clock: Time, span: timedelta, every: timedelta = timedelta(minutes=10)) -> None:
    """Let time pass while the service runs now and then."""
    until = clock.now + span
    while clock.now < until:
        clock.now += min(every, until - clock.now)
        run_once(post)


def faults(season: Season) -> list[str]:
    found = verify(
        season.games / "punica.git", keys=lambda name: Keys.load(season.path / "keys", name), folders=FOLDERS
    )
    return [str(each) for each in found.findings.sorted]


def test_a_clock_runs_from_when_its_letter_was_sent(season: Season, post: Post, clock: Time, way: Way) -> None:
    """As long as no server takes the letter, no time passes for its reader."""
    way.answers[address("punica", "red")] = [Later("busy"), Accepted()]
    begun(season, clock, post)
    run_once(post)
    sent = clock.now
    passes(post, clock, HOUR)
    found = clocks(season).sides
    assert found["blue"].since == sent
    assert found["red"].since is not None
    assert sent + timedelta(minutes=1) <= found["red"].since < sent + HOUR
    assert faults(season) == []


def test_a_letter_that_limits_hold_back_starts_no_clock(
    season: Season, post: Post, clock: Time, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One letter an hour may leave, and two a day. Of two letters to one side the last asks what counts."""
    begun(season, clock, post)
    monkeypatch.setattr(post.sending, "rates", Rates(per_hour=1, per_day=2))
    run_once(post)
    sent = clock.now
    passes(post, clock, HOUR / 2)
    first, second = sorted(clocks(season).sides, key=lambda side: clocks(season).sides[side].since is None)
    assert clocks(season).sides[first].since == sent
    assert clocks(season).sides[second].since is None
    with season.open("punica") as game:
        out = reminder(game, second, "You are asked.", "again", post.config.mail_settings(clock.now, post.outbox))
    out.put_into(post.outbox)
    passes(post, clock, 2 * HOUR)
    assert len(way.given) == 2
    assert clocks(season).sides[second].since is None  # the letter that asks last has not left
    passes(post, clock, 23 * HOUR, HOUR)
    assert len(way.given) == 3
    since = clocks(season).sides[second].since
    assert since is not None
    assert since >= sent + 24 * HOUR
    assert faults(season) == []


def test_news_that_wait_stop_no_clock(season: Season, post: Post, clock: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be sent any more, but who was asked before has no more time for that."""
    begun(season, clock, post)
    run_once(post)
    monkeypatch.setattr(post.sending, "rates", Rates(per_hour=0, per_day=0))
    passes(post, clock, 80 * HOUR, HOUR)
    assert [each.late for each in clocks(season).sides.values()] == [1, 1]
    assert faults(season) == []


@pytest.mark.slow
def test_no_deadline_falls_due_soon_after_the_service_was_down(
    season: Season, post: Post, clock: Time, way: Way, box: Box
) -> None:
    """The sides have six hours after a night off, and the letter that came meanwhile is in time."""
    begun(season, clock, post)
    passes(post, clock, timedelta(days=2, hours=20), HOUR)
    box.put(season.letter("punica", "red", dict(season.asked("punica"))["red"]), clock.now + 3 * HOUR)
    clock.now += 12 * HOUR
    passes(post, clock, 5 * HOUR)
    with season.open("punica") as game:
        assert game.adjudication == 1
        assert game.sheets("red") == 1
        assert [down.until - down.since > 11 * HOUR for down in clocks(season).downs] == [True]
    assert not clocks(season).sides["blue"].late
    passes(post, clock, 2 * HOUR)
    assert clocks(season).sides["blue"].late == 1
    assert not clocks(season).sides["red"].late
    assert faults(season) == []


def test_once_carries_out_a_hold_at_its_first_run_after(season: Season, post: Post, clock: Time, box: Box) -> None:
    begun(season, clock, post)
    passes(post, clock, HOUR)
    sheets = dict(season.asked("punica"))
    box.put(season.letter("punica", "red", sheets["red"]), clock.now)
    box.put(season.letter("punica", "blue", sheets["blue"]), clock.now)
    clock.now += timedelta(minutes=5)
    run_once(post)
    held = clocks(season).sides["blue"].held
    assert held == clock.now + timedelta(minutes=15)
    clock.now += HOUR
    run_once(post)
    with season.open("punica") as game:
        assert game.adjudication > 1
    assert faults(season) == []
    assert any("a hold is over" in line for line in season.said)


def test_a_bounce_stops_a_clock(season: Season, post: Post, clock: Time, box: Box, way: Way) -> None:
    """None of the time counts in which its player had no letter; who writes gets it again, and time counts on."""
    begun(season, clock, post)
    run_once(post)
    passes(post, clock, HOUR)
    (first,) = [content for to, content in way.given if to == address("punica", "red")]
    id = message_from_bytes(first)["Message-ID"]
    box.put(BOUNCE.format(id=id).encode(), clock.now)
    passes(post, clock, 5 * timedelta(days=1), HOUR)
    assert clocks(season).sides["red"].bounced is not None
    assert not clocks(season).sides["red"].late
    assert clocks(season).sides["blue"].late
    box.put(season.letter("punica", "red", b"STATUS\n", more=f"In-Reply-To: {id}\n"), clock.now)
    passes(post, clock, HOUR)
    red = clocks(season).sides["red"]
    assert red.bounced is None
    assert red.used == timedelta()
    assert len([to for to, _ in way.given if to == address("punica", "red")]) >= 3
    assert faults(season) == []


def test_a_letter_of_the_night_off_makes_nobody_late(season: Season, post: Post, clock: Time, box: Box) -> None:
    """A worker takes it in before the mailbox is looked through to its end: the night off is known by then."""
    begun(season, clock, post)
    passes(post, clock, timedelta(days=2, hours=20), HOUR)
    box.put(season.letter("punica", "red", dict(season.asked("punica"))["red"]), clock.now + 6 * HOUR)
    clock.now += 12 * HOUR
    post.begins_to_look()
    post.sweeps[0].look()
    Worker(post.config, post.tables, season.said.append, clock).work()
    with season.open("punica") as game:
        assert game.sheets("red") == 1
    assert not any(each.late for each in clocks(season).sides.values())
    assert faults(season) == []
