"""The reader of the box: makes the objects of `board`, and says where records of the box contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pbem.game import did_you_mean
from pbem.protocol import Path
from pbem.rules.sword_of_rome.position.board import (
    ALWAYS,
    APPIAN,
    BOX,
    CARTHAGE,
    CLEAR,
    GAULS,
    NAMED,
    NORMAL,
    ROMA,
    ROUGH,
    SICILY,
    TRANSALPINE_BOX,
    TRIBE,
    WALLED,
    Board,
    Card,
    Leader,
    Power,
    Space,
    Voyage,
)
from pbem.rules.sword_of_rome.position.cards import Finding, Known, unknown_in_cards

if TYPE_CHECKING:
    from pbem.game import Box

FIVE = 5


def unpack(box: Box) -> Board:
    """Return the board of a box. Raises BrokenBox, naming every record at fault, if the box contradicts itself."""
    try:
        box.refuse(_unknown_words(box))
        board = assemble(box)
        box.refuse(_contradictions(board, box))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        box.check()  # a record without its entries: the schemas say which
        raise
    return board


def assemble(box: Box) -> Board:
    """Return the board that the records of a box describe."""
    chart, tables, told = box.table("map"), box.table("tables"), box.table("powers")
    sides = box.side_ids
    spaces = {record["id"]: _space(record, chart, len(sides)) for record in chart["spaces"]}
    cards = {record["id"]: _card(record, box.names[record["id"]]) for record in box.table("cards")["cards"]}
    homes = {power["id"]: [id for id, space in spaces.items() if space.home == power["id"]] for power in told["powers"]}
    powers = {record["id"]: _power(record, homes) for record in told["powers"]}
    mountaineers = chart["mountaineers"]
    return Board(
        sides=tuple(sides),
        spaces=spaces,
        connections=tuple((*record["between"], record.get("kind", CLEAR)) for record in chart["connections"]),
        neighbours=_neighbours(spaces, chart),
        ports=tuple(id for id, space in spaces.items() if space.port),
        walled=tuple(id for id, space in spaces.items() if space.kind == WALLED),
        tribes=tuple(id for id, space in spaces.items() if space.kind == TRIBE),
        homes={power: tuple(ids) for power, ids in homes.items()},
        appian_way=tuple(chart["appian_way"]),
        clear_for={mountaineers["power"]: frozenset(mountaineers["spaces"])},
        powers=powers,
        powers_of={side: tuple(id for id, power in powers.items() if power.side == side) for side in sides},
        tie_order=tuple(told["tie_order"]),
        permanent=tuple((a, b) for a, b in told["permanent"]),
        leaders={record["id"]: _leader(record) for record in box.table("leaders")["leaders"]},
        cards=cards,
        decks={side: tuple(id for id, card in cards.items() if card.deck == side) for side in sides},
        named_events={side: tuple(ids) for side, ids in box.table("cards")["named_events"].items()},
        voyages=tuple(_voyage(record) for record in tables["voyages"]),
        years={turn["turn"]: turn["years"] for turn in tables["turns"]},
        levels={turn["turn"]: turn["level"] for turn in tables["turns"]},
        tables=tables,
    )


def _space(record: Mapping[str, Any], chart: Mapping[str, Any], players: int) -> Space:
    region = next(region for region in chart["regions"] if region["id"] == record["region"])
    return Space(
        id=record["id"],
        name=record["name"],
        kind=record["kind"],
        home=record.get("home"),
        region=record["region"],
        italy=region.get("italy", False),
        port=record.get("port", False),
        reinforcement=record.get("reinforcement", 0),
        loyalty=record.get("loyalty", 0),
        subjugation=record.get("subjugation", 0),
        victory=record.get("victory") == ALWAYS or ("victory" in record and players == FIVE),
    )


def _power(record: Mapping[str, Any], homes: Mapping[str, list[str]]) -> Power:
    low, middle, high = record["points"]
    ends = record.get("ends_in", {})
    return Power(
        id=record["id"],
        name=record["name"],
        side=record.get("side"),
        points=(low, middle, high),
        raids=record.get("raids", False),
        city_loyalty=record.get("city_loyalty", 3),
        siege=record.get("siege", 0),
        levy=record.get("levy", {}),
        ends_in=frozenset([*ends.get("spaces", ()), *(homes[ends["home_of"]] if "home_of" in ends else ())]),
        victim=record.get("victim"),
    )


def _leader(record: Mapping[str, Any]) -> Leader:
    return Leader(
        id=record["id"],
        name=record["name"],
        short=record.get("short", record["name"]),
        power=record["power"],
        named=record["kind"] == NAMED,
        role=record.get("role"),
        initiative=record["initiative"],
        tactics=record["tactics"],
        penalty=record.get("penalty", 0),
    )


def _card(record: Mapping[str, Any], name: str) -> Card:
    return Card(
        id=record["id"],
        deck=record["deck"],
        number=record["number"],
        name=name,
        value=record["value"],
        remove=record.get("remove", False),
        reshuffle=record.get("reshuffle", False),
        extra=record.get("extra", False),
        when=record.get("when"),
        conditions=tuple(record.get("if", ())),
        effects=tuple(record["do"]),
        printed=record.get("printed"),
    )


def _voyage(record: Mapping[str, Any]) -> Voyage:
    return Voyage(
        power=record["power"],
        value=record["value"],
        cu=record["cu"],
        ports=tuple(record.get("ports", ())),
        holds=record.get("holds"),
        marker=record.get("marker"),
        lent=record.get("lent", False),
    )


def _neighbours(spaces: Mapping[str, Space], chart: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    around: dict[str, dict[str, str]] = {id: {} for id in spaces}
    for record in chart["connections"]:
        a, b = record["between"]
        around[a][b] = record.get("kind", CLEAR)
        if not record.get("one_way"):
            around[b][a] = record.get("kind", CLEAR)
    return {id: dict(sorted(kinds.items())) for id, kinds in around.items()}


# ---- what contradicts itself


def _unknown_words(box: Box) -> Iterator[Finding]:
    """Yield every word of the box that names something the box does not have."""
    chart, told = box.table("map"), box.table("powers")
    spaces = {record["id"] for record in chart["spaces"]}
    regions = {record["id"] for record in chart["regions"]}
    powers = {record["id"] for record in told["powers"]}
    sides = set(box.side_ids)
    for i, record in enumerate(chart["spaces"]):
        yield from _unknown("map", ("spaces", i, "region"), "region", record["region"], regions)
        if "home" in record:
            yield from _unknown("map", ("spaces", i, "home"), "power", record["home"], powers)
    for i, record in enumerate(chart["connections"]):
        for end in (0, 1):
            yield from _unknown("map", ("connections", i, "between", end), "space", record["between"][end], spaces)
    leaders = box.table("leaders")["leaders"]
    for i, record in enumerate(leaders):
        yield from _unknown("leaders", ("leaders", i, "power"), "power", record["power"], powers)
    for i, record in enumerate(box.table("cards")["cards"]):
        yield from _unknown("cards", ("cards", i, "deck"), "side", record["deck"], sides)
    names = {record["id"] for record in leaders}
    yield from unknown_in_cards(box.table("cards"), Known(spaces, powers, names, regions))
    for scenario in box.scenarios:
        for i, record in enumerate(box.scenario(scenario)["forces"]):
            file, at = f"scenarios/{scenario}", ("forces", i)
            yield from _unknown(file, (*at, "power"), "power", record["power"], powers)
            yield from _unknown(file, (*at, "at"), "space", record["at"], spaces)
            for j, leader in enumerate(record["leaders"]):
                yield from _unknown(file, (*at, "leaders", j), "leader", leader, names)


def _unknown(file: str, path: Path, what: str, word: str, known: set[str]) -> Iterator[Finding]:
    if word not in known:
        yield file, path, f"there is no {what} {word}{did_you_mean(word, sorted(known))}"


def _contradictions(board: Board, box: Box) -> Iterator[Finding]:
    """Yield totals that the lists do not add up to, decks of another size, and spaces that no path reaches."""
    counts = {
        "spaces": len(board.spaces),
        "paths": len(board.connections),
        "walled": len(board.walled),
        "tribes": len(board.tribes),
        "ports": len(board.ports),
    }
    for what, told in box.table("map")["totals"].items():
        if counts[what] != told:
            yield "map", ("totals", what), f"the lists have {counts[what]}"
    size = box.table("cards")["deck_size"]
    for side, deck in board.decks.items():
        if len(deck) != size:
            yield "cards", ("deck_size",), f"{side} has {len(deck)} cards"
    reached = _reached(board)
    for i, record in enumerate(box.table("map")["spaces"]):
        if record["id"] not in reached and record["kind"] != BOX:
            yield "map", ("spaces", i), f"no path and no port leads from Roma to {record['id']}: the map is cut in two"
    yield from _against_the_rules(board, box)


def _against_the_rules(board: Board, box: Box) -> Iterator[Finding]:
    """Yield what the rules say of the map and the map does not have."""
    from_the_box = [ends for ends in board.connections if TRANSALPINE_BOX in ends]
    if from_the_box != [(TRANSALPINE_BOX, "eporedia", ROUGH)] or board.neighbours["eporedia"].get(TRANSALPINE_BOX):
        yield "map", ("connections",), "one rough path, one way, leads from the Transalpine box, to Eporedia (2.2)"
    way = board.appian_way
    if way[0] != ROMA or way[-1] != "antium" or len(way) < len((ROMA, "between", "antium")):
        yield "map", ("appian_way",), "the Appian Way leads from Roma to Antium by at least one space (21.2)"
    for i, (a, b) in enumerate(pairwise(way)):
        if board.neighbours[a].get(b) != APPIAN:
            yield "map", ("appian_way", i), f"no path of kind appian joins {a} and {b} (21.2)"
    in_sicily = [id for id in board.homes[CARTHAGE] if board.spaces[id].region == SICILY and board.spaces[id].port]
    for i, record in enumerate(box.table("map")["spaces"]):
        if record.get("home") == GAULS and record["kind"] not in (NORMAL, WALLED):
            yield (
                "map",
                ("spaces", i, "kind"),
                f"{record['id']} is a home space of the Gauls, where there are markers (14.6)",
            )
        if record["id"] in in_sicily[2:]:
            reason = "Carthage has two ports in Sicily at the start: a hand of 5 and 2 is 7 (S 5.2, S set-up)"
            yield "map", ("spaces", i), reason


def _reached(board: Board) -> set[str]:
    """Return the spaces that can be reached from Roma by paths and between ports."""
    reached: set[str] = set()
    found = [ROMA]
    while found:
        space = found.pop()
        if space in reached:
            continue
        reached.add(space)
        found.extend(board.neighbours[space])
        if board.spaces[space].port:
            found.extend(board.ports)
    return reached
