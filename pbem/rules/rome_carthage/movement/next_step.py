"""The next step of a general on the march: what may be ordered, and what is wrong with an order (8.2, 10.3, 16.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Kind, LegalOrders, concat, lazy, of, product
from pbem.protocol import Decision, Fault, Order
from pbem.rules.rome_carthage.events.charm import check_charm
from pbem.rules.rome_carthage.movement.paths import check_path, enemy_cu_at, next_steps, onward
from pbem.rules.rome_carthage.orders import Body, WayOrder
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March
from pbem.rules.rome_carthage.siege.walls import why_not_inside


def march_orders(view: Game, decision: Decision) -> LegalOrders:
    """List the orders for a general on the march: each next step, into a city there, or stop (8.2, 10.3, 16.2)."""
    march, kind = view.the_march, decision.kind

    def further() -> LegalOrders:
        return product(lambda step: Order(kind, {"path": [step], "then": "ask"}), next_steps(view, march))

    def into_cities() -> LegalOrders:
        steps = onward(view, march)
        cities = [to for to in steps if why_not_inside(view, march.side, to, march.force, march.origin) is None]
        return of([Order(kind, {"path": [to], "then": "inside"}) for to in cities])

    if not march.force.cu and stands_on_lone_general(view, march):
        return concat(lazy(further), lazy(into_cities))
    return concat(of([Order(kind, {"stop": True})]), lazy(further), lazy(into_cities))


def unordered(game: Game, march: March) -> Body:
    """Return the default for a general on the march: he stops, or goes back if he may not stop there (8.4.2)."""
    if march.force.cu or not stands_on_lone_general(game, march):
        return {"stop": True}
    steps = next_steps(game, march)
    return {"path": [march.came_from if march.came_from in steps else steps[0]], "then": "ask"}


def stands_on_lone_general(game: Game, march: March) -> bool:
    """Tell whether an enemy general alone stands here: a general alone may not stop on him (8.4.2)."""
    lone = game.stack(ENEMY[march.side], march.at)
    return bool(lone.generals) and not lone.cu


def last_rest(game: Game, march: March) -> str:
    """Return the last space on a general's way without enemies, or where he is (8.4.2)."""
    enemy = ENEMY[march.side]
    way = reversed([march.origin, *march.entered])
    free = (space for space in way if not (game.stack(enemy, space).generals or enemy_cu_at(game, march.side, space)))
    return next(free, march.at)


def check_march(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with more of a path, or with stopping here (8.2 to 8.5, 10.3)."""
    march, way = view.the_march, WayOrder.read(order)
    if way.stop:
        for word in ("path", "then", "if_intercepted", "if_avoided", "charm"):
            if word in order.body:
                yield order.fault((word,), f"either stop, or go on by {word}", rule="8.2")
        if not march.force.cu and stands_on_lone_general(view, march):
            yield order.fault(("stop",), "a general alone may not stop on an enemy general", rule="8.4.2")
    elif not way.path:
        yield order.fault((), "give a path, or stop: true", rule="8.2")
    else:
        yield from check_charm(view, way, march.general)
        yield from check_path(view, march.side, way, march.at, march.force, march.points)


def stops_for_good(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether an order ends the last march: a path may close on the way, and then the general is asked again."""
    return bool(order.get("stop")) and not view.marches_left


NEXT_STEP_KINDS: Final = tuple(
    Kind(
        kind,
        march_orders,
        check_march,
        hints="views.hints:march",
        is_last=stops_for_good,
        foresee="views.forecast:foresee_march",
    )
    for kind in ("march", "pursue")
)
