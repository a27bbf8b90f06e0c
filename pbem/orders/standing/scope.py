"""The scope of a standing order: until it is withdrawn, to the end of a period of the game, or through a day.

* `until: withdrawn`: as without `until`;
* `until: end_of_turn`: of a period that the game has, its rules say which it is in (`periods`);
* `until: 2026-12-24`: through that day, by the clock of whoever adjudicates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date
from typing import Final

from pbem.game.wording import listing, shown

WITHDRAWN: Final = "withdrawn"
END_OF: Final = "end_of_"
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def fault_of(until: object, periods: Collection[str], today: str | None) -> str | None:
    """Return what is wrong with `until`; None: nothing. `today` is a day as it is written; None: unknown."""
    words = [WITHDRAWN, *(END_OF + period for period in periods)]
    if until in words:
        return None
    if not isinstance(until, str) or not _is_day(until):
        return f"until must be {listing([*words, 'a day such as 2026-12-24'], 'or')}, not {shown(until)}"
    if today is not None and until < today:
        return f"until {until} is over: today is {today}"
    return None


def of_period(until: str) -> str | None:
    """Return the period at whose end an order expires; None: it is not bound to one."""
    return until.removeprefix(END_OF) if until.startswith(END_OF) else None


def is_expired(until: str, filed_in: object, now: Mapping[str, object], today: str) -> bool:
    """Tell whether an order has expired: the period in which it was filed is over, or its day is past."""
    period = of_period(until)
    if period is not None:
        return bool(now.get(period) != filed_in)
    return until != WITHDRAWN and today > until


def _is_day(text: str) -> bool:
    try:
        return bool(_DAY.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False
