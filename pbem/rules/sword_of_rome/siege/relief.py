"""The besieged in a battle before their walls: who joins a relief, and who goes back inside (13.4.1, 13.4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from pbem.game import Kind, LegalOrders, Refusal, Table, listing, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.movement.parts import why_consul_alone
from pbem.rules.sword_of_rome.position.changes import come_out
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.turn.order_of_play import decider


def relieve(game: Game, table: Table) -> Flow[None]:
    """Ask which of the besieged join an army of their own power that attacks the besiegers (13.4.2).

    Those of an ally do not (15.3). A leader from inside commands only where he cannot be subordinate (8.2.1).
    """
    battle = game.the_battle
    power, space = battle.attacker, battle.space
    inside = game.garrison(power, space)
    if battle.sallied or not inside.cu:
        return
    side = yield from decider(game, table, power)
    order = yield from table.ask(
        side,
        "sortie_joins",
        rule="13.4.2",
        default={"cu": inside.cu, "leaders": list(inside.leaders)},
        waits=False,
        power=power,
        space=space,
        cu=inside.cu,
        leaders=list(inside.leaders),
    )
    cu = order["cu"]
    leaders = list(order.get("leaders", inside.leaders)) if cu else []
    if cu:
        sally_out(game, power, space, cu, leaders)
        table.tell("joins_from_inside", power=power, space=space, cu=cu, leaders=leaders, rule="13.4.2")


def sally_out(game: Game, power: str, space: str, cu: int, leaders: list[str]) -> None:
    """Put some of the besieged before the walls, for the battle under way (13.4)."""
    inside = game.inside[space]
    mercenaries = max(0, cu - (inside.cu - inside.mercenaries))
    inside.cu -= cu
    inside.mercenaries -= mercenaries
    inside.leaders = [leader for leader in inside.leaders if leader not in leaders]
    if inside.empty:
        del game.inside[space]
    come_out(game, power, space, Force(cu, mercenaries, leaders))
    battle = game.the_battle
    battle.sallied, battle.sallied_leaders = cu, list(leaders)


def go_back_inside(game: Game, table: Table) -> None:
    """Put what is left of those who came out of the city inside again, after a lost battle (13.4.1, 13.4.2)."""
    battle = game.the_battle
    power, space = battle.attacker, battle.space
    there = game.force(power, space)
    leaders = [leader for leader in battle.sallied_leaders if leader in there.leaders]
    if not battle.sallied and not leaders:
        return
    cu = min(battle.sallied, there.cu)
    mercenaries = min(there.mercenaries, max(0, cu - (there.cu - there.mercenaries)))
    back = game.take(power, space, Force(cu, mercenaries, leaders))
    inside = game.inside.setdefault(space, Force())
    inside.cu += back.cu
    inside.mercenaries += back.mercenaries
    inside.leaders = sorted([*inside.leaders, *back.leaders], key=lambda leader: not game.board.leaders[leader].named)
    table.tell("withdraws_inside", power=power, space=space, cu=cu, rule="13.4")


def joining(view: Game, decision: Decision) -> LegalOrders:
    """List which of the besieged can join: so many CU with any leaders, or nobody (13.4.2)."""
    leaders = decision.facts["leaders"]
    companies = [list(some) for size in range(len(leaders), -1, -1) for some in combinations(leaders, size)]
    parts = [(cu, some) for cu in range(decision.facts["cu"], 0, -1) for some in companies]
    able = [part for part in parts if _why_alone(view, decision, *part) is None]
    return of([Order("sortie_joins", {"cu": cu, "leaders": some}) for cu, some in [*able, (0, [])]])


def _why_alone(view: Game, decision: Decision, cu: int, leaders: Sequence[str]) -> Refusal | None:
    """Say why some of the besieged cannot join: a consul would stay or come without CU; None: they can (9.1.2)."""
    staying = [leader for leader in decision.facts["leaders"] if leader not in leaders]
    parts = Force(cu, leaders=list(leaders)), Force(max(0, decision.facts["cu"] - cu), leaders=staying)
    return why_consul_alone(view, *parts) if cu else None


def check_joining(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who joins (13.4.2)."""
    most, leaders = decision.facts["cu"], decision.facts["leaders"]
    if order["cu"] > most:
        yield order.fault(("cu",), f"{most} CU are inside", rule="13.4.2")
    for i, leader in enumerate(order.get("leaders", ())):
        if leader not in leaders:
            inside = listing(leaders, "and") or "nobody"
            yield order.fault(("leaders", i), f"{leader} is not inside: {inside}", rule="13.4.2")
    if not order["cu"] and order.get("leaders"):
        yield order.fault(("leaders",), "leaders join with CU", rule="13.4.2")
    elif (alone := _why_alone(view, decision, order["cu"], order.get("leaders", leaders))) is not None:
        yield order.fault(("cu",), alone.reason, rule=alone.rule)


RELIEF_KINDS: Final = (Kind("sortie_joins", joining, check_joining, hints="views.hints:sortie_joins_hints"),)
