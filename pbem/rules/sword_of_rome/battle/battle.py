"""Battle: from its declaration to what a victory brings (12).

* `fight` fights one: automatic victory, dice, losses, retreat, points (12.1, steps D to H). The armies are those that
  attacker and defender have in the space; a flank is in `Game.battle` before, with `flank`, `flank_at`, `flank_cu`.

Responses come at `battle_begins`, `battle_roll`, `battle_lost` (before the retreat: the battle may be fought again) and
`battle_won` (before the points are spent).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pbem.game import Table, Throw
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle import spoils
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, Modifiers, automatic_winner, modifiers
from pbem.rules.sword_of_rome.battle.retreat import Loss, bear, divide, retreat
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement.paths import Beaten
from pbem.rules.sword_of_rome.position.board import BOX, CLEAR, DIFFICULT, GAULS, GREEKS, TRANSALPINE_BOX, WALLED
from pbem.rules.sword_of_rome.position.changes import displace, lift_sieges, settle_spaces
from pbem.rules.sword_of_rome.position.state import Battle, Game, Moment
from pbem.rules.sword_of_rome.siege.siege import go_back_inside, place_marker, relieve
from pbem.rules.sword_of_rome.turn.overseas import rescue

WILD_BEASTS: Final = "wild_beasts"
ELEPHANTS: Final = "elephants"


class Outcome(NamedTuple):
    """How a battle ended."""

    winner: str
    loser: str
    goes_on: bool
    """The attacker may march on: it has won without dice, or the defender has fled (12.2.1, 21.3)."""
    lost: Mapping[str, int]
    """Power -> CU that it has lost, those of its retreat included."""


class Attack(NamedTuple):
    """The armies of two powers that meet in a space, and how the attacker came there."""

    attacker: str
    defender: str
    space: str
    came_from: str | None = None
    """The last space of the attacker; None: it was placed there, or comes out of the city."""
    came_by: str = CLEAR
    """The kind of the path, or `sea`."""
    intercepted: bool = False
    failed_avoidance: bool = False


def fight(game: Game, table: Table, attack: Attack, name: str) -> Flow[Outcome]:
    """Fight a battle to its end (12.1).

    The names of the rolls begin with `name`. The march of the attacker, if it is on one,
    has been put into the space before.
    """
    attacker, defender, space, came_from, came_by, intercepted, failed_avoidance = attack
    battle = game.battle = game.battle or Battle(space, attacker, defender)
    battle.space, battle.attacker, battle.defender = space, attacker, defender
    battle.came_from, battle.came_by = came_from, came_by
    battle.intercepted, battle.failed_avoidance = intercepted, failed_avoidance
    yield from relieve(game, table)
    battle.near = {power: _near(game, power) for power in (attacker, defender)}
    _announce(game, table)
    moment = yield from respond_in_battle(game, table, "battle_begins", attacker, defender)
    if moment.flight:
        yield from retreat(game, table, Beaten(defender, space, name, not_by=came_from))
        outcome = Outcome(attacker, defender, True, dict(battle.lost))
    else:
        outcome = yield from _decide(game, table, name)
    game.battle = None
    settle_spaces(game, table)
    return outcome


def respond_in_battle(game: Game, table: Table, name: str, power: str, other: str) -> Flow[Moment]:
    """Let all respond to a moment of the battle under way (7.1.1).

    The two powers are attacker and defender, loser and winner, or winner and loser.
    """
    about = {"space": game.the_battle.space, "power": power, "other": other}
    return (yield from responses.window(game, table, name, about=about))


def _near(game: Game, power: str) -> list[str]:
    """Return the spaces next to those that a power controls; the Transalpine box is next to none (7.3.4)."""
    held = {space for space, holder in game.control.items() if holder == power and space != TRANSALPINE_BOX}
    return [
        space
        for space in game.board.spaces
        if held & game.board.neighbours[space].keys() or any(space in game.board.neighbours[own] for own in held)
    ]


def _announce(game: Game, table: Table) -> None:
    battle = game.the_battle
    forces = {power: game.force(power, battle.space) for power in (battle.attacker, battle.defender)}
    table.tell(
        "battle_begins",
        rule="12.1",
        space=battle.space,
        attacker=battle.attacker,
        attacker_leader=forces[battle.attacker].commander,
        attacker_cu=forces[battle.attacker].cu,
        defender=battle.defender,
        defender_leader=forces[battle.defender].commander,
        defender_cu=forces[battle.defender].cu,
        flank=battle.flank,
        flank_cu=flank_cu(game),
    )


# ---- the two armies


def flank_cu(game: Game) -> int:
    """Return the CU of the flanking force of the battle under way (9.5.6)."""
    battle = game.the_battle
    if battle.flank is None or battle.flank_at is None:
        return 0
    there = game.force(battle.flank, battle.flank_at).cu
    return min(battle.flank_cu or there, there)


def armies_in_battle(game: Game) -> tuple[Army, Army]:
    """Return attacker and defender of the battle under way, as they are now (12.2)."""
    battle = game.the_battle
    flank = flank_cu(game) if battle.flank is not None else None
    return _army(game, battle.attacker, battle.space, flank), _army(game, battle.defender, battle.space, None)


def _army(game: Game, power: str, space: str, flank: int | None) -> Army:
    force = game.force(power, space)
    tactics = 0 if force.commander is None else game.board.leaders[force.commander].tactics
    friendly = game.board.spaces[space].kind != BOX and game.friendly(power, space)
    return Army(force.cu, tactics, flank, friendly)


def of_events(game: Game, powers: Sequence[str], enemies: Sequence[str]) -> Modifiers:
    """Return what events give the army of some powers, the second one on its flank (12.2.3, 21.3)."""
    battle, table = game.the_battle, game.board.tables["battle"]
    found = {"event": sum(battle.modifiers.get(power, 0) for power in powers)}
    marked = {mark.on for mark in game.marks if mark.name == WILD_BEASTS}
    if marked & {*powers} and GAULS in enemies:
        found[WILD_BEASTS] = table[WILD_BEASTS]
    if powers[0] == GREEKS and game.mark(ELEPHANTS) is not None:
        found[ELEPHANTS] = table[ELEPHANTS]
    return found


# ---- dice


def _decide(game: Game, table: Table, name: str) -> Flow[Outcome]:
    """Decide the battle, and do what follows for loser and winner (12.1, D to H)."""
    battle = game.the_battle
    times = 0
    while True:
        automatic = automatic_winner(game.board, *armies_in_battle(game))
        if automatic is None:
            yield from respond_in_battle(game, table, "battle_roll", battle.attacker, battle.defender)
            automatic = automatic_winner(game.board, *armies_in_battle(game))  # a response may have changed the armies
        if automatic is not None:
            winner = battle.attacker if automatic == "attacker" else battle.defender
            loser = _other(battle, winner)
            yield from _destroy(game, table, loser)
            if loser == battle.attacker:
                yield from _lead_flank_away(game, table, name)
            break
        winner = yield from _roll(game, table, name if not times else f"{name}/again-{times}")
        loser = _other(battle, winner)
        lift_sieges(game, table)
        moment = yield from respond_in_battle(game, table, "battle_lost", loser, winner)
        if not moment.again:
            yield from _retreat(game, table, loser, name)
            break
        battle.no_losses, battle.modifiers, battle.dice = False, {}, {}  # events of the first battle are over (21.3)
        times += 1
    settle_spaces(game, table)
    yield from _rescue(game, table, loser, name)
    if game.kind(battle.space) == WALLED:
        place_marker(game, table, winner, battle.space)
    yield from respond_in_battle(game, table, "battle_won", winner, loser)
    losers = battle.side_of(loser)
    points = (sum(battle.lost.get(power, 0) for power in losers) + 1) // 2
    yield from spoils.spend_points(game, table, winner, loser, points)
    return Outcome(winner, loser, automatic is not None and winner == battle.attacker, dict(battle.lost))


def _rescue(game: Game, table: Table, loser: str, name: str) -> Flow[None]:
    """Let a power without a player that has lost at home be rescued, before the points are spent (17.2.1).

    Where the enemy holds the capital, who comes attacks it at once; nobody avoids or intercepts that.
    """
    held = game.the_battle
    if not (yield from rescue(game, table, loser, held.space, name)):
        return
    home = game.board.powers[loser].overseas
    assert home is not None
    for enemy in list(game.enemies_in(loser, home.capital)):
        if game.cu(loser, home.capital):
            game.battle = None
            yield from fight(game, table, Attack(loser, enemy, home.capital), f"{name}/rescue")
    game.battle = held


def _other(battle: Battle, power: str) -> str:
    return battle.defender if power == battle.attacker else battle.attacker


def _destroy(game: Game, table: Table, loser: str) -> Flow[None]:
    """Destroy an army that is beaten without dice; its leaders are displaced (12.2.1)."""
    battle = game.the_battle
    table.tell("automatic_win", winner=_other(battle, loser), loser=loser, space=battle.space, rule="12.2.1")
    gone = yield from bear(game, table, Loss(loser, battle.space, game.force(loser, battle.space).cu, "12.2.1"))
    count_lost(battle, loser, gone)


def _roll(game: Game, table: Table, name: str) -> Flow[str]:
    """Roll for both sides, let them bear their losses, and return who has won (12.2.3 to 12.3)."""
    battle = game.the_battle
    both = armies_in_battle(game)
    ground = Ground(battle.came_by in DIFFICULT, battle.intercepted, battle.failed_avoidance)
    sides = (battle.attacker, battle.defender)
    throws: list[Throw] = []
    for power, own in zip(sides, modifiers(game.board, *both, ground), strict=True):
        events = of_events(game, battle.side_of(power), battle.side_of(_other(battle, power)))
        throws.append(throw(game, power, f"{name}/{power}", {**own, **events}))
    contest = table.opposed(*throws, rule="12.2.3")
    rolls = dict(zip(sides, (contest.own, contest.other), strict=True))
    winner = battle.attacker if contest.won else battle.defender
    loser = _other(battle, winner)
    table.tell(
        "battle_won",
        rule="12.2.5",
        space=battle.space,
        winner=winner,
        loser=loser,
        total=rolls[winner].total,
        against=rolls[loser].total,
    )
    if not battle.no_losses:
        column = {
            power: army.size if game.options["loss_column"] == "size" else army.cu
            for power, army in zip(sides, both, strict=True)
        }
        by_winner, by_loser = game.board.losses(
            (column[winner], rolls[winner].faces), (column[loser], rolls[loser].faces)
        )
        for power, cu in ((loser, by_loser), (winner, by_winner)):
            yield from take_losses(game, table, power, cu)
    return winner


def throw(game: Game, power: str, name: str, own: Modifiers) -> Throw:
    """Return the dice of one side of the battle under way, three unless an event says otherwise (12.2.3).

    The event may be that of who is only on its flank.
    """
    battle = game.the_battle
    said = (battle.dice[each] for each in battle.side_of(power) if each in battle.dice)
    dice = next(said, game.board.tables["battle"]["dice"])
    return Throw(name, own, dice, game.board.powers[power].side or "", {"power": power, "space": battle.space})


def take_losses(game: Game, table: Table, power: str, cu: int) -> Flow[None]:
    """Take the losses of the dice from an army and its flank, as far as there are CU (9.5.6, 12.3)."""
    battle = game.the_battle
    flank = flank_cu(game) if power == battle.attacker else 0
    here, there = divide(game.force(power, battle.space).cu, flank, cu)
    count_lost(battle, power, (yield from bear(game, table, Loss(power, battle.space, here, "12.3"))))
    if there and battle.flank is not None and battle.flank_at is not None:
        gone = yield from bear(game, table, Loss(battle.flank, battle.flank_at, there, "9.5.6"))
        battle.flank_cu = max(0, battle.flank_cu - gone)
        count_lost(battle, battle.flank, gone)
    if power == battle.attacker:
        battle.sallied = min(battle.sallied, game.force(power, battle.space).cu)


def count_lost(battle: Battle, power: str, cu: int) -> None:
    """Count CU that a power has lost: they bring the winner points (12.5)."""
    if cu:
        battle.lost[power] = battle.lost.get(power, 0) + cu


def _retreat(game: Game, table: Table, loser: str, name: str) -> Flow[None]:
    """Let the loser go: back into the city from which it came, or away (12.4)."""
    battle = game.the_battle
    space = battle.space
    if loser == battle.defender:
        yield from retreat(game, table, Beaten(loser, space, name, not_by=battle.came_from))
        return
    go_back_inside(game, table)
    if game.force(loser, space).cu:
        back = Beaten(loser, space, name, came_from=battle.came_from, came_by=battle.came_by, attacked=True)
        yield from retreat(game, table, back)
    else:
        displace(game, table, loser, space)
    yield from _lead_flank_away(game, table, name)


def _lead_flank_away(game: Game, table: Table, name: str) -> Flow[None]:
    """Let the flank of a beaten attacker retreat; it stays where it would be safe (9.5.6, 12.4)."""
    flank, at, cu = game.the_battle.flank, game.the_battle.flank_at, flank_cu(game)
    if flank is None or at is None or not cu:
        return
    safe = game.friendly(flank, at) or game.force(flank, at).cu - cu > cu
    if not safe or game.enemies_in(flank, at):
        yield from retreat(game, table, Beaten(flank, at, f"{name}/flank", not_by=game.the_battle.space))
