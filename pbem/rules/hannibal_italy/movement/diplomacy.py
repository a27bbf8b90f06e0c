"""Diplomacy: a leader on the march tries to win a city over (7.4, 7.41, 7.42)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import CLASS_1
from pbem.rules.hannibal_italy.position.forces import (
    added,
    bury,
    count_losses,
    garrison,
    hexes_of,
    inside,
    loose_seen,
    sp,
    sp_here,
)
from pbem.rules.hannibal_italy.position.leadership import dies, find_refuge
from pbem.rules.hannibal_italy.position.naming import place_named
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, Game
from pbem.rules.hannibal_italy.turn.control import give_city

HANNIBAL: Final = "hannibal"


def open_cities(view: Game, side: Side, among: Iterable[str] | None = None) -> set[str]:
    """Return at which cities, of all or of some, a side may try diplomacy, if it gets there (7.4, 7.42)."""
    cities, garrisoned = view.board.cities, view.garrisons
    manned = set(hexes_of(view, ENEMY[side])) if loose_seen(view, side) else set()
    return {
        city
        for city in (view.cities if among is None else among)
        if view.cities[city] != side
        and cities[city].kind != CLASS_1
        and city not in view.tried
        and not ((cities[city].hex in manned or city in garrisoned) and _seen_held(view, side, city))
    }


def hexes_near(view: Game, city: str) -> list[str]:
    """Return the hexes from which a city can be won over: those next to it, and its own if that is agreed on (7.4)."""
    own = view.board.cities[city].hex
    around = [hex for hex, _ in view.board.steps[own]]
    return [own, *around] if view.options["diplomacy_from"] == "adjacent_or_in" else around


def places_near(view: Game) -> Mapping[str, Sequence[str]]:
    """Return, for each hex, the cities that can be won over from it (7.4)."""
    return view.board.near if view.options["diplomacy_from"] == "adjacent_or_in" else view.board.around


def why_not(view: Game, side: Side, at: str, city: str) -> Refusal | None:
    """Say why a side may not try diplomacy at a city from a hex (7.4, 7.42)."""
    record = view.board.cities[city]
    if view.cities[city] == side:
        return Refusal(f"{record.name} is yours already", "7.4")
    if record.kind == CLASS_1:
        return Refusal(f"{record.name} is a class 1 fortress: no diplomacy", "7.4")
    if at not in hexes_near(view, city):
        return Refusal(f"{record.name} is not next to {place_named(view.board, at)}, where it would be tried", "7.4")
    if city in view.tried:
        return Refusal(f"{record.name} was tried in this {view.segment}", "7.4")
    if _seen_held(view, side, city):
        most = view.board.tables["diplomacy"]["held_by"]
        return Refusal(f"{record.name} is held by {most} SP or more; then there is no diplomacy", "7.42")
    return None


def _seen_held(view: Game, side: Side, city: str) -> bool:
    """Tell whether a side sees that a city is held too strongly; units with a leader Rome does not see (7.42, 7.5)."""
    if side == CARTHAGE:
        return _held(view, ENEMY[side], city)
    if not loose_seen(view, side):
        return False
    own = sp(view.board, view.loose[CARTHAGE].get(view.board.cities[city].hex, {}))
    return _holds(view, own, city)


def _held(game: Game, owner: Side, city: str) -> bool:
    """Tell whether a city is held by so many SP that diplomacy is out of the question (7.42)."""
    return _holds(game, sp_here(game, owner, game.board.cities[city].hex), city)


def _holds(game: Game, own: int, city: str) -> bool:
    """Tell whether so many SP, with the garrison unit if it counts, keep diplomacy out of a city (7.42)."""
    if game.options["garrisons_hold"]:
        own += garrison(game, city)
    return own >= int(game.board.tables["diplomacy"]["held_by"])


def modifiers(game: Game, side: Side, together: Sequence[str], city: str) -> dict[str, int]:
    """Return the modifiers of a diplomacy roll (7.41)."""
    numbers, board = game.board.tables["diplomacy"], game.board
    province = board.provinces[board.cities[city].province]
    if side == CARTHAGE:
        if HANNIBAL not in together or not province.diagonal:
            return {}
        total = sp(board, added(*(game.leaders[leader].units for leader in together)))
        return {"hannibal": total // int(numbers["carthage_sp"])}
    besieged_too = game.options["diplomacy_besieged"]
    leaders = [
        leader
        for leader in game.on_map(ROME)
        if board.hexes[game.leaders[leader].at].province == province.id
        and (besieged_too or not (game.leaders[leader].inside and game.besieged(game.leaders[leader].at)))
    ]
    total = sum(sp(board, game.leaders[leader].units) for leader in leaders)
    return {"legions": total // int(numbers["rome_sp"])}


def attempt(game: Game, table: Table, side: Side, city: str) -> bool:
    """Try to win a city over, and tell whether it was won; the march goes on either way (7.4).

    That a city is held too strongly Rome may learn only now: it does not see what Carthage has in it (7.5).
    """
    march, record = game.the_march, game.board.cities[city]
    march.spent += int(game.board.tables["movement"]["diplomacy"])
    game.tried.append(city)
    if _held(game, ENEMY[side], city):
        table.tell("diplomacy_refused", city=city, leader=march.leader, rule="7.42")
        return False
    assert record.loyalty is not None
    changes, total = modifiers(game, side, march.together, city), 0
    if side == ROME:
        won = table.roll(
            f"diplomacy/{city}",
            at_least=record.loyalty,
            rule="7.4",
            side=side,
            leader=march.leader,
            city=city,
            modifiers=changes,
        ).success
    else:
        # What Hannibal's army adds would tell Rome how strong it is (7.5): the die alone is shown, and what came of it.
        roll = table.roll(f"diplomacy/{city}", rule="7.41", side=side, leader=march.leader, city=city)
        total = roll.total + sum(changes.values())
        won = total >= record.loyalty
    if won:
        win_over(game, table, side, city)
    else:
        table.tell("diplomacy_fails", city=city, leader=march.leader, rule="7.4")
    if side != ROME:
        need = record.loyalty
        table.tell("diplomacy_total", city=city, total=total, need=need, to=[CARTHAGE], rule="7.41", **changes)
    return won


def win_over(game: Game, table: Table, side: Side, city: str) -> None:
    """Let a city change sides by diplomacy: what the enemy has inside is lost (7.42, 10.5)."""
    lose_inside(game, table, ENEMY[side], city, combat=False)
    give_city(game, table, city, side, rule="7.4")


def lose_inside(game: Game, table: Table, side: Side, city: str, *, combat: bool = True) -> None:
    """Eliminate what a side has inside a city that it loses; each leader there dies on 1 to 3 (7.42, 9.91, 10.5).

    `combat` tells whether the city was lost by force: only what is lost in combat counts for the slaves (6.22).
    """
    hex = game.board.cities[city].hex
    units = inside(game, side, hex)
    count_losses(game, units, {}, combat=combat)
    bury(game, units)
    game.loose[side].pop(hex, None)
    for leader in game.leaders_at(side, hex, inside=True):
        game.leaders[leader].units = {}
        if not dies(game, table, leader, int(game.board.tables["dies_on"]["city_lost"]), f"danger/{city}/{leader}"):
            find_refuge(game, table, leader)
