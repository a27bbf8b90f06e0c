"""The HTML part of letters: what it says, what can be tapped, and that nothing can break out of it or hold it back."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest
from selectolax.lexbor import LexborHTMLParser

from pbem.crypto.player_chains import PlayerChain
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.read.html_text import text_of
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.mail.write.posting import bundled
from pbem.mail.write.report_letters import first_letters
from pbem.orders.check import OpenDecisions, check_sheet
from pbem.pages.letter_page import LARGEST, Envelope, LetterPicture, letter_page, plain_paragraphs
from pbem.pages.taps import LONGEST, MOST, OWN_CHAIN, SIGNED, Taps, taps
from pbem.protocol import Decision, Event
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.report import form_for_reader
from tests.support.blank import blank_pictures
from tests.support.live import ADDRESSES, SIDES, Folder, letter, pick, sheet
from tests.support.soak import quick_and_whole, quick_first
from tests.support.walks import GAMES, Walk, loaded, walk

KEY = "abcdefghij234567abcd"
TO = f"pbem+{KEY}@example.org"
TAGS = re.compile(r"html|head|meta|title|style|body|div|p|h[123]|pre|a|img|table|tbody|tr|th|td|-comment")
ATTRIBUTES = re.compile(r"lang|charset|name|content|class|style|href|src|alt|width|align|valign")


@dataclass(frozen=True)
class Seen:
    """An event as a report tells it."""

    adjudication: int
    event: Any
    roll: int | None = None


def request_at(at: Walk, decision: Decision, **more: Any) -> ReportRequest[Any]:
    """Return what a report is written from, for the side that is asked."""
    events = [Seen(7, each) for each in at.session.table.events[-30:] if each.roll is None]
    words = {"waiting": at.open_decisions, "others": [decision.side], "key": KEY, "events": events, **more}
    return ReportRequest("punica", 7, decision.side, at.view(decision.side), **words)


def mailed(link: str, *, joined: bool = False, number: int = 1, sender: str = "x@example.org") -> bytes:
    """Return the letter that a mail program makes of a link; `joined`: one that loses line ends."""
    to, _, words = link.removeprefix("mailto:").partition("?")
    said = {key: unquote(text) for key, text in (word.split("=", 1) for word in words.split("&"))}
    body = said["body"].replace("\r\n", " ") if joined else said["body"]
    head = (
        f"From: {sender}\r\nTo: {unquote(to)}\r\nSubject: {said['subject']}\r\nMessage-ID: <{number}@example.org>\r\n"
    )
    return f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}".encode()


def burying() -> tuple[Walk, Decision]:
    """Return a place of a game of the toy where a side is asked for one of four cards."""
    for at in walk(loaded("toy").rules, loaded("toy").box.scenarios[0], 3):
        for decision in at.open_decisions:
            if decision.kind == "bury":
                return at, decision
    raise AssertionError("nobody is asked to bury")


@pytest.mark.parametrize("most", quick_and_whole(20, 40))
@pytest.mark.parametrize("game", GAMES)
def test_every_link_is_a_sheet_that_the_referee_accepts(game: str, most: int) -> None:
    """Also where a mail program has lost the line ends, and with nothing in them but the one answer."""
    rules, box = loaded(game).rules, loaded(game).box
    tapped = asked = 0
    for at in walk(rules, box.scenarios[0], 3, most):
        for decision in at.open_decisions:
            request = request_at(at, decision)
            found = taps(rules, box, request, TO, must_sign=False)
            legal = rules.legal_orders(request.view, decision)
            asked += 1
            assert not found.why_not
            assert len(found.answers) in (0, len(legal))
            assert len(found.answers) <= MOST
            answers = []
            for each in found.answers:
                assert len(each.link) <= LONGEST
                assert "{" not in each.label
                for joined in (False, True):
                    opened = open_letter(mailed(each.link, joined=joined))
                    assert opened.tokens == (KEY,)
                    (enclosed,) = opened.enclosures
                    at_it = OpenDecisions(
                        box=box,
                        game="punica",
                        sides=rules.sides,
                        side=decision.side,
                        adjudication=7,
                        decisions=[decision],
                        faults=lambda one, order, *_, view=request.view: rules.check(view, one, order),
                    )
                    receipt, read = check_sheet(at_it, enclosed.text)
                    assert read is not None, str(receipt)
                    answers += [order.body for order in read.orders]
            assert answers == [body for body in answers[::2] for _ in range(2)]
            assert all(each.body in answers for each in legal if found.answers)
            tapped += bool(found.answers)
    assert 0 < tapped < asked or game == "toy"


def test_who_must_sign_or_open_a_link_cannot_tap() -> None:
    rules, box = loaded("toy").rules, loaded("toy").box
    at, decision = burying()
    request = request_at(at, decision)
    assert taps(rules, box, request, TO, must_sign=False).answers
    assert taps(rules, box, request, TO, must_sign=True) == Taps(why_not=SIGNED)
    chained = replace(request, chain=PlayerChain("ab" * 32, 9, "ab" * 32))
    assert taps(rules, box, chained, TO, must_sign=False) == Taps(why_not=OWN_CHAIN)
    page = letter_page(Contents(rules, box, chained), Envelope("punica", "", "", TO))
    assert OWN_CHAIN in html.unescape(page)
    assert "mailto:" not in page
    assert "link:" in page  # of the form


def problems(page: str) -> list[str]:
    """Return what in a page may not stand in a letter."""
    found = []
    for node in LexborHTMLParser(page).root.traverse(include_text=False):  # type: ignore[union-attr]
        if not TAGS.fullmatch(node.tag or ""):
            found.append(f"<{node.tag}>")
        for name, value in node.attributes.items():
            said = value or ""
            if not ATTRIBUTES.fullmatch(name) or (name == "href" and not said.startswith("mailto:pbem")):
                found.append(f"{name}={said}")
            if (name == "src" and not said.startswith("cid:")) or (name == "style" and re.search(r"url|@|\\", said)):
                found.append(f"{name}={said}")
    return found


HOSTILE = (
    "</pre></div><script>x()</script><img src=x onerror=x()>\" onclick='y' style=\"&#106;\u202e<!--\u2028]]>{{7*7}}"
)


@pytest.mark.parametrize("game", GAMES)
def test_nothing_that_is_said_breaks_out_of_a_page(game: str) -> None:
    """The words of players stand in events, standing orders, rulings, names and answers: they stay words."""
    rules, box = loaded(game).rules, loaded(game).box
    for at in walk(rules, box.scenarios[0], 5, 12):
        for decision in at.open_decisions[:1]:
            events = [
                Seen(7, replace(each, facts={**each.facts, "by": HOSTILE})) for each in at.session.table.events[-9:]
            ]
            request = request_at(
                at, decision, events=events, rulings=[HOSTILE], filed=[{HOSTILE: HOSTILE}], list_filed=True
            )
            around = Envelope(HOSTILE, f"Dear {HOSTILE}\n\n  {HOSTILE}", HOSTILE, TO, [LetterPicture("a@b", HOSTILE)])
            page = letter_page(Contents(rules, box, request), around)
            assert problems(page) == []
            assert html.unescape(page).count("{{7*7}}") >= 6
            assert "\u202e" not in page
            assert len(page.encode()) <= LARGEST
            assert page.count("<html") == page.count("</body>") == 1


def test_a_page_that_grows_too_large_refers_to_the_file() -> None:
    rules, box = loaded("toy").rules, loaded("toy").box
    at, decision = burying()
    request = request_at(at, decision, events=[Seen(7, Event("x" * 500)) for _ in range(40)])
    page = letter_page(Contents(rules, box, request), Envelope("punica", "", "", TO))
    assert len(page.encode()) <= LARGEST
    assert "position.txt" in page
    assert (form_for_reader(Contents(rules, box, request), narrow=True) or "no sheet").rstrip() in html.unescape(page)
    assert not letter_page(Contents(rules, box, request), Envelope("punica", "long " * 5000, "", TO))


def test_plain_text_is_read_as_paragraphs() -> None:
    text = "THE DICE\n\nKeep this\nletter:\n\n  tip 9f\n  of 12\n\n| game: x\nEnd."
    assert [(each.kind, each.text) for each in plain_paragraphs(text)] == [
        ("heading", "The dice"),
        ("prose", "Keep this letter:"),
        ("lines", "tip 9f\nof 12"),
        ("lines", "| game: x"),
        ("prose", "End."),
    ]


def test_a_word_and_what_it_means_stand_side_by_side() -> None:
    (each,) = plain_paragraphs(
        "  FORM      your sheet again\n  AGREED    takes what counts\n            without an answer\n"
    )
    assert each.kind == "terms"
    assert each.terms == (("FORM", "your sheet again"), ("AGREED", "takes what counts without an answer"))
    assert [one.kind for one in plain_paragraphs("  tip 9f\n  of  12")] == ["lines"]


def test_answers_are_said_in_the_words_of_the_box() -> None:
    box = loaded("hannibal_italy").box
    answers: list[tuple[str, dict[str, Any]]] = [
        ("besiege", {"do": "assault"}),
        ("first_player", {"side": "rome"}),
        ("withdraw", {"withdraw": True}),
        ("losses", {"lose": ["roman_foot"]}),
        ("move", {"leader": "hannibal"}),
    ]
    words = [box.forms[kind].choice_in_words(body, box.names) for kind, body in answers]
    assert words == ["assault the city", "Rome is first player", "try to withdraw", "", ""]


# ---- letters


def opened(out: Outgoing) -> EmailMessage:
    message = message_from_bytes(out.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def page_of(out: Outgoing) -> str:
    body = opened(out).get_body(("html",))
    assert body is not None
    return str(body.get_content())


def links_in(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r'href="(mailto:[^"]*)"', page)]


@pytest.fixture
def office(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> MailSettings:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    return replace(folder.office, plus=True)


def begun(folder: Folder, office: MailSettings) -> dict[str, Outgoing]:
    """Begin a game of the toy; return the first letters by side."""
    with folder.create() as game:
        letters = list(first_letters(game, office))
    return {side: out for side in ("red", "blue") for out in letters if out.to == ADDRESSES[side]}


def in_one_line(text: str) -> str:
    """Return the words of a text: remarks of a form are folded elsewhere on a page."""
    return " ".join(word for word in text.lower().split() if word != "#")


def test_a_page_shows_the_pictures_and_says_what_the_text_says(folder: Folder, office: MailSettings) -> None:
    first = begun(folder, office)["red"]
    message, page = opened(first), page_of(first)
    body = message.get_body(("plain",))
    assert body is not None
    shown = in_one_line(html.unescape(re.sub(r"<[^>]*>", " ", page)))
    for line in str(body.get_content()).splitlines():
        words = line.strip().lower()
        if not words.startswith(("you are asked", "#   ")) and line == line.lstrip() and "  " not in words:
            assert in_one_line(words) in shown, line
    ids = {part["Content-ID"].strip("<>") for part in message.walk() if part["Content-ID"]}
    assert ids == set(re.findall(r'src="cid:([^"]*)"', page)) != set()
    assert problems(page) == []


def test_an_answer_tapped_twice_is_corrected_not_given_twice(folder: Folder, office: MailSettings) -> None:
    first = begun(folder, office)
    red, blue = (links_in(page_of(first[side])) for side in ("red", "blue"))
    tapped = [(red[0], 1, "red"), (red[0], 2, "red"), (red[-1], 3, "red"), (blue[0], 4, "blue")]
    for link, number, side in tapped:
        assert take_in(mailed(link, number=number, sender=ADDRESSES[side]), office).accepted
    with folder.open() as game:
        turn = game.ledger.adjudication(2)
        given = [answer.order for answer in turn.answers if answer.side == "red" and answer.kind == "bury"]
        assert [str(order["card"]) for order in given] == re.findall(r"card%3A%20(\d+)", red[-1])
        before = game.adjudication
    late = take_in(mailed(red[1], number=5, sender=ADDRESSES["red"]), office)
    assert not late.accepted
    assert "answer the last report" in late.complaints[0]
    with folder.open() as game:
        assert game.adjudication == before


@pytest.mark.parametrize("game", quick_first(GAMES, 2))
def test_an_answer_counts_once_however_often_it_is_tapped(game: str, folder: Folder, office: MailSettings) -> None:
    """The first tap answers; if others are still asked, a second one corrects it, else it comes too late."""
    with folder.create(game) as live:
        letters = list(first_letters(live, office))
    for step in range(12):
        with folder.open() as live:
            begun, asked = live.adjudication, {each.side for each in live.open_decisions}
            side = live.open_decisions[0].side
            sheets = live.sheets(side)
        found = [links_in(page_of(out)) for out in letters if out.to == ADDRESSES[side]]
        links = [link for links in found[-1:] for link in links]
        if links:
            break
        with folder.open() as live:
            given = [pick(live, each, Random(step)) for each in live.open_decisions if each.side == side]
            raw = letter(side, sheet(live, side, *given), number=100 + step)
        letters = take_in(raw, office).letters
    assert links
    taps_made = [links[0], links[0], links[-1]]
    accepted = [
        take_in(mailed(link, number=at, sender=ADDRESSES[side]), office).accepted for at, link in enumerate(taps_made)
    ]
    with folder.open() as live:
        assert accepted == [True, *[len(asked) > 1] * 2]
        assert live.sheets(side) == sheets + sum(accepted)
        turns = [live.ledger.adjudication(n) for n in range(begun + 1, live.adjudication + 1)]
        answers = [
            answer for turn in turns for answer in turn.answers if answer.side == side and answer.by.startswith("sheet")
        ]
        assert len(answers) == (len(asked) == 1)


def test_a_reply_that_quotes_the_page_is_read(folder: Folder, office: MailSettings) -> None:
    """As a program that writes HTML alone quotes it: a `#` is gone, or the answer stands above the old letter."""
    page = page_of(begun(folder, office)["red"])
    sheetless = text_of(f"<p>STATUS</p><blockquote>{page}</blockquote>")
    assert sheetless is not None
    assert "> ----- BEGIN ORDERS -----" in sheetless
    mended = page.replace("# - bury", "- bury", 1)
    assert mended != page
    raw = letter("red", f"<p>Ave!</p><blockquote>{mended}</blockquote>".encode()).replace(b"text/plain", b"text/html")
    assert take_in(raw, office).accepted
    with folder.open() as game:
        assert game.sheets("red") == 1
    untouched = letter("red", f"<p>Ave!</p><blockquote>{page}</blockquote>".encode(), number=9)
    assert not take_in(untouched.replace(b"text/plain", b"text/html"), office).accepted


def test_a_page_or_a_picture_that_fails_holds_no_letter_back(
    folder: Folder, office: MailSettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = begun(folder, office)["red"]

    def broken(*_: Any, **__: Any) -> str:
        raise RuntimeError("a slip in a template")

    monkeypatch.setattr("pbem.pages.letter_page.page", broken)
    with folder.open() as game:
        bare = next(out for out in first_letters(game, office) if out.to == ADDRESSES["red"])
    texts = [opened(each).get_body(("plain",)) for each in (whole, bare)]
    assert texts[0] is not None
    assert texts[1] is not None
    assert texts[0].get_content() == texts[1].get_content()
    assert opened(bare).get_body(("html",)) is None
    names = [{part.get_filename() for part in opened(each).walk() if part.get_filename()} for each in (whole, bare)]
    assert names[0] == names[1]
    assert "cannot be made; it goes as text" in caplog.text


def test_a_player_of_several_sides_gets_text_alone(folder: Folder, office: MailSettings) -> None:
    """One letter for both sides, whose files are named after them."""
    addresses = {
        **{side: ADDRESSES[side] for side in SIDES["five"]},
        "oak": "ann@example.org",
        "elm": "ann@example.org",
    }
    with folder.create("five", addresses=addresses) as game:
        letters = bundled(first_letters(game, office))
    pages = {out.to: opened(out).get_body(("html",)) for out in letters}
    assert len(pages) == 4
    assert [to for to, page in pages.items() if page is None] == ["ann@example.org"]
    both = next(opened(out) for out in letters if out.to == "ann@example.org")
    assert {"map-oak.png", "map-elm.png", "close-up-oak.png"} <= {part.get_filename() for part in both.walk()}
