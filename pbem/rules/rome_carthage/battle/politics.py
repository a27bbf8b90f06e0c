"""Political consequences: control markers that the loser takes off the board, or peace (12.2, 18.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pbem.game import Kind, Part, Refusal, Some, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.naming import no_such_space
from pbem.rules.rome_carthage.position.state import ENEMY, Game, Result


def political_consequences(game: Game, table: Table) -> Flow[None]:
    """Make the loser of a battle give up a marker for every two CU it cost them, the retreat included (12.2).

    By the rules of 1998 nobody sues for peace over a battle: a player with too few markers gives up all of them.
    """
    battle = game.the_battle
    side = battle.the_loser
    count = battle.lost.get(side, 0) // 2
    if not game.options["peace_after_battle"]:
        count = min(count, len(removable_markers(game, side)))
    yield from give_up_markers(game, table, side, count, "defeat")


_PAID_BY: Final = {"defeat": "12.2", "hannibal_displaced": "8.9", "political_points": "18.2"}
"""What costs a side control markers, and the paragraph."""


def give_up_markers(game: Game, table: Table, side: Side, count: int, reason: str) -> Flow[None]:
    """Make a side take control markers of its choice off; if it has too few, it sues for peace (12.2, 19)."""
    rule = _PAID_BY[reason]
    if not count:
        return
    removable = removable_markers(game, side)
    if len(removable) < count:
        table.tell("sues_for_peace", rule="19", side=side, count=count, markers=len(removable), reason=reason)
        game.result = Result(ENEMY[side], "peace")
        return
    spaces = removable
    if count < len(removable):
        game.owed_markers[side] = count
        order = yield from table.ask(
            side,
            "remove_markers",
            rule=rule,
            default={"spaces": least_missed(game, side, removable, count)},
            count=count,
            reason=reason,
        )
        spaces = order["spaces"]
        del game.owed_markers[side]
    for space in spaces:
        del game.control[space]
    table.tell("markers_removed", rule=rule, side=side, spaces=list(spaces), reason=reason)


def removable_markers(game: Game, side: Side) -> list[str]:
    """List a side's control markers that are neither city nor tribe, in the order of the board (12.2)."""
    control, tribes = game.control, game.tribes
    return [space for space in game.board.unwalled if control.get(space) == side and space not in tribes]


def least_missed(game: Game, side: Side, removable: list[str], count: int) -> list[str]:
    """Pick the markers that cost least: provinces worth a political point are given up last (12.2)."""
    board, control = game.board, game.control
    held = Counter([board.spaces[space].province for space, holder in control.items() if holder == side])
    taken: dict[str, int] = {}
    ranked = []
    for space in removable:
        province = board.provinces[board.spaces[space].province]
        spare, earlier = held[province.id] - province.majority, taken.get(province.id, 0)
        given_away = 0 <= spare <= earlier
        taken[province.id] = earlier + 1
        ranked.append((given_away and province.political_point, given_away, space in game.stacks[side], space))
    return sorted(space for *_, space in sorted(ranked)[:count])


def markers_choices(view: Game, decision: Decision) -> Part:
    """Return every choice of the markers to take off (12.2)."""
    count, able = decision.facts["count"], removable_markers(view, decision.side)
    return Some("spaces", [Value(space, at=space) for space in able], count, count, of="space")


def check_markers(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a choice of markers to take off (12.2, 18.2)."""
    side, spaces, count = decision.side, order["spaces"], decision.facts["count"]
    for at, space in enumerate(spaces):
        why = why_not_removable(view, side, space, decision.rule)
        if why is None and space in spaces[:at]:
            why = Refusal(f"{view.board.spaces[space].name} is named twice", decision.rule)
        if why is not None:
            yield why.at(("spaces", at))
    if len(spaces) != count:
        reason = f"exactly {count} marker{'s' if count > 1 else ''} must go; you name {len(spaces)}"
        yield order.fault(("spaces",), reason, rule=decision.rule)


def why_not_removable(game: Game, side: Side, space: str, rule: str) -> Refusal | None:
    """Say why a marker cannot be taken off to pay what a rule demands; None: it can (8.9, 12.2, 18.2)."""
    record = game.board.spaces.get(space)
    if record is None:
        return Refusal(no_such_space(game, space), rule)
    if game.control.get(space) != side:
        return Refusal(f"{record.name} has no marker of yours", rule)
    if record.kind == WALLED_CITY:
        return Refusal(f"{record.name} is a walled city and stays; name plain markers", rule)
    if space in game.tribes:
        return Refusal(f"{record.name} is a tribe and stays; name plain markers", rule)
    return None


POLITICS_KINDS: Final = (
    Kind(
        "remove_markers",
        markers_choices,
        check_markers,
        hints="views.hints:remove_markers",
        bot="policy.answers:remove_markers",
        close_up="views.summary:nothing",
        places="views.summary:nowhere",
    ),
)
