"""Submission of letters by SMTP, with TLS and a login.

What the server answers decides: 4xx is `Later`, 5xx `Refused`. What concerns every letter, such as a login that is
refused or a limit of the provider that is reached, is `Unreachable`. The connection is kept for the next letter.
"""

from __future__ import annotations

import re
import smtplib
import time
from contextlib import suppress
from typing import Final

from pbem.post.settings import SmtpOut
from pbem.post.transport.base import (
    CONNECT_TIMEOUT,
    Accepted,
    Delivery,
    Later,
    LoginRefused,
    Refused,
    Sender,
    Unreachable,
    context,
    password,
)

_KEPT_SECONDS: Final = 30
"""Seconds for which a connection is kept; then a new one is made. Servers hang up on us otherwise."""
_OURSELVES: Final = "[127.0.0.1]"
"""What we call ourselves to a server, as mail programs do. The name of this machine is nobody's business."""
_ANY_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_LIMIT: Final = re.compile(r"\b5\.4\.5\b")
"""How a server says that the limit of an account is reached, although a letter sent tomorrow will pass (Gmail)."""
_TOO_LARGE: Final = 552


class SmtpSender(Sender):
    """A server that letters are submitted to."""

    def __init__(self, config: SmtpOut, address: str) -> None:
        self.config = config
        self.name = f"{config.host}:{config.port}"
        self.address = address
        """The envelope's sender: where bounces go."""
        self._server: smtplib.SMTP | None = None
        self._used = 0.0

    def check(self) -> None:
        self.close()
        self._connected()

    def send(self, to: str, letter: bytes) -> Delivery:
        if self._server is not None and time.monotonic() - self._used > _KEPT_SECONDS:
            self.close()
        content = _ANY_LINE_END.sub(b"\r\n", letter)
        if self._server is not None:
            with suppress(Unreachable):  # it may have hung up meanwhile, or have had enough of us
                return self._send(self._server, to, content)
        return self._send(self._connected(), to, content)

    def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            with suppress(OSError, smtplib.SMTPException):
                server.quit()
            server.close()

    def _send(self, server: smtplib.SMTP, to: str, content: bytes) -> Delivery:
        """Give one letter to a server, and return what came of it. Raises Unreachable if it never got the letter."""
        try:
            options = [f"size={len(content)}"] if server.has_extn("size") else []
            if not content.isascii() and server.has_extn("8bitmime"):
                options.append("body=8bitmime")
            code, said = server.mail(self.address, options)
            if code != 250:
                return self._not_from_us(server, code, said)
            code, said = server.rcpt(to)
            if code not in (250, 251):
                return self._outcome(server, code, said)
        except (OSError, smtplib.SMTPException) as wrong:
            self._break_off()
            raise Unreachable(_smtp_error(wrong)) from wrong
        try:
            code, said = server.data(content)
        except smtplib.SMTPDataError as wrong:
            return self._outcome(server, wrong.smtp_code, wrong.smtp_error)
        except (OSError, smtplib.SMTPException) as wrong:
            self._break_off()
            return Later(_smtp_error(wrong))
        self._used = time.monotonic()
        return Accepted() if code == 250 else self._outcome(server, code, said)

    def _not_from_us(self, server: smtplib.SMTP, code: int, said: bytes | str) -> Delivery:
        """Return what a refusal of MAIL FROM means, if it is about the one letter. Else raises Unreachable."""
        if code == _TOO_LARGE:
            return self._outcome(server, code, said)
        self.close()
        raise Unreachable(f"it does not accept letters from {self.address}: {_smtp_answer(code, said)}")

    def _outcome(self, server: smtplib.SMTP, code: int, said: bytes | str) -> Delivery:
        """Return what a refusal means."""
        text = _smtp_answer(code, said)
        if code == 421 or _LIMIT.search(text):
            self.close()
        else:
            self._reset(server)
        if _LIMIT.search(text):
            raise Unreachable(text)
        return Later(text) if code < 500 else Refused(text)

    def _reset(self, server: smtplib.SMTP) -> None:
        self._used = time.monotonic()
        try:
            server.rset()
        except (OSError, smtplib.SMTPException):
            self._break_off()

    def _connected(self) -> smtplib.SMTP:
        """Connect and log in."""
        config, trust = self.config, context(self.config.tls)
        secret = password(config.password) if config.password is not None else None
        timeout = min(CONNECT_TIMEOUT, config.timeout)
        try:
            if config.tls.kind == "implicit":
                server: smtplib.SMTP = smtplib.SMTP_SSL(
                    config.host, config.port, local_hostname=_OURSELVES, timeout=timeout, context=trust
                )
            else:
                server = smtplib.SMTP(config.host, config.port, local_hostname=_OURSELVES, timeout=timeout)
        except (OSError, smtplib.SMTPException) as wrong:
            raise Unreachable(_smtp_error(wrong)) from wrong
        self._server, self._used = server, time.monotonic()
        try:
            if server.sock is not None:
                server.sock.settimeout(config.timeout)
            if config.tls.kind == "starttls":
                server.starttls(context=trust)
            if config.user is not None and secret is not None:
                server.login(config.user, secret)
            server.ehlo_or_helo_if_needed()
        except smtplib.SMTPAuthenticationError as wrong:
            self._break_off()
            text = _smtp_answer(wrong.smtp_code, wrong.smtp_error)
            if wrong.smtp_code < 500:
                raise Unreachable(text) from None
            raise LoginRefused(f"it refuses the login of {config.user}: {text}") from None
        except smtplib.SMTPNotSupportedError as wrong:
            self._break_off()
            raise Unreachable(_smtp_error(wrong)) from wrong
        except (OSError, smtplib.SMTPException) as wrong:
            self._break_off()
            raise Unreachable(_smtp_error(wrong)) from wrong
        return server

    def _break_off(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            with suppress(OSError):
                server.close()


def _smtp_answer(code: int, said: bytes | str) -> str:
    """Return a server's answer as one short line."""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"[:300]


def _smtp_error(wrong: BaseException) -> str:
    """Return what went wrong as one short line."""
    if isinstance(wrong, smtplib.SMTPResponseException):
        return _smtp_answer(wrong.smtp_code, wrong.smtp_error)
    return " ".join((str(wrong) or type(wrong).__name__).split())[:300]
