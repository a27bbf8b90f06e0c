"""The worker: order, claims, what happens where a letter cannot be taken in, and letters that come again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from errno import ENOSPC
from pathlib import Path
from time import time
from typing import Any
from unittest.mock import patch

import pytest

from pbem.mail.archive_reader import read_letter
from pbem.mail.notes.outboxes import ToKeep
from pbem.post.service import worker as worker_module
from pbem.post.service.health import waiting
from pbem.post.service.reception import received
from pbem.post.service.sending import news_in_one
from pbem.post.service.service import Post, run_once
from pbem.post.service.worker import Worker
from pbem.post.tables.open_tables import TableOutbox
from pbem.post.tables.tables import NO_GAME
from pbem.referee.opening import create_game
from pbem.repo.git.locks import GameLock
from tests.support.boxes import Box, Way
from tests.support.live import OTHERS
from tests.support.seasons import Season, address, bot_sheet


@pytest.fixture
def season(tmp_path: Path) -> Season:
    made = Season(tmp_path)
    made.create("punica", begin=True)
    return made


@pytest.fixture
def post(season: Season, box: Box, way: Way) -> Post:
    return Post(season.config, season.tables(), [box], way, season.said.append)


def asked(season: Season, name: str = "punica") -> list[bytes]:
    return [season.letter(name, side, sheet) for side, sheet in season.asked(name)]


def adjudication(season: Season, name: str = "punica") -> int:
    with season.open(name) as game:
        return game.adjudication


def commits(season: Season, name: str = "punica") -> int:
    """Return how many commits a game has: one for each sheet, and one for each adjudication."""
    with season.open(name) as game:
        return sum(1 for _ in game.ledger.repo.history())


def with_other_rules(name: str) -> Any:
    """Let one game be played with other rules than those here."""
    return patch(
        "pbem.referee.game.open_game.OpenGame.differs", property(lambda game: "code" if game.name == name else None)
    )


def dates(season: Season, name: str = "punica") -> list[tuple[int, int]]:
    """Return the dates of author and committer of the last commit."""
    ran = subprocess.run(
        ["git", "--git-dir", str(season.games / f"{name}.git"), "log", "-1", "--format=%at %ct"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [(int(author), int(committer)) for author, committer in [ran.stdout.split()]]


def test_game_goes_on_and_both_sides_are_told(season: Season, post: Post, box: Box, way: Way) -> None:
    came = datetime.now(UTC) - timedelta(seconds=40)
    before = adjudication(season)
    for each in asked(season):
        box.put(each, came)
    assert run_once(post)
    assert adjudication(season) > before
    assert {to for to, _ in way.given} == {address("punica", "red"), address("punica", "blue")}
    assert box.marked == list(box.letters)
    ((author, committer),) = dates(season)
    assert author == int(came.timestamp())
    assert committer < 1000


def test_letters_of_a_game_are_taken_in_the_order_they_came(season: Season, post: Post, box: Box) -> None:
    ids = []
    for number in range(6):
        side = ("red", "blue")[number % 2]
        ids.append(f"n{number}")
        box.put(season.letter("punica", side, b"STATUS\n", id=f"n{number}"), datetime.now(UTC))
    seen: list[str] = []

    def noting(raw: bytes, *rest: object) -> object:
        seen.append(raw.partition(b"Message-ID: <")[2].partition(b".")[0].decode())
        return received(raw, *rest)  # type: ignore[arg-type]

    with patch.object(worker_module, "received", noting):
        run_once(post)
    assert seen == ids


def test_letter_taken_in_again_after_a_death_counts_once(season: Season, post: Post, box: Box, way: Way) -> None:
    """The worker dies after the commit and before the row of the letter is done."""
    for each in asked(season):
        box.put(each, datetime.now(UTC))

    class Dies(BaseException):
        pass

    before = adjudication(season)
    with patch.object(type(post.tables), "done", side_effect=Dies), pytest.raises(Dies):
        run_once(post)
    assert (adjudication(season), commits(season), box.marked) == (before, 3, [])
    assert run_once(post)
    assert (adjudication(season), commits(season)) == (before + 1, 5)
    sent = [read_letter("", content).message_id for _, content in way.given]
    assert len(sent) == len(set(sent)) == 3
    assert box.marked == list(box.letters)


def test_worker_that_wakes_up_late_writes_no_report_again(
    season: Season, post: Post, box: Box, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read a letter, and slept while another host took it in; it wakes up when that is to report on the next."""
    monkeypatch.setattr(GameLock, "acquire", lambda *_: None)  # as in a shared folder without file locks
    for each in asked(season):
        box.put(each, datetime.now(UTC))
    for sweep in post.sweeps:
        sweep.look()
    before, tables = adjudication(season), season.tables()
    read = [tables.next_letter("punica", time()), None]
    late = Worker(season.config, tables, season.said.append)
    put, woken = TableOutbox.put, list[int]()

    def waking(outbox: TableOutbox, letters: Sequence[ToKeep]) -> Sequence[str]:
        if not woken and adjudication(season) > before:
            woken.append(-1)
            with patch.object(tables, "next_letter", side_effect=read):
                woken.append(late.take_in("punica"))
        return put(outbox, letters)

    with patch.object(TableOutbox, "put", waking):
        run_once(post)
    tables.close()
    assert woken == [-1, 0]
    sent = [read_letter("", content).message_id for _, content in way.given]
    assert len(sent) == len(set(sent)) == 3
    assert not post.tables.stuck()


