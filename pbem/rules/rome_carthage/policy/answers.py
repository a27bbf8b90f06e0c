"""The bot's answers: card plays, consuls, reactions to enemy marches, battle (6.4, 7, 9 to 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Answers
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.battle.politics import removable_markers
from pbem.rules.rome_carthage.battle.rounds import STRONGEST, battle_card_choices
from pbem.rules.rome_carthage.events.catalogue import event_orders
from pbem.rules.rome_carthage.movement.campaigns import moved_by
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN, EVENT, FORCE_MARCH, OPERATIONS
from pbem.rules.rome_carthage.orders import Body
from pbem.rules.rome_carthage.policy.marches import Marches, Plan
from pbem.rules.rome_carthage.policy.worth import (
    CU,
    best_markers,
    cards_in_battle,
    chance,
    cheapest_to_lose,
    worth_lost,
    worth_of_marker,
)
from pbem.rules.rome_carthage.position.board import ITALY, StrategyCard
from pbem.rules.rome_carthage.position.generals import strategy_rating
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import pool
from pbem.rules.rome_carthage.turn.consuls import default_places
from pbem.rules.rome_carthage.turn.operations import barred_to, playable, recruiters

_SPENT: Final = 0.05
"""What an operations point is worth for another day: the smallest card that does it is played."""
_MORE: Final = 0.25
"""What the other generals of a campaign are worth, who march after the first."""
_LOOKED_AT: Final = 60
"""Ways to play an event that are looked at."""
_WORTH: Final[Mapping[str, float]] = {
    "naval_victory": 0.1,
    "siege_train": 0.3,
    "philip": 0.5,
    "dismissal": 0.1,
    "messenger_intercepted": 0.6,
    "counsel": 0.2,
    "truce": 0.0,
    "mercenaries_desert": 0.5,
    "epidemic": 0.25,
    "pestilence": 0.3,
    "hostile_tribes": 0.3,
    "surprise_sortie": 0.3,
    "fleet_breaks_siege": 0.3,
    "tribal_resistance": 0.15,
    "city_changes_sides": 1.5,
}
"""What an event is worth beyond what its order names."""
WILLING: Final = 0.6
"""The chance of victory from which the bot seeks a battle."""
AFRAID: Final = 0.4
"""The chance below which it avoids one."""


# ---- card plays: markers, a march, a unit or an event, whichever is worth most (7)


def best_play(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield card plays, the one that is worth most first; the rules may refuse some (7)."""
    side = decision.side
    hand = playable(view, side)
    marches = Marches(view, side)
    found = [
        (worth - _SPENT * view.board.cards[number].ops, number, body)
        for number in hand
        for worth, body in _ways(marches, view.board.cards[number])
    ]
    found.sort(key=lambda way: (-way[0], way[1]))
    for _, number, body in found:
        yield Order("play", {"card": number, **body})
    for number in sorted(hand, key=lambda card: view.board.cards[card].ops):
        yield Order("play", {"card": number, "as": "discard"})


