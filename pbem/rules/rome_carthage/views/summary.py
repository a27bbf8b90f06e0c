"""The summary of a position, and the facts and the part of the board that a report shows.

Strengths are those in the space that the decision is about. All facts are on the map or in the side's own hand, so
that nothing hidden is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from pbem.game import Line, Section, Summary
from pbem.protocol import Decision, Side
from pbem.rules.rome_carthage.movement.detachment import leaders, most_sent
from pbem.rules.rome_carthage.position.board import FOR_BOTH, StrategyCard
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, FACE_DOWN, ROME, SIDES, UNSEEN, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import interceptors
from pbem.rules.rome_carthage.turn.end_of_turn import political_points

# ---- The summary of a report, in words: armies, sieges, provinces, what is under way, the hand (3, 15, 16, 18)


_MARCHING: Final = " (marching)"
_PHASES: Final[Mapping[str, str]] = {
    "reinforcements": "reinforcements",
    "first_play": "first play",
    "winter": "winter",
    "victory": "victory check",
}
"""The names of the phases with decisions, except the strategy phase (5)."""


def summary(view: Game) -> Summary:
    """Return where things stand in a position as its viewer knows it."""
    sections = [
        Section("Under way", tuple(_under_way(view)), passing=True),
        Section("In force", tuple(_in_force(view))),
        Section("The balance", tuple(_balance(view))),
        *(Section(f"Armies of {view.board.side_names[side]}", tuple(_armies(view, side))) for side in SIDES),
        Section("Sieges", tuple(_sieges(view))),
        Section("Provinces (* counts for political points)", tuple(_provinces(view))),
        Section("Off the map", tuple(_off_the_map(view))),
    ]
    return Summary(_summary(view), tuple(section for section in sections if section.lines), hands(view))


def _summary(view: Game) -> str:
    board = view.board
    turn = f"Turn {view.turn} ({board.years[view.turn]})"
    if view.phase in _PHASES:
        return f"{turn}, {_PHASES[view.phase]}"
    if view.phase != "strategy" or view.to_play is None:
        return turn
    plays = view.plays if view.card is not None else view.plays + 1
    return f"{turn}, card play {plays}, {view.board.side_names[view.to_play]} to play"


def _under_way(view: Game) -> Iterator[Line]:
    """Yield the card on the table, the march and the battle that are not over yet."""
    board, card, march, battle = view.board, view.card, view.march, view.battle
    if card is not None:
        record = board.cards[card.card]
        more = f" {card.generals_left} more of its generals may march." if card.generals_left else ""
        yield Line(f"{view.board.side_names[card.side]} plays {record.name} ({record.number}).{more}")
    if march is not None and not march.over:
        force = f" with {_units(march.force)}" if march.force.cu else ""
        yield Line(
            f"{board.generals[march.general].name} is on the march from {board.spaces[march.origin].name}, now in "
            f"{board.spaces[march.at].name}{force}; {march.points} movement points left."
        )
    if battle is None:
        return
    yield Line(f"Battle of {board.spaces[battle.space].name}:")
    yield Line(f"Round {battle.round_now}.", (), 1)
    for owner in (battle.attacker, *(other for other in SIDES if other != battle.attacker)):
        stack = view.stack(owner, battle.space)
        leader = battle.commanders.get(owner)
        commander = board.generals[leader].name if leader else "no general"
        count = len(battle.hands.get(owner, ()))
        cards = f"{count} battle card{'' if count == 1 else 's'}" if owner in battle.hands else ""
        yield Line(view.board.side_names[owner], (f"{stack.cu} CU", commander, cards), 1)
        if shown := battle.shown.get(owner):
            yield Line(f"open: {_counted(view, shown)}", (), 2)


def _balance(view: Game) -> Iterator[Line]:
    board = view.board
    points = political_points(view)
    armies = {side: [stack for _, stack, _ in stacks(view, side)] for side in SIDES}
    rows: dict[str, Sequence[object]] = {
        "": [view.board.side_names[side] for side in SIDES],
        "political points": [points[side] for side in SIDES],
        "CU": [sum(stack.cu for stack in armies[side]) for side in SIDES],
        "of them elephants": [sum(stack.elephants for stack in armies[side]) for side in SIDES],
        "cards in hand": [len(view.hands[side]) for side in SIDES],
    }
    for label, values in rows.items():
        yield Line(label, tuple(map(str, values)))
    # The viewer does not see the deck; it is what is nowhere else.
    seen = sum(len(hand) for hand in view.hands.values()) + len(view.discards) + len(view.removed)
    deck = len(board.cards) - seen - (view.card is not None)
    yield Line(f"Of the strategy cards {deck} are in the deck, {len(view.discards)} discarded.", aside=True)


def _armies(view: Game, side: Side) -> Iterator[Line]:
    """Yield what a side has on the map, region by region in the order of the box."""
    board = view.board
    found = list(stacks(view, side))
    here = {board.spaces[space].region for space, _, _ in found}
    for region in [id for id in board.regions if id in here]:
        yield Line(board.regions[region][:1].upper() + board.regions[region][1:])
        for space, stack, where in found:
            if board.spaces[space].region == region:
                cu = f"{stack.cu} CU" if stack.cu else ""
                cells, marches = (cu, led(view, stack)), where == _MARCHING
                yield Line(board.spaces[space].name + where, cells, 1, passing=marches)


def stacks(view: Game, side: Side) -> Iterator[tuple[str, Stack, str]]:
    """Yield space, stack, and whether it is inside the city or on the march, in the order of the board."""
    march, standing = view.march, view.stacks[side]
    marching = march.at if march is not None and march.side == side and not march.force.empty else None
    for space in view.board.spaces:
        if space in standing:
            yield space, standing[space], ""
        if march is not None and space == marching:
            yield space, march.force, _MARCHING
        if space in view.garrisons and not (inside := view.garrison(side, space)).empty:
            yield space, inside, " (inside)"


def led(view: Game, stack: Stack) -> str:
    """Return the elephants, the siege train and the generals of a stack, the commander first."""
    beasts = f"{stack.elephants} el." if stack.elephants else ""
    train = "siege train" if stack.train else ""
    return "; ".join(filter(None, (beasts, train, ", ".join(_general(view, general) for general in stack.generals))))


def _units(force: Stack) -> str:
    return f"{force.cu} CU ({force.elephants} elephants)" if force.elephants else f"{force.cu} CU"


def _general(view: Game, general: str) -> str:
    office = view.offices.get(general)
    name = view.board.generals[general].name
    return f"{name} ({office})" if office else name


def _in_force(view: Game) -> Iterator[Line]:
    """Yield what events have left in force, and where the siege train is (cards 9, 29, 30, 57, 58, 64)."""
    if view.truce:
        yield Line("A Truce: nobody enters an enemy space, intercepts or besieges, until an event breaks it.")
    if view.macedonia:
        yield Line("Philip V of Macedon is allied with Carthage and helps it at sea.")
    if view.naval_victory:
        yield Line("Carthage has won at sea: until the end of the turn Rome sails with Campaign cards only.")
    if CARTHAGE in view.counsels:
        yield Line("Hanno counsels Carthage: none of its CU leaves Africa until a turn begins after a shuffle.")
    if ROME in view.counsels:
        yield Line("Cato counsels Rome: none of its CU goes to Africa until a turn begins after a shuffle.")
    for space, stack, where in stacks(view, CARTHAGE):
        if stack.train:
            yield Line(f"The siege train is in {view.board.spaces[space].name}{where}.")


def _sieges(view: Game) -> Iterator[Line]:
    for space, points in view.siege_points.items():
        holder = view.control.get(space)
        by = next((view.board.side_names[side] for side in SIDES if side != holder and view.cu(side, space)), "nobody")
        what = "subjugated" if space in view.tribes else "besieged"
        yield Line(view.board.spaces[space].name, (f"{points} of {view.board.siege.points} points", f"{what} by {by}"))


def _provinces(view: Game) -> Iterator[Line]:
    controllers = {id: view.controller(id) for id in view.board.provinces}
    for side in (*SIDES, None):
        held = [
            f"{province.name}*" if province.political_point else province.name
            for id, province in view.board.provinces.items()
            if controllers[id] == side
        ]
        if held:
            yield Line(f"{view.board.side_names[side] if side else 'Nobody'}: {', '.join(held)}.")


def _off_the_map(view: Game) -> Iterator[Line]:
    for general, turn in view.arrivals.items():
        yield Line(f"{view.board.generals[general].name} arrives in turn {turn}.")
    pools: Sequence[tuple[str, Sequence[str]]] = (
        ("Roman generals not in play", view.reserve),
        *(("Displaced, to return", generals) for generals in view.displaced.values()),
        ("Out of the game", view.out),
    )
    for label, generals in pools:
        if generals:
            yield Line(f"{label}: {', '.join(view.board.generals[general].name for general in generals)}.")


def hands(view: Game) -> tuple[Section, ...]:
    """Return the cards that the viewer sees."""
    return (*strategy_cards(view), *battle_hands(view))


def strategy_cards(view: Game) -> Iterator[Section]:
    """Yield the strategy cards that the viewer sees."""
    for hand in view.hands.values():
        if hand and UNSEEN not in hand:
            yield Section("Your strategy cards", tuple(_card(view.board.cards[card]) for card in hand))


def hand_in_short(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield the strategy cards that the viewer sees, without what their events do."""
    for hand in view.hands.values():
        if hand and UNSEEN not in hand:
            words = ", ".join(_in_short(view.board.cards[card]) for card in hand)
            yield Section("Your strategy cards", (Line(f"{words}."),))