def test_game_that_another_worker_has_claimed_is_left_to_it(season: Season, post: Post, box: Box) -> None:
    season.create("zama", begin=True)
    for name in ("punica", "zama"):
        for each in asked(season, name):
            box.put(each, datetime.now(UTC))
    before = commits(season), commits(season, "zama")
    post.sweeps[0].look()
    claim = GameLock(season.games / "punica.git" / "pbem.post.lock", "punica", lambda: None)
    claim.acquire(0)
    worker = Worker(season.config, post.tables, season.said.append)
    assert worker.work() == 2
    assert (commits(season), commits(season, "zama")) == (before[0], before[1] + 3)
    claim.release()
    assert worker.work() == 2
    assert commits(season) == before[0] + 3


def test_game_with_other_rules_waits_and_others_go_on(season: Season, post: Post, box: Box, way: Way) -> None:
    season.create("zama", begin=True, secrets=OTHERS)
    for name in ("punica", "zama"):
        for each in asked(season, name):
            box.put(each, datetime.now(UTC))
    before = adjudication(season)
    with with_other_rules("zama"):
        assert run_once(post)
        assert adjudication(season) > before
        (line, total) = waiting(post.tables)
        assert line.startswith("2 letters of zama cannot be taken in: zama is played with other rules than those here")
        assert total == "2 letters to take in."
        run_once(post)
    assert sum("letters of zama wait" in said for said in season.said) == 1
    zama = adjudication(season, "zama")
    Worker(season.config, post.tables, season.said.append, lambda: time() + 301).work()
    assert adjudication(season, "zama") > zama
    assert list(waiting(post.tables, "zama")) == []


def test_letter_for_two_games_waits_only_for_the_one_that_cannot(season: Season, post: Post, box: Box) -> None:
    ours = address("punica", "red")
    new = season.new_game("zama", "toy", OTHERS, begin=True)
    players = {**new.addresses, "red": ours}
    create_game(season.games, season.path / "keys", replace(new, players=players, addresses=players)).close()
    sheets = []
    for name in ("punica", "zama"):
        with season.open(name) as game:
            sheets.append(bot_sheet(game, "red"))
    box.put(season.letter("punica", "red", b"\n\n".join(sheets)), datetime.now(UTC))
    before = commits(season), commits(season, "zama")
    with with_other_rules("zama"):
        run_once(post)
    assert (commits(season), commits(season, "zama")) == (before[0] + 1, before[1])
    assert box.marked == []
    assert [each.game for each in post.tables.stuck()] == ["zama"]
    post.tables.resume("zama")
    run_once(post)
    assert (commits(season), commits(season, "zama")) == (before[0] + 1, before[1] + 1)
    assert box.marked == ["1"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (OSError(ENOSPC, "No space left on device", "/games/punica.git/objects"), "No space left on device"),
        (RuntimeError("a bug"), "a fault in pbem: RuntimeError: a bug"),
    ],
)
def test_letter_that_fails_waits_is_told_once_and_is_not_lost(
    season: Season, post: Post, box: Box, wrong: Exception, reason: str
) -> None:
    for each in asked(season):
        box.put(each, datetime.now(UTC))
    before = adjudication(season)
    with patch.object(worker_module, "received", side_effect=wrong):
        run_once(post)
        for minutes in (1, 5, 20):
            Worker(season.config, post.tables, season.said.append, lambda at=minutes: time() + 60 * at).work()  # type: ignore[misc]
    assert sum(reason in said for said in season.said) == 1
    assert any(reason in line for line in waiting(post.tables, "punica"))
    Worker(season.config, post.tables, season.said.append, lambda: time() + 7200).work()
    assert adjudication(season) > before
    assert post.tables.stuck() == []


