"""Letters leave: by urgency, within the rates, at least once, and what a server says of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path

import pytest

from pbem.mail.notes.outboxes import ToKeep, write_to_maildir
from pbem.post.service.health import waiting
from pbem.post.service.sending import FULL, Sending
from pbem.post.settings import Rates
from pbem.post.tables.open_tables import TableOutbox, urgency_of
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.post.tables.tables import ToSend, Urgency
from pbem.post.transport.base import Later, Refused, Unreachable
from tests.support.boxes import Way

HOUR, DAY = 3600.0, 86400.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tables(tmp_path: Path, clock: Clock) -> Iterator[SqliteTables]:
    made = SqliteTables(tmp_path / "post.sqlite", clock)
    yield made
    made.close()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def sending(tables: SqliteTables, way: Way, said: list[str], clock: Clock) -> Sending:
    return Sending(way, tables, Rates(8, 20), said.append, clock=clock)


@pytest.fixture
def put(tables: SqliteTables, clock: Clock) -> Callable[..., None]:
    def put(name: str, urgency: Urgency = Urgency.ANSWER, to: str = "ann@example.org", thread: str = "") -> None:
        tables.put([ToSend(name, to, letter(name), urgency, thread, 0, clock())])

    return put


def letter(name: str, more: str = "") -> bytes:
    return (
        f"From: pbem@example.org\r\nTo: ann@example.org\r\nSubject: {name}\r\nMessage-ID: <{name}@example.org>\r\n"
        f"Auto-Submitted: auto-generated\r\nContent-Type: text/plain\r\n{more}\r\nThis is {name}.\r\n"
    ).encode()


def names(way: Way) -> list[str]:
    return [str(message_from_bytes(content)["Subject"]) for _, content in way.given]


def test_players_who_are_asked_are_written_to_first(sending: Sending, put: Callable[..., None], way: Way) -> None:
    put("news", Urgency.NEWS)
    put("answer")
    put("asked", Urgency.ASKED)
    assert sending.send() == 3
    assert names(way) == ["asked", "answer", "news"]
    assert sending.send() == 0


def test_no_more_leave_than_the_rates_allow(
    sending: Sending, put: Callable[..., None], way: Way, clock: Clock, tables: SqliteTables
) -> None:
    for number in range(25):
        put(f"letter-{number}")
    assert sending.send() == 8
    assert sending.send() == 0
    assert tables.noted(FULL) == ("As many have gone as may: 8 letters an hour, 20 a day", clock.now)
    clock.now += HOUR + 1
    assert sending.send() == 8
    clock.now += HOUR + 1
    assert sending.send() == 4
    clock.now += HOUR + 1
    assert sending.send() == 0
    clock.now += DAY
    assert sending.send() == 5
    assert tables.noted(FULL) is None
    assert names(way) == [f"letter-{number}" for number in range(25)]


def test_news_leave_room_for_players_who_are_asked(
    sending: Sending, put: Callable[..., None], way: Way, tables: SqliteTables
) -> None:
    for number in range(8):
        put(f"news-{number}", Urgency.NEWS)
    assert sending.send() == 6
    assert list(waiting(tables)) == [
        "2 letters to send. The news wait, and leave room for players who are asked: "
        "8 letters an hour, 20 a day (`send:` in the config)."
    ]
    put("asked", Urgency.ASKED)
    put("answer")
    assert sending.send() == 2
    assert names(way)[6:] == ["asked", "answer"]


def test_news_of_a_thread_leave_in_one_letter(sending: Sending, put: Callable[..., None], way: Way) -> None:
    for number in range(3):
        put(f"news-{number}", Urgency.NEWS, thread="<punica.rome.example.org>")
    put("other", Urgency.NEWS, thread="<zama.rome.example.org>")
    assert sending.send() == 2
    (_, whole), (_, other) = way.given
    bundle = message_from_bytes(whole)
    assert bundle["Message-ID"] == "<news-2@example.org>"
    assert bundle["Subject"] == "news-2 (and 2 before it)"
    text = bundle.get_payload()
    assert isinstance(text, str)
    assert text.index("This is news-0.") < text.index("This is news-1.") < text.index("This is news-2.")
    assert b"Subject: other\r\n" in other


def test_what_is_put_off_is_sent_again_unchanged(
    sending: Sending, put: Callable[..., None], way: Way, clock: Clock, said: list[str]
) -> None:
    way.answers["ann@example.org"] = [Later("451 come back")]
    put("asked", Urgency.ASKED)
    assert sending.send() == 0
    clock.now += 59
    assert sending.send() == 0
    assert len(way.given) == 1
    clock.now += 2
    way.answers["ann@example.org"] = [Later("451 come back")]
    assert sending.send() == 0
    clock.now += 121
    way.answers.clear()
    assert sending.send() == 1
    assert way.given[0] == way.given[1] == way.given[2]
    assert said == ["a letter to ann@example.org is put off: 451 come back"]


def test_letter_put_off_for_days_is_given_up(
    sending: Sending, put: Callable[..., None], way: Way, clock: Clock, tables: SqliteTables, said: list[str]
) -> None:
    way.answers["ann@example.org"] = [Later("451 come back")]
    put("asked", Urgency.ASKED)
    while tables.to_send(clock() + DAY, 1):
        sending.send()
        clock.now += HOUR
    assert 5 * DAY <= clock() - 1_000_000.0 <= 6 * DAY
    assert len(said) == 2
    assert "refused for good" in said[1]


def test_letter_refused_for_good_is_told_and_not_sent_again(
    tables: SqliteTables, put: Callable[..., None], way: Way, clock: Clock, said: list[str]
) -> None:
    told: list[tuple[str, str, str]] = []
    sending = Sending(way, tables, Rates(), said.append, lambda *found: told.append(found), clock)
    way.answers["bob@example.org"] = [Refused("550 5.1.1 no such user")]
    put("asked", Urgency.ASKED, to="bob@example.org")
    put("other")
    assert sending.send() == 1
    clock.now += 10 * DAY
    assert sending.send() == 0
    assert told == [("<asked@example.org>", "bob@example.org", "550 5.1.1 no such user")]
    assert said == ["a letter to bob@example.org is refused for good (asked): 550 5.1.1 no such user"]
    assert tables.counts().refused == 1


def test_unreachable_server_leaves_all_letters_waiting(
    sending: Sending, put: Callable[..., None], way: Way, tables: SqliteTables
) -> None:
    put("asked")
    way.wrong = "connection refused"
    with pytest.raises(Unreachable):
        sending.send()
    way.wrong = ""
    assert sending.send() == 1
    assert len(way.given) == 1
    assert tables.counts().to_send == 0


@pytest.mark.parametrize("jump", [-400 * DAY, 400 * DAY])
def test_clock_that_jumps_holds_no_letter_back(
    sending: Sending, put: Callable[..., None], way: Way, clock: Clock, jump: float
) -> None:
    for number in range(8):
        put(f"before-{number}")
    assert sending.send() == 8
    way.answers["bob@example.org"] = [Later("451")]
    clock.now += HOUR + 1
    put("later", to="bob@example.org")
    sending.send()
    way.answers.clear()
    clock.now += jump
    put("after")
    assert sending.send() == 2


def test_stop_ends_sending_after_the_letter_at_hand(sending: Sending, put: Callable[..., None], way: Way) -> None:
    for number in range(5):
        put(f"letter-{number}")
    assert sending.send(lambda: len(way.given) >= 2) == 2
    assert sending.send() == 3


def test_letters_that_commands_write_are_taken_over(tmp_path: Path, tables: SqliteTables) -> None:
    write_to_maildir(tmp_path / "outbox", letter("a"), "punica.rome.1")
    outbox = TableOutbox(tables)
    assert outbox.collect(tmp_path / "outbox") == 1
    assert outbox.collect(tmp_path / "outbox") == 0
    (found,) = tables.to_send(0, 9)
    assert (found.to, found.content, found.urgency) == ("ann@example.org", letter("a"), Urgency.NEWS)
    assert list((tmp_path / "outbox" / "new").iterdir()) == []
    again = ToKeep("punica.rome.1", "Ann <ann@example.org>", letter("a", "References: <x@y>\r\n"))
    assert outbox.put([again]) == [found.name]
    assert tables.counts().to_send == 1


def test_report_in_other_words_is_the_same_letter(tables: SqliteTables) -> None:
    outbox = TableOutbox(tables)
    first = ToKeep("punica.rome.1", "Ann <ann@example.org>", letter("a"), "this turn")
    names = outbox.put([first])
    assert outbox.put([first._replace(content=letter("b"))]) == names
    assert tables.counts().to_send == 1
    assert outbox.put([first._replace(telling="that turn")]) != names
    assert tables.counts().to_send == 2


@pytest.mark.parametrize(
    ("name", "more", "urgency"),
    [
        ("punica.rome.1", 'Content-Disposition: attachment; filename="orders.yaml"\r\n', Urgency.ASKED),
        ("punica.rome.1", 'Content-Disposition: attachment; filename="orders-elm.yaml"\r\n', Urgency.ASKED),
        ("welcome.punica.rome", "", Urgency.ASKED),
        ("confirm.punica.rome", "", Urgency.ASKED),
        ("punica.rome.1", "", Urgency.NEWS),
    ],
)
def test_urgency_is_that_of_what_a_letter_holds(name: str, more: str, urgency: Urgency) -> None:
    assert urgency_of(name, letter("a", more)) == urgency


def test_answer_is_more_urgent_than_news() -> None:
    assert urgency_of("words.punica", letter("a").replace(b"auto-generated", b"auto-replied")) == Urgency.ANSWER
