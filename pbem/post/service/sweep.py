"""The sweep: finds the letters in a mailbox that are for the games, and puts them in order in the tables.

Nothing is carried out here: the workers do that. What was looked at is known by mailbox and uid, and a letter by the
digest of its bytes, never by a mark that the mailbox keeps. Only when all its games have committed a letter, it is
marked there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from time import time
from typing import Final, NamedTuple

from pbem.mail.choose.routing import may_be_about
from pbem.mail.inbox import open_letter
from pbem.mail.read.letter import Letter
from pbem.post.service.reception import is_private
from pbem.post.service.triage import Bounce, KnownPlayers, Look, Ours, Robot, TooBig, has_sheet, judge_letter
from pbem.post.service_log import Say
from pbem.post.settings import IntakeLimits
from pbem.post.tables.tables import HOUR, NO_GAME, NewLetter, Tables
from pbem.post.transport.base import Arrived, Gone, Source, Withheld

BOUNCE: Final = "bounce"
TOO_BIG: Final = "too big"
MOST_AT_ONCE: Final = 200
"""New letters of a mailbox that are put in order at once."""
_A_RING: Final = 16
"""Letters of which the workers hear when the first has come: they begin while the others are put in order."""
_WITHHELD_PATIENCE: Final = HOUR
"""Seconds for which the letters after one that the server does not give wait for it."""
_MOST_HOURS: Final = 150
"""Hours, about: no letter waits longer."""
SINCE: Final = "since"
"""The note that says from when on letters are looked at."""


class Swept(NamedTuple):
    """What a sweep has found."""

    taken: int = 0
    """Letters that wait now to be taken in."""
    passed: int = 0
    """Letters that are none of ours."""


@dataclass
class Sweep:
    """Looks through one mailbox, again and again."""

    source: Source
    tables: Tables
    players: KnownPlayers
    limits: IntakeLimits
    say: Say
    clock: Callable[[], float] = time
    _told: dict[str, float] = field(default_factory=dict)
    """Sender -> when the log may say again that their letters come too fast."""
    _refused: dict[tuple[str, str], float] = field(default_factory=dict)
    """The letters that the server does not give, and since when."""

    def look(self, most: int = MOST_AT_ONCE, ring: Callable[[], None] = lambda: None) -> Swept:
        """Put at most so many new letters in order; return what was found. Raises Unreachable, OSError.

        `ring` is called now and then meanwhile, when there is something to do for the workers.
        """
        since = self._since()
        taken = passed = 0
        refreshed = False
        for letter in self.source.new(self.tables.known):
            if letter.at.timestamp() < since:
                self.tables.passed(letter.source, letter.uid)
                continue
            if not refreshed:
                self.players.refresh()
                refreshed = True
            try:
                is_ours = self._take(letter)
            except Gone:
                continue
            except Withheld as wrong:
                self._wait_for(letter, wrong)
                continue
            if is_ours:
                taken += 1
                if taken % _A_RING == 1:
                    ring()
            else:
                self.tables.passed(letter.source, letter.uid)
                passed += 1
            if taken + passed >= most:
                break
        return Swept(taken, passed)

    def _wait_for(self, letter: Arrived, refusal: Withheld) -> None:
        """Raise the refusal of a letter, unless the letters after it have waited long enough for it.

        It is asked for again at each look: it is not lost while the mailbox has it.
        """
        name, now = (letter.source, letter.uid), self.clock()
        since = self._refused.setdefault(name, now)
        if now < since + _WITHHELD_PATIENCE:
            raise refusal
        if since:
            self._refused[name] = 0.0  # said once
            came = f"{letter.at:%Y-%m-%d %H:%M} UTC"
            self.say(f"a letter of {came} cannot be read, and those after it go on without it: {refusal}")

    def mark(self) -> int:
        """Mark the letters in the mailbox that are done; return how many there were. Raises Unreachable."""
        count = 0
        for source, uid in self.tables.to_mark(self.source.holds):
            if not self.source.holds(source):
                continue
            self.source.done(Arrived(source, uid, 0, datetime.fromtimestamp(0, UTC)))
            self.tables.marked(source, uid)
            count += 1
        return count

    def _since(self) -> float:
        """Return from when on letters are looked at: none older than the games can be about one."""
        noted = self.tables.noted(SINCE)
        if noted is not None:
            return float(noted[0])
        begun = [path.stat().st_mtime for path in self.players.settings.games.glob("*.git/HEAD")]
        since = min([self.clock(), *begun]) - 60
        self.tables.note(SINCE, f"{since:.0f}", self.clock())
        return since

    def _take(self, letter: Arrived) -> bool:
        """Put a letter in order if it is ours; return whether it is."""
        head = self.source.head(letter)
        found = judge_letter(head, letter.size, self.players)
        if isinstance(found, Look):
            raw = self.source.fetch(letter)
            opened = open_letter(raw)
            looked = has_sheet(raw, opened, self.players)
            if not isinstance(looked, Ours):
                return False
            self._put(letter, raw, opened, looked.by)
        elif isinstance(found, Ours):
            raw = self.source.fetch(letter)
            opened = open_letter(raw)
            if found.by == "address" and is_private(opened):
                return False
            self._put(letter, raw, opened, found.by)
        elif isinstance(found, Bounce):
            if letter.size > self.limits.letter_bytes:
                return False
            raw = self.source.fetch(letter)
            self._put(letter, raw, open_letter(raw), BOUNCE)
        elif isinstance(found, TooBig):
            self.say(f"a letter of {found.size // 1_000_000} MB is refused without fetching it")
            self._put(letter, head, open_letter(head), TOO_BIG)
        else:
            if isinstance(found, Robot) and self.players.plays(open_letter(head).sender):
                self.say(f"a letter of a player is left unanswered: {found.why}")
            return False
        return True

    def _put(self, letter: Arrived, raw: bytes, opened: Letter, by: str) -> None:
        own = self.players.games_of(opened.sender)
        games = [] if by in (BOUNCE, TOO_BIG) else may_be_about(opened, own, self.players.settings.host)
        at = min(letter.at.timestamp(), self.clock())
        new = NewLetter(sha256(raw).hexdigest(), opened.sender, at, raw, games, by, letter.size)
        due = self._due(new)
        if (
            self.tables.add(letter.source, letter.uid, new, due)
            and due
            and self.clock() >= self._told.get(new.sender, 0)
        ):
            self._told[new.sender] = self.clock() + HOUR
            self.say(f"letters of {new.sender} come too fast: the first waits until {_clock_time(max(due.values()))}")

    def _due(self, new: NewLetter) -> Mapping[str, float]:
        """Return when a letter may be taken in by each game, where its sender or the game has had too many of late."""
        now = self.clock()
        most = self.limits.sender_per_hour
        of_sender = self.tables.last_slots(new.sender, most)
        free = max(now, of_sender[-1] + HOUR) if len(of_sender) == most else now
        times = {game: self._free(game, free) if game else free for game in new.games or (NO_GAME,)}
        return {game: time for game, time in times.items() if time > now}

    def _free(self, game: str, time: float) -> float:
        """Return when a game has room for one more letter, from a time on."""
        most = self.limits.game_per_hour
        for _ in range(_MOST_HOURS):
            within = self.tables.slots_between(game, time - HOUR, time)
            if len(within) < most:
                break
            time = within[-most] + HOUR
        return time


def _clock_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%H:%M} UTC"
