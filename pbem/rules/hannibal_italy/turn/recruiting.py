"""Recruiting at the beginning of each side's summer movement: legions, slaves, allies, Gauls, Capua (6, 12.21)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from pbem.game import Assign, Kind, OneOf, Part, Table, Value, counted, each_of, once
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.position.board import CAPUA
from pbem.rules.hannibal_italy.position.forces import SLAVES, added, hexes_of, on_board, put_loose, sp_here, to_raise
from pbem.rules.hannibal_italy.position.leadership import too_many
from pbem.rules.hannibal_italy.position.naming import (
    city_meant,
    leader_named,
    leaders_named,
    places_named,
    why_not_at_hand,
)
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, Game
from pbem.rules.hannibal_italy.turn.control import give_city
from pbem.rules.hannibal_italy.turn.elections import found, leave_for_rome, place, places_for, unplaced, wrong_places
from pbem.rules.hannibal_italy.turn.set_up import draw

NONE: Final = "none"
DIE: Final = 6
GAUL: Final = "gaul"
ALLIED: Final = "allied"


@dataclass(frozen=True, slots=True)
class RaiseOrder:
    """The legions that Rome raises, the leaders whom it places, and the leader of the slaves."""

    legions: Mapping[str, int]
    """City -> how many."""
    leaders: Mapping[str, str | int]
    """Elected leader -> the hex, by its number or its city."""
    slaves: str | None
    """The leader who gets the slave legion; None: it is not raised."""

    @classmethod
    def read(cls, order: Order) -> RaiseOrder:
        """Read an order to raise legions."""
        slaves = order.get("slaves", NONE)
        return cls(order.get("legions", {}), order.get("leaders", {}), None if slaves == NONE else slaves)

    @property
    def raised(self) -> dict[str, int]:
        """The cities in which legions are raised, and how many."""
        return {city: count for city, count in self.legions.items() if count}


def recruit(game: Game, table: Table) -> Flow[bool]:
    """Let the side that is about to move recruit (6.1)."""
    if game.mover == ROME:
        yield from _raise_legions(game, table)
    else:
        _capua_revolts(game, table)
        yield from _raise_allies(game, table)
    return True


# ---- Rome


def _raise_legions(game: Game, table: Table) -> Flow[None]:
    """Let Rome raise this year's legions, place elected leaders, and give one the slaves (6.2, 6.22, 5.23)."""
    game.raised = {}
    due = quota(game)
    cities = {province: bases(game, province) for province in due}
    slaves = may_raise_slaves(game)
    if not any(cities.values()) and not slaves and not unplaced(game):
        return
    answer = yield from table.ask(
        ROME,
        "raise",
        rule="6.2",
        default={"legions": _default(game, due, cities)},
        year=game.year,
        legions=due,
        cities=cities,
        slaves=slaves,
        leaders=unplaced(game),
    )
    order = RaiseOrder.read(answer)
    for city, count in order.raised.items():
        game.raised[city] = count
        units = dict.fromkeys(game.board.legion, count)
        put_loose(game, ROME, game.board.cities[city].hex, units)
        table.tell("legions_raised", city=city, count=count, rule="6.2")
    for leader, hex in order.leaders.items():
        place(game, table, leader, found(game.board, hex))
    leave_for_rome(game, table)
    if order.slaves is not None:
        record = game.leaders[order.slaves]
        game.slaves, record.units = order.slaves, added(record.units, {SLAVES: 1})
        table.tell("slaves_raised", leader=order.slaves, rule="6.22")


def quota(game: Game) -> dict[str, int]:
    """Return how many legions each province raises this year, where Rome controls it (6.2)."""
    return {
        province: count for province, count in chart(game).items() if count and game.provinces.get(province) == ROME
    }