def battle_hands(view: Game) -> Iterator[Section]:
    """Yield the battle cards that the viewer sees, in a battle."""
    for owner, cards in view.battle.hands.items() if view.battle is not None else ():
        if cards and FACE_DOWN not in cards and cards != view.the_battle.shown.get(owner):
            yield Section("Your battle cards", (Line(f"{_counted(view, cards)}."),))


def _counted(view: Game, cards: Sequence[str]) -> str:
    """Return battle cards with how many there are of each kind."""
    return ", ".join(f"{cards.count(kind)} {name}" for kind, name in view.board.battle_cards.items() if kind in cards)


def _card(card: StrategyCard) -> Line:
    """Return a strategy card: name, number, operations number and type, and what its event does."""
    ship = ", ship" if card.ship else ""
    whose = "" if card.event_for == FOR_BOTH else f"for {card.event_for.title()}: "
    kind = f"{card.number}, {_ops(card)}, {card.type.replace('_', ' ')}{ship}"
    return Line(f"{card.name} ({kind}): {whose}{card.text.rstrip('.')}.")


def _in_short(card: StrategyCard) -> str:
    return f"{card.name} ({card.number}, {_ops(card)}{', ship' if card.ship else ''})"


def _ops(card: StrategyCard) -> str:
    return f"{card.ops} op{'' if card.ops == 1 else 's'}"


