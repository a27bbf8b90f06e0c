"""The sweep of a mailbox: what is taken, what is left alone, what is never fetched, and what is known again."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time

import pytest

from pbem.post.service.sweep import SINCE, TOO_BIG, Sweep
from pbem.post.service.triage import KnownPlayers
from pbem.post.settings import IntakeLimits
from pbem.post.tables.tables import NO_GAME, Tables
from pbem.post.transport.base import Arrived, Unreachable, Withheld
from tests.support.boxes import Box
from tests.support.seasons import Season, address, resident
from tests.support.soak import scaled

NOW = datetime.now(UTC)
SIDE = "red"
AT_ONCE = scaled(30_000, 1_000)
"""So many letters one player sends at once."""


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the letters come when the test runs: older ones than the games are passed over."""
    monkeypatch.setattr("tests.post.test_intake.NOW", datetime.now(UTC))


@pytest.fixture
def season(tmp_path: Path) -> Season:
    made = Season(tmp_path)
    made.create("punica")
    return made


@pytest.fixture
def tables(season: Season) -> Tables:
    return season.tables()


@pytest.fixture
def sweep(season: Season, box: Box, tables: Tables) -> Sweep:
    return sweep_of(season, box, tables)


def sweep_of(
    season: Season, box: Box, tables: Tables, limits: IntakeLimits | None = None, clock: Callable[[], float] = time
) -> Sweep:
    players = KnownPlayers(season.config.mail_settings(NOW))
    return Sweep(box, tables, players, limits or season.config.limits, season.said.append, clock)


def status(season: Season, side: str = SIDE, name: str = "punica") -> bytes:
    return season.letter(name, side, b"STATUS\n")


def stranger(subject: str = "Dinner?") -> bytes:
    return f"From: mum@example.com\nTo: you@example.org\nSubject: {subject}\nMessage-ID: <1@x>\n\nSunday?\n".encode()


def test_letter_of_a_player_is_put_in_the_queue_of_its_game(
    sweep: Sweep, box: Box, tables: Tables, season: Season
) -> None:
    at = NOW - timedelta(seconds=20)
    box.put(status(season), at)
    assert sweep.look() == (1, 0)
    found = tables.next_letter("punica", time())
    assert found is not None
    assert (found.sender, found.by, found.games) == (address("punica", SIDE), "address", ["punica"])
    assert found.at == at.timestamp()
    assert sweep.look() == (0, 0)


