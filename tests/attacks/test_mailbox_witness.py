"""A player's mailbox as the witness: what a referee told one player is held against the clone that everybody gets."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from email.utils import format_datetime
from pathlib import Path
from random import Random

import pytest

from pbem.cli.runtime import DONE, FAULTS, NOT_PROVEN
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.mail.archive_reader import read_mailbox
from pbem.mail.intake import take_in
from pbem.mail.write import enclosures
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Order
from pbem.referee.acts import ruling
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.form import order_lines
from pbem.render.text.receipt import LetterReceipt, ReceiptedSheet
from tests.support.beacon_rounds import PUBLISHED
from tests.support.blank import blank_pictures
from tests.support.command_line import pbem
from tests.support.live import NOON, Folder, git, letter, pick, quoted, sheet
from tests.support.mailboxes import Mail, verified

FIRST, SECOND = list(PUBLISHED)[:2]
KEY = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

pytestmark = pytest.mark.usefixtures("in_the_folder")


def reasons(clone: Path, mailbox: Path) -> list[str]:
    """Return what is found with a mailbox; without it, nothing is."""
    assert pbem("verify", clone).exit_code == DONE
    return [f"{each['at']}: {each['reason']}" for each in verified(clone, mailbox, FAULTS)["divergences"]]


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


@pytest.fixture
def fresh(folder: Folder, no_pictures: None) -> Mail:
    """Return a game by letters that has just begun."""
    players = [word for side in ("red", "blue") for word in ("--player", f"{side}={side} <{side}@example.org>")]
    assert pbem("new", "punica", "--rules", "toy", *players).exit_code == DONE
    mail = Mail(folder)
    mail.deliver()
    for side in ("red", "blue"):
        mail.write(side, f"PHRASE of {side}".encode())
    return mail


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Mail:
    """Return where the first test that plays a game to its eighth sheet leaves it for the others."""
    return Mail(Folder(tmp_path_factory.mktemp("played") / "once"))


@pytest.fixture
def mail(folder: Folder, played: Mail, no_pictures: None, request: pytest.FixtureRequest) -> Mail:
    """Return a game by letters that has come to its eighth sheet."""
    if played.folder.path.exists():
        shutil.copytree(played.folder.path, folder.path, dirs_exist_ok=True)
        return replace(played, folder=folder)
    fresh: Mail = request.getfixturevalue("fresh")
    fresh.play(8)
    shutil.copytree(folder.path, played.folder.path)
    played.count = fresh.count
    return fresh


# ---- an honest game


@pytest.mark.parametrize("side", ["red", "blue"])
def test_honest_mailbox_has_no_findings(mail: Mail, side: str) -> None:
    mail.write(side, b"STATUS")
    said = verified(mail.clone(), mail.box(side), DONE)
    assert said["divergences"] == []
    letters = said["letters"]
    assert letters["read"] == len(list(mail.box(side).iterdir()))
    assert letters["unreadable"] == []
    assert letters["sheets"] == letters["matched"] > 2
    assert letters["receipts"] > letters["sheets"]


def test_output_counts_letters_and_says_whom_they_convince(mail: Mail) -> None:
    text = pbem("verify", mail.clone(), "--letters", mail.red).stdout
    assert "letters read," in text
    assert "found in letters that were sent" in text
    assert text.startswith("punica: proven, ")
    assert text.splitlines()[-1].startswith("The letters convince you, whose mailbox it is.")


def test_older_letters_are_read_from_their_text(mail: Mail) -> None:
    """Their receipt ends the text of the letter. It is found there, with no file beside it."""
    moved = 0
    for file in mail.red.iterdir():
        raw = file.read_bytes()
        whole = message_from_bytes(raw)
        if whole.is_multipart():
            text = next(part for part in whole.walk() if part.get_content_type() == "text/plain")
            block = raw.partition(b"----- BEGIN RECEIPT")[2].partition(b"----- END RECEIPT -----")[0]
            receipt = b"\r\n----- BEGIN RECEIPT" + block + b"----- END RECEIPT -----\r\n"
            kept = {name: value for name, value in whole.items() if not name.lower().startswith("content-")}
            head = "".join(f"{name}: {value}\r\n" for name, value in {**kept, **dict(text.items())}.items())
            file.write_bytes(f"{head}\r\n{text.get_payload()}".encode() + receipt)
            assert b"filename" not in file.read_bytes()
            moved += 1
    assert moved > 2
    assert verified(mail.clone(), mail.red, DONE)["letters"]["matched"] > 2


def test_without_the_letters_sent_nothing_is_said_of_sheets(mail: Mail) -> None:
    for file in mail.red.iterdir():
        if b"\nFrom: red@" in b"\n" + file.read_bytes():
            file.unlink()
    said = verified(mail.clone(), mail.red, NOT_PROVEN)
    assert (said["letters"]["matched"], said["divergences"]) == (0, [])
    (left,) = [each for each in said["checked"] if each["looked"] == "not checked"]
    assert "no sheet that red sent is here" in left["text"]


def both_are_asked(mail: Mail) -> bool:
    with mail.folder.open() as game:
        return {each.side for each in game.open_decisions} == {"red", "blue"}


@pytest.mark.slow
def test_honest_game_master_has_no_findings(mail: Mail, tmp_path: Path) -> None:
    """A game with rulings, a rollback by consent, a deadline that has passed, and a sheet that was replaced."""
    with mail.folder.open() as game:
        side = game.open_decisions[0].side
        (tmp_path / "answer.yaml").write_bytes(some_sheet(game, side, 1))
        to = game.adjudication - 1
    because = ("--reason", "the mail is down")
    assert pbem("ruling", "punica", "--answer", f"{side}={tmp_path / 'answer.yaml'}", *because).exit_code == DONE
    assert pbem("rollback", "punica", "--to", to).exit_code == DONE
    mail.deliver()
    for side in ("red", "blue"):
        mail.write(side, b"CONSENT punica 1")
    while not both_are_asked(mail):
        mail.play(1)
    with mail.folder.open() as game:
        acts = [game.ledger.public_turn(n).get("act", {}).get("kind") for n in range(to + 2, game.adjudication + 1)]
        assert {"ruling", "rollback"} <= set(acts)
        sheets = [some_sheet(game, "red", seed) + b"# %d\n" % seed for seed in (1, 2)]
    for text in sheets:
        mail.write("red", text)
    late = [word for side in ("red", "blue") for word in ("--late", side)]
    assert pbem("adjudicate", "punica", *late).exit_code == DONE
    mail.deliver()
    mail.play(3)
    for side in ("red", "blue"):
        mail.write(side, b"REPORT")
        said = verified(mail.clone(), mail.box(side), DONE)
        assert said["letters"]["sheets"] == said["letters"]["matched"]
        assert "untold" not in [each["subject"] for each in said["checked"]]


@pytest.mark.slow
def test_words_that_hand_in_a_sheet_are_witnesses(mail: Mail) -> None:
    """The record has the sheet that a word stands for, and the letter that was sent has the word."""
    while not both_are_asked(mail):
        mail.play(1)
    with mail.folder.open() as game:
        text = some_sheet(game, "red", 1)
    mail.write("red", text + b"standing:\n- react: {card: none}\n- assault: {hold: true}\n")
    mail.write("red", b"WITHDRAW")
    mail.write("red", b"STANDING CANCEL 2", kept=False)
    mail.write("red", text)
    mail.play(2)
    (reason,) = reasons(mail.clone(), mail.red)
    assert "none of the" in reason, "the letter with STANDING CANCEL 2 is missing here"
    mail.keep("red", letter("red", b"STANDING CANCEL 2", number=mail.count))
    said = verified(mail.clone(), mail.red, DONE)
    assert said["letters"]["sheets"] == said["letters"]["matched"]


DRESSES = {
    "as it should be": "{sheet}",
    "put right": "Game: punica\nSide: RED\nAdjudication: {number}\nMy orders\n1) {Kind} {body}\n",
    "one line": "orders: punica red {number} {kind} {body}",
    "forum tags": "Here you are.\n[code]\n{sheet}[/code]",
    "web page": "<p>Hello</p><div>{breaks}</div>",
    "quoted and mended": "On Sunday, pbem wrote:\n\n{quoted}",
    "no heading": "I will risk it.\n\n{kind}: {body}\n\nBest, Ann",
    "a bullet and a capital": "* {Kind} {body}",
    "in braces": "Hello,\n- {{{kind}: {body}}}\nAnn",
    "quoted without a heading": "On Sunday, pbem wrote:\n\n> - {kind}: {body}\n",
    "agreed": "AGREED\n\nAnn",
    "agreed again": "Agreed.",
    "agreed, quoting": "AGREED\n\nOn Sunday, pbem wrote:\n\n{form}",
}
"""The ways in which people hand in their orders: the text of a letter."""


def dressed(mail: Mail, dress: str) -> bytes:
    """Return a letter of red that answers the last report in one of these ways; red is asked for one order."""
    with mail.folder.open() as game:
        (asked,) = [each for each in game.open_decisions if each.side == "red"]
        chosen = pick(game, asked, Random(3)) if asked.kind == "bid" else Order(asked.kind, asked.default or {})
        plain = sheet(game, "red", chosen).decode()
        form = side_report(game, "red", game.adjudication - 1).sheet or ""
        number = game.adjudication
    body = "".join(order_lines(chosen.kind, chosen.body)).partition(": ")[2]
    words = {"kind": chosen.kind, "Kind": chosen.kind.capitalize(), "body": body, "number": number, "sheet": plain}
    more = {"quoted": quoted(plain).decode(), "form": quoted(form).decode(), "breaks": plain.replace("\n", "<br>\n")}
    raw = letter(
        "red",
        DRESSES[dress].format(**words, **more).encode(),
        number=1000 + mail.count,
        more=f"Date: {format_datetime(NOON)}\nIn-Reply-To: <punica.red.{number}@localhost>\n",
    )
    return raw.replace(b"text/plain", b"text/html") if dress == "web page" else raw


WORN = [
    pytest.param(list(DRESSES)[::4], id="some"),
    pytest.param(list(DRESSES)[::2], id="one half", marks=pytest.mark.slow),
    pytest.param(list(DRESSES)[1::2], id="the other half", marks=pytest.mark.slow),
]
"""A game of the toy is too short for all of them."""
PUT_DOWN = ["no heading", "a bullet and a capital", "agreed", "agreed again"]


@pytest.fixture
def worn(fresh: Mail, request: pytest.FixtureRequest) -> dict[str, Path]:
    """Let red hand in an order in some of the ways, and return where red keeps the letters."""
    sent = {}
    for dress in request.param:
        until_asked_with_default(fresh)
        file = fresh.send("red", dressed(fresh, dress))
        assert file is not None
        sent[dress] = file
    return sent


def until_asked_with_default(fresh: Mail) -> None:
    """Let the players hold their hills, so that the game lasts, until red is asked for what has a default."""
    while True:
        with fresh.folder.open() as game:
            asked = game.open_decisions[0]
            default = next((each.default for each in game.open_decisions if each.side == "red"), None)
            chosen = pick(game, asked, Random(1)) if asked.default is None else Order(asked.kind, asked.default)
            text = sheet(game, asked.side, chosen)
        if default is not None:
            return
        fresh.write(asked.side, text)


@pytest.mark.parametrize("worn", WORN, indirect=True)
def test_orders_in_every_dress_came_from_their_player(fresh: Mail, worn: dict[str, Path]) -> None:
    """Without its letter the sheet is made up, also where an earlier letter has the same words."""
    said = verified(fresh.clone(), fresh.red, DONE)
    assert said["letters"]["sheets"] == said["letters"]["matched"] >= len(worn)
    for dress, file in worn.items():
        raw = file.read_bytes()
        file.unlink()
        (found,) = verified(fresh.clone(), fresh.red, FAULTS)["divergences"]
        assert "that red sent has that sheet. It was made up or changed" in found["reason"], dress
        file.write_bytes(raw)


@pytest.mark.slow
@pytest.mark.parametrize("worn", [PUT_DOWN], indirect=True, ids=[""])
def test_words_below_a_sheet_that_no_letter_has_are_found(fresh: Mail, worn: dict[str, Path]) -> None:
    """The letters are there, but they say other things than the record has them say."""
    for dress, old, new in (
        ("no heading", b"I will risk it.", b"I will not:"),
        ("a bullet and a capital", b"* ", b"I will not play "),
        ("agreed again", b"Agreed.", b"STATUS"),
        ("agreed", b"In-Reply-To: <punica.red.", b"In-Reply-To: <punica.red.9"),
        ("no heading", b"In-Reply-To: <punica.red.", b"In-Reply-To: <punica.red.9"),
    ):
        raw = worn[dress].read_bytes()
        assert old in raw
        worn[dress].write_bytes(raw.replace(old, new))
        harmless = (dress, old) == ("no heading", b"I will risk it.")
        found = verified(fresh.clone(), fresh.red, DONE if harmless else FAULTS)["divergences"]
        assert len(found) == (0 if harmless else 1), (dress, old)
        worn[dress].write_bytes(raw)


@pytest.mark.slow
def test_a_letter_stands_for_one_sheet(fresh: Mail) -> None:
    """A letter that shows no report that it answers cannot be used a second time."""
    until_asked_with_default(fresh)
    fresh.keep(
        "red", letter("red", b"- assault: {hold: true}\n- bid: {card: lowest}\n- react: {card: none}", number=999)
    )
    for kept in (True, False):
        until_asked_with_default(fresh)
        with fresh.folder.open() as game:
            (asked,) = [each for each in game.open_decisions if each.side == "red"]
            (line,) = order_lines(asked.kind, asked.default or {})
            report = f"In-Reply-To: <punica.red.{game.adjudication}@localhost>\n"
        raw = letter("red", line.encode(), number=1000 + fresh.count, more=report)
        fresh.send("red", raw, kept=False)
        found = verified(fresh.clone(), fresh.red, DONE if kept else FAULTS)["divergences"]
        assert len(found) == (0 if kept else 1)


def test_mailbox_without_receipts_shows_nothing(mail: Mail, tmp_path: Path) -> None:
    (tmp_path / "other.eml").write_bytes(letter("red", b"hello"))
    ran = pbem("verify", mail.clone(), "--letters", tmp_path / "other.eml")
    assert ran.exit_code == NOT_PROVEN
    assert (
        "  ?       letters  1 letter read, none with a receipt of this game: there is nothing to compare" in ran.stdout
    )


# ---- the frauds


def last_told(mail: Mail) -> LetterReceipt:
    """Return the receipt in the last letter to red."""
    return [receipt for each in read_mailbox(mail.red) for receipt in each.receipts][-1]


def head(folder: Folder) -> str:
    return git(folder.repo("punica"), "rev-parse", "main").strip()


def some_sheet(game: Adjudicator, side: str, seed: int) -> bytes:
    """Return a legal sheet of a side."""
    random = Random(seed)
    return sheet(game, side, *(pick(game, each, random) for each in game.open_decisions if each.side == side))


def for_red(mail: Mail, seed: int) -> bytes:
    """Return a sheet of red, once red is asked for one."""
    while True:
        with mail.folder.open() as game:
            if any(each.side == "red" for each in game.open_decisions):
                return some_sheet(game, "red", seed)
        mail.play(1)


@pytest.mark.slow
def test_two_games_are_told_apart_by_turn_and_commit(mail: Mail) -> None:
    """The referee plays two branches of one game, and the public gets the one that red never saw."""
    other = mail.branch()
    mail.play(4, seed=2)
    with other.open() as game:
        for seed in range(3, 9):
            side = game.open_decisions[0].side
            game.receive(side, some_sheet(game, side, seed))
            game.adjudicate()
        commits = game.ledger.commits()
    n, digest = last_told(mail).turns[-1]
    found = reasons(mail.clone(other), mail.red)
    (reason,) = [each for each in found if each.startswith(f"turn {n}:") and digest in each]
    assert re.search(
        r'the letter ".*punica.*" of 2026-.* UTC, <punica\.red\..*>, in red/\d+\.eml, names turn file', reason
    )
    assert f"brought by commit {commits[n]}: these are two games, or the turn was changed" in reason
    ours = {each.commit for letter in read_mailbox(mail.red) for each in letter.receipts if (n, digest) in each.turns}
    assert any(f"at commit {commit}; here" in reason for commit in ours)


def test_game_that_was_made_again_has_another_tip(mail: Mail, folder: Folder) -> None:
    shutil.rmtree(folder.games)
    shutil.rmtree(folder.keys)
    with folder.create() as again:
        tip = again.charter.dice.tip
    (reason,) = reasons(mail.clone(), mail.red)
    assert 'the letter "punica: you play Red. Please send a phrase" of ' in reason
    assert f"the tip of this game is {tip}: it is another game, or was made again" in reason


def test_turns_that_were_cut_off_are_named_with_their_letter(mail: Mail) -> None:
    with mail.folder.open() as game:
        last, commits = game.adjudication, game.ledger.commits()
    found = reasons(mail.clone(at=commits[last - 1]), mail.red)
    (reason,) = [each for each in found if each.startswith(f"turn {last}:")]
    assert "punica" in reason.partition("the letter ")[2].partition(" of ")[0]
    assert f"at commit {commits[last]}" in reason
    assert f"this clone ends with turn {last - 1}, at commit {commits[last - 1]}." in reason


def test_commits_that_were_cut_off_are_named_with_their_letter(mail: Mail) -> None:
    """A letter may tell of no new turn, but name a commit that the clone lacks."""
    before = head(mail.folder)
    mail.write("red", f"KEY {KEY}".encode())
    (reason,) = reasons(mail.clone(at=before), mail.red)
    assert reason.startswith(f'commit {head(mail.folder)[:12]}: the letter "punica: KEY" of ')
    assert f"the clone ends at commit {before}" in reason


def test_sheet_that_was_never_sent_is_found(mail: Mail) -> None:
    """The referee writes a sheet in the name of red, and takes it in like any other."""
    mail.write("red", for_red(mail, 9), kept=False)
    mail.play(1)
    clone = mail.clone()
    (reason,) = reasons(clone, mail.red)
    assert re.match(
        r'sheets/red/000/\d+\.age: the letter ".*punica.*@localhost>, in red/\d+\.eml, written at commit ', reason
    )
    assert "says that it came from red and has the digest" in reason
    assert "made up or changed, or the letter with it is missing here" in reason
    (place,) = verified(clone, mail.red, FAULTS)["divergences"]
    assert git(clone, "log", "--format=%H", "--diff-filter=A", "main", "--", place["file"]).strip() == place["commit"]


def test_sheet_that_no_letter_admits_is_found(mail: Mail, monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee leaves a made-up sheet out of the receipts."""
    whole, text = enclosures.receipt_of, for_red(mail, 9)
    monkeypatch.setattr(enclosures, "receipt_of", lambda *words, **more: replace(whole(*words, **more), sheets=()))
    mail.write("red", text, kept=False)
    mail.play(2)
    monkeypatch.setattr(enclosures, "receipt_of", whole)
    found = [each for each in reasons(mail.clone(), mail.red) if "does not say that such a sheet was taken in" in each]
    assert re.match(
        r"turn \d+: it used sheets/red/000/\d+\.age, and was brought by commit [0-9a-f]{40}; the letter ", found[0]
    )


