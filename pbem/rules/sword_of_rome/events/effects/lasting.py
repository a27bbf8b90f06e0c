"""Effects on what lies on the board: units, leaders, support, markers, hands, tracks (5 to 8, 13 to 18, S 20)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import OneOf, Part, Refusal, Table, Value
from pbem.protocol import Flow, Record
from pbem.rules.sword_of_rome.battle import battle
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.conditions import in_words, is_meant, meant
from pbem.rules.sword_of_rome.events.effects import Effect, Played, Told, Wrong, none_told, one_told
from pbem.rules.sword_of_rome.events.effects.moments import LOST
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.events.nonplayers import revolt_of_mercenaries
from pbem.rules.sword_of_rome.events.support import (
    add_all,
    remove,
    room_for,
    room_to_remove,
    rooms,
    settle_support,
    why_not_remove,
    wrong_additions,
)
from pbem.rules.sword_of_rome.movement.activation import settle_colony
from pbem.rules.sword_of_rome.movement.flanks import why_no_settlers
from pbem.rules.sword_of_rome.movement.parts import move_out, strengths
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GAULS, GREEKS, REBELS, ROMANS, WALLED
from pbem.rules.sword_of_rome.position.changes import INSURRECTION, lose, settle_spaces
from pbem.rules.sword_of_rome.position.naming import handful, no_such_space, points, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game, Mark
from pbem.rules.sword_of_rome.siege import unrest
from pbem.rules.sword_of_rome.siege.siege import SiegeRoll, add_markers, roll_siege, why_not_roll
from pbem.rules.sword_of_rome.turn.draw import draw, lay_off
from pbem.rules.sword_of_rome.turn.overseas import ENVOYS
from pbem.rules.sword_of_rome.turn.reinforcements import eligible, wrong_places
from pbem.rules.sword_of_rome.turn.scoring import add_vp

# ---- levies and mercenaries (5.10, S 7.2.4)

LEVIED: Final = "levy"
HIRED: Final = "mercenaries"


def _raised(word: str) -> Effect:
    """Return the effect that places CU where reinforcements can be placed: citizens, or mercenaries (5.10, S 7.2.4)."""

    def powers_of(view: Game, played: Played) -> list[str]:
        return [power for power in view.board.powers_of[played.side] if word == LEVIED or power == CARTHAGE]

    def choices(view: Game, played: Played) -> Part:
        powers = powers_of(view, played)
        ways = [Value(power, handful(word, eligible(view, power), played.told)) for power in powers]
        return ways[0].then if len(ways) == 1 else OneOf("power", ways, of="power")

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
        yield from ()

    return Effect(choices, check, carry_out)


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
    yield from ()


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


def bring_leader(game: Game, table: Table, played: Played, told: Record) -> Flow[None]:
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


def wear(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Let an army roll for attrition, wherever it stands (5.5)."""
    power = next(power for power, at in _armies(game, played) if at == space)
    force = game.forces[power][space]
    name = f"event/turn-{game.turn}/round-{game.round}/{played.card}/{power}/{space}"
    roll = table.roll(name, rule="5.5", power=power, space=space, cu=force.cu)
    lost = lose(game, power, space, game.board.attrition(roll.faces[0], force.cu))
    table.tell("attrition", power=power, space=space, cu=lost, rule="5.5")
    settle_spaces(game, table)
    yield from ()


# ---- free sieges (13.1.1, 21.5)


def sieges(view: Game, played: Played) -> list[str]:
    """List the cities for which an own commander can roll; to subjugate a tribe is no siege (13.1.1, 21.5)."""
    return [
        space
        for power in view.board.powers_of[played.side]
        for space in sorted(view.forces[power])
        if view.kind(space) == WALLED and why_not_roll(view, power, space) is None
    ]


def roll_free(game: Game, table: Table, played: Played, space: str) -> Flow[None]:
    """Activate a besieging commander for a siege roll; a response may cancel that (13.1.1, 21.4, 21.5)."""
    power = game.sieges[space].by
    if game.card is not None:
        game.card.power = power
    about = {"space": space, "power": power, "value": game.board.cards[played.card].value}
    moment = yield from responses.window(game, table, "activation", about=about)
    if not moment.cancelled:
        name = f"siege/turn-{game.turn}/round-{game.round}/{played.card}/{power}/{space}"
        yield from roll_siege(game, table, SiegeRoll(power, space, name, "21.5"))


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


# ---- support: points added and points removed (7.3)


