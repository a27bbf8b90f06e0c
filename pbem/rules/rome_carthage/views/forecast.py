"""Forecasts of a march before it is ordered: who could react, and with what chance (8 to 10, 16.4).

The rules themselves are played on from the position as the mover knows it, up to the first battle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pbem.game import Table, percent
from pbem.protocol import Decision, Event, Flow, Order, Record, Roll
from pbem.rules.rome_carthage.battle.battle import hand_reasons
from pbem.rules.rome_carthage.movement import march as movement
from pbem.rules.rome_carthage.movement.detachment import able_to_avoid, interception_modifier, leaders, most_sent
from pbem.rules.rome_carthage.movement.hazards import named_space
from pbem.rules.rome_carthage.orders import WayOrder
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Battle
from pbem.rules.rome_carthage.siege.walls import interceptors
from pbem.rules.rome_carthage.turn import sequence as turn

NAVAL: Final = {"none": 0, "return": 1, "sunk": 2}


def foresee_march(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from the rest of a march; None for its end (8.2, 10.3)."""
    way = WayOrder.read(order)
    if not way.path:
        return None
    game = table.lay(view)
    return _until_battle(game, table, _march_on(game, table, decision.kind, way), None)


def foresee_play(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from a card play or the next march of a campaign; None if nobody marches (8.1)."""
    if view.march is not None or "general" not in order.body:
        return None
    game = table.lay(view)
    flow = turn.play(game, table)
    asked = next(flow)
    if isinstance(asked, Decision) and asked.kind == decision.kind:
        return _until_battle(game, table, flow, order)
    return None


def _march_on(game: Game, table: Table, kind: str, way: WayOrder) -> Flow[None]:
    """Follow the rest of a march that is under way (8.2, 10.3)."""
    march = game.the_march
    movement.obey(march, way)
    if kind == "pursue":
        at_most = game.board.generals[march.general].pursues_on
        table.roll(f"pursue/{march.general}/{named_space(march)}", at_most=at_most, rule="10.3", **march.told)
    yield from movement.follow(game, table)
    if not march.fought:
        yield from movement.end_march(game, table)


def _until_battle(game: Game, table: Table, flow: Flow[None], sent: Order | None) -> Flow[None]:
    """Play a flow up to the first battle, and describe that battle instead of fighting it (11)."""
    while game.battle is None:
        try:
            question = flow.send(sent)
        except StopIteration:
            return
        if game.battle is None:
            sent = yield question
    _tell_battle(game, table, game.battle)


def _tell_battle(game: Game, table: Table, battle: Battle) -> None:
    """Describe a battle that lies ahead: the armies, their commanders, the battle cards (11.1)."""
    facts: dict[str, Any] = {"space": battle.space}
    for word, side in (("attacker", battle.attacker), ("defender", ENEMY[battle.attacker])):
        stack = game.stack(side, battle.space)
        battle.strength[side] = stack.cu
        if stack.commander is not None:
            battle.commanders[side] = stack.commander
        cards = sum(hand_reasons(game, battle, side).values())
        facts |= {word: side, f"{word}_cu": stack.cu, f"{word}_general": stack.commander, f"{word}_cards": cards}
    table.tell("battle_ahead", rule="11", **facts)


def outcome(game: Game, roll: Roll, facts: Record) -> tuple[int, str]:
    """Return the result of a roll on a table: how bad it is for the mover, and in words (8.3.2, 8.8.3, 16.4)."""
    board, sort = game.board, roll.name.partition("/")[0]
    if sort in ("siege", "subjugation"):
        points, lost = board.siege_result(roll.total)
        return lost - points, f"{_count(points, 'point')}, {_lost(lost)}"
    if sort == "naval":
        word = board.naval_result(roll.total)
        return NAVAL[word], {"none": "lands", "return": "returns", "sunk": "sunk"}[word]
    if "cu" in facts:
        lost, elephant = board.attrition(roll.total, facts["cu"])
        return lost, _lost(lost) + (", an elephant first" if elephant and game.the_active_side == CARTHAGE else "")
    return 0, ""


def _count(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


def _lost(lost: int) -> str:
    return f"{lost} CU lost" if lost else "nothing lost"


def interceptors_ahead(game: Game, decision: Decision) -> Iterator[Event]:
    """Yield who could intercept, and with what chance (9.1, 9.2)."""
    board, side, space, origins = game.board, decision.side, decision.facts["at"], decision.facts["from"]
    modifier = interception_modifier(game, side, space)
    for origin in origins:
        for general in leaders(game, side, origin, space):
            at_most = board.generals[general].intercepts_on - modifier
            facts = {"general": general, "origin": origin, "cu": most_sent(game, interceptors(game, side, origin))}
            yield Event("could_intercept", {**facts, "percent": percent(at_most), "needs": at_most}, "9.2")


def avoiders_ahead(game: Game, decision: Decision) -> Iterator[Event]:
    """Yield who could avoid battle, and with what chance (10.1)."""
    march, side, space, refuges = game.the_march, decision.side, decision.facts["at"], decision.facts["refuges"]
    for general in dict.fromkeys(name for to in refuges for name in able_to_avoid(game, march, side, to)[0]):
        at_most = game.board.generals[general].avoids_on
        facts = {"general": general, "refuges": list(refuges), "cu": game.stack(side, space).cu}
        yield Event("could_avoid", {**facts, "percent": percent(at_most), "needs": at_most}, "10.1")
