"""The set-up: what it asks, writes and finds out, with a mailbox in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pbem.post import settings
from pbem.post.desk import setup
from pbem.post.desk import setup as trial
from pbem.post.desk.setup import Dialogue, provider, set_up
from pbem.post.settings import ImapIn, SmtpOut, Tls
from pbem.post.transport.base import Accepted, Arrived, Delivery, LoginRefused, Refused, Sender, Source, Unreachable

HOST = "mx.example.org"
VOUCHES = f"Authentication-Results: {HOST}; spf=pass smtp.mailfrom=example.org\r\n".encode()


@dataclass
class Box(Source):
    """A mailbox in memory. `above` is what the provider writes above each letter, `strips` what it takes out."""

    above: bytes = b""
    strips: bytes = b"\0"
    wrong: Exception | None = None
    name: str = "imap.example.org:993"
    letters: list[bytes] = field(default_factory=list)
    read: set[str] = field(default_factory=set)

    def holds(self, source: str) -> bool:
        return True

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        if self.wrong is not None:
            raise self.wrong
        for uid, letter in enumerate(self.letters):
            if not known("box", str(uid)):
                yield Arrived("box", str(uid), len(letter), datetime.now(UTC))

    def head(self, letter: Arrived) -> bytes:
        return self.letters[int(letter.uid)]

    fetch = head

    def done(self, letter: Arrived) -> None:
        self.read.add(letter.uid)

    def wait(self, seconds: float) -> bool:
        return False

    def close(self) -> None:
        pass


@dataclass
class Mail(Sender):
    """A way out that leads into a box."""

    box: Box
    plus: bool = True
    refusal: str = ""
    lost: bool = False
    name: str = "smtp.example.org:465"

    def check(self) -> None:
        pass

    def send(self, to: str, letter: bytes) -> Delivery:
        if self.refusal:
            return Refused(self.refusal)
        if not self.lost and (self.plus or "+" not in to):
            self.box.letters.append(self.box.above + letter.replace(self.box.strips, b"X-Was: "))
        return Accepted()

    def close(self) -> None:
        pass


class Master(Dialogue):
    """A game master with answers in order; an empty one takes what is offered."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []
        self.heard = ""

    def ask(self, question: str, usual: str = "") -> str:
        self.asked.append(f"{question} [{usual}]")
        if not self._answers:
            raise EOFError
        return self._answers.pop(0) or usual

    def secret(self, question: str) -> str:
        return self.ask(question)

    def say(self, text: str) -> None:
        self.heard += f"{text}\n"


ANSWERS = ("pbem@example.org", "", "", "hunter2", "", "", "")


def use(monkeypatch: pytest.MonkeyPatch, box: Box, mail: Mail | None = None) -> None:
    monkeypatch.setattr(setup, "sources", lambda config: iter([box]))
    monkeypatch.setattr(setup, "sender", lambda config: mail or Mail(box))


def test_what_is_asked_has_likely_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    master = Master(*ANSWERS)
    assert set_up(tmp_path / "pbem.yaml", master, 0.1)
    offered = [each.rpartition("[")[2] for each in master.asked]
    assert offered[1:3] == ["imap.example.org]", "pbem@example.org]"]
    assert offered[4:6] == ["INBOX]", "smtp.example.org]"]


def test_config_that_is_written_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    assert set_up(tmp_path / "pbem.yaml", Master(*ANSWERS), 0.1)
    found = settings.load_config(tmp_path / "pbem.yaml")
    (source,) = found.sources
    assert isinstance(source, ImapIn)
    assert (source.host, source.port, source.tls.kind) == ("imap.example.org", 993, "implicit")
    assert source.since == date.fromisoformat(str(datetime.now(UTC).date()))
    assert source.password.read() == "hunter2"
    assert isinstance(found.out, SmtpOut)
    assert (found.out.host, found.out.port) == ("smtp.example.org", 465)
    assert "hunter2" not in (tmp_path / "pbem.yaml").read_text()


def test_password_may_stand_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    assert set_up(tmp_path / "pbem.yaml", Master("pbem@example.org", "", "", "", "MY_SECRET", "", "", ""), 0.1)
    assert "env: MY_SECRET" in (tmp_path / "pbem.yaml").read_text()
    assert not (tmp_path / "post.password").exists()


def test_provider_that_vouches_is_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box(above=VOUCHES))
    assert set_up(tmp_path / "pbem.yaml", Master(*ANSWERS), 0.1)
    found = settings.load_config(tmp_path / "pbem.yaml").who
    assert (found.authentication_results, found.plus) == ((HOST,), True)


@pytest.mark.parametrize(
    ("above", "said"),
    [
        (b"", "says nothing of who sent it"),
        (b"Authentication-Results: mx.example.org; spf=fail smtp.mailfrom=example.org\r\n", "does not vouch"),
        (b"Authentication-Results: ((\r\n", "does not vouch"),
        (b"Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=elsewhere.example\r\n", "does not vouch"),
    ],
)
def test_provider_that_does_not_vouch_is_no_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: bytes, said: str
) -> None:
    use(monkeypatch, Box(above=above))
    master = Master(*ANSWERS)
    assert set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert said in master.heard
    assert settings.load_config(tmp_path / "pbem.yaml").who.authentication_results == ()


def test_word_that_comes_below_a_forged_one_is_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Below(Mail):
        def send(self, to: str, letter: bytes) -> Delivery:
            head, blank, body = letter.partition(b"\n\n")
            self.box.letters.append(head + b"\n" + VOUCHES.replace(b"\r\n", b"") + blank + body)
            return Accepted()

    box = Box()
    use(monkeypatch, box, Below(box))
    master = Master(*ANSWERS)
    assert set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert f"lets others write in the name of {HOST}" in master.heard
    assert settings.load_config(tmp_path / "pbem.yaml").who.authentication_results == ()


