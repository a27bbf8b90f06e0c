"""The soak of the post: many games by the real service, with damaged, doubled, forged and late letters, and kills.

A letter is damaged (cut in the middle), doubled (delivered twice, once as other bytes), forged (another address),
from a robot, or late (older than others, and read last). Workers and the service are killed again and again, and one
backup is restored in the middle of it.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from shutil import copytree
from subprocess import Popen
from time import sleep

import pytest

from pbem.post.backup import Places, back_up_all, restore
from tests.support.live import OTHERS, SECRETS
from tests.support.seasons import Season, address, alive, children, resident, until
from tests.support.soak import scaled

ROOT = Path(__file__).parent.parent.parent
GAMES = scaled(120, 4)
LETTERS = scaled(15_000, 160)
KILLS = scaled(240, 6)
ODD = 0.1
LARGEST = 150 * 1024 * 1024


def secrets(number: int) -> object:
    return replace(SECRETS if number % 2 else OTHERS, chain=sha256(b"%d" % number).digest())


class Soak:
    """The season, what was written, and what is expected of it."""

    def __init__(self, path: Path, games: int, random: Random) -> None:
        self.season = Season(path)
        self.random = random
        self.names = [f"soak-{number:02}" for number in range(games)]
        for number, name in enumerate(self.names):
            rules = "rome_carthage" if number % 4 == 0 else "toy"
            self.season.create(name, rules, secrets(number), begin=True)  # type: ignore[arg-type]
        self.written = self.kills = 0
        self.robots: set[str] = set()
        self.service = self.start()

    def start(self) -> Popen[str]:
        return self.season.start()

    def turn(self) -> None:
        """Let everybody write who is asked; some letters are odd."""
        for name in self.names:
            for side, sheet in self.season.asked(name):
                raw = self.season.letter(name, side, sheet)
                if self.random.random() < ODD:
                    self.odd(name, side, raw)
                self.season.write(raw)
                self.written += 1

    def odd(self, name: str, side: str, raw: bytes) -> None:
        """Write an odd letter beside a good one."""
        kind = self.random.randrange(5)
        self.written += 1
        if kind == 0:
            self.season.write(raw[: len(raw) * 2 // 3].replace(b"Message-ID: <", b"Message-ID: <cut."))
        elif kind == 1:
            self.season.write(b"Received: from a relay\n" + raw)
        elif kind == 2:
            self.season.write(raw.replace(address(name, side).encode(), b"mallory@example.com"))
        elif kind == 3:
            robot = raw.replace(b"Subject: Re:", b"Auto-Submitted: auto-replied\nSubject: away:")
            self.season.write(robot.replace(b"Message-ID: <", b"Message-ID: <away."))
        else:
            late = self.season.write(raw.replace(b"Message-ID: <", b"Message-ID: <late."))
            os.utime(late, (late.stat().st_atime - 40, late.stat().st_mtime - 40))

    def kill(self) -> None:
        """Kill a worker or the whole service in the middle of its work."""
        sleep(self.random.random() * 0.5)
        self.kills += 1
        workers = children(self.service.pid)
        if self.random.random() < 0.3 or not workers:
            self.service.kill()
            self.service.wait()
            self.service = self.start()
        else:
            os.kill(self.random.choice(workers), signal.SIGKILL)

    def settle(self) -> None:
        """Wait until all is taken in and sent."""
        tables = self.season.tables()
        box = self.season.path / "in" / "new"

        def settled() -> bool:
            if self.service.poll() is not None:
                self.service = self.start()
            counts = tables.counts()
            return counts.waiting == 0 and counts.to_send == 0 and not self.unseen(box)

        until(settled, 600)
        tables.close()

    def unseen(self, box: Path) -> bool:
        tables = self.season.tables()
        try:
            known = tables.counts()
            return known.taken + known.passed + known.waiting < self.season_letters()
        finally:
            tables.close()

    def season_letters(self) -> int:
        """Return how many different letters lie in the mailbox."""
        found = {path.read_bytes() for room in ("new", "cur") for path in (self.season.path / "in" / room).iterdir()}
        return len(found)


@pytest.mark.soak
def test_no_letter_is_lost_or_comes_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    soak = Soak(tmp_path / "season", GAMES, Random(16))
    kills_left = KILLS
    try:
        while soak.written < LETTERS:
            soak.turn()
            for _ in range(min(kills_left, 1 + KILLS * len(soak.names) // LETTERS)):
                soak.kill()
                kills_left -= 1
            soak.settle()
        while kills_left > 0:
            soak.turn()
            soak.kill()
            kills_left -= 1
        soak.settle()
        until(lambda: not list((soak.season.path / "in" / "new").iterdir()) or marked(soak), 120)
        assert memory(soak) <= LARGEST
    finally:
        soak.service.terminate()
        soak.service.wait(120)
    check(soak)
    check_backup(soak, tmp_path)


def memory(soak: Soak) -> int:
    """Return the bytes of the largest process."""
    return max(resident(pid) for pid in [soak.service.pid, *children(soak.service.pid)] if alive(pid))


def marked(soak: Soak) -> bool:
    """Tell whether all letters of players are marked as read."""
    return not soak.season.tables().to_mark(lambda source: True)


def check(soak: Soak) -> None:
    """Check that each good sheet was carried out once, and that each letter has left once."""
    for name in soak.names:
        with soak.season.open(name) as game:
            for side in game.rules.sides:
                assert not game.waits(side) or game.open_decisions, name
            assert game.adjudication > 1
            subjects = [each.message.split("\n")[0] for each in game.ledger.history()]
        numbers = [
            subject.rpartition("adjudication ")[2].split(",")[0] for subject in subjects if "adjudication" in subject
        ]
        assert len(numbers) == len(set(numbers)), name
    ids = Counter(soak.season.ids())
    assert [each for each, count in ids.items() if count > 1] == []
    answered = {str(each["In-Reply-To"]) for each in soak.season.sent()}
    assert not [each for each in answered if each.startswith("<away.")]
    to = {str(each["To"]) for each in soak.season.sent()}
    expected = {address(name, side) for name in soak.names for side in sides(soak, name)}
    assert expected - to == set()
    report = soak.season.tables().counts()
    assert (report.waiting, report.to_send, report.refused) == (0, 0, 0)


def sides(soak: Soak, name: str) -> tuple[str, ...]:
    with soak.season.open(name) as game:
        return tuple(game.rules.sides)


def check_backup(soak: Soak, tmp_path: Path) -> None:
    """Restore a backup beside the season, and let it go on there."""
    season = soak.season
    places = Places(season.games, season.path / "keys", season.config.tables_file, season.file)
    made = back_up_all(places, tmp_path / "backups", passphrase="of the soak")
    second = Season(tmp_path / "second")
    second.count = season.count
    copytree(season.path / "in", second.path / "in", dirs_exist_ok=True)
    to = Places(second.games, second.path / "keys", second.config.tables_file)
    assert all(each.good for each in restore(made.folder, to, passphrase="of the soak").keys)
    soak.season, names = second, soak.names[:2]
    before = {name: head(second, name) for name in soak.names}
    soak.service = soak.start()
    try:
        for name in names:
            second.order(name)
        until(lambda: all(head(second, name) != before[name] or over(second, name) for name in names), 120)
        soak.settle()
    finally:
        soak.service.terminate()
        soak.service.wait(120)
    assert {name: head(second, name) for name in soak.names[2:]} == {name: before[name] for name in soak.names[2:]}


def head(season: Season, name: str) -> str:
    with season.open(name) as game:
        return game.ledger.head


def over(season: Season, name: str) -> bool:
    with season.open(name) as game:
        return game.result is not None
