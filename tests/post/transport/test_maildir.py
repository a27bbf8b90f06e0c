"""Maildirs as mailboxes and as a way out."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.post.settings import MaildirIn, MaildirOut
from pbem.post.transport.base import Accepted, Arrived, Gone, Unreachable
from pbem.post.transport.maildir import MaildirSender, MaildirSource

LETTER = b"From: ann@example.org\nSubject: orders\n\nHello\n"


def none_known(source: str, uid: str) -> bool:
    return False


@pytest.fixture
def box(tmp_path: Path) -> Path:
    for room in ("tmp", "new", "cur"):
        (tmp_path / "box" / room).mkdir(parents=True)
    return tmp_path / "box"


def put(box: Path, name: str, at: float = 1_000_000, room: str = "new") -> Path:
    file = box / room / name
    file.write_bytes(LETTER)
    os.utime(file, (at, at))
    return file


def test_letters_come_in_order_of_their_files_time(box: Path) -> None:
    put(box, "b", 2000)
    put(box, "c:2,S", 3000, "cur")
    put(box, "a", 4000)
    found = list(MaildirSource(MaildirIn(box)).new(none_known))
    assert [each.uid for each in found] == ["b", "c", "a"]
    assert found[0] == Arrived(f"maildir:{box}", "b", len(LETTER), datetime.fromtimestamp(2000, UTC))


def test_known_letter_is_passed_over(box: Path) -> None:
    put(box, "a")
    put(box, "b")
    source = MaildirSource(MaildirIn(box))
    assert [each.uid for each in source.new(lambda where, uid: uid == "a")] == ["b"]


def test_letter_is_read_and_stays_where_it_is_until_done(box: Path) -> None:
    file = put(box, "a")
    source = MaildirSource(MaildirIn(box))
    (letter,) = source.new(none_known)
    assert source.head(letter) == b"From: ann@example.org\nSubject: orders\n\n"
    assert source.fetch(letter) == LETTER
    assert file.exists()
    source.done(letter)
    source.done(letter)
    assert [path.name for path in (box / "cur").iterdir()] == ["a:2,S"]
    assert not file.exists()


def test_flags_of_other_programs_are_kept(box: Path) -> None:
    put(box, "a:2,FR", room="cur")
    source = MaildirSource(MaildirIn(box))
    (letter,) = source.new(none_known)
    source.done(letter)
    assert [path.name for path in (box / "cur").iterdir()] == ["a:2,FRS"]


def test_letter_that_another_program_moves_is_found(box: Path) -> None:
    file = put(box, "a")
    source = MaildirSource(MaildirIn(box))
    (letter,) = source.new(none_known)
    file.rename(box / "cur" / "a:2,T")
    assert source.fetch(letter) == LETTER


def test_deleted_letter_is_gone(box: Path) -> None:
    file = put(box, "a")
    source = MaildirSource(MaildirIn(box))
    (letter,) = source.new(none_known)
    file.unlink()
    for ask in (source.head, source.fetch):
        with pytest.raises(Gone):
            ask(letter)
    source.done(letter)


def test_done_letter_moves_to_the_maildir_that_is_named(box: Path, tmp_path: Path) -> None:
    put(box, "a")
    source = MaildirSource(MaildirIn(box, tmp_path / "done"))
    (letter,) = source.new(none_known)
    source.done(letter)
    source.done(letter)
    assert (tmp_path / "done" / "cur" / "a:2,S").read_bytes() == LETTER
    assert list(source.new(none_known)) == []


def test_wait_ends_when_a_letter_comes(box: Path) -> None:
    source = MaildirSource(MaildirIn(box))
    assert list(source.new(none_known)) == []
    began = time.monotonic()
    assert not source.wait(0.01)
    put(box, "a")
    assert source.wait(60)
    assert time.monotonic() - began < 30


def test_folder_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    source = MaildirSource(MaildirIn(tmp_path / "none"))
    with pytest.raises(Unreachable, match="none/new: No such file"):
        list(source.new(none_known))


def test_letter_sent_twice_lies_in_the_maildir_once(tmp_path: Path) -> None:
    letter = b"Message-ID: <1@example.org>\r\nTo: ann@example.org\r\n\r\nHello\r\n"
    with MaildirSender(MaildirOut(tmp_path / "out")) as sender:
        assert sender.send("ann@example.org", letter) == Accepted()
        assert sender.send("ann@example.org", letter) == Accepted()
        assert sender.send("ann@example.org", letter.replace(b"<1", b"<2")) == Accepted()
    assert [path.read_bytes() for path in (tmp_path / "out" / "new").iterdir()].count(letter) == 1
    assert len(list((tmp_path / "out" / "new").iterdir())) == 2


def test_maildir_that_cannot_be_written_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(Unreachable):
        MaildirSender(MaildirOut(tmp_path / "out")).send("ann@example.org", LETTER)
