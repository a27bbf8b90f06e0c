"""Hostile Tribes, Bad Weather and Storms at Sea, which the enemy plays against a march (cards 7, 8, 41, 60).

Each is a window of the side that is not on the march (7.4.1).
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table
from pbem.protocol import Flow
from pbem.rules.rome_carthage.battle.losses import attrition
from pbem.rules.rome_carthage.events.windows import cards_of, check_window, open_window, window_orders
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN, march_type
from pbem.rules.rome_carthage.movement.passes import named_space
from pbem.rules.rome_carthage.movement.paths import step_cost
from pbem.rules.rome_carthage.position.board import LAND, PASS, PASSES, SEA, STRAIT, StrategyCard
from pbem.rules.rome_carthage.position.generals import displace
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March

TRIBES: Final = "hostile_tribes"
WEATHER: Final = "bad_weather"
STORM: Final = "storms_at_sea"


# ---- hostile tribes (cards 7, 8)


def meet_tribes(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the enemy rouse the tribes against an army that has entered their country, card by card (cards 7, 8).

    An army that loses its last CU there goes back where the space is held by the enemy (8.4.2).
    """
    card = cards_of(game.board, TRIBES)[0]
    space = march.at
    if game.board.spaces[space].province not in card.about["provinces"]:
        return
    side, last = ENEMY[march.side], None
    while march.force.cu:
        facts = {"mover": march.general, "at": space, "enemy_cu": march.force.cu}
        played = yield from open_window(game, table, side, TRIBES, TRIBES, rule="card 7", facts=facts)
        if played is None:
            break
        last = played
        yield from attrition(
            game,
            table,
            march.side,
            march.force,
            name=f"{TRIBES}/{named_space(march)}/{played.number}",
            modifiers={},
            rule=f"card {played.number}",
            space=space,
            column=played.about["column"],
            cause=TRIBES,
        )
    if last is not None and not march.force.cu and game.cu(side, space):
        march.at, march.over = march.the_way_back, True
        table.tell("turned_back", side=march.side, general=march.general, space=march.at, rule="8.4.2")


# ---- bad weather (card 41)


def bad_weather(game: Game, table: Table, march: March, to: str, kind: str) -> Flow[bool]:
    """Let the enemy cut a march short before its next step; return whether the step is cancelled (card 41).

    `kind` is that of the road, or sea. What the general did before stands: he stays where he is, and may use what is
    left of two spaces, by ordinary lines. A voyage that is cancelled ends his move in the port, and a Campaign card
    moves nobody in the force again (8.4.1). By land it stops the general only, by the rules of 1998 his army with him.
    """
    if not within_reach(game, march, kind):
        return False
    by = kind if kind in (SEA, STRAIT) else PASS if kind in PASSES else LAND
    facts = {
        "mover": march.general,
        "at": march.at,
        "to": to,
        "by": by,
        "enemy_cu": march.force.cu,
        "spaces": len(march.entered),
    }
    played = yield from open_window(game, table, ENEMY[march.side], WEATHER, WEATHER, rule="card 41", facts=facts)
    if played is None:
        return False
    points = 0 if kind == SEA else played.about["spaces"] - len(march.entered)
    if march_type(game) == CAMPAIGN and kind != SEA and game.options["bad_weather_stops"] == "general":
        march.cut = march.points - points
    else:
        march.legs = [min(left, points) for left in march.legs]
        march.halted = True
    march.points = points
    march.path, march.then, march.over = [], "ask" if points else "", not points
    told = "voyage_cancelled" if kind == SEA else "march_cut_short"
    table.tell(told, rule="card 41", side=march.side, general=march.general, space=march.at, barred=to)
    return True


def within_reach(game: Game, march: March, kind: str) -> bool:
    """Tell whether Bad Weather can stop the next step (card 41).

    It can before a voyage, before the third space, and before a pass or a strait that takes more than two points;
    by the rules of 1998, by land, before the third space of a general whom a Campaign card moves.
    """
    if kind == SEA:
        return True
    spaces = cards_of(game.board, WEATHER)[0].about["spaces"]
    steps = len(march.entered)
    if game.options["bad_weather_by_land"] == CAMPAIGN:
        return steps == spaces and march_type(game) == CAMPAIGN
    if steps != 1:
        return steps == spaces
    narrow = kind == STRAIT or kind in PASSES
    return narrow and step_cost(game, march.came_by) + step_cost(game, kind) > spaces


# ---- storms at sea (card 60)


def storm(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the enemy raise a storm against a force that has sailed, before the fleets meet (card 60).

    It takes attrition; generals come to no harm. When no CU is left they are back in the port of departure, or, by
    the rules of 1998, displaced (8.9). Without CU there is nothing for a storm to take.
    """
    if not march.force.cu:
        return
    side, origin = ENEMY[march.side], march.the_way_back
    facts = {"mover": march.general, "from": origin, "to": march.at, "enemy_cu": march.force.cu}
    played = yield from open_window(game, table, side, STORM, STORM, rule="card 60", facts=facts)
    if played is None:
        return
    yield from _take_losses(game, table, march, played)
    if march.force.cu:
        return
    march.over, march.halted, march.path = True, True, []
    if game.options["storm_displaces"]:
        generals, march.force = march.force.generals, Stack()
        yield from displace(game, table, march.side, generals, cause="storm")
    else:
        march.at = origin
        table.tell("fleet_returns", rule="card 60", side=march.side, general=march.general, space=origin)


def _take_losses(game: Game, table: Table, march: March, card: StrategyCard) -> Flow[None]:
    yield from attrition(
        game,
        table,
        march.side,
        march.force,
        name=f"storm/{march.general}/{named_space(march)}",
        modifiers={"storm": card.about["drm"]},
        rule="card 60",
        space=march.at,
        cause="storm",
    )


WEATHER_KINDS: Final = tuple(
    Kind(event, window_orders, check_window, hints="views.hints:window") for event in (TRIBES, WEATHER, STORM)
)
