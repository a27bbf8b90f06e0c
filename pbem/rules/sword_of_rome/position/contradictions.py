"""The proofreader of a box: names that it does not have, lists that do not add up, a map against the rules.

The printed map was not at hand when the box was made. Examples of the rulebook tell parts of it: a map that does not
have them is none on which the examples are true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pbem.game import did_you_mean
from pbem.protocol import Path
from pbem.rules.sword_of_rome.position.board import (
    APPIAN,
    BOX,
    CARTHAGE,
    CLEAR,
    ETRUSCANS,
    GAULS,
    NORMAL,
    ROMA,
    ROMANS,
    ROUGH,
    SAMNITES,
    SICILY,
    TRANSALPINE_BOX,
    WALLED,
    Board,
)

if TYPE_CHECKING:
    from pbem.game import Box

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


# ---- names in cards (7.1)


class Known(NamedTuple):
    """The names that the box has."""

    spaces: Collection[str]
    powers: Collection[str]
    leaders: Collection[str]
    regions: Collection[str]


def unknown_in_cards(table: Mapping[str, Any], known: Known) -> Iterator[Finding]:
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
