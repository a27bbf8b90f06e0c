"""Elephants in winter: some of them die (11.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import UNTOLD, Kind, Part, Some, Table, Value, counted, listing, once
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.battle.losses import CHEAPEST, order_of
from pbem.rules.hannibal_italy.position.board import ELEPHANTS
from pbem.rules.hannibal_italy.position.forces import added, steps, veiled, weakened
from pbem.rules.hannibal_italy.position.naming import leader_named
from pbem.rules.hannibal_italy.position.state import CARTHAGE, UNSEEN, Game


def attrition(game: Game, table: Table) -> Flow[bool]:
    """Roll for the elephants that the winter costs; Carthage says whose they are (11.2).

    Rome can count those that have come and those that it has seen die. As long as some may live on, the question
    comes, be there a choice or not: what Carthage has is not for Rome to know (7.5). As there mostly is none, nobody
    waits for the answer: Carthage may order in advance whose elephants die first.
    """
    roll = table.roll("elephants", rule="11.2", side=CARTHAGE)
    due = int(game.board.tables["by_die"][roll.total - 1])
    table.tell("elephants_die", steps=due, rule="11.2")
    thought_alive = _arrived(game) - game.elephants_dead
    herds = {holder: steps(game.board, units) for holder, units in _herds(game).items()}
    chosen = _in_turn(herds)[:due]
    if 0 < due < thought_alive:
        order = yield from table.ask(
            CARTHAGE,
            "elephants",
            rule="11.2",
            default={"of": chosen},
            waits=False,
            secret=True,
            steps=len(chosen),
            herds=herds,
        )
        chosen = order["of"]
    game.elephants_dead += min(due, thought_alive)
    for holder in chosen:
        _lose_one(game, holder)
    return True


def _arrived(game: Game) -> int:
    """Return the steps of elephants that have come to Italy so far (12.31, 12.311, 12.321)."""
    armies = [*game.plan[CARTHAGE]]
    armies += [army for at, army in enumerate(game.plan["reinforcements"]) if at not in game.due]
    return sum(steps(game.board, _elephants_in(game, army.get("units", {}))) for army in armies)


def _herds(game: Game) -> dict[str, dict[str, int]]:
    """Return the elephants by their holders: leaders, and hexes where they stand without one (11.2)."""
    holders: dict[str, Mapping[str, int]] = {leader: game.leaders[leader].units for leader in game.on_map(CARTHAGE)}
    holders |= game.loose[CARTHAGE]
    herds = {holder: _elephants_in(game, units) for holder, units in holders.items()}
    return {holder: herds[holder] for holder in sorted(herds) if herds[holder]}


def _elephants_in(game: Game, units: Mapping[str, int]) -> dict[str, int]:
    return {unit: count for unit, count in units.items() if _is_elephant(game, unit)}


def _is_elephant(game: Game, unit: str) -> bool:
    return unit != UNSEEN and game.board.units[unit].kind == ELEPHANTS


def _in_turn(herds: Mapping[str, int]) -> list[str]:
    """Return the owners of elephants, each as often as he has steps (11.2)."""
    return [holder for holder, count in herds.items() for _ in range(count)]


def _lose_one(game: Game, holder: str) -> None:
    units = game.leaders[holder].units if holder in game.leaders else game.loose[CARTHAGE][holder]
    own = _elephants_in(game, units)
    rest = {unit: count for unit, count in units.items() if unit not in own}
    left = added(rest, weakened(game.board, own, order_of(game.board, own, CHEAPEST, 1)))
    if holder in game.leaders:
        game.leaders[holder].units = left
    elif left:
        game.loose[CARTHAGE][holder] = left
    else:
        del game.loose[CARTHAGE][holder]


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the choice of elephants: who has none, too few or too many (11.2)."""
    herds, count = dict(decision.facts["herds"]), decision.facts["steps"]
    for at, owner in enumerate(order["of"]):
        if owner not in herds:
            have = listing(_owner_named(view, each) for each in herds)
            yield order.fault(("of", at), f"{owner} has no elephants; who has: {have}", rule="11.2")
        elif not herds[owner]:
            reason = f"{_owner_named(view, owner)} has no elephants left to lose by then"
            yield order.fault(("of", at), reason, rule="11.2")
        else:
            herds[owner] -= 1
    if len(order["of"]) != count:
        reason = f"{counted(count, 'step')} of elephants must be lost; this names {len(order['of'])}"
        yield order.fault(("of",), reason, rule="11.2")


def _owner_named(view: Game, owner: str) -> str:
    """Return an owner of elephants by the leader's name, or by the number of the hex."""
    return leader_named(view.board, owner)


def choices(view: Game, decision: Decision) -> Part:
    """Return who loses how many of the steps (11.2)."""
    herds, count = decision.facts["herds"], decision.facts["steps"]
    if veiled(view, CARTHAGE):
        return UNTOLD
    steps = {owner: number for owner, number in herds.items() if number}
    owners = [Value(owner, note=counted(number, "step")) for owner, number in steps.items()]
    return Some("of", owners, count, count, of="leader", room=steps)


ELEPHANT_KINDS: Final = (Kind("elephants", choices, check, hints="views.hints:elephants", is_last=once),)
