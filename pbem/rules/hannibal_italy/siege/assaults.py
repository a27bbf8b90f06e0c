"""Sieges in play: the besieger of a city rolls for surrender, assaults it, or does neither (9.7, 9.8, 9.81)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.hannibal_italy.battle.aftermath import lose_apart, note_the_year, return_apart, send_home
from pbem.rules.hannibal_italy.battle.foraging import send_foragers
from pbem.rules.hannibal_italy.battle.losses import account, take_losses
from pbem.rules.hannibal_italy.battle.parties import commander_of, draw_up, in_line, set_in_line
from pbem.rules.hannibal_italy.movement.diplomacy import lose_inside
from pbem.rules.hannibal_italy.position.board import NO_CASE, City
from pbem.rules.hannibal_italy.position.forces import inside, outside, sp, without_elephants
from pbem.rules.hannibal_italy.position.leadership import find_refuge
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, Game
from pbem.rules.hannibal_italy.siege.siege import (
    ASSAULT,
    LEAVE,
    SIEGE,
    assault_modifiers,
    column_of,
    fall,
    needed,
    relieved,
    roll_for_surrender,
    too_weak,
    unseen_inside,
    visible_need,
)
from pbem.rules.hannibal_italy.turn.control import lose_garrison


def besiege(game: Game, table: Table, hex: str) -> Flow[None]:
    """Play one siege: a besieger too weak to go on goes back; any other is asked what to do (9.7, 9.71).

    Nobody forages before a siege that cannot be: with the enemy before the walls, or without the strength (9.4).
    """
    city = game.city_at(hex)
    assert city is not None
    side = ENEMY[game.cities[city.id]]
    if game.options["forage_before"] == "field_and_siege" and not relieved(game, city):
        own = sp(game.board, outside(game, side, hex))
        game.battle = draw_up(game, hex)
        yield from send_foragers(game, table, side, excused=own < visible_need(game, side, city))
    weak = sp(game.board, outside(game, side, hex)) < needed(game, city)
    if city.id in game.sieges and weak:
        _recall(game, table, side)
        yield from too_weak(game, table, side, city)
    elif not relieved(game, city):
        yield from _choose(game, table, side, city)
    _recall(game, table, side)


def _recall(game: Game, table: Table, side: Side) -> None:
    """Let foragers rejoin their army, or be lost with it; leaders who have lost all units go away (9.4, 10.2)."""
    battle = game.battle
    if battle is None:
        return
    party = battle.parties[side]
    if party.foragers and not in_line(game, side):
        lose_apart(game, table, side, party.foragers, rule="9.4")
        party.foragers = {}
    return_apart(game, side)
    if battle.round and not in_line(game, side):
        for leader in game.leaders_at(side, battle.hex, inside=False):
            find_refuge(game, table, leader, rule="10.2")
    if battle.round and side == ROME:
        send_home(game, table)
    game.battle = None


def _choose(game: Game, table: Table, side: Side, city: City) -> Flow[None]:
    """Ask the side before a city what it does there; a besieger that proves too weak goes back (9.7, 9.8)."""
    own, need = sp(game.board, outside(game, side, city.hex)), visible_need(game, side, city)
    siege = game.sieges.get(city.id)
    number = siege.number if siege is not None else int(game.board.tables["siege_numbers"][0])
    order = yield from table.ask(
        side,
        "besiege",
        rule="9.7",
        default={"do": SIEGE if own >= need else LEAVE},
        secret=side == CARTHAGE,
        city=city.id,
        own_sp=own,
        needed=need,
        number=number,
        can_assault=column_of(game, side, city, need) != NO_CASE,
        under_siege=siege is not None,
        unseen=unseen_inside(game, side, city),
    )
    do = order["do"]
    if do == LEAVE:
        if siege is not None:
            del game.sieges[city.id]
            table.tell("siege_given_up", city=city.id, side=side, rule="9.7")
        return
    if own < needed(game, city):
        _recall(game, table, side)
        yield from too_weak(game, table, side, city)
        return
    if do == ASSAULT and column_of(game, side, city) == NO_CASE:
        table.tell("assault_impossible", city=city.id, side=side, needed=needed(game, city), rule="9.8")
        do = SIEGE
    if do == SIEGE or game.options["siege_and_assault"]:
        roll_for_surrender(game, table, side, city)
    if do == ASSAULT and game.cities[city.id] != side:
        yield from assault(game, table, side, city)


def assault(game: Game, table: Table, side: Side, city: City) -> Flow[None]:
    """Assault a city: one round, by the siege chart (9.8, 9.81, 11.3)."""
    game.battle = battle = game.battle or draw_up(game, city.hex)
    board, owner = game.board, game.cities[city.id]
    battle.attacker, battle.parties[owner].leaders = side, game.leaders_at(owner, city.hex, inside=True)
    column = column_of(game, side, city)
    for each in SIDES:
        party = battle.parties[each]
        party.commander = yield from commander_of(game, table, each, party.leaders, city.hex)
    battle.round = 1
    roll = table.roll(
        f"assault/{city.id}",
        rule="9.8",
        modifiers=assault_modifiers(game, side, city),
        side=side,
        city=city.id,
        odds=board.assault.columns[column],
    )
    result = board.assault.read(column, roll.total)
    table.tell("assault_result", city=city.id, side=side, result=result, rule="9.8")
    words = result.split(" ")
    if words[0].startswith("A"):
        yield from _attackers_lose(game, table, side, city, int(words[0][1:]))
    defenders = sp(board, inside(game, owner, city.hex))
    if words[-1] in ("S", "DE"):
        battle.parties[owner].lost += defenders
    note_the_year(game)
    if words[-1] == "S":
        fall(game, table, side, city, rule="9.8")
        return
    if words[-1] == "DE":
        _defenders_eliminated(game, table, owner, city)
    own = sp(board, outside(game, side, city.hex))
    if own < needed(game, city) and column_of(game, side, city) == NO_CASE:
        _recall(game, table, side)
        yield from too_weak(game, table, side, city)


def _attackers_lose(game: Game, table: Table, side: Side, city: City, count: int) -> Flow[None]:
    whole = in_line(game, side)
    before = without_elephants(game.board, whole)
    lost = yield from take_losses(game, table, {side: before}, count, "9.8")
    after = lost[side]
    kept = {unit: number for unit, number in whole.items() if unit not in before}
    set_in_line(game, side, {**after, **kept})
    account(game, table, side, before, after)


def _defenders_eliminated(game: Game, table: Table, owner: Side, city: City) -> None:
    """Eliminate what is inside; the walls hold, the leaders roll as in a lost city (siege chart, DE; 10.5)."""
    table.tell("defenders_eliminated", city=city.id, side=owner, rule="9.8")
    lose_inside(game, table, owner, city.id)
    lose_garrison(game, city.id)
