"""Deputies: who may write for a side, until when, what they are told, and what stays with the player."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.mail.answer.deputy_words import DEPUTY, deputy_in
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.read.token import deputy_token, token
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.mail.write.report_letters import first_letters
from pbem.post.settings import WhoConfig
from pbem.post.tables.open_tables import asked_by
from pbem.post.tables.tables import ToSend, Urgency
from pbem.referee.acts.players import change_of
from pbem.referee.game.open_game import CannotPlay
from tests.support.blank import blank_pictures
from tests.support.live import NOON, Folder, files, letter, order, sheet, subjects
from tests.support.posted import take, text_of
from tests.support.walks import FOLDERS

CARL = "carl@example.net"
NAMES = "DEPUTY Carl <carl@example.net> until 14 Dec"


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


@pytest.fixture
def office(folder: Folder) -> MailSettings:
    folder.create().close()
    settings = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))
    assert "DEPUTY: Carl <carl@example.net> may write" in told(take_in(letter("red", NAMES.encode()), settings), "red")
    return settings


def told(handled: Handled, side: str) -> str:
    return "\n".join(text_of(out) for out in handled.letters if out.to == f"{side}@example.org")


def by_carl(text: bytes, number: int = 7) -> bytes:
    return letter("red", text, number=number).replace(b"red@example.org", CARL.encode())


def first_of(folder: Folder, office: MailSettings) -> tuple[Outgoing, ...]:
    """Return the first report to Red, and its copy."""
    with folder.open() as game:
        game.carry_out_letter_of(office.now, office.now)
        out = next(each for each in first_letters(game, office) if each.to == "red@example.org")
        return out, *out.copies


def bury(folder: Folder, side: str = "red") -> bytes:
    with folder.open() as game:
        return sheet(game, side, order("bury", card=game.view(side).hands[side][0]))


def test_deputy_and_player_may_both_write(folder: Folder, office: MailSettings) -> None:
    """What the side is written goes to both, each with a key of their own; nobody else gets a copy."""
    letters = [
        ToSend(each.name, each.to, each.content, Urgency.ASKED, "punica <punica.red.example.org>", 0, 0.0)
        for each in first_of(folder, office)
    ]
    assert [asked_by(each)[1] for each in letters] == [["red"], []]
    handled = take_in(by_carl(bury(folder)), office)
    assert handled.accepted
    with folder.open() as game:
        assert game.sheets("red") == 1
        own, theirs = token(game, "red"), deputy_token(game, "red", CARL)
    (receipt,) = handled.letters
    (copy,) = receipt.copies
    assert (receipt.to, copy.to) == ("red@example.org", CARL)
    assert own.encode() in receipt.content
    assert theirs.encode() in copy.content
    assert theirs.encode() not in receipt.content
    handled = take_in(letter("red", bury(folder), number=9), office)
    assert handled.accepted
    handled = take_in(letter("blue", bury(folder, "blue"), number=10), office)
    to_red = next(out for out in handled.letters if out.to == "red@example.org")
    to_blue = next(out for out in handled.letters if out.to == "blue@example.org")
    assert [each.to for each in to_red.copies] == [CARL]
    assert to_blue.copies == ()
    assert own.encode() not in to_red.copies[0].content
    assert text_of(to_red.copies[0]) == text_of(to_red).replace(own, theirs)
    sent = [path.read_bytes() for path in (folder.path / "outbox" / "new").iterdir()]
    assert sum(f"To: {CARL}".encode() in each for each in sent) == 4


def test_deputy_orders_asks_and_talks_and_no_more(folder: Folder, office: MailSettings) -> None:
    for word in ("RESIGN punica", "DRAW punica", "CONSENT punica 1", "RENEW", "NEWS asked", NAMES.replace("Carl", "C")):
        handled = take_in(by_carl(word.encode(), hash(word) % 9999), office)
        (answer,) = handled.letters
        assert answer.to == CARL
        assert "alone, and you are the deputy" in " ".join(text_of(answer).split()), word
    (answer,) = take_in(by_carl(b"STATUS", 20), office).letters
    assert (answer.to, answer.copies) == (CARL, ())
    assert "Your deputy up to 2026-12-14 is Carl" in text_of(answer)


def test_deputy_is_nobody_when_the_time_is_over(folder: Folder, office: MailSettings) -> None:
    """On the last day they are; and NONE ends it at once."""
    last = replace(office, now=NOON + timedelta(days=22))
    assert take_in(by_carl(b"STATUS", 1), last).accepted
    after = replace(office, now=NOON + timedelta(days=23))
    handled = take_in(by_carl(b"STATUS", 2), after)
    assert "You play in" not in text_of(handled.letters[0])
    assert not handled.accepted
    assert take_in(letter("red", b"REPORT", number=3), after).letters[0].copies == ()
    assert "nobody may write for your side but you" in told(
        take_in(letter("red", b"DEPUTY NONE", number=4), office), "red"
    )
    assert not take_in(by_carl(b"STATUS", 5), office).accepted


def test_post_takes_a_deputy_by_their_own_key(folder: Folder, office: MailSettings) -> None:
    """The key of a copy is good for nobody else, and a letter without one is refused: nobody could confirm it."""
    with folder.open() as game:
        theirs = deputy_token(game, "red", CARL)
    who = WhoConfig()
    answers = f"References: <punica.red.1~{theirs}@example.org>\n"
    raw = letter("red", b"STATUS", number=1, more=answers)
    assert [out.name.partition(".")[0] for out in take(folder, raw, who).letters] != ["words"]
    raw = raw.replace(b"red@example.org", CARL.encode())
    assert [out.name.partition(".")[0] for out in take(folder, raw, who).letters] == ["words"]
    (out,) = take(folder, by_carl(b"STATUS", 2), who, by="address").letters
    assert "it brings a key of yours back" in " ".join(text_of(out).split())


def test_who_knows_another_side_is_no_deputy(folder: Folder, office: MailSettings) -> None:
    for words, reason in (
        ("DEPUTY blue@example.org 2026-12-14", "writes for blue in punica"),
        ("DEPUTY red@example.org 2026-12-14", "plays red already"),
        ("DEPUTY dora@example.org until 1 March 2020", "2020-03-01 is over"),
        ("DEPUTY dora@example.org until 1 March 2031", "for 366 days at most"),
        ("DEPUTY dora@example.org until Easter", "'Easter' is no day"),
        ("DEPUTY Dora until 14 Dec", "write who, and until when"),
    ):
        said = told(take_in(letter("red", words.encode(), number=hash(words) % 9999), office), "red")
        assert reason in " ".join(said.split()), words
    with folder.open() as game:
        game.carry_out_letter_of(NOON, NOON)
        with pytest.raises(CannotPlay, match="is the deputy of red"):
            change_of(game, "blue", "Carl", CARL)
    said = told(take_in(letter("blue", b"DEPUTY carl@example.net until 14 Dec", number=3), office), "blue")
    assert "writes for red" in said


def test_deputy_is_on_record_and_the_name_is_sealed(folder: Folder, office: MailSettings, tmp_path: Path) -> None:
    take_in(letter("red", b"DEPUTY NONE", number=4), office)
    take_in(letter("red", b"DEPUTY Dora <dora@example.net> until 2 Jan", number=5), office)
    with folder.open() as game:
        assert subjects(game)[-3:] == [
            "punica: red has a deputy until 2026-12-14",
            "punica: red has no deputy",
            "punica: red has a deputy until 2027-01-02",
        ]
        assert game.ledger.repo.read("deputies/red.yaml") == b'named: 3\nuntil: "2027-01-02"\n'
        game.change_player("red", "Eve", "eve@example.org", replaced=True)
        assert game.ledger.deputyship("red").until is None
        assert game.written_by("dora@example.net") == []
    verdict = verify(folder.repo("punica"), keys=partial(Keys.load, folder.keys), folders=FOLDERS)
    assert verdict.findings.sorted == []
    with folder.open() as game:
        for commit in game.ledger.repo.history():
            assert not any(b"example.net" in content for content in files(game.ledger.repo, commit.sha).values())


def test_naming_again_changes_nothing(folder: Folder, office: MailSettings) -> None:
    with folder.open() as game:
        head = game.ledger.repo.head
    handled = take_in(letter("red", NAMES.encode()), office)
    assert "may write for your side" in told(handled, "red")
    with folder.open() as game:
        assert game.ledger.repo.head == head


def test_words_that_name_a_deputy() -> None:
    today = NOON.date()
    carl = deputy_in("Carl Smit <Carl@example.net> until Dec 14", today)
    assert carl is not None
    assert (carl.name, carl.address, carl.until) == ("Carl Smit", CARL, "2026-12-14")
    assert deputy_in("carl@example.net, 14. Dec 2026", today) == replace(carl, name="carl")
    assert deputy_in("none.", today) is None
    for until in ("till 14 Dec", "through 14 Dec", "- 14 Dec", "up to 14 Dec"):
        assert deputy_in(f"Carl Smit <Carl@example.net> {until}", today) == carl
    assert re.fullmatch(r"[A-Z]+", DEPUTY.name)


def test_deputy_never_gets_the_key_of_the_player(folder: Folder, office: MailSettings) -> None:
    """A letter of their last evening is carried out after midnight, when they are the deputy no more."""
    midnight = NOON.replace(hour=0) + timedelta(days=23)
    late = replace(office, came=midnight - timedelta(seconds=5), now=midnight + timedelta(minutes=5))
    with folder.open() as game:
        own = token(game, "red").encode()
    letters = (b"STATUS", b"REPORT", b"RESIGN punica", b"orders: what?", b"hello", bury(folder))
    for number, words in enumerate(letters, 1):
        for out in take_in(by_carl(words, number), late).letters:
            for each in (out, *out.copies):
                assert each.to != CARL or own not in each.content, words


def test_deputy_is_named_in_a_game_with_a_clock(folder: Folder) -> None:
    """The deputy's letter has a form, but the clock of the side runs from when its player has theirs."""
    clock = {"pace": {"bank": "4d", "bonus": "12h", "most": "9d"}}
    folder.create(clock=clock).close()
    settings = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))
    handled = take_in(letter("red", NAMES.encode()), settings)
    assert [out.to for out in handled.letters] == ["red@example.org", CARL]
    with folder.open() as game:
        clocks = game.clock.read()
        assert clocks is not None
        assert clocks.sides["red"].since is None
