"""The service: a reader for each mailbox, workers for the games, a sender; one process that keeps them going.

The readers and the sender are threads of this process. The workers are processes of their own, one for each core, and
one that dies is started again. Whatever cannot be reached is tried again with growing pauses; the log says once that
it is gone, and once that it is back.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from threading import Event, Thread
from time import monotonic, time
from typing import Final

from pbem.mail.write.outgoing import MailSettings
from pbem.post.service.duty import Duty, FileDuty, KeptWorker
from pbem.post.service.health import BEAT, RAN_ONCE, REACHED, STOPPED, WELL, health
from pbem.post.service.sending import Sending
from pbem.post.service.sweep import MOST_AT_ONCE, Sweep
from pbem.post.service.triage import KnownPlayers
from pbem.post.service.worker import Worker
from pbem.post.service_log import Once, Say, error_text, notify, say
from pbem.post.settings import PostConfig
from pbem.post.tables.open_tables import TableOutbox
from pbem.post.tables.tables import Tables
from pbem.post.transport.base import LoginRefused, Sender, Source, Unreachable
from pbem.post.who import bounces, confirm, mailbox_notes
from pbem.protocol import PbemError
from pbem.repo.git import KeptRepos, heads_changed, tip_of

_RETRY_PAUSES: Final = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
"""Seconds between attempts to reach what cannot be reached."""
_AFTER_REFUSED_LOGIN: Final = 900.0
"""Seconds until a login is tried again that was refused: many attempts may lock an account."""
_WAIT: Final = 10.0
"""Seconds that a reader waits for new letters before it looks what is done."""
_SOON: Final = 2.0
_SOON_MARKED: Final = 60.0
"""Seconds after a letter has come in which a reader looks more often what is done."""
_SLACK: Final = 30.0
"""Seconds by which the clock of a mailbox may differ from ours."""
_TICK: Final = 1.0
_BEAT: Final = 10.0
_ASK: Final = 900.0
_FIND: Final = 60.0
"""Seconds between two looks for games that commands have changed."""
_WORKER: Final = (sys.executable, "-m", "pbem.post.service.worker")
_GRACE: Final = 30.0
"""Seconds that a worker has to finish a letter when the service stops."""
OUTBOX: Final = "outbox"
"""The maildir in the folder of the games that commands write letters to, by hand."""


@dataclass
class Post:
    """The parts of the post that one process has: where letters come from, where they go, and the tables between."""

    config: PostConfig
    tables: Tables
    sources: Sequence[Source]
    sender: Sender
    say: Say = say
    clock: Callable[[], float] = time
    stop: Event = field(default_factory=Event)
    repos: KeptRepos = field(default_factory=KeptRepos)
    """What was read of the games is kept here."""
    _looked: dict[str, float] = field(default_factory=dict)
    """Mailbox -> until when all that came is known."""
    _heads: dict[str, int] = field(default_factory=dict)
    """Game -> when its repo had changed last when it was looked for that."""

    def __post_init__(self) -> None:
        config = self.config
        settings = config.mail_settings(datetime.fromtimestamp(self.clock(), UTC), repos=self.repos)
        players = [KnownPlayers(settings, config.limits.letter_bytes) for _ in self.sources]
        self.sweeps = [
            Sweep(source, self.tables, known, config.limits, self.say, self.clock)
            for source, known in zip(self.sources, players, strict=True)
        ]
        self.outbox = TableOutbox(self.tables, self.clock)
        self.sending = Sending(self.sender, self.tables, config.rates, self.say, self.refused, self.clock)

    def refused(self, message_id: str, to: str, reason: str) -> None:
        """Note that a letter of ours was refused for good."""
        now = datetime.fromtimestamp(self.clock(), UTC)
        settings = self.config.mail_settings(now, self.outbox, self.repos)
        try:
            bounces.note(bounces.BouncedLetter(message_id, True, reason), now, settings, self.config.game_master)
        except PbemError as wrong:
            self.say(f"it is not noted that {to} refuses letters: {wrong}")

    def send(self) -> int:
        """Take over what commands have written by hand, and send what may be sent. Raises Unreachable, OSError."""
        self.outbox.collect(self.config.games / OUTBOX)
        return self.sending.send(self.stop.is_set)

    def ask_to_confirm(self) -> None:
        """Ask players about letters that came when they had been asked on the same day."""
        now = datetime.fromtimestamp(self.clock(), UTC)
        settings = self.config.mail_settings(now, self.outbox, self.repos)
        for path in sorted(settings.games.glob("*.git")):
            if not mailbox_notes.ASKED.sides(path):
                continue
            with suppress(PbemError):  # one damaged game keeps no other from being asked
                self._ask_in(path.name.removesuffix(".git"), now, settings)

    def _ask_in(self, name: str, now: datetime, settings: MailSettings) -> None:
        with settings.open(name) as game, game.lock():
            for side in confirm.sides_to_ask(game):
                for out in confirm.due(game, side, now, settings):
                    out.put_into(self.outbox)

    def begins_to_look(self) -> float:
        """Note for how long nobody had looked into the mailboxes, if that was long, and return the time."""
        now = self.clock()
        self.tables.note_silence(now - _SLACK, now)
        return now

    def looked(self, sweep: Sweep, since: float) -> None:
        """Note that a mailbox was looked through at a time: all that came before it stands in the tables."""
        self._looked[sweep.source.name] = since - _SLACK
        if len(self._looked) == len(self.sources):
            self.tables.note_looked(min(self._looked.values()), self.clock())

    def find_changed(self) -> int:
        """Let the games be looked at that commands have changed; return how many there are."""
        known, count = None, 0
        for name, changed in heads_changed(self.config.games):
            if self._heads.get(name) == changed:
                continue
            known = self.tables.tips() if known is None else known
            tip = tip_of(self.config.games / f"{name}.git")
            if tip is not None and known.get(name) != tip:
                self.tables.falls_due(name, 0.0, tip)
                count += 1
            self._heads[name] = changed
        return count

    def note_reached(self, name: str, wrong: str) -> None:
        """Note whether a mailbox or a server was reached; the time is that of the first failure."""
        key = f"{REACHED}{name}"
        known = self.tables.noted(key)
        if wrong == WELL or known is None or known[0] == WELL:
            self.tables.note(key, wrong, self.clock())

    def close(self) -> None:
        """Take leave of the servers."""
        for source in self.sources:
            source.close()
        self.sender.close()


def run_once(post: Post) -> bool:
    """Fetch, take in and send what there is, and return whether all could be reached."""
    with duty(post.config, post.tables, post.say).alone():
        worker = Worker(post.config, post.tables, post.say, post.clock, post.repos)
        looked = [each for each in post.sweeps if _reached(post, each.source.name, partial(_all_of, each, post))]
        well = len(looked) == len(post.sweeps)
        post.find_changed()
        worker.work(post.stop.is_set)
        for sweep in looked:
            well &= _reached(post, sweep.source.name, sweep.mark)
        well &= _reached(post, post.sender.name, post.send)
        post.tables.note(BEAT, RAN_ONCE, post.clock())
    post.close()
    return well


def _all_of(sweep: Sweep, post: Post) -> None:
    since = post.begins_to_look()
    while any(sweep.look()):
        since = post.clock()
    post.looked(sweep, since)


def _reached(post: Post, name: str, action: Callable[[], object]) -> bool:
    """Do something that needs a server; say what is wrong if that cannot be reached."""
    try:
        action()
    except Unreachable as wrong:
        post.note_reached(name, str(wrong))
        post.say(f"{name} cannot be reached: {wrong}")
        return False
    post.note_reached(name, WELL)
    return True


class Service:
    """The post as a service: runs until it is told to stop."""

    def __init__(self, post: Post, count: int | None = None, program: Sequence[str] = _WORKER) -> None:
        """`count` is that of the workers, by default one for each core; `program` is what a worker runs."""
        self._post = post
        self._say = post.say
        self._stop = post.stop
        self._worked = Event()
        """Set when the workers have ended."""
        command = [*program, str(post.config.file)]
        self.workers = [KeptWorker(command, post.say) for _ in range(count or os.cpu_count() or 1)]
        self._duty = duty(post.config, post.tables, post.say, self.workers)

    def run(self) -> None:
        """Run until `stop` is set. Raises AnotherRuns."""
        post = self._post
        with self._duty.opened():
            self._beat("")
            for worker in self.workers:
                worker.start()
            threads = [Thread(target=self._read, args=(sweep,), daemon=True) for sweep in post.sweeps]
            threads.append(Thread(target=self._send, daemon=True))
            for thread in threads:
                thread.start()
            self._say(f"the post is open: {self._said()}")
            notify("READY=1", f"STATUS={self._health()}")
            try:
                self._keep_going()
            finally:
                self._end(threads)

    def _said(self) -> str:
        ways = ", ".join(source.name for source in self._post.sources)
        return f"letters come from {ways} and go to {self._post.sender.name}; {len(self.workers)} workers"

    def _keep_going(self) -> None:
        beaten, asked, found = monotonic(), 0.0, 0.0
        while not self._stop.wait(_TICK):
            for worker in self.workers:
                worker.revive()
            if monotonic() - beaten >= _BEAT:
                beaten = monotonic()
                with suppress(OSError):  # a full disk; the readers say so
                    self._beat("")
                    notify("WATCHDOG=1", f"STATUS={self._health()}")
            if monotonic() - found >= _FIND:
                found = monotonic()
                with suppress(OSError):
                    if self._duty.is_ours() and self._post.find_changed():
                        self._duty.ring()
            if monotonic() - asked >= _ASK:
                asked = monotonic()
                with suppress(OSError):
                    if self._duty.is_ours():
                        self._post.ask_to_confirm()

    def _end(self, threads: Sequence[Thread]) -> None:
        """Let everybody finish what they are at."""
        notify("STOPPING=1")
        self._stop.set()
        for worker in self.workers:
            worker.let_go()
        until = monotonic() + _GRACE
        for worker in self.workers:
            worker.end(until - monotonic())
        self._worked.set()
        for thread in threads:
            thread.join(max(_TICK, until - monotonic()))
        with suppress(OSError):
            self._beat(STOPPED)
        if not any(thread.is_alive() for thread in threads):
            self._post.close()
        self._say("the post is closed")

    def _beat(self, word: str) -> None:
        self._post.tables.note(BEAT, word, self._post.clock())

    def _health(self) -> str:
        return health(self._post.tables, self._post.clock()).line

    def _read(self, sweep: Sweep) -> None:
        """Look through one mailbox until the service stops; mark what is done when the workers have ended."""
        busy = -_SOON_MARKED

        def look() -> None:
            nonlocal busy
            since = self._post.begins_to_look()
            swept = sweep.look(ring=self._duty.ring)
            if sum(swept) < MOST_AT_ONCE:
                self._post.looked(sweep, since)
            if swept.taken:
                busy = monotonic()
                self._duty.ring()
            sweep.mark()
            if not any(swept):
                sweep.source.wait(_SOON if monotonic() - busy < _SOON_MARKED else _WAIT)

        self._again(sweep.source.name, look, 0.0)
        self._worked.wait(_GRACE)
        with suppress(PbemError, OSError):  # they are marked when the service runs again
            if self._duty.is_ours():
                sweep.mark()

    def _send(self) -> None:
        """Send for as long as the service runs."""
        self._again(self._post.sender.name, self._post.send, _TICK)

    def _again(self, name: str, action: Callable[[], object], rest: float) -> None:
        """Do something again and again while on duty; with growing pauses while it fails, and one line in the log."""
        run_once, failures, noted = Once(self._say), 0, 0.0
        while not self._stop.is_set():
            try:
                if not self._duty.is_ours():
                    self._stop.wait(_TICK)
                    continue
                action()
                if failures or monotonic() - noted > _BEAT:
                    self._post.note_reached(name, WELL)
                    noted = monotonic()
                run_once.ends(f"{name} can be reached again")
                failures, pause = 0, rest
            except Unreachable as wrong:
                refused = isinstance(wrong, LoginRefused)
                pause = _AFTER_REFUSED_LOGIN if refused else _RETRY_PAUSES[min(failures, len(_RETRY_PAUSES) - 1)]
                failures += 1
                run_once.begins(f"{name} cannot be reached: {wrong}")
                with suppress(OSError):
                    self._post.note_reached(name, str(wrong))
            except (OSError, PbemError) as wrong:
                pause = _RETRY_PAUSES[min(failures, len(_RETRY_PAUSES) - 1)]
                failures += 1
                run_once.begins(f"{error_text(wrong)}; nothing is lost, it is tried again")
            except Exception as wrong:  # a bug must not end the service: other letters go on
                pause = _RETRY_PAUSES[-1]
                failures += 1
                traceback.print_exc()
                run_once.begins(f"{name}: a fault in pbem: {type(wrong).__name__}: {wrong}")
            self._stop.wait(pause)


def duty(config: PostConfig, tables: Tables, say: Say, workers: Sequence[KeptWorker] = ()) -> Duty:
    """Return the duty of a service with a config."""
    if config.database is None:
        return FileDuty(config.tables_file, workers)
    from pbem.post.service.cluster import ClusterDuty

    return ClusterDuty(config.database, tables, say)
