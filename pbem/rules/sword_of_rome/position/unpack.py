"""The reader of the box: makes the objects of `board`, and proofreads the records that they are made of.

Names that the box does not have, lists that do not add up, a map against the rules. The printed map was not at hand
when the box was made. Examples of the rulebook tell parts of it: a map that does not have them is none on which the
examples are true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from pbem.game import did_you_mean
from pbem.protocol import Path, Record
from pbem.rules.sword_of_rome.position.board import (
    APPIAN,
    BOX,
    CARTHAGE,
    CLEAR,
    ETRUSCANS,
    GAULS,
    LEADER,
    NAMED,
    NORMAL,
    ROMA,
    ROMANS,
    ROUGH,
    SAMNITES,
    SICILY,
    TRANSALPINE_BOX,
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

if TYPE_CHECKING:
    from pbem.game import Box

T = TypeVar("T", bound=Any)
Finding: TypeAlias = tuple[str, Path, str]
"""File of the box, where in it, and what is wrong there."""
WHOM: Final = ("own", "ally", "other")
"""The words that name a power by who plays a card."""
LIST: Final = "cards"
BASE_LIST: Final = "base_cards"
"""The cards of the base game that the expansion takes out."""
PLACED: Final = "insurrection"
"""An event in effect that comes with an effect of its own, not with a marker."""
_ROMAN: Final = frozenset({ROMA, "capua", "narnia", "sutrium", "praeneste", "tarracina", "velitrae"})
"""Where the Romans have their support at the start (7.3.2)."""
_WAVERING: Final = frozenset({"pisae", "tarquinii"})
"""The Etruscan cities that begin with less than their greatest loyalty (7.3.2)."""
_TOUCHES: Final[Mapping[str, str]] = {"sutrium": ETRUSCANS, "capua": SAMNITES}
"""Spaces next to one of another power at the start (7.3.2)."""
_AFRICAN: Final = frozenset({"carthago", "kerkouane"})
_MARCH: Final = 4
"""The points of an army that is no Gallic one (9.2)."""


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
        _as(
            Seats,
            record,
            sides=tuple(record["sides"]),
            discard_all=frozenset(record["discard_all"]),
            victory=frozenset(record["victory"]),
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
        gallic_events={row["total"]: _as(GallicEvent, row) for row in box.table("gallic_events")["rows"]},
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


def _as(cls: type[T], record: Record, **more: object) -> T:
    """Return a record of the box as a value of a class, whose defaults stand for what the record leaves out."""
    known = {field: record[field] for field in cls._fields if field in record}
    made: T = cls(**{**known, **more})
    return made


def _space(record: Record, region: Record, seats: Seats) -> Space:
    return _as(Space, record, italy=region.get("italy", False), victory=record.get("victory") in seats.victory)


def _power(record: Record, seats: Seats, spaces: Mapping[str, Space], homes: Mapping[str, list[str]]) -> Power:
    ends = record.get("ends_in", {})
    side = record.get("side")
    led = side in seats.sides
    alone = {} if led else record
    return _as(
        Power,
        record,
        side=side if led else None,
        points=tuple(record["points"]),
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
    stays = () if led else [id for id, space in spaces.items() if space.region == record.get("stays")]
    short = record.get("short", record["name"])
    return _as(Leader, record, short=short, named=record["kind"] == NAMED, stays=frozenset(stays))


def _card(record: Record, name: str) -> Card:
    return _as(Card, record, name=name, conditions=tuple(record.get("if", ())), effects=tuple(record["do"]))


def _voyage(record: Record) -> Voyage:
    return _as(Voyage, record, ports=tuple(record.get("ports", ())))


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
    leaders, cards = box.table("leaders")["leaders"], box.table("cards")
    decks = {record["id"]: record["deck"] for record in cards["cards"]}
    yield from _unknown_in("map", "spaces", chart, ("region", "region", regions), ("home", "power", powers))
    for i, record in enumerate(chart["connections"]):
        for end in (0, 1):
            yield from _unknown("map", ("connections", i, "between", end), "space", record["between"][end], spaces)
    yield from _unknown_in("leaders", "leaders", box.table("leaders"), ("power", "power", powers))
    yield from _unknown_in("cards", "cards", cards, ("deck", "side", sides))
    for i, record in enumerate(cards.get("base_cards", ())):
        same = {id for id, deck in decks.items() if deck == record["deck"]}
        yield from _unknown("cards", ("base_cards", i, "in_place_of"), "card of its deck", record["in_place_of"], same)
    for i, id in enumerate(box.table("gallic_events")["cancelled_by"]):
        yield from _unknown("gallic_events", ("cancelled_by", i), "card", id, {*decks})
    yield from _unknown_in("gallic_events", "rows", box.table("gallic_events"), ("of", "power", {*powers, LEADER}))
    for i, record in enumerate(told["games"]):
        for j, side in enumerate(record["sides"]):
            yield from _unknown("powers", ("games", i, "sides", j), "side", side, sides)
    names = {record["id"] for record in leaders}
    yield from unknown_in_cards(box.table("cards"), Known(spaces, powers, names, regions))
    for scenario in box.scenarios:
        file, armies = f"scenarios/{scenario}", box.scenario(scenario)
        yield from _unknown_in(file, "forces", armies, ("power", "power", powers), ("at", "space", spaces))
        for i, record in enumerate(armies["forces"]):
            for j, leader in enumerate(record["leaders"]):
                yield from _unknown(file, ("forces", i, "leaders", j), "leader", leader, names)


def _unknown_in(file: str, list_: str, table: Record, *fields: tuple[str, str, set[str]]) -> Iterator[Finding]:
    """Yield the unknown words in some fields of a list of records: the field, what it names, and which there are."""
    for i, record in enumerate(table[list_]):
        for field, what, known in fields:
            if field in record:
                yield from _unknown(file, (list_, i, field), what, record[field], known)


def _unknown(file: str, path: Path, what: str, word: str, known: set[str]) -> Iterator[Finding]:
    if word not in known:
        yield file, path, f"there is no {what} {word}{did_you_mean(word, sorted(known))}"


# ---- names in cards (7.1)


class Known(NamedTuple):
    """The names that the box has."""

    spaces: Collection[str]
    powers: Collection[str]
    leaders: Collection[str]
    regions: Collection[str]


def unknown_in_cards(table: Record, known: Known) -> Iterator[Finding]:
    """Yield every name in a condition, an effect or a named event that the box does not have."""
    cards = table["cards"]
    lists = {LIST: cards, BASE_LIST: table.get(BASE_LIST, ())}
    every = [(list_, i, card) for list_, records in lists.items() for i, card in enumerate(records)]
    markers = {each["marker"]["name"] for _, _, card in every for each in card["do"] if "marker" in each} | {PLACED}
    for list_, i, card in every:
        for part in ("if", "do"):
            for j, words in enumerate(card.get(part, ())):
                for word, told in words.items():
                    for path, what, name, names in _names(word, told, known, markers):
                        if name not in names:
                            reason = f"there is no {what} {name}{did_you_mean(name, sorted(names))}"
                            yield "cards", (list_, i, part, j, word, *path), reason
    decks = {card["id"]: card["deck"] for card in cards}
    for side, ids in table["named_events"].items():
        for i, id in enumerate(ids):
            if decks.get(id) != side:
                yield "cards", ("named_events", side, i), f"{side} has no card {id} in its deck"


def _names(
    word: str, told: Any, known: Known, markers: Collection[str]
) -> Iterator[tuple[Path, str, str, Collection[str]]]:
    """Yield the names in one condition or effect: where they stand, what they are, and which there are."""
    whom = [*WHOM, *known.powers]
    if word in ("active", "army_of", "attacker", "besieger", "mover", "near", "winner") and isinstance(told, str):
        yield (), "power", told, whom
    elif word == "nonplayer":
        yield from (((i,), "power", power, known.powers) for i, power in enumerate(told))
    elif word == "treaty":
        yield (), "power", told, known.powers
    elif word == "region":
        yield from (((i,), "region", region, known.regions) for i, region in enumerate(told))
    elif word == "marker" and isinstance(told, str):
        yield (), "event in effect called", told, markers
    elif isinstance(told, Mapping):
        for key in ("of", "by", "power"):
            if isinstance(told.get(key), str):
                yield (key,), "power", told[key], whom if word not in ("sail", "ambush", "plunder") else known.powers
        if "space" in told:
            yield ("space",), "space", told["space"], known.spaces
        for i, leader in enumerate(told.get("one_of", ())):
            yield ("one_of", i), "leader", leader, known.leaders


# ---- lists and the map


def contradictions(board: Board, box: Box) -> Iterator[Finding]:
    """Yield totals that the lists do not add up to, decks of another size, spaces that no path reaches, and the rest.

    `board` is that of the usual game, which has all spaces.
    """
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
    rows = {record["id"]: i for i, record in enumerate(box.table("map")["spaces"])}
    for id, i in rows.items():
        if id not in reached and board.spaces[id].kind != BOX:
            yield "map", ("spaces", i), f"no path and no port leads from Roma to {id}: the map is cut in two"
    if missing := sorted({*_ROMAN, *_WAVERING, *_AFRICAN, "antium", "clusium", "eporedia"} - rows.keys()):
        yield "map", ("spaces",), f"the rules name spaces that are not here: {', '.join(missing)}"
        return
    yield from _paths_against_the_rules(board)
    for id, key, reason in _spaces_against_the_rules(board):
        yield "map", ("spaces", rows[id], *key), reason


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


def _paths_against_the_rules(board: Board) -> Iterator[Finding]:
    """Yield paths that the rules tell of and the map does not have."""
    from_the_box = [ends for ends in board.connections if TRANSALPINE_BOX in ends]
    if from_the_box != [(TRANSALPINE_BOX, "eporedia", ROUGH)] or board.neighbours["eporedia"].get(TRANSALPINE_BOX):
        yield "map", ("connections",), "one rough path, one way, leads from the Transalpine box, to Eporedia (2.2)"
    way = board.appian_way
    if way[0] != ROMA or way[-1] != "antium" or len(way) < len((ROMA, "between", "antium")):
        yield "map", ("appian_way",), "the Appian Way leads from Roma to Antium by at least one space (21.2)"
    for i, (a, b) in enumerate(pairwise(way)):
        if board.neighbours[a].get(b) != APPIAN:
            yield "map", ("appian_way", i), f"no path of kind appian joins {a} and {b} (21.2)"
    if ROMA not in _in_reach(board, "clusium", _MARCH):
        yield "map", ("connections",), f"an army marches from Clusium to Roma with {_MARCH} points (7.3.2)"


def _in_reach(board: Board, origin: str, points: int) -> Collection[str]:
    """Return the spaces to which an army can march from one with some points, before the Appian Way is built (9.2)."""
    costs = board.tables["movement"]["cost"]
    left = {origin: points}
    found = [origin]
    while found:
        here = found.pop()
        for to, kind in board.neighbours[here].items():
            rest = left[here] - costs[CLEAR if kind == APPIAN else kind]
            if rest >= 0 and rest > left.get(to, -1):
                left[to] = rest
                found.append(to)
    return left.keys()


def _spaces_against_the_rules(board: Board) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield spaces that are not as the rules tell of them: the space, its value, what the rules say."""
    spaces = board.spaces
    for id in board.homes[ROMANS]:
        if id not in _ROMAN:
            yield id, ("home",), f"{id} is none of the seven spaces where the Romans have support at the start (7.3.2)"
    for id in board.homes[ETRUSCANS]:
        if spaces[id].kind == WALLED and spaces[id].loyalty < board.tables["city"]["loyalty"] and id not in _WAVERING:
            yield id, ("loyalty",), "of the Etruscan cities only Pisae and Tarquinii begin with less than 3 (7.3.2)"
    for id, power in _TOUCHES.items():
        if not any(spaces[near].home == power for near in board.neighbours[id]):
            yield id, (), f"no space of the {board.powers[power].name} is next to {id}, as one is in the rules (7.3.2)"
    for id in board.homes[GAULS]:
        if spaces[id].kind != NORMAL:
            yield id, ("kind",), f"{id} is a home space of the Gauls, where there are markers (14.6)"
    yield from _carthage_against_the_rules(board)


def _carthage_against_the_rules(board: Board) -> Iterator[tuple[str, tuple[str, ...], str]]:
    spaces = board.spaces
    own = [id for id in board.homes[CARTHAGE] if spaces[id].kind != BOX]
    for id in [id for id in own if spaces[id].region == SICILY and spaces[id].port][2:]:
        yield id, (), "Carthage has two ports in Sicily at the start: a hand of 5 and 2 is 7 (S 5.2, S set-up)"
    for id in own:
        if spaces[id].port != spaces[id].victory:
            reason = "the victory spaces of Carthage are the ports that it controls at the start (S 2.2)"
            yield id, ("victory" if spaces[id].victory else "port",), f"{id}: {reason}"
    africa = {spaces[id].region for id in _AFRICAN}
    for id, space in spaces.items():
        if space.region in africa and id not in _AFRICAN:
            yield id, ("region",), f"Carthago and Kerkouane are the spaces in Africa, {id} is none (17)"
