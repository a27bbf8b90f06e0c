"""The set-up, driven as a game master does, on real servers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.post import settings
from pbem.post.desk.setup import set_up
from tests.real.mailhost import HOST, MailHost
from tests.real.master import Scripted, master

pytestmark = pytest.mark.real


@pytest.fixture
def silent_host() -> Iterator[MailHost]:
    """Start a mail host that says nothing of who sent a letter, and does not know of `user+WORD@`."""
    host = MailHost(providing=False)
    try:
        yield host
    finally:
        host.close()


def test_setup_writes_a_config_that_works(host: MailHost, tmp_path: Path) -> None:
    file, talk = tmp_path / "pbem.yaml", master(host)
    assert set_up(file, talk, 20)
    assert "it has 0 letters, and none was touched" in talk.heard
    assert f"The provider says as {HOST} who sent a letter, and nobody else can" in talk.heard
    assert "referee+WORD@pbem.test is delivered" in talk.heard
    found = settings.load_config(file)
    assert (found.who.authentication_results, found.who.plus) == ((HOST,), True)
    assert found.address == "referee@pbem.test"
    assert (tmp_path / "post.password").stat().st_mode & 0o777 == 0o600
    assert "secret-referee" not in file.read_text()
    again = Scripted()
    assert set_up(file, again, 20)
    assert "says the same" in again.heard
    with host.mailbox("referee") as box:
        assert box.search("UNSEEN") == []


def test_setup_touches_no_letter_of_somebody_else(host: MailHost, tmp_path: Path) -> None:
    with host.mailbox("referee") as box:
        box.append("INBOX", b"From: aunt@example.org\r\nSubject: tea\r\n\r\nCome!\r\n")
    talk = master(host)
    assert set_up(tmp_path / "pbem.yaml", talk, 20)
    assert "it has 1 letter, and" in talk.heard
    with host.mailbox("referee") as box:
        assert len(box.search("UNSEEN")) == 1


def test_setup_says_why_a_login_is_refused(host: MailHost, tmp_path: Path) -> None:
    talk = master(host, password="wrong")
    assert not set_up(tmp_path / "pbem.yaml", talk, 20)
    assert "it refuses the login of referee@pbem.test" in talk.heard
    assert "it wants an app password" in talk.heard
    assert not (tmp_path / "pbem.yaml").exists()


def test_setup_says_that_a_provider_says_nothing(silent_host: MailHost, tmp_path: Path) -> None:
    host = silent_host
    main = host.folder / "postfix" / "main.cf"
    main.write_text(main.read_text().replace("recipient_delimiter = +", "recipient_delimiter ="))
    host.kill("postfix")
    host.start_postfix()
    talk = master(host)
    assert set_up(tmp_path / "pbem.yaml", talk, 6)
    assert "The provider says nothing of who sent it" in talk.heard
    assert "referee+WORD@pbem.test is not delivered" in talk.heard
    found = settings.load_config(tmp_path / "pbem.yaml")
    assert (found.who.authentication_results, found.who.plus) == ((), False)


def test_setup_does_not_rely_on_a_word_that_others_can_write(silent_host: MailHost, tmp_path: Path) -> None:
    """The provider writes its word below those of others, and throws none of those away."""
    host = silent_host
    host.kill("postfix")
    says = f"Authentication-Results: {HOST}; spf=pass smtp.mailfrom=referee@pbem.test"
    (host.folder / "headers").write_text(f"/^Auto-Submitted:/ PREPEND {says}\n")
    host.start_postfix()
    talk = master(host)
    assert set_up(tmp_path / "pbem.yaml", talk, 20)
    assert f"The provider lets others write in the name of {HOST}" in talk.heard
    assert settings.load_config(tmp_path / "pbem.yaml").who.authentication_results == ()


def test_setup_runs_on_a_terminal_of_any_kind(host: MailHost, tmp_path: Path) -> None:
    answers = [
        *("referee@pbem.test", f"localhost:{host.ports['IMAPS']}", "implicit", str(host.certificate), ""),
        *("secret-referee", "", f"localhost:{host.ports['SUBMISSION']}", "starttls", str(host.certificate), ""),
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "pbem", "post", "--setup", "--config", tmp_path / "pbem.yaml"],
        input="".join(f"{each}\n" for each in answers),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    assert "pbem.yaml is written" in ran.stdout
    assert "The address that letters come from" in ran.stderr
