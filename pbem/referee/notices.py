"""Private notices to one side: standing orders that answered for it, and orders that expired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pbem.crypto.closing import Closing
from pbem.engine.answers import Sources
from pbem.engine.session import Answer
from pbem.orders.sheet import STANDING, shortened
from pbem.orders.standing import Filed, InForce
from pbem.orders.standing.in_force import LONGEST_REASON, MOST_REASONS, MOST_TOLD
from pbem.protocol import Event, Side

ORDER_EXPIRED: Final = "order_expired"
"""The kind of the event for an order that has become illegal."""
ORDER_UNUSED: Final = "order_unused"
"""The kind of the event for an order that was not needed."""


def of_the_beacon(n: int, closing: Closing | None) -> Iterator[Event]:
    """Yield the event about the beacon, for all sides, in the first adjudication that a round decides."""
    if closing is not None and closing.adjudication == n:
        if closing.missing is None:
            yield Event("beacon_round", {"round": closing.round})
        else:
            yield Event("beacon_missing", {"round": closing.round, "reason": closing.missing})


def notices(
    answers: Sequence[Answer], sources: Sources, standing: InForce, expired: Iterable[tuple[Side, Filed]]
) -> Iterator[Event]:
    """Yield the notices of an adjudication; `expired` are the standing orders whose time is over."""
    yield from _fired(answers)
    yield from standing.notices()
    told: Counter[Side] = Counter()
    for side, queued, faults in sources.expired:
        told[side] += 1
        most = MOST_REASONS if told[side] <= MOST_TOLD else 1  # the room of the record holds so many
        reasons = [shortened(fault.reason.removesuffix("?"), LONGEST_REASON) for fault in faults[:most]]
        kind = ORDER_EXPIRED if reasons else ORDER_UNUSED
        yield Event(kind, {"order": queued.order.kind, "by": queued.by, "reasons": reasons}, None, (side,))
    for side, each in expired:
        yield Event("standing_expired", {"order": each.kind, "by": each.by, "until": each.until}, None, (side,))


def _fired(answers: Sequence[Answer]) -> Iterator[Event]:
    """Yield one notice for each side about all its standing orders that answered: in a battle they are many."""
    times = Counter((each.side, each.kind, each.by) for each in answers if each.by.startswith(STANDING))
    told: dict[Side, list[str]] = {}
    for (side, kind, by), count in times.items():
        often = f", {count} times" if count > 1 else ""
        told.setdefault(side, []).append(f"{kind} ({by.removeprefix(STANDING).strip()}{often})")
    for side, answered in told.items():
        yield Event("standing_fired", {"answered": answered}, None, (side,))