# ---- Facts that conditions of standing orders may test, besides those of the decision itself


Facts: TypeAlias = Mapping[str, object]
"""What conditions may test: word -> plain value."""
NO_ENEMY: Final = 1000
"""The odds where no enemy CU are."""


def periods(game: Game) -> Facts:
    """Return the turn and the card play that a game is in, for standing orders that end with one (5.3)."""
    return {"turn": game.turn, "play": f"{game.turn}/{_play(game)}"}


def facts(view: Game, decision: Decision) -> Facts:
    """Return the facts for any decision and, if it is about a space, what stands there."""
    side = decision.side
    found: dict[str, object] = {"turn": view.turn, "play": _play(view), "hand": list(view.hands.get(side, ()))}
    space = space_of(view, decision)
    if space is not None:
        found |= _of_space(view, decision, space)
    battle = view.battle
    if battle is not None and side in battle.hands:
        found["card_lead"] = len(battle.hands[side]) - len(battle.hands[ENEMY[side]])
    return found


def _play(game: Game) -> int:
    return game.plays if game.card is not None else game.plays + 1


def space_of(view: Game, decision: Decision) -> str | None:
    """Return the space that a decision is about: the one it names, or where the battle or the march is."""
    named = decision.facts.get("at") or decision.facts.get("space")
    if named is None and view.battle is not None:
        named = view.battle.space
    if named is None and view.march is not None:
        named = view.march.at
    return named if named in view.board.spaces else None


