"""The text of HTML letters and of forum posts: lines as their writers saw them, and what they quote."""

from __future__ import annotations

import time

import pytest

from pbem.mail.inbox import open_letter
from pbem.mail.read.forum_tags import untagged
from pbem.mail.read.html_text import MOST_TAGS, text_of
from pbem.mail.read.quoting import letter_lines
from pbem.mail.read.sheet_finder import sheets
from tests.support.mail_programs import BY_HAND, FORM, PLAY, plain


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a<br>b", "a\nb\n"),
        ("<div>a</div><div>b</div>", "a\nb\n"),
        ("<div>a</div><div><br></div><div>b</div>", "a\n\nb\n"),
        ("<p>a</p><p>b</p>", "a\n\nb\n"),
        ("<p class=MsoNormal>a</p>\n<p class=MsoNormal>b</p>", "a\nb\n"),
        ("a\n  b   c", "a b c\n"),
        ("a&nbsp; b", "a\xa0 b\n"),
        ("<pre>a\n  b</pre>", "a\n  b\n"),
        ('<div style="white-space: pre-wrap">a\n  b</div>', "a\n  b\n"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b\n"),
        ("<ol><li>a<ul><li>b</li></ul></li></ol>", "- a\n  - b\n"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b\n"),
        ("a<blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n> b\n> > c\nd\n"),
        ("<style>x</style><title>y</title><script>z</script>a<!-- b -->", "a\n"),
        ('a<div style="display:none">hidden</div>', "a\n"),
        ("<b>a</b><i>b</i><a href=x>c</a>", "abc\n"),
        ("&lt;a&gt; &amp;", "<a> &\n"),
        ("<div>a<div>b", "a\nb\n"),
        ("", "\n"),
    ],
)
def test_a_page_is_read_as_it_is_shown(page: str, text: str) -> None:
    assert text_of(page) == text


@pytest.mark.parametrize(
    "above",
    [
        '<div id="appendonsend"></div>',
        '<div id="divRplyFwdMsg"><b>From:</b> pbem</div>',
        '<div class="ms-outlook-mobile-reference-message">',
        '<div class="yahoo_quoted">',
    ],
)
def test_what_stands_below_the_mark_of_a_program_is_quoted(above: str) -> None:
    page = f"<div>Yes.</div>{above}<div>game: punica</div>"
    assert {line.text: line.depth for line in letter_lines(text_of(page) or "")}["game: punica"] > 0


@pytest.mark.parametrize("piece", ["<div>", "<blockquote>", "<ul><li>", "<table>", "<a><b><i>", "<svg><math>", "<br>"])
def test_a_page_made_to_hurt_costs_little(piece: str) -> None:
    started = time.process_time()
    text = text_of(piece * (MOST_TAGS // piece.count("<")) + "x")
    assert time.process_time() - started < 10
    assert text is not None
    assert len(text) < 1_000_000
    assert text_of(piece * (MOST_TAGS + 1)) is None


def test_letter_with_too_many_tags_is_refused() -> None:
    raw = f"From: ann@example.org\nContent-Type: text/html\n\n{'<b>' * (MOST_TAGS + 1)}{PLAY}"
    refusal = open_letter(raw.encode()).refusal
    assert refusal is not None
    assert "HTML only" in refusal


def test_page_is_read_only_where_no_text_stands_beside_it() -> None:
    page = f"Content-Type: text/html\n\n<pre>{PLAY}</pre>"
    head = "From: ann@example.org\nContent-Type: multipart/{kind}; boundary=+\n\n--+\n{first}\n--+\n{page}\n--+--\n"
    blank, text, footer = (f"Content-Type: text/plain\n\n{each}" for each in ("\n", BY_HAND, "A list\n"))
    for kind, first, found in (
        ("alternative", blank, [PLAY]),
        ("alternative", text, [BY_HAND]),
        ("mixed", footer, [PLAY]),
    ):
        raw = head.format(kind=kind, first=first, page=page).encode()
        assert [each.text.decode() for each in open_letter(raw).enclosures] == found, kind


# ---- forum posts


@pytest.mark.parametrize(
    ("post", "text"),
    [
        ("[code]\na\n[/code]\nb", "```\na\n```\nb"),
        ("[code]a[/code]", "```\na\n```"),
        ("[CODE=yaml]a[/CODE]", "```\na\n```"),
        ('[quote="Ann"]a\n\nb[/quote]\nc', "> a\n> \n> b\nc"),
        ("[quote]a[quote]b[/quote][/quote]c", "> a\n> > b\nc"),
        ("> [quote]a[/quote]\n> b", "> > a\n> b"),
        ("[quote]a", "[quote]a"),
        ("a[/code]", "a[/code]"),
        ("[code]a[/quote]", "[code]a[/quote]"),
        ("path: [code, quote]", "path: [code, quote]"),
    ],
)
def test_forum_tags_become_fences_and_quote_marks(post: str, text: str) -> None:
    assert untagged(post) == text


def test_a_forum_post_is_read_like_a_letter() -> None:
    letter = open_letter(plain(f"[quote=Referee]{FORM}[/quote]\n[code]\n{PLAY}[/code]\n"))
    assert [(each.where, each.text.decode()) for each in letter.enclosures] == [("body", PLAY)]
    assert [(each.where, each.text.decode()) for each in letter.beside] == [("quoted", FORM)]


# ---- what mail programs break


def test_order_behind_a_mark_that_was_broken_is_one_line_again() -> None:
    whole = PLAY.replace("- play", "# - play")
    broken = whole.replace("general: hannibal, ", "general: hannibal,\n")
    assert [each.text for each in sheets(broken)] == [whole]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_keys_without_their_blanks_stand_below_their_order_again(gap: str) -> None:
    lost = f"game: punica\nside: rome\norders:\n- intercept:{gap}with: []{gap}- losses:{gap}cu: 1\n"
    whole = "game: punica\nside: rome\norders:\n- intercept:\n    with: []\n- losses:\n    cu: 1\n"
    assert sheets(lost)[0].text.replace("\n\n", "\n") == whole


def test_prose_that_begins_with_a_bracket_is_no_part_of_a_sheet() -> None:
    assert [each.text for each in sheets(f"{PLAY}\n[I am away on Sunday]\n")] == [PLAY]
    assert [each.text for each in sheets("game: x\norders:\n- move:\n    path:\n\n[arpi]\n")] == [
        "game: x\norders:\n- move:\n    path:\n\n[arpi]\n"
    ]


@pytest.mark.parametrize("line", ["1) play: {card: 1}", "+ play: {card: 1}", "2. Play {card: 1}", "*Play*: {card: 1}"])
def test_orders_with_other_marks_belong_to_their_sheet(line: str) -> None:
    head = "game: punica\nside: rome\nadjudication: 3\norders:\n"
    assert sheets(f"{head}{line}\n\n{line}\nThanks, Ann\n")[0].text == f"{head}{line}\n\n{line}\n"
