"""A worker: takes the game that has waited longest, its claim, and its letters in order, and carries them out.

Every step can be repeated: the commit of a game says which letters it has, and the row of a letter is done only after
it. A claim is a file lock beside the repo of its game, which the kernel frees when a worker dies. The next one then
takes the same letter in again, and the game recognizes it.

On a database shared by several hosts, `pbem.post.service.cluster` hands out the games. A file lock need not reach as
far as the other hosts, so there the commit decides: who finds that the game has moved on throws the work away and reads
again.

As a process of its own (`python -m pbem.post.service.worker CONFIG`) it ends when its standard input does: with the
service that has started it, however that one ends, but not in the middle of a letter. Each line there rings the bell.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from math import floor
from pathlib import Path
from time import time
from typing import Final

from pbem.mail.due import Witnessed, go_on
from pbem.mail.tasks import Handled, NextDue
from pbem.mail.write.outgoing import MailSettings
from pbem.post.service.reception import bounced, received, too_big
from pbem.post.service.sweep import BOUNCE, TOO_BIG
from pbem.post.service_log import Once, Say, error_text, say
from pbem.post.settings import PostConfig, load_config
from pbem.post.tables.open_tables import TableOutbox, open_tables
from pbem.post.tables.tables import DAY, NEVER, NO_GAME, Tables, TakenIn, Waiting
from pbem.protocol import PbemError
from pbem.repo.git import KeptRepos, Moved, NoSuchGame
from pbem.repo.git.locks import Busy, GameLock

_SEEN_DOWN: Final = "down seen "
"""The prefix of a note for each game: the end of the last outage that is on record in the game."""
_CLAIM: Final = "pbem.post"
"""The file beside a game's own lock by which a worker claims its queue."""
_LOOK: Final = 2.0
"""Seconds after which the tables are looked at, whether the bell has rung or not."""
_AT_A_TIME: Final = 20
"""Letters of a game that are taken in before the others are looked at."""
_CHOICE: Final = 32
"""Games that are looked at for one that no other worker has claimed."""
_DEADLY: Final = 3
"""Attempts after which it may be the letter that workers die of: its game waits if this one dies, too."""
_OTHER_RULES: Final = 300.0
"""Seconds after which a game that is played with other rules is tried again."""
_READ_AGAIN: Final = 2
"""How often a letter is begun again at once because its game has moved on meanwhile."""
_GAME_PAUSES: Final = (5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)
"""Seconds that a game waits whose letter could not be taken in, by how often it was tried."""


