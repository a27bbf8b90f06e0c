"""Unpacking: the plain records of the box become the objects of `board`, once they agree with each other (3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pbem.game import direction
from pbem.protocol import Path, Record
from pbem.rules.hannibal_italy.position.board import (
    ROME_CITY,
    Board,
    Chart,
    City,
    Hex,
    LeaderCard,
    Options,
    Province,
    Unit,
)

if TYPE_CHECKING:
    from pbem.game import Box

_LAST_OLD_ROAD: Final = 218


def unpack(box: Box, options: Options) -> Board:
    """Return the board of a box. Raises BrokenBox, naming every record at fault, if the box contradicts itself."""
    try:
        box.refuse(_dangling(box))
        return _assemble(box, options)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        box.check()  # a record without its entries: the schemas say which
        raise


def _assemble(box: Box, options: Options) -> Board:
    chart, tables, counters = box.table("map"), box.table("tables"), box.table("counters")
    city_at = {record["hex"]: record["id"] for record in chart["cities"]}
    hexes = {record["id"]: _hex(record, chart["numbering"], city_at) for record in chart["hexes"]}
    cities = {record["id"]: _city(record, hexes, tables["intrinsic"]) for record in chart["cities"]}
    roads = _both_ways(
        pair for road in _roads(chart, options) for pair in zip(road["hexes"], road["hexes"][1:], strict=False)
    )
    rivers = _rivers(chart, hexes, options)
    units = {unit.id: unit for record in counters["units"] for unit in _units(record, options)}
    steps = _steps(hexes, roads, rivers, tables["movement"])
    provinces = {record["id"]: _province(record, hexes, cities) for record in chart["provinces"]}
    leaders = {record["id"]: _leader(record) for record in box.table("leaders")["leaders"]}
    sides = {card.side for card in leaders.values()}
    near = {hex: _cities_near(hexes, hex, steps[hex]) for hex in hexes}
    return Board(
        hexes=hexes,
        cities=cities,
        provinces=provinces,
        units=units,
        counts={record["id"]: record["count"] for record in counters["units"]},
        legion=tuple(counters["legion"]),
        leaders=leaders,
        roster={side: tuple(sorted(id for id, card in leaders.items() if card.side == side)) for side in sides},
        steps=steps,
        costs={hex: dict(around) for hex, around in steps.items()},
        near=near,
        around={hex: tuple(city for city in near[hex] if city != hexes[hex].city) for hex in hexes},
        rates=tables["movement"]["allowance"],
        beyond_gaul=frozenset(id for id, hex in hexes.items() if provinces[hex.province].recruits != "gaul"),
        rivers=rivers,
        roads=roads,
        edges={name: tuple(ids) for name, ids in chart["edges"].items()},
        home=cities[ROME_CITY].hex,
        field=_chart(tables["field_results"]),
        assault=_chart(tables["assault_results"]),
        tables=tables,
        by_name={**{id: id for id in hexes}, **{city.id: city.hex for city in cities.values()}},
        scenarios={id: box.scenario(id) for id in box.scenarios},
        ways={road["id"]: tuple(road["hexes"]) for road in _roads(chart, options)},
    )


def _hex(record: Record, numbering: Record, city_at: Mapping[str, str]) -> Hex:
    number = numbering["moved"].get(record["id"], record["id"])
    row, column = int(number[:2]), int(number[2:])
    at = (row, -column if numbering["columns_from"] == "east" else column)
    return Hex(
        record["id"], at, record["terrain"], record["province"], record.get("coast", False), city_at.get(record["id"])
    )


def _city(record: Record, hexes: Mapping[str, Hex], intrinsic: Mapping[str, int]) -> City:
    return City(
        id=record["id"],
        name=record["name"],
        hex=record["hex"],
        province=hexes[record["hex"]].province,
        kind=record["class"],
        loyalty=record.get("loyalty"),
        recruiting=record.get("recruiting", False),
        garrison=record.get("garrison", 0),
        intrinsic=intrinsic[record["class"]],
    )


def _province(record: Record, hexes: Mapping[str, Hex], cities: Mapping[str, City]) -> Province:
    id = record["id"]
    return Province(
        id=id,
        name=record["name"],
        diagonal=record["diagonal"],
        recruits=record["recruits"],
        vp=record["vp"],
        hexes=tuple(each.id for each in hexes.values() if each.province == id),
        cities=tuple(each.id for each in cities.values() if each.province == id),
    )


def _units(record: Record, options: Options) -> Iterator[Unit]:
    """Yield a unit whole and then, if it has a second step, reduced (9.3)."""
    strengths = list(record["sp"])
    if record["kind"] == "elephants" and options["elephant_steps"] == 2:
        strengths.append((strengths[0] + 1) // 2)
    ids = [record["id"], *(f"{record['id']}_reduced" for _ in strengths[1:])]
    for at, (id, sp) in enumerate(zip(ids, strengths, strict=True)):
        left = len(ids) - at
        yield Unit(
            id=id,
            name=record["name"],
            side=record["side"],
            kind=record["kind"],
            sp=sp,
            steps=left,
            whole=record["id"],
            reduced=ids[at + 1] if left > 1 else None,
            pool=record.get("pool"),
            back=record.get("back", False),
        )


def _leader(record: Record) -> LeaderCard:
    words = {"from": "first_year"}
    return LeaderCard(**{"withdraws_on": None, **{words.get(word, word): value for word, value in record.items()}})


def _roads(chart: Record, options: Options) -> list[Record]:
    """Return the roads that are there (7.31)."""
    which = options["roads"]
    roads: list[Record] = chart["roads"]
    if which == "usual":
        return [road for road in roads if road["usual"]]
    return [road for road in roads if which == "all" or road["built"] >= _LAST_OLD_ROAD]


def _rivers(chart: Record, hexes: Mapping[str, Hex], options: Options) -> frozenset[tuple[str, str]]:
    """Return the pairs of hexes between which a river is crossed: with rivers in hexes, all ways into these (7.31)."""
    sides = _both_ways((a, b) for river in chart["rivers"] for a, b in river["sides"])
    if options["rivers"] == "hexsides":
        return sides
    wet = {hex for pair in sides for hex in pair}
    return frozenset((a, b) for b in wet for a, here in hexes.items() if direction(here.at, hexes[b].at) is not None)


def _steps(
    hexes: Mapping[str, Hex], roads: frozenset[tuple[str, str]], rivers: frozenset[tuple[str, str]], movement: Record
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return for each hex its neighbours and the cost of entering them; a city costs the same by road (7.3, 7.31)."""
    cost = movement["cost"]

    def price(a: str, b: str) -> int:
        into: int = cost["city"] if hexes[b].city is not None else cost[hexes[b].terrain]
        if (a, b) in roads:
            return into if hexes[b].city is not None else cost["road"]
        return into + (movement["river"] if (a, b) in rivers else 0)

    around = {
        a: [b for b, there in hexes.items() if direction(here.at, there.at) is not None] for a, here in hexes.items()
    }
    return {a: tuple((b, price(a, b)) for b in sorted(near)) for a, near in around.items()}


