"""The legal marches: the hexes that each leader can reach, alone or with others, and the cities to win over (7).

An order may say far more (units to drop, a detour). These are enough for a form, for random play and for a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias

from pbem.game import NOT_TOLD, Kind, LegalOrders, cheapest, concat, flat_map, lazy, of, product, way
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement import diplomacy
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.orders import ALL, END, TRY, Marcher, PathWord, ends_marches
from pbem.rules.hannibal_italy.movement.overrun import stops
from pbem.rules.hannibal_italy.movement.taking import allowance, divide, wrong_shares
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.leadership import forbidden, full
from pbem.rules.hannibal_italy.position.state import UNSEEN, Game

_MOST_OTHERS: Final = 3


@dataclass(frozen=True, slots=True)
class Company:
    """Leaders who may march together, and the units that they take."""

    body: Mapping[str, str | list[str]]
    """The part of an order that names them."""
    leaders: list[str]
    most: int
    """Their half movement points."""

    def march(self, path: Sequence[PathWord], **more: bool) -> Order:
        """Return the order to march along a path."""
        return Order("move", {**self.body, "path": path, **more})


def legal_orders(view: Game, decision: Decision) -> LegalOrders:
    """Return the end of the phase, and for each leader who can move every hex that he can reach (7.1, 7.3)."""
    leaders: Sequence[str] = decision.facts["leaders"]
    if any(UNSEEN in view.leaders[leader].units for leader in leaders):
        return NOT_TOLD
    return flat_map(partial(_of, view, decision), ["", *leaders])


def _of(view: Game, decision: Decision, leader: str) -> LegalOrders:
    """Return the marches of a leader: with their own units, all at hand, or the others; without a leader, the end."""
    if not leader:
        return of([Order("move", END)])
    return flat_map(partial(_goals, view, decision.side), _groups(view, decision, leader))


def companies(view: Game, decision: Decision, leader: str) -> Iterator[Company]:
    """Yield the companies in which a leader may march (7.2, 7.3, 7.8, 10.2)."""
    for going in _groups(view, decision, leader):
        if (company := _company(view, going)) is not None:
            yield company


def _groups(view: Game, decision: Decision, leader: str) -> list[list[Marcher]]:
    """Return the leaders and units that an order may name with a leader, allowed or not (7.2)."""
    side, at = decision.side, view.leaders[leader].at
    there = view.leaders_at(side, at)
    groups = [[Marcher(leader)]]
    if len(there) > 1 or view.loose[side].get(at):
        groups.append([Marcher(leader, ALL)])
    others = [other for other in there if other != leader and other in decision.facts["leaders"]]
    if others and len(others) <= _MOST_OTHERS:
        counted = sum(not view.card(each).gaulish for each in (leader, *others))
        if counted <= int(view.board.tables["stacking"]["leaders"]):
            groups.append([Marcher(each) for each in (leader, *others)])
    return groups


def _company(view: Game, going: list[Marcher]) -> Company | None:
    """Return leaders as a company; None if they may not march, or if `units` adds nothing to what they have (7.3)."""
    division = divide(view, going)
    if wrong_shares(view, division):
        return None
    leader, *others = [marcher.leader for marcher in going]
    body: dict[str, str | list[str]] = {"leader": leader}
    if others:
        body["with"] = others
    if not division.as_they_are:
        body["units"] = ALL
        if division.forces[0] == view.leaders[leader].units:
            return None
    return Company(body, [leader, *others], allowance(view, division.forces))


def _goals(view: Game, side: Side, going: list[Marcher]) -> LegalOrders:
    """Return a march to each hex in reach, into each city of one's own, and to each city that can be won over."""
    company = _company(view, going)
    if company is None:
        return of([])
    held, start = stops(view, side), view.leaders[company.leaders[0]].at
    found = _round(view.board, start, company.most, held, forbidden(view, side, company.leaders))
    closed = full(view, side, company.leaders)
    return concat(
        lazy(lambda: _to_hexes(company, found, closed)),
        lazy(lambda: _into_cities(view, side, company, found, held.union(closed))),
        lazy(lambda: _to_cities(view, side, company, found, held.difference((start,)).union(closed))),
    )


def _to_hexes(company: Company, found: Reached, closed: Collection[str]) -> LegalOrders:
    goals = [hex for hex in found if hex not in closed] if closed else list(found)
    return product(lambda hex: company.march(way(found, hex)), goals)


def _into_cities(view: Game, side: Side, company: Company, found: Reached, barred: Collection[str]) -> LegalOrders:
    """Return a march into each city of one's own before which no enemy stands (7.6)."""
    if view.options["going_inside"] != "freely":
        return of([])

    def into(city: str) -> LegalOrders:
        hex = view.board.cities[city].hex
        if hex not in found or hex in barred or city in view.sieges:
            return of([])
        return of([company.march(way(found, hex), inside=True)])

    return flat_map(into, [city for city, owner in view.cities.items() if owner == side])


def _to_cities(view: Game, side: Side, company: Company, found: Reached, barred: Collection[str]) -> LegalOrders:
    """Return a march to each hex from which a city can be won over, with diplomacy at its end (7.4)."""
    within = company.most - int(view.board.tables["movement"]["diplomacy"])

    def to_win(city: str) -> LegalOrders:
        near = diplomacy.hexes_near(view, city)
        able = [hex for hex in near if hex in found and found[hex][0] <= within and hex not in barred]
        if not able or not diplomacy.open_cities(view, side, [city]):
            return of([])
        return product(lambda hex: company.march([*way(found, hex), {TRY: city}]), able)

    return flat_map(to_win, [city for city, owner in view.cities.items() if owner != side])


Reached: TypeAlias = Mapping[str, tuple[int, str | None]]
"""Hex -> the half movement points that it costs to get there, and the hex before it."""


def reach(view: Game, side: Side, together: Sequence[str], most: int, start: str = "") -> Reached:
    """Return the hexes in reach of leaders from a hex, or from their own, nearest first (7.2, 7.3, 10.6, 12.21)."""
    start = start or view.leaders[together[0]].at
    return _round(view.board, start, most, stops(view, side), forbidden(view, side, together))


def _round(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    """Return the hexes in reach round closed ones, and no further than those that the enemy holds."""
    free = _reach(board, start, most, frozenset(), closed)
    # Only an enemy within reach is in the way, so that most marches share what was found for others.
    in_the_way = frozenset([hex for hex in held if hex in free and hex != start])
    return _reach(board, start, most, in_the_way, closed) if in_the_way else free


@lru_cache(maxsize=4096)
def _reach(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    def steps(hex: str) -> Iterator[tuple[str, int]]:
        return (step for step in board.steps[hex] if step[0] not in closed)

    return cheapest(start, steps, most, stops=held.__contains__)


MARCH_KINDS: Final = (
    Kind(
        "move",
        legal_orders,
        check,
        hints="views.hints:marches",
        bot="policy.plans:best_marches",
        close_up="views.summary:enemies_near",  # the form says what stands where
        is_last="views.forecast:is_last_march",
        ends=ends_marches,
        successors="views.forecast:successors",
        cost="views.forecast:cost",
        foresee="views.forecast:foresee",
    ),
)
