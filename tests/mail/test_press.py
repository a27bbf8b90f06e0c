"""PRESS and SHOW in letters: which lines are talk, who hears it and how, what sends it back, what a crash leaves."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from functools import partial
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.audit.verify import verify
from pbem.cli.runtime import Shared
from pbem.crypto.keys import Keys
from pbem.mail.answer.every_command import WORDS
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.read.press import Addressed, TalkNames, addressed, press_in
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import MailSettings, side_report
from pbem.mail.write.welcome import welcome_letters
from pbem.referee.acts.talk import MOST
from pbem.referee.game.open_game import CannotPlay
from pbem.repo.files.layout import PRESS
from tests.support.blank import blank_pictures
from tests.support.crash import dies
from tests.support.live import ADDRESSES, Folder, give, letter, order, quoted, sheet
from tests.support.soak import stride
from tests.support.walks import FOLDERS

NAMES = TalkNames(
    {"oak": ["Oak"], "elm": ["Elm", "Elms"], "ash": ["Ash"], "wolves": ["Ewes and Wolves"]}, ("bid", "march"), WORDS
)
EVERY = 61
"""In the quick test, so many calls to the system lie between two deaths."""


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


@pytest.fixture
def office(folder: Folder) -> MailSettings:
    """Return the settings of a game of five sides in which all may talk, also unsigned."""
    folder.create("five", press="free", press_unsigned=True, press_opened=True).close()
    return replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))


def says(office: MailSettings, side: str, text: str, number: int = 0, more: str = "") -> Handled:
    return take_in(letter(side, text.encode(), number=number, more=more), office)


def text_of(content: bytes) -> str:
    return "\n".join(_texts(message_from_bytes(content)))


def _texts(message: Message) -> Iterator[str]:
    for part in message.walk():
        payload = part.get_payload(decode=True)
        if part.get_content_type() == "text/plain" and isinstance(payload, bytes):
            yield payload.decode().replace("\r\n", "\n")


def heard(handled: Handled) -> dict[str, str]:
    """Return the letters of talk, by the sides that they are for."""
    sides = {address: side for side, address in ADDRESSES.items()}
    return {sides[out.to]: text_of(out.content) for out in handled.letters if out.name.startswith("talk.")}


def answer(handled: Handled) -> str:
    return "\n".join(text_of(out.content) for out in handled.letters if not out.name.startswith("talk."))


# ---- which lines are talk


def talk_of(text: str) -> list[tuple[str, int]]:
    return [(each.rest, each.line) for each in press_in(text, WORDS).instructions]


def test_talk_on_one_line_and_below_it() -> None:
    assert talk_of("PRESS elm: Hail!") == [("elm: Hail!", 1)]
    assert talk_of("Hello\n* PRESS elm, ash\nHail!\n\nMarch.\n-- \nOak") == [("elm, ash\nHail!\n\nMarch.", 2)]
    assert talk_of("*PRESS* elm: a\nPRESS ash: b\nSHOW elm: card 3") == [
        ("elm: a", 1),
        ("ash: b", 2),
        ("elm: card 3", 3),
    ]


LONG = "SAY " + "march " * 11 + "on"


def test_say_is_one_line_above_a_sheet() -> None:
    """Only what a mail program has wrapped belongs to it; nothing that may be meant for the referee does."""
    found = press_in("SAY Good luck!\ngame: punica\nside: oak\n", WORDS)
    assert [str(each) for each in found.instructions] == ["SAY Good luck!"]
    assert found.rest.split("\n")[1:] == ["game: punica", "side: oak", ""]
    assert talk_of(f"{LONG}\nto the valley\nMy plan: Yew")[0][0] == f"{LONG[4:]} to the valley"
    for below in ("game: punica", "- bid: {card: 3}", "AGREED", "STATUS", "bid: 3", "> quoted", "PRESS elm: Hm.", "--"):
        assert talk_of(f"{LONG}\n{below}")[0][0] == LONG[4:], below
    assert talk_of("SAY: Hail!\nMy plan") == [("Hail!", 1)]
    assert talk_of("Say what you like\nsay: hm") == []


@pytest.mark.parametrize("text", ["I press on", "press elm: hi", "> PRESS elm: hi", "STATUS", "EXPRESS elm: hi"])
def test_other_lines_are_no_talk(text: str) -> None:
    assert press_in(text, WORDS).instructions == ()
    assert press_in(text, WORDS).rest == text


def test_what_is_quoted_is_never_passed_on() -> None:
    """Below an answer written on top stands the whole report."""
    text = (
        "PRESS elm\nHail!\n\nOn Mon, Nov 23, 2026 at 1:50 AM pbem <pbem@example.org>\nwrote:\n"
        "> Your hand: 1, 2, 3.\n> game: punica\n"
    )
    ((rest, _),) = talk_of(text)
    assert rest == "elm\nHail!"
    ((rest, _),) = talk_of("PRESS elm\nHail!\n\n-----Original Message-----\nFrom: pbem\nYour hand: 1, 2, 3.\n")
    assert rest == "elm\nHail!"
    assert "Your hand" in press_in(text, WORDS).rest


def test_what_a_program_adds_is_not_passed_on() -> None:
    assert talk_of("PRESS elm: Hail!\n\nVon meinem iPhone gesendet\n") == [("elm: Hail!", 1)]
    assert talk_of("PRESS elm: Hail!\nSent from the Yew.") == [("elm: Hail!\nSent from the Yew.", 1)]


def test_end_press_gives_the_rest_of_the_letter_back() -> None:
    found = press_in("PRESS elm\nSTATUS\nEND PRESS\n\nFORM\n", WORDS)
    assert found.rest.split() == ["FORM"]
    assert addressed(found.instructions[0].rest, "oak", NAMES).text == "STATUS"


@pytest.mark.parametrize(
    ("head", "to"),
    [
        ("elm", ("elm",)),
        ("Elm and ASH", ("elm", "ash")),
        ("to Elm & Ash", ("elm", "ash")),
        ("Elms, Ewes and Wolves and Ash", ("elm", "wolves", "ash")),
        ("Ewes", ("wolves",)),
        ("ALL", ("elm", "ash", "wolves")),
        ("elm, elm", ("elm",)),
    ],
)
def test_sides_are_named_as_people_name_them(head: str, to: tuple[str, ...]) -> None:
    assert addressed(f"{head}: Hail!", "oak", NAMES) == Addressed(to, "Hail!")
    assert addressed(f"{head}\nHail!", "oak", NAMES) == Addressed(to, "Hail!")
    assert addressed(f"UNSIGNED {head}: Hail!", "oak", NAMES) == Addressed(to, "Hail!", unsigned=True)


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("birch: hi", "there is no side 'birch'; there are Oak, Elm, Ash, and Ewes and Wolves, and ALL"),
        ("e: hi", "'e' can be Elm or Ewes and Wolves: write which"),
        ("elm, shall we march?", "there is no side 'shall we march.'.* Write the sides, a colon"),
        (": hi", "write to whom"),
        ("", "write to whom"),
        ("elm\nHail!\nAGREED", "the line 'AGREED' below it looks like a command"),
        ("elm: Hail!\n- bid: {card: 3}", "the line '- bid: .card: 3.' below it looks like an order"),
        ("elm: Hail!\ngame: punica\nside: oak\norders:\n- bid: {card: 3}", "looks like an order"),
        ("elm: Hail!\nPHRASE a b c", "the line 'PHRASE a b c' below it looks like a command"),
    ],
)
def test_what_cannot_be_told_is_sent_back(rest: str, reason: str) -> None:
    with pytest.raises(CannotPlay, match=reason):
        addressed(rest, "oak", NAMES)


# ---- letters


def test_talk_comes_as_a_letter_of_its_own(office: MailSettings) -> None:
    handled = says(office, "oak", "PRESS elm, Ash: Shall we march?\nI come with two.\n-- \nAnn, ann@home.example")
    letters = heard(handled)
    assert letters.keys() == {"elm", "ash"}
    for side, other in (("elm", "Ash"), ("ash", "Elm")):
        text = letters[side]
        assert f"From Oak to you, and to {other}:\n\n  : Shall we march?\n  : I come with two.\n" in text
        assert "ann@home" not in text
        assert ADDRESSES["oak"] not in text
    assert "PRESS: passed on to Elm and Ash." in answer(handled)
    for out in handled.letters:
        message = message_from_bytes(out.content)
        if out.name.startswith("talk."):
            assert ADDRESSES["oak"] not in out.content.decode()
            assert not message.is_multipart()
            assert message["References"] is None


def test_say_goes_to_all_and_the_sheet_counts(folder: Folder, office: MailSettings) -> None:
    """To sides before a colon it goes alone, as PRESS does: who mixes up the two tells nobody else."""
    with folder.open() as game:
        own = sheet(game, "oak", order("bid", card=game.view("oak").hands["oak"][0]))
    handled = take_in(letter("oak", b"SAY Good luck: to all!\n\n" + own), office)
    letters = heard(handled)
    assert letters.keys() == {"elm", "ash", "fir", "yew"}
    assert all("  : Good luck: to all!\n" in text for text in letters.values())
    assert not any("card" in text for text in letters.values())
    assert "SAY: passed on to Elm, Ash, Fir and Yew." in answer(handled)
    with folder.open() as game:
        assert game.sheets("oak") == 1
    assert heard(says(office, "elm", "SAY Oak: I saw that", number=2)).keys() == {"oak"}


def test_unsigned_talk_tells_nobody_who_says_it(office: MailSettings) -> None:
    letters = heard(says(office, "oak", "PRESS UNSIGNED ALL\nDeath to Yew."))
    assert letters.keys() == {"elm", "ash", "fir", "yew"}
    assert len({text.replace(ADDRESSES[side], "X") for side, text in letters.items()}) == 1
    for text in letters.values():
        assert "does not say who" in text
        assert "Oak" not in text


def test_html_becomes_text_and_no_attachment_is_passed_on(office: MailSettings) -> None:
    raw = (
        f"From: {ADDRESSES['oak']}\nTo: pbem@example.org\nSubject: Re: punica\nMessage-ID: <h@example.org>\n"
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n"
        "<p>PRESS elm: Shall <b>we</b>&nbsp;march?</p><p>Look<img src='x.png'></p>\n--b\n"
        "Content-Type: text/plain; name=secret.txt\nContent-Disposition: attachment; filename=secret.txt\n\n"
        "my plan\n--b--\n"
    )
    (text,) = heard(take_in(raw.encode(), office)).values()
    assert "  : Shall we march?\n" in text
    assert "<" not in text.replace("<pbem", "")
    assert "my plan" not in text


def test_quoted_words_of_others_command_nothing(folder: Folder, office: MailSettings) -> None:
    """The words stand behind a mark: where a program quotes them without marks they are still no command."""
    said = "PRESS elm\nAGREED\nPHRASE x\ngame: punica\nside: elm\nadjudication: 1\norders:\n- bid: {card: 1}\nEND PRESS"
    (text,) = heard(says(office, "oak", said)).values()
    assert "  : AGREED\n" in text
    opened = open_letter(letter("elm", text.encode()))
    assert opened.enclosures == ()
    assert opened.commands == ()
    handled = says(office, "elm", text)
    with folder.open() as game:
        assert game.sheets("elm") == 0
    assert [out.name.partition(".")[0] for out in handled.letters] == ["chat"]


def test_agreed_in_answer_to_talk_orders_nothing(folder: Folder, office: MailSettings) -> None:
    (out,) = [each for each in says(office, "oak", "PRESS elm: Peace?").letters if each.name.startswith("talk.")]
    own = message_from_bytes(out.content)["Message-ID"]
    more = f"In-Reply-To: {own}\nReferences: {own}\n"
    for text in ("Agreed.", "bid: {card: lowest}"):
        handled = says(office, "elm", f"{text}\n\n{quoted(text_of(out.content)).decode()}", more=more)
        assert not handled.accepted or "was not carried out" in answer(handled)
    handled = says(office, "elm", f"Yes!\n{quoted(text_of(out.content)).decode()}", more=more)
    assert "Begin with the line `PRESS ALL:`" in " ".join(answer(handled).split())
    with folder.open() as game:
        assert game.sheets("elm") == 0


def test_talk_and_a_sheet_in_one_letter(folder: Folder, office: MailSettings) -> None:
    with folder.open() as game:
        text = side_report(game, "oak", 1).sheet or ""
        card = game.view("oak").hands["oak"][0]
        own = sheet(game, "oak").decode() + f"- bid: {{card: {card}}}\n"
    handled = says(office, "oak", f"{own}\nPRESS elm: I bid low.\n\n{quoted(text).decode()}")
    assert heard(handled).keys() == {"elm"}
    with folder.open() as game:
        assert game.sheets("oak") == 1
    handled = says(office, "ash", f"PRESS elm: I bid {card}.\n\n{own}")
    assert heard(handled) == {}
    assert "PRESS was not carried out: line 1: the line" in answer(handled)
    with folder.open() as game:
        assert game.sheets("ash") == 0


def test_shown_card_is_told_to_those_who_may_see_it(folder: Folder, office: MailSettings) -> None:
    with folder.open() as game:
        hand = list(game.view("oak").hands["oak"])
    handled = says(office, "oak", f"SHOW fir: card {hand[2]}\nSHOW yew: card 99")
    letters = heard(handled)
    assert letters.keys() == {"fir"}
    assert f"Oak shows card {hand[2]}." in letters["fir"]
    assert "The referee has seen it there\nafter adjudication 1" in letters["fir"]
    assert "SHOW was not carried out: line 2: card 99 is not in your hand" in answer(handled)
    assert not handled.accepted


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PRESS oak: me", "line 1: you cannot talk to yourself"),
        ("Hi.\nPRESS birch: you", "line 2: there is no side 'birch'"),
        ("PRESS elm: " + "x" * 2049, "line 1: it takes 2,049 bytes"),
        ("SHOW UNSIGNED elm: card 1", "line 1: what is shown is shown by you"),
        ("PRESS elm", "line 1: there is nothing in it to pass on"),
    ],
)
def test_a_fault_names_its_line_and_changes_nothing(
    folder: Folder, office: MailSettings, text: str, reason: str
) -> None:
    handled = says(office, "oak", text)
    assert f"was not carried out: {reason}" in " ".join(answer(handled).split())
    assert heard(handled) == {}
    assert not handled.accepted
    with folder.open() as game:
        assert game.talk.files() == {}


@pytest.mark.slow
def test_the_twenty_first_letter_of_a_day_is_refused(office: MailSettings) -> None:
    for number in range(1, MOST + 1):
        assert heard(says(office, "oak", f"PRESS elm: {number}", number=number))
    handled = says(office, "oak", "PRESS elm: more", number=99)
    assert "20 letters a day" in answer(handled)
    assert heard(handled) == {}


def test_a_letter_that_comes_again_says_nothing_again(folder: Folder, office: MailSettings) -> None:
    """Not even with the footer of a list below it, or once its talk is on record."""
    assert heard(says(office, "oak", "PRESS elm: Hail!", number=7)).keys() == {"elm"}
    for text in ("PRESS elm: Hail!", "PRESS elm: Hail!\n_____\nThe list of Punic wars"):
        handled = says(office, "oak", text, number=7)
        assert heard(handled) == {}
        assert "was passed on before" in answer(handled)
    with folder.open() as game:
        assert [talk.text for talk in game.talk.all()] == ["Hail!"]


def test_a_side_without_address_gets_no_letter(folder: Folder) -> None:
    folder.create("five", press="free", addresses={"oak": ADDRESSES["oak"]}).close()
    assert heard(says(folder.office, "oak", "PRESS ALL: Hail!")) == {}
    with folder.open() as game:
        (talk,) = game.talk.all()
        assert talk.to == ["elm", "ash", "fir", "yew"]


def test_the_first_letter_says_how_to_talk(folder: Folder) -> None:
    for name, press, said in (
        ("free", {"press": "free", "press_unsigned": True}, "Table talk: .* UNSIGNED .* No talk is opened"),
        ("open", {"press": "public", "press_opened": True}, "to all other sides, PRESS ALL:.* Signed talk is opened"),
        ("silent", {"press": "silent"}, "is played in silence"),
        ("none", {}, None),
    ):
        with folder.create("five", name, begin=False, **press) as game:
            text = " ".join(text_of(next(welcome_letters(game, folder.office)).content).split())
        assert ("talk:" in text or "silence" in text) == (said is not None)
        assert said is None or re.search(said, text)


# ---- crashes


def take_in_at(path: Path) -> None:
    """Do what `pbem letter` does with a letter in which red talks to blue, and orders something."""
    from pbem.cli.master import play as desk

    with patch.dict(os.environ, PBEM_KEYS=str(path / "keys")):
        desk.receive_letter(
            path / "red.eml", None, Shared(path / "games", [Path(folder) for folder in FOLDERS], json=True)
        )


def told(path: Path) -> dict[str, int]:
    """Return to whom talk lies in the outbox, and how often; every letter is whole."""
    found: Counter[str] = Counter()
    for file in (path / "games" / "outbox" / "new").glob("talk.*"):
        assert "Shall we march?" in text_of(file.read_bytes())
        found[message_from_bytes(file.read_bytes())["To"]] += 1
    return dict(found)


@pytest.mark.soak
def test_a_crash_loses_no_talk_and_passes_none_on_twice(tmp_path: Path) -> None:
    """Wherever the process dies, the letter is taken in again, and afterwards all is as if it had not died."""
    begun = Folder(tmp_path / "begun")
    with begun.create(press="free", press_opened=True) as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
        give(game, "blue", order("bid", card="lowest"))
        own = sheet(game, "red", order("bid", card="lowest")).decode()
    text = f"PRESS blue\nShall we march?\nEND PRESS\n\n{own}"
    (begun.path / "red.eml").write_bytes(letter("red", text.encode()))
    step = stride(EVERY)
    for at in count(1, step):
        path = tmp_path / str(at)
        shutil.copytree(begun.path, path)
        died = dies(partial(take_in_at, path), at)
        assert not dies(partial(take_in_at, path), 1_000_000)
        assert told(path) == {ADDRESSES["blue"]: 1}, at
        with Folder(path).open() as game:
            assert [talk.text for talk in game.talk.all()] == ["Shall we march?"], at
            assert game.ledger.repo.read(PRESS) is not None
            assert verify(game.path, keys=partial(Keys.load, Folder(path).keys), folders=FOLDERS).findings.sorted == []
        if not died:
            assert at > step
            return
