"""Effects on units: levies, colonies, leaders who come, attrition, free sieges, the revolt (5.10, 7.2.1, 8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.game import LegalOrders, Refusal, Table, flat_map
from pbem.protocol import Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.conditions import in_words, meant
from pbem.rules.sword_of_rome.events.effects import Effect, Played, Told, Wrong, one_told, way
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.events.nonplayers import revolt_of_mercenaries
from pbem.rules.sword_of_rome.movement.activation import settle_colony
from pbem.rules.sword_of_rome.movement.flanks import why_no_settlers
from pbem.rules.sword_of_rome.position.board import CARTHAGE, REBELS, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.changes import INSURRECTION, lose, settle_spaces
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import roll_siege, why_not_roll
from pbem.rules.sword_of_rome.turn.reinforcements import eligible, handfuls, wrong_places

# ---- levies and mercenaries (5.10, S 7.2.4)

LEVIED: Final = "levy"
HIRED: Final = "mercenaries"


def _raised(word: str) -> Effect:
    """Return the effect that places CU where reinforcements can be placed: citizens, or mercenaries (5.10, S 7.2.4)."""

    def powers_of(view: Game, played: Played) -> list[str]:
        return [power for power in view.board.powers_of[played.side] if word == LEVIED or power == CARTHAGE]

    def ways(view: Game, played: Played) -> LegalOrders:
        powers = powers_of(view, played)

        def with_power(power: str) -> LegalOrders:
            named = {"power": power} if len(powers) > 1 else {}

            def place(places: Mapping[str, int]) -> Order:
                return way({**named, word: dict(places)})

            return handfuls(place, eligible(view, power), played.told)

        return flat_map(with_power, powers)

    def check(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
        powers = powers_of(view, played)
        if not powers:
            yield (), Refusal("only Carthage hires mercenaries", "S 7.2.4")
            return
        power = body.get("power", powers[0] if len(powers) == 1 else None)
        places = body.get(word, {})
        if power not in powers:
            yield ("power",), Refusal(f"say which power gets the CU: {' or '.join(powers)}", "7.1")
            return
        wrong = list(wrong_places(view, power, places))
        if len(wrong) == len(places) and not eligible(view, power):
            yield (), Refusal(f"{view.board.powers[power].name} has no place for new CU", "5.10")
        elif sum(places.values()) != played.told:
            yield (word,), Refusal(f"the event brings {played.told} CU: place them all, as space: CU", "5.10")
        for space, refusal in wrong:
            yield (word, space), refusal

    def carry_out(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
        power = body.get("power", powers_of(game, played)[0])
        for space, cu in body[word].items():
            if word == HIRED:
                game.put(power, space, Force(cu=cu, mercenaries=cu))
                table.tell("hired", space=space, cu=cu, rule="S 7.2.4")
            else:
                game.put(power, space, Force(cu=cu))
                table.tell("levied", power=power, space=space, cu=cu, rule="5.10")
        return
        yield

    return Effect(ways, check, carry_out)


# ---- colonies (7.2.1)


def settlements(view: Game, played: Played) -> list[str]:
    """List where a Roman colony can be founded, with a leader or without (7.2.1)."""
    if ROMANS not in view.board.powers_of[played.side]:
        return []
    return [space for space in sorted(view.forces[ROMANS]) if why_no_settlers(view, space) is None]


def no_settlement(view: Game, played: Played) -> Refusal:
    """Say that no colony can be founded (7.2.1)."""
    if ROMANS not in view.board.powers_of[played.side]:
        return Refusal("only the Romans found colonies", "7.2.1")
    least = view.board.tables["city"]["army"]
    return Refusal(f"no {least} Roman CU stand at a Roman marker", "7.2.1")


def found(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Let a CU found a colony (7.2.1)."""
    settle_colony(game, space)
    table.tell("colony_settled", power=ROMANS, space=space, rule="7.2.1")
    return
    yield


# ---- named leaders (8.2)


def arrivals(view: Game, played: Played) -> list[dict[str, str]]:
    """List who can come, and where: with CU where reinforcements can be placed, alone where own CU stand (8.2.1)."""
    found = []
    for leader in played.told["one_of"]:
        power = view.board.leaders[leader].power
        if leader not in view.reserve or power not in view.board.powers_of[played.side]:
            continue
        there = [space for space, force in sorted(view.forces[power].items()) if force.cu]
        spaces = eligible(view, power) if "cu" in played.told else there
        found += [{"name": leader, "at": space} for space in spaces]
    return found


def strongest_army(view: Game, choices: Sequence[Mapping[str, str]]) -> Mapping[str, str] | None:
    """Return the place with the most CU for a leader; None: more than one can come (8.2.1)."""
    if len({choice["name"] for choice in choices}) > 1:
        return None
    return max(choices, key=lambda choice: view.cu(view.board.leaders[choice["name"]].power, choice["at"]))