@pytest.fixture
def lost(mail: Mail) -> tuple[Mail, Folder, ReceiptedSheet]:
    """Return a game in which red has just sent a sheet, a branch of it without that sheet, and its receipt."""
    text = for_red(mail, 9)
    branch = mail.branch()
    mail.write("red", text)
    with mail.folder.open() as game:
        number = game.sheets("red")
    receipt = next(sheet for sheet in last_told(mail).sheets if sheet.number == number)
    return mail, branch, receipt


@pytest.mark.slow
def test_sheet_that_was_lost_after_its_receipt_is_found(lost: tuple[Mail, Folder, ReceiptedSheet]) -> None:
    """The referee takes a sheet in, does not like it, and answers in its place."""
    mail, branch, receipt = lost
    with branch.open() as game:
        text = some_sheet(game, "red", 11)
        ruling.answer_for_side(game, "red", text, "no sheet came in time")
        end = game.ledger.repo.head
    (reason,) = [each for each in reasons(mail.clone(branch), mail.red) if each.startswith(receipt.path)]
    assert "punica" in reason.partition("the letter ")[2].partition(" of ")[0]
    assert f"says that it was taken in with the digest {receipt.digest}; no commit up to {end} has it" in reason
    assert last_told(mail).commit in reason


def test_sheet_with_another_content_is_found(lost: tuple[Mail, Folder, ReceiptedSheet]) -> None:
    """The referee puts another sheet under the number that a letter has receipted."""
    mail, branch, receipt = lost
    with branch.open() as game:
        assert game.receive("red", some_sheet(game, "red", 11) + b"# another\n").number == receipt.number
        while not (made := game.adjudicate()):
            game.receive("blue", some_sheet(game, "blue", 11))
        used = game.ledger.public_turn(made[0])["sheets"]["red"][receipt.path]
        commit = game.ledger.commits()[made[0]]
    (reason,) = [each for each in reasons(mail.clone(branch), mail.red) if each.startswith(receipt.path)]
    assert "punica" in reason.partition("the letter ")[2].partition(" of ")[0]
    assert f"with the digest {receipt.digest}; turn {made[0]}, brought by commit {commit}, used one" in reason
    assert f"with the digest {used}" in reason


