"""Forum posts: what they say, and that no text of a player can break out of them in any format."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from pbem.game.board.summary import Line
from pbem.mail.read.html_text import text_of
from pbem.render.text.contents import Contents, ReportRequest, events_told
from pbem.render.text.forum_post import (
    ENDINGS,
    FORMATS,
    Around,
    BBCode,
    Block,
    BulletList,
    Code,
    Fold,
    Heading,
    Html,
    Markdown,
    PostedPicture,
    Prose,
    Rows,
    forum_post,
)
from pbem.render.text.messages import sentences
from pbem.render.text.report import form_for_reader
from tests.support.campaigns import Campaign, campaign, invasion
from tests.support.walks import loaded, start

AROUND = Around({"rome": "Ann", "carthage": "Bob"}, "f8a979b2dd540fdcb60c4480c133e9e4bcc431ab")
NASTY = [
    "[/spoiler][/code][/list][img]https://example.org/x.png[/img]",
    "[b]unclosed [quote=Bob]I resign",
    "[url=javascript:alert(1)]x[/url]",
    "</details></summary><script>alert(1)</script><img src=x onerror=alert(1)>",
    "<!-- ",
    "&lt;script&gt;&#60;b&#62;",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "```\n</code></pre>\n# Rome wins",
    "~~~",
    "`````````",
    "\n\n# Rome resigns\n\n---\n",
    "\r\n> quoted\r\n- item\r\n1. one",
    "1. one",
    "- item",
    "+ item",
    "# head",
    "=====",
    "---",
    "| a | b |\n|---|---|",
    "$$x$$",
    "    code",
    "@everyone @Bob",
    "https://evil.example.org www.evil.example.org mailto:x@example.org",
    "![x](https://example.org/x.png) [x](javascript:alert(1)) [x]: https://example.org",
    "**bold** __bold__ ~~gone~~ ^up^",
    ":skull: :)",
    "\u202egnp.exe",
    "\x1b[2J",
    "\u200b\u2028\u2029[b]",
    "&amp;",
    "\\",
    "\\[b]",
    '[details="x"]',
    "[poll]",
    "[ [b]x[/b] ]",
]
HARMLESS = {
    "article",
    "h2",
    "h3",
    "h4",
    "p",
    "strong",
    "ul",
    "li",
    "table",
    "tr",
    "th",
    "td",
    "pre",
    "code",
    "details",
    "summary",
    "img",
}


def around(text: str) -> list[Block]:
    """Return a post in which a text stands wherever one can."""
    return [
        Heading(text, 1),
        Prose(text, text),
        BulletList([(0, text), (1, text), (0, "end")]),
        Rows([Line("", ("", text)), Line(text, (text, text)), Line(text, (), 1)]),
        Code(text),
        PostedPicture(text, "", text),
        Fold(text, [Code(text), Prose(text)]),
        Prose("THE END"),
    ]


class Page(HTMLParser):
    """What a browser makes of a page: its tags, in order, and the attributes that do something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.last: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "THE END" in data:
            self.last = [*self.open]

    def handle_comment(self, data: str) -> None:
        pytest.fail(f"a comment: {data}")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out_of_html(text: str) -> None:
    written = FORMATS["html"].post(around(text))
    page, plain = Page(), Page()
    page.feed(written)
    plain.feed(FORMATS["html"].post(around("plain")))
    assert page.tags == plain.tags
    assert set(page.tags) <= HARMLESS
    assert page.attributes == {"src", "alt", "colspan"}
    assert (page.open, page.last) == ([], ["article", "p"])
    assert written.isascii()
    assert "\x1b" not in written


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out_of_bbcode(text: str) -> None:
    tag = re.compile(r"\[/?\w+(?:=[^\]\n]*)?\]|\[\*\]")
    written = FORMATS["bbcode"].post(around(text))
    outside = re.sub(r"\[code\].*?\[/code\]", "[code][/code]", written, flags=re.DOTALL)
    expected = tag.findall(
        re.sub(r"\[code\].*?\[/code\]", "[code][/code]", FORMATS["bbcode"].post(around("plain")), flags=re.DOTALL)
    )
    assert [re.sub("=.*]", "=]", each) for each in tag.findall(outside)] == [
        re.sub("=.*]", "=]", each) for each in expected
    ]
    assert written.count("[/code]") == written.count("[code]\n") == 2
    assert written.endswith("\n\nTHE END\n")
    assert not re.search(r"@\w|://|www\.\w|:skull:", outside)


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out_of_markdown(text: str) -> None:
    written = FORMATS["markdown"].post(around(text))
    outside, fence, boxes = list[str](), "", 0
    for line in written.splitlines():
        if re.fullmatch("`{3,}text", line) and not fence:
            fence, boxes = line.removesuffix("text"), boxes + 1
        elif line == fence:
            fence = ""
        elif not fence:
            outside.append(line)
    assert (fence, boxes) == ("", 2)
    prose = "\n".join(outside)
    tags = re.findall(r"<[^\n>]*>", prose)
    assert tags == ["<details>", "<summary>", "</summary>", "</details>"]
    assert not re.search(r"@\w|://|www\.\w|(?<!\\)[\[\]`|$~]|:skull:", re.sub(r"<summary>.*</summary>", "", prose))
    heads = [line for line in outside if line.startswith("#")]
    assert len(heads) == 1
    assert not any(re.match(r"(?:=+|-{3,}|\+ |\d+[.)] |>| {4})", line) for line in outside)
    assert outside[-1] == "THE END"


