"""The text of an HTML letter: its lines as the sender saw them, with `> ` in front of what they quote.

The parser is that of browsers (lexbor, through selectolax), so that a broken page is read as it was shown. Only what
makes lines counts: blocks, line breaks, list items, cells, preformatted text. What is hidden from the sender's eyes is
left out, and so is what they have struck out: that is not said. Quotes are told by `blockquote`, and by the boxes in
which Outlook and others set the old letter; such a box begins with a ruled line, which `pbem.mail.read.quoting` knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_TAGS: Final = 10_000
"""So many tags are read at most: the time that nested ones take grows with the square of their number."""
_BLOCKS: Final = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body center dd details dir div dl dt fieldset figure footer form h1 h2 h3 h4 "
        "h5 h6 header hr li main menu nav ol p pre section summary table tbody tfoot thead tr ul",
    )
)
_SPACED: Final = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "p"])
"""Blocks with a blank line below them, unless the program that wrote them sets one block a line."""
_LEFT_OUT: Final = frozenset(
    ["head", "img", "noframes", "noscript", "object", "script", "style", "svg", "template", "textarea", "title"]
)
_STRUCK_OUT: Final = frozenset(["del", "s", "strike"])
_TIGHT: Final = re.compile(r"\b(?:Mso|PlainText)")
_PREFORMATTED: Final = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_HIDDEN: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|text-decoration[\w-]*\s*:[^;]*line-through",
    re.IGNORECASE,
)
_OLD_LETTER: Final = re.compile(
    r"divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|ms-outlook-mobile-reference-message|"
    r"OutlookMessageHeader|yahoo_quoted|isForwardContent|reply-intro"
)
"""Ids and classes of what stands around, or just above, the letter that is quoted."""
_DEEPEST: Final = 20
"""So many quote marks stand in front of a line at most, and so many indents of a list."""
_RULE: Final = "-----Original Message-----"
_BLANK: Final = " \t\n\r\f"
_RUN: Final = re.compile(f"[{_BLANK}]+")


def text_of(page: str) -> str | None:
    """Return the text of an HTML page, line by line; None: it has more tags than are read.

    >>> text_of("<p>Yes.</p><blockquote>game: punica<br>side: rome</blockquote>")
    'Yes.\\n\\n> game: punica\\n> side: rome\\n'
    """
    if page.count("<") > MOST_TAGS:
        return None
    root = LexborHTMLParser(page).root
    written = _Lines()
    if root is not None:
        _write_node(root, written)
    return written.text()


@dataclass(slots=True)
class _Lines:
    """The lines written so far, the pieces of the one that is being written, and how deep in quotes it stands."""

    done: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    quotes: int = 0
    lists: int = 0
    preformatted: int = 0

    def add(self, text: str) -> None:
        """Add text to the line; outside of preformatted text, blanks run together and line ends are blanks."""
        if self.preformatted:
            first, *more = text.replace("\r\n", "\n").split("\n")
            self.pieces.append(first)
            for line in more:
                self.end()
                self.pieces.append(line)
            return
        text = _RUN.sub(" ", text)
        if not self.pieces or self.pieces[-1].endswith(" "):
            text = text.lstrip(" ")
        if text:
            self.pieces.append(text)

    def end(self) -> None:
        """End the line, also an empty one."""
        line = "".join(self.pieces).rstrip(_BLANK)
        marks = "> " * min(self.quotes, _DEEPEST)
        self.done.append(f"{marks}{line}".rstrip(" "))
        self.pieces.clear()

    def begin_block(self) -> None:
        """End the line if there is anything on it."""
        if self.pieces:
            self.end()

    def space(self) -> None:
        """Leave a blank line, unless there is one."""
        if self.done and self.done[-1].strip("> "):
            self.end()

    def text(self) -> str:
        """Return the whole text."""
        self.begin_block()
        return "\n".join(self.done).strip("\n") + "\n"


def _write_node(root: LexborNode, lines: _Lines) -> None:
    """Write a page; node by node and not by recursion, for a letter may be nested deeper than Python's stack."""
    ahead: list[tuple[LexborNode, bool]] = [(root, True)]
    while ahead:
        node, opening = ahead.pop()
        if node.is_text_node:
            lines.add(node.text_content or "")
        elif not opening:
            _end_element(node, lines)
        elif node.is_element_node and not _is_unseen(node):
            _begin_element(node, lines)
            ahead.append((node, False))
            ahead += reversed([(child, True) for child in node.iter(include_text=True)])


def _is_unseen(node: LexborNode) -> bool:
    return node.tag in _LEFT_OUT or node.tag in _STRUCK_OUT or _HIDDEN.search(_attribute(node, "style")) is not None


def _begin_element(node: LexborNode, lines: _Lines) -> None:
    tag = node.tag or ""
    if tag == "br":
        lines.end()
    if tag not in _BLOCKS:
        return
    lines.begin_block()
    if _OLD_LETTER.search(f"{_attribute(node, 'id')} {_attribute(node, 'class')}"):
        lines.space()
        lines.add(_RULE)
        lines.end()
    if tag == "blockquote":
        lines.quotes += 1
    elif tag in ("ul", "ol"):
        lines.lists += 1
    elif tag == "li":
        lines.pieces.append("  " * min(lines.lists - 1, _DEEPEST) + "- ")
    lines.preformatted += _keeps_blanks(node)


def _end_element(node: LexborNode, lines: _Lines) -> None:
    tag = node.tag or ""
    if tag in ("td", "th"):
        lines.add(" ")
    if tag not in _BLOCKS:
        return
    lines.begin_block()
    if tag == "blockquote":
        lines.quotes -= 1
    elif tag in ("ul", "ol"):
        lines.lists -= 1
    lines.preformatted -= _keeps_blanks(node)
    if tag in _SPACED and not _TIGHT.search(_attribute(node, "class")):
        lines.space()


def _keeps_blanks(node: LexborNode) -> bool:
    return node.tag == "pre" or (node.tag in _BLOCKS and _PREFORMATTED.search(_attribute(node, "style")) is not None)


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""
