"""What a form says beside a question: who can do it, what he needs, how likely that is, and orders to choose from.

A hint is drawn from what its reader knows, no more. Texts stand in the form as remarks, orders as choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pbem.protocol import Decision, Order
from pbem.rules.rome_carthage.activation import spaces_with_generals
from pbem.rules.rome_carthage.battle_rounds import RESERVE, battle_card_options, matches
from pbem.rules.rome_carthage.detachment import check_avoid, check_intercept, leaders, most_sent
from pbem.rules.rome_carthage.generals import strategy_rating
from pbem.rules.rome_carthage.operations import RAISING_OPS, check_play, open_spaces, recruiters
from pbem.rules.rome_carthage.paths import first_steps, onward
from pbem.rules.rome_carthage.politics import removable_markers
from pbem.rules.rome_carthage.routes import routes
from pbem.rules.rome_carthage.siege import is_enemy_city, siege_modifiers
from pbem.rules.rome_carthage.state import ENEMY, Game, Stack
from pbem.rules.rome_carthage.walls import pool, whole
from pbem.rules.rome_carthage.withdrawal import why_no_withdrawal

Hint: TypeAlias = str | Order
MOST_SPACES: Final = 24
MOST_ROUTES: Final = 6


def hints(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what is worth knowing for an answer, and orders that are legal."""
    yield from _HINTS.get(decision.kind, _nothing)(known, decision)


def odds(at_most: int, modifier: int = 0) -> str:
    """Return the chance of a die with a modifier to be at most a number, in words.

    >>> odds(3, 1)
    '33 %'
    """
    return f"{round(100 * min(max(at_most - modifier, 0), 6) / 6)} %"


def _nothing(known: Game, decision: Decision) -> Iterator[Hint]:
    yield from ()


def _legal(
    check: Callable[[Game, Decision, Order], Iterable[Any]], known: Game, decision: Decision, bodies: Iterable[Any]
) -> Iterator[Order]:
    """Yield those bodies as orders that the rules have nothing against."""
    for body in bodies:
        order = Order(decision.kind, body)
        if not any(True for _ in check(known, decision, order)):
            yield order


def _force(stack: Stack) -> str:
    return f"{stack.cu} CU ({stack.elephants} el.)" if stack.elephants else f"{stack.cu} CU"


# ---- card plays (7)


