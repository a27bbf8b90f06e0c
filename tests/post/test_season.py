"""A season in simulated time: many games with clocks, letters at random, outages, changes of summer time, vacations.

The service is looked at from outside alone: which letters it was given and when, and which it has sent. From that
follows who may not be late. What the clocks have decided is then derived again from the record of each game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial
from hashlib import sha256
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.game import yaml as yamlio
from pbem.mail.notes.correspondence import note_reported
from pbem.mail.write.report_letters import first_letters
from pbem.post.service.service import Post, run_once
from pbem.post.tables.open_tables import open_tables
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.post.tables.tables import NEVER
from pbem.post.transport.base import Arrived
from pbem.protocol import Side
from pbem.referee.game.facts import Late, read_fact
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import fact_path
from tests.support.blank import blank_legend, blank_pictures
from tests.support.boxes import ARRIVED, Box, Way
from tests.support.live import SECRETS
from tests.support.seasons import Season, bot_sheet
from tests.support.soak import scaled
from tests.support.walks import FOLDERS

GAMES = scaled(120, 10)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LOOK = timedelta(hours=2)
"""Where something is due, and was put off, the service looks again so soon."""
SLACK = timedelta(seconds=32)
"""So much later the service is sure that no letter is to come that came before."""
GRACE = 6 * HOUR
WEEKLY = {"zone": "Africa/Casablanca", "deadlines": ["sunday 20:00"], "notice": "24h"}
PACE = {"pace": {"bank": "6d", "bonus": "2d", "most": "9d"}, "quiet": {"hours": "23:00-07:00"}}
CLOCKS: tuple[dict[str, Any], ...] = (
    {**WEEKLY, "late": "default"},
    {**PACE, "zone": "Europe/Berlin", "late": "default"},
    {**PACE, "zone": "America/New_York", "late": "wait", "hold": "20m"},
    {"pace": {"bank": "5d", "bonus": "3d", "most": "8d"}, "zone": "UTC", "late": "default"},
)


@dataclass(frozen=True)
class Span:
    """A span of time, such as an outage or a vacation."""

    since: datetime
    until: datetime

    def has(self, at: datetime) -> bool:
        return self.since <= at < self.until


class Emptied(Box):
    """A mailbox out of which letters are moved when they are done, so that they are not looked at again."""

    def put(self, content: bytes, at: datetime = ARRIVED, size: int = 0) -> str:
        uid = str(len(self.letters) + len(self.marked) + 1)
        self.letters[uid] = content, at, size or len(content)
        return uid

    def done(self, letter: Arrived) -> None:
        super().done(letter)
        self.letters.pop(letter.uid, None)


@dataclass
class Simulation:
    """Games, their players, and the service, at a time that is set by hand."""

    path: Path
    games: int
    begins: datetime
    lasts: timedelta
    outages: list[Span]
    vacations: int
    idle: float
    """The share of questions that a player does not answer."""
    hours: float
    """How long players take to answer, on average."""
    seed: int = 7
    handed: dict[tuple[str, Side], list[datetime]] = field(default_factory=dict)
    """When letters with a form were handed over to each player."""
    answers: dict[tuple[str, Side], list[datetime]] = field(default_factory=dict)
    """When letters with an answer came into the mailbox."""
    away: dict[tuple[str, Side], list[Span]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now, self.random = self.begins, Random(self.seed)
        self.season = Season(self.path, proofs="token, address")
        self.box, self.way = Emptied(), Way()
        tables = open_tables(self.season.config)
        self.post = Post(self.season.config, tables, [self.box], self.way, self.season.said.append, self.clock)
        self.names = [f"spring-{number:02}" for number in range(self.games)]
        self.ticks, self.read_so_far = 0, 0
        self.events: list[tuple[datetime, int, Any]] = []
        self.numbers = count()

    def clock(self) -> float:
        return self.now.timestamp()

    def open(self, name: str) -> Adjudicator:
        return self.post.config.mail_settings(self.now, repos=self.post.repos).open(name)

    def at(self, when: datetime, act: Any) -> None:
        heappush(self.events, (when, next(self.numbers), act))

    # ---- the course of things

    def run(self) -> None:
        """Let all of it happen."""
        for number, name in enumerate(self.names):
            self.begin(name, number)
        for outage in self.outages:
            self.at(outage.until, lambda: None)
        for _ in range(self.vacations):
            self.at(self.begins + self.lasts * self.random.uniform(0.05, 0.8), self.goes_away)
        end = self.begins + self.lasts
        while self.now < end:
            self.look()
            self.wait(min([end, self.due(), *(each[0] for each in self.events[:1])]))
            while self.events and self.events[0][0] <= self.now:
                heappop(self.events)[2]()
        self.post.tables.close()

    def due(self) -> datetime:
        """Return when something falls due next by itself, as the tables say; or the end of an outage."""
        assert isinstance(self.post.tables, SqliteTables)
        ends = [each.until for each in self.outages if each.has(self.now)]
        ((first,),) = self.post.tables._connection.execute("SELECT min(falls) FROM games")
        if ends or first is None or first >= NEVER:
            return ends[0] if ends else datetime.max.replace(tzinfo=UTC)
        falls = datetime.fromtimestamp(first, UTC) + SLACK
        return falls if falls > self.now else self.now + LOOK

    def wait(self, until: datetime) -> None:
        """Let time pass in which nothing comes and nothing is due; the service goes on looking, unless it is out."""
        begins = [each.since for each in self.outages if self.now <= each.since < until]
        if not self.is_out():
            looked = min([until, *begins]) - SLACK
            self.post.tables.note("looked", f"{looked.timestamp():.3f}", looked.timestamp())
        self.now = max(until, self.now)

    def is_out(self) -> bool:
        return any(each.has(self.now) for each in self.outages)

    def look(self) -> None:
        """Let the service look, unless it is out, and give its letters to their readers."""
        if self.is_out():
            return
        run_once(self.post)
        self.ticks += 1
        for to, content in self.way.given[self.read_so_far :]:
            side, _, name = to.partition("@")[0].partition(".")
            if b"orders.yaml" in content:
                self.handed.setdefault((name, side), []).append(self.now)
                if self.random.random() > self.idle:
                    span = timedelta(hours=5 + self.random.expovariate(1 / self.hours))
                    self.at(self.now + span, partial(self.answer, name, side))
        self.read_so_far = len(self.way.given)

    def begin(self, name: str, number: int) -> None:
        terms = {**CLOCKS[number % len(CLOCKS)], "away": 21, "grace": "6h"}
        secrets = replace(SECRETS, chain=sha256(name.encode()).digest(), hidden=sha256(b"h" + name.encode()).digest())
        new = self.season.new_game(name, "toy", secrets, clock=terms, begin=False)
        with create_game(self.season.games, self.path / "keys", new) as game:
            game.carry_out_letter_of(self.now, self.now)
            game.adjudicate()
            note_reported(game.path, game.adjudication)
            for out in first_letters(game, self.post.config.mail_settings(self.now, self.post.outbox)):
                out.put_into(self.post.outbox)

    # ---- the players

    def answer(self, name: str, side: Side) -> None:
        """Let a player answer what the game asks now; who is away answers when they are back."""
        for span in self.away.get((name, side), ()):
            if span.has(self.now):
                self.at(span.until + self.random.random() * DAY, partial(self.answer, name, side))
                return
        with self.open(name) as game:
            if any(each.side == side for each in game.open_decisions):
                self.put(name, side, bot_sheet(game, side))
                self.answers.setdefault((name, side), []).append(self.now)

    def put(self, name: str, side: Side, body: bytes) -> None:
        self.box.put(self.season.letter(name, side, body), self.now)

    def goes_away(self) -> None:
        """Let a player say that they are away for some days from tomorrow on."""
        name, side = self.random.choice(self.names), self.random.choice(["red", "blue"])
        if (name, side) in self.away:
            return
        zone = ZoneInfo(str(CLOCKS[self.names.index(name) % len(CLOCKS)]["zone"]))
        first = self.now.astimezone(zone).date() + DAY
        last = first + DAY * self.random.randrange(3, 12)
        self.put(name, side, f"AWAY {first:%d %b} - {last:%d %b}\n".encode())
        midnight = datetime.min.time()
        begins, ends = datetime.combine(first, midnight, zone), datetime.combine(last + DAY, midnight, zone)
        self.away[name, side] = [Span(begins.astimezone(UTC), ends.astimezone(UTC))]

    # ---- what came of it

    def late(self) -> Iterator[tuple[str, Side, datetime]]:
        """Yield who was called late, in which game, by which deadline."""
        for name in self.names:
            with self.open(name) as game:
                clocks = game.clock.read()
                assert clocks is not None
                for number in range(1, clocks.facts + 1):
                    content = game.ledger.repo.read(fact_path(number))
                    fact = read_fact(yamlio.read(content or b"", name="fact").value)
                    if isinstance(fact, Late):
                        yield from ((name, side, at) for side, at in fact.sides.items())

    def faults(self) -> Iterator[str]:
        """Yield who was called late by the fault of the service, as far as that can be seen from outside."""
        for name, side, at in self.late():
            who = f"{name}: {side} late by {at}"
            had = [when for when in self.handed.get((name, side), ()) if when <= at]
            if not had:
                yield f"{who}, and never had a letter"
                continue
            if any(had[-1] < when <= at for when in self.answers.get((name, side), ())):
                yield f"{who}, and has answered in time"
            if any(span.has(at) for span in self.away.get((name, side), ()) if self.was_told(name, side)):
                yield f"{who}, and is away"
            if any(
                out.since <= at < out.until + GRACE - SLACK for out in self.outages if out.until - out.since > GRACE
            ):
                yield f"{who}, and the service was down"
            terms = CLOCKS[self.names.index(name) % len(CLOCKS)]
            local = at.astimezone(ZoneInfo(str(terms["zone"])))
            stops = [*self.outages, *self.away.get((name, side), ())]
            put_off = [out.until + GRACE for out in self.outages] + [each.until for each in stops]
            put_off += [moved for each in stops for moved in _moved(each, had, local.tzinfo)]
            if "deadlines" in terms and (local.hour, local.minute) != (20, 0) and not _near(at, put_off):
                yield f"{who}, which is {local} there"

    def was_told(self, name: str, side: Side) -> bool:
        """Tell whether the referee knows of a vacation."""
        return any(f"{side} away" in line for line in self.subjects(name))

    def subjects(self, name: str) -> list[str]:
        with self.open(name) as game:
            return [each.message.split("\n")[0] for each in game.ledger.repo.history()]

    def check(self, name: str) -> list[str]:
        """Derive a game again from its record, and return what is wrong with it."""
        keys = partial(Keys.load, self.path / "keys")
        found = verify(self.season.games / f"{name}.git", keys=keys, folders=FOLDERS)
        return [f"{name}: {each}" for each in found.findings.sorted]


def _moved(stop: Span, handed: list[datetime], zone: tzinfo | None) -> Iterator[datetime]:
    """Yield where a deadline on a Sunday in a stop may be moved to, by when it began or a letter was handed over."""
    for days in range((stop.until - stop.since).days + 2):
        sunday = datetime.combine((stop.since + days * DAY).astimezone(zone).date(), time(20), zone)
        if sunday.weekday() == 6 and stop.has(sunday):
            yield from (stop.until + (sunday - since) for since in (stop.since, *filter(stop.has, handed)))


def _near(at: datetime, others: list[datetime]) -> bool:
    """Tell whether an instant is one to which a deadline was put off: the service notes its outages to a look."""
    return any(abs(at - other) <= LOOK for other in others)


def simulated(
    path: Path,
    games: int,
    weeks: float,
    outages: list[float],
    vacations: int,
    begins: datetime,
    idle: float = 0.06,
    hours: float = 320,
) -> Simulation:
    """Let a season happen; each outage begins after so many days, and one is longer than the other."""
    spans = [
        Span(begins + days * DAY, begins + days * DAY + length)
        for days, length in zip(outages, (9 * HOUR, 30 * HOUR, 3 * DAY), strict=False)
    ]
    season = Simulation(path, games, begins, weeks * 7 * DAY, spans, vacations, idle, hours)
    season.run()
    return season


def judged(season: Simulation) -> None:
    """Check a season that has happened."""
    late = list(season.late())
    assert late, "nobody was late, and so nothing was tried"
    assert list(season.faults()) == []
    assert [fault for name in season.names for fault in season.check(name)] == []
    assert not [line for line in season.season.said if re.search("fault in pbem|cannot go on", line)]


@pytest.fixture(autouse=True)
def without_pictures_and_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no maps, and do not wait for the disk: no power is cut here."""
    monkeypatch.setattr("os.fsync", lambda fd: None)
    transaction = SqliteTables._transaction
    monkeypatch.setattr(SqliteTables, "_transaction", lambda tables, lasting=False: transaction(tables))
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    monkeypatch.setattr("pbem.mail.write.enclosures.legend_picture", blank_legend)


def test_a_short_season_runs_by_itself(tmp_path: Path) -> None:
    """Casablanca puts its clocks back on the first Sunday, while the service is out."""
    judged(simulated(tmp_path, 2, 1.5, [4.8], 1, datetime(2026, 2, 10, 8, 0, tzinfo=UTC), idle=0.3, hours=120))


@pytest.mark.soak
def test_a_season_of_many_games_runs_by_itself(tmp_path: Path) -> None:
    """Twelve weeks, with two changes of summer time in Casablanca and one in each of two other zones.

    There are forty games, and fewer in a shorter soak.
    """
    season = simulated(tmp_path, GAMES, 12, [12.1, 40.3, 61.5], 20, datetime(2026, 2, 3, 8, 0, tzinfo=UTC))
    judged(season)
    assert len(season.away) > 10
    assert sum(len(each) for each in season.answers.values()) > 7 * GAMES
