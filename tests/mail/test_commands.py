"""Words in letters: which game is meant, several at once, beside a sheet, and what each is answered."""

from __future__ import annotations

import hashlib
import hmac
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.crypto.seal import recipient_of, salt_of
from pbem.game import yaml as yamlio
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.read.quoting import letter_lines
from pbem.mail.read.sheet_finder import sheets
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import side_report
from pbem.referee.game.open_game import OpenGame, OtherRules
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import blank_pictures
from tests.support.live import OTHERS, SECRETS, Folder, git, give, later, letter, order, quoted, sheet
from tests.support.read_letters import Read, only, read
from tests.support.soak import quick_first

SECRET = SECRETS.identity
KEY = recipient_of(SECRET)
SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of red and blue that has begun."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    folder.create().close()
    return folder


@pytest.fixture
def two(folder: Folder) -> Folder:
    """Return a folder with another game, in which red plays, and blue's side is somebody else's."""
    addresses = {"red": "red@example.org", "blue": "bob@example.net"}
    folder.create(name="gallia", addresses=addresses, secrets=OTHERS).close()
    return folder


def says(folder: Folder, side: str, *parts: str, number: int = 1, **more: str) -> Handled:
    return take_in(letter(side, *(part.encode() for part in parts), number=number, **more), folder.office)


def bare(folder: Folder, *parts: str, subject: str = "Hello", more: str = "") -> Handled:
    """Mail a letter of red that answers none and says no more in its subject than it is given."""
    raw = letter("red", *(part.encode() for part in parts), more=more)
    return take_in(raw.replace(b"Subject: Re: punica", f"Subject: {subject}".encode()), folder.office)


def bury(folder: Folder, side: str) -> str:
    with folder.open() as game:
        return sheet(game, side, order("bury", card=game.view(side).hands[side][0])).decode()


def flat(handled: Handled) -> str:
    return " ".join(" ".join(read(out).text for out in handled.letters).split())


def head(folder: Folder, name: str = "punica") -> str:
    return git(folder.repo(name), "rev-parse", "main")


def key_of(folder: Folder, side: str, name: str = "punica") -> str | None:
    with folder.open(name) as game:
        return game.ledger.joined(side).key


# ---- which game is meant


@pytest.mark.parametrize(
    ("subject", "line", "more"),
    quick_first(
        [
            ("Hello", "game: gallia", ""),
            ("Re: punica", "game: 'gallia'  # not punica", ""),
            ("Re: punica", "", "In-Reply-To: <gallia.red.1@example.org>\n"),
            ("Re: punica", "", "References: <punica.red.1@example.org> <gallia.red.1.sheet-4@example.org>\n"),
            ("Re: punica", "", "In-Reply-To: <welcome.gallia.red@example.org>\n"),
            ("Hello", "", f"In-Reply-To: <faults.gallia.{'a' * 24}@example.org>\n"),
            ("Hello", "", f"References: <{'x' * 9}@example.com> <words.gallia.{'a' * 24}@example.org>\n"),
            ("gallia: my key", "", ""),
            ("Re: AW: Re: Gallia, Turn 3: Which card?", "", ""),
            ("nobody.knows: gallia", "", "In-Reply-To: <punica.red.1@example.com>\n"),
        ],
        4,
    ),
)
def test_game_is_named_by_the_letter_its_thread_or_its_subject(two: Folder, subject: str, line: str, more: str) -> None:
    """The game is the one that the letter names, that it answers, or that its subject begins with."""
    handled = bare(two, *([line] if line else []), f"KEY {KEY}", subject=subject, more=more)
    assert handled.accepted, flat(handled)
    assert (key_of(two, "red"), key_of(two, "red", "gallia")) == (None, KEY)


@pytest.mark.parametrize("word", ["CONSENT", "REFUSE"])
def test_who_consents_says_for_which_game(two: Folder, word: str) -> None:
    more = "In-Reply-To: <punica.red.1@example.org>\n"
    assert only(bare(two, f"{word} gallia 1", more=more)).subject == f"gallia: {word} was not carried out"


def test_command_without_a_game_is_for_the_only_one(folder: Folder) -> None:
    handled = bare(folder, "STATUS")
    assert handled.accepted
    assert only(handled).subject.startswith("punica")


