"""The mailbox read by IMAP, on a real Dovecot: what is new, and what a break at any line leaves behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.post import settings
from pbem.post.settings import ImapIn, Secret, Tls
from pbem.post.transport import sources
from pbem.post.transport.base import Arrived, Gone, LoginRefused, Source, Unreachable, Withheld
from pbem.post.transport.imap import ImapSource
from tests.real.mailhost import MailHost, soon
from tests.real.proxy import Proxy, Trick


def letter(number: int) -> bytes:
    return (
        f"From: ann@pbem.test\r\nTo: referee@pbem.test\r\nSubject: letter {number}\r\n"
        f"Message-ID: <{number}@pbem.test>\r\n\r\nLetter {number}, with text.\r\n"
    ).encode()


def source(host: MailHost, *, tls: bool = True, port: int | None = None, more: str = "") -> ImapSource:
    text = f"from: referee@pbem.test\n{host.config(tls=tls, imap=port)}"
    if more:
        text = text.replace("timeout: 5}", f"timeout: 5, {more}}}", 1)
    (found,) = sources(settings.parse_config(text, Path("/nowhere/pbem.yaml")))
    assert isinstance(found, ImapSource)
    return found


def none_known(source: str, uid: str) -> bool:
    return False


def put(host: MailHost, *numbers: int) -> None:
    """Put letters straight into the referee's box."""
    with host.mailbox("referee") as box:
        for number in numbers:
            box.append("INBOX", letter(number))


def take(source: Source, taken: dict[tuple[str, str], bytes]) -> None:
    """Take in every new letter as a service does: look at the head, fetch, note, mark."""
    for each in source.new(lambda *which: which in taken):
        assert source.head(each).endswith(b"\r\n\r\n")
        content = source.fetch(each)
        assert (each.source, each.uid) not in taken
        taken[each.source, each.uid] = content
        source.done(each)


def unread(host: MailHost, folder: str = "INBOX") -> int:
    with host.mailbox("referee") as box:
        box.select_folder(folder)
        return len(box.search("UNSEEN"))


@pytest.mark.parametrize("tls", [True, False])
def test_new_letter_is_read_and_stays_unread_until_done(host: MailHost, tls: bool) -> None:
    put(host, 1, 2)
    with source(host, tls=tls) as box:
        first, second = box.new(none_known)
        assert first.source.startswith("imap://referee@pbem.test@localhost/INBOX;UIDVALIDITY=")
        assert int(first.uid) < int(second.uid)
        assert first.size == len(letter(1))
        assert timedelta() <= datetime.now(UTC) - first.at < timedelta(minutes=1)
        assert box.head(first) == letter(1).partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        assert [box.fetch(each) for each in (first, second)] == [letter(1), letter(2)]
        assert unread(host) == 2
        box.done(first)
        assert unread(host) == 1


def test_time_of_a_letter_is_when_the_box_got_it(host: MailHost) -> None:
    then = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    with host.mailbox("referee") as box:
        box.append("INBOX", letter(1), msg_time=then)
    with source(host) as mailbox:
        assert [each.at for each in mailbox.new(none_known)] == [then]


def test_letter_that_a_telephone_has_marked_as_read_is_new(host: MailHost) -> None:
    with host.mailbox("referee") as box:
        box.append("INBOX", letter(1), [b"\\Seen"])
    with source(host) as mailbox:
        assert len(list(mailbox.new(none_known))) == 1


def test_known_letters_are_not_given_again_and_others_are(host: MailHost) -> None:
    put(host, 1, 2, 3)
    with source(host) as box:
        one, two, three = box.new(none_known)
        known = {(each.source, each.uid) for each in (one, three)}
        assert list(box.new(lambda *which: which in known)) == [two]
        put(host, 4)
        assert next(box.new(lambda *which: which in known)) == two
        known.add((two.source, two.uid))
        (four,) = box.new(lambda *which: which in known)
        assert int(four.uid) > int(three.uid)


def test_letter_that_is_gone_is_told_from_an_unreachable_server(host: MailHost) -> None:
    put(host, 1)
    with source(host) as box:
        (arrived,) = box.new(none_known)
        host.empty("referee")
        for ask in (box.head, box.fetch):
            with pytest.raises(Gone, match="no longer in INBOX"):
                ask(arrived)
        box.done(arrived)


def test_what_the_server_refuses_to_give_is_withheld(host: MailHost) -> None:
    put(host, 1)
    with source(host) as box:
        (arrived,) = box.new(none_known)
        with pytest.raises(Withheld):
            box._read(arrived, "BODY.PEEK[no such part]", b"")  # as for a letter that it cannot read itself
        assert b"Letter 1" in box.fetch(arrived)


def test_done_letter_is_moved_to_the_folder_that_is_named(host: MailHost) -> None:
    put(host, 1)
    with source(host, more="done: Played") as box:
        (arrived,) = box.new(none_known)
        box.done(arrived)
        box.done(arrived)
        assert list(box.new(none_known)) == []
    assert host.letters("referee") == []
    with host.mailbox("referee") as client:
        client.select_folder("Played")
        assert len(client.search("SEEN")) == 1
        client.delete_folder("Played")


def test_one_folder_can_be_named(host: MailHost) -> None:
    put(host, 1)
    with host.mailbox("referee") as client:
        client.create_folder("Games")
        client.append("Games", letter(2))
    with source(host, more="folder: Games") as box:
        (arrived,) = box.new(none_known)
        assert box.fetch(arrived) == letter(2)
    with host.mailbox("referee") as client:
        client.delete_folder("Games")


