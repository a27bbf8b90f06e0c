"""Siege works: the only way into a class 1 fortress (9.9 to 9.92)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import NOT_TOLD, Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.position.board import CLASS_1, City
from pbem.rules.hannibal_italy.position.forces import outside, sp, veiled
from pbem.rules.hannibal_italy.position.state import ENEMY, ROME, Game
from pbem.rules.hannibal_italy.position.under_way import Siege
from pbem.rules.hannibal_italy.siege.siege import fall, go_back, needed, relieved, shut_in, stands_before

PARTIAL: Final = "partial"
COMPLETE: Final = "complete"


def build(game: Game, table: Table) -> Flow[None]:
    """Begin, complete and keep up siege works, and roll for the fortresses inside complete ones (9.91, 9.92)."""
    for city in game.board.cities.values():
        if city.kind == CLASS_1 and stands_before(game, side := ENEMY[game.cities[city.id]], city.hex):
            yield from _at(game, table, side, city)
            if game.result is not None:
                return


def _at(game: Game, table: Table, side: Side, city: City) -> Flow[None]:
    own, need, siege = sp(game.board, outside(game, side, city.hex)), needed(game, city), game.sieges.get(city.id)
    if siege is not None and own < need:
        del game.sieges[city.id]
        table.tell("works_lost", city=city.id, side=side, needed=need, rule="9.92")
        yield from go_back(game, table, side, city.hex)
        return
    if relieved(game, city) or (siege is None and own < need and side == ROME):
        return
    order = yield from table.ask(
        side,
        "works",
        rule="9.92" if siege is not None else "9.91",
        default={"build": siege is not None},
        secret=side != ROME,
        city=city.id,
        own_sp=own,
        needed=need,
        works=siege.works if siege is not None else "none",
    )
    if order["build"]:
        _work(game, table, side, city)
    elif siege is not None:
        del game.sieges[city.id]
        table.tell("siege_given_up", city=city.id, side=side, rule="9.92")


def _work(game: Game, table: Table, side: Side, city: City) -> None:
    """Begin works, complete them, or keep them up; round complete ones a 6 takes the fortress (9.91)."""
    siege = game.sieges.get(city.id)
    if siege is None:
        game.sieges[city.id] = Siege(side, 0, PARTIAL)
        shut_in(game, city)
        table.tell("works_begun", city=city.id, side=side, rule="9.91")
        return
    if siege.works == PARTIAL:
        siege.works = COMPLETE
        table.tell("works_completed", city=city.id, side=side, rule="9.91")
    number = int(game.board.tables["works_number"])
    roll = table.roll(f"works/{city.id}", at_least=number, rule="9.91", side=side, city=city.id)
    if roll.success:
        fall(game, table, side, city, rule="9.91")
    else:
        table.tell("holds_out", city=city.id, side=side, rule="9.91")


# ---- what may be ordered


def _orders(view: Game, decision: Decision) -> LegalOrders:
    """Return the legal orders: the weak can build nothing, but Rome does not see whether Carthage is (7.5, 9.91)."""
    facts = decision.facts
    if veiled(view, decision.side, view.board.cities[facts["city"]].hex):
        return NOT_TOLD
    able = [False, True] if facts["own_sp"] >= facts["needed"] else [False]
    return of([Order("works", {"build": build}) for build in able])


def _check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with building: the strength is missing (9.91)."""
    own, need = decision.facts["own_sp"], decision.facts["needed"]
    if order["build"] and own < need:
        yield order.fault(("build",), f"siege works take {need} SP before the walls; you have {own}", rule="9.91")


SIEGE_WORKS_KINDS: Final = (Kind("works", _orders, _check, hints="views.hints:works", bot="policy.replies:works"),)
