"""Effects on markers, hands, the plunder track, the unrest, VP and Africa (6, 7.1, 14.1, 17.2, 18, S 20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle import battle
from pbem.rules.sword_of_rome.events.conditions import in_words, meant
from pbem.rules.sword_of_rome.events.effects import Effect, Played, none_told, one_told
from pbem.rules.sword_of_rome.events.effects.battles import LOST
from pbem.rules.sword_of_rome.movement.parts import move_out, strengths
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GAULS, GREEKS
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.state import Force, Game, Mark
from pbem.rules.sword_of_rome.siege import plunder, unrest
from pbem.rules.sword_of_rome.turn.draw import draw, lay_off
from pbem.rules.sword_of_rome.turn.overseas import ENVOYS
from pbem.rules.sword_of_rome.turn.scoring import add_vp

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


def nobody_robbed(view: Game, played: Played) -> Refusal:
    """Say that nobody can be made to discard (6.2.1)."""
    return Refusal(f"{in_words(view, played.told['of'])} holds no card", "6.2.1")


def rob(game: Game, table: Table, played: Played, power: str) -> Flow[None]:
    """Let a side discard cards that are drawn from its hand by lot (6.2.1)."""
    side = game.board.powers[power].side
    assert side is not None
    name = f"hand/{side}/turn-{game.turn}/round-{game.round}/{played.card}"
    cards = table.shuffle(name, list(game.hands[side]))[: played.told["cards"]]
    lay_off(game, side, cards)
    table.tell("robbed", side=side, cards=cards, rule="6.2.1")
    return
    yield


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
        plunder.add_markers(game, table, power, played.told["gain"])


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


def landings(view: Game, played: Played) -> list[dict[str, Any]]:
    """List the armies that can land: led, in a friendly port that no enemy besieges (17.2)."""
    if landing_of(view) is None:
        return []
    found = []
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


def land(game: Game, table: Table, played: Played, told: Mapping[str, Any]) -> Flow[None]:
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


OTHER_EFFECTS: Final[Mapping[str, Effect]] = {
    "marker": none_told(why_not_in_effect, put_in_effect),
    "draw": none_told(why_no_draw, draw_by_event),
    "discard": one_told("discard", robbed, nobody_robbed, rob),
    "plunder": none_told(why_no_plunder, change_plunder),
    "unrest": none_told(why_no_change_of_unrest, change_unrest),
    "vp": none_told(why_no_vp, gain_vp),
    "treaty": none_told(why_no_treaty, sign),
    "land": one_told("land", landings, nobody_lands, land),
}