def test_letter_that_names_no_game_is_told_those_of_its_sender(two: Folder) -> None:
    """A letter that names no game is told those of its sender and no others."""
    two.create(name="roma", addresses={"blue": "bob@example.net"}, secrets=OTHERS).close()
    (two.games / "ruined.git").mkdir()
    before = [head(two, name) for name in ("punica", "gallia", "roma")]
    handled = bare(two, "STATUS")
    assert not handled.accepted
    assert only(handled).subject == "Re: Hello"
    assert "You play in gallia and punica." in flat(handled)
    assert "form at the end" not in flat(handled)
    for name in ("STATUS", f"KEY {KEY}", "HELP\nREPORT"):
        handled = says(two, "red", name, sender="mallory@example.com")
        assert "mallory@example.com plays in no game here." in flat(handled)
        assert not re.search("gallia|roma|ruined", flat(handled).replace("punica", "", 1))
    assert [head(two, name) for name in ("punica", "gallia", "roma")] == before


@pytest.mark.parametrize("name", ["gallia", "nowhere"])
def test_nobody_finds_out_by_asking_which_games_there_are(two: Folder, name: str) -> None:
    for text in (f"game: {name}\n\nSTATUS", f"game: {name}\nside: blue\nadjudication: 1\norders: []"):
        handled = says(two, "blue", text)
        assert not handled.accepted
        assert f"There is no game called {name} here in which blue@example.org plays." in flat(handled)


def test_the_words_beside_a_sheet_are_about_its_game(two: Folder) -> None:
    handled = bare(two, f"KEY {KEY}", bury(two, "red"))
    assert handled.accepted
    assert (key_of(two, "red"), key_of(two, "red", "gallia")) == (KEY, None)
    with two.open("gallia") as game:
        other = sheet(game, "red", order("bury", card=game.view("red").hands["red"][0])).decode()
    handled = bare(two, "STATUS", bury(two, "red"), other)
    assert not handled.accepted
    assert "Are its words about punica or gallia?" in flat(handled)
    assert [note for note in handled.notes if "accepted" in note] == [
        "punica: sheet 2 of red accepted",
        "gallia: sheet 1 of red accepted",
    ]


# ---- keys


@pytest.mark.parametrize(
    ("body", "key"),
    quick_first(
        [
            (f"KEY {KEY}", KEY),
            (f"KEY: {KEY}", KEY),
            (f"KEY {SSH} red@laptop", SSH),
            (f"KEY {SSH.replace(' ', chr(10))}", SSH),
            (f"KEY\n{KEY}", KEY),
            (f"Hello,\n\n  KEY {KEY}  \n\nAnn", KEY),
        ],
        2,
    ),
)
def test_a_key_is_put_on_record_however_the_mail_breaks_it(folder: Folder, body: str, key: str) -> None:
    handled = says(folder, "red", body)
    assert handled.accepted
    got = only(handled)
    assert got.subject == "punica: KEY"
    assert "KEY: on record for Red:\n  " + key.replace(" ", "\n  ") in got.text
    assert "pbem open views/red.age --identity KEYFILE" in got.text
    assert max(map(len, got.text.splitlines())) <= 72
    assert key_of(folder, "red") == key
    with folder.open() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        give(game, "red", order("bury", card=game.view("red").hands["red"][0]))
        assert game.ledger.repo.read("views/red.age") is not None
        assert game.ledger.repo.read("views/blue.age") is None


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("", "the key is missing"),
        (SECRET, "this is a secret key, which must never be mailed"),
        (KEY[:-1], "it has 61 characters instead of 62"),
        (KEY[:-1] + ("q" if KEY[-1] != "q" else "p"), "a character in it is wrong"),
        (SSH[:-3], "is not complete: a whole one has 68 characters"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ", "a key of type ssh-rsa cannot be used"),
        ("is under the mat", "this is not a public key"),
    ],
)
def test_bad_key_is_answered_with_the_fault_and_the_right_form(folder: Folder, key: str, reason: str) -> None:
    """A bad key is answered with what is wrong and with what a right one looks like."""
    before = head(folder)
    handled = says(folder, "red", f"KEY {key}".strip())
    assert not handled.accepted
    assert reason in flat(handled)
    assert "A public key is `age1` and 58 more letters" in flat(handled)
    assert SECRET not in flat(handled) + " ".join(handled.notes)
    assert head(folder) == before


# ---- several words, and once


