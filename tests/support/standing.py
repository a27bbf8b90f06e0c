"""Standing orders for tests of the engine, by a function instead of sheets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pbem.engine.session import Queued, Session
from pbem.protocol import Decision


@dataclass
class Standing:
    """Standing orders of all sides: what answers, and whether the sides ask to be waited for."""

    find: Callable[[Decision, Session[Any]], Queued | None] = lambda decision, session: None
    ask: bool = True

    def answer(self, session: Session[Any], decision: Decision) -> Queued | None:
        return self.find(decision, session)

    def waits(self, session: Session[Any], decision: Decision) -> bool:
        return decision.waits and (self.ask or not decision.on_request)
