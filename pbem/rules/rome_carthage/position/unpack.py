"""The reader of the box: makes the objects of `board` from proofread records (2, 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pbem.protocol import Record
from pbem.rules.rome_carthage.position.board import (
    LAND,
    NEUTRAL,
    PASSES,
    WALLED_CITY,
    BattleNumbers,
    Board,
    Elephants,
    General,
    Militia,
    Movement,
    Province,
    Siege,
    Space,
    StrategyCard,
)
from pbem.rules.rome_carthage.position.proofreading import dangling, links, miscounted
from pbem.rules.rome_carthage.position.records import CardRecord, ProvinceRecord, SpaceRecord

if TYPE_CHECKING:
    from pbem.game import Box


def unpack(box: Box) -> Board:
    """Return the board of a box. Raises BrokenBox, naming every record at fault, if the box contradicts itself."""
    try:
        box.refuse(dangling(box))
        board = assemble(box)
        box.refuse(miscounted(board, box))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        box.check()  # a record without its entries: the schemas say which
        raise
    return board


def assemble(box: Box) -> Board:
    """Return the board that the records of a box describe."""
    chart, tables = box.table("map"), box.table("tables")
    battle_cards = box.table("battle_cards")["cards"]
    region = {record["id"]: record["region"] for record in chart["provinces"]}
    spaces = {record["id"]: _space(record, region) for record in chart["spaces"]}
    connections = tuple((a, b, kind) for a, b, kind, _ in links(chart))
    neighbours = _neighbours(spaces, connections)
    both_ends = frozenset(ends for a, b, _, closed in links(chart) if closed for ends in ((a, b), (b, a)))
    cost = tables["movement"]["cost"]
    return Board(
        spaces=spaces,
        provinces={record["id"]: _province(record, spaces) for record in chart["provinces"]},
        connections=connections,
        neighbours=neighbours,
        by_land={
            id: tuple(other for other, kind in around.items() if kind == LAND) for id, around in neighbours.items()
        },
        but_for_passes={
            id: tuple(other for other, kind in around.items() if kind not in PASSES)
            for id, around in neighbours.items()
        },
        both_ends=both_ends,
        steps={
            space: tuple((to, cost[kind], (space, to) in both_ends) for to, kind in around.items())
            for space, around in neighbours.items()
        },
        unwalled=tuple(space.id for space in spaces.values() if space.kind != WALLED_CITY),
        ports=tuple(space.id for space in spaces.values() if space.port),
        islands={island: tuple(provinces) for island, provinces in chart["islands"].items()},
        generals={record["id"]: _general(record) for record in box.table("generals")["generals"]},
        offices=box.table("generals")["offices"],
        cards={record["number"]: _card(record) for record in box.table("cards")["cards"]},
        battle_deck=tuple(card["id"] for card in battle_cards for _ in range(card["count"])),
        battle_cards={card["id"]: card["name"] for card in battle_cards},
        retreat_modifiers={card["id"]: card["retreat"] for card in battle_cards if "retreat" in card},
        hand_sizes={turn["turn"]: turn["cards"] for turn in tables["turns"]},
        years={turn["turn"]: turn["years"] for turn in tables["turns"]},
        raising_ops=tables["operations"]["raising_ops"],
        movement=Movement(**tables["movement"]),
        consular_army=tables["generals"]["consular_army"],
        hannibal_markers=tables["generals"]["hannibal_markers"],
        battle=BattleNumbers(**{**tables["battle"], "militia": Militia(**tables["battle"]["militia"])}),
        elephants=Elephants(**tables["elephants"]),
        siege=Siege(**{name: tables["siege"][name] for name in ("points", "cu", "carthage")}),
        side_names={side["id"]: side["name"] for side in box.sides},
        regions={record["id"]: record["name"] for record in chart["regions"]},
        tables=tables,
    )


def _space(record: SpaceRecord, region: Mapping[str, str]) -> Space:
    return Space(
        id=record["id"],
        name=record["name"],
        province=record["province"],
        region=region[record["province"]],
        kind=record["kind"],
        port="port" in record,
        port_modifier=record.get("port"),
        start_control=None if record["control"] == NEUTRAL else record["control"],
        capacity=record.get("capacity", 0),
        siege_modifier=record.get("siege", 0),
    )


def _province(record: ProvinceRecord, spaces: Mapping[str, Space]) -> Province:
    return Province(
        id=record["id"],
        name=record["name"],
        region=record["region"],
        spaces=tuple(space.id for space in spaces.values() if space.province == record["id"]),
        majority=record["majority"],
        political_point=record["point"],
        allies_value=record["allies"],
        allies_scope=record["scope"],
    )


def _general(record: Record) -> General:
    battle = record["battle"]
    rolls = dict.fromkeys(("intercepts_on", "avoids_on", "pursues_on", "cancels_withdrawal_on"), battle)
    rolls |= dict.fromkeys(("counterattacks_as_attacker_on", "counterattacks_as_defender_on"), battle)
    told = {name: value for name, value in record.items() if name not in ("ability", "confidence")}
    return General(**{**rolls, **told, "probe_as": tuple(record.get("probe_as", ()))})


def _card(record: CardRecord) -> StrategyCard:
    return StrategyCard(
        number=record["number"],
        name=record["name"],
        ops=record["ops"],
        ship=record.get("ship", False),
        event_for=record["for"],
        type=record["type"],
        battle=record.get("battle", False),
        removed_after=record.get("removed_after"),
        breaks_truce=record.get("breaks_truce", False),
        event=record["event"],
        about=record.get("about", {}),
        text=record["text"],
    )


def _neighbours(spaces: Iterable[str], connections: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    around: dict[str, dict[str, str]] = {id: {} for id in spaces}
    for a, b, kind in connections:
        around[a][b] = around[b][a] = kind
    return {id: dict(sorted(kinds.items())) for id, kinds in around.items()}
