"""The whole post on real servers: breaks, kills, bounces, a full mailbox. No letter is lost, and none counts twice."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.token import token
from pbem.post import config
from pbem.post.service import Post, once
from pbem.post.sqlite_tables import SqliteTables
from pbem.post.transport.ways import sender, sources
from tests.real.mailhost import MailHost, soon
from tests.real.proxy import Proxy
from tests.real.season import GAME, Season, text_of
from tests.support.live import Folder

ADDRESSES = {"red": "ann@pbem.test", "blue": "bob@pbem.test"}


@pytest.fixture
def season(host: MailHost, tmp_path: Path) -> Season:
    """Return a folder with a game of Three Hills between ann and bob, which has begun, and a config."""
    made = Season(host, tmp_path)
    Folder(tmp_path).create(name=GAME, addresses=ADDRESSES).close()
    made.configure()
    return made


def post(season: Season) -> Post:
    """Open the post, as `pbem post` does."""
    read = config.load(season.file)
    tables = SqliteTables(read.tables_file)
    return Post(read, tables, list(sources(read)), sender(read), lambda line: said(season, line))


def said(season: Season, line: str) -> None:
    with (season.folder / "post.log").open("a") as log:
        log.write(f"{line}\n")


def token_of(season: Season, side: str) -> str:
    with season.open() as game:
        return token(game, side)


def asks_status(season: Season, number: int, user: str = "ann", side: str = "red") -> bytes:
    """Return a letter that asks how the game stands, to the address that has the side's token."""
    letter = EmailMessage()
    letter["From"] = f"{user}@pbem.test"
    letter["To"] = f"referee+{token_of(season, side)}@pbem.test"
    letter["Subject"] = f"question {number}"
    letter["Message-ID"] = f"<question.{number}@pbem.test>"
    letter.set_content(f"STATUS {GAME}\n")
    return letter.as_bytes()


def put(season: Season, letter: bytes) -> None:
    with season.host.mailbox("referee") as box:
        box.append("INBOX", letter)


def answered(season: Season, user: str = "ann") -> Counter[str]:
    """Count the answers to each letter of a player, by what they answer; each with its own Message-ID counts once."""
    found = {str(each["Message-ID"]): str(each["In-Reply-To"]) for each in season.letters(user)}
    return Counter(found.values())


def lines_through(season: Season, port: str, number: int) -> int:
    """Count the lines of one round of the post, between it and one of the servers."""
    put(season, asks_status(season, number))
    with Proxy(season.host.ports[port]) as proxy:
        season.configure(tls=False, **{"imap" if port == "IMAP" else "smtp": proxy.port})
        assert once(post(season)), season.log
        return soon(lambda: proxy.lines)


@pytest.mark.parametrize("port", ["IMAP", "PLAIN"])
def test_break_after_any_line_of_a_round(season: Season, port: str) -> None:
    """Whatever line the proxy cuts after: the letter is answered by the next round, and by one answer."""
    lines = lines_through(season, port, 0)
    assert lines > 20
    way = "imap" if port == "IMAP" else "smtp"
    for after in range(1, lines + 1):
        put(season, asks_status(season, after))
        with Proxy(season.host.ports[port], "cut", after) as proxy:
            season.configure(tls=False, **{way: proxy.port})
            rounds = [once(post(season)) for _ in range(2)]
            assert rounds[-1], (after, season.log)
    expected = {f"<question.{number}@pbem.test>" for number in range(lines + 1)}
    soon(lambda: answered(season).keys() >= expected, 30)
    assert set(answered(season).values()) == {1}
    with season.host.mailbox("referee") as box:
        assert box.search("UNSEEN") == []


def test_kills_of_servers_and_service_lose_no_letter(season: Season) -> None:
    """Thirty letters while Dovecot, Postfix and the post are killed by turns; the players' side keeps writing."""
    service = season.start()
    try:
        for number in range(30):
            put(season, asks_status(season, number))
            match number % 6:
                case 1:
                    season.host.kill("dovecot")
                    season.host.start_dovecot()
                case 3:
                    season.host.kill("postfix")
                    season.host.start_postfix()
                case 5:
                    service.kill()
                    service.wait()
                    service = season.start()
        expected = {f"<question.{number}@pbem.test>" for number in range(30)}
        soon(lambda: answered(season).keys() >= expected, 120)
        assert set(answered(season).values()) == {1}
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) == 0


def test_server_that_is_down_is_told_once_and_caught_up_with(season: Season) -> None:
    put(season, asks_status(season, 1))
    season.host.kill("dovecot")
    season.host.kill("postfix")
    try:
        with season.open_post():
            name = f"localhost:{season.host.ports['IMAPS']}"
            soon(lambda: f"{name} cannot be reached" in season.log, 30)
            time.sleep(7)
            season.host.start_dovecot()
            season.host.start_postfix()
            soon(lambda: f"{name} can be reached again" in season.log, 60)
            soon(lambda: answered(season)["<question.1@pbem.test>"] == 1, 60)
            assert season.log.count(f"{name} cannot be reached") == 1
    finally:
        if not season.host.running("dovecot"):
            season.host.start_dovecot()
        if not season.host.running("postfix"):
            season.host.start_postfix()


@pytest.fixture
def bounced(host: MailHost, tmp_path: Path) -> Season:
    """Return a game in which the mailbox of blue is full for ever."""
    season = Season(host, tmp_path)
    Folder(tmp_path).create(name=GAME, addresses={"red": "ann@pbem.test", "blue": "full@pbem.test"}).close()
    season.configure()
    return season


def test_mailbox_that_is_full_is_told_of_and_answered_by_silence(bounced: Season) -> None:
    season = bounced
    with season.open_post():
        for number in range(3):
            season.neomutt("ann", f"PRESS TO blue\nHello {number}!\nEND PRESS\n", to=own_address(season))
            season.swaks("ann", f"STATUS {GAME}\n", to=own_address(season))
        soon(lambda: len(season.letters("ann")) >= 3, 60)
        soon(lambda: re.search(r"blue.*refuse", season.pbem("status", GAME)) is not None, 60)
        time.sleep(5)
        before = len(sent(season))
        time.sleep(8)
        assert len(sent(season)) == before
    told = [each for each in season.letters("referee") if "refuses" in text_of(each)]
    assert len(told) <= 1


def own_address(season: Season) -> str:
    return f"referee+{token_of(season, 'red')}@pbem.test"


def sent(season: Season) -> list[str]:
    """Return the lines in which Postfix says that it took a letter of the referee."""
    return [line for line in season.host.log.splitlines() if "qmgr" in line and "from=<referee@pbem.test>" in line]
