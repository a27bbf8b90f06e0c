"""The system's sendmail: what its exit codes mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.post.settings import SendmailOut
from pbem.post.transport.base import Accepted, Later, Refused, Unreachable
from pbem.post.transport.pipes import SendmailSender

LETTER = b"To: ann@example.org\r\n\r\nHello\r\n"


def script(folder: Path, text: str) -> str:
    file = folder / "sendmail"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_command_gets_letter_and_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, f'cat > {tmp_path}/letter; echo "$@" > {tmp_path}/arguments')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with SendmailSender(SendmailOut(), "pbem@example.org") as sender:
        assert sender.send("ann@example.org", LETTER) == Accepted()
    assert (tmp_path / "letter").read_bytes() == b"To: ann@example.org\n\nHello\n"
    assert (tmp_path / "arguments").read_text() == "-i -f pbem@example.org -- ann@example.org\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [(0, Accepted()), (75, Later("it rains")), (67, Refused("it rains")), (68, Refused("it rains"))],
)
def test_exit_code_tells_what_came_of_it(tmp_path: Path, code: int, expected: object) -> None:
    command = script(tmp_path, f"cat >/dev/null; echo it rains >&2; exit {code}")
    assert SendmailSender(SendmailOut((command,)), "pbem@example.org").send("ann@example.org", LETTER) == expected


def test_other_exit_codes_concern_every_letter(tmp_path: Path) -> None:
    command = script(tmp_path, "cat >/dev/null; echo no config >&2; exit 78")
    with pytest.raises(Unreachable, match="ended with code 78: no config"):
        SendmailSender(SendmailOut((command,)), "pbem@example.org").send("ann@example.org", LETTER)


def test_missing_command_concerns_every_letter(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="there is no such command"):
        SendmailSender(SendmailOut((str(tmp_path / "none"),)), "pbem@example.org").send("ann@example.org", LETTER)


def test_address_is_never_an_option(tmp_path: Path) -> None:
    command = script(tmp_path, f"touch {tmp_path}/called")
    sender = SendmailSender(SendmailOut((command,)), "pbem@example.org")
    assert isinstance(sender.send("-X/tmp/log@example.org", LETTER), Refused)
    assert not (tmp_path / "called").exists()