def _play(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who marches on which card, where markers and units may go, and an example of each (7.3, 8.1, 15.2)."""
    side, board = decision.side, known.board
    hand = known.hands[side] if known.must_play is None else [known.must_play]
    cards = sorted(hand, key=lambda card: (board.cards[card].ops, card))
    best = cards[-1]
    most = board.cards[best].ops
    for ops in sorted({board.cards[card].ops for card in cards}):
        some = ", ".join(str(card) for card in cards if board.cards[card].ops == ops)
        yield f"Ops {ops}: card {some}"
    yield "March: needs a card with the general's number or more."
    marches = []
    for space in spaces_with_generals(known, side):
        stack = pool(known, side, space)
        steps = first_steps(known, side, space, bool(stack.cu), board.movement.points)
        able = {general: strategy_rating(known, general) for general in stack.generals}
        who = ", ".join(f"{general} ({needs})" for general, needs in able.items())
        yield f"  {space}, {_force(stack)}: {who}; to {', '.join(steps) or 'nowhere'}"
        for general, needs in able.items():
            card = next((card for card in cards if board.cards[card].ops >= needs), None)
            if card is not None and steps:
                marches.append((stack.cu, {"card": card, "as": "operations", "general": general, "path": steps[:1]}))
    spaces = open_spaces(known, side)
    yield f"Place: up to as many markers as the card has ops, in {_some(spaces)}."
    raisers = recruiters(known, side)
    if most >= RAISING_OPS and raisers:
        yield f"Raise: a card with {RAISING_OPS} ops adds a CU to {', '.join(raisers)}."
    marches.sort(key=lambda march: -march[0])
    bodies: list[dict[str, Any]] = [body for _, body in marches[:2]]
    if spaces:
        bodies.append({"card": best, "as": "operations", "place": spaces[:most]})
    if raisers:
        bodies.append({"card": best, "as": "operations", "raise": raisers[0]})
    bodies.append({"card": cards[0], "as": "discard"})
    yield from _legal(check_play, known, decision, bodies)


def _some(words: Sequence[str]) -> str:
    """Return words, the first of them if they are many."""
    shown = ", ".join(words[:MOST_SPACES]) or "no space"
    return f"{shown} and {len(words) - MOST_SPACES} more" if len(words) > MOST_SPACES else shown


# ---- on the march (8, 10.3)


def _march(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the next step may lead, what it costs, and who stands there (8.2, 8.3)."""
    march, board = known.the_march, known.board
    enemy = ENEMY[march.side]
    if decision.kind == "pursue":
        needs = board.generals[march.general].pursues_on
        yield f"{march.general} pursues on {needs} or less: {odds(needs)}"
    for step in onward(known, march):
        cost = board.movement.cost[board.neighbours[march.at][step]]
        there = [f"{cost} movement point{'s' if cost > 1 else ''}"]
        for owner, whose in ((enemy, "enemy "), (march.side, "own ")):
            stack = known.stack(owner, step)
            if not stack.empty:
                there.append(whose + ", ".join([*([_force(stack)] if stack.cu else []), *stack.generals]))
        yield f"  {step}: {', '.join(there)}"


# ---- reactions (9, 10, 16.2)


def _intercept(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield each general who may intercept, with his odds, and an attempt with all that may go (9.1, 9.2)."""
    reaction = known.the_reaction
    side, space, board = decision.side, reaction.space, known.board
    marker = known.control.get(space) == ENEMY[side] and not known.stack(side, space).cu
    drm = board.battle.interception_marker if marker else 0
    attempts: list[list[dict[str, Any]]] = []
    for origin in reaction.origins:
        stack, here = pool(known, side, origin), []
        for general in leaders(known, side, origin, space):
            bodies = ({"with": [force]} for force in _forces(known, general, stack))
            attempt = next(_legal(check_intercept, known, decision, bodies), None)
            if attempt is not None:
                needs = board.generals[general].intercepts_on
                change = f", {drm:+d} to the die for the enemy marker" if drm else ""
                yield f"{general} at {origin}, {_force(stack)}: needs {needs} or less{change}: {odds(needs, drm)}"
                here.append(attempt["with"][0])
        attempts += [here] if here else []
    singles = [{"with": [attempt]} for here in attempts for attempt in here]
    every = [{"with": [here[0] for here in attempts]}] if len(attempts) > 1 else []
    yield from _legal(check_intercept, known, decision, [*singles, *every])
    yield Order("intercept", {"with": []})


def _forces(known: Game, general: str, stack: Stack) -> Iterator[dict[str, Any]]:
    """Yield what a general might be sent with: all that may go, then fewer and fewer (9.3)."""
    yield {"general": general}
    for cu in range(most_sent(known, stack) - 1, -1, -1):
        yield {"general": general, "cu": cu}


def _avoid(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who may lead the army away, with his odds, and where to (10.1)."""
    reaction, march = known.the_reaction, known.the_march
    stack = known.stack(decision.side, reaction.space)
    yield f"You have {_force(stack)} there, the enemy {_force(march.force)}."
    for general in stack.generals:
        bodies = ({"to": to, **force} for force in _forces(known, general, stack) for to in reaction.refuges)
        sent = next(_legal(check_avoid, known, decision, bodies), None)
        if sent is not None:
            needs = known.board.generals[general].avoids_on
            yield f"{general} leads you away on {needs} or less: {odds(needs)}"
            yield from _legal(check_avoid, known, decision, [{**sent.body, "to": to} for to in reaction.refuges])
    yield Order("avoid_battle", {"to": "none"})


def _man_city(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is there to be sent inside or out, and both extremes (16.2)."""
    space, side = decision.facts["at"], decision.side
    both, inside = whole(known, side, space), known.garrison(side, space)
    generals = ", ".join(both.generals) or "no general"
    yield f"In and before {space}: {_force(both)}, {generals}; inside now: {inside.cu} CU."
    yield Order("man_city", {"cu": 0, "elephants": 0, "generals": []})
    if both.cu <= known.board.spaces[space].capacity:
        yield Order("man_city", {"cu": both.cu, "elephants": both.elephants, "generals": list(both.generals)})


# ---- battle (11, 12, 13)


def _battle_card(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what a withdrawal needs, and one order for each kind of card (11.4, 11.7, 11.11)."""
    battle, board, side = known.the_battle, known.board, decision.side
    if RESERVE in battle.hands[side]:
        names = ", ".join(kind for kind in board.battle_cards if kind != RESERVE)
        yield f"A Reserve stands for any card; say which with `as`: {names}."
    if why_no_withdrawal(known, side) is None:
        own, other = battle.commanders[side], battle.commanders.get(ENEMY[side])
        needs = board.generals[own].battle
        then = f"; then {other} holds you on {board.generals[other].cancels_withdrawal_on} or less" if other else ""
        yield f"To withdraw {own} needs {needs} or less: {odds(needs)}{then}."
    seen = set()
    for order in battle_card_options(known, decision):
        shape = (order.get("card"), "as" in order.body and order.get("card") == RESERVE)
        if shape not in seen or "as" not in order.body:
            seen.add(shape)
            yield order


def _match(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield which cards match the one led (11.5)."""
    battle = known.the_battle
    hand = battle.hands[decision.side]
    able = [f"{hand.count(kind)} {kind}" for kind in matches(known.board, battle, decision.side)]
    yield f"What matches it in your hand: {', '.join(able) or 'nothing'}."


def _at_most(known: Game, decision: Decision) -> Iterator[Hint]:
    needs = decision.facts["needs"]
    yield f"{needs} or less: {odds(needs)}"


def _at_least(known: Game, decision: Decision) -> Iterator[Hint]:
    needs = decision.facts["needs"]
    yield f"{needs} or more: {odds(7 - needs)}"


def _besiege(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how likely a siege or a subjugation gets on, and costs a unit (16.4)."""
    side, space, board = decision.side, decision.facts["space"], known.board
    drm = sum(siege_modifiers(known, side, space).values()) if is_enemy_city(known, side, space) else 0
    results = [board.siege_result(die + drm) for die in range(1, 7)]
    gains = sum(points > 0 for points, _ in results)
    losses = sum(lost > 0 for _, lost in results)
    yield f"A point or more: {odds(gains)}; a CU lost: {odds(losses)}"


def _retreat(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the open roads with what they cost (12.1)."""
    bound = known.the_retreat
    stack = known.stack(bound.side, bound.space)
    for route in routes(known, bound, stack.cu)[:MOST_ROUTES]:
        yield f"  to {' - '.join(route.path)}: {route.lost or 'no'} CU lost"


def _remove_markers(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the markers that can go, by province, with how many the province can spare (12.2, 15.1)."""
    side, board = decision.side, known.board
    removable = removable_markers(known, side)
    for province in board.provinces.values():
        here = [space for space in province.spaces if space in removable]
        if here:
            held = sum(known.control.get(space) == side for space in province.spaces)
            counts = "*" if province.political_point else ""
            spare = held - province.majority
            says = f"yours, {spare} to spare" if spare >= 0 else "not yours"
            yield f"  {province.name}{counts} ({says}): {', '.join(here)}"
    if decision.default is not None:
        yield Order("remove_markers", decision.default)


_HINTS: Final[Mapping[str, Callable[[Game, Decision], Iterator[Hint]]]] = {
    "play": _play,
    "march": _march,
    "pursue": _march,
    "intercept": _intercept,
    "avoid_battle": _avoid,
    "man_city": _man_city,
    "battle_card": _battle_card,
    "match": _match,
    "counterattack": _at_most,
    "cancel_withdrawal": _at_most,
    "charge": _at_least,
    "besiege": _besiege,
    "retreat": _retreat,
    "remove_markers": _remove_markers,
}
