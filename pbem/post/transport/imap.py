"""A mailbox read by IMAP: new letters by UID, a wake-up by IDLE, and nothing marked before the caller says so.

A letter is known by the folder's UIDVALIDITY and its UID, never by its flags. Whatever goes wrong with the connection
is `Unreachable`, and the next call connects again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date
from ssl import SSLContext
from typing import Final

from imapclient import SEEN, IMAPClient, SocketTimeout
from imapclient.exceptions import CapabilityError, IMAPClientAbortError, IMAPClientError, LoginError

from pbem.post.settings import ImapIn
from pbem.post.transport.base import (
    CONNECT_TIMEOUT,
    Arrived,
    Gone,
    LoginRefused,
    Source,
    Unreachable,
    Withheld,
    context,
    password,
)

_BATCH: Final = 200
"""Letters that are asked about at once."""
_FIRST_IDLE: Final = 1.0
"""Seconds of the first IDLE of a wait. What arrives just while an IDLE begins is seen when it ends, so the first ones
are short, each twice as long as the one before."""
_LONGEST_IDLE: Final = 25 * 60.0
"""Seconds after which IDLE is renewed: servers may hang up after 30 minutes (RFC 2177)."""
_POLL_SERVER: Final = 15.0
"""Seconds between two looks at a server that has no IDLE."""
_TEMPORARY: Final = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]", "[CONTACTADMIN]")
"""What a server says that refuses a login for reasons of its own (RFC 5530)."""


class ImapSource(Source):
    """A folder of a mailbox on an IMAP server."""

    def __init__(self, config: ImapIn) -> None:
        self.config = config
        self.name = f"{config.host}:{config.port}"
        self._prefix = f"imap://{config.user}@{config.host}/{config.folder};UIDVALIDITY="
        self._client: IMAPClient | None = None
        self._source = ""
        """The folder as its letters know it, while we are connected."""
        self._floor = 0
        """All letters in the folder up to this UID are known."""

    def holds(self, source: str) -> bool:
        return source.startswith(self._prefix)

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        with self._connection() as client:
            source = self._source
            uids = self._uids(client)
            unknown = [uid for uid in uids if not known(source, str(uid))]
            self._floor = min(unknown) - 1 if unknown else max([self._floor, *uids])
        for first in range(0, len(unknown), _BATCH):
            with self._connection() as client:
                if self._source != source:  # connected again meanwhile, to a new folder
                    return
                found = client.fetch(unknown[first : first + _BATCH], ["RFC822.SIZE", "INTERNALDATE"])
            for uid, said in sorted(found.items()):
                if b"RFC822.SIZE" in said and b"INTERNALDATE" in said:
                    yield Arrived(source, str(uid), said[b"RFC822.SIZE"], said[b"INTERNALDATE"].astimezone(UTC))

    def head(self, letter: Arrived) -> bytes:
        return self._read(letter, "BODY.PEEK[HEADER]", b"BODY[HEADER]")

    def fetch(self, letter: Arrived) -> bytes:
        return self._read(letter, "BODY.PEEK[]", b"BODY[]")

    def done(self, letter: Arrived) -> None:
        with self._connection() as client:
            if letter.source != self._source:
                return
            uid, folder = int(letter.uid), self.config.done
            if folder is None:
                client.add_flags(uid, [SEEN], silent=True)
                return
            if not client.folder_exists(folder):
                client.create_folder(folder)
            if client.has_capability("MOVE"):
                client.add_flags(uid, [SEEN], silent=True)
                if uid in client.fetch(uid, ["UID"]):  # some servers refuse to move what is gone
                    client.move(uid, folder)
            elif uid in client.fetch(uid, ["UID"]):
                client.add_flags(uid, [SEEN], silent=True)
                client.copy(uid, folder)
                client.delete_messages(uid, silent=True)
                if client.has_capability("UIDPLUS"):  # without it an expunge would take other letters along
                    client.uid_expunge(uid)

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        with self._connection() as client:
            if not client.has_capability("IDLE"):
                return self._poll(client, until)
            length = _FIRST_IDLE
            while (left := until - time.monotonic()) > 0:
                client.idle()
                seen = client.idle_check(min(left, length))
                _, more = client.idle_done()
                if any(len(each) > 1 and each[1] in (b"EXISTS", b"RECENT") for each in (*seen, *more)):
                    return True
                length = min(length * 2, _LONGEST_IDLE)
        return False

    def close(self) -> None:
        client = self._client
        if client is not None:
            with suppress(OSError, IMAPClientError):
                client.logout()
                self._client = None
        self._break_off()

    def _poll(self, client: IMAPClient, until: float) -> bool:
        """Look for letters every few seconds; return whether one has come."""
        before = self._uids(client)
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _POLL_SERVER))
            if self._uids(client) != before:
                return True
        return False

    def _uids(self, client: IMAPClient) -> Sequence[int]:
        """Return the UIDs of the letters in the folder that may not be known, in order."""
        criteria: list[str | date] = ["UNDELETED", "UID", f"{self._floor + 1}:*"]
        if self.config.since is not None:
            criteria += ["SINCE", self.config.since]
        # The last letter of a folder always belongs to n:*, also if its UID is smaller.
        return sorted(uid for uid in client.search(criteria) if uid > self._floor)

    def _read(self, letter: Arrived, what: str, key: bytes) -> bytes:
        with self._connection() as client:
            try:
                found = client.fetch(int(letter.uid), [what]) if letter.source == self._source else {}
            except IMAPClientAbortError:
                raise
            except IMAPClientError as wrong:  # the server answers, with NO
                raise Withheld(_imap_error(wrong)) from wrong
        content = found.get(int(letter.uid), {}).get(key)
        if not isinstance(content, bytes):
            raise Gone(f"letter {letter.uid} is no longer in {self.config.folder} of {self.name}")
        return content

    @contextmanager
    def _connection(self) -> Iterator[IMAPClient]:
        """Give the connection, made if there is none. What goes wrong with it is Unreachable, and ends it."""
        try:
            if self._client is None:
                self._client = self._connect()
            yield self._client
        except Unreachable:
            self._break_off()
            raise
        except (OSError, IMAPClientError, EOFError) as wrong:
            self._break_off()
            raise Unreachable(_imap_error(wrong)) from wrong

    def _connect(self) -> IMAPClient:
        config, tls, secret = self.config, self.config.tls, password(self.config.password)
        implicit, trust = tls.kind == "implicit", context(tls)
        client = IMAPClient(
            config.host,
            config.port,
            ssl=implicit,
            ssl_context=trust if implicit else None,
            timeout=SocketTimeout(min(CONNECT_TIMEOUT, config.timeout), config.timeout),
        )
        try:
            client.normalise_times = False
            if tls.kind == "starttls":
                self._start_tls(client, trust)
            self._log_in(client, secret)
            opened = client.select_folder(config.folder)
        except BaseException:
            with suppress(OSError, IMAPClientError):
                client.shutdown()
            raise
        source = f"{self._prefix}{opened[b'UIDVALIDITY']}"
        if source != self._source:
            self._source, self._floor = source, 0
        return client

    def _start_tls(self, client: IMAPClient, trust: SSLContext) -> None:
        try:
            client.starttls(trust)
        except CapabilityError:
            raise Unreachable("it offers no STARTTLS; try port 993") from None

    def _log_in(self, client: IMAPClient, secret: str) -> None:
        try:
            client.login(self.config.user, secret)
        except LoginError as wrong:
            said = _imap_error(wrong)
            if isinstance(wrong.__context__, IMAPClientAbortError) or any(word in said for word in _TEMPORARY):
                raise Unreachable(said) from None
            raise LoginRefused(f"it refuses the login of {self.config.user}: {said}") from None

    def _break_off(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, IMAPClientError):
                client.shutdown()


def _imap_error(wrong: BaseException) -> str:
    """Return what went wrong as one short line."""
    text = str(wrong) if str(wrong) not in ("", "None") else type(wrong).__name__
    if text.startswith("b'") and text.endswith("'"):  # as imaplib quotes a server
        text = text[2:-1]
    return " ".join(text.split())[:200]
