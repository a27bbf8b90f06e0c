"""Sieges, subjugation, raids and plunder; the besieged in a battle before their walls (13, 14).

* `add_markers` puts markers on the track; `Game.plunder` is signed: Gallic ones count above 0 (14.1).
* `raid` is one attempt of an army (14.2); how many there are the order of a march says.
* After loyalty has gone down, or a level up, `fall_if_due` converts a city or a tribe that falls. Where its besieger
  may loot it, that waits until `take_fallen` can ask, which every action and phase ends with.
* `PLUNDER_USES`: `solidarity` (14.6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pbem.game import Kind, OneOf, Part, Refusal, Some, Table, Value, listing, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.movement.parts import why_consul_alone
from pbem.rules.sword_of_rome.position.board import GAULS, NORMAL, TRIBE, WALLED
from pbem.rules.sword_of_rome.position.changes import come_out, displace, go_in, lose, set_control, settle_spaces
from pbem.rules.sword_of_rome.position.naming import NOBODY, no_such_space, refused, space_named, spaces
from pbem.rules.sword_of_rome.position.state import Force, Game, Siege
from pbem.rules.sword_of_rome.turn.order_of_play import decider
from pbem.rules.sword_of_rome.turn.scoring import add_vp

# ---- the track (14.1)


def add_markers(game: Game, table: Table, power: str, count: int, rule: str = "14.1") -> None:
    """Put plunder markers on the track, one at a time: the two kinds cancel, a full track scores and is cleared (14.1).

    Full of Gallic markers it is a VP for the Gauls, full of Transalpine ones a VP less.
    """
    sign = 1 if power == GAULS else -1
    side = game.board.powers[GAULS].side
    for _ in range(count):
        game.plunder += sign
        if abs(game.plunder) < game.board.tables["plunder"]["track"]:
            continue
        game.plunder = 0
        if side is not None:
            add_vp(game, side, sign)
            table.tell("track_full", power=power, side=side, by=sign, vp=game.vp[side], rule="14.1")
    table.tell("plundered", power=power, markers=count, track=game.plunder, rule=rule)


# ---- raids (14.2, 14.3)


def raid(game: Game, table: Table, power: str, space: str, name: str) -> Flow[bool]:
    """Raid a space once with the army there, and tell whether that succeeds (14.2, 14.3).

    A siege point is a success, even if the roll costs the last CU (option `last_raider`). The marker goes, and plunder
    is taken. The name of the roll ends with `name`.
    """
    holder = game.control[space]
    about = {"space": space, "power": power, "other": holder}
    moment = yield from responses.window(game, table, "raid", about=about)
    roll = table.roll(f"raid/{name}", 2, rule="14.2", modifiers={"event": moment.modifier}, power=power, space=space)
    points, cu = game.board.siege_result(roll.total)
    lost = lose(game, power, space, cu)
    if not points or not (game.cu(power, space) or game.options["last_raider"]):
        table.tell("raid_fails", power=power, space=space, cu=lost, rule="14.3")
        return False
    set_control(game, space, None)
    table.tell("raided", power=power, space=space, other=holder, cu=lost, rule="14.3")
    add_markers(game, table, power, 1, "14.3")
    return True


# ---- looting a city (14.4)


def may_loot(game: Game, power: str, space: str) -> bool:
    """Tell whether a power may loot a city that falls to it: another power's, not in an ally's home (13.5, 14.4)."""
    return game.board.powers[power].raids and space in game.control and not game.allys_home(power, space)


def loot(game: Game, table: Table, power: str, space: str) -> None:
    """Loot a city that has fallen: it becomes independent, and brings plunder (14.4)."""
    set_control(game, space, None)
    table.tell("looted", power=power, space=space, rule="14.4")
    add_markers(game, table, power, game.board.tables["plunder"]["city"], "14.4")


# ---- solidarity (14.6)


def _why_not_free(view: Game, space: str) -> Refusal | None:
    unknown = no_such_space(view, space)
    if unknown is not None:
        return unknown
    where = space_named(view, space)
    if view.board.spaces[space].home != GAULS or view.kind(space) != NORMAL:
        return Refusal(f"{where} is no Gallic home space with a PC marker", "14.6")
    if view.friendly(GAULS, space):
        return Refusal(f"{where} has no enemy marker", "14.6")
    if any(view.cu(other, space) for other in view.board.powers if not view.allied(GAULS, other)):
        return Refusal(f"enemy CU stand in {where}", "14.6")
    return None


def solidarity_choices(view: Game, decision: Decision) -> Part:
    """Return every way to spend Gallic plunder on own home spaces (14.6)."""
    able: list[str] = []
    if GAULS in view.board.powers_of[decision.side] and view.plunder >= 1:
        able = [space for space in view.board.homes[GAULS] if _why_not_free(view, space) is None]
    return Some("remove", spaces(able), 1, min(view.plunder, len(able)), of="space")


def check_solidarity(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with solidarity (14.6)."""
    if GAULS not in view.board.powers_of[decision.side]:
        yield order.fault(("do",), "only the Gauls have solidarity", rule="14.6")
        return
    spaces: Sequence[str] = order.get("remove", ())
    markers = max(0, view.plunder)
    if not spaces:
        yield order.fault(("remove",), "say which spaces are freed", rule="14.6")
    if len(spaces) > markers:
        yield order.fault(("remove",), f"{markers} Gallic markers lie on the plunder track", rule="14.6")
    for i, space in enumerate(spaces):
        refusal = _why_not_free(view, space)
        if refusal is None and space in spaces[:i]:
            refusal = Refusal(f"{space_named(view, space)} is freed once", "14.6")
        yield from refused(("remove", i), refusal)


