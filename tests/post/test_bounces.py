"""Bounces: which are believed, what the game master is told, and that nobody answers them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.post.service.reception import bounced
from pbem.post.settings import WhoConfig
from pbem.post.who import bounces
from pbem.post.who.bounces import read_bounce
from pbem.post.who.mailbox_notes import refusing
from tests.support.clocked import HOUR, Table
from tests.support.live import Folder
from tests.support.posted import at, bury, postfix, report_id, take, text_of, written

MASTER = "gm@example.org"
QMAIL = """\
From: MAILER-DAEMON@mx.example.net
Subject: failure notice

Hi. This is the qmail-send program at mx.example.net.
<red@example.org>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 no such user here

--- Below this line is a copy of the message.

Message-ID: {id}
Subject: Your move
"""


@pytest.fixture
def game(folder: Folder) -> Folder:
    folder.create().close()
    return folder


def told(game: Folder, raw: bytes, **later: float) -> list[str]:
    """Return what the game master is told."""
    handled = bounced(raw, at(game, **later), MASTER)
    assert all(out.to == MASTER for out in handled.letters)
    return [text_of(out) for out in handled.letters]


def refuses(game: Folder) -> list[str]:
    return [each.text for each in refusing(game.repo("punica"), ["red", "blue"])]


def test_clock_runs_on_after_a_letter_that_failed_halfway(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full when the player is heard from again; their letter is taken in once more later."""
    table = Table(folder)
    table.ask()
    game, settings = table.wait(HOUR), replace(at(folder), outbox=MaildirOutbox(folder.path / "outbox"))
    bounces.note(bounces.BouncedLetter(report_id(folder, "red"), True, "550 quota"), table.now, settings, MASTER)
    with game.lock():
        assert table.clocks.sides["red"].bounced is not None

    def full(*_: object) -> str:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(MaildirOutbox, "put", full)
        with pytest.raises(OSError, match="no space left"):
            bounces.heard_again(game, "red", settings)
    bounces.heard_again(game, "red", settings)
    assert table.clocks.sides["red"].bounced is None
    assert refuses(folder) == []


def test_letter_ends_it_where_the_address_is_proof_enough(game: Folder) -> None:
    """Else the clock of a side whose mailbox had refused once would stand still for as long as it likes."""
    told(game, postfix(report_id(game, "red")))
    take(game, written(bury(game), answers=""), WhoConfig(proofs=("address",)))
    assert refuses(game) == []


@pytest.mark.parametrize("form", ["postfix", "postfix with CRLF", "qmail"])
def test_mailbox_that_refuses_is_noted_and_told_once(game: Folder, form: str) -> None:
    id = report_id(game, "red")
    raw = QMAIL.format(id=id).encode() if form == "qmail" else postfix(id)
    raw = raw.replace(b"\n", b"\r\n") if "CRLF" in form else raw
    (text,) = told(game, raw)
    assert "(red in punica) refuses our letters since 2026-11-22 12:00" in " ".join(text.split())
    assert ("550 5.1.1 no such user" if form == "qmail" else "552 5.2.2 <red@example.org> Quota exceeded") in text
    assert told(game, raw, hours=3) == []
    (line,) = refuses(game)
    assert line.startswith("red's mailbox refuses since 2026-11-22 12:00 UTC (2 letters): 55")


def test_bounce_is_of_the_letter_itself_not_of_one_before_it() -> None:
    own, earlier = (f"<punica.red.{number}~{'a' * 20}@example.org>" for number in (2, 1))
    raw = postfix(own).replace(b"\n\nYour", f"\nIn-Reply-To: {earlier}\n\nYour".encode())
    found = read_bounce(raw, "example.org")
    assert found is not None
    assert found.message_id == own


def test_bounce_is_never_answered(game: Folder) -> None:
    handled = take(game, postfix(report_id(game, "red")))
    assert handled.letters == []


def test_letter_of_its_player_ends_it(game: Folder) -> None:
    told(game, postfix(report_id(game, "red")))
    take(game, written("STATUS", sender="blue@example.org", answers=report_id(game, "blue")))
    assert refuses(game)
    take(game, written(bury(game), answers=""))
    assert refuses(game), "a letter that proves nothing does not"
    take(game, written("STATUS", answers=report_id(game, "red")))
    assert refuses(game) == []
    assert told(game, postfix(report_id(game, "red")), days=2)


@pytest.mark.parametrize(("action", "status"), [("delayed", "4.4.1"), ("failed", "4.2.2"), ("relayed", "2.0.0")])
def test_letter_that_is_only_delayed_is_no_refusal(game: Folder, action: str, status: str) -> None:
    assert told(game, postfix(report_id(game, "red"), action, status)) == []
    assert refuses(game) == []


@pytest.mark.parametrize(
    "id",
    [
        "<punica.red.1@example.org>",
        "<punica.red.1~aaaaaaaaaaaaaaaaaaaa@example.org>",
        "<gallia.red.1~TOKEN@example.org>",
        "<..~TOKEN@example.org>",
        "<punica.red.1~TOKEN@evil.org>",
        "<x@example.org>",
        "",
    ],
)
def test_forged_bounce_is_not_believed(game: Folder, id: str) -> None:
    token = report_id(game, "red").partition("~")[2].partition("@")[0]
    assert told(game, postfix(id.replace("TOKEN", token))) == []
    assert refuses(game) == []


def test_bounce_of_an_earlier_address_is_forgotten(game: Folder) -> None:
    id = report_id(game, "red")
    with game.open() as found:
        found.change_player("red", found.player("red"), "red@example.net", replaced=False)
    assert told(game, postfix(id)) == []


def test_bounce_of_a_letter_with_an_earlier_key_counts(game: Folder) -> None:
    id = report_id(game, "red")
    take(game, written("RENEW", answers=id))
    assert told(game, postfix(id))


def test_refusal_when_a_letter_is_handed_on_is_told_the_same_way(game: Folder) -> None:
    refused = bounces.BouncedLetter(report_id(game, "blue"), True, "550 5.1.1 unknown user")
    (out,) = bounces.note(refused, at(game).letter_time, game.office, MASTER)
    assert "550 5.1.1 unknown user" in text_of(out)
    assert refuses(game) == ["blue's mailbox refuses since 2026-11-22 12:00 UTC (1 letter): 550 5.1.1 unknown user"]


def test_what_a_bounce_says_is_shown_on_one_line(game: Folder) -> None:
    raw = postfix(report_id(game, "red")).replace(b"Quota exceeded", b"\x1b[2J\x07 gone " + b"x" * 900)
    told(game, raw)
    (line,) = refuses(game)
    assert line.isprintable()
    assert len(line) < 300


def test_no_bytes_make_it_raise(game: Folder) -> None:
    whole = postfix(report_id(game, "red"))
    for cut in range(0, len(whole), 7):
        read_bounce(whole[:cut] + b"\xff\x00" + whole[cut + 3 :], "example.org")
