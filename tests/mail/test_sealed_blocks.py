"""Sealed orders in letters: the intake opens those of the sender's own side, and of nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.audit.verify import Verdict, verify
from pbem.crypto.seal import new_identity, recipient_of
from pbem.crypto.sealed_orders import sealed_orders
from pbem.mail.archive_reader import read_letter
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.post.service.reception import is_private
from pbem.protocol import Side
from pbem.referee.acts.ending import end_by_game_master
from tests.support.blank import blank_pictures
from tests.support.live import SECRETS, Folder, letter, order, quoted, sheet
from tests.support.read_letters import read
from tests.support.walks import FOLDERS

KEY = recipient_of(SECRETS.identity)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of two sides, both of which are asked for a card."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    folder.create().close()
    return folder


def card(folder: Folder, side: Side) -> int:
    with folder.open() as game:
        first: int = game.view(side).hands[side][0]
        return first


def burying(folder: Folder, side: Side) -> bytes:
    with folder.open() as game:
        return sheet(game, side, order("bury", card=card(folder, side)))


def block(folder: Folder, side: Side, game: str = "punica", key: str = KEY) -> bytes:
    return sealed_orders(key, game, side, burying(folder, side)).encode()


def mailed(folder: Folder, side: Side, *texts: bytes, number: int = 1, more: str = "") -> Handled:
    return take_in(letter(side, *texts, number=number, more=more), folder.office)


def sheets(folder: Folder) -> dict[Side, int]:
    with folder.open() as game:
        return {side: game.sheets(side) for side in ("red", "blue")}


def refused(handled: Handled) -> str:
    (out,) = handled.letters
    assert not handled.accepted
    return " ".join(read(out).text.split())


def test_a_sealed_sheet_is_carried_out_like_an_open_one(folder: Folder) -> None:
    handled = mailed(folder, "red", b"Hello,\n", block(folder, "red"), b"Regards\n-- \nAnn")
    assert handled.accepted
    assert sheets(folder) == {"red": 1, "blue": 0}
    with folder.open() as game:
        assert game.ledger.sheet("red", 1) == burying(folder, "red")
    assert mailed(folder, "blue", block(folder, "blue")).notes[-1:] == ["punica: adjudication 2"]


def test_an_attached_block_and_a_page_are_opened(folder: Folder) -> None:
    head = "From: {}@example.org\nSubject: Re: punica\nMessage-ID: <{}@example.org>\nMIME-Version: 1.0\n"
    attached = (
        head.format("red", 7)
        + "Content-Type: multipart/mixed; boundary=+\n\n--+\nContent-Type: text/plain\n\nSee there.\n--+\n"
        + 'Content-Type: application/octet-stream; name="o.age"\nContent-Disposition: attachment; filename="o.age"\n\n'
        + f"{block(folder, 'red').decode()}\n--+--\n"
    )
    assert take_in(attached.encode(), folder.office).accepted
    page = f"{head.format('blue', 8)}Content-Type: text/html\n\n<p>So:</p><pre>{block(folder, 'blue').decode()}</pre>"
    assert take_in(page.encode(), folder.office).accepted
    assert sheets(folder) == {"red": 1, "blue": 1}


def test_a_sheet_with_faults_goes_back_to_its_sender_alone(folder: Folder) -> None:
    wrong = burying(folder, "red").replace(b"card: ", b"card: 9")
    handled = mailed(folder, "red", sealed_orders(KEY, "punica", "red", wrong).encode())
    assert not handled.accepted
    assert [out.to for out in handled.letters] == ["red@example.org"]
    assert f"card: 9{card(folder, 'red')}" in read(handled.letters[0]).text


def test_nobody_learns_what_another_has_sealed(folder: Folder) -> None:
    stolen = block(folder, "red")
    text = refused(mailed(folder, "blue", stolen))
    assert "is for the side red of punica, not for blue" in text
    assert f"card: {card(folder, 'red')}" not in text
    assert sheets(folder) == {"red": 0, "blue": 0}
    stranger = letter("red", stolen, sender="eve@example.org", number=3)
    assert "eve@example.org plays no side here" in refused(take_in(stranger, folder.office))
    below = mailed(folder, "blue", burying(folder, "blue"), b"red wrote:\n" + quoted(stolen), number=4)
    assert below.accepted, refused(below)
    assert sheets(folder) == {"red": 0, "blue": 1}


def test_a_block_that_does_not_open_sends_the_whole_letter_back(folder: Folder) -> None:
    whole = block(folder, "red").decode()
    lines = whole.splitlines()
    cut = "\n".join([*lines[:6], *lines[7:]]).encode()
    text = refused(mailed(folder, "red", cut, burying(folder, "red")))
    assert "64 of its " in text
    assert "Nothing of it was carried out" in text
    assert sheets(folder) == {"red": 0, "blue": 0}
    assert mailed(folder, "red", whole.encode(), number=2).accepted
    assert sheets(folder) == {"red": 1, "blue": 0}


def test_a_block_for_another_game_or_side_is_refused(folder: Folder) -> None:
    folder.create(name="gallia", secrets=SECRETS).close()
    other = sealed_orders(recipient_of(new_identity()), "punica", "red", burying(folder, "red")).encode()
    assert "not sealed to the key of punica" in refused(mailed(folder, "red", other))
    elsewhere = sealed_orders(KEY, "italia", "red", burying(folder, "red")).encode()
    assert "for the game italia, in which red@example.org plays no side" in refused(mailed(folder, "red", elsewhere))
    crossed = sealed_orders(KEY, "punica", "red", burying(folder, "blue")).encode()
    assert "sealed for red of punica, but the sheet in it is for blue" in refused(mailed(folder, "red", crossed))
    assert sheets(folder) == {"red": 0, "blue": 0}


def test_a_block_below_talk_is_not_passed_on(folder: Folder) -> None:
    with folder.open() as game:
        assert not game.charter.talks or game.charter.press
    handled = mailed(folder, "red", b"PRESS ALL: good luck\nto you", block(folder, "red"))
    for out in handled.letters:
        if out.to != "red@example.org":
            assert f"card: {card(folder, 'red')}" not in read(out).text
            assert "BEGIN AGE" not in read(out).text


def test_the_same_letter_twice_is_carried_out_once(folder: Folder) -> None:
    raw = letter("red", block(folder, "red"), number=5)
    assert take_in(raw, folder.office).accepted
    assert take_in(raw, folder.office).accepted
    assert sheets(folder) == {"red": 1, "blue": 0}


def test_a_mailbox_with_sealed_orders_accuses_nobody(folder: Folder) -> None:
    """Before the reveal such sheets are left open; after it they are found in the letters that were sent."""
    kept, sent = list[bytes](), list[bytes]()
    for number, side in enumerate(("red", "blue"), 1):
        raw = letter(side, block(folder, side), number=number)
        sent.append(raw)
        kept += [out.content for out in take_in(raw, folder.office).letters]
    letters = [read_letter(str(at), raw) for at, raw in enumerate([*kept, *sent])]
    with folder.open() as game:
        before = verify(game.path, folders=FOLDERS, letters=letters)
        assert (matched(before), before.findings.divergences) == (0, [])
        assert any("2 sheets may have come as sealed orders" in each.text for each in before.findings.checked)
        end_by_game_master(game, "draw", None, "enough")
        after = verify(game.path, folders=FOLDERS, letters=letters)
        assert (matched(after), after.findings.divergences) == (2, [])


def matched(verdict: Verdict) -> int:
    """Return how many sheets were found in letters that were sent."""
    assert verdict.compared is not None
    return verdict.compared.matched


def test_a_letter_with_nothing_but_a_block_is_for_the_games(folder: Folder) -> None:
    """The service that fetches the post looks at letters without any key."""
    opened = open_letter(letter("red", block(folder, "red")))
    assert opened.sealed == ("punica",)
    assert not is_private(opened)
    assert is_private(open_letter(letter("red", b"How are you?")))