def test_letter_that_ends_its_workers_lets_other_games_go_on(season: Season, post: Post, box: Box) -> None:
    """It ends each worker that takes it in; after a few the others go on, and later it is tried again."""
    season.create("zama", begin=True, secrets=OTHERS)
    box.put(season.letter("punica", "red", b"STATUS\n"), datetime.now(UTC))
    box.put(season.letter("zama", "red", b"STATUS\n"), datetime.now(UTC))
    post.sweeps[0].look()

    class Ends(BaseException):
        pass

    def ending(raw: bytes, *rest: object) -> object:
        if b"Re: punica" in raw:
            raise Ends
        return received(raw, *rest)  # type: ignore[arg-type]

    with patch.object(worker_module, "received", ending):
        for _ in range(4):
            with pytest.raises(Ends):
                Worker(season.config, post.tables, season.said.append).work()
        assert Worker(season.config, post.tables, season.said.append).work() == 1
    assert [each.game for each in post.tables.stuck()] == ["punica"]
    assert Worker(season.config, post.tables, season.said.append, lambda: time() + 3600).work() == 1
    assert post.tables.stuck() == []


def test_full_disk_in_a_game_loses_nothing_and_doubles_nothing(season: Season, post: Post, box: Box, way: Way) -> None:
    """The disk is full at each write of the letter in turn, and then it has room again."""
    for each in asked(season):
        box.put(each, datetime.now(UTC))
    before, write = adjudication(season), os.write
    for at in range(1, 12):
        left = [at]

        def full(fd: int, content: bytes, left: list[int] = left) -> int:
            left[0] -= 1
            if left[0] <= 0:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            return write(fd, content)

        with patch("os.write", full):
            Worker(season.config, post.tables, season.said.append, lambda at=at: time() + 7200 * at).work()  # type: ignore[misc]
    post.clock = lambda: time() + 7200 * 12
    post.sweeps[0].look()
    Worker(season.config, post.tables, season.said.append, post.clock).work()
    run_once(post)
    assert adjudication(season) > before
    sent = [read_letter("", content).message_id for _, content in way.given]
    assert len(sent) == len(set(sent)) == 3


def test_letter_of_fifty_megabytes_is_answered(season: Season, post: Post, box: Box, way: Way) -> None:
    box.put(season.letter("punica", "red", b"STATUS\n"), datetime.now(UTC), size=50_000_000)
    run_once(post)
    ((to, content),) = way.given
    assert to == address("punica", "red")
    assert b"48828 kB" in content
    assert box.fetched == []


def test_help_is_answered_although_it_is_about_no_game(season: Season, post: Post, box: Box, way: Way) -> None:
    box.put(season.letter("punica", "red", b"HELP\n").replace(b"Re: punica", b"help"), datetime.now(UTC))
    run_once(post)
    assert len(way.given) == 1
    assert post.tables.next_games(time(), 9) == []
    assert NO_GAME not in {each.game for each in post.tables.stuck()}


@pytest.mark.slow
def test_robots_fall_silent(season: Season, post: Post, box: Box, way: Way) -> None:
    """A robot that does not say so answers each letter with an order that nobody can read."""
    for number in range(40):
        box.put(
            season.letter("punica", "red", b"game: punica\nside: red\norders:\n- dance\n", id=f"r{number}"),
            datetime.now(UTC),
        )
        run_once(post)
    assert 0 < len(way.given) <= 20


def test_bundled_reports_keep_their_receipts_for_verify(season: Season, post: Post, box: Box, way: Way) -> None:
    for _ in range(3):
        for each in asked(season):
            box.put(each, datetime.now(UTC))
        run_once(post)
    red = [content for to, content in way.given if to == address("punica", "red")]
    assert len(red) > 3
    whole = read_letter("", news_in_one(red))
    assert whole.damage == ""
    assert list(whole.receipts) == [receipt for each in red for receipt in read_letter("", each).receipts]
    assert whole.message_id == read_letter("", red[-1]).message_id
    assert whole.own
    parts, last = (message_from_bytes(each) for each in (news_in_one(red), red[-1]))
    names = {part.get_filename() for part in parts.walk()}
    assert names >= {part.get_filename() for part in last.walk()}  # the pictures that its page shows, too
    assert not any(part.get_content_type() == "text/html" for part in parts.walk())
