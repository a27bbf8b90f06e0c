"""A player's mailbox: the letters in it, however they are kept; and receipts of ours that come back to the referee."""

from __future__ import annotations

import mailbox as python_mailbox
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.archive_reader import read_letter, read_mailbox
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.read.own_text import without_receipts
from pbem.mail.read.sheet_finder import sheets
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.report_letters import first_letters
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import large_pictures
from tests.support.live import Folder, letter, order, quoted, sheet
from tests.support.read_letters import head, only, read


@pytest.fixture
def receipt(toy: Adjudicator) -> str:
    """Return the receipt of a letter to red."""
    text = enclosed(toy, "red", 0)
    assert text is not None
    return text


@pytest.fixture
def report(toy: Adjudicator, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Return the first report to red as it goes over the wire."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", large_pictures)
    return next(first_letters(toy, folder.office)).content


def test_letter_of_the_referee_is_read(report: bytes, folder: Folder) -> None:
    kept = read_letter("1.eml", report)
    assert (kept.sender, kept.to, kept.own, kept.damage) == ("pbem@example.org", "red@example.org", True, "")
    assert (kept.written, kept.arrived, kept.time) == (folder.office.now, None, folder.office.now)
    assert kept.sheets == ()
    (receipt,) = kept.receipts
    assert (receipt.game, receipt.side, receipt.told, receipt.commit) == ("punica", "red", (1, 1), head(folder).strip())
    assert str(kept).startswith(
        'the letter "Your move in punica: it begins, you play Red" of 2026-11-22 12:00:00 UTC, <punica.red.1@'
    )


def test_letter_of_a_player_is_read_as_the_referee_reads_it(toy: Adjudicator, receipt: str) -> None:
    text = sheet(toy, "red", order("bury", card=1))
    raw = letter("red", text, quoted(receipt), more="Date: Sun, 22 Nov 2026 13:00:00 +0100\n")
    kept = read_letter("2.eml", raw)
    assert kept.sheets == (("punica", text),)
    assert kept.sheets[0][1] == open_letter(raw).enclosures[0].text
    assert (len(kept.receipts), kept.own) == (1, False)
    assert kept.written == datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


def test_the_server_that_took_a_letter_in_says_when_it_arrived(report: bytes) -> None:
    stamps = (
        b"Received: from relay.example.net by mail.example.com;\r\n\tSun, 22 Nov 2026 15:00:00 +0200\r\n"
        b"Received: from a.example.org by relay.example.net; Sun, 22 Nov 2026 12:01:00 +0000\r\n"
        b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org;\r\n s=mail; h=from:to; bh=x; b=y\r\n"
        b"DKIM-Signature: v=1; s=x; d=relay.Example.net\r\n"
    )
    kept = read_letter("1.eml", stamps + report)
    assert kept.arrived == kept.time == datetime(2026, 11, 22, 13, 0, tzinfo=UTC)
    assert kept.signed_by == ("example.org", "relay.example.net")


def test_damaged_letters_are_told_and_stop_nothing(report: bytes) -> None:
    assert read_letter("x", report.replace(b"END RECEIPT", b"END RECEIVED")).damage == (
        "its receipt cannot be read: its end is missing"
    )
    assert read_letter("x", report + b"\r\n" * 17_000_000).damage == "it is damaged or too large"
    for raw in (
        b"",
        b"\0" * 99,
        b"Date: soon\nReceived: ; 99 Foo 2026\n\nhello",
        b"Date: 31 Dec 9999 23:59:00 -2359\n\n",
    ):
        kept = read_letter("x", raw)
        assert (kept.receipts, kept.sheets, kept.time) == ((), (), None)


