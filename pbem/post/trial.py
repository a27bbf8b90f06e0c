"""A trial of the mailbox: letters that it sends to itself show whether the post works, and what the provider does.

Three things are seen: whether the provider says in `Authentication-Results` who sent a letter, under which name, and
that nobody can write such a header in its place; and whether `user+WORD@` is delivered to `user@`.
"""

from __future__ import annotations

import secrets
import time
from base64 import b32encode
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final, NamedTuple

from pbem.game.wording import counted
from pbem.mail.mime import Headers
from pbem.post.auth_results import read, vouched_for
from pbem.post.settings import PostConfig
from pbem.post.transport.base import Accepted, Arrived, Gone, Sender, Source
from pbem.protocol import PbemError

_TURN: Final = 5.0
"""Seconds of one wait for letters."""
_FORGED: Final = "forged.example"
"""A domain that nobody has (RFC 2606), in the header that the trial forges."""
_BODY: Final = """\
This letter was sent by `pbem post --setup`, to see whether letters come and go.
You can delete it.
"""


class NotTried(PbemError):
    """A trial of the mailbox that came to nothing: a letter was not accepted, or did not come."""


class Found(NamedTuple):
    """What a trial has found."""

    hosts: tuple[str, ...]
    """The names under which the provider says who sent a letter, if it can be believed; none: it says nothing."""
    plus: bool
    """Whether `user+WORD@` is delivered."""


class Trial:
    """Letters from a mailbox to itself."""

    def __init__(self, config: PostConfig, source: Source, sender: Sender, say: Callable[[str], None]) -> None:
        self._source = source
        self._sender = sender
        self._config = config
        self._say = say
        self._before: set[tuple[str, str]] = set()
        self._arrived: dict[str, Headers] = {}
        """The trial letters that have come, by Message-ID."""
        self._plain = self._plus = ""

    def read(self) -> None:
        """Look which letters there are. None is touched. Raises Unreachable."""

        def known(source: str, uid: str) -> bool:
            self._before.add((source, uid))
            return True

        for _ in self._source.new(known):
            pass
        there = counted(len(self._before), "letter")
        self._say(f"Reading from {self._source.name} works: it has {there}, and none was touched.")

    def send(self) -> None:
        """Send a letter to the address itself, and one to `user+WORD@`. Raises Unreachable, NotTried."""
        own = self._config.address
        self._plain = self._letter(own)
        name, _, domain = own.partition("@")
        word = b32encode(secrets.token_bytes(12)).decode().lower().rstrip("=")
        self._plus = self._letter(f"{name}+{word}@{domain}", optional=True)
        self._say(f"Sending by {self._sender.name} works: a letter to {own} is on its way.")

    def result(self, patience: float) -> Found:
        """Wait for the letters and return what they show. Raises Unreachable, NotTried."""
        began = time.monotonic()
        if not self._await(self._plain, patience):
            raise NotTried(
                f"the letter did not come within {patience:.0f} s. Look for it among the spam, or in another folder; "
                "`pbem post --setup` can be run again"
            )
        self._say(f"The letter came after {time.monotonic() - began:.0f} s.")
        hosts = self._hosts(patience)
        plus = bool(self._plus) and self._await(self._plus, patience / 2)
        own, _, domain = self._config.address.partition("@")
        said = (
            "is delivered: players answer to an address of their own" if plus else "is not delivered; that is no harm"
        )
        self._say(f"{own}+WORD@{domain} {said}.")
        return Found(hosts, plus)

    def _hosts(self, patience: float) -> tuple[str, ...]:
        """Return the name under which the provider says who sent a letter, if nobody else can write it."""
        said = self._arrived[self._plain].every("authentication-results")
        for text in said:
            self._say(f"  Authentication-Results: {text}")
        host = next((name for text in said if (name := _host(text)) and self._vouches(self._plain, name)), "")
        if not host:
            what = "does not vouch for it" if said else "says nothing of who sent it"
            self._say(f"The provider {what} (Authentication-Results). Players prove by a token or a key who they are.")
            return ()
        forged = self._letter(self._config.address, f"{host}; dkim=pass header.d={_FORGED}")
        if not self._await(forged, patience):
            self._say(f"A letter with a forged word of {host} did not come: the word of {host} is not relied on.")
            return ()
        if vouched_for(self._arrived[forged], (host,), f"anybody@{_FORGED}"):
            self._say(f"The provider lets others write in the name of {host}: its word is not relied on.")
            return ()
        self._say(f"The provider says as {host} who sent a letter, and nobody else can. That is a proof.")
        return (host,)

    def _vouches(self, message_id: str, host: str) -> bool:
        return bool(vouched_for(self._arrived[message_id], (host,), self._config.address))

    def _letter(self, to: str, results: str = "", optional: bool = False) -> str:
        """Send one letter and return its Message-ID; empty: it was refused, and is `optional`. Raises NotTried."""
        letter = EmailMessage()
        if results:
            letter["Authentication-Results"] = results
        letter["From"] = self._config.sender
        letter["To"] = to
        letter["Subject"] = "pbem: a trial of this mailbox"
        letter["Date"] = format_datetime(datetime.now(UTC))
        letter["Message-ID"] = f"<trial.{secrets.token_hex(12)}@{self._config.address.partition('@')[2]}>"
        letter["Auto-Submitted"] = "auto-generated"
        letter.set_content(_BODY)
        outcome = self._sender.send(to, letter.as_bytes())
        if isinstance(outcome, Accepted):
            return str(letter["Message-ID"])
        if optional:
            return ""
        raise NotTried(f"{self._sender.name} does not take a letter to {to}: {outcome.reason}")

    def _await(self, message_id: str, patience: float) -> bool:
        """Wait for a trial letter; return whether it has come."""
        until = time.monotonic() + patience
        while message_id not in self._arrived:
            for letter in self._source.new(lambda *which: which in self._before):
                self._look(letter)
            left = until - time.monotonic()
            if message_id in self._arrived or left <= 0:
                break
            self._source.wait(min(left, _TURN))
        return message_id in self._arrived

    def _look(self, letter: Arrived) -> None:
        """Look whether a new letter is one of the trial, and mark it as read then."""
        self._before.add((letter.source, letter.uid))
        try:
            headers = Headers(self._source.head(letter))
        except Gone:
            return
        found = headers.one("message-id").strip()
        if found.startswith("<trial."):
            self._arrived[found] = headers
            self._source.done(letter)


def _host(text: str) -> str:
    """Return the host that a header speaks for; empty: it cannot be read."""
    try:
        return read(text)[0]
    except ValueError:
        return ""
