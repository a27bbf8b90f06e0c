"""Whose words a line of a letter is, where it only looks like something that a mail program has set there."""

from __future__ import annotations

import pytest

from pbem.mail.inbox import open_letter
from pbem.mail.read.html_text import text_of
from pbem.mail.read.letter import Letter
from pbem.mail.read.quoting import letter_lines
from tests.support.mail_programs import FORM, PLAY, plain

SHEET = "game: acre\nside: elm\nadjudication: 4\norders:\n"


def own(text: str) -> list[str]:
    """Return the lines of a text that count as its sender's."""
    return [line.text for line in letter_lines(text) if line.text and not line.depth]


@pytest.mark.parametrize(
    "line",
    [
        "--- Rather this: ---",
        "---- Turn 2, second try ----",
        "Oops, what I meant when I wrote:",
        "As I wrote at 12:05 on 22 Nov 2026:",
        "wie ich schrieb:",
        "The last letter of Bob says what he wrote:",
        "From: Agrigentum\nTo: Enna\nCU: 8",
        "From: Agrigentum\nVia: Messana\nTo: Enna\nDate: next turn",
        "Von: Rom\nNach: Pisa\nMit: 3 CU",
    ],
)
def test_what_only_looks_like_an_old_letters_head_is_own(line: str) -> None:
    assert own(f"bury: {{card: 3}}\n\n{line}\nbury: {{card: 4}}")[-1] == "bury: {card: 4}"


@pytest.mark.parametrize(
    "head",
    [
        "-----Original Message-----",
        "-------- Forwarded Message --------\nSubject: acre\nDate: Sun, 22 Nov 2026 18:00",
        "--- Az eredeti ---\nFeladó: Referee <pbem@example.org>\nTárgy: acre",
        "From: Ann\nSent: Sunday\nTo: pbem\nSubject: acre",
        "From: Ann <ann@example.org>\nTo: pbem\nCc: Bob",
        "On Sun, 22 Nov 2026 at 18:00, Bob wrote:",
        "Bob <bob@example.org> schrieb:",
        "Op zondag Bob\n<bob@example.org> schreef:",
    ],
)
def test_the_head_that_a_program_sets_there_is_one(head: str) -> None:
    lines = letter_lines(f"Thanks.\n\n{head}\nbury: {{card: 4}}")
    assert lines[-1].depth == 1


@pytest.mark.parametrize("head", ["--- What you sent ---", "Bob wrote:", "From: Bob\nTo: Ann\nRe: acre"])
def test_any_head_is_one_above_a_letter_of_ours(head: str) -> None:
    assert {line.depth for line in letter_lines(f"Thanks.\n\n{head}\n\n{FORM}") if "intercept" in line.text} == {1}


@pytest.mark.parametrize("line", ["--- No, better: ---", "So Bob wrote:", "From: Rome\nTo: Pisa\nCU: 4"])
@pytest.mark.parametrize(
    "head",
    ["-----Original Message-----", "From: pbem <p@x.org>\nSent: Sunday\nTo: Ann", "On Sunday pbem <p@x.org> wrote:"],
)
def test_a_report_quoted_below_makes_no_own_line_a_head(line: str, head: str) -> None:
    text = f"bury: {{card: 3}}\n\n{line}\nbury: {{card: 4}}\n\n{head}\n\n{FORM}"
    assert "bury: {card: 4}" in own(text)
    assert not any("intercept" in each for each in own(text))


def test_of_oneself_no_program_says_wrote() -> None:
    assert PLAY.split("\n")[-2] in own(f"See what I wrote:\n{PLAY}key: abcdefghij234567abcd\n")


def test_marks_after_an_own_line_quote_what_they_mark() -> None:
    text = "--- the old one ---\n> bury: {card: 3}\n\nbury: {card: 4}"
    assert own(text) == ["--- the old one ---", "bury: {card: 4}"]


def test_the_mark_of_a_mailbox_file_quotes_nothing() -> None:
    assert own("Hello Bob\n>From here on I march no more.\nBye")[1] == "From here on I march no more."
    assert own("> so\n>From there\n\nYes") == ["Yes"]
    assert own("Bob wrote:\n>From there I come.\n\nYes")[-1] == "Yes"
    (talk,) = open_letter(plain("PRESS red\nHello\n>From here on all is well.\nBye\nEND PRESS\n")).commands
    assert "\nFrom here on all is well.\n" in talk.rest


def test_a_ruled_line_in_talk_is_passed_on() -> None:
    (talk,) = open_letter(plain("PRESS red\nMy offer:\n--- A treaty of peace ---\nYou keep it.\nEND PRESS\n")).commands
    assert talk.rest.split("\n")[1:4] == ["My offer:", "--- A treaty of peace ---", "You keep it.\x1e"]


@pytest.mark.parametrize(
    "struck",
    [
        "<s>X</s>",
        "<strike>X</strike>",
        "<del>X</del>",
        '<span style="text-decoration: line-through">X</span>',
        '<p style="color:red;text-decoration-line:underline line-through">X</p>',
        "<s><b>X</b></s>",
    ],
)
def test_what_is_struck_out_is_not_said(struck: str) -> None:
    page = f"<div>Perhaps:</div><div>{struck.replace('X', 'bury: {card: 3}')}</div><div>No.</div>"
    assert "bury" not in (text_of(page) or "")


