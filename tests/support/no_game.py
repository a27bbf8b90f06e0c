"""Rules of a game that is nothing at all, for tests that need one method of a game or two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.game import UNTOLD, Answers, LegalOrders, Table
from pbem.game.contract import Rules
from pbem.protocol import Decision, Event, Fault, Flow, Order, Side


class NoGame(Rules[Any]):
    """A game that begins and ends with the same position; a test overrides what it is about."""

    id = "nothing"
    sides: tuple[Side, ...] = ("red", "blue")

    def setup(self, scenario: str, table: Table) -> Any:
        return None

    def play(self, position: Any, table: Table) -> Flow[Mapping[str, Any]]:
        yield from ()
        return {"winner": None, "reason": "nothing"}

    def view(self, position: Any, side: Side | None) -> Any:
        return position

    def legal_orders(self, view: Any, decision: Decision) -> LegalOrders:
        return Answers(decision.kind, UNTOLD)

    def check(self, view: Any, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    def scene(self, view: Any, told: Sequence[Event] = ()) -> Any:
        return None

    def resample_hidden(self, position: Any, side: Side | None, table: Table) -> Any:
        return position

    def audit(self, position: Any) -> Iterable[str]:
        return ()

    def encode(self, position: Any) -> dict[str, Any]:
        return {}

    def decode(self, data: Mapping[str, Any]) -> Any:
        return None