@pytest.mark.parametrize("way", ["maildir", "folder", "mbox", "file"])
def test_mailbox_is_read_however_it_is_kept(way: str, report: bytes, receipt: str, tmp_path: Path) -> None:
    path, sent = tmp_path / "box", letter("red", b"hello", receipt.encode())
    if way == "maildir":
        box = python_mailbox.Maildir(path)
        box.add(report)
        box.add_folder("Sent").add(sent)
        (path / "tmp" / "half").write_bytes(sent)
        (path / "dovecot.index").write_bytes(b"\0")
    elif way == "mbox":
        mbox = python_mailbox.mbox(path)
        for raw in (report, sent):
            mbox.add(raw)
        mbox.close()
        before = path.read_bytes()
    elif way == "folder":
        (path / "sent").mkdir(parents=True)
        (path / "1.eml").write_bytes(report)
        (path / "sent" / "2.eml").write_bytes(sent)
        (path / "notes.txt").write_bytes(b"not a letter")
    else:
        path.write_bytes(report)
    letters = list(read_mailbox(path))
    assert len(letters) == (1 if way == "file" else 2)
    assert {each.sender for each in letters} >= {"pbem@example.org"}
    assert all(each.receipts == letters[0].receipts for each in letters)
    assert all(each.where.startswith("box") for each in letters)
    if way == "mbox":
        assert path.read_bytes() == before
        assert [each.where for each in letters] == ["box, letter 1", "box, letter 2"]


def test_a_mailbox_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_mailbox(tmp_path / "nothing"))


# ---- receipts that come back


def test_a_receipt_alone_holds_no_sheet_and_no_command(receipt: str) -> None:
    """Even where the lines that mark it are lost."""
    bare = "\n".join(receipt.splitlines()[1:-1])
    for text in (receipt, quoted(receipt).decode(), bare, quoted(bare).decode()):
        opened = open_letter(letter("red", text.encode()))
        assert (opened.enclosures, opened.commands, opened.passed_over) == ((), (), ())


@pytest.mark.parametrize("marked", [True, False])
def test_a_receipt_adds_nothing_to_the_sheet_above_it(toy: Adjudicator, receipt: str, marked: bool) -> None:
    text = sheet(toy, "red", order("bury", card=1)).decode()
    block = receipt if marked else "\n".join(receipt.splitlines()[1:-1])
    for below in (f"\n{block}", f"\n\n{block}", f"\nKeep this letter.\n\n{block}"):
        whole = without_receipts(text.rstrip("\n") + "\n" + below)
        assert [each.text for each in sheets(whole)] == [text], below


def test_orders_below_a_receipt_are_read(toy: Adjudicator, receipt: str) -> None:
    """A player answers below what the mail program quotes, and the quoted block has lost its end."""
    text = sheet(toy, "red", order("bury", card=1))
    for block in (receipt, receipt.replace("----- END RECEIPT -----\n", "")):
        for above in (quoted(block), block.encode()):
            (found,) = open_letter(letter("red", above, text)).enclosures
            assert (found.text, found.where) == (text, "body")


def test_receipt_sent_back_as_a_file_is_no_sheet(toy: Adjudicator, folder: Folder, receipt: str) -> None:
    """Some programs send the files of a letter back with the answer."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "red@example.org", "pbem@example.org", "punica"
    message["Message-ID"] = "<1@example.org>"
    message.set_content("STATUS\n")
    message.add_attachment(receipt, filename="receipt.txt")
    handled = take_in(message.as_bytes(), folder.office)
    assert handled.accepted
    assert handled.notes == []
    assert only(handled).subject == "punica: STATUS"


def test_letter_that_comes_twice_is_answered_once(toy: Adjudicator, folder: Folder) -> None:
    """The receipt names the commit of the moment, and the game may have gone on in between."""
    office = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))
    raw = letter("red", sheet(toy, "red", order("bury", card=toy.view("red").hands["red"][0])))
    for each in (raw, letter("blue", b"KEY age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"), raw):
        assert take_in(each, office).accepted
    (answer,) = (folder.path / "outbox" / "new").glob("*sheet-1*")
    assert read_letter("1", answer.read_bytes()).receipts[0].sheets[0].number == 1


def test_whole_report_quoted_with_an_answer_changes_nothing_else(
    toy: Adjudicator, folder: Folder, report: bytes
) -> None:
    text = read(next(first_letters(toy, folder.office))).text
    filled = sheet(toy, "red", order("bury", card=toy.view("red").hands["red"][0]))
    for raw in (letter("red", filled, quoted(text)), letter("red", quoted(text), filled)):
        (found,) = open_letter(raw).enclosures
        assert (found.text, found.where) == (filled, "body")
