"""A long season by the real service, with damaged, doubled, forged and late letters, and kills.

A letter is damaged (cut in the middle), doubled (delivered twice, once as other bytes), forged (another address),
from a robot, or late (older than others, and read last). Workers, the service and its servers are killed again and
again.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random
from time import monotonic, sleep
from typing import Final

from pbem.crypto.keys import Secrets
from pbem.post.tables.tables import Counts
from tests.support.live import OTHERS, SECRETS
from tests.support.seasons import Season, address, alive, children, resident, until
from tests.support.soak import scaled

GAMES: Final = scaled(120, 4)
LETTERS: Final = scaled(15_000, 100)
KILLS: Final = scaled(240, 6)
"""How often a worker or the service is killed."""
SERVER_KILLS: Final = scaled(30, 1)
"""How often each server is killed."""
ODD: Final = 0.1
"""The share of letters beside which an odd one is written."""
RULES: Final = ("rome_carthage", "toy", "toy", "toy")
"""The games that are played; most are short ones, so that many begin and end."""
LARGEST: Final = 150 * 1024 * 1024
"""So many bytes of memory a process of the service has at most."""


class PostSoak:
    """The season, what was written, and what is expected of it."""

    def __init__(self, season: Season, games: int, random: Random, rules: Sequence[str] = RULES) -> None:
        """`games` are played at a time, of `rules` in turn: another one begins when one is over."""
        self.season, self.random, self.rules = season, random, rules
        self.names: list[str] = []
        """All games, those that are over too."""
        self.playing = [self._begin() for _ in range(games)]
        self.written = 0
        self.service = season.start()

    def _begin(self) -> str:
        number = len(self.names)
        name = f"soak-{number:03}"
        self.season.create(name, self.rules[number % len(self.rules)], _secrets(number), begin=True)
        self.names.append(name)
        return name

    # ---- letters

    def turn(self) -> dict[str, int]:
        """Let everybody write who is asked; some letters are odd. Return how far each game is."""
        self.playing = [self._begin() if self.over(name) else name for name in self.playing]
        before = {name: self.adjudication(name) for name in self.playing}
        for name in self.playing:
            for side, sheet in self.season.asked(name):
                raw = self.season.letter(name, side, sheet)
                if self.random.random() < ODD:
                    self._write_odd(raw, address(name, side).encode())
                self.season.write(raw)
                self.written += 1
        return before

    def adjudication(self, name: str) -> int:
        with self.season.open(name) as game:
            return game.adjudication

    def over(self, name: str) -> bool:
        with self.season.open(name) as game:
            return game.result is not None

    def _write_odd(self, raw: bytes, sender: bytes) -> None:
        """Write an odd letter beside a good one."""
        kind = self.random.randrange(5)
        self.written += 1
        if kind == 0:
            self.season.write(raw[: len(raw) * 2 // 3].replace(b"Message-ID: <", b"Message-ID: <cut."))
        elif kind == 1:
            self.season.write(b"Received: from a relay\n" + raw)
        elif kind == 2:
            self.season.write(raw.replace(sender, b"mallory@example.com"))
        elif kind == 3:
            robot = raw.replace(b"Subject: Re:", b"Auto-Submitted: auto-replied\nSubject: away:")
            self.season.write(robot.replace(b"Message-ID: <", b"Message-ID: <away."))
        else:
            self.season.write(raw.replace(b"Message-ID: <", b"Message-ID: <late."), age=40)

    # ---- kills

    def kill(self) -> None:
        """Kill a worker or the whole service in the middle of its work."""
        sleep(self.random.random() * 0.5)
        workers = children(self.service.pid)
        if self.random.random() < 0.3 or not workers:
            self.service.kill()
            self.service.wait()
            self.service = self.season.start()
        else:
            os.kill(self.random.choice(workers), signal.SIGKILL)

    def play(self, letters: int, kills: Sequence[Callable[[], None]]) -> None:
        """Play until so many letters are written, with all the kills among them."""
        began = monotonic()
        left, each = list(kills), 1 + 2 * len(kills) * len(self.playing) // letters
        while self.written < letters or left:
            before = self.turn()
            print(f"{monotonic() - began:.0f} s: {self.written} letters, {len(left)} kills left", flush=True)
            for kill in left[:each]:
                kill()
            del left[:each]
            self.settle()
            lost = [name for name, number in before.items() if self.adjudication(name) <= number]
            assert not lost, f"letters to {lost} were lost"

    # ---- waiting

    def counts(self) -> Counts:
        tables = self.season.tables()
        try:
            return tables.counts()
        finally:
            tables.close()

    def settle(self) -> None:
        """Wait until all is taken in and sent."""

        def settled() -> bool:
            if self.service.poll() is not None:
                self.service = self.season.start()
            now = self.counts()
            return now.waiting == now.to_send == 0 and now.taken + now.passed >= self.season.written()

        until(settled, 600)

    def stop(self) -> None:
        """Stop the service as systemd does."""
        self.service.terminate()
        assert self.service.wait(120) == 0

    # ---- what must hold

    def memory(self) -> int:
        """Return the bytes of the largest process."""
        return max(resident(pid) for pid in [self.service.pid, *children(self.service.pid)] if alive(pid))

    def check(self) -> None:
        """Check that each good sheet was carried out once, and that each letter has left once."""
        sent = self.season.sent()
        reached = {str(each["To"]) for each in sent}
        for name in self.names:
            with self.season.open(name) as game:
                sides = game.rules.sides
                assert game.open_decisions or not any(map(game.waits, sides)), name
                assert game.adjudication > 1
                subjects = [each.message.split("\n")[0] for each in game.ledger.repo.history()]
            made = [each.rpartition("adjudication ")[2].split(",")[0] for each in subjects if "adjudication" in each]
            assert len(made) == len(set(made)), name
            assert {address(name, side) for side in sides} <= reached
        ids = Counter(self.season.ids())
        assert [each for each, count in ids.items() if count > 1] == []
        answered = {str(each["In-Reply-To"]) for each in sent}
        assert not [each for each in answered if each.startswith("<away.")]
        counts = self.counts()
        assert (counts.waiting, counts.to_send, counts.refused) == (0, 0, 0)


def _secrets(number: int) -> Secrets:
    return replace(SECRETS if number % 2 else OTHERS, chain=sha256(b"%d" % number).digest())