def chart(game: Game) -> dict[str, int]:
    """Return the column of this year in the recruitment schedule; it stops at 207 (6.2)."""
    table = game.board.tables["recruitment"]
    years: list[int] = table["years"]
    if game.year not in years and (game.year > years[0] or game.options["year_206"] == NONE):
        return {}
    at = years.index(game.year) if game.year in years else len(years) - 1
    return {province: counts[at] for province, counts in table.items() if province != "years"}


def bases(game: Game, province: str) -> list[str]:
    """Return the cities of a province where legions may be put: Roman recruiting cities, not besieged (6.2)."""
    return [
        city
        for city in game.board.provinces[province].cities
        if game.board.cities[city].recruiting and game.cities[city] == ROME and city not in game.sieges
    ]


def may_raise_slaves(game: Game) -> bool:
    """Tell whether Rome may raise the slave legion: it has lost four legions in combat, and it has not yet (6.22)."""
    board = game.board
    needed = int(board.tables["slaves_after"]) * int(board.tables["stacking"]["legion_sp"])
    lost = game.legions_lost if game.options["slaves_losses"] == "game" else game.worst_battle
    return not game.slaves and lost >= needed and bool(_slave_leaders(game))


def _slave_leaders(game: Game) -> list[str]:
    """Return the Roman leaders in play under whom the slave legion may be put: they have room (6.22, 7.8)."""
    return [
        leader
        for leader in game.on_map(ROME)
        if too_many(game, leader, added(game.leaders[leader].units, {SLAVES: 1})) is None
    ]


def to_raise_now(game: Game) -> int:
    """Return how many legions may be raised in all: there are counters, and the chart allows them (6.1, 6.2)."""
    most = to_raise(game)
    if game.options["recruitment"] == "yearly":
        return most
    foot = on_board(game).get(game.board.legion[0], 0)
    return max(0, min(most, sum(chart(game).values()) - foot))


