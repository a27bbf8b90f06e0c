"""A letter that comes again, whoever sends it and however it has been repacked, counts once; reports go on."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from pbem.audit.verify import verify
from pbem.cli.verbs import app
from pbem.crypto.seal import recipient_of
from pbem.mail.intake import take_in
from pbem.mail.notes.correspondence import REPORTED, note_reported, set_back
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.read.token import without_token
from pbem.mail.tasks import Handled
from pbem.repo.files.charter import Joined
from tests.support.live import SECRETS, Folder, files, give, letter, order, pick, play, sheet
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS


@pytest.fixture
def waiting(folder: Folder) -> Folder:
    """Return a folder with a game that waits for the players' phrases."""
    folder.create(begin=False).close()
    return folder


def sends(folder: Folder, raw: bytes) -> Handled:
    """Take in a letter as `pbem letter` does."""
    return take_in(raw, replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox")))


def ids(folder: Folder) -> dict[str, int]:
    """Return the Message-IDs in the outbox, and how many letters have each."""
    letters = (path.read_bytes() for path in (folder.path / "outbox/new").iterdir())
    found = [without_token(message_from_bytes(each)["Message-ID"]) for each in letters]
    return {each: found.count(each) for each in found}


def joined(folder: Folder, side: str) -> Joined:
    with folder.open() as game:
        return game.ledger.joined(side)


def buries(folder: Folder, side: str, at: int) -> bytes:
    with folder.open() as game:
        return letter(side, sheet(game, side, order("bury", card=game.view(side).hands[side][at])))


def received(raw: bytes) -> bytes:
    return b"Received: from relay.example.net by mx.example.org; Sun, 22 Nov 2026 12:00:00 +0000\n" + raw


def from_a_mailbox(raw: bytes) -> bytes:
    return b"From ann@example.org Sun Nov 22 12:00:00 2026\n" + raw


def with_a_footer(raw: bytes) -> bytes:
    return raw + b"\n\n_______________________________________________\nPunica mailing list\nhttps://example.org/list\n"


def encoded_anew(raw: bytes) -> bytes:
    head, _, body = raw.partition(b"\n\n")
    text = base64.encodebytes(body.replace(b"\n", b"\r\n"))
    return (head + b"\nContent-Transfer-Encoding: base64\n\n" + text).replace(b"\n", b"\r\n")


REPACKED = [received, from_a_mailbox, with_a_footer, encoded_anew]


@pytest.mark.parametrize("named", [True, False], ids=["id", "no-id"])
@pytest.mark.parametrize("repack", quick_first(REPACKED, 2), ids=lambda each: each.__name__)
def test_repacked_letter_undoes_no_newer_phrase_or_key(
    waiting: Folder, repack: Callable[[bytes], bytes], named: bool
) -> None:
    def says(*lines: str) -> bytes:
        raw = letter("red", "\n".join(lines).encode())
        return raw if named else b"\n".join(line for line in raw.split(b"\n") if not line.startswith(b"Message-ID"))

    stolen, new = (recipient_of(each) for each in (SECRETS.identity, SECRETS.office))
    first = says("PHRASE the first", f"KEY {stolen}")
    assert sends(waiting, first).accepted
    assert sends(waiting, says("PHRASE the second", f"KEY {new}")).accepted
    again = sends(waiting, repack(first))
    assert joined(waiting, "red") == Joined("the second", None, new)
    assert any(note.endswith("again") for note in again.notes)


@pytest.mark.parametrize("repack", REPACKED, ids=lambda each: each.__name__)
def test_repacked_letter_undoes_no_correction(folder: Folder, repack: Callable[[bytes], bytes]) -> None:
    folder.create().close()
    first, second = buries(folder, "red", 0), buries(folder, "red", 1)
    sends(folder, first)
    sends(folder, second)
    before = ids(folder)
    handled = sends(folder, repack(first))
    assert "punica: sheet 1 of red was carried out before" in handled.notes
    with folder.open() as game:
        assert game.sheets("red") == 2
    # The answer is the one that the letter had, not the one to the second letter.
    assert ids(folder) == before
    assert len(before) == 2


def test_other_content_under_the_same_message_id_is_refused(waiting: Folder) -> None:
    assert sends(waiting, letter("red", b"PHRASE the first", number=7)).accepted
    other = sends(waiting, letter("red", b"PHRASE the second", number=7))
    assert not other.accepted
    assert joined(waiting, "red").phrase == "the first"
    (reply,) = other.letters
    text = message_from_bytes(reply.content).get_payload(decode=True)
    assert isinstance(text, bytes)
    assert b"same Message-ID" in text
    # Another player's letter may bear the same id.
    assert sends(waiting, letter("blue", b"PHRASE of blue", number=7)).accepted
    assert sends(waiting, letter("red", b"PHRASE the first", number=7)).accepted


def test_letter_taken_in_by_an_earlier_version_counts_once(waiting: Folder) -> None:
    """Earlier versions knew a letter by its bytes."""
    from hashlib import sha256

    raw = letter("red", b"PHRASE the first")
    with waiting.open() as game:
        game.join_side("red", phrase="the first", letter=sha256(raw).hexdigest())
        game.join_side("red", phrase="the second")
    sends(waiting, raw)
    assert joined(waiting, "red").phrase == "the second"


def test_notes_of_letters_are_verified(folder: Folder) -> None:
    folder.create().close()
    sends(folder, buries(folder, "red", 0))
    sends(folder, buries(folder, "blue", 0))
    with folder.open() as game:
        assert len([path for path in files(game.ledger.repo) if path.startswith("letters/")]) == 4
    assert verify(folder.repo("punica"), folders=FOLDERS).findings.sorted == []


def test_older_phrase_resent_is_not_answered_by_the_first_report(waiting: Folder) -> None:
    old = letter("red", b"PHRASE the first")
    for raw in (old, letter("red", b"PHRASE the second"), letter("blue", b"PHRASE of blue")):
        sends(waiting, raw)
    before = ids(waiting)
    sends(waiting, old)
    assert ids(waiting) == before
    assert set(before.values()) == {1}


# ---- the note of what was reported


def test_note_ahead_of_the_game_is_set_back_and_reports_go_on(folder: Folder) -> None:
    folder.create().close()
    note_reported(folder.repo("punica"), 99)
    first = sends(folder, buries(folder, "red", 0))
    assert [note for note in first.notes if "said adjudication 99, but the game stands at 1" in note]
    second = sends(folder, buries(folder, "blue", 0))
    assert not [note for note in second.notes if "adjudication 99" in note]
    assert {"<punica.red.2@example.org>", "<punica.blue.2@example.org>"} <= ids(folder).keys()
    assert REPORTED.read(folder.repo("punica")) == 2


@pytest.mark.usefixtures("in_the_folder")
def test_reports_go_on_after_a_game_was_restored_from_a_copy(folder: Folder, tmp_path: Path) -> None:
    repo, copy = folder.repo("punica"), tmp_path / "copy.git"
    with folder.create() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        shutil.copytree(repo, copy)
        for _ in play(game, 3, 8):
            pass
        note_reported(repo, game.adjudication)
        ahead = game.adjudication
    note = (repo / "pbem.told").read_bytes()
    shutil.rmtree(repo)
    copy.rename(repo)
    (repo / "pbem.told").write_bytes(note)
    with folder.open() as game:
        stands = game.adjudication
        (decision,) = [each for each in game.open_decisions if each.side == "red"]
        (folder.path / "orders.yaml").write_bytes(sheet(game, "red", pick(game, decision, Random(1))))
    result = CliRunner().invoke(app, ["submit", "punica", "orders.yaml", "--side", "red"])
    assert f"said adjudication {ahead}, but the game stands at {stands}. It was set back" in result.stderr
    assert result.stdout.count("Letter: ") == 2
    result = CliRunner().invoke(app, ["adjudicate", "punica"])
    assert "set back" not in result.output


def test_only_a_note_that_is_ahead_is_set_back(tmp_path: Path) -> None:
    assert set_back(tmp_path, 3) is None
    note_reported(tmp_path, 3)
    assert set_back(tmp_path, 3) is None
    assert set_back(tmp_path, 2) is not None
    assert REPORTED.read(tmp_path) == 2
