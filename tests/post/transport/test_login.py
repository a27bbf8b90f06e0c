"""Logins: what is wrong with a password or a certificate is told before anything is connected. It locks no account."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.post.settings import ImapIn, Secret, SmtpOut, Tls
from pbem.post.transport.base import Unreachable
from pbem.post.transport.imap import ImapSource
from pbem.post.transport.smtp import SmtpSender


def ask(secret: Secret, tls: Tls, way: str) -> None:
    """Let one of the servers be asked for something; nobody listens there."""
    if way == "imap":
        list(ImapSource(ImapIn("localhost", 1, "me", secret, tls)).new(lambda source, uid: False))
    else:
        SmtpSender(SmtpOut("localhost", 1, tls, "me", secret), "me@example.org").send("ann@example.org", b"")


@pytest.mark.parametrize("way", ["imap", "smtp"])
def test_password_that_is_not_there_is_no_refused_login(way: str) -> None:
    with pytest.raises(Unreachable, match="PBEM_NOT_SET of the environment; it is not set") as raised:
        ask(Secret(env="PBEM_NOT_SET"), Tls("none"), way)
    assert raised.type is Unreachable


@pytest.mark.parametrize("way", ["imap", "smtp"])
def test_file_without_certificates_is_told(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_IS_SET", "secret")
    with pytest.raises(Unreachable, match=r"none\.pem should hold certificates \(tls: ca\): No such file"):
        ask(Secret(env="PBEM_IS_SET"), Tls("implicit", tmp_path / "none.pem"), way)
    (tmp_path / "none.pem").write_text("nothing")
    with pytest.raises(Unreachable, match=r"none\.pem should hold certificates"):
        ask(Secret(env="PBEM_IS_SET"), Tls("implicit", tmp_path / "none.pem"), way)