def test_letters_before_a_day_are_not_looked_at(host: MailHost) -> None:
    put(host, 2)
    with host.mailbox("referee") as client:
        client.append("INBOX", letter(1), msg_time=datetime(2020, 1, 1, tzinfo=UTC))
    with source(host, more="since: 2020-01-02") as box:
        assert [box.fetch(each) for each in box.new(none_known)] == [letter(2)]


def test_folder_made_anew_is_another_source(host: MailHost) -> None:
    with host.mailbox("referee") as client:
        client.create_folder("Games")
        client.append("Games", letter(1))
    with source(host, more="folder: Games") as box:
        taken: dict[tuple[str, str], bytes] = {}
        take(box, taken)
        (before,) = taken
        time.sleep(1.1)  # a UIDVALIDITY is a time in seconds
        with host.mailbox("referee") as client:
            client.delete_folder("Games")
            client.create_folder("Games")
            client.append("Games", letter(1))
        box.close()
        take(box, taken)
        assert [*taken.values()] == [letter(1), letter(1)]
        (after,) = taken.keys() - {before}
        assert (after[1], before[1]) == ("1", "1")
        assert after[0] != before[0]
        old = Arrived(*before, 1, datetime.now(UTC))
        box.done(old)
        with pytest.raises(Gone):
            box.fetch(old)
    with host.mailbox("referee") as client:
        client.delete_folder("Games")


def test_wait_ends_when_a_letter_comes(host: MailHost) -> None:
    with source(host) as box:
        assert list(box.new(none_known)) == []
        began = time.monotonic()
        assert not box.wait(1.5)
        assert 1.4 < time.monotonic() - began < 10
        threading.Timer(0.5, host.deliver, [letter(1), "referee@pbem.test"]).start()
        began = time.monotonic()
        assert box.wait(30)
        assert time.monotonic() - began < 15
        assert len(list(box.new(none_known))) == 1


def test_wrong_password_is_a_refused_login(host: MailHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "wrong")
    with source(host) as box, pytest.raises(LoginRefused, match=r"it refuses the login of referee@pbem\.test"):
        list(box.new(none_known))


def test_certificate_of_a_stranger_is_not_believed(host: MailHost) -> None:
    (box,) = sources(
        settings.parse_config(
            f"from: a@b.org\n{host.config()}".replace(f"tls: {{ca: {host.certificate}}}, ", ""), Path("/nowhere/x")
        )
    )
    with box, pytest.raises(Unreachable, match="certificate verify failed"):
        list(box.new(none_known))


def test_starttls_is_spoken_where_the_config_says_so(host: MailHost) -> None:
    put(host, 1)
    with source(host, port=host.ports["IMAP"]) as plain:
        plain.config = ImapIn(
            "localhost",
            host.ports["IMAP"],
            "referee@pbem.test",
            Secret(env="PBEM_TEST_PASSWORD"),
            Tls("starttls", host.certificate),
        )
        assert len(list(plain.new(none_known))) == 1


@pytest.mark.slow
def test_server_that_is_down_is_unreachable_and_found_again(host: MailHost) -> None:
    put(host, 1)
    with source(host) as box:
        (arrived,) = box.new(none_known)
        host.kill("dovecot")
        try:
            for _ in range(2):
                with pytest.raises(Unreachable, match=r"refused|EOF|closed"):
                    box.fetch(arrived)
        finally:
            host.start_dovecot()
        assert box.fetch(arrived) == letter(1)


def whole_session(host: MailHost, proxy: Proxy, folder: str, timeout: float) -> list[str]:
    """Read two letters from a folder: login, sweep, heads, letters, marks, IDLE, logout. Return what failed."""
    taken: dict[tuple[str, str], bytes] = {}
    failed: list[str] = []
    with source(host, tls=False, port=proxy.port, more=f"folder: {folder}") as box:
        box.config = replace(box.config, timeout=timeout)
        while len(failed) < 3:
            try:
                take(box, taken)
                box.wait(0.1)
            except Unreachable as wrong:
                failed.append(str(wrong))
                continue
            break
    assert sorted(taken.values()) == [letter(1), letter(2)], (folder, failed)
    return failed


@contextmanager
def folders(host: MailHost, count: int) -> Iterator[list[str]]:
    """Make folders with two letters each, for as long as a block lasts."""
    names = [f"After{number}" for number in range(count)]
    with host.mailbox("referee") as box:
        for name in names:
            box.create_folder(name)
            for number in (1, 2):
                box.append(name, letter(number))
        yield names
        for name in names:
            box.delete_folder(name)


def lines_of_a_session(host: MailHost) -> int:
    with folders(host, 1) as (folder,), Proxy(host.ports["IMAP"]) as proxy:
        assert whole_session(host, proxy, folder, 20) == []
        return soon(lambda: proxy.lines)


@pytest.mark.real
@pytest.mark.parametrize("trick", ["cut", "stall", "delay"])
def test_break_after_any_line_loses_and_doubles_nothing(host: MailHost, trick: Trick) -> None:
    """For each line a session of its own, several of them at once, since most of the time they wait."""
    lines = lines_of_a_session(host)
    assert lines > 40

    def session(after: int, folder: str) -> list[str]:
        with Proxy(host.ports["IMAP"], trick, after) as proxy:
            return whole_session(host, proxy, folder, 3 if trick == "stall" else 20)

    with folders(host, lines) as names, ThreadPoolExecutor(16) as sessions:
        outcomes = dict(enumerate(sessions.map(session, range(1, lines + 1), names), 1))
    for after, failed in outcomes.items():
        assert all(said and "\n" not in said for said in failed), (after, failed)
        assert len(failed) == (trick != "delay") or after >= lines - 3, (after, failed)
