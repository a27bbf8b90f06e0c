"""The vocabulary of the cards of a game whose cards are data: moments, conditions and effects, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pbem.game.box import Box

WORDS: Final = "card_words"
"""The file of a box that lists the vocabulary of its cards."""
_TITLES: Final = {"when": "Moments", "if": "Conditions", "do": "Effects"}
_COLUMNS: Final = {"written": "Written", "means": "Meaning", "told": "In the order", "rule": "Rule"}


def card_reference(box: Box) -> str:
    """Return a page about the words that a card of a box may use. The box must have such a file."""
    table = box.table(WORDS)
    pieces = [f"# Cards of {box.title}", *table["about"]]
    for key, words in table["words"].items():
        pieces += [f"## {_TITLES[key]} (`{key}`)", "\n".join(_rows(words))]
    return "\n\n".join(pieces) + "\n"


def _rows(words: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the rows of a table, with the columns that any of the words fills."""
    used = [column for column in _COLUMNS if any(column in word for word in words)]
    yield "| " + " | ".join(["Word", *(_COLUMNS[column] for column in used)]) + " |"
    yield "| " + " | ".join(["---"] * (len(used) + 1)) + " |"
    for word in words:
        cells = [f"`{word['word']}`"]
        for column in used:
            cell = word.get(column, "")
            cells.append(f"`{cell}`" if column == "written" and cell else cell)
        yield "| " + " | ".join(cells) + " |"
