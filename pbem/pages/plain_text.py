"""Plain text of ours as the paragraphs of a page.

Lines that were folded are joined again. Lines with a word and what it means become pairs; the others stay lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["heading", "prose", "lines", "terms"]
_SHORTEST: Final = 6
"""A line in capitals that is no longer than this is a word of a sentence."""
_TERM: Final = re.compile(r"(\S+(?: \S+)*) {2,}(\S.*)")
"""A word, and what it means behind some blanks; the rest of that stands on the next lines, below its beginning."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A heading, prose, lines that stay as they are, or words with their meanings."""

    kind: Kind
    text: str
    terms: tuple[tuple[str, str], ...] = ()


def plain_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a plain text.

    >>> [each.kind for each in plain_paragraphs("THE DICE\\n\\nKeep this\\nletter.\\n\\n  tip: 9f86d0\\n")]
    ['heading', 'prose', 'lines']
    """
    for block in text.strip("\n").split("\n\n"):
        for kind, run in groupby(filter(None, block.split("\n")), key=_kind):
            lines = list(run)
            if kind == "heading":
                yield from (Paragraph(kind, line.capitalize()) for line in lines)
            elif kind == "lines":
                text = dedent("\n".join(lines))
                terms = _defined_terms(text)
                yield Paragraph("terms", text, terms) if terms else Paragraph(kind, text)
            else:
                yield Paragraph(kind, " ".join(lines))


def _defined_terms(text: str) -> tuple[tuple[str, str], ...]:
    """Return words with what they mean, if all lines of a text are made of such."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if pair := _TERM.fullmatch(line):
            found.append((pair[1], pair[2]))
        elif found and line.startswith("    "):
            found[-1] = found[-1][0], f"{found[-1][1]} {line.strip()}"
        else:
            return ()
    return tuple(found)


def _kind(line: str) -> Kind:
    if line[:1] in (" ", "|"):
        return "lines"
    return "heading" if line.isupper() and len(line) > _SHORTEST else "prose"
