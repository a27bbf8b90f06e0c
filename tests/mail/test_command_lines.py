"""The words of the post in every dress: which lines are commands, and which are talk."""

from __future__ import annotations

import pytest

from pbem.crypto.seal import recipient_of
from pbem.mail.answer.every_command import WORDS
from pbem.mail.intake import take_in
from pbem.mail.read.commands import commands_in
from pbem.mail.write.welcome import welcome_letters
from tests.support.live import SECRETS, Folder, letter, quoted
from tests.support.read_letters import read

KEY = recipient_of(SECRETS.identity)
TIP = "ab" * 32


def said(text: str, subject: str = "Re: punica", *, sheets: bool = False) -> list[str]:
    return [str(each) for each in commands_in(WORDS, subject, text.split("\n"), sheets=sheets).instructions]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("PHRASE the die is cast", ["PHRASE the die is cast"]),
        ("*PHRASE* the die is cast", ["PHRASE the die is cast"]),
        ("**PHRASE the die is cast**", ["PHRASE the die is cast"]),
        ("“PHRASE the die is cast”", ["PHRASE the die is cast"]),
        ("`PHRASE the die is cast`", ["PHRASE the die is cast"]),
        ("PHRASE “the die is cast”", ["PHRASE “the die is cast”"]),
        ("- PHRASE: the die is cast", ["PHRASE the die is cast"]),
        ("1. PHRASE the die is cast", ["PHRASE the die is cast"]),
        ("Phrase: the die is cast", ["PHRASE the die is cast"]),
        ("phrase : the die is cast", ["PHRASE the die is cast"]),
        ("*Phrase:* the die is cast", ["PHRASE the die is cast"]),
        ("Phrase：the die is cast", ["PHRASE the die is cast"]),
        ("phrase the die is cast", ["PHRASE the die is cast"]),
        ("phrase the die is cast\nNews asked", ["PHRASE the die is cast", "NEWS asked"]),
        ("phrase the die is cast\n\nSent from my iPhone", ["PHRASE the die is cast"]),
        ("phrase the die is cast\n\nOn Sun, Nov 22, 2026 Bob <bob@example.org> wrote:", ["PHRASE the die is cast"]),
        ("phrase the die is cast\n\nOn Sun, Nov 22, 2026 Bob <b@example.org>\nwrote:", ["PHRASE the die is cast"]),
        ("Hello,\nphrase the die is cast", []),
        ("Phrase books are of no use here.\nI shall write tomorrow.", []),
        ("Status", ["STATUS"]),
        ("*status*", ["STATUS"]),
        ("“Status?”", ["STATUS"]),
        ("- Report.", ["REPORT"]),
        ("Report from the front: all is well", []),
        ("Help is what I need", []),
        (f"key {KEY}", [f"KEY {KEY}"]),
        (f"Key: {KEY}", [f"KEY {KEY}"]),
        (f"* `KEY {KEY}`", [f"KEY {KEY}"]),
        ("key points of my plan: none", []),
        ("Key: the bridge at Capua", []),
        (f"chain {TIP} 500", [f"CHAIN {TIP} 500"]),
        (f"Chain: {TIP}\n500", [f"CHAIN {TIP} 500"]),
        ("Chain of command", []),
        ("consent punica 1", ["CONSENT punica 1"]),
        ("Consent: 1", ["CONSENT 1"]),
        ("consent is given", []),
        ("Refuse punica 2", ["REFUSE punica 2"]),
        ("Refuse to believe it, but well done", []),
        ("REFUSE", ["REFUSE"]),
    ],
)
def test_a_command_is_known_in_any_dress(text: str, commands: list[str]) -> None:
    assert said(text) == commands


def test_subject_may_be_a_command() -> None:
    assert said("Hello", "Status") == ["STATUS"]
    assert said("Hello", "Phrase: alea iacta est") == ["PHRASE alea iacta est"]
    assert said("Hello", "PHRASE alea iacta est") == ["PHRASE alea iacta est"]


def test_phrase_in_small_letters_beside_a_sheet_is_talk() -> None:
    assert said("phrase of the day", sheets=True) == []


def test_lines_that_only_begin_like_a_command_are_unclear() -> None:
    found = commands_in(WORDS, "Hi", ["Hello,", "phrase of mine", "status please"])
    assert found.instructions == ()
    assert found.unclear == ("phrase of mine", "status please")


# ---- in a letter


@pytest.fixture
def waiting(folder: Folder) -> Folder:
    """Return a folder with a game that waits for the phrases of both sides."""
    folder.create(begin=False).close()
    return folder


def welcome(folder: Folder) -> str:
    with folder.open() as game:
        return read(next(iter(welcome_letters(game, folder.office)))).text


def test_phrase_filled_in_where_our_letter_is_quoted_counts(waiting: Folder) -> None:
    text = quoted(welcome(waiting).replace("any words of yours", "alea iacta est"))
    handled = take_in(letter("red", b"pbem wrote:\n" + text), waiting.office)
    assert handled.accepted
    with waiting.open() as game:
        assert game.ledger.joined("red").phrase == "alea iacta est"


def test_answer_to_a_welcome_is_told_what_to_write(waiting: Folder) -> None:
    """Before the first report nobody is told of its form."""
    for body in (b"Alea iacta est!", b"Thank you, I look forward to it.\n\npbem wrote:\n" + quoted(welcome(waiting))):
        handled = take_in(letter("red", body), waiting.office)
        assert not handled.accepted
        (out,) = handled.letters
        text = " ".join(read(out).text.split())
        assert "The game has not begun: it waits for a phrase from you and Blue." in text
        assert "PHRASE any words of yours" in text
        assert "last report" not in text


def test_unclear_line_is_answered_with_what_to_write(waiting: Folder) -> None:
    handled = take_in(letter("red", b"Hello,\n\nphrase alea iacta est\n\nAnn"), waiting.office)
    assert not handled.accepted
    (out,) = handled.letters
    assert "| phrase alea iacta est" in read(out).text
    assert "in capitals at the start of its line" in " ".join(read(out).text.split())


def test_unclear_line_beside_a_command_is_answered_too(waiting: Folder) -> None:
    handled = take_in(letter("red", b"Hello,\n\nphrase alea iacta est\nNEWS asked\n\nAnn"), waiting.office)
    assert handled.accepted
    (out,) = handled.letters
    assert "NEWS: you are told" in read(out).text
    assert "| phrase alea iacta est" in read(out).text


def test_answers_of_ours_are_no_commands_when_they_are_quoted(waiting: Folder) -> None:
    for side in ("red", "blue"):
        last = take_in(letter(side, b"PHRASE alea iacta est"), waiting.office)
    answer = {out.to: read(out).text for out in last.letters}["blue@example.org"]
    assert "PHRASE: on record for Blue: alea iacta est" in answer
    handled = take_in(letter("blue", b"Thanks!\n\npbem wrote:\n" + quoted(answer), number=7), waiting.office)
    assert not handled.accepted
    assert "PHRASE was not carried out" not in "".join(read(out).text for out in handled.letters)


def test_log_says_whom_the_game_waits_for(waiting: Folder) -> None:
    log = take_in(letter("red", b"Phrase: alea iacta est"), waiting.office).log
    assert log == ["punica: letter of red: PHRASE; it waits for a phrase from blue"]
    log = take_in(letter("red", b"Hello"), waiting.office).log
    assert log == ["punica: letter of red: nothing was found in it; it waits for a phrase from blue"]
