"""Triage: whose letters they are, in somebody's own mailbox."""

from __future__ import annotations

from random import Random

import pytest

from pbem.mail.answer.every_command import help_values
from pbem.mail.inbox import open_letter
from pbem.mail.read.mime import LARGEST
from pbem.mail.write.answer_letters import help_letter
from pbem.mail.write.by_game_master import broadcast_letters
from pbem.mail.write.outgoing import side_report
from pbem.mail.write.report_letters import first_letters
from pbem.mail.write.welcome import welcome_letter
from pbem.post.service.triage import Bounce, KnownPlayers, Look, NotOurs, Ours, Robot, TooBig, has_sheet, judge_letter
from tests.support.chance import seed_of
from tests.support.live import Folder
from tests.support.posted import bury, form_of, players, report_id, take, token_of, written

SOMEBODY = "aunt@example.net"


@pytest.fixture
def game(folder: Folder) -> Folder:
    folder.create().close()
    return folder


@pytest.fixture
def known(game: Folder) -> KnownPlayers:
    return players(game)


def head(raw: bytes) -> bytes:
    return raw.partition(b"\n\n")[0] + b"\n\n"


def judged(known: KnownPlayers, raw: bytes, size: int = 0) -> object:
    return judge_letter(head(raw), size or len(raw), known)


# ---- ours


def test_letter_with_a_token_is_ours(game: Folder, known: KnownPlayers) -> None:
    assert judged(known, written("hi", sender=SOMEBODY, answers=report_id(game, "red"))) == Ours("token")
    to = f"pbem+{token_of(game, 'red')}@example.org"
    assert judged(known, written("hi", sender=SOMEBODY, to=to)) == Ours("token")


def test_answer_to_an_earlier_letter_is_ours(known: KnownPlayers) -> None:
    assert judged(known, written("hi", sender=SOMEBODY, answers="<punica.red.1@example.org>")) == Ours("thread")
    refusal = "<refusal.f257610d124f9c128dda2db6.0@example.org>"
    assert judged(known, written("hi", sender=SOMEBODY, answers=refusal)) == Ours("thread")
    welcome = "<welcome.punica.red.20261122120000@example.org>"
    assert judged(known, written("hi", sender=SOMEBODY, answers=welcome)) == Ours("thread")


def test_letter_of_a_player_is_ours(known: KnownPlayers) -> None:
    assert judged(known, written("hi", sender="Red <RED@example.org>")) == Ours("address")


def test_letter_with_a_sheet_is_ours_when_it_is_looked_into(game: Folder, known: KnownPlayers) -> None:
    raw = written(f"hello\n\n{bury(game)}", sender=SOMEBODY)
    assert judged(known, raw) == Look()
    assert has_sheet(raw, open_letter(raw), known) == Ours("sheet")


# ---- not ours


@pytest.mark.parametrize(
    "text",
    [
        "Dinner at eight?",
        "game: tennis\nside: of the street\n",
        "You said:\n> game: punica\n> side: red\n> adjudication: 1\n> orders:\n",
        "STATUS",
        "HELP",
        "",
    ],
)
def test_letter_of_somebody_else_is_left_alone(known: KnownPlayers, text: str) -> None:
    raw = written(text, sender=SOMEBODY, subject="hello")
    assert judged(known, raw) == Look()
    assert has_sheet(raw, open_letter(raw), known) == NotOurs()


@pytest.mark.parametrize(
    "answers",
    [
        "<punica.red.1@evil.org>",
        "<gallia.red.1@example.org>",
        "<abc@example.org>",
        "<refusal.f257610d124f9c128dda2db6.0@evil.org>",
        "<~@example.org>",
        "punica.red.1@example.org",
    ],
)
def test_answer_to_somebody_elses_letter_is_not_ours(known: KnownPlayers, answers: str) -> None:
    assert judged(known, written("hi", sender=SOMEBODY, answers=answers)) == Look()


def test_large_letter_of_somebody_else_is_not_fetched(known: KnownPlayers) -> None:
    assert judged(known, written("hi", sender=SOMEBODY), size=LARGEST + 1) == NotOurs()


def test_large_letter_for_a_game_is_not_fetched_either(known: KnownPlayers) -> None:
    assert judged(known, written("hi", sender="red@example.org"), size=50_000_000) == TooBig(50_000_000)


# ---- robots, lists, our own letters


AUTOMATIC = [
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated (vacation)",
    "Precedence: bulk",
    "Precedence: auto_reply",
    "X-Autoreply: yes",
    "X-Autorespond: away",
    "Return-Path: <>",
]


@pytest.mark.parametrize("header", AUTOMATIC)
def test_robot_is_never_ours(game: Folder, known: KnownPlayers, header: str) -> None:
    raw = f"{header}\n".encode() + written(bury(game), answers=report_id(game, "red"))
    assert isinstance(judged(known, raw), Robot)