def test_what_is_underlined_is_said() -> None:
    assert text_of('<u style="text-decoration: underline">a</u>') == "a\n"


@pytest.mark.parametrize(
    "text",
    [
        "I have looked again at what Bob and I had\nagreed.\nMore tonight.",
        "I do not want to\nwithdraw",
        "what we\nagreed\nlast week does not hold",
        "agreed\nto nothing at all",
        "We have, all in all,\nAGREED",
    ],
)
def test_a_word_that_a_broken_sentence_leaves_alone_is_talk(text: str) -> None:
    assert not open_letter(plain(text)).commands


@pytest.mark.parametrize(
    "text",
    [
        "Agreed.",
        "agreed\nthanks",
        "Hello Ann\nagreed",
        "Referee,\nagreed",
        "That is good. Thank you!\nagreed\n\nBob",
        "I take the default:\nAGREED",
        "HELP\nagreed",
        "withdraw",
        "Better not.\n\nwithdraw\n\nI write again soon",
        "I take it back.\nwithdraw\n" + "a" * 64,
    ],
)
def test_a_word_that_stands_for_itself_counts(text: str) -> None:
    words = {each.word.name for each in open_letter(plain(text)).commands}
    assert words & {"AGREED", "WITHDRAW"}


# ---- one text in several parts, or in none ----


def packed(kind: str, *parts: str) -> Letter:
    """Open a letter of several parts."""
    body = "".join(f"--b\n{part}\n" for part in parts)
    head = f"From: ann@example.org\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=b\n\n"
    return open_letter(f"{head}{body}--b--\n".encode())


PICTURE = (
    "Content-Type: image/png; name=a.png\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\niVBORw0K\n"
)
TEXT = "Content-Type: text/plain; charset=utf-8\n"


@pytest.mark.parametrize(
    "more",
    [
        TEXT,
        "Content-Type: text/plain; name=ATT00001.txt\nContent-Disposition: attachment; filename=ATT00001.txt\n",
    ],
)
def test_text_on_both_sides_of_a_picture_is_one(more: str) -> None:
    letter = packed("mixed", f"{TEXT}\n{SHEET}", PICTURE, f"{more}\n- bury: {{card: 4}}\n")
    (sheet,) = letter.enclosures
    assert sheet.text.decode().split() == f"{SHEET}- bury: {{card: 4}}".split()
    assert not any(letter.loose)


def test_pages_on_both_sides_of_a_picture_are_one() -> None:
    page = "Content-Type: text/html\n\n"
    lines = SHEET.strip().replace("\n", "<br>")
    letter = packed("mixed", f"{page}<div>{lines}</div>", PICTURE, f"{page}<div>- bury: {{card: 4}}</div>")
    assert [b"card: 4" in each.text for each in letter.enclosures] == [True]


@pytest.mark.parametrize(
    "notice",
    [
        "This message is in HTML format. Please use a program that can display it.",
        "Your mail client does not support HTML.",
        "Diese Nachricht kann nur als HTML angezeigt werden: bitte HTML anzeigen",
    ],
)
def test_a_plain_part_that_is_a_notice_gives_way_to_the_page(notice: str) -> None:
    page = "<div>" + SHEET.replace("\n", "<br>") + "- bury: {card: 4}</div>"
    notice = notice.replace(":", ",")
    letter = packed("alternative", f"{TEXT}\n{notice}\n", f"Content-Type: text/html\n\n{page}\n")
    assert [each.game for each in letter.enclosures] == ["acre"]
    assert not any("HTML" in line for line in letter.loose)


def test_own_words_about_pages_are_no_notice() -> None:
    text = f"Can you read HTML?\n{SHEET}- bury: {{card: 4}}\n"
    letter = packed("alternative", f"{TEXT}\n{text}", "Content-Type: text/html\n\n<p>other</p>\n")
    assert "Can you read HTML?" in letter.loose
    assert [each.game for each in letter.enclosures] == ["acre"]


@pytest.mark.parametrize("head", ["multipart/alternative; boundary=0011", "multipart/mixed"])
def test_parts_that_are_announced_and_never_come_are_text(head: str) -> None:
    raw = f"From: ann@example.org\nMIME-Version: 1.0\nContent-Type: {head}\n\n{SHEET}- bury: {{card: 4}}\n"
    assert [each.game for each in open_letter(raw.encode()).enclosures] == ["acre"]
    page = f"<div>{SHEET}- bury: {{card: 4}}</div>".replace("\n", "<br>")
    raw = f"From: ann@example.org\nMIME-Version: 1.0\nContent-Type: {head}\n\n{page}\n"
    assert [each.game for each in open_letter(raw.encode()).enclosures] == ["acre"]


@pytest.mark.parametrize(
    "written",
    [
        "Dora <d@x.org<mailto:d@x.org>>",
        "Dora <mailto:d@x.org>",
        "Dora [mailto:d@x.org]",
        "Dora <D@x.org <mailto:d@x.org>>",
    ],
)
def test_an_address_that_a_program_made_a_link_of_is_read(written: str) -> None:
    (named,) = open_letter(plain(f"DEPUTY {written} until 9 Dec\n")).commands
    assert str(named).lower() == "deputy dora <d@x.org> until 9 dec"