def nobody_comes(view: Game, played: Played) -> Refusal:
    """Say that no leader of the event can come (8.2)."""
    waiting = [view.board.leaders[leader].name for leader in played.told["one_of"] if leader in view.reserve]
    if not waiting:
        return Refusal("the leader of this event has come already", "8.2")
    return Refusal(f"there is no place for {' or '.join(waiting)}", "8.2.1")


def bring_leader(game: Game, table: Table, played: Played, told: Mapping[str, Any]) -> Flow[None]:
    """Bring a named leader, with CU if the event has any; he commands minor ones (8.2.1)."""
    leader, space = told["name"], told["at"]
    power, cu = game.board.leaders[leader].power, played.told.get("cu", 0)
    game.reserve.remove(leader)
    game.put(power, space, Force(cu=cu, leaders=[leader]))
    table.tell("leader_comes", leader=leader, power=power, space=space, cu=cu, rule="8.2")
    yield from take_command(game, table, power, space)


# ---- attrition (5.5)


def _armies(view: Game, played: Played) -> list[tuple[str, str]]:
    return [
        (power, space)
        for power in meant(view, played.side, played.told["of"])
        if not view.full_ally(played.side, power)
        for space, force in sorted(view.forces[power].items())
        if force.army
    ]


def wearable(view: Game, played: Played) -> list[str]:
    """List the spaces with an army that can be made to roll for attrition; a full ally's is spared (5.5, 15.2.1)."""
    return list(dict.fromkeys(space for _, space in _armies(view, played)))


def nobody_wears(view: Game, played: Played) -> Refusal:
    """Say that no army can be made to roll for attrition (5.5)."""
    return Refusal(f"there is no army of {in_words(view, played.told['of'])}", "5.5")


def wear(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Let an army roll for attrition, wherever it stands (5.5)."""
    power = next(power for power, at in _armies(game, played) if at == space)
    force = game.forces[power][space]
    name = f"event/turn-{game.turn}/round-{game.round}/{played.card}/{power}/{space}"
    roll = table.roll(name, rule="5.5", power=power, space=space, cu=force.cu)
    lost = lose(game, power, space, game.board.attrition(roll.faces[0], force.cu))
    table.tell("attrition", power=power, space=space, cu=lost, rule="5.5")
    settle_spaces(game, table)
    return
    yield


# ---- free sieges (13.1.1, 21.5)


def sieges(view: Game, played: Played) -> list[str]:
    """List the cities for which an own commander can roll; to subjugate a tribe is no siege (13.1.1, 21.5)."""
    return [
        space
        for power in view.board.powers_of[played.side]
        for space in sorted(view.forces[power])
        if view.kind(space) == WALLED and why_not_roll(view, power, space) is None
    ]


def no_siege(view: Game, played: Played) -> Refusal:
    """Say that there is no siege to roll for (13.1.1)."""
    return Refusal("no commander of yours besieges a city with CU enough to roll", "13.1.1")


def roll_free(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Activate a besieging commander for a siege roll; a response may cancel that (13.1.1, 21.4, 21.5)."""
    power = game.sieges[space].by
    if game.card is not None:
        game.card.power = power
    about = {"space": space, "power": power, "value": game.board.cards[played.card].value}
    moment = yield from responses.window(game, table, "activation", about=about)
    if not moment.cancelled:
        name = f"siege/turn-{game.turn}/round-{game.round}/{played.card}/{power}/{space}"
        yield from roll_siege(game, table, power, space, name, rule="21.5")


# ---- the revolt of the mercenaries (S 16.4)


def revolts(view: Game, played: Played) -> list[str]:
    """List where the rebels can appear: where they must stand at the end of a move (16.3, S 16.4)."""
    if REBELS not in view.board.powers or view.mark(INSURRECTION) is not None or any(view.everywhere(REBELS)):
        return []
    return [space for space in view.board.spaces if space in view.board.powers[REBELS].ends_in]


def no_revolt(view: Game, played: Played) -> Refusal:
    """Say that the mercenaries are in revolt already, or that there are none (S 16.4)."""
    if REBELS not in view.board.powers:
        return Refusal("without a player Carthage has no mercenaries who revolt", "S 16.4")
    return Refusal("the mercenaries are in revolt already", "S 16.4")


def rise(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Let the mercenaries rise in a space (S 16.4)."""
    yield from revolt_of_mercenaries(game, table, played.told, side=played.side, space=space)


EFFECTS_ON_UNITS: Final[Mapping[str, Effect]] = {
    LEVIED: _raised(LEVIED),
    HIRED: _raised(HIRED),
    "colony": one_told("colony", settlements, no_settlement, found),
    "leader": one_told("leader", arrivals, nobody_comes, bring_leader, strongest_army),
    "attrition": one_told("attrition", wearable, nobody_wears, wear),
    "siege": one_told("siege", sieges, no_siege, roll_free),
    "insurrection": one_told("insurrection", revolts, no_revolt, rise),
}
