"""The soak of the post with a mailbox on a real Dovecot and tables in a real PostgreSQL; both are killed, too."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from imapclient import IMAPClient

from tests.real.mailhost import MailHost
from tests.support import postgres
from tests.support.post_soak import GAMES, KILLS, LARGEST, LETTERS, SERVER_KILLS, PostSoak
from tests.support.seasons import Season

pytestmark = [pytest.mark.soak, pytest.mark.skipif(bool(postgres.missing()), reason=postgres.missing())]

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Mailbox:
    """The mailbox of the referee, for a player's server that brings letters: it tries again until one is there."""

    host: MailHost
    _open: IMAPClient | None = None

    def bring(self, letter: bytes, at: datetime) -> None:
        """Put a letter into the mailbox. If the server dies meanwhile it may be there twice, as with real servers."""
        while True:
            try:
                if self._open is None:
                    self._open = IMAPClient("localhost", self.host.ports["IMAP"], ssl=False, timeout=20)
                    self._open.login("referee@pbem.test", "secret-referee")
                self._open.append("INBOX", letter, msg_time=at)
                return
            except (OSError, IMAPClient.Error):
                self.close()

    def close(self) -> None:
        if self._open is not None:
            with suppress(OSError, IMAPClient.Error):
                self._open.shutdown()
            self._open = None


@dataclass
class HostedSeason(Season):
    """A season whose letters come from a mailbox on a server."""

    host: MailHost = field(kw_only=True)
    _digests: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mailbox = Mailbox(self.host)

    def write(self, content: bytes, name: str = "", age: int = 0) -> Path:
        """Put a letter into the mailbox; it has no file."""
        self._digests.add(content)
        self.mailbox.bring(content, datetime.now(UTC) - timedelta(seconds=age))
        return self.path

    def written(self) -> int:
        return len(self._digests)


def test_servers_die_and_no_letter_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]))
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "secret-referee")
    host = MailHost()
    try:
        with postgres.running() as server:
            login = "user: referee@pbem.test, password: {env: PBEM_TEST_PASSWORD}"
            box = f"imap: {{host: localhost, port: {host.ports['IMAP']}, {login}, tls: none, timeout: 20}}"
            season = HostedSeason(tmp_path, box=box, more=f"database: {server.database()}\n", host=host)
            soak = PostSoak(season, GAMES, Random(16))

            def kill_dovecot() -> None:
                host.kill("dovecot")
                host.start_dovecot()

            def kill_postgres() -> None:
                server.kill()
                server.start()

            kills = [soak.kill] * KILLS + [kill_dovecot] * SERVER_KILLS + [kill_postgres] * SERVER_KILLS
            soak.random.shuffle(kills)
            try:
                soak.play(LETTERS, kills)
                memory = soak.memory()
            finally:
                season.mailbox.close()
                soak.stop()
            soak.check()
            assert memory <= LARGEST
    finally:
        host.close()