def _cities_near(hexes: Mapping[str, Hex], hex: str, steps: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    around = [hex, *(there for there, _ in steps)]
    return tuple(sorted(city for each in around if (city := hexes[each].city) is not None))


def _both_ways(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset(both for a, b in pairs for both in ((a, b), (b, a)))


def _chart(record: Record) -> Chart:
    return Chart(tuple(record["columns"]), record["lowest"], tuple(tuple(row) for row in record["rows"]))


def _dangling(box: Box) -> Iterator[tuple[str, Path, str]]:
    """Yield where the map names what is not there, or counts other than it says."""
    chart = box.table("map")
    hexes = {record["id"] for record in chart["hexes"]}
    provinces = {record["id"] for record in chart["provinces"]}
    for at, record in enumerate(chart["hexes"]):
        if record["province"] not in provinces:
            yield "map", ("hexes", at, "province"), f"there is no province {record['province']}"
    for at, record in enumerate(chart["cities"]):
        if record["hex"] not in hexes:
            yield "map", ("cities", at, "hex"), f"there is no hex {record['hex']}"
    for word in ("rivers", "roads"):
        for at, record in enumerate(chart[word]):
            key = "sides" if word == "rivers" else "hexes"
            for number, named in enumerate(record[key]):
                for hex in [named] if isinstance(named, str) else named:
                    if hex not in hexes:
                        yield "map", (word, at, key, number), f"there is no hex {hex}"
    tables = box.table("tables")
    for word in ("field_results", "assault_results"):
        wide = len(tables[word]["columns"])
        for at, row in enumerate(tables[word]["rows"]):
            if len(row) != wide:
                yield "tables", (word, "rows", at), f"this row has {len(row)} cells; there are {wide} columns"
    counted = {
        "hexes": len(hexes),
        "cities": len(chart["cities"]),
        "provinces": len(provinces),
        "recruiting": sum(record.get("recruiting", False) for record in chart["cities"]),
    }
    for word, number in chart["totals"].items():
        if counted[word] != number:
            yield "map", ("totals", word), f"there are {counted[word]} {word} in this file"