def test_letter_of_a_stranger_is_left_alone(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(stranger(), NOW)
    box.put(stranger("large") + b"x" * 3_000_000, NOW)
    assert sweep.look() == (0, 2)
    assert sweep.look() == (0, 0)
    assert (tables.counts().passed, tables.counts().waiting) == (2, 0)
    sweep.mark()
    assert box.marked == []
    assert season.said == []
    assert "2" not in box.fetched


def test_private_letter_of_a_player_stays_unread(sweep: Sweep, box: Box, season: Season) -> None:
    box.put(season.letter("punica", SIDE, b"Shall we have lunch on Friday?\n").replace(b"Re: punica", b"Lunch"), NOW)
    assert sweep.look() == (0, 1)
    sweep.mark()
    assert box.marked == []


def test_letter_of_fifty_megabytes_is_never_fetched(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW, size=50_000_000)
    assert sweep.look() == (1, 0)
    assert box.fetched == []
    assert season.said == ["a letter of 50 MB is refused without fetching it"]
    found = tables.next_letter(NO_GAME, time())
    assert found is not None
    assert (found.by, found.size) == (TOO_BIG, 50_000_000)
    assert b"STATUS" not in found.content


def test_changed_uidvalidity_makes_no_letter_come_twice(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW)
    box.put(stranger(), NOW)
    sweep.look()
    box.validity = 2
    assert sweep.look() == (1, 1)
    assert tables.counts().waiting == 1


def test_letter_is_marked_only_when_its_game_has_it(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW)
    sweep.look()
    assert sweep.mark() == 0
    found = tables.next_letter("punica", time())
    assert found is not None
    tables.done(found.id, "punica")
    assert sweep.mark() == 1
    assert box.marked == ["1"]
    assert sweep.mark() == 0


def test_letter_is_marked_in_its_own_mailbox_alone(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW)
    sweep.look()
    found = tables.next_letter("punica", time())
    assert found is not None
    tables.done(found.id, "punica")
    other = Box("other")
    assert sweep_of(season, other, tables).mark() == 0
    assert sweep.mark() == 1


def test_letters_older_than_the_games_are_left_alone(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW - timedelta(days=400))
    box.put(status(season), NOW)
    assert sweep.look() == (1, 0)
    noted = tables.noted(SINCE)
    assert noted is not None
    assert abs(float(noted[0]) - NOW.timestamp()) < 300


def test_letter_that_is_gone_meanwhile_is_no_error(sweep: Sweep, box: Box, season: Season) -> None:
    box.put(status(season), NOW)
    box.put(status(season), NOW)
    new = box.new

    def gone(known: Callable[[str, str], bool]) -> object:
        for letter in new(known):
            if letter.uid == "1":
                del box.letters["1"]
            yield letter

    box.new = gone  # type: ignore[method-assign, assignment]
    assert sweep.look() == (1, 0)


def test_unreachable_mailbox_is_told_and_nothing_is_known(
    sweep: Sweep, box: Box, tables: Tables, season: Season
) -> None:
    box.put(status(season), NOW)
    box.wrong = "connection refused"
    with pytest.raises(Unreachable):
        sweep.look()
    box.wrong = ""
    assert sweep.look() == (1, 0)


def test_mailbox_that_breaks_off_is_read_on_from_there(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    for _ in range(4):
        box.put(status(season), NOW)
    fetch, left = box.fetch, [3]

    def breaking(letter: Arrived) -> bytes:
        left[0] -= 1
        if left[0] == 0:
            raise Unreachable("it broke off")
        return fetch(letter)

    box.fetch = breaking  # type: ignore[method-assign]
    with pytest.raises(Unreachable):
        sweep.look()
    assert tables.counts().waiting == 2
    assert sweep.look() == (2, 0)
    assert tables.counts().waiting == 4


def test_letter_that_the_server_never_gives_holds_back_none(box: Box, tables: Tables, season: Season) -> None:
    for _ in range(2):
        box.put(status(season), NOW)
    fetch, hours = box.fetch, [0.0]

    def refusing(letter: Arrived) -> bytes:
        if letter.uid == "1":
            raise Withheld("NO [SERVERBUG] internal error")
        return fetch(letter)

    box.fetch = refusing  # type: ignore[method-assign]
    sweep = sweep_of(season, box, tables, clock=lambda: time() + 3600 * hours[0])
    with pytest.raises(Unreachable):  # an hour for the server to mend it: the letters keep their order
        sweep.look()
    hours[0] = 1.1
    assert sweep.look() == (1, 0)
    assert sweep.look() == (0, 0)
    assert [line for line in season.said if "cannot be read" in line] == season.said[-1:]
    box.fetch = fetch  # type: ignore[method-assign]
    assert sweep.look() == (1, 0)


def test_sender_of_too_many_letters_waits_and_no_other(box: Box, tables: Tables, season: Season) -> None:
    for _ in range(4):
        box.put(status(season), NOW)
    box.put(status(season, "blue"), NOW)
    sweep_of(season, box, tables, IntakeLimits(sender_per_hour=2)).look()
    taken = []
    for hours in range(3):
        while (found := tables.next_letter("punica", time() + hours * 3601)) is not None:
            taken.append((hours, found.id))
            tables.done(found.id, "punica")
    assert taken == [(0, 1), (0, 2), (0, 5), (1, 3), (1, 4)]
    assert sum("come too fast" in line for line in season.said) == 1


def test_game_with_too_many_letters_waits_and_no_other(box: Box, tables: Tables, season: Season) -> None:
    season.create("zama")
    for side in ("red", "blue", "red"):
        box.put(status(season, side), NOW)
    box.put(status(season, name="zama"), NOW)
    sweep_of(season, box, tables, IntakeLimits(game_per_hour=2)).look()
    assert tables.next_games(time(), 9) == ["punica", "zama"]
    for _ in range(2):
        found = tables.next_letter("punica", time())
        assert found is not None
        tables.done(found.id, "punica")
    assert tables.next_letter("punica", time()) is None
    assert tables.next_letter("punica", time() + 3601) is not None


def test_time_of_a_letter_is_never_in_the_future(sweep: Sweep, box: Box, tables: Tables, season: Season) -> None:
    box.put(status(season), NOW + timedelta(days=300))
    sweep.look()
    found = tables.next_letter("punica", time())
    assert found is not None
    assert found.at <= time()


def test_many_letters_at_once_are_taken_in_parts_and_in_order(
    sweep: Sweep, box: Box, tables: Tables, season: Season
) -> None:
    for number in range(120):
        box.put(status(season) if number % 3 else stranger(f"letter {number}"), NOW + timedelta(seconds=number / 1000))
    looks = 0
    while any(sweep.look(50)):
        looks += 1
    assert looks == 3
    assert (tables.counts().waiting, tables.counts().passed) == (80, 40)
    order = []
    while (found := tables.next_letter("punica", time())) is not None:
        order.append(found.content)
        tables.done(found.id, "punica")
    assert order == [content for content, _, _ in box.letters.values() if b"STATUS" in content]


@pytest.mark.soak
def test_thousands_of_letters_at_once_wait_in_order(season: Season) -> None:
    """Letters of one player, in a maildir: none is lost or comes twice, and the log has a sentence."""
    before = resident(os.getpid())
    for _ in range(AT_ONCE):
        season.write(status(season))
    tables = season.tables()
    (sweep,) = season.post(limits=IntakeLimits()).sweeps
    while any(sweep.look()):
        pass
    assert tables.counts()[:1] + tables.counts()[2:] == (AT_ONCE, 0, 0, 0, 0)
    assert not any(sweep.look())
    assert len(season.said) == 1
    assert season.said[0].startswith(f"letters of {address('punica', SIDE)} come too fast: the first waits until ")
    assert resident(os.getpid()) - before < 200 * 1024 * 1024
