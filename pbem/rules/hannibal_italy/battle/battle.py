"""Field battles: who wants one, who gets away, the ambush, and the rounds until the battle ends (9.1 to 9.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Table, Value, listing, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.battle.aftermath import break_off, clear_away, go_away, way_out
from pbem.rules.hannibal_italy.battle.foraging import LEAST, NONE, SetAsideOrder, least, send_foragers
from pbem.rules.hannibal_italy.battle.losses import account, take_losses
from pbem.rules.hannibal_italy.battle.parties import (
    LOOSE,
    bring_back,
    commander_of,
    draw_up,
    has_elephants,
    in_line,
    join_inside,
    set_aside,
    set_in_line,
    strength,
    waits_inside,
)
from pbem.rules.hannibal_italy.position.board import NO_CASE, ROUGH, field_column
from pbem.rules.hannibal_italy.position.forces import added, covers, loose_seen, sp, veiled
from pbem.rules.hannibal_italy.position.naming import units_named
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, Game

SECOND, THIRD = 2, 3
FIGHT: Final = "fight"
WITHDRAW: Final = "withdraw"
STOP: Final = "stop"
"""Stop if the enemy goes back a hex (9.2)."""
GIVE_WAY: Final = "give_way"
"""Stop, and go back a hex (9.2)."""
MOST_ROUNDS: Final = 100
GOOD_ODDS: Final = 2


# ---- the ambush: part of his army attacks in the second round, or the third, or never (9.5)


def lay_ambush(game: Game, table: Table) -> Flow[None]:
    """Let Hannibal set at least a quarter of the SP in his line aside, once Rome has shown its strength (9.5)."""
    battle, board = game.the_battle, game.board
    party = battle.parties[CARTHAGE]
    chiefs = [leader for leader in party.leaders if game.card(leader).ambushes]
    units = in_line(game, CARTHAGE)
    if not chiefs or sum(units.values()) < 2:
        return
    due = -(-sp(board, units) // int(board.tables["ambush"]["least"]))
    answer = yield from table.ask(
        CARTHAGE, "ambush", rule="9.5", default={"units": NONE}, secret=True, hex=battle.hex, least=due, units=units
    )
    order = SetAsideOrder.read(answer)
    if order.nobody:
        return
    chosen = order.units(board, units, due)
    holders = [LOOSE, *party.leaders] if party.loose else party.leaders
    battle.ambush = set_aside(game, CARTHAGE, chosen, holders)
    table.tell("ambush_laid", leader=chiefs[0], hex=battle.hex, sp=sp(board, chosen), rule="9.5")


def spring(game: Game, table: Table) -> bool:
    """Roll in the second round whether the ambush arrives, and tell whether it arrives in this round (9.5)."""
    battle, numbers = game.the_battle, game.board.tables["ambush"]
    if not battle.ambush:
        return False
    if battle.round == SECOND:
        roll = table.roll(
            f"battle/{battle.hex}/ambush", at_most=int(numbers["arrives_on"]), rule="9.5", side=CARTHAGE, hex=battle.hex
        )
        if roll.success:
            battle.ambush_comes = SECOND
        elif roll.total <= int(numbers["late_on"]):
            battle.ambush_comes = THIRD
            table.tell("ambush_late", hex=battle.hex, rule="9.5")
        else:
            battle.ambush_failed = True
            table.tell("ambush_lost", hex=battle.hex, rule="9.5")
    if battle.round != battle.ambush_comes:
        return False
    table.tell("ambush_springs", hex=battle.hex, sp=sp(game.board, added(*battle.ambush.values())), rule="9.5")
    bring_back(game, CARTHAGE, battle.ambush)
    battle.ambush = {}
    return True


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an ambush: units that are not there, too few, or all (9.5)."""
    units, due, ambush = decision.facts["units"], decision.facts["least"], SetAsideOrder.read(order)
    if ambush.nobody:
        return
    chosen = ambush.units(view.board, units, due)
    absent = [unit for unit, count in chosen.items() if not covers(units, {unit: count})]
    there = listing(f"{count} {each}" for each, count in units.items()) or "none"
    for unit in absent:
        reason = f"there are only {units[unit]} {unit} here" if units.get(unit) else f"there are no {unit} here"
        yield order.fault(("units", unit), f"{reason}; there are {there}", rule="9.5")
    if absent:
        return
    if sp(view.board, chosen) < due:
        reason = f"an ambush takes {due} SP at least; these are {sp(view.board, chosen)}"
        yield order.fault(("units",), reason, rule="9.5")
    elif covers(chosen, units):
        yield order.fault(("units",), "some units must fight the first round; all would lie in ambush", rule="9.5")