def _of_space(view: Game, decision: Decision, space: str) -> Facts:
    side, enemy, record = decision.side, ENEMY[decision.side], view.board.spaces[space]
    own, theirs = view.cu(side, space), view.cu(enemy, space)
    if decision.kind == "intercept":
        own += max((_can_send(view, side, near, space) for near in decision.facts["from"]), default=0)
    return {
        "region": record.region,
        "province": record.province,
        "marker": view.control.get(space),
        "own_cu": own,
        "enemy_cu": theirs,
        "odds": 100 * own // theirs if theirs else NO_ENEMY,
        "enemy_general": _commander(view, enemy, space),
        "rating": _rating(view, _commander(view, side, space)),
        "enemy_rating": _rating(view, _commander(view, enemy, space)),
    }


def _can_send(view: Game, side: Side, near: str, space: str) -> int:
    """Return how many CU could intercept from a space at once (9.3)."""
    return most_sent(view, interceptors(view, side, near)) if leaders(view, side, near, space) else 0


def _commander(view: Game, side: Side, space: str) -> str | None:
    """Return who commands a side's army in a space, one on the march before one that stands there (8.5)."""
    march = view.march
    if march is not None and march.side == side and march.at == space and march.force.generals:
        return march.force.generals[0]
    return view.stack(side, space).commander


def _rating(view: Game, general: str | None) -> int:
    return view.board.generals[general].battle if general else 0


# ---- The part of a position that a question is about: its space and the next ones, who stands there, the cards (3, 8)


def close_up(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield who stands in the space that a question is about and next to it, and the battle cards."""
    yield from battle_hands(view)
    space = space_of(view, decision)
    if space is None:
        return
    board = view.board
    near = list(board.neighbours[space])
    yield Section(board.spaces[space].name, tuple(_there(view, space)) or (Line("nobody"),))
    held = [(each, list(_there(view, each))) for each in near]
    if any(lines for _, lines in held):
        yield Section("Next to it", tuple(line for each, lines in held if lines for line in _headed(view, each, lines)))


def nothing(view: Game, decision: Decision) -> Iterator[Section]:
    """Yield nothing: the question is about no space, although a battle or a march may be under way."""
    yield from ()


def places(view: Game, decision: Decision) -> Iterator[str]:
    """Yield the space that a question is about."""
    space = space_of(view, decision)
    if space is not None:
        yield space


def nowhere(view: Game, decision: Decision) -> Iterator[str]:
    """Yield nothing: the question is about no space."""
    yield from ()


def _headed(view: Game, space: str, lines: list[Line]) -> Iterator[Line]:
    yield Line(view.board.spaces[space].name)
    yield from (Line(line.label, line.cells, 1) for line in lines)


def _there(view: Game, space: str) -> Iterator[Line]:
    """Yield what each side has in a space."""
    for side in SIDES:
        for at, stack, where in stacks(view, side):
            if at == space:
                yield Line(
                    view.board.side_names[side] + where, (f"{stack.cu} CU" if stack.cu else "", led(view, stack))
                )
