"""The YAML of a game: reads and writes plain values only, each with its place in the text.

A letter comes from anybody, so it is never given to a YAML loader. `read` builds the value itself from parser
events, under limits, and refuses what can hide or surprise: anchors, aliases, tags, merge keys, duplicate keys, keys
that are not text, a second document, directives, control characters, bytes that are not UTF-8.

A word without quotes is read as

* null: nothing at all, `~`, `null`, `Null`, `NULL`;
* true or false: `true`, `True`, `TRUE`, `false`, `False`, `FALSE` (never `yes`, `no`, `on`, `off`);
* a whole number: decimal digits with or without a sign, at most 18, and no needless zero in front;
* text: all the rest. So `012`, `1_000`, `0x1f`, `3.5`, `1:30`, `2001-01-01` and longer numbers are text.

A tab counts as one blank, except before the first word of a line, where it is refused.

What `dump` writes is said in `pbem.game.yaml.writer`.
"""

from pbem.game.yaml.limits import LETTER, OWN, Limits, Mark, Placed, Unreadable, by_place
from pbem.game.yaml.reader import Document, plain_value, read
from pbem.protocol import Plain

__all__ = [
    "LETTER",
    "OWN",
    "Document",
    "Limits",
    "Mark",
    "Placed",
    "Unreadable",
    "by_place",
    "dump",
    "plain_value",
    "read",
]


def dump(value: Plain) -> str:
    """Return a plain value as canonical YAML. Raise TypeError or ValueError for what the reader could not give back."""
    from pbem.game.yaml.writer import dump as write  # who only reads does without the writer's patterns

    return write(value)
