"""A reader of bencode, written from its description alone."""

from __future__ import annotations


def parse(text: bytes, at: int = 0) -> tuple[object, int]:
    """Read bencode back: what can be read back cannot be ambiguous."""
    if text[at : at + 1] == b"i":
        end = text.index(b"e", at)
        return int(text[at + 1 : end]), end + 1
    if text[at : at + 1] in (b"l", b"d"):
        kind, items, at = text[at : at + 1], [], at + 1
        while text[at : at + 1] != b"e":
            item, at = parse(text, at)
            items.append(item)
        return (items if kind == b"l" else dict(zip(items[::2], items[1::2], strict=True))), at + 1
    colon = text.index(b":", at)
    size = int(text[at:colon])
    return text[colon + 1 : colon + 1 + size].decode(), colon + 1 + size
