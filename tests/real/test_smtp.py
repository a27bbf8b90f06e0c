"""Submission on a real Postfix: what its answers mean, and what a break at any line leaves behind."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.post import settings
from pbem.post.settings import Secret, SmtpOut, Tls
from pbem.post.transport import sender
from pbem.post.transport.base import Accepted, Delivery, Later, LoginRefused, Refused, Unreachable
from pbem.post.transport.smtp import SmtpSender
from tests.real.mailhost import MailHost, soon
from tests.real.proxy import Proxy, Trick


def letter(number: int, to: str = "ann@pbem.test") -> bytes:
    return (
        f"From: referee@pbem.test\r\nTo: {to}\r\nSubject: report {number}\r\n"
        "Date: Mon, 23 Nov 2026 12:00:00 +0000\r\n"
        f"Message-ID: <report.{number}@pbem.test>\r\n\r\n.\r\n.. a line with dots\r\nReport {number}.\r\n"
    ).encode()


def out(host: MailHost, *, tls: bool = True, port: int | None = None, address: str = "referee@pbem.test") -> SmtpSender:
    made = sender(
        settings.parse_config(f"from: {address}\n{host.config(tls=tls, smtp=port)}", Path("/nowhere/pbem.yaml"))
    )
    assert isinstance(made, SmtpSender)
    return made


def arrived(host: MailHost, count: int, user: str = "ann") -> list[bytes]:
    return soon(lambda: found if len(found := host.letters(user)) >= count else [])


@pytest.mark.parametrize("tls", [True, False])
def test_letter_is_submitted_and_arrives_as_it_was(host: MailHost, tls: bool) -> None:
    with out(host, tls=tls) as smtp:
        assert [smtp.send("ann@pbem.test", letter(n)) for n in (1, 2)] == [Accepted(), Accepted()]
    found = arrived(host, 2)
    assert all(any(each.endswith(letter(n)) for each in found) for n in (1, 2))
    assert all(b"Return-Path: <referee@pbem.test>" in each for each in found)


def test_tls_from_the_start_is_spoken_too(host: MailHost) -> None:
    tls = Tls("implicit", host.certificate)
    port = host.ports["SUBMISSIONS"]
    settings = SmtpOut("localhost", port, tls, "referee@pbem.test", Secret(env="PBEM_TEST_PASSWORD"))
    with SmtpSender(settings, "referee@pbem.test") as smtp:
        assert smtp.send("ann@pbem.test", letter(1)) == Accepted()
    arrived(host, 1)


def test_bytes_above_127_and_bare_line_ends_pass(host: MailHost) -> None:
    with out(host) as smtp:
        assert smtp.send("ann@pbem.test", b"Subject: x\nMessage-ID: <u@pbem.test>\n\nHann\xc3\xadbal\n") == Accepted()
    assert arrived(host, 1)[0].endswith(b"\r\n\r\nHann\xc3\xadbal\r\n")


def test_player_who_is_gone_is_refused_and_the_next_letter_goes(host: MailHost) -> None:
    with out(host) as smtp:
        refused = smtp.send("nobody@pbem.test", letter(1, "nobody@pbem.test"))
        assert isinstance(refused, Refused)
        assert refused.reason.startswith("550 5.1.1")
        assert smtp.send("ann@pbem.test", letter(2)) == Accepted()
    arrived(host, 1)


def test_wrong_password_is_a_refused_login(host: MailHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "wrong")
    with (
        out(host) as smtp,
        pytest.raises(LoginRefused, match=r"it refuses the login of referee@pbem\.test: 535"),
    ):
        smtp.send("ann@pbem.test", letter(1))


@pytest.mark.slow
def test_letter_that_is_too_large_is_refused(host: MailHost) -> None:
    with out(host) as smtp:
        refused = smtp.send("ann@pbem.test", letter(1) + b"x" * 70 + b"\r\n" + b"y" * 61_000_000)
        assert isinstance(refused, Refused)
        assert refused.reason.startswith("552")
        assert smtp.send("ann@pbem.test", letter(2)) == Accepted()


def test_certificate_of_a_stranger_is_not_believed(host: MailHost) -> None:
    with out(host) as smtp:
        smtp.config = replace(smtp.config, tls=Tls("starttls"))
        with pytest.raises(Unreachable, match="certificate verify failed"):
            smtp.send("ann@pbem.test", letter(1))


def test_starttls_that_is_not_offered_is_never_done_without(host: MailHost) -> None:
    with out(host, port=host.ports["LMTP"]) as smtp, pytest.raises(Unreachable):
        smtp.send("ann@pbem.test", letter(1))


def test_server_that_is_down_is_unreachable_and_found_again(host: MailHost) -> None:
    with out(host) as smtp:
        assert smtp.send("ann@pbem.test", letter(1)) == Accepted()
        host.kill("postfix")
        try:
            with pytest.raises(Unreachable, match=r"refused|EOF|closed"):
                smtp.send("ann@pbem.test", letter(2))
        finally:
            host.start_postfix()
        assert smtp.send("ann@pbem.test", letter(3)) == Accepted()
    found = arrived(host, 2)
    assert not any(b"report.2@" in each for each in found)


def test_connection_that_the_server_has_closed_is_made_anew(host: MailHost) -> None:
    with out(host) as smtp:
        assert smtp.send("ann@pbem.test", letter(1)) == Accepted()
        host.kill("postfix")
        host.start_postfix()
        assert smtp.send("ann@pbem.test", letter(2)) == Accepted()
    arrived(host, 2)


def lines_of_a_session(host: MailHost) -> int:
    with Proxy(host.ports["PLAIN"]) as proxy:
        with out(host, tls=False, port=proxy.port) as smtp:
            assert smtp.send("ann@pbem.test", letter(0)) == Accepted()
        return soon(lambda: proxy.lines)


@pytest.mark.real
@pytest.mark.parametrize("trick", ["cut", "stall", "delay"])
def test_break_after_any_line_loses_no_letter(host: MailHost, trick: Trick) -> None:
    """At least once, with the same Message-ID; twice only where the break hid the answer to the whole letter."""
    lines = lines_of_a_session(host)
    assert lines > 20

    def session(after: int) -> list[Delivery | str]:
        said: list[Delivery | str] = []
        with Proxy(host.ports["PLAIN"], trick, after) as proxy, out(host, tls=False, port=proxy.port) as smtp:
            smtp.config = replace(smtp.config, timeout=3 if trick == "stall" else 20)
            while not said or said[-1] != Accepted():
                assert len(said) < 3, said
                try:
                    said.append(smtp.send("ann@pbem.test", letter(after)))
                except Unreachable as wrong:
                    said.append(str(wrong))
        return said

    tried = range(1, lines + 1)
    with ThreadPoolExecutor(16) as sessions:
        outcomes = dict(zip(tried, sessions.map(session, tried), strict=True))
    assert all("\n" not in each for said in outcomes.values() for each in said if isinstance(each, str))
    found = soon(lambda: got if len(got := host.letters("ann")) > lines else [])
    counts = {after: sum(b"<report.%d@" % after in each for each in found) for after in tried}
    assert set(counts.values()) <= {1, 2}
    doubled = [after for after, count in counts.items() if count == 2]
    assert all(isinstance(outcomes[after][0], Later) for after in doubled)
    assert len(doubled) <= 2
