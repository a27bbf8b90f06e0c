"""The proofreader of a box: finds names that nothing has, and numbers that its lists contradict (2, 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

from pbem.game import did_you_mean
from pbem.protocol import Path
from pbem.rules.rome_carthage.position.board import (
    ALPS_PASS,
    ISLAND,
    LAND,
    PASS,
    PLAIN,
    STRAIT,
    TRIBE,
    WALLED_CITY,
    Board,
)
from pbem.rules.rome_carthage.position.records import CardRecord, Chart, GeneralsTable, Named, Scenario, Tables

if TYPE_CHECKING:
    from pbem.game import Box

Finding: TypeAlias = tuple[str, Path, str]
"""File of the box, where in it, and what is wrong there."""

BOTH_ENDS: Final = "both_ends"
KINDS: Final = (LAND, PASS, ALPS_PASS, STRAIT)
SHIP_OPS: Final = 3


def links(chart: Chart) -> Iterator[tuple[str, str, str, bool]]:
    """Yield both ends and the kind of every connection, and whether it takes control of both ends."""
    for a, b, *rest in chart["connections"]:
        yield a, b, rest[0] if rest else LAND, BOTH_ENDS in rest


# ---- names that nothing has


def dangling(box: Box) -> Iterator[Finding]:
    """Yield every word of the box that names something the box does not have, and every name given twice."""
    yield from _dangling_map(box.table("map"))
    known = _Known(box)
    yield from _dangling_generals(box.table("generals"), known)
    yield from _dangling_tables(box.table("tables"), known)
    yield from _dangling_cards(box.table("cards")["cards"], known)
    for scenario in box.scenarios:
        yield from _dangling_scenario(f"scenarios/{scenario}", box.scenario(scenario), known)


class _Known:
    """The ids that other records may name."""

    def __init__(self, box: Box) -> None:
        chart, generals = box.table("map"), box.table("generals")
        self.sides = set(box.side_ids)
        self.regions = _ids(chart["regions"])
        self.provinces = _ids(chart["provinces"])
        self.spaces = _ids(chart["spaces"])
        self.generals = _ids(generals["generals"])
        self.offices = set(generals["offices"])
        self.battle_cards = _ids(box.table("battle_cards")["cards"])


def _ids(records: Iterable[Named]) -> set[str]:
    return {record["id"] for record in records}


def _unknown(file: str, path: Path, what: str, word: str, known: Collection[str]) -> Iterator[Finding]:
    if word not in known:
        yield file, path, f"there is no {what} {word}{did_you_mean(word, known)}"


def _twice(file: str, key: str, words: Iterable[str], what: str) -> Iterator[Finding]:
    seen = set()
    for i, word in enumerate(words):
        if word in seen:
            yield file, (key, i), f"{what} {word} stands here a second time"
        seen.add(word)


def _dangling_map(chart: Chart) -> Iterator[Finding]:
    regions, provinces, spaces = (_ids(chart[key]) for key in ("regions", "provinces", "spaces"))
    yield from _twice("map", "provinces", (record["id"] for record in chart["provinces"]), "province")
    yield from _twice("map", "spaces", (record["id"] for record in chart["spaces"]), "space")
    for i, province in enumerate(chart["provinces"]):
        yield from _unknown("map", ("provinces", i, "region"), "region", province["region"], regions)
    for i, space in enumerate(chart["spaces"]):
        yield from _unknown("map", ("spaces", i, "province"), "province", space["province"], provinces)
    for island, members in chart["islands"].items():
        for i, member in enumerate(members):
            yield from _unknown("map", ("islands", island, i), "province", member, provinces)
    for i, (a, b, kind, _) in enumerate(links(chart)):
        yield from _unknown("map", ("connections", i, 0), "space", a, spaces)
        yield from _unknown("map", ("connections", i, 1), "space", b, spaces)
        yield from _unknown("map", ("connections", i, 2), "kind of connection", kind, KINDS)
        if a == b:
            yield "map", ("connections", i), f"{a} is connected with itself"
    pairs = (" - ".join(sorted((a, b))) for a, b, _, _ in links(chart))
    yield from _twice("map", "connections", pairs, "the connection")


def _dangling_generals(generals: GeneralsTable, known: _Known) -> Iterator[Finding]:
    records = generals["generals"]
    yield from _twice("generals", "generals", (record["id"] for record in records), "general")
    for i, record in enumerate(records):
        at: Path = ("generals", i)
        yield from _unknown("generals", (*at, "side"), "side", record["side"], known.sides)
        for region in record.get("strategy_in", {}):
            yield from _unknown("generals", (*at, "strategy_in", region), "region", region, known.regions)
        if "stays_in" in record:
            yield from _unknown("generals", (*at, "stays_in"), "region", record["stays_in"], known.regions)
        for j, card in enumerate(record.get("probe_as", ())):
            yield from _unknown("generals", (*at, "probe_as", j), "battle card", card, known.battle_cards)


def _dangling_tables(tables: Tables, known: _Known) -> Iterator[Finding]:
    militia = tables["battle"]["militia"]
    yield from _unknown("tables", ("battle", "militia", "side"), "side", militia["side"], known.sides)
    yield from _unknown("tables", ("battle", "militia", "province"), "province", militia["province"], known.provinces)
    for name in ("attrition", "retreat"):
        width = len(tables[name]["columns"])
        for i, row in enumerate(tables[name]["rows"]):
            if len(row) != width:
                yield "tables", (name, "rows", i), f"this row has {len(row)} entries, the table {width} columns"
        if list(tables[name]["columns"]) != sorted(set(tables[name]["columns"])):
            yield "tables", (name, "columns"), "the columns do not rise"
    for side, lots in tables["reinforcements"].items():
        yield from _unknown("tables", ("reinforcements", side), "side", side, known.sides)
        for i, lot in enumerate(lots):
            for j, space in enumerate(lot.get("spaces", ())):
                yield from _unknown("tables", ("reinforcements", side, i, "spaces", j), "space", space, known.spaces)


def _dangling_cards(records: Sequence[CardRecord], known: _Known) -> Iterator[Finding]:
    """Yield every name in the `about` of a card that nothing else in the box has (7.4)."""
    named: Mapping[str, tuple[str, Collection[str]]] = {
        **dict.fromkeys(("province", "provinces", "if_province", "units_in"), ("province", known.provinces)),
        **dict.fromkeys(("region", "regions", "if_region"), ("region", known.regions)),
        **dict.fromkeys(("space", "ports", "spaces_not"), ("space", known.spaces)),
        "binds": ("side", known.sides),
    }
    for i, record in enumerate(records):
        for key, told in record.get("about", {}).items():
            for word in told if isinstance(told, list) else [told]:
                if key in named and isinstance(word, str):
                    yield from _unknown("cards", ("cards", i, "about", key), named[key][0], word, named[key][1])


def _dangling_scenario(file: str, scenario: Scenario, known: _Known) -> Iterator[Finding]:
    placed: list[tuple[Path, str]] = []
    for i, army in enumerate(scenario["armies"]):
        yield from _unknown(file, ("armies", i, "side"), "side", army["side"], known.sides)
        yield from _unknown(file, ("armies", i, "at"), "space", army["at"], known.spaces)
        if army.get("elephants", 0) > army["cu"]:
            yield file, ("armies", i, "elephants"), "more elephant CU than CU: `cu` counts them in"
        placed += [(("armies", i, "generals", j), general) for j, general in enumerate(army.get("generals", ()))]
    placed += [(("reserve", i), general) for i, general in enumerate(scenario["reserve"])]
    placed += [(("arrivals", general), general) for general in scenario["arrivals"]]
    times = Counter(general for _, general in placed)
    for path, general in placed:
        yield from _unknown(file, path, "general", general, known.generals)
        if times[general] > 1:
            yield file, path, f"{general} stands in {times[general]} places"
    for general in sorted(known.generals - set(times)):
        yield file, (), f"{general} stands nowhere: neither with an army nor in reserve nor to arrive"
    for general, office in scenario["offices"].items():
        yield from _unknown(file, ("offices", general), "general", general, known.generals)
        yield from _unknown(file, ("offices", general), "office", office, known.offices)


# ---- numbers that do not add up


def miscounted(board: Board, box: Box) -> Iterator[Finding]:
    """Yield every number of the box that its own lists contradict."""
    yield from _miscounted_spaces(board, box.table("map"))
    yield from _miscounted_provinces(board, box.table("map"))
    yield from _miscounted_cards(board, box)
    totals = box.table("generals")["totals"]
    generals = board.generals.values()
    counts = Counter(general.side for general in generals)
    counts["tokens"] = sum(general.token for general in generals)
    yield from _totals("generals", totals, counts)
    if list(board.hand_sizes) != list(range(1, len(board.hand_sizes) + 1)):
        yield "tables", ("turns",), "the turns do not count up from 1"
    for name in ("attrition", "retreat"):
        yield from _not_rising(name, board.tables[name]["rows"])


def _totals(file: str, expected: Mapping[str, object], counted: Mapping[str, object]) -> Iterator[Finding]:
    for what, total in expected.items():
        if counted[what] != total:
            yield file, ("totals", what), f"the list says {counted[what]}, not {total}"


def _miscounted_spaces(board: Board, chart: Chart) -> Iterator[Finding]:
    spaces = board.spaces.values()
    kinds = Counter(space.kind for space in spaces)
    counted = {
        "spaces": len(spaces),
        "provinces": len(board.provinces),
        "points": sum(province.political_point for province in board.provinces.values()),
        "walled_cities": kinds[WALLED_CITY],
        "tribes": kinds[TRIBE],
        "ports": len(board.ports),
        "connections": len(board.connections),
        "landmasses": landmasses(board),
        "markers": _tally(space.start_control for space in spaces if space.kind == PLAIN),
        "start_points": _tally(_start_controller(board, id) for id, p in board.provinces.items() if p.political_point),
    }
    yield from _totals("map", chart["totals"], counted)
    for i, space in enumerate(spaces):
        if (space.kind == WALLED_CITY) != (space.capacity > 0):
            yield "map", ("spaces", i), f"{space.id}: walled cities have a `capacity`, and only they"


def _miscounted_provinces(board: Board, chart: Chart) -> Iterator[Finding]:
    islanders = Counter(province for provinces in board.islands.values() for province in provinces)
    for i, province in enumerate(board.provinces.values()):
        most = len(province.spaces) // 2 + 1
        if province.majority != most:
            yield "map", ("provinces", i, "majority"), f"{len(province.spaces)} spaces make a majority of {most}"
        if islanders[province.id] != (province.allies_scope == ISLAND):
            yield "map", ("provinces", i, "scope"), f"{province.id}: `scope: island` takes one of the `islands`"


def _miscounted_cards(board: Board, box: Box) -> Iterator[Finding]:
    if list(board.cards) != list(range(1, box.table("cards")["deck_size"] + 1)):
        yield "cards", ("cards",), f"the cards are not numbered from 1 to {box.table('cards')['deck_size']} in order"
    for i, card in enumerate(board.cards.values()):
        if card.ship != (card.ops == SHIP_OPS):
            yield "cards", ("cards", i), f"card {card.number}: every {SHIP_OPS} carries a ship, and no other card"
    if len(board.battle_deck) != box.table("battle_cards")["deck_size"]:
        yield "battle_cards", ("deck_size",), f"the list says {len(board.battle_deck)}"


def _not_rising(name: str, rows: Sequence[Sequence[int | str]]) -> Iterator[Finding]:
    """Yield rows of a table of losses in which a higher total or a larger force loses less."""
    worth = [[inf if isinstance(entry, str) else entry for entry in row] for row in rows]
    for i, row in enumerate(worth):
        if any(left > right for left, right in pairwise(row)):
            yield "tables", (name, "rows", i), "a larger force loses less than a smaller one"
        if i and any(above > here for above, here in zip(worth[i - 1], row, strict=True)):
            yield "tables", (name, "rows", i), "a higher total loses less than the one before"


def _tally(words: Iterable[str | None]) -> dict[str, int]:
    return dict(Counter(word for word in words if word is not None))


def _start_controller(board: Board, province: str) -> str | None:
    """Return the side that controls a province at the start (15.1)."""
    record = board.provinces[province]
    held = _tally(board.spaces[space].start_control for space in record.spaces)
    return next((side for side, count in held.items() if count >= record.majority), None)


def landmasses(board: Board) -> list[int]:
    """Return the sizes of the landmasses, the largest first: spaces joined by anything but a strait."""
    left, sizes = set(board.spaces), []
    while left:
        reached, edge = set(), {min(left)}
        while edge:
            reached |= edge
            edge = {b for a in edge for b, kind in board.neighbours[a].items() if kind != STRAIT} - reached
        left -= reached
        sizes.append(len(reached))
    return sorted(sizes, reverse=True)
