"""What a side alone is told about its own orders: those that answered in its stead, and those that came to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pbem.crypto.closing import Closing
from pbem.engine.answers import Sources
from pbem.engine.session import Answer
from pbem.orders.sheet import STANDING
from pbem.orders.standing import Filed, InForce
from pbem.protocol import Event, Side


def of_the_beacon(n: int, closing: Closing | None) -> Iterator[Event]:
    """Yield what all sides are told of the beacon in the first adjudication that a round decides."""
    if closing is not None and closing.adjudication == n:
        if closing.missing is None:
            yield Event("beacon_round", {"round": closing.round})
        else:
            yield Event("beacon_missing", {"round": closing.round, "reason": closing.missing})


def notices(
    answers: Sequence[Answer], sources: Sources, standing: InForce, over: Iterable[tuple[Side, Filed]]
) -> Iterator[Event]:
    """Yield, each for its side alone, what became of orders in an adjudication; `over` are those that have lapsed."""
    yield from _fired(answers)
    yield from standing.told()
    for side, queued, faults in sources.expired:
        reasons = [fault.reason.removesuffix("?") for fault in faults]
        kind = "order_lapsed" if reasons else "order_unused"
        yield Event(kind, {"order": queued.order.kind, "by": queued.by, "reasons": reasons}, None, (side,))
    for side, each in over:
        yield Event("standing_over", {"order": each.kind, "by": each.by, "until": each.until}, None, (side,))


def _fired(answers: Sequence[Answer]) -> Iterator[Event]:
    """Yield for each side the standing orders that answered, all at once: in a battle they are many."""
    times = Counter((each.side, each.kind, each.by) for each in answers if each.by.startswith(STANDING))
    told: dict[Side, list[str]] = {}
    for (side, kind, by), count in times.items():
        often = f", {count} times" if count > 1 else ""
        told.setdefault(side, []).append(f"{kind} ({by.removeprefix(STANDING).strip()}{often})")
    for side, answered in told.items():
        yield Event("standing_fired", {"answered": answered}, None, (side,))