def test_refused_command_keeps_no_other_from_being_carried_out(folder: Folder) -> None:
    """Each command is answered, and one that is refused keeps no other from being carried out."""
    handled = says(folder, "red", "PHRASE too late", f"KEY {KEY}", f"KEY {SSH}", "STATUS\nFORM")
    assert not handled.accepted
    got = only(handled)
    assert got.subject == "punica: PHRASE, KEY, STATUS, FORM"
    parts = got.text.split("\n\n")
    assert [part.split(" ")[0].strip(":\n") for part in parts[:4]] == ["PHRASE", "KEY", "KEY", "punica"]
    assert "The first one counts." in " ".join(parts[2].split())
    assert key_of(folder, "red") == KEY
    assert "FORM: see below." in got.text
    with folder.open() as game:
        form = side_report(game, "red", game.adjudication).sheet
    assert form is not None
    assert got.parts.keys() == {"orders.yaml", "position.txt", "receipt.txt"}
    assert got.parts["orders.yaml"] == form.encode()
    assert f"----- BEGIN ORDERS -----\n{form}----- END ORDERS -----\n" in got.text


def test_words_are_carried_out_once_and_answered_again(folder: Folder) -> None:
    raw = letter("red", f"KEY {KEY}".encode())
    first, then = take_in(raw, folder.office), head(folder)
    says(folder, "red", f"KEY {SSH}", number=2)
    again = take_in(raw, later(folder.office, 1))
    assert key_of(folder, "red") == SSH
    assert [out.name for out in again.letters] == [out.name for out in first.letters]
    assert again.notes == ["punica: red says KEY again"]
    assert head(folder) != then