def support_ways(view: Game, played: Played) -> Part:
    """Return every way to add points of own support, one at least (7.3.1)."""
    return points("support", rooms(view, played.side), 1, played.told)


def check_additions(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
    """Yield what is wrong with points of own support (7.3.1)."""
    spaces = body.get("support", ())
    if not spaces:
        if any(room_for(view, played.side, space) for space in view.board.spaces):
            yield ("support",), Refusal("say where support is added, a space for each point", "7.3.1")
        else:
            yield (), Refusal("you can add support nowhere", "7.3.1")
    if len(spaces) > played.told:
        yield ("support",), Refusal(f"the event has {played.told} points, not {len(spaces)}", "7.3.1")
    for at, refusal in wrong_additions(view, played.side, spaces):
        yield ("support", at), refusal


def add_by_event(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
    """Add points of own support (7.3.1)."""
    add_all(game, table, played.side, body["support"])
    yield from ()


def exposed(view: Game, played: Played) -> dict[str, int]:
    """Return the points that can be removed, by space: not those of full allies, nor one's own (7.3.3, 15.2.2)."""
    return {
        space: room
        for space in view.board.in_order(view.control)
        if _why_not_whose(view, played, space) is None and (room := room_to_remove(view, space))
    }


def _why_not_whose(view: Game, played: Played, space: str) -> Refusal | None:
    holder = view.control.get(space)
    if holder is None:
        return Refusal(f"nobody has support in {space_named(view, space)}", "7.3")
    if not is_meant(view, played.side, played.told["of"], holder):
        whom = in_words(view, played.told["of"])
        return Refusal(f"{space_named(view, space)} is not held by {whom}", "7.3.3")
    if view.full_ally(played.side, holder):
        return Refusal(f"{space_named(view, space)} is an ally's", "15.2.2")
    return None


def revolt_ways(view: Game, played: Played) -> Part:
    """Return every way to remove a power's support, one point at least (7.3.3)."""
    return points("revolt", exposed(view, played), 1, played.told["points"])


def check_revolt(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
    """Yield what is wrong with points of a power's support that are removed (7.3.3)."""
    spaces, points = body.get("revolt", ()), played.told["points"]
    if not spaces:
        if exposed(view, played):
            yield ("revolt",), Refusal("say where support is removed, a space for each point", "7.3.3")
        else:
            yield (), Refusal(f"no support of {in_words(view, played.told['of'])} can be removed", "7.3.3")
    if len(spaces) > points:
        yield ("revolt",), Refusal(f"the event has {points} points, not {len(spaces)}", "7.3.3")
    for at, space in enumerate(spaces):
        refusal = no_such_space(view, space) or _why_not_whose(view, played, space)
        refusal = refusal or why_not_remove(view, space, spaces[: at + 1].count(space))
        if refusal is not None:
            yield ("revolt", at), refusal


def rise_against(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
    """Remove points of a power's support; a city without loyalty falls to its besieger (7.3.3, 13.5)."""
    spaces = list(body["revolt"])
    for space in spaces:
        remove(game, space)
    table.tell("support_removed", side=played.side, spaces=spaces, rule="7.3.3")
    yield from settle_support(game, table, spaces)


# ---- events in effect (7.1)


def _on(view: Game, played: Played) -> str | None:
    """Return the power on which a marker is placed: whom an own army has beaten, or nobody in particular."""
    moment = view.moment
    if played.told.get("on") != "loser" or moment is None:
        return None
    winner, loser = (moment.other, moment.power) if moment.name == LOST else (moment.power, moment.other)
    return loser if winner in view.board.powers_of[played.side] and loser else None


def why_not_in_effect(view: Game, played: Played) -> Refusal | None:
    """Say why an event does not come into effect; None: it does (7.1)."""
    on, name = _on(view, played), played.told["name"]
    if played.told.get("on") == "loser" and on is None:
        return Refusal("no army of yours has won a battle here", "21.3")
    if any(mark.name == name and mark.on == on for mark in view.marks):
        return Refusal(f"{name.replace('_', ' ')} is in effect already", "7.1")
    return None


def put_in_effect(game: Game, table: Table, played: Played) -> None:
    """Put an event into effect (7.1)."""
    on = _on(game, played)
    game.marks.append(Mark(played.told["name"], played.side, played.told["until"], on))
    table.tell("mark_placed", name=played.told["name"], side=played.side, on=on, rule="7.1")


# ---- hands (6.1)


def why_no_draw(view: Game, played: Played) -> Refusal | None:
    """Say why no card can be drawn; None: one can (6.4.2)."""
    left = view.decks[played.side] or view.discards[played.side]
    return None if left else Refusal("no card is left to be drawn", "6.4.2")


def draw_by_event(game: Game, table: Table, played: Played) -> None:
    """Draw cards (6.2.2)."""
    draw(game, played.side, table, played.told, f"round-{game.round}/{played.card}")


def robbed(view: Game, played: Played) -> list[str]:
    """List the powers whose side can be made to discard, one for each side (6.2.1)."""
    found: dict[str, str] = {}
    for power in meant(view, played.side, played.told["of"]):
        side = view.board.powers[power].side
        if side is not None and side != played.side and view.hands.get(side):
            found.setdefault(side, power)
    return list(found.values())


def rob(game: Game, table: Table, played: Played, power: str) -> Flow[None]:
    """Let a side discard cards that are drawn from its hand by lot (6.2.1)."""
    side = game.board.powers[power].side
    assert side is not None
    name = f"hand/{side}/turn-{game.turn}/round-{game.round}/{played.card}"
    cards = table.shuffle(name, list(game.hands[side]))[: played.told["cards"]]
    lay_off(game, side, cards)
    table.tell("robbed", side=side, cards=cards, rule="6.2.1")
    yield from ()


# ---- plunder, unrest, VP (5.8.1, 14.1, S 20)


def why_no_plunder(view: Game, played: Played) -> Refusal | None:
    """Say why no marker comes or goes; None: one does (14.1)."""
    if played.told["by"] not in view.board.powers:
        return Refusal(f"{in_words(view, played.told['by'])} do not play", "14.1")
    if "gain" in played.told or _markers(view, played.told["by"]):
        return None
    return Refusal(f"{view.board.powers[played.told['by']].name} has no marker on the plunder track", "14.1")


def _markers(view: Game, power: str) -> int:
    return max(0, view.plunder if power == GAULS else -view.plunder)


def change_plunder(game: Game, table: Table, played: Played) -> None:
    """Put markers of a power on the plunder track, or take some off (14.1)."""
    power = played.told["by"]
    if "lose" in played.told:
        lost = min(played.told["lose"], _markers(game, power))
        game.plunder += -lost if power == GAULS else lost
        table.tell("plunder_lost", power=power, markers=lost, rule="14.1")
    if "gain" in played.told:
        add_markers(game, table, power, played.told["gain"])


def why_no_change_of_unrest(view: Game, played: Played) -> Refusal | None:
    """Say why the unrest does not change; None: it does (S 20.1)."""
    if view.board.powers[CARTHAGE].side is None:
        return Refusal("there is no unrest without a player of Carthage", "S 20")
    if played.told > 0 and view.unrest >= unrest.cap(view):
        return Refusal("the unrest has reached its cap", "S 20.1")
    return Refusal("there is no unrest", "S 20.1") if played.told < 0 and not view.unrest else None


def change_unrest(game: Game, table: Table, played: Played) -> None:
    """Raise or lower the unrest (S 20.1)."""
    if played.told > 0:
        unrest.raise_by(game, table, played.told, "S 20.1")
    else:
        unrest.lower_by(game, table, -played.told, "S 20.1")


def why_no_vp(view: Game, played: Played) -> Refusal | None:
    """Say why the Gauls gain no VP; None: they do (5.8.1)."""
    gauls = view.board.powers.get(GAULS)
    side = gauls.side if gauls is not None else None
    if gauls is None:
        return Refusal("the Gauls do not play", "5.8.1")
    if side is None or view.vp[side] < view.board.tables["vp"]["most"]:
        return None
    return Refusal("the Gauls have all the VP there are", "5.8.1")


def gain_vp(game: Game, table: Table, played: Played) -> None:
    """Give the Gauls VP (5.8.1)."""
    side = game.board.powers[GAULS].side
    assert side is not None
    add_vp(game, side, played.told)
    table.tell("vp_gained", side=side, by=played.told, vp=game.vp[side], rule="5.8.1")


# ---- the treaty with Carthage without a player (18)


def why_no_treaty(view: Game, played: Played) -> Refusal | None:
    """Say why a side cannot bind a power by a treaty; None: it can (18)."""
    power = played.told
    record = view.board.powers[power]
    if record.side is not None:
        return Refusal(f"{record.name} has a player, who makes alliances", "18")
    if power in view.fallen:
        return Refusal(f"{record.name} has fallen", "17.2.2")
    if view.guardian(power) is not None:
        return Refusal(f"{record.name} has a treaty", "18")
    if any(view.allied(own, GREEKS) for own in view.board.powers_of[played.side]):
        return Refusal("who has this treaty is no ally of the Greeks", "18")
    return None


def sign(game: Game, table: Table, played: Played) -> None:
    """Ally a power without a player with the own one; the marker of the envoys is turned (18)."""
    own = game.board.powers_of[played.side][0]
    game.alliances.append(game.pair(own, played.told))
    game.marks = [mark for mark in game.marks if mark.name != ENVOYS]
    table.tell("treaty", power=own, ally=played.told, side=played.side, rule="18")
    settle_spaces(game, table)


# ---- the landing in Africa (17.2)


def landing_of(view: Game) -> str | None:
    """Return where an army can land overseas; None: no power has a home there (17.2)."""
    homes = (power for power in view.board.powers.values() if power.overseas is not None)
    return next((power.overseas.landing for power in homes if power.overseas and power.id not in view.fallen), None)


def landings(view: Game, played: Played) -> list[Record]:
    """List the armies that can land: led, in a friendly port that no enemy besieges (17.2)."""
    if landing_of(view) is None:
        return []
    found: list[Record] = []
    for power in view.board.powers_of[played.side]:
        for space, force in sorted(view.forces[power].items()):
            if not view.is_harbour(power, space) or not view.friendly(power, space) or view.besieged(space):
                continue
            for leader in force.leaders:
                some = strengths(view, force, [leader], 1, min(played.told, force.cu))
                found += [{"leader": leader, "cu": cu} for cu, _ in some]
    return found


def nobody_lands(view: Game, played: Played) -> Refusal:
    """Say that no army can land (17.2)."""
    if landing_of(view) is None:
        return Refusal("there is no enemy overseas any more", "17.2")
    return Refusal("no army of yours stands in a friendly port", "17.2")


def land(game: Game, table: Table, played: Played, told: Record) -> Flow[None]:
    """Place an army where it lands; whoever stands there fights it at once (17.2).

    It is placed and has not moved, so nobody intercepts or avoids it, as when the mercenaries revolt (S 16.4).
    """
    leader, to = told["leader"], landing_of(game)
    origin, power = game.where(leader), game.board.leaders[leader].power
    assert origin is not None
    assert to is not None
    game.put(power, to, move_out(game, power, origin, Force(told["cu"], 0, [leader])))
    table.tell("lands", power=power, leader=leader, origin=origin, space=to, cu=told["cu"], rule="17.2")
    for enemy in list(game.enemies_in(power, to)):
        if game.cu(power, to):
            name = f"landing/turn-{game.turn}/round-{game.round}/{enemy}"
            yield from battle.fight(game, table, battle.Attack(power, enemy, to), name)
    settle_spaces(game, table)


LASTING_EFFECTS: Final[Mapping[str, Effect]] = {
    LEVIED: _raised(LEVIED),
    HIRED: _raised(HIRED),
    "colony": one_told("colony", settlements, no_settlement, found),
    "leader": one_told("leader", arrivals, nobody_comes, bring_leader, strongest_army),
    "attrition": one_told(
        "attrition",
        wearable,
        lambda view, played: Refusal(f"there is no army of {in_words(view, played.told['of'])}", "5.5"),
        wear,
    ),
    "siege": one_told(
        "siege",
        sieges,
        lambda view, played: Refusal("no commander of yours besieges a city with CU enough to roll", "13.1.1"),
        roll_free,
    ),
    "insurrection": one_told("insurrection", revolts, no_revolt, rise),
    "support": Effect(support_ways, check_additions, add_by_event),
    "revolt": Effect(revolt_ways, check_revolt, rise_against),
    "marker": none_told(put_in_effect, why_not_in_effect),
    "draw": none_told(draw_by_event, why_no_draw),
    "discard": one_told(
        "discard",
        robbed,
        lambda view, played: Refusal(f"{in_words(view, played.told['of'])} holds no card", "6.2.1"),
        rob,
    ),
    "plunder": none_told(change_plunder, why_no_plunder),
    "unrest": none_told(change_unrest, why_no_change_of_unrest),
    "vp": none_told(gain_vp, why_no_vp),
    "treaty": none_told(sign, why_no_treaty),
    "land": one_told("land", landings, nobody_lands, land),
}