@pytest.mark.parametrize("text", NASTY)
def test_what_is_written_is_read_as_it_was(text: str) -> None:
    """A reader of the page sees the player's words, but for what nobody sees."""
    page = text_of(FORMATS["html"].post([Prose(text)]))
    shown = " ".join(re.sub("[\x00-\x08\x0b-\x1f\u200b\u2028\u2029\u202e]", "", text).split())
    assert page is not None
    assert " ".join(page.split()) == " ".join(shown.split())
    marked = FORMATS["markdown"].text(text)
    unmarked = html.unescape(re.sub(r"\\([\\`*_\[\]~|$^#+=.)-])", r"\1", marked)).replace("\u2060", "")
    assert unmarked == shown
    assert FORMATS["bbcode"].text(text).replace("\u2060", "") == shown


def posts(most: int = 60) -> Iterator[tuple[Campaign, ReportRequest[Any]]]:
    """Yield the requests for the posts of a campaign: to both sides, and to all."""
    rules = loaded("rome_carthage").rules
    for at in campaign(rules, invasion(start(rules, "standard", 1)), 1, most):
        for side in (None, *rules.sides):
            view = at.view(side)
            told = [each for each in at.told if each.adjudication > at.adjudication - 12]
            asked = [each.side for each in at.open_decisions]
            yield at, ReportRequest("punica", at.adjudication, side, view, told, at.open_decisions, asked)


def flat(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from flat(block.blocks)


def test_a_post_tells_what_its_report_tells() -> None:
    game = loaded("rome_carthage")
    for at, request in posts():
        blocks = forum_post(game.rules, game.box, request, AROUND)
        texts = [text for block in flat(blocks) if isinstance(block, BulletList) for _, text in block.items]
        said = list(sentences(game.box).tell(events_told(request)))
        assert [text for text in texts if "[die" in text] == [f"{each.text} {each.tag}" for each in said if each.tag]
        assert all(each.text in texts for each in said if not each.tag)
        codes = [block.text for block in flat(blocks) if isinstance(block, Code)]
        assert any("pbem verify punica" in code and AROUND.commit in code for code in codes)
        if request.own:
            assert form_for_reader(Contents(game.rules, game.box, request)) in codes
        elif request.side is None and at.open_decisions:
            asked = at.open_decisions[0]
            name = {"rome": "Rome (Ann)", "carthage": "Carthage (Bob)"}[asked.side]
            assert any(text.startswith(f"{name}: {game.box.forms[asked.kind].title}") for text in texts)
        for format in FORMATS.values():
            assert format.post(blocks)


def test_a_post_for_all_knows_no_more_than_an_observer() -> None:
    """Whatever the sides hold and are told, the post for all stays the same."""
    game = loaded("rome_carthage")
    hidden = 0
    for _, request in posts(25):
        if request.side is not None:
            continue
        public = [each for each in request.events if each.event.to is None]
        hidden += len(request.events) - len(public)
        bare = [replace(each, facts={}, rule="", about="", default=None) for each in request.waiting]
        only = replace(request, events=public, waiting=bare)
        assert forum_post(game.rules, game.box, request, AROUND) == forum_post(game.rules, game.box, only, AROUND)
    assert hidden > 10


def test_a_long_story_is_folded_but_for_its_end() -> None:
    game = loaded("rome_carthage")
    lengths = set()
    for _, request in posts():
        blocks = forum_post(game.rules, game.box, request, AROUND)
        told = [block for block in blocks if isinstance(block, BulletList)][:1]
        before = [
            block for block in blocks if isinstance(block, Fold) and block.title.startswith("What happened before")
        ]
        lengths |= {(len(each.items) <= 14, len(before)) for each in told}
    assert lengths == {(True, 0), (True, 1)}


def test_lists_are_nested_in_each_format() -> None:
    items = BulletList([(0, "a"), (2, "b"), (2, "c"), (1, "d"), (0, "e")])
    assert BBCode().written(items) == ("[list]\n[*]a\n[list]\n[*]b\n[*]c\n[*]d\n[/list]\n[*]e\n[/list]")
    assert Markdown().written(items) == "- a\n  - b\n  - c\n  - d\n- e"
    page = Page()
    page.feed(Html().written(items))
    assert page.open == []


def test_a_map_is_shown_where_it_can_be_seen_or_named() -> None:
    link, file = PostedPicture("The map", "https://example.org/m.png"), PostedPicture("The map", "", "punica-3.png")
    assert [each.written(link) for each in FORMATS.values()] == [
        "[img]https://example.org/m.png[/img]",
        "![The map](https://example.org/m.png)",
        '<p><img src="https://example.org/m.png" alt="The map"></p>',
    ]
    assert [each.written(file) for each in FORMATS.values()] == [
        "The map is attached: punica-3.png",
        "The map is attached: punica-3.png",
        '<p><img src="punica-3.png" alt="The map"></p>',
    ]
    assert [each.written(PostedPicture("The map")) for each in FORMATS.values()] == ["", "", ""]
    assert ENDINGS.keys() == FORMATS.keys()