class Worker:
    """Takes in what waits in the tables."""

    def __init__(
        self,
        config: PostConfig,
        tables: Tables,
        say: Say = say,
        clock: Callable[[], float] = time,
        repos: KeptRepos | None = None,
    ) -> None:
        """`repos` keeps what is read of the games between letters."""
        self._repos = KeptRepos() if repos is None else repos
        self._config = config
        self._tables = tables
        self._say = say
        self._clock = clock
        self._outbox = TableOutbox(tables, clock)

    def work(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Take in all letters that are due and that no other worker is at; return how many there were."""
        whole = 0
        while not stop():
            taken = next((count for count in map(self.take_in, self._choice()) if count), 0)
            if not taken:
                return whole
            whole += taken
        return whole

    def _choice(self) -> list[str]:
        return list(self._tables.next_games(self._clock(), _CHOICE))

    def take_in(self, game: str, stop: Callable[[], bool] = lambda: False) -> int:
        """Take in letters of a game, if no other worker is at it, and what has fallen due in it; return how many."""
        with self._claimed(game) as mine:
            seen = mine and self._tables.has_clock(game) and self._has_seen(game)  # that comes before the letters
            count, gone_on = (self._go_on(game), True) if seen else (0, False)
            while mine and count < _AT_A_TIME and not stop():
                letter = self._tables.next_letter(game, self._clock())
                if letter is None:
                    return count if gone_on else count + self._go_on(game)
                if not self._letter(letter, game):
                    break
                count, gone_on = count + 1, True  # what falls due next was noted with the letter
            return count

    def _go_on(self, game: str) -> int:
        """Carry out everything that has fallen due in a game by itself; return how many things that was."""
        looked = self._looked([game])
        if game == NO_GAME or looked is None:
            return 0
        handed = {side: at for side, at in self._tables.handed(game).items() if at < looked.timestamp()}
        downs = self._downs(game)
        try:
            gone = go_on(game, looked, self._mail_settings(), _witnessed(handed, downs))
        except NoSuchGame:
            self._tables.falls_due(game, None, "")
            return 0
        except (Busy, Moved):  # it is retried soon
            return 0
        except (PbemError, OSError) as wrong:
            return self._cannot_go_on(game, error_text(wrong))
        except Exception as wrong:  # a bug: this game waits, and the others go on
            traceback.print_exc()
            return self._cannot_go_on(game, f"a fault in pbem: {type(wrong).__name__}: {wrong}")
        for line in gone.log:
            self._say(line)
        self._tables.resume(game)
        self._tables.forget_handed(game, handed)
        if downs:
            self._tables.note(f"{_SEEN_DOWN}{game}", f"{downs[-1][1]:.0f}", self._clock())
        self._note_due(game, gone.due)
        return len(gone.log)

    def _has_seen(self, game: str) -> bool:
        """Tell whether the service has seen something of a game with a clock that is not on record yet."""
        return bool(self._tables.handed(game) or self._downs(game))

    def _downs(self, game: str) -> list[tuple[float, float]]:
        """Return the outages that are not on record in a game."""
        seen = float((self._tables.noted(f"{_SEEN_DOWN}{game}") or ("0",))[0])
        return [(since, until) for since, until in self._tables.downs() if until > seen]

    def _cannot_go_on(self, game: str, reason: str) -> int:
        if self._tables.postpone(game, self._clock() + _OTHER_RULES, reason):
            self._say(f"{game} cannot go on: {reason}")
        return 0

    def _looked(self, games: Sequence[str], besides: int = 0) -> datetime | None:
        """Return until when games can go on by themselves; None: that is not known.

        It is when the mailboxes were last looked through, but before the first letter that waits; the letter `besides`
        is left out.
        """
        if not (looked := self._tables.looked()):
            return None
        queues = [*games, NO_GAME]  # there bounces wait, which stop clocks
        stuck = {each.game for each in self._tables.stuck()}.difference(games)
        waiting = (self._tables.first_waiting(game, besides) for game in queues if game not in stuck)
        first = [at for at in waiting if at is not None]
        return datetime.fromtimestamp(min([floor(looked), *map(floor, first)]), UTC)

    def _note_due(self, game: str, due: NextDue) -> None:
        when = NEVER if due.clock else None
        self._tables.falls_due(game, when if due.when is None else due.when.timestamp(), due.tip)
        for at in self._tables.handed(game).values():
            self._tables.look_at(game, at)

    @contextmanager
    def _claimed(self, game: str) -> Iterator[bool]:
        """Claim the queue of a game; False: another worker has it."""
        repo = self._config.games / f"{game}.git"
        path = repo / f"{_CLAIM}.lock" if game and repo.is_dir() else self._config.games / f".{_CLAIM}.lock"
        lock = GameLock(path, game, lambda: None)
        try:
            lock.acquire(0)
        except Busy:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _letter(self, letter: Waiting, game: str) -> bool:
        """Take in one letter, for all its games; return whether it is done for this one."""
        with ExitStack() as claims:
            others = [each for each in letter.games if each != game]
            if not all(claims.enter_context(self._claimed(each)) for each in others) or self._is_early(letter, others):
                return False  # its turn comes when the letters before it are done
            self._tables.begun(letter.id)
            if letter.tries >= _DEADLY and game not in {each.game for each in self._tables.stuck()}:
                self._put_off(game, letter, "a letter has ended the worker that took it in, again and again")
            try:
                handled = self._carry_out_as_it_stands(letter)
            except TakenIn:
                return False
            except (PbemError, OSError) as wrong:
                return self._put_off(game, letter, error_text(wrong))
            except Exception as wrong:  # a bug: its letter waits, and those of other games go on
                traceback.print_exc()
                return self._put_off(game, letter, f"a fault in pbem: {type(wrong).__name__}: {wrong}")
        for line in [*handled.notes, *handled.log]:
            self._say(line)
        for each, due in handled.due.items():
            self._note_due(each, due)
        for each in letter.games:
            if each in handled.waits:
                reason = str(handled.waits[each])
                if self._tables.postpone(each, self._clock() + _OTHER_RULES, reason):
                    self._say(f"letters of {each} wait: {reason}")
            else:
                self._tables.done(letter.id, each)
        return game not in handled.waits

    def _is_early(self, letter: Waiting, games: Sequence[str]) -> bool:
        """Tell whether a game has a letter that comes before this one, and could take it in now."""
        stuck = {each.game for each in self._tables.stuck()} if games else ()
        first = [self._tables.next_letter(each, self._clock()) for each in games if each not in stuck]
        return any(each is not None and each.id < letter.id for each in first)

    def _carry_out_as_it_stands(self, letter: Waiting) -> Handled:
        """Carry out a letter; again, if the game has moved on before the commit, as when this worker was asleep."""
        for _ in range(_READ_AGAIN):
            with suppress(Moved):
                return self._carry_out(letter)
        return self._carry_out(letter)

    def _carry_out(self, letter: Waiting) -> Handled:
        """Carry out a letter, and put the answers into the outbox."""
        outbox = replace(self._outbox, answering=letter)
        settings = replace(self._settings(letter), outbox=outbox)
        if letter.by == BOUNCE:
            handled = bounced(letter.content, settings, self._config.game_master)
        elif letter.by == TOO_BIG:
            handled = too_big(letter.content, letter.size, settings, self._sent_to)
        else:
            handled = received(letter.content, self._config.who, settings, letter.by, self._sent_to)
        for out in handled.letters:
            out.put_into(outbox)
        for name in handled.waits.keys() - set(letter.games):
            self._say(f"letter {letter.digest[:12]}: {name} cannot take it in: {handled.waits[name]}")
        return handled

    def _settings(self, letter: Waiting) -> MailSettings:
        looked = self._looked(letter.games, letter.id)
        return replace(self._mail_settings(), came=datetime.fromtimestamp(letter.at, UTC), looked=looked)

    def _mail_settings(self) -> MailSettings:
        return self._config.mail_settings(datetime.fromtimestamp(self._clock(), UTC), self._outbox, self._repos)

    def _sent_to(self, address: str) -> list[str]:
        return list(self._tables.written_to(address, self._clock() - DAY))

    def _put_off(self, game: str, letter: Waiting, reason: str) -> bool:
        """Let the letters of a game wait, because one of them could not be taken in."""
        pause = _GAME_PAUSES[min(letter.tries, len(_GAME_PAUSES) - 1)]
        if self._tables.postpone(game, self._clock() + pause, reason):
            whose = f"letters of {game} wait" if game != NO_GAME else "letters wait"
            self._say(f"{whose}: {reason}")
        return False


def _witnessed(handed: Mapping[str, float], downs: Sequence[tuple[float, float]]) -> Witnessed:
    return Witnessed(
        {side: _whole_second(at) for side, at in handed.items()},
        [(_whole_second(since), _whole_second(until)) for since, until in downs],
    )


def _whole_second(seconds: float) -> datetime:
    return datetime.fromtimestamp(floor(seconds), UTC)


def main(file: Path) -> None:
    """Work until standard input ends."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stop)
    config = load_config(file)
    tables = _tables_opened(config, lambda: stopped)
    if tables is None:
        return
    worker = Worker(config, tables)
    if config.database is not None:
        from pbem.post.service.cluster import work

        work(config.database, worker.take_in)
        tables.close()
        return
    os.set_blocking(sys.stdin.fileno(), False)

    def over() -> bool:
        return stopped or _rung(0.0) is None

    once = Once(say)
    while not over():
        try:
            worker.work(over)
            once.ends("letters can be taken in again")
        except (OSError, PbemError) as wrong:  # the tables themselves: the disk is full, or they are damaged
            once.begins(f"no letter can be taken in: {error_text(wrong)}")
        if not stopped and _rung(_LOOK) is None:
            break
    tables.close()


def _tables_opened(config: PostConfig, stop: Callable[[], bool]) -> Tables | None:
    """Open the tables, as soon as they can be reached; None: the service has gone meanwhile."""
    once = Once(say)
    while not stop():
        try:
            return open_tables(config)
        except OSError as wrong:
            once.begins(f"no letter can be taken in: {error_text(wrong)}")
        if _rung(_LOOK) is None:
            break
    return None


def _rung(seconds: float) -> bool | None:
    """Wait for the bell; None: the service has gone."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return False
    return True if os.read(sys.stdin.fileno(), 4096) else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