def free(game: Game, table: Table, order: Order) -> Flow[None]:
    """Take Gallic markers off the track for enemy markers in Gallic home spaces (14.6)."""
    for space in order["remove"]:
        game.plunder -= 1
        set_control(game, space, GAULS)
    table.tell("solidarity", power=GAULS, spaces=list(order["remove"]), track=game.plunder, rule="14.6")
    yield from ()


PLUNDER_USES: Final[Mapping[str, Use]] = {
    "solidarity": Use(solidarity_choices, check_solidarity, free, ("solidarity", "free")),
}


# ---- sieges and subjugation: markers, rolls, conversion or looting (13)


def place_marker(game: Game, table: Table, power: str, space: str) -> None:
    """Begin a siege or a subjugation: an army stands before an enemy city or in an enemy tribe (13.1)."""
    if why_not_besiege(game, power, space) is None and space not in game.sieges:
        game.sieges[space] = Siege(power)
        table.tell("siege_begins", power=power, space=space, rule="13.1")


def why_not_besiege(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot besiege or subjugate a space; None: it can (13.1)."""
    if game.kind(space) not in (WALLED, TRIBE):
        return Refusal(f"{space} is neither a city nor a tribe", "13.1")
    if game.friendly(power, space):
        return Refusal(f"{space} is friendly", "13.1")
    if game.board.is_capital(space):
        return Refusal(f"{space} is never besieged", "17")
    if not game.force(power, space).army:
        return Refusal(f"no army of yours stands at {space}", "13.1")
    return None


def why_not_roll(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot roll for a siege or a subjugation; None: it can (13.1.1, 13.1.3)."""
    refusal = why_not_besiege(game, power, space)
    least = game.board.tables["city"]["army"]
    if refusal is None and (space not in game.sieges or game.sieges[space].by != power):
        return Refusal(f"you do not besiege {space}", "13.1")
    if refusal is None and game.force(power, space).cu < least:
        return Refusal(f"a siege roll takes {least} CU", "13.1.1")
    if refusal is None and game.sieges[space].rolled == _round(game):
        return Refusal(f"{space} has had its roll of this round", "13.1.1")
    return refusal


def _round(game: Game) -> str:
    """Return the turn and the round of a roll; the Surrender Phase is in none, or by option belongs to the last one.

    The option is `surrender_roll` (13.1.1, 13.1.3).
    """
    last = 0 if game.options["surrender_roll"] else game.board.tables["rounds"]
    return f"{game.turn}/{game.round or last}"


class SiegeRoll(NamedTuple):
    """A roll for a siege or a subjugation: whose, where, its name, and the paragraph that gives it."""

    power: str
    space: str
    name: str
    rule: str


def roll_siege(game: Game, table: Table, due: SiegeRoll) -> Flow[None]:
    """Roll for a siege or a subjugation, and let the city or tribe fall if it must (13.2, 13.5).

    Responses come first; one that makes it fall makes the roll needless.
    """
    power, space, name, rule = due
    about = {"space": space, "power": power, "other": game.control.get(space)}
    moment = yield from responses.window(game, table, "siege_roll", about=about)
    if space not in game.sieges:
        return
    siege = game.sieges[space]
    siege.rolled = _round(game)
    besieger = game.board.powers[power].siege if game.kind(space) == WALLED else 0  # counts before cities only
    modifiers = {"besieger": besieger, "event": moment.modifier}
    roll = table.roll(name, 2, rule=rule, modifiers=modifiers, power=power, space=space)
    points, cost = game.board.siege_result(roll.total)
    siege.level += points + moment.points
    gone = lose(game, power, space, cost)
    most = needed(game, space)
    table.tell(
        "siege_rolled",
        power=power,
        space=space,
        points=points + moment.points,
        cu=gone,
        level=min(siege.level, most),  # what is beyond it counts for nothing
        needed=most,
        rule="13.2",
    )
    fall_if_due(game, table, space)
    yield from take_fallen(game, table)
    settle_spaces(game, table)


def needed(game: Game, space: str) -> int:
    """Return the level at which a city or a tribe falls: its loyalty, or its subjugation factor (13.5)."""
    return game.board.spaces[space].subjugation if game.kind(space) == TRIBE else game.loyalty[space]


def fall_if_due(game: Game, table: Table, space: str) -> None:
    """Convert a besieged city or tribe whose level has reached its loyalty or its subjugation factor (13.5).

    A city without loyalty falls at any level. Call it after every change of a level or of loyalty. A city that may be
    looted waits for `take_fallen`.
    """
    siege = game.sieges.get(space)
    if siege is not None and siege.level >= needed(game, space) and not _has_choice(game, space):
        convert(game, table, space, siege.by)


def _has_choice(game: Game, space: str) -> bool:
    return game.kind(space) == WALLED and may_loot(game, game.sieges[space].by, space)


def take_fallen(game: Game, table: Table) -> Flow[None]:
    """Ask about the cities that have fallen to who may loot them, and convert or loot them (13.5, 14.4)."""
    for space, siege in list(game.sieges.items()):
        if siege.level < needed(game, space):
            continue
        looted = False
        if _has_choice(game, space):
            side = yield from decider(game, table, siege.by)
            order = yield from table.ask(
                side,
                "sack",
                rule="14.4",
                default={"loot": True},
                power=siege.by,
                space=space,
                holder=game.control[space],
            )
            looted = order["loot"]
        if looted:
            kill_inside(game, table, space)
            loot(game, table, siege.by, space)
        else:
            convert(game, table, space, siege.by)


def kill_inside(game: Game, table: Table, space: str) -> None:
    """Remove the siege of a place that has fallen; what is inside dies, without support for anybody (13.5)."""
    del game.sieges[space]
    holder = game.control.get(space)
    if holder is None or space not in game.inside:
        return
    cu = lose(game, holder, space, game.inside[space].cu, inside=True)
    if cu:
        table.tell("lost", power=holder, space=space, cu=cu, rule="13.5")
    displace(game, table, holder, space, inside=True)


def convert(game: Game, table: Table, space: str, power: str) -> None:
    """Give a city or a tribe to its besieger; in an ally's home the ally gets it (13.5)."""
    kill_inside(game, table, space)
    home = game.board.spaces[space].home
    owner = home if home is not None and game.allys_home(power, space) else power
    if space in game.tribes:
        game.tribes.remove(space)
    set_control(game, space, owner)
    table.tell("falls", space=space, power=owner, rule="13.5")


# ---- relief: who joins an attack on the besiegers, and who goes back inside (13.4.1, 13.4.2)


def relieve(game: Game, table: Table) -> Flow[None]:
    """Ask which of the besieged join an army of their own power that attacks the besiegers (13.4.2).

    Those of an ally do not (15.3). A leader from inside commands only where he cannot be subordinate (8.2.1).
    """
    battle = game.the_battle
    power, space = battle.attacker, battle.space
    inside = game.garrison(power, space)
    if battle.sallied or not inside.cu:
        return
    side = yield from decider(game, table, power)
    order = yield from table.ask(
        side,
        "sortie_joins",
        rule="13.4.2",
        default={"cu": inside.cu, "leaders": list(inside.leaders)},
        waits=False,
        power=power,
        space=space,
        cu=inside.cu,
        leaders=list(inside.leaders),
    )
    cu = order["cu"]
    leaders = list(order.get("leaders", inside.leaders)) if cu else []
    if cu:
        sally_out(game, power, space, cu, leaders)
        table.tell("joins_from_inside", power=power, space=space, cu=cu, leaders=leaders, rule="13.4.2")


def sally_out(game: Game, power: str, space: str, cu: int, leaders: list[str]) -> None:
    """Put some of the besieged before the walls, for the battle under way (13.4)."""
    inside = game.inside[space]
    mercenaries = inside.fewest_mercenaries(cu)
    inside.cu -= cu
    inside.mercenaries -= mercenaries
    inside.leaders = [leader for leader in inside.leaders if leader not in leaders]
    if inside.empty:
        del game.inside[space]
    come_out(game, power, space, Force(cu, mercenaries, leaders))
    battle = game.the_battle
    battle.sallied, battle.sallied_leaders = cu, list(leaders)


def go_back_inside(game: Game, table: Table) -> None:
    """Put what is left of those who came out of the city inside again, after a lost battle (13.4.1, 13.4.2)."""
    battle = game.the_battle
    power, space = battle.attacker, battle.space
    there = game.force(power, space)
    leaders = [leader for leader in battle.sallied_leaders if leader in there.leaders]
    if not battle.sallied and not leaders:
        return
    cu = min(battle.sallied, there.cu)
    mercenaries = min(there.mercenaries, there.fewest_mercenaries(cu))
    go_in(game, space, game.take(power, space, Force(cu, mercenaries, leaders)))
    table.tell("withdraws_inside", power=power, space=space, cu=cu, rule="13.4")


def joining(view: Game, decision: Decision) -> Part:
    """Return which of the besieged can join: so many CU with any leaders, or nobody (13.4.2)."""
    leaders = decision.facts["leaders"]
    companies = [list(some) for size in range(len(leaders), -1, -1) for some in combinations(leaders, size)]

    def with_them(cu: int) -> Part:
        able = [some for some in companies if _why_alone(view, decision, cu, some) is None]
        return OneOf("leaders", [Value(some) for some in able], of="leader", inferred=True)

    some = [Value(cu, with_them(cu), says=(f"{cu} CU",)) for cu in range(decision.facts["cu"], 0, -1)]
    nobody = Value(0, OneOf("leaders", [Value([]), Value(None, unlisted=True)]), says=NOBODY, must=True)
    return OneOf("cu", [*some, nobody])


def _why_alone(view: Game, decision: Decision, cu: int, leaders: Sequence[str]) -> Refusal | None:
    """Say why some of the besieged cannot join: a consul would stay or come without CU; None: they can (9.1.2)."""
    staying = [leader for leader in decision.facts["leaders"] if leader not in leaders]
    parts = Force(cu, leaders=list(leaders)), Force(max(0, decision.facts["cu"] - cu), leaders=staying)
    return why_consul_alone(view, *parts) if cu else None


def check_joining(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who joins (13.4.2)."""
    most, leaders = decision.facts["cu"], decision.facts["leaders"]
    if order["cu"] > most:
        yield order.fault(("cu",), f"{most} CU are inside", rule="13.4.2")
    for i, leader in enumerate(order.get("leaders", ())):
        if leader not in leaders:
            inside = listing(leaders, "and") or "nobody"
            yield order.fault(("leaders", i), f"{leader} is not inside: {inside}", rule="13.4.2")
    if not order["cu"] and order.get("leaders"):
        yield order.fault(("leaders",), "leaders join with CU", rule="13.4.2")
    elif (alone := _why_alone(view, decision, order["cu"], order.get("leaders", leaders))) is not None:
        yield order.fault(("cu",), alone.reason, rule=alone.rule)


SIEGE_KINDS: Final = (
    Kind("sortie_joins", joining, check_joining, hints="views.hints:sortie_joins_hints"),
    Kind("sack", *yes_or_no("loot"), hints="views.hints:sack_hints", bot="policy.replies:best_sack"),
)