def best_campaign(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield what the next general of a campaign does, the best first; at last that nobody moves (8.4.1)."""
    marches = Marches(view, decision.side)
    rested = [general for general in _generals(marches) if general not in view.the_card.moved]
    found = [plan for general in rested for plan in marches.of(general, view.board.movement.points)]
    for plan in sorted(found, key=_by_worth):
        yield Order("campaign", {**plan.body, "then": "siege"})
    yield Order("campaign", {"stop": True})


def _by_worth(plan: Plan) -> tuple[float, str]:
    return -plan.worth, str(plan.body)


def _generals(marches: Marches) -> list[str]:
    return [general for general, *_ in marches.game.generals_in_play(marches.side)]


def _ways(marches: Marches, card: StrategyCard) -> Iterator[tuple[float, Body]]:
    """Yield the good ways to play a card, each with its worth."""
    view, side = marches.game, marches.side
    if not barred_to(view, side, card.number):
        yield from _operations(marches, card)
    movement = view.board.movement
    if card.type == CAMPAIGN:
        for worth, body in _by_march(marches, EVENT, moved_by(card), movement.points):
            yield worth + _MORE, body
    elif card.type == FORCE_MARCH:
        yield from _by_march(marches, EVENT, moved_by(card), movement.force_march)
    else:
        for order in event_orders(view, side, card)[:_LOOKED_AT]:
            body = {key: value for key, value in order.body.items() if key != "card"}
            yield _event(view, side, card, body), body


def _operations(marches: Marches, card: StrategyCard) -> Iterator[tuple[float, Body]]:
    view, side = marches.game, marches.side
    worth, spaces = best_markers(view, side, card.ops)
    if spaces:
        yield worth, {"as": OPERATIONS, "place": spaces}
    if card.ops == view.board.raising_ops:
        for general in recruiters(view, side)[:1]:
            yield CU, {"as": OPERATIONS, "raise": general}
    yield from _by_march(marches, OPERATIONS, card.ops, view.board.movement.points)


def _by_march(marches: Marches, use: str, ops: int, points: int) -> Iterator[tuple[float, Body]]:
    """Yield the marches of all generals whom so many operations activate, with some movement points."""
    for general in _generals(marches):
        if strategy_rating(marches.game, general) <= ops:
            for plan in marches.of(general, points):
                yield plan.worth, {"as": use, **plan.body, "then": "siege"}


def _event(view: Game, side: Side, card: StrategyCard, body: Body) -> float:
    """Estimate the value of an event: units it brings, markers it places or removes, cities it gives."""
    about = card.about
    worth: float = _WORTH.get(card.event, 0.0) + CU * about.get("cu", 0)
    for space in [*body.get("spaces", ()), *([body["space"]] if "space" in body else ())]:
        if space in view.board.spaces:
            worth += _of_space(view, side, space)
    provinces = [body["province"]] if "province" in body else about.get("provinces", ())
    if card.event == "revolt":
        worth += sum(
            worth_lost(view, ENEMY[side], space)
            for province in provinces
            for space in view.board.provinces[province].spaces
            if view.control.get(space) == ENEMY[side]
        )
    return worth


def _of_space(view: Game, side: Side, space: str) -> float:
    """Return what an event aimed at a space is worth there, as far as its markers tell."""
    return 0.8 * worth_of_marker(view, side, space) if view.control.get(space) != side else 0.0


# ---- answers to other questions (6.4, 9 to 14)


def _wins(view: Game, decision: Decision, own: Stack, space: str) -> float:
    """Estimate the chance of an own army against the force on the march (11)."""
    side, march = decision.side, view.the_march
    mine = cards_in_battle(view, side, space, own)
    return chance(mine, cards_in_battle(view, ENEMY[side], space, march.force), leads=False)


def intercept(view: Game, decision: Decision) -> Iterator[Order]:
    """Intercept with the strongest army that is likely to win (9)."""
    space, side = decision.facts["at"], decision.side
    for origin in decision.facts["from"]:
        stack = pool(view, side, origin)
        if _wins(view, decision, stack, space) >= WILLING:
            for general in stack.generals:
                yield Order("intercept", {"with": [{"general": general}]})
    yield Order("intercept", {"with": []})


def avoid(view: Game, decision: Decision) -> Iterator[Order]:
    """Avoid a battle that would likely be lost, to where most of one's own stand (10)."""
    space, side = decision.facts["at"], decision.side
    if _wins(view, decision, view.stack(side, space), space) < AFRAID:
        for refuge in sorted(decision.facts["refuges"], key=lambda near: (-view.cu(side, near), near)):
            yield Order("avoid_battle", {"to": refuge})
    yield Order("avoid_battle", {"to": "none"})


def intercepted(view: Game, decision: Decision) -> Iterator[Order]:
    """Fight unless the battle would likely be lost (9.3)."""
    march = view.the_march
    enemy = view.stack(ENEMY[decision.side], march.at)
    own = cards_in_battle(view, decision.side, march.at, march.force)
    fights = chance(own, 1 + cards_in_battle(view, ENEMY[decision.side], march.at, enemy)) >= AFRAID
    yield Order("intercepted", {"choice": "fight" if fights else "back_up"})


def battle_card(view: Game, decision: Decision) -> Iterator[Order]:
    """Break off a battle that goes badly; else lead the kind hardest to match (11.5, 11.11)."""
    if 3 * decision.facts["cards"] <= decision.facts["enemy_cards"]:
        yield Order("battle_card", {"withdraw": True})
    yield Order("battle_card", {"card": STRONGEST})
    yield from Answers(decision.kind, battle_card_choices(view, decision))


def remove_markers(view: Game, decision: Decision) -> Iterator[Order]:
    """Give up the markers whose loss costs least (12.2, 15.2)."""
    side = decision.side
    spaces = cheapest_to_lose(view, side, removable_markers(view, side), decision.facts["count"])
    yield Order("remove_markers", {"spaces": spaces})


def consuls(view: Game, decision: Decision) -> Iterator[Order]:
    """Give the new consuls armies in Italy, where there are any (6.4.2)."""
    yield Order("consuls", {"at": default_places(view, ITALY)})
