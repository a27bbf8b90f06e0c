"""Plunder: the track, raids, looting and solidarity (14).

* `add_markers` puts markers on the track; `Game.plunder` is signed: Gallic ones count above 0 (14.1).
* `raid` is one attempt of an army (14.2); how many there are the order of a march says.
* `loot` is what becomes of a city instead of `siege.siege.convert` (14.4).
* `PLUNDER_USES`: `solidarity` (14.6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Kind, LegalOrders, Refusal, Table, lazy, of, subsets, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.position.board import GAULS, NORMAL
from pbem.rules.sword_of_rome.position.changes import lose, set_control
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game
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


def freeable(view: Game) -> list[str]:
    """List the Gallic home spaces that solidarity frees: the marker of an enemy or of nobody, no enemy CU (14.6)."""
    return [space for space in view.board.homes[GAULS] if _why_not_free(view, space) is None]


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


def solidarity_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every way to spend Gallic plunder on own home spaces (14.6)."""
    if GAULS not in view.board.powers_of[decision.side] or view.plunder < 1:
        return of([])

    def all_ways() -> LegalOrders:
        spaces = freeable(view)
        sizes = range(1, min(view.plunder, len(spaces)) + 1)
        return subsets(lambda some: Order("act", {"do": "solidarity", "remove": some}), spaces, sizes)

    return lazy(all_ways)


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
        if refusal is not None:
            yield order.fault(("remove", i), refusal.reason, rule=refusal.rule)


def free(game: Game, table: Table, order: Order) -> Flow[None]:
    """Take Gallic markers off the track for enemy markers in Gallic home spaces (14.6)."""
    for space in order["remove"]:
        game.plunder -= 1
        set_control(game, space, GAULS)
    table.tell("solidarity", power=GAULS, spaces=list(order["remove"]), track=game.plunder, rule="14.6")
    return
    yield


PLUNDER_USES: Final[Mapping[str, Use]] = {"solidarity": Use(solidarity_orders, check_solidarity, free)}
PLUNDER_KINDS: Final = (
    Kind("sack", *yes_or_no("loot"), hints="views.hints:sack_hints", bot="policy.replies:best_sack"),
)
