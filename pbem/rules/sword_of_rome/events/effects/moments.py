"""Effects at a moment: of a battle, a march, a voyage, an attempt or a siege (9 to 13, 21.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Record
from pbem.rules.sword_of_rome.events.conditions import in_words, is_meant
from pbem.rules.sword_of_rome.events.effects import (
    NOT_ITS_MOMENT,
    Effect,
    Played,
    none_told,
    one_told,
    parties,
    the_moment,
)
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.position.board import WALLED
from pbem.rules.sword_of_rome.position.state import Force, Game

# ---- battles (12, 21.3)


ROLL: Final = "battle_roll"
BEGINS: Final = "battle_begins"
LOST: Final = "battle_lost"
WON: Final = "battle_won"
ACTIVATION: Final = "activation"
CALLED_OFF: Final = {
    ACTIVATION: "21.4",
    "event": "7.1.1",
    "interception": "10.3",
    "avoidance": "11.1",
    "gallic_event": "7.1.1",
}
"""What can be cancelled, at the moment of that name -> the paragraph."""


def fighters(game: Game, played: Played, whom: str) -> list[str]:
    """Return the powers in the battle that a card means; the unrest of Carthage is none (S 20.3)."""
    if game.battle is None:
        return []
    return [power for power in parties(game.battle) if power and is_meant(game, played.side, whom, power)]


def why_no_roll(view: Game, played: Played) -> Refusal | None:
    """Say why nothing is added to a battle roll; None: it is (12.2.3)."""
    if fighters(view, played, played.told["of"]):
        return None
    return Refusal(f"no army of {in_words(view, played.told['of'])} fights here", "12.2.3")


def add_to_roll(game: Game, table: Table, played: Played) -> None:
    """Add to the battle roll of a power (12.2.3)."""
    power = fighters(game, played, played.told["of"])[0]
    modifiers = game.the_battle.modifiers
    modifiers[power] = modifiers.get(power, 0) + played.told["by"]
    table.tell("roll_changed", power=power, by=played.told["by"], rule="12.2.3")


def why_no_dice(view: Game, played: Played) -> Refusal | None:
    """Say why the own army does not roll another number of dice; None: it does (12.2.3)."""
    return None if fighters(view, played, "own") else Refusal("no army of yours fights here", "12.2.3")


def set_dice(game: Game, table: Table, played: Played) -> None:
    """Let the own army roll another number of dice in this battle (S 20.3)."""
    power = fighters(game, played, "own")[0]
    game.the_battle.dice[power] = played.told
    table.tell("dice_changed", power=power, dice=played.told, rule="12.2.3")


def why_losses(view: Game, played: Played) -> Refusal | None:
    """Say why the dice of a battle cost CU all the same; None: they do not (21.3)."""
    spared = view.battle is not None and view.battle.no_losses
    return Refusal("the dice of this battle cost no CU already", "21.3") if spared else None


def spare(game: Game, table: Table, played: Played) -> None:
    """Let the dice of this battle cost no CU (21.3)."""
    game.the_battle.no_losses = True
    table.tell("no_losses", rule="21.3")


def why_not_again(view: Game, played: Played) -> Refusal | None:
    """Say why a battle is not fought again; None: it can be (21.3)."""
    own = the_moment(view).power in view.board.powers_of[played.side]
    return None if own else Refusal("the battle was not yours", "21.3")


def fight_again(game: Game, table: Table, played: Played) -> None:
    """Have the battle fought a second time at once; events of the first count no longer (21.3)."""
    the_moment(game).again = True
    table.tell("battle_again", side=played.side, rule="21.3")


def why_no_flight(view: Game, played: Played) -> Refusal | None:
    """Say why the enemy does not flee before the battle; None: it does (21.3)."""
    return None if fighters(view, played, "own") else Refusal("no army of yours fights here", "21.3")


def flee(game: Game, table: Table, played: Played) -> None:
    """Let the enemy retreat without a battle and without support for anybody; the own army goes on (21.3)."""
    the_moment(game).flight = True
    table.tell("flight", side=played.side, rule="21.3")


# ---- what does not take place (9.6.4, 21.3, 21.4)


def why_not_cancel(view: Game, played: Played) -> Refusal | None:
    """Say why something is not cancelled; None: it is (7.1.1, 21.4)."""
    named = view.moment is not None and view.moment.name == played.told
    return None if named else NOT_ITS_MOMENT


def cancel(game: Game, table: Table, played: Played) -> None:
    """Cancel an activation, an event, an interception, an avoidance or a Gallic event (7.1.1, 21.4)."""
    the_moment(game).cancelled = True
    if played.told == ACTIVATION and game.card is not None:
        game.card.cancelled = True
    table.tell("cancelled", side=played.side, what=played.told, rule=CALLED_OFF[played.told])


def storm(game: Game, table: Table, played: Played) -> None:
    """Stop a voyage, also one by which an army refuses or avoids battle (10.5.1)."""
    moment = the_moment(game)
    moment.cancelled = True
    table.tell("storm", power=moment.power, rule="9.6.4")


def why_not_bar(view: Game, played: Played) -> Refusal | None:
    """Say why a city is not barred; None: it is (21.3)."""
    if view.card is None:
        return Refusal("a city is barred only while a card is on the table", "21.3")
    closed = the_moment(view).space in view.card.closed
    return Refusal("the city is barred already", "21.3") if closed else None


def bar(game: Game, table: Table, played: Played) -> None:
    """Bar a city to enemy CU for the rest of the activation, survivors of a battle included (21.3)."""
    assert game.card is not None
    space = the_moment(game).space
    game.card.closed.append(space)
    table.tell("barred", space=space, rule="21.3")


# ---- leave to sail, points, attempts (9 to 11)


def why_not_sail_besides(view: Game, played: Played) -> Refusal | None:
    """Say why a power gets no ships; None: it does (9.6.3)."""
    if the_moment(view).power == played.told["power"]:
        return None
    return Refusal(f"these ships carry only {view.board.powers[played.told['power']].name}", "9.6.3")


def sail_besides(game: Game, table: Table, played: Played) -> None:
    """Let some CU sail that otherwise could not (9.6.3)."""
    moment = the_moment(game)
    moment.sails = max(moment.sails, played.told["cu"])
    table.tell("ships", power=moment.power, cu=played.told["cu"], rule="9.6.3")


def why_not_march_farther(view: Game, played: Played) -> Refusal | None:
    """Say why no army goes further; None: one does (9.2)."""
    own, moment = view.board.powers_of[played.side], view.moment
    if moment is not None and moment.name == ACTIVATION:
        power: str | None = moment.power
    else:
        power = view.march.power if view.march is not None else None
    return None if power in own else Refusal("no army of yours is activated", "9.2")


def march_farther(game: Game, table: Table, played: Played) -> None:
    """Give an army that is activated, or that is under way, more movement points (9.2)."""
    moment = game.moment
    if moment is not None and moment.name == ACTIVATION:
        moment.points += played.told
    else:
        game.the_march.points += played.told
        game.the_march.further += played.told
    table.tell("further", side=played.side, points=played.told, rule="9.2")


def help_attempt(game: Game, table: Table, played: Played) -> None:
    """Add to the roll of an interception (10.3)."""
    the_moment(game).modifier += played.told
    table.tell("attempt_changed", by=played.told, rule="10.3")


def why_not_avoid_without_roll(view: Game, played: Played) -> Refusal | None:
    """Say why an army must roll to avoid battle; None: it need not (11.1)."""
    own = the_moment(view).power in view.board.powers_of[played.side]
    return None if own else Refusal("no army of yours avoids battle", "11.1")


def avoid_without_roll(game: Game, table: Table, played: Played) -> None:
    """Let the own army avoid battle without a roll (11.1)."""
    the_moment(game).avoided = True
    table.tell("slips_away", power=the_moment(game).power, rule="11.1")


# ---- ambush (9.3.3)


def ambushes(view: Game, played: Played) -> list[Record]:
    """List the armies next to the space that can come out of an ambush (9.3.3).

    Like an interception it crosses no rough path and no strait, no other army than the mover's may stand there, and
    an army in a battle that is held for a flank does not leave it (9.5.6).
    """
    moment = view.moment
    power = played.told["power"]
    if moment is None or moment.name != "army_enters" or not moment.power:
        return []
    if view.allied(power, moment.power) or any(
        other not in (power, moment.power) and view.outside(other, moment.space) for other in view.board.powers
    ):
        return []
    held = view.battle.space if view.battle is not None else None
    spaces = [at for at in view.board.by_land[power][moment.space] if at not in (held, *view.inside, *view.sieges)]
    there = [at for at in spaces if view.force(power, at).army]
    return [{"from": at, "cu": cu} for at in there for cu in range(view.force(power, at).cu, 0, -1)]


def ambush(game: Game, table: Table, played: Played, told: Record) -> Flow[None]:
    """Bring an army into the space, as an interception does that succeeds (9.3.3, 10.5.2).

    Who has entered attacks it, refuses no battle, and gives it no bonus.
    """
    space, power, origin, cu = the_moment(game).space, played.told["power"], told["from"], told["cu"]
    there = game.force(power, origin)
    force = Force(cu, min(there.mercenaries, cu), list(there.leaders))
    game.put(power, space, game.take(power, origin, force))
    table.tell("ambush", power=power, space=space, rule="9.3.3")
    yield from take_command(game, table, power, space)


# ---- sieges (13.2)


def why_no_siege_roll(view: Game, played: Played) -> Refusal | None:
    """Say why no points are added to a siege; None: they are. A tribe has no walls to open (13.2)."""
    space = the_moment(view).space
    here = view.besieged(space) and view.kind(space) == WALLED
    return None if here else Refusal("no city is besieged here", "13.2")


def add_points(game: Game, table: Table, played: Played) -> None:
    """Add points to the siege that is rolled for (13.2)."""
    the_moment(game).points += played.told
    table.tell("siege_points", space=the_moment(game).space, points=played.told, rule="13.2")


def help_siege(game: Game, table: Table, played: Played) -> None:
    """Add to the roll of a siege or a raid (13.2, 14.2)."""
    the_moment(game).modifier += played.told
    table.tell("siege_helped", space=the_moment(game).space, by=played.told, rule="13.2")


def _no_ambush(view: Game, played: Played) -> Refusal:
    return Refusal(f"no army of {view.board.powers[played.told['power']].name} can reach the space", "9.3.3")


EFFECTS_AT_MOMENTS: Final[Mapping[str, Effect]] = {
    "roll": none_told(add_to_roll, why_no_roll, (ROLL, BEGINS)),
    "dice": none_told(set_dice, why_no_dice, (ROLL, BEGINS)),
    "no_losses": none_told(spare, why_losses, (ROLL, BEGINS)),
    "battle_again": none_told(fight_again, why_not_again, (LOST, WON)),
    "flight": none_told(flee, why_no_flight, (BEGINS,)),
    "no_city": none_told(bar, why_not_bar, ("into_city", "army_enters", BEGINS, WON)),
    "ambush": one_told("ambush", ambushes, _no_ambush, ambush),
    "cancel": none_told(cancel, why_not_cancel),
    "storm": none_told(storm, at=("voyage",)),
    "sail": none_told(sail_besides, why_not_sail_besides, ("voyage_wanted",)),
    "siege_points": none_told(add_points, why_no_siege_roll, ("siege_roll",)),
    "siege_modifier": none_told(help_siege, at=("siege_roll", "raid")),
    "march": none_told(march_farther, why_not_march_farther),
    "intercept": none_told(help_attempt, at=("interception",)),
    "avoid": none_told(avoid_without_roll, why_not_avoid_without_roll, ("avoidance",)),
}
