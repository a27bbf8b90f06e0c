"""Checks, once they can be opened, that the standing orders on record are those that sheets filed, in one form only.

Their digests go into the dice. Were anything in them free, an adjudicator could choose by it among dice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.audit.findings import Findings, Place, number
from pbem.audit.history import History
from pbem.audit.schemas import same_words
from pbem.game.box import Box
from pbem.orders.sheet import DEFAULT, BadSheet, read_sheet
from pbem.orders.standing import file_standing
from pbem.protocol import Side
from pbem.repo.layout import standing_path
from pbem.repo.records import as_plain

_PERIOD: Final = "period"
"""In which period an order was filed is known to the rules alone; were it false, it would lapse otherwise."""


def check_standing(
    history: History,
    sides: Sequence[Side],
    opened: Mapping[bytes, bytes | None],
    sheet: Callable[[str], bytes | None],
    box: Box | None,
    moved: bool,
    findings: Findings,
) -> None:
    """Check every version of every side's standing orders.

    `opened` are the contents by what names them, `sheet` returns one by its path. Without the box of the game nobody
    can read its sheets; then only numbers and form are checked. In a game that was `moved` to other rules nobody knows
    which set came with it before.
    """
    versions = 0
    for side in sides:
        path, before = standing_path(side), list[Any]()
        for version in history.files.get(path, ()):
            content = None if version.oid is None else opened.get(version.oid)
            if content is None:
                continue
            versions += 1
            place = Place(version.at, file=path)
            try:
                kept = json.loads(content)
                orders = [dict(order) for order in kept["orders"]]
            except (ValueError, KeyError, TypeError) as wrong:
                findings.blame(place, f"it cannot be read: {wrong!r}")
                continue
            written = [_sheets_by(history, side, version.at), _turns_by(history, version.at)]
            again = {"written": written, "orders": orders}
            if json.dumps(again, ensure_ascii=False, separators=(",", ":")).encode() != content:
                reason = f"it is not written as pbem writes it after sheet {written[0]}, turn {written[1]}"
                findings.blame(place, reason)
            if box is not None:
                findings.blame(place, *_not_filed(history, side, version.at, before, orders, sheet, box, moved))
            before = orders
    findings.check("standing", f"{number(versions, 'version')} of standing orders, each as the sheets filed them")


def _sheets_by(history: History, side: Side, at: int) -> int:
    """Return how many sheets of a side there were after a commit."""
    paths = [path for by_side in history.sheets.values() for path in by_side.get(side, ())]
    return sum(history.files[path][0].at <= at for path in paths)


def _turns_by(history: History, at: int) -> int:
    """Return the last adjudication after a commit."""
    return max((n for n, when in history.turns.items() if when <= at), default=0)


def _not_filed(
    history: History,
    side: Side,
    at: int,
    before: Sequence[Any],
    orders: Sequence[Any],
    sheet: Callable[[str], bytes | None],
    box: Box,
    moved: bool,
) -> Iterator[str]:
    """Yield a complaint if standing orders are not what became, in a commit, of those before it."""
    paths = [path for by_side in history.sheets.values() for path in by_side.get(side, ())]
    path = next((path for path in paths if history.files[path][0].at == at), None)
    if path is None:  # an adjudication, in which some have lapsed
        left = iter(before)
        if not all(any(same_words(order, each) for each in left) for order in orders):
            yield "orders stand in it that did not stand before, and no sheet filed them"
        return
    raw = sheet(path)
    try:
        read = None if raw is None else read_sheet(raw, name=path, forms=box.forms)
    except BadSheet:
        return  # blamed where its answers are looked for
    if read is None or (moved and DEFAULT in (*read.standing_add, *(read.standing or ()))):
        return
    filed = [
        as_plain(each.record())
        for written in (read.standing_add, read.standing or ())
        for each in file_standing(
            written, box.standing, sheet=_sheets_by(history, side, at), after=_turns_by(history, at), periods={}
        )
    ]
    expected = filed if read.standing is not None else [*filed, *before]
    if not same_words(_without_period(expected), _without_period(orders)):
        yield f"it is not what {path} filed"


def _without_period(orders: Sequence[Any]) -> list[Any]:
    return [{word: said for word, said in order.items() if word != _PERIOD} for order in orders]