def test_words_and_sheet_of_one_letter_are_one(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    raw, before = letter("red", f"KEY {KEY}\n".encode(), bury(folder, "red").encode()), head(folder)
    with monkeypatch.context() as patch:
        patch.setattr(Adjudicator, "receive", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            take_in(raw, folder.office)
    assert (key_of(folder, "red"), head(folder)) == (None, before)
    handled = take_in(raw, folder.office)
    assert handled.notes == ["punica: red says KEY", "punica: sheet 1 of red accepted"]
    got = only(handled)
    assert got.text.startswith("KEY: on record for Red:")
    assert got.text.index("KEY: on record") < got.text.index("report 1 to Red") < got.text.index("Your sheet 1 waits")
    then = head(folder)
    assert take_in(raw, folder.office).letters == handled.letters
    assert head(folder) == then


def test_faulty_sheet_keeps_no_command_from_being_carried_out(folder: Folder) -> None:
    """A sheet with faults does not keep the commands from being carried out."""
    handled = says(folder, "red", f"KEY {KEY}", bury(folder, "red").replace("card: ", "card: x"))
    assert not handled.accepted
    (back,) = (read(out) for out in handled.letters)
    assert back.subject == "punica: please correct your orders"
    assert back.text.startswith("KEY: on record for Red:")
    assert key_of(folder, "red") == KEY


def test_words_wait_while_the_rules_here_are_others(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    before, raw = head(folder), letter("red", f"KEY {KEY}".encode())
    with monkeypatch.context() as patch:
        patch.setattr(OpenGame, "differs", "code")
        with pytest.raises(OtherRules):
            take_in(raw, folder.office)
    assert head(folder) == before
    assert take_in(raw, folder.office).accepted


# ---- words above a quoted form


def test_form_quoted_below_commands_is_not_reported(folder: Folder) -> None:
    """Commands above a quoted form are no orders."""
    with folder.open() as game:
        form = side_report(game, "red", game.adjudication).sheet
    assert form is not None
    handled = says(folder, "red", "STATUS\n\npbem wrote:\n\n" + quoted(form).decode())
    assert handled.accepted
    assert "was not carried out" not in flat(handled)
    with folder.open() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
    own = bury(folder, "red").split("orders:\n")[1]
    handled = says(folder, "red", f"NEWS asked\n{own}\npbem wrote:\n\n" + quoted(form).decode(), number=2)
    assert "punica: adjudication 2" in handled.notes
    assert "was not carried out" not in flat(handled), "the form was that of the report answered"


def test_changed_form_quoted_below_commands_is_reported(folder: Folder) -> None:
    with folder.open() as game:
        form = side_report(game, "red", game.adjudication).sheet
    assert form is not None
    changed = re.sub(r"- bury: .*", bury(folder, "red").split("orders:\n")[1].strip(), form)
    handled = says(folder, "red", f"KEY {KEY}\n\npbem wrote:\n\n" + quoted(changed).decode())
    assert "The order sheet in the text that you quote was not carried out" in flat(handled)
    assert (key_of(folder, "red"), handled.notes) == (KEY, ["punica: red says KEY"])


# ---- questions


def test_status_says_where_the_game_stands_and_nothing_secret(folder: Folder) -> None:
    before = head(folder)
    got = only(says(folder, "red", "status"))
    assert got.text.startswith("punica: Three Hills (usual).\nAfter adjudication 1.")
    assert "You are asked: Which card do you bury face down?" in got.text
    with folder.open() as game:
        assert side_report(game, "red", game.adjudication).position.strip() in got.text
        give(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    assert "It waits for Blue." in only(says(folder, "red", "STATUS")).text
    assert got.parts.keys() == {"position.txt", "receipt.txt"}
    assert head(folder) != before


def test_the_report_comes_again_in_full(folder: Folder) -> None:
    for side in ("red", "blue"):
        last = says(folder, side, bury(folder, side))
    told = {out.to: read(out) for out in last.letters}["red@example.org"]
    got = only(says(folder, "red", "REPORT", number=2))
    happened = told.text.partition("WHAT HAPPENED\n")[2].partition("\n\n")[0]
    assert happened
    assert happened in got.text
    with folder.open() as game:
        assert got.text.startswith(side_report(game, "red", game.adjudication - 1).text)
    assert got.subject == told.subject
    kept = {"map.png", "orders.yaml", "position.json", "receipt.txt"}
    assert {name: got.parts[name] for name in kept} == {name: told.parts[name] for name in kept}
    assert got.message["Message-ID"] != told.message["Message-ID"]


def test_the_form_comes_again_until_it_is_answered(folder: Folder) -> None:
    assert "FORM: see below." in only(says(folder, "red", "FORM")).text
    says(folder, "red", bury(folder, "red"), number=2)
    got = only(says(folder, "red", "FORM", number=3))
    assert "FORM: see below." in got.text, "a new sheet may still take the place of the first"
    says(folder, "blue", bury(folder, "blue"), number=4)
    with folder.open() as game:
        asked = bool(game.asked("red"))
    assert ("orders.yaml" in only(says(folder, "red", "FORM", number=5)).parts) == asked


def test_help_brings_the_legend_of_the_game_it_is_about(folder: Folder) -> None:
    for sender, files in (("red@example.org", {"legend.png"}), ("mallory@example.com", set())):
        got = only(says(folder, "red", "HELP", sender=sender))
        assert got.parts.keys() == files


def test_help_needs_no_game_and_names_none(two: Folder) -> None:
    for sender in ("red@example.org", "mallory@example.com"):
        handled = says(two, "red", "HELP", sender=sender)
        assert handled.accepted
        got = only(handled)
        assert got.to == sender
        assert got.subject == "How to play by mail"
        assert re.findall(r"^  ([A-Z]+) ", got.text, re.MULTILINE) == [
            *("STATUS", "REPORT", "FORM", "AGREED", "FORECAST", "HELP"),
            *("NEWS", "NEWS", "NEWS", "STANDING", "WITHDRAW", "RENEW", "ZONE", "CALENDAR", "HISTORY", "HELP"),
            *("SAY", "PRESS", "SHOW", "DEPUTY"),
        ]


@pytest.mark.parametrize("word", ["CONSENT", "REFUSE punica 1"])
def test_where_nothing_is_asked_of_all_nobody_can_consent(folder: Folder, word: str) -> None:
    before = head(folder)
    handled = says(folder, "red", word)
    assert not handled.accepted
    assert f"{word.split()[0]} was not carried out:" in flat(handled)
    assert head(folder) == before


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("KEY to the city\nkey x\nPHRASEs\nA PHRASE", ("KEY to the city",)),
        (f"CHAIN {'ab' * 32}\n500\nHELP", (f"CHAIN {'ab' * 32} 500", "HELP")),
        (f"KEY {SSH}", (f"KEY {SSH}",)),
        ("PHRASE\nthe next line is no phrase", ("PHRASE",)),
        ("PHRASE x\n> PHRASE y\n-- \nPHRASE z", ("PHRASE x",)),
        ("REFUSE\nCONSENT", ("REFUSE", "CONSENT")),
    ],
)
def test_commands_stand_on_a_line_of_the_senders_own(text: str, commands: tuple[str, ...]) -> None:
    assert tuple(map(str, open_letter(letter("red", text.encode())).commands)) == commands


# ---- the receipt


def receipt_of(got: Read) -> tuple[str, str, str]:
    """Return the digest, the command and where it stands, as the receipt of a letter tells them."""
    text = got.parts["receipt.txt"].decode("ascii").replace("\r\n", "\n")
    block, _, check = text.partition("----- END RECEIPT -----\n")
    digest, _ = re.findall(r"^  ([0-9a-f]{64})$", block.partition("sheet: ")[2], re.MULTILINE)
    command = "\n".join(line for line in check.splitlines() if re.match("  (S=|openssl)", line))
    return digest, command, check


def test_a_receipt_tells_what_is_on_record_and_how_to_check_it(folder: Folder, tmp_path: Path) -> None:
    text = bury(folder, "red")
    got = only(says(folder, "red", "Hello,", text, "Ann"))
    digest, command, block = receipt_of(got)
    assert "Your sheet 1 waits to be used, read as | - bury:" in got.text
    assert got.parts["receipt.txt"].startswith(b"Keep this letter: ")
    assert "RECEIPT" not in got.text
    assert "The digest of your sheet 1 will go into the dice." in block
    assert "sheets/red/000/0001.age" in block
    assert got.parts["your-sheet.yaml"].decode() == text
    (tmp_path / "your-sheet.yaml").write_bytes(got.parts["your-sheet.yaml"])
    if shutil.which("openssl"):
        ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=True)
        assert ran.stdout.strip().endswith(f"= {digest}")
    salt = re.findall("S=([0-9a-f]{64})", command)[0]
    assert hmac.new(bytes.fromhex(salt), text.encode(), hashlib.sha256).hexdigest() == digest
    handled = says(folder, "blue", bury(folder, "blue"))
    told = {out.to.partition("@")[0]: read(out) for out in handled.letters}
    assert "Your sheet" not in told["red"].text
    assert "openssl" not in told["red"].parts["receipt.txt"].decode()
    assert "Your sheet 1 went into adjudication 2, read as" in told["blue"].text
    assert "your-sheet.yaml" not in told["red"].parts
    blue, _, block = receipt_of(told["blue"])
    (path,) = re.findall(r"its digest in (\S+)\. Only", block)
    turn = yamlio.read(git(folder.repo("punica"), "show", f"main:{path}").encode(), name=path).value
    assert turn["sheets"] == {
        "red": {"sheets/red/000/0001.age": digest},
        "blue": {"sheets/blue/000/0001.age": blue},
    }


def test_nobody_else_is_told_a_salt(folder: Folder) -> None:
    with folder.open() as game:
        salts = {
            side: salt_of(game.ledger.keys.hidden, f"sheets/{side}/000/0001.age").hex() for side in ("red", "blue")
        }
    handled = [says(folder, side, bury(folder, side)) for side in ("red", "blue")]
    for out in [out for each in handled for out in each.letters]:
        other = "blue" if out.to.startswith("red") else "red"
        assert salts[other] not in read(out).text


def test_a_receipt_is_no_part_of_the_sheet_when_it_is_quoted(folder: Folder) -> None:
    says(folder, "red", bury(folder, "red"))
    handled = says(folder, "blue", bury(folder, "blue"))
    got = {out.to.partition("@")[0]: read(out) for out in handled.letters}["blue"]
    form = got.parts["orders.yaml"].decode()
    for text in (quoted(got.text).decode(), "pbem wrote:\n\n" + got.text):
        (found,) = sheets(text)
        assert found.text == form.replace("# Which card do you bid for the lead? (rule 4)\n", "")
    assert letter_lines(got.text)


# ---- orders without a sheet


REPLY = "In-Reply-To: <punica.red.1@example.org>\n"


def test_what_is_like_an_order_is_not_passed_over(folder: Folder) -> None:
    """Beside an order stands another of a kind that is misspelt: nothing of the letter is carried out."""
    handled = bare(folder, "bury: {card: 1}\nburry: {card: 2}", more=REPLY)
    assert not handled.accepted
    assert "there is no order 'burry'; did you mean bury?" in flat(handled)


def test_orders_ahead_need_no_heading(folder: Folder) -> None:
    assert not bare(folder, "bid: {card: 1}", more=REPLY).accepted
    handled = bare(folder, "ahead: true\nbid: {card: 1}", more=REPLY)
    assert handled.accepted, flat(handled)


def test_key_of_standing_orders_asks_for_no_list(folder: Folder) -> None:
    handled = bare(folder, "standing:\n- bury: default\n", more=REPLY)
    assert handled.accepted, flat(handled)
    assert "STANDING: your standing orders" not in flat(handled)


def test_forecast_of_what_is_no_order_is_answered(folder: Folder) -> None:
    handled = bare(folder, "FORECAST\n\nplan: {card: 1}", more=REPLY)
    assert "there is no sheet in it" in flat(handled)
