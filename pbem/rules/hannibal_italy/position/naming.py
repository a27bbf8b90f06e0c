"""Names of leaders and places in the sentences of faults, with the word for the sheet where the name will not do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.game import did_you_mean, listing, name_and_id
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.state import AWAY, CANDIDATES, DEAD, SENATE, UNPLACED, Game

_WHERE: dict[str, str] = {
    AWAY: "is off the map",
    CANDIDATES: "is a candidate for office",
    DEAD: "is dead",
    SENATE: "sits in the Senate",
    UNPLACED: "has been elected, and has no place on the map yet",
}


def leader_named(board: Board, leader: str) -> str:
    """Return the name of a leader, with his id in brackets where it is not the name in small letters."""
    return name_and_id(board.leaders[leader].name, leader) if leader in board.leaders else leader


def leaders_named(board: Board, leaders: Iterable[str], joined: str = "and") -> str:
    """Return the names of leaders as a sentence lists them; `nobody` if there are none."""
    return listing((leader_named(board, leader) for leader in leaders), joined) or "nobody"


def unit_named(board: Board, unit: str) -> str:
    """Return the name of a kind of units, with its id in brackets where it is not the name in small letters."""
    return name_and_id(board.units[unit].name, unit) if unit in board.units else unit


def units_named(board: Board, units: Mapping[str, int]) -> str:
    """Return units as a sentence lists them; `none` if there are none."""
    return listing((f"{count} {unit_named(board, unit)}" for unit, count in units.items()), "and") or "none"


def name_meant(word: str, names: Mapping[str, str]) -> str:
    """Return the end of a sentence about a word that is none of some ids: the name that may be meant."""
    near = did_you_mean(word, names, ", ")
    return next((f", did you mean {name}?" for id, name in names.items() if near == f", did you mean {id}?"), near)


def city_meant(board: Board, city: str) -> str:
    """Return the end of a sentence about a city that there is not: which one may be meant."""
    return name_meant(city, {id: record.name for id, record in board.cities.items()})


def place_named(board: Board, place: str | int) -> str:
    """Return a place as players call it and may write it: by its city, or else `hex 0522`."""
    hex = board.find(place)
    if hex is None:
        return str(place)
    city = board.hexes[hex].city
    return f"hex {hex}" if city is None else board.cities[city].name


def places_named(board: Board, places: Iterable[str], joined: str = "and") -> str:
    """Return places as a sentence lists them; `none` if there are none."""
    return listing((place_named(board, place) for place in places), joined) or "none"


def few_places(board: Board, places: Sequence[str], most: int = 8) -> str:
    """Return places as a sentence lists them, the first of them if they are many."""
    more = len(places) - most
    return (
        f"{', '.join(place_named(board, each) for each in places[:most])} and {more} more"
        if more > 0
        else places_named(board, places)
    )


def no_such_place(board: Board, place: str | int) -> str:
    """Say that there is no such hex or city, and which one may be meant."""
    known = {each: each if each in board.hexes else place_named(board, each) for each in board.by_name}
    return f"there is no hex or city {place}{name_meant(str(place), known)}"


def why_not_at_hand(game: Game, side: str, leader: str) -> str:
    """Say why somebody is no leader of a side on the map: unknown, the enemy's, or where his counter lies instead."""
    if leader not in game.board.leaders:
        near = name_meant(leader, {id: leader_named(game.board, id) for id in game.board.leaders})
        return f"no leader is called {leader}{near}"
    name = leader_named(game.board, leader)
    if leader not in game.board.roster[side]:
        return f"{name} is not your leader"
    return f"{name} {_WHERE.get(game.leaders[leader].at, 'is on the map')}"
