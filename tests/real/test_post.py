"""The whole post on real servers: breaks, kills, bounces, a full mailbox. No letter is lost, and none counts twice."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from random import Random

import pytest

from pbem.mail.read.token import token
from pbem.post import settings
from pbem.post.service.service import Post, run_once
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.post.transport import sender, sources
from tests.real.mailhost import MailHost, soon
from tests.real.proxy import Proxy
from tests.real.season import GAME, Season, text_of
from tests.support.live import Folder, pick, sheet

pytestmark = pytest.mark.real

ADDRESSES = {"red": "ann@pbem.test", "blue": "bob@pbem.test"}
FULL = {**ADDRESSES, "blue": "full@pbem.test"}


_A_DAY = 15
"""So many questions of a player in one day are answered without fail."""


@pytest.fixture
def season(host: MailHost, tmp_path: Path) -> Season:
    """Return a folder with a game of Three Hills between ann and bob, which has begun, and a config."""
    return new_season(host, tmp_path)


def new_season(host: MailHost, folder: Path) -> Season:
    folder.mkdir(exist_ok=True)
    made = Season(host, folder)
    Folder(folder).create(name=GAME, addresses=ADDRESSES).close()
    made.configure()
    return made


def post(season: Season, later: float = 0.0) -> Post:
    """Open the post, as `pbem post` does, with a clock that may be ahead."""
    read = settings.load_config(season.file)
    tables = SqliteTables(read.tables_file)
    return Post(read, tables, list(sources(read)), sender(read), partial(said, season), lambda: time.time() + later)


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
    letter.set_content(f"STATUS\n\ngame: {GAME}\n")
    return letter.as_bytes()


def put(season: Season, letter: bytes) -> None:
    with season.host.mailbox("referee") as box:
        box.append("INBOX", letter)


def answered(season: Season, user: str = "ann") -> Counter[str]:
    """Count the answers to each letter of a player, by what they answer; each with its own Message-ID counts once."""
    found = {str(each["Message-ID"]): str(each["In-Reply-To"]) for each in season.letters(user)}
    return Counter(found.values())


def through(season: Season, way: str, proxy: Proxy, number: int = 0) -> Post:
    """Open the post with a proxy before one of its servers; each time so much later that what was put off is due."""
    season.configure(tls=False, imap=proxy.port if way == "IMAP" else None, smtp=proxy.port if way == "PLAIN" else None)
    return post(season, 120.0 * number)


def lines_through(season: Season, way: str) -> int:
    """Count the lines of one round of the post, between it and one of the servers."""
    put(season, asks_status(season, 0))
    with Proxy(season.host.ports[way]) as proxy:
        assert run_once(through(season, way, proxy)), season.log
        soon(partial(has_answered, season, {"<question.0@pbem.test>": 1}), 30)
        return proxy.lines


@pytest.mark.parametrize("way", ["IMAP", "PLAIN"])
def test_break_after_any_line_of_a_round(season: Season, tmp_path: Path, way: str) -> None:
    """Whatever line the proxy cuts after: the letter is answered by the next round, and by one answer.

    No player may ask so often in one day, so a new season begins after every few lines.
    """
    lines = lines_through(season, way)
    assert lines > 20
    for first in range(1, lines + 1, _A_DAY):
        season.host.empty("referee", "ann")
        season = new_season(season.host, tmp_path / f"from-{first}")
        tried = range(first, min(first + _A_DAY, lines + 1))
        for after in tried:
            put(season, asks_status(season, after))
            with Proxy(season.host.ports[way], "cut", after) as proxy:
                rounds = [run_once(through(season, way, proxy, 2 * after + again)) for again in range(2)]
                assert rounds[-1], (after, season.log)
        expected = {f"<question.{number}@pbem.test>": 1 for number in tried}
        soon(partial(has_answered, season, expected), 30)
        with season.host.mailbox("referee") as box:
            assert box.search("UNSEEN") == []


def has_answered(season: Season, expected: dict[str, int]) -> bool:
    """Tell whether each letter is answered by one answer, and not by more."""
    found = answered(season)
    assert set(found.values()) <= {1}
    return found == expected


def test_kills_of_servers_and_service_lose_no_letter(season: Season) -> None:
    """Eighteen letters while Dovecot, Postfix and the post are killed by turns; the players' side keeps writing."""
    service = season.start()
    try:
        for number in range(18):
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
        expected = {f"<question.{number}@pbem.test>" for number in range(18)}
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


def test_letter_of_fifty_megabytes_is_answered_but_not_fetched(season: Season) -> None:
    large = asks_status(season, 1) + b"x" * 70 + b"\n" + (b"y" * 75 + b"\n") * 660_000
    put(season, large)
    put(season, asks_status(season, 2))
    with Proxy(season.host.ports["IMAP"]) as proxy:
        assert run_once(through(season, "IMAP", proxy))
        assert proxy.lines < 1000
    assert "a letter of 50 MB is refused without fetching it" in season.log
    soon(lambda: len(answered(season)) == 2, 30)
    assert set(answered(season).values()) == {1}


@pytest.fixture
def bounced(host: MailHost, tmp_path: Path) -> Season:
    """Return a game in which the mailbox of blue is full for ever."""
    season = Season(host, tmp_path)
    Folder(tmp_path).create(name=GAME, addresses=FULL, press="free").close()
    season.configure()
    return season


def test_mailbox_that_bounces_for_ever_is_told_of_once(bounced: Season) -> None:
    """Every letter to blue bounces; no bounce is answered, the game master hears of it, and the game goes on."""
    season, random = bounced, Random(7)
    with season.open_post():
        for number in range(1, 4):
            with season.open() as game:
                asked = list(game.open_decisions)
                texts = {
                    side: sheet(game, side, *[pick(game, each, random) for each in asked if each.side == side])
                    for side in {each.side: None for each in asked}
                }
            for side, text in texts.items():
                user = FULL[side].partition("@")[0]
                season.swaks(user, text.decode(), to=f"referee+{token_of(season, side)}@pbem.test")
            soon(partial(has_gone_on, season, number), 60)
        soon(lambda: re.search(r"blue.*refuses since", season.pbem("status", GAME)), 60)
        soon(lambda: [each for each in season.letters("referee") if "blue" in str(each["Subject"])], 30)
        time.sleep(3)  # letters that are on their way
        quiet = len(sent(season))
        time.sleep(6)
        assert len(sent(season)) == quiet
    bounces = [each for each in season.letters("referee") if each.get_content_type() == "multipart/report"]
    told = [each for each in season.letters("referee") if "refuses" in text_of(each)]
    assert len(bounces) >= 2
    assert 1 <= len(told) <= len(texts) + 2


def has_gone_on(season: Season, number: int) -> bool:
    with season.open() as game:
        return game.adjudication > number


def sent(season: Season) -> list[str]:
    """Return the lines in which Postfix says that it took a letter of the referee."""
    return [line for line in season.host.log.splitlines() if "qmgr" in line and "from=<referee@pbem.test>" in line]