def _default(game: Game, due: Mapping[str, int], cities: Mapping[str, list[str]]) -> dict[str, int]:
    """Return the answer of a silent Rome: all legions in the first city of each province (6.2).

    Where counters are short the province of the largest army comes first.
    """
    left, legions = to_raise_now(game), dict[str, int]()
    most = max(hexes_of(game, ROME), key=partial(sp_here, game, ROME), default=game.board.home)
    home = game.board.hexes[most].province
    for province, count in sorted(due.items(), key=lambda each: each[0] != home):
        if cities[province] and left:
            legions[cities[province][0]] = min(count, left)
            left -= legions[cities[province][0]]
    return legions


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with recruits: no base, too many, more than there are counters (6.2, 6.22, 5.23)."""
    due, cities = decision.facts["legions"], decision.facts["cities"]
    ordered, wanted = RaiseOrder.read(order), dict[str, int]()
    if "legions" not in order.body and any(due[province] for province in cities if cities[province]):
        yield order.fault((), "say where the legions are raised; for none write legions: {}", rule="6.2")
    for city, count in ordered.legions.items():
        record = view.board.cities.get(city)
        if record is None or city not in cities.get(record.province, []):
            yield order.fault(("legions", city), _why_no_legions(view, due, cities, city), rule="6.2")
            continue
        wanted[record.province] = wanted.get(record.province, 0) + count
        if wanted[record.province] > due[record.province]:
            name = view.board.provinces[record.province].name
            each = counted(due[record.province], "legion")
            reason = f"{name} raises {each} this year; {wanted[record.province]} are named"
            yield order.fault(("legions", city), reason, rule="6.2")
    if wanted and sum(wanted.values()) > (most := to_raise_now(view)):
        more = f"{counted(most, 'more legion')} can be raised" if most else "no more legions can be raised"
        why = "the counters set the limit" if view.options["recruitment"] == "yearly" else "the schedule sets the limit"
        yield order.fault(("legions",), f"{more}; {why}, and {sum(wanted.values())} are named", rule="6.1")
    known = [city for city in ordered.raised if city in view.board.cities]
    yield from wrong_places(view, order, ordered.leaders, known)
    leader = ordered.slaves
    if leader is not None:
        if not decision.facts["slaves"]:
            yield order.fault(("slaves",), _why_no_slaves(view), rule="6.22")
        elif leader not in view.on_map(ROME):
            able = leaders_named(view.board, _slave_leaders(view), "or")
            reason = f"{why_not_at_hand(view, ROME, leader)}; the slaves go with a Roman leader on the map: {able}"
            yield order.fault(("slaves",), reason, rule="6.22")
        elif leader not in _slave_leaders(view):
            able = leaders_named(view.board, _slave_leaders(view), "or")
            reason = f"{leader_named(view.board, leader)} leads all that he may; with room for the slaves: {able}"
            yield order.fault(("slaves",), reason, rule="7.8")


def _why_no_legions(view: Game, due: Mapping[str, int], cities: Mapping[str, Sequence[str]], city: str) -> str:
    """Say why no legions are raised in a city (6.2)."""
    able = places_named(view.board, (each for named in cities.values() for each in named))
    there = f"this year they are raised in {able}"
    record = view.board.cities.get(city)
    if record is None:
        return f"there is no city {city}{city_meant(view.board, city)}; {there}".replace("?;", "?")
    province = view.board.provinces[record.province]
    if view.cities[city] != ROME:
        return f"{record.name} is in the enemy's hands; {there}"
    if not record.recruiting:
        return f"{record.name} is no recruiting city; {there}"
    if city in view.sieges:
        return f"{record.name} is besieged; {there}"
    if view.provinces.get(province.id) != ROME:
        return f"Rome does not control {province.name}, where {record.name} lies; {there}"
    return f"the schedule has no legions for {province.name} this year; {there}"


def _why_no_slaves(view: Game) -> str:
    """Say why the slave legion cannot be raised: it has been, too few are lost, or no leader has room (6.22)."""
    if view.slaves:
        return "the slave legion has been raised before, and is raised once in a game"
    board, needed = view.board, int(view.board.tables["slaves_after"])
    by_game = view.options["slaves_losses"] == "game"
    lost = (view.legions_lost if by_game else view.worst_battle) / int(board.tables["stacking"]["legion_sp"])
    if lost < needed:
        when = "in combat" if by_game else "in one battle"
        return f"the slave legion is raised once Rome has lost {needed} legions {when}; it has lost {lost:g}"
    return "no Roman leader on the map has room for the slave legion"


def choices(view: Game, decision: Decision) -> Part:
    """Return ways to raise the legions: all of each province in one of its cities, with and without slaves (6.2).

    With the usual way one of the elected may be put into a hex, too (5.23).
    """
    facts = decision.facts
    usual = _default(view, facts["legions"], facts["cities"])
    leaders = _slave_leaders(view) if facts["slaves"] else []
    more = [Value("no more")]
    if leaders:
        more.append(Value("slaves", OneOf("slaves", [Value(leader) for leader in leaders], of="leader"), must=True))
    if facts["leaders"]:
        axes = [(leader, places_for(view, usual)) for leader in facts["leaders"]]
        more.append(Value("place", Assign("leaders", axes, ("leader", "hex"), least=1, one=True)))
    others = [Value(way) for way in _elsewhere(usual, facts["cities"].values())]
    first = Value(usual, OneOf(None, more, inferred=True), says=("usual",), weight=1 + len(leaders))
    return OneOf("legions", [first, *others])


def _elsewhere(legions: Mapping[str, int], cities: Iterable[Sequence[str]]) -> Iterator[dict[str, int]]:
    """Yield other ways to raise legions than the usual one: none, or those of a province in another city (6.2)."""
    if legions:
        yield {}
    for usual, *others in filter(None, cities):
        if count := legions.get(usual, 0):
            rest = {city: number for city, number in legions.items() if city != usual}
            yield from ({**rest, city: count} for city in others)


# ---- Carthage


def _capua_revolts(game: Game, table: Table) -> None:
    """Roll whether Capua joins Carthage, each summer from 214 on (12.21)."""
    numbers = game.board.tables["capua"]
    if game.year > numbers["from"] or game.cities[CAPUA] == CARTHAGE:
        return
    if game.capua_revolted and not game.options["capua_again"]:
        return
    roll = table.roll("capua", at_most=int(numbers["on"]), rule="12.21", side=CARTHAGE, city=CAPUA)
    if roll.success:
        give_city(game, table, CAPUA, CARTHAGE, rule="12.21")
        if not game.capua_revolted:  # eliminated, its garrison unit never comes again (9.82)
            game.garrisons.append(CAPUA)
        game.capua_revolted = True


def _raise_allies(game: Game, table: Table) -> Flow[None]:
    """Roll once for each province in which a leader may recruit, and draw what comes, unseen (6.3 to 6.32)."""
    there = {game.board.hexes[game.leaders[leader].at].province for leader in game.on_map(CARTHAGE)}
    for province in game.board.provinces.values():
        if province.id not in there or not (leaders := recruiters(game, province.id)):
            continue
        pool = GAUL if province.recruits == GAUL else ALLIED
        rule = "6.31" if pool == GAUL else "6.3"
        roll = table.roll(
            f"recruit/{province.id}",
            rule=rule,
            side=CARTHAGE,
            province=province.id,
            modifiers={"hannibal": max(game.card(leader).recruits for leader in leaders)},
        )
        count = int(game.board.tables["by_die"][min(roll.total, DIE) - 1])
        if not count:
            continue
        receiver = leaders[0]
        if len(leaders) > 1 and game.options["allies_receiver"] == "picked":
            order = yield from table.ask(
                CARTHAGE,
                "receive",
                rule="6.3",
                default={"leader": leaders[0]},
                province=province.id,
                leaders=leaders,
                count=count,
                secret=True,
            )
            receiver = order["leader"]
        drawn = draw(game, table, pool, count, f"recruit/{province.id}/units")
        record = game.leaders[receiver]
        record.units = added(record.units, drawn)
        # How many the pool still had is Carthage's affair: Rome is told what the schedule grants.
        table.tell("recruits_come", province=province.id, count=count, rule=rule)
        table.tell("recruits_drawn", leader=receiver, units=drawn, to=[CARTHAGE], rule=rule)


def recruiters(game: Game, province: str) -> list[str]:
    """Return the leaders who may recruit in a province, Hannibal first (6.3, 6.31, 9.71)."""
    record = game.board.provinces[province]
    if not record.diagonal:
        return []
    gaulish = record.recruits == GAUL
    able = [
        leader
        for leader in game.on_map(CARTHAGE)
        if game.board.hexes[game.leaders[leader].at].province == province
        and game.card(leader).gaulish == gaulish
        and not (game.leaders[leader].inside and game.besieged(game.leaders[leader].at))
    ]
    return sorted(able, key=lambda leader: (-game.card(leader).recruits, leader))


def _check_receiver(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the leader who is to get the allies: not in the province (6.3)."""
    able = decision.facts["leaders"]
    if order["leader"] not in able:
        province = view.board.provinces[decision.facts["province"]].name
        who = f"who may recruit there: {leaders_named(view.board, able)}"
        reason = f"{leader_named(view.board, order['leader'])} does not recruit in {province} now; {who}"
        yield order.fault(("leader",), reason, rule="6.3")


RECRUITING_KINDS: Final = (
    Kind(
        "raise",
        choices,
        check,
        hints="views.hints:raising",
        bot="policy.replies:raising",
        close_up="views.summary:pools_and_armies",
        is_last=once,
    ),
    Kind(
        "receive",
        each_of("leader", "leaders", "leader"),
        _check_receiver,
        hints="views.hints:receive",
        close_up="views.summary:pools_and_armies",
    ),
)
