"""Limits of what a side may leave with the referee: orders that wait, and standing orders.

They are measured as they are kept, as compact JSON, because the size of a sealed file follows from these limits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from pbem.game.plain import Record

MOST: Final = 40
"""The most orders of a sheet, and the most standing orders of a side."""
LONGEST: Final = 4096
"""The most bytes that the orders of a sheet, or the standing orders of a side, take as they are kept."""


def compact(value: object) -> bytes:
    """Return a plain value as it is kept in sealed files."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def too_much(what: str, records: Iterable[Record]) -> str | None:
    """Return what is wrong with the number or the size of some orders; None: nothing. `what` names them."""
    kept = list(records)
    if len(kept) > MOST:
        return f"{len(kept)} {what} are too many: at most {MOST} are kept"
    size = len(compact(kept))
    if size > LONGEST:
        return f"these {what} take {size:,} bytes as they are kept: at most {LONGEST:,}"
    return None