def test_address_with_a_word_that_does_not_come_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box()
    use(monkeypatch, box, Mail(box, plus=False))
    master = Master(*ANSWERS)
    assert set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert "pbem+WORD@example.org is not delivered" in master.heard
    assert not settings.load_config(tmp_path / "pbem.yaml").who.plus


def test_letters_of_others_are_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box(letters=[b"Subject: tea\r\n\r\n"])
    use(monkeypatch, box)
    assert set_up(tmp_path / "pbem.yaml", Master(*ANSWERS), 0.1)
    assert box.read == {"1", "2"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (LoginRefused("it refuses the login of pbem@example.org: no"), "it wants an app password"),
        (Unreachable("no route to host"), "cannot be reached: no route to host"),
    ],
)
def test_what_fails_is_told_and_can_be_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Exception, said: str
) -> None:
    box = Box(wrong=wrong)
    use(monkeypatch, box)
    master = Master(*ANSWERS, "no", "no")
    assert not set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert said in master.heard
    assert list(tmp_path.iterdir()) == []
    again = Master(*ANSWERS, "yes", *ANSWERS, "no", "yes")
    assert not set_up(tmp_path / "pbem.yaml", again, 0.1)
    assert again.asked[8].endswith("[pbem@example.org]"), "the answer of before is offered"
    assert (tmp_path / "pbem.yaml").exists()


@pytest.mark.parametrize(
    ("mail", "said"), [({"refusal": "554 no"}, "does not take a letter"), ({"lost": True}, "did not come within 0 s")]
)
def test_letter_that_does_not_come_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mail: dict[str, str], said: str
) -> None:
    box = Box()
    use(monkeypatch, box, Mail(box, **mail))  # type: ignore[arg-type]
    master = Master(*ANSWERS, "no", "no")
    assert not set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert said in master.heard


def test_config_that_is_there_is_tried_and_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    file = tmp_path / "pbem.yaml"
    assert set_up(file, Master(*ANSWERS), 0.1)
    before = file.read_bytes()
    use(monkeypatch, Box(above=VOUCHES))
    master = Master()
    assert set_up(file, master, 0.1)
    assert file.read_bytes() == before
    assert f"should say:\n\nwho: {{authentication_results: [{HOST}], plus: true}}" in master.heard
    assert master.asked == []


def test_unusual_port_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    answers = ("pbem@example.org", "localhost:1143", "starttls", "cert.pem", "", "pw", "", "localhost:1025", "", "", "")
    (tmp_path / "cert.pem").touch()
    assert set_up(tmp_path / "pbem.yaml", Master(*answers), 0.1)
    found = settings.load_config(tmp_path / "pbem.yaml")
    (source,) = found.sources
    assert isinstance(source, ImapIn)
    assert (source.port, source.tls) == (1143, Tls("starttls", tmp_path / "cert.pem"))
    assert isinstance(found.out, SmtpOut)
    assert (found.out.port, found.out.tls) == (1025, Tls("none"))


def test_encryption_is_offered_as_it_was_answered_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box(wrong=LoginRefused("it refuses the login of pbem@example.org: no"))
    use(monkeypatch, box)
    answers = ("pbem@example.org", "localhost:1143", "ssl", "starttls", "cert.pem", "", "pw", "", "localhost:1025", "")
    (tmp_path / "cert.pem").touch()
    master = Master(*answers, "", "yes", *[""] * 5, "pw")
    assert not set_up(tmp_path / "pbem.yaml", master, 0.1)
    first, second = (master.asked[at : at + 5] for at in (0, 12))
    assert first[3].startswith("ssl is none of these. How is localhost:1143 encrypted")
    assert [each.rpartition(" ")[2] for each in second] == [
        *("[pbem@example.org]", "[localhost:1143]", "[starttls]", "[cert.pem]", "[pbem@example.org]")
    ]


def test_password_that_is_not_there_brings_no_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    master = Master("pbem@example.org", "", "", "", "PBEM_NOT_SET", "", "", "", "no", "no")
    assert not set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert "PBEM_NOT_SET of the environment; it is not set" in master.heard
    assert "app password" not in master.heard


def test_nobody_to_ask_writes_nothing(tmp_path: Path) -> None:
    master = Master("pbem@example.org")
    assert not set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert "no config was written" in master.heard
    assert list(tmp_path.iterdir()) == []


def test_wrong_address_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    master = Master("Punic Wars", *ANSWERS)
    assert set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert master.asked[1].startswith("Punic Wars is not a mail address")


def test_special_wish_of_a_provider_is_told_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Box())
    master = Master("me@outlook.com", *ANSWERS[1:])
    set_up(tmp_path / "pbem.yaml", master, 0.1)
    assert "accepts no passwords, only OAuth" in master.heard
    assert provider("Me@Gmail.com").smtp == "smtp.gmail.com"


def test_trial_word_is_as_long_as_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.mail.read.token import LENGTH

    box = Box()
    read = settings.parse_config("from: a@b.org\nin: {stdin: true}\nout: {sendmail: {}}\n", Path("/nowhere/pbem.yaml"))
    trial.Trial(read, box, Mail(box), lambda line: None).send()
    (to,) = [line for line in box.letters[1].decode().splitlines() if line.startswith("To: ")]
    assert len(to.partition("+")[2].partition("@")[0]) == LENGTH


def test_command_without_anybody_to_ask_writes_nothing(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pbem", "post", "--setup", "--config", tmp_path / "pbem.yaml"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "Nobody answers; no config was written.\n")
    assert list(tmp_path.iterdir()) == []