# ---- closings


@pytest.fixture
def closed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Mail:
    """Return a game with the beacon in which round SECOND has decided adjudication 2."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    mail = Mail(folder)
    folder.create(begin=False, beacon="drand").close()
    for round in (FIRST, SECOND):
        office = replace(folder.office, now=time_of(round) - PATIENCE)
        for side in ("red", "blue"):
            with folder.open() as game:
                text = some_sheet(game, side, 1) if game.begun else f"game: punica\nPHRASE of {side}".encode()
            raw = letter(side, text, number=mail.count)
            mail.keep(side, raw)
            for out in take_in(raw, office).letters:
                mail.keep(out.to.partition("@")[0], out.content)
        assert pbem("beacon", "punica", round, PUBLISHED[round]).exit_code == DONE
        mail.deliver()
    return mail


def closing_letter(mail: Mail) -> Path:
    """Return the letter to red that says that the sheets are closed until round SECOND."""
    (file,) = [
        file for file in mail.red.iterdir() if f"\nclosed: 2 {SECOND}".encode() in file.read_bytes().replace(b"\r", b"")
    ]
    return file


def test_closings_in_time_have_no_findings(closed: Mail) -> None:
    said = verified(closed.clone(), closed.red, DONE)
    (checked,) = [each for each in said["checked"] if each["subject"] == "closings"]
    assert checked["text"] == "2 closings told of, each before its round was published"


def test_closing_that_comes_after_its_round_is_late(closed: Mail) -> None:
    """The referee dates the letter back, but the server of red says when it came."""
    file = closing_letter(closed)
    came = time_of(SECOND) + timedelta(minutes=5)
    stamp = f"Received: from mx.example.org by mail.example.com; {format_datetime(came)}\r\n".encode()
    signed = b"DKIM-Signature: v=1; a=rsa-sha256; d=Referee.example.net; s=mail; b=abc=\r\n"
    file.write_bytes(stamp + signed + file.read_bytes())
    clone = closed.clone()
    (reason,) = reasons(clone, closed.red)
    assert reason.startswith('turn 2: the letter "punica: the sheets are closed" of ')
    assert f"arrived {came:%Y-%m-%d %H:%M:%S} UTC" in reason
    assert "with an unchecked DKIM signature of referee.example.net" in reason
    assert "the round was published before" in reason
    (place,) = verified(clone, closed.red, FAULTS)["divergences"]
    assert place["commit"] in git(clone, "log", "--format=%H", "--grep", "adjudication 2", "main")


@pytest.mark.slow
def test_closing_that_no_letter_told_of_is_found(closed: Mail) -> None:
    closing_letter(closed).unlink()
    (reason,) = reasons(closed.clone(), closed.red)
    assert reason.startswith('turn 2: the letter "Your move in punica')
    assert f"says that round {SECOND} decided it; no letter here says before" in reason


@pytest.mark.slow
def test_closing_of_other_sheets_is_found(closed: Mail) -> None:
    """The letter has the digest of other sheets than those that the turn used."""
    file = closing_letter(closed)
    raw = file.read_bytes()
    with closed.folder.open() as game:
        beacon = game.ledger.closing()
    assert beacon is not None
    file.write_bytes(raw.replace(beacon.closed.encode(), b"0" * 64))
    found = reasons(closed.clone(), closed.red)
    commit = git(closed.clone(), "log", "--format=%H", "--grep", "sheets closed for adjudication 2", "main").strip()
    assert any(f"{'0' * 64} for what is closed, but commit {commit} closed {beacon.closed} " in each for each in found)


def test_a_game_begun_with_other_rules_than_its_letters_say(mail: Mail) -> None:
    """Every letter names the digest of the file with the rules of the beginning; here all of them name another."""
    with mail.folder.open() as game:
        digest = game.ledger.pins_digest.encode()
    changed = 0
    for file in mail.red.iterdir():
        content = file.read_bytes()
        changed += digest in content
        file.write_bytes(content.replace(digest, b"ab" * 32))
    assert changed
    (said,) = [each for each in reasons(mail.clone(), mail.red) if "names the digest " in each]
    assert f"names the digest {'ab' * 32} for it; that of this game is {digest.decode()}: it was begun" in said