def choices(view: Game, decision: Decision) -> Part:
    """Return no ambush, the smallest one, and each kind of unit that is enough for one (9.5)."""
    units, due = decision.facts["units"], decision.facts["least"]
    if veiled(view, CARTHAGE, decision.facts["hex"]):
        return UNTOLD
    values = [Value(NONE, says=(NONE,))]
    if least(view.board, units, due) != units:
        values.append(Value(LEAST, says=(LEAST,)))
    for unit, count in units.items():
        needed = -(-due // view.board.units[unit].sp)
        if needed <= count and {unit: needed} != units:
            values.append(Value({unit: needed}, label=units_named(view.board, {unit: needed})))
    return OneOf("units", values)


# ---- the battle (9.1, 9.2, 9.6)


def fight(game: Game, table: Table, hex: str) -> Flow[None]:
    """Fight a battle in a hex, if anybody wants to and nobody gets away (9.1)."""
    battle = game.battle = draw_up(game, hex)
    battle.revealed = bool(game.leaders_at(ROME, hex))
    if battle.revealed:
        table.tell("armies_meet", hex=hex, rule="7.5")
    yield from _sally(game, table)
    if all(battle.parties[side].leaders or battle.parties[side].loose for side in SIDES):
        eager = yield from _who_wants_it(game, table)
        if eager:
            yield from _battle(game, table, eager)
    game.battle = None


def _sally(game: Game, table: Table) -> Flow[None]:
    """Ask the besieged whether they come out to fight (9.71)."""
    battle = game.the_battle
    siege = game.besieged(battle.hex)
    if siege is None or not waits_inside(game, ENEMY[siege.side], battle.hex):
        return
    side = ENEMY[siege.side]
    order = yield from table.ask(side, "sally", rule="9.71", default={"sally": False}, hex=battle.hex)
    if order["sally"]:
        join_inside(game, battle, side)
        table.tell("sallies", side=side, hex=battle.hex, rule="9.71")


def _who_wants_it(game: Game, table: Table) -> Flow[list[Side]]:
    """Ask both sides whether they want battle and return those that do; a side that sallies does (9.1, 9.71)."""
    battle = game.the_battle
    strengths = {side: strength(game, side) for side in SIDES}
    questions = [
        Decision(
            "fight",
            side,
            "9.1",
            {"hex": battle.hex, "own_sp": strengths[side]}
            | ({"enemy_sp": strengths[ENEMY[side]]} if _sees(game, side) else {}),
            {"fight": side == CARTHAGE and _promising(strengths)},
            secret=side == CARTHAGE and not battle.revealed,
        )
        for side in SIDES
        if not battle.parties[side].sallies
    ]
    answers = yield from table.ask_all(questions)
    wishes = {question.side: order["fight"] for question, order in zip(questions, answers, strict=True)}
    eager = [side for side in SIDES if wishes.get(side, True)]
    if not eager:
        table.tell("no_battle", hex=battle.hex, rule="9.1")
    return eager


def _sees(game: Game, side: Side) -> bool:
    """Tell whether a side sees how strong the enemy is before a battle (7.5)."""
    battle = game.the_battle
    return battle.revealed or (loose_seen(game, side) and (side == CARTHAGE or not battle.parties[CARTHAGE].leaders))


def _promising(strengths: Mapping[Side, int]) -> bool:
    """Tell whether a silent Carthage fights: at two to one or better (9.1)."""
    return 0 < strengths[CARTHAGE] >= GOOD_ODDS * strengths[ROME]


def _battle(game: Game, table: Table, eager: list[Side]) -> Flow[None]:
    """Let the attacker attack: the side that wants battle; if both do, the side that moved second (9.2)."""
    battle = game.the_battle
    battle.attacker = eager[0] if len(eager) == 1 else game.moved_last
    battle.revealed = True
    table.tell("battle_begins", hex=battle.hex, side=battle.attacker, rule="9.2")
    for side in SIDES:
        party = battle.parties[side]
        party.commander = yield from commander_of(game, table, side, party.leaders, battle.hex)
    away = yield from _before_the_battle(game, table)
    if not away:
        if all(in_line(game, side) for side in SIDES):
            yield from _rounds(game, table, eager)
        clear_away(game, table)


def _before_the_battle(game: Game, table: Table) -> Flow[bool]:
    """Let the side that does not attack try to withdraw, at no risk; tell whether it got away (9.1, 10.4, 10.5)."""
    battle = game.the_battle
    side = ENEMY[battle.attacker]
    commander = battle.parties[side].commander
    if not commander or not way_out(game, side):
        return False
    order = yield from table.ask(
        side, "withdraw", rule="10.4", default={"withdraw": False}, hex=battle.hex, leader=commander
    )
    name = f"withdraw/{battle.hex}/before/{side}"
    return bool(order["withdraw"]) and (yield from break_off(game, table, side, name, risky=False))


def _rounds(game: Game, table: Table, eager: list[Side]) -> Flow[None]:
    """Forage, lay the ambush, and fight rounds until the battle is over (9.2, 9.4, 9.5)."""
    battle = game.the_battle
    for side in SIDES:
        yield from send_foragers(game, table, side)
    yield from lay_ambush(game, table)
    while battle.round < MOST_ROUNDS:
        battle.round += 1
        springs = spring(game, table)
        column = _attack(game, table, eager)
        if column == NO_CASE:
            battle.round -= 1
            yield from _nobody_can(game, table)
            return
        yield from _one_round(game, table, column, springs)
        if not all(in_line(game, side) for side in SIDES):
            return
        wishes = yield from _wishes(game, table)
        if (yield from _somebody_leaves(game, table, wishes)) or (yield from _they_stop(game, table, wishes)):
            return
        eager = [side for side in SIDES if wishes[side] == FIGHT]


def _attack(game: Game, table: Table, eager: list[Side]) -> int:
    """Return the column of this round; an attacker below 1-2 leaves the attack to an enemy who wants it (9.2)."""
    battle = game.the_battle
    column = column_of(game)
    enemy = ENEMY[battle.attacker]
    if column != NO_CASE or game.options["below_odds"] == "end" or enemy not in eager:
        return column
    column = column_of(game, enemy)
    if column != NO_CASE:
        battle.attacker = enemy
        table.tell("roles_change", side=enemy, hex=battle.hex, rule="9.2")
    return column


def _nobody_can(game: Game, table: Table) -> Flow[None]:
    """End a battle in which no attack is possible: before the first round nobody moves, later one side goes (9.2)."""
    battle = game.the_battle
    table.tell("battle_stops", hex=battle.hex, rule="9.2")
    for side in (battle.attacker, ENEMY[battle.attacker]):
        if battle.round and way_out(game, side):
            yield from go_away(game, table, side)
            return


def column_of(game: Game, attacker: Side = "") -> int:
    """Return the column of a side's attack, shifts counted in; NO_CASE: no attack is possible (9.2, 9.6, 9.93)."""
    battle = game.the_battle
    attacker = attacker or battle.attacker
    defender = ENEMY[attacker]
    shifts = 0
    rough = game.board.hexes[battle.hex].terrain == ROUGH and game.city_at(battle.hex) is None
    if rough and attacker != CARTHAGE:
        shifts -= 1
    if over_a_river(game, attacker) and not (attacker == CARTHAGE and game.options["light_units"] != "rough"):
        shifts -= 1
    siege = game.besieged(battle.hex)
    if siege is not None and siege.works and siege.side == defender:
        shifts -= 1
    own, enemy = strength(game, attacker), strength(game, defender)
    return field_column(game.board, own, enemy, shifts, str(game.options["odds_rounding"]))


def over_a_river(game: Game, attacker: Side) -> bool:
    """Tell whether all who attack came into the hex over a river (terrain chart)."""
    battle = game.the_battle
    party = battle.parties[attacker]
    if game.options["river_shift"] == "never" or not party.leaders or party.loose:
        return False
    return all((game.leaders[each].came_from, battle.hex) in game.board.rivers for each in party.leaders)


def _one_round(game: Game, table: Table, column: int, springs: bool) -> Flow[None]:
    """Roll for one round, and let both sides lose what the chart says (9.2, 9.3, 10.3, 11.1)."""
    battle, board = game.the_battle, game.board
    attacker, defender = battle.attacker, ENEMY[battle.attacker]
    modifiers = round_modifiers(game, springs=springs)
    roll = table.roll(
        f"battle/{battle.hex}/round-{battle.round}",
        rule="9.2",
        modifiers=modifiers,
        side=attacker,
        hex=battle.hex,
        round=battle.round,
        odds=board.field.columns[column],
        own_sp=strength(game, attacker),
        enemy_sp=strength(game, defender),
    )
    result = board.field.read(column, roll.total)
    table.tell("round_result", hex=battle.hex, round=battle.round, result=result, rule="9.2")
    losers = {"A": [attacker], "D": [defender], "E": [attacker, defender]}[result[0]]
    before = {side: in_line(game, side) for side in losers}
    after = yield from take_losses(game, table, before, int(result[1:]), "9.3")
    for side in losers:
        set_in_line(game, side, after[side])
        account(game, table, side, before[side], after[side])


def round_modifiers(game: Game, *, springs: bool = False) -> dict[str, int]:
    """Return the modifiers of a round: commanders, elephants, the ambush that springs (9.5, 10.3, 11.1)."""
    attacker, tables = game.the_battle.attacker, game.board.tables
    modifiers = {"leaders": _rating(game, attacker) - _rating(game, ENEMY[attacker])}
    if has_elephants(game):
        modifiers["elephants"] = int(tables["elephants"]["attacking" if attacker == CARTHAGE else "defending"])
    if springs:
        die = int(tables["ambush"]["die"])
        modifiers["ambush"] = die if attacker == CARTHAGE else -die
    return modifiers


def _rating(game: Game, side: Side) -> int:
    commander = game.the_battle.parties[side].commander
    return game.card(commander).combat if commander else 0


def _wishes(game: Game, table: Table) -> Flow[dict[Side, str]]:
    """Ask both sides whether they fight on, try to withdraw, or would stop (9.2, 10.4)."""
    battle = game.the_battle
    strengths = {side: strength(game, side) for side in SIDES}
    questions = [
        Decision(
            "go_on",
            side,
            "9.2",
            {
                "hex": battle.hex,
                "round": battle.round,
                "own_sp": strengths[side],
                "enemy_sp": strengths[ENEMY[side]],
                "lost": battle.parties[side].lost,
                "way_out": bool(way_out(game, side)),
                "commander": battle.parties[side].commander,
                "attacking": side == battle.attacker,
            },
            {"do": _silent(game, side, strengths[side])},
        )
        for side in SIDES
    ]
    answers = yield from table.ask_all(questions)
    return {side: order["do"] for side, order in zip(SIDES, answers, strict=True)}


def _silent(game: Game, side: Side, own: int) -> str:
    """Return the default of a side: it withdraws, if it can, once half its strength is gone (10.4)."""
    party = game.the_battle.parties[side]
    able = bool(party.commander) and bool(way_out(game, side))
    return WITHDRAW if able and own < party.lost else FIGHT


def _somebody_leaves(game: Game, table: Table, wishes: dict[Side, str]) -> Flow[bool]:
    """Let those who want to try to withdraw, the defender first; tell whether one side got away (9.2, 10.4)."""
    battle = game.the_battle
    turns = [ENEMY[battle.attacker], battle.attacker]
    if game.options["withdraw_first"] == "attacker":
        turns.reverse()
    for side in turns:
        name = f"withdraw/{battle.hex}/round-{battle.round}/{side}"
        if wishes[side] == WITHDRAW and (yield from break_off(game, table, side, name, risky=True)):
            return True
    return False


def _they_stop(game: Game, table: Table, wishes: dict[Side, str]) -> Flow[bool]:
    """Tell whether both sides stop, and let one go back: the side that gives way; if both do, the attacker (9.2)."""
    battle = game.the_battle
    turns = (battle.attacker, ENEMY[battle.attacker])
    giving = [side for side in turns if wishes[side] == GIVE_WAY]
    if any(wishes[side] not in (STOP, GIVE_WAY) for side in turns):
        return False
    if not giving:
        table.tell("nobody_gives_way", hex=battle.hex, rule="9.2")
        return False
    table.tell("battle_stops", hex=battle.hex, rule="9.2")
    yield from go_away(game, table, giving[0])
    return True


# ---- what may be ordered


def _go_on_choices(view: Game, decision: Decision) -> Part:
    ways = [Value(do, says=(do,), why=_why_not_go(decision, do)) for do in (FIGHT, STOP, WITHDRAW, GIVE_WAY)]
    return OneOf("do", ways)


def _check_go_on(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with breaking off: there is nowhere to go, or nobody to lead the way (10.4)."""
    if why := _why_not_go(decision, order["do"]):
        yield order.fault(("do",), why, rule="10.4")


def _why_not_go(decision: Decision, do: str) -> str:
    """Say why a side cannot do something in a battle; empty: it can (10.4)."""
    if do in (WITHDRAW, GIVE_WAY) and not decision.facts["way_out"]:
        return "there is no hex to withdraw to: those next to this one are the enemy's, closed or full"
    if do == WITHDRAW and not decision.facts["commander"]:
        return "units withdraw only with a leader, and there is none here; they can fight on or stop"
    return ""


BATTLE_KINDS: Final = (
    Kind("sally", *yes_or_no("sally"), hints="views.hints:sally"),
    Kind("fight", *yes_or_no("fight"), hints="views.hints:fight", bot="policy.replies:fight"),
    Kind("withdraw", *yes_or_no("withdraw"), hints="views.hints:withdraw", bot="policy.replies:withdraw"),
    Kind("go_on", _go_on_choices, _check_go_on, hints="views.hints:go_on", bot="policy.replies:go_on"),
    Kind("ambush", choices, check, hints="views.hints:ambush"),
)
