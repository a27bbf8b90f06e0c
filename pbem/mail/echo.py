"""The echo: shows a player how their sheet was read, in the answer to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pbem.game import yaml as yamlio
from pbem.game.plain import Record
from pbem.game.wording import on_one_line
from pbem.orders.forgive import changes_of_sense
from pbem.orders.sheet import AHEAD, DEFAULT, ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL
from pbem.render.form import short_order
from pbem.render.wrap import folded

MOST_LINES: Final = 12
"""So many lines of an echo are shown in a letter; the whole sheet is enclosed."""
_WIDTH: Final = 66
_BAR: Final = "| "
"""Stands before each line, so that none is taken for an order when the letter is quoted."""


def echo(canonical: bytes, most: int = MOST_LINES, rest: str = "the rest is in your-sheet.yaml") -> list[str]:
    """Return the lines that say how a sheet was read: its orders, and which words were taken for others."""
    text = canonical.decode("utf-8", "replace")
    value = yamlio.read(text, name="sheet").value
    lines = [*_orders(value), *_standing(value)]
    for change in changes_of_sense(text):
        lines += folded(f"({change})", _WIDTH, later=" ")
    if len(lines) > most:
        lines = [*lines[: most - 1], f"... {rest}"]
    return [_BAR + line for line in lines]


def _orders(sheet: Record) -> Iterator[str]:
    if sheet.get(AHEAD):
        yield f"{AHEAD}: true"
    for order in sheet.get(ORDERS) or ():
        ((kind, body),) = order.items()
        yield from short_order(kind, body or {}, _WIDTH)
    if ORDERS in sheet and not sheet[ORDERS]:
        yield f"{ORDERS}: []"


def _standing(sheet: Record) -> Iterator[str]:
    """Yield the lines of the standing orders that a sheet files."""
    for key in (STANDING, STANDING_ADD):
        written: Any = sheet.get(key)
        if isinstance(written, str) or written == []:
            yield f"{key}: {on_one_line(written)}"
        elif written is not None:
            yield f"{key}:"
            for item in written:
                shown = item if item == DEFAULT else on_one_line(item)[1:-1]
                yield from folded(f"- {shown}", _WIDTH, later="  ")
    if STANDING_CANCEL in sheet:
        yield f"{STANDING_CANCEL}: {on_one_line(sheet[STANDING_CANCEL])}"
