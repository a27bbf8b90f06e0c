"""The reader of the box: makes the objects of `board`, and says where its records name what is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pbem.game import did_you_mean
from pbem.protocol import Path
from pbem.rules.sword_of_rome.position.board import (
    CLEAR,
    LEADER,
    NAMED,
    TRIBE,
    WALLED,
    Board,
    Card,
    GallicEvent,
    Leader,
    Overseas,
    Power,
    Seats,
    Space,
    Voyage,
)
from pbem.rules.sword_of_rome.position.contradictions import Finding, Known, contradictions, unknown_in_cards

if TYPE_CHECKING:
    from pbem.game import Box

Record: TypeAlias = Mapping[str, Any]
"""A record of the box."""


def unpack(box: Box, players: int | None = None) -> Board:
    """Return the board of a box for a number of players, by default the usual one.

    Raises BrokenBox, naming every record at fault, if the box contradicts itself.
    """
    try:
        box.refuse(_unknown_words(box))
        games = seatings(box)
        whole = assemble(box, games[0])
        box.refuse(contradictions(whole, box))
        seats = next((each for each in games if each.players == players), games[0])
        return whole if seats is games[0] else assemble(box, seats)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        box.check()  # a record without its entries: the schemas say which
        raise


def seatings(box: Box) -> list[Seats]:
    """Return the games by their number of players, the usual one first; that has all there is on map and table."""
    return [
        Seats(
            players=record["players"],
            sides=tuple(record["sides"]),
            hands=record["hands"],
            discard_all=frozenset(record["discard_all"]),
            victory=frozenset(record["victory"]),
            events_after=record.get("events_after"),
            persons=tuple(tuple(sides) for sides in record.get("persons", [[side] for side in record["sides"]])),
        )
        for record in box.table("powers")["games"]
    ]


def in_game(records: Sequence[Record], players: int) -> list[Record]:
    """Return the records that stand for games of so many players: those without `players` stand for all."""
    return [record for record in records if players in record.get("players", (players,))]


def assemble(box: Box, seats: Seats) -> Board:
    """Return the board that the records of a box describe for a number of players."""
    chart, tables, told, players = box.table("map"), box.table("tables"), box.table("powers"), seats.players
    regions = {record["id"]: record for record in in_game(chart["regions"], players)}
    there = [record for record in in_game(chart["spaces"], players) if record["region"] in regions]
    spaces = {record["id"]: _space(record, regions[record["region"]], seats) for record in there}
    paths = [record for record in chart["connections"] if {*record["between"]} <= spaces.keys()]
    cards = {record["id"]: _card(record, box.names[record["id"]]) for record in _deck_records(box, seats)}
    if seats.events_after is not None:
        cards |= {id: _cancelling(cards[id]) for id in box.table("gallic_events")["cancelled_by"] if id in cards}
    records = in_game(told["powers"], players)
    homes = {power["id"]: [id for id, space in spaces.items() if space.home == power["id"]] for power in records}
    powers = {record["id"]: _power(record, seats, spaces, homes) for record in records}
    leaders = [each for each in in_game(box.table("leaders")["leaders"], players) if each["power"] in powers]
    mountaineers = chart["mountaineers"]
    return Board(
        seats=seats,
        sides=seats.sides,
        spaces=spaces,
        connections=tuple((*record["between"], record.get("kind", CLEAR)) for record in paths),
        neighbours=_neighbours(spaces, paths),
        ports=tuple(id for id, space in spaces.items() if space.port),
        walled=tuple(id for id, space in spaces.items() if space.kind == WALLED),
        tribes=tuple(id for id, space in spaces.items() if space.kind == TRIBE),
        homes={power: tuple(ids) for power, ids in homes.items()},
        appian_way=tuple(chart["appian_way"]),
        clear_for={mountaineers["power"]: frozenset(mountaineers["spaces"])},
        powers=powers,
        powers_of={side: tuple(id for id, power in powers.items() if power.side == side) for side in seats.sides},
        tie_order=tuple(power for power in told["tie_order"] if power in powers),
        permanent=tuple((a, b) for a, b in told["permanent"]),
        leaders={record["id"]: _leader(record, powers, spaces) for record in leaders},
        cards=cards,
        decks={side: tuple(id for id, card in cards.items() if card.deck == side) for side in seats.sides},
        named_events={
            side: tuple(id for id in ids if id in cards) for side, ids in box.table("cards")["named_events"].items()
        },
        gallic_events={
            row["total"]: GallicEvent(row["name"], row.get("of"), row.get("takes"))
            for row in box.table("gallic_events")["rows"]
        },
        voyages=tuple(_voyage(record) for record in in_game(tables["voyages"], players)),
        years={turn["turn"]: turn["years"] for turn in tables["turns"]},
        levels={turn["turn"]: turn["level"] for turn in tables["turns"]},
        tables=tables,
        names=box.names,
    )


def _deck_records(box: Box, seats: Seats) -> list[Record]:
    """Return the cards of a game: those of the sides that play; without the expansion, base cards in their places."""
    told = box.table("cards")
    in_place = {each["in_place_of"]: each for each in in_game(told.get("base_cards", ()), seats.players)}
    records = [in_place.get(record["id"], record) for record in told["cards"]]
    return [record for record in records if record["deck"] in seats.sides]


def _cancelling(card: Card) -> Card:
    """Return a card as it is in a game with Gallic events: a response that cancels one, and nothing else."""
    return card._replace(
        when="gallic_event", conditions=(), effects=({"cancel": "gallic_event"},), extra=False, remove=False
    )


def _space(record: Record, region: Record, seats: Seats) -> Space:
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
        victory=record.get("victory") in seats.victory,
    )


def _power(record: Record, seats: Seats, spaces: Mapping[str, Space], homes: Mapping[str, list[str]]) -> Power:
    low, middle, high = record["points"]
    ends = record.get("ends_in", {})
    side = record.get("side")
    led = side in seats.sides
    alone = {} if led else record
    return Power(
        id=record["id"],
        name=record["name"],
        side=side if led else None,
        points=(low, middle, high),
        raids=record.get("raids", False),
        city_loyalty=record.get("city_loyalty", 3),
        siege=record.get("siege", 0),
        levy=record.get("levy", 0),
        ends_in=frozenset([*ends.get("spaces", ()), *(homes[ends["home_of"]] if "home_of" in ends else ())]),
        victim=alone.get("victim"),
        barred=frozenset(id for id, space in spaces.items() if space.italy) if "keeps_out" in alone else frozenset(),
        activated_by=tuple(alone.get("activated_by", ())),
        overseas=_overseas(alone["overseas"], spaces) if "overseas" in alone else None,
    )


def _overseas(record: Record, spaces: Mapping[str, Space]) -> Overseas:
    region = frozenset(id for id, space in spaces.items() if space.region == record["region"])
    return Overseas(region, record["capital"], record["landing"])


def _leader(record: Record, powers: Mapping[str, Power], spaces: Mapping[str, Space]) -> Leader:
    led = powers[record["power"]].side is not None
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
        stays=frozenset(() if led else [id for id, space in spaces.items() if space.region == record.get("stays")]),
    )


def _card(record: Record, name: str) -> Card:
    return Card(
        id=record["id"],
        deck=record["deck"],
        name=name,
        value=record["value"],
        remove=record.get("remove", False),
        reshuffle=record.get("reshuffle", False),
        extra=record.get("extra", False),
        when=record.get("when"),
        conditions=tuple(record.get("if", ())),
        effects=tuple(record["do"]),
    )


def _voyage(record: Record) -> Voyage:
    return Voyage(
        power=record["power"],
        value=record["value"],
        cu=record["cu"],
        ports=tuple(record.get("ports", ())),
        holds=record.get("holds"),
        marker=record.get("marker"),
        lent=record.get("lent", False),
        allied=record.get("allied"),
    )


def _neighbours(spaces: Mapping[str, Space], paths: Sequence[Record]) -> dict[str, dict[str, str]]:
    around: dict[str, dict[str, str]] = {id: {} for id in spaces}
    for record in paths:
        a, b = record["between"]
        around[a][b] = record.get("kind", CLEAR)
        if not record.get("one_way"):
            around[b][a] = record.get("kind", CLEAR)
    return {id: dict(sorted(kinds.items())) for id, kinds in around.items()}


# ---- words that name nothing


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
    decks = {record["id"]: record["deck"] for record in box.table("cards")["cards"]}
    for i, record in enumerate(box.table("cards")["cards"]):
        yield from _unknown("cards", ("cards", i, "deck"), "side", record["deck"], sides)
    for i, record in enumerate(box.table("cards").get("base_cards", ())):
        same = {id for id, deck in decks.items() if deck == record["deck"]}
        yield from _unknown("cards", ("base_cards", i, "in_place_of"), "card of its deck", record["in_place_of"], same)
    for i, id in enumerate(box.table("gallic_events")["cancelled_by"]):
        yield from _unknown("gallic_events", ("cancelled_by", i), "card", id, {*decks})
    for i, record in enumerate(box.table("gallic_events")["rows"]):
        yield from _unknown("gallic_events", ("rows", i, "of"), "power", record.get("of", LEADER), {*powers, LEADER})
    for i, record in enumerate(told["games"]):
        for j, side in enumerate(record["sides"]):
            yield from _unknown("powers", ("games", i, "sides", j), "side", side, sides)
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
