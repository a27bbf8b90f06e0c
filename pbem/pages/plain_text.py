"""Plain text of ours as the paragraphs of a page: lines that were folded are joined again, the others stay lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["heading", "prose", "lines"]
_SHORTEST: Final = 6
"""A line in capitals that is no longer than this is a word of a sentence."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A heading, prose, or lines that stay as they are."""

    kind: Kind
    text: str


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a plain text.

    >>> [each.kind for each in paragraphs("THE DICE\\n\\nKeep this\\nletter.\\n\\n  tip: 9f86d0\\n")]
    ['heading', 'prose', 'lines']
    """
    for block in text.strip("\n").split("\n\n"):
        for kind, run in groupby(filter(None, block.split("\n")), key=_kind):
            lines = list(run)
            if kind == "heading":
                yield from (Paragraph(kind, line.capitalize()) for line in lines)
            elif kind == "lines":
                yield Paragraph(kind, dedent("\n".join(lines)))
            else:
                yield Paragraph(kind, " ".join(lines))


def _kind(line: str) -> Kind:
    if line[:1] in (" ", "|"):
        return "lines"
    return "heading" if line.isupper() and len(line) > _SHORTEST else "prose"