@pytest.mark.parametrize("header", ["List-Id: <games.example.net>", "List-Unsubscribe: <x>", "Mailing-List: x"])
def test_list_is_ours_only_with_a_token(game: Folder, known: KnownPlayers, header: str) -> None:
    def of_list(text: str, sender: str = "red@example.org", answers: str = "") -> bytes:
        return written(text, sender=sender, answers=answers, more=f"{header}\n")

    assert isinstance(judged(known, of_list("hi", SOMEBODY)), Robot)
    player = of_list(bury(game))
    assert judged(known, player) == Look()
    assert has_sheet(player, open_letter(player), known) == NotOurs()
    with_key = of_list(bury(game).replace("orders:", f"key: {token_of(game, 'red')}\norders:"))
    assert judged(known, with_key) == Look()
    assert has_sheet(with_key, open_letter(with_key), known) == Ours("token")
    assert judged(known, of_list("hi", answers=report_id(game, "red"))) == Ours("token")
    assert isinstance(judge_letter(head(player), LARGEST + 1, known), Robot)


def test_our_own_letters_are_never_ours_to_answer(game: Folder, known: KnownPlayers) -> None:
    with game.open() as found:
        letters = [*first_letters(found, game.office), welcome_letter(found, "red", game.office)]
    letters.append(help_letter(open_letter(written("HELP")), game.office, help_values()))
    for out in letters:
        raw = out.content.replace(b"\r\n", b"\n")
        assert judged(known, raw) == Robot("it is a letter of ours")
        forwarded = raw.replace(b"From: Referee <pbem@example.org>", b"From: red@example.org")
        assert isinstance(judged(known, forwarded), Robot)


def test_game_master_may_play_from_the_same_address(folder: Folder) -> None:
    folder.create(addresses={"red": "pbem@example.org", "blue": "blue@example.org"}).close()
    raw = written(bury(folder), sender="pbem@example.org", answers=report_id(folder, "red"))
    assert judged(players(folder), raw) == Ours("token")


# ---- bounces


@pytest.mark.parametrize(
    "more",
    [
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
        "X-Failed-Recipients: red@example.org",
        "From: Mail Delivery System <MAILER-DAEMON@mx.example.net>",
        "From: postmaster@example.net",
    ],
)
def test_bounce_is_told(game: Folder, known: KnownPlayers, more: str) -> None:
    id = report_id(game, "red")
    raw = f"{more}\nSubject: Undelivered\nReferences: {id}\n".encode()
    raw += b"" if more.startswith("From") else b"From: MAILER-DAEMON@mx.example.net\n"
    assert judged(known, raw + b"\nx") == Bounce(id)
    assert judged(known, raw.replace(id.encode(), b"<x@example.net>") + b"\nx") == Bounce("")


# ---- what is known


def test_players_are_read_again_when_a_game_changes(game: Folder, known: KnownPlayers) -> None:
    raw = written("hi", sender="red@example.net")
    assert judged(known, raw) == Look()
    with game.open() as found:
        found.change_player("red", found.player("red"), "red@example.net", replaced=False)
    known.refresh()
    assert judged(known, raw) == Ours("address")
    assert judged(known, written("hi", sender="red@example.org")) == Look()


def test_damaged_game_keeps_no_letter_of_the_others(game: Folder) -> None:
    (game.games / "broken.git").mkdir()
    (game.games / "broken.git" / "HEAD").write_text("nothing")
    assert judged(players(game), written("hi", sender="red@example.org")) == Ours("address")


def test_no_bytes_make_it_raise(game: Folder, known: KnownPlayers) -> None:
    random = Random(seed_of())
    whole = written(form_of(game), answers=report_id(game, "red"))
    for _ in range(300):
        raw = bytearray(whole[: random.randrange(len(whole))])
        for _ in range(random.randrange(12)):
            if raw:
                raw[random.randrange(len(raw))] = random.choice(b'\x00\xff\n\r<>@:;"(=~+')
        judge_letter(bytes(raw), len(raw), known)
        has_sheet(bytes(raw), open_letter(bytes(raw)), known)


def test_form_has_the_key_of_its_side(game: Folder) -> None:
    with game.open() as found:
        for side in ("red", "blue"):
            sheet = side_report(found, side, 1).sheet
            assert sheet is not None
            assert f"\nkey: {token_of(game, side)}\n" in sheet


def test_answer_in_words_to_a_broadcast_stays_in_the_mailbox(folder: Folder) -> None:
    """It is for the game master, who has written: no game is told of it, and its player gets no form."""
    folder.create().close()
    (out,) = broadcast_letters("The season ends on Sunday.", {"punica": ["red@example.org"]}, folder.office)
    raw = written("Thanks for telling!\n\n> The season ends on Sunday.\n", answers=out.draft.message_id)
    found = judge_letter(raw, len(raw), players(folder))
    assert found == Ours("address")
    handled = take(folder, raw, by=found.by)
    assert handled.letters == []
    assert "left to the game master" in handled.notes[0]
