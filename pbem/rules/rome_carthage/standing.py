"""Where things stand, in words for a report: armies, sieges, provinces, what is under way, the hand (3, 15, 16, 18)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.protocol import Side
from pbem.rules.rome_carthage.board import StrategyCard
from pbem.rules.rome_carthage.state import FACE_DOWN, SIDES, UNSEEN, Game, Stack
from pbem.standing import Line, Section, Standing


def standing(known: Game, names: Mapping[str, str]) -> Standing:
    """Return where things stand in a position as its viewer knows it; `names` are those of sides and regions."""
    sections = [
        Section("Under way", tuple(_under_way(known, names))),
        Section("The balance", tuple(_balance(known, names))),
        *(Section(f"Armies of {names[side]}", tuple(_armies(known, names, side))) for side in SIDES),
        Section("Sieges", tuple(_sieges(known, names))),
        Section("Provinces (* counts for political points)", tuple(_provinces(known, names))),
        Section("Off the map", tuple(_off_the_map(known))),
    ]
    return Standing(
        _summary(known, names), tuple(section for section in sections if section.lines), tuple(_hands(known))
    )


def _summary(known: Game, names: Mapping[str, str]) -> str:
    board = known.board
    turn = f"Turn {known.turn} ({board.years[known.turn]})" if known.turn in board.years else "After the last turn"
    if known.phase != "strategy" or known.to_play is None:
        return turn
    plays = known.plays if known.card is not None else known.plays + 1
    return f"{turn}, card play {plays}, {names[known.to_play]} to play"


def _under_way(known: Game, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield the card on the table, the march and the battle that are not over yet."""
    board, card, march, battle = known.board, known.card, known.march, known.battle
    if card is not None:
        record = board.cards[card.card]
        yield Line(f"{names[card.side]} plays {record.name} ({record.number}).")
    if march is not None and not march.over:
        force = f" with {_units(march.force)}" if march.force.cu else ""
        yield Line(
            f"{board.generals[march.general].name} is on the march from {board.spaces[march.origin].name}, now in "
            f"{board.spaces[march.at].name}{force}; {march.points} movement points left."
        )
    if battle is None:
        return
    yield Line(f"Battle of {board.spaces[battle.space].name}, round {battle.round}:")
    for owner in (battle.attacker, *(other for other in SIDES if other != battle.attacker)):
        stack = known.stack(owner, battle.space)
        leader = battle.commanders.get(owner)
        commander = board.generals[leader].name if leader else "no general"
        count = len(battle.hands.get(owner, ()))
        cards = f"{count} battle card{'' if count == 1 else 's'}" if owner in battle.hands else ""
        yield Line(names[owner], (f"{stack.cu} CU", commander, cards), 1)


def _balance(known: Game, names: Mapping[str, str]) -> Iterator[Line]:
    board = known.board
    held = {id: known.controller(id) for id in board.provinces}
    points = [sum(board.provinces[id].political_point and by == side for id, by in held.items()) for side in SIDES]
    rows: dict[str, list[Any]] = {
        "": [names[side] for side in SIDES],
        "political points": points,
        "CU": [sum(stack.cu for _, stack, _ in _stacks(known, side)) for side in SIDES],
        "of them elephants": [sum(stack.elephants for _, stack, _ in _stacks(known, side)) for side in SIDES],
        "cards in hand": [len(known.hands[side]) for side in SIDES],
    }
    for label, values in rows.items():
        yield Line(label, tuple(map(str, values)))
    # The viewer does not see the deck; it is what is nowhere else.
    seen = sum(len(hand) for hand in known.hands.values()) + len(known.discards) + len(known.removed)
    deck = len(board.cards) - seen - (known.card is not None)
    yield Line(f"Strategy cards: {deck} in the deck, {len(known.discards)} laid off.")


def _armies(known: Game, names: Mapping[str, str], side: Side) -> Iterator[Line]:
    """Yield what a side has on the map, region by region in the order of the box."""
    board = known.board
    found = list(_stacks(known, side))
    here = {board.spaces[space].region for space, _, _ in found}
    for region in [id for id in names if id in here]:
        yield Line(names[region][:1].upper() + names[region][1:])
        for space, stack, where in found:
            if board.spaces[space].region == region:
                cu = f"{stack.cu} CU" if stack.cu else ""
                yield Line(board.spaces[space].name + where, (cu, _led(known, stack)), 1)


def _stacks(known: Game, side: Side) -> Iterator[tuple[str, Stack, str]]:
    """Yield space, stack, and whether it is inside the city or on the march, in the order of the board."""
    march = known.march
    for space in known.board.spaces:
        if space in known.stacks[side]:
            yield space, known.stacks[side][space], ""
        if march is not None and march.side == side and march.at == space and not march.force.empty:
            yield space, march.force, " (marching)"
        inside = known.garrison(side, space)
        if not inside.empty:
            yield space, inside, " (inside)"


def _led(known: Game, stack: Stack) -> str:
    """Return the elephants and the generals of a stack, the commander first."""
    beasts = f"{stack.elephants} el." if stack.elephants else ""
    return "; ".join(filter(None, (beasts, ", ".join(_general(known, general) for general in stack.generals))))


def _units(force: Stack) -> str:
    return f"{force.cu} CU ({force.elephants} elephants)" if force.elephants else f"{force.cu} CU"


def _general(known: Game, general: str) -> str:
    office = known.offices.get(general)
    name = known.board.generals[general].name
    return f"{name} ({office})" if office else name


def _sieges(known: Game, names: Mapping[str, str]) -> Iterator[Line]:
    for space, points in known.siege_points.items():
        holder = known.control.get(space)
        by = next((names[side] for side in SIDES if side != holder and known.cu(side, space)), "nobody")
        what = "subjugated" if space in known.tribes else "besieged"
        yield Line(
            known.board.spaces[space].name, (f"{points} of {known.board.siege.points} points", f"{what} by {by}")
        )


def _provinces(known: Game, names: Mapping[str, str]) -> Iterator[Line]:
    board = known.board
    for side in (*SIDES, None):
        held = [
            f"{province.name}*" if province.political_point else province.name
            for id, province in board.provinces.items()
            if known.controller(id) == side
        ]
        if held:
            yield Line(f"{names[side] if side else 'Nobody'}: {', '.join(held)}.")


def _off_the_map(known: Game) -> Iterator[Line]:
    pools: Sequence[tuple[str, Sequence[str]]] = (
        ("Roman generals not in play", known.reserve),
        *(("Displaced, to return", generals) for generals in known.displaced.values()),
        ("Out of the game", known.out),
    )
    for label, generals in pools:
        if generals:
            yield Line(f"{label}: {', '.join(known.board.generals[general].name for general in generals)}.")


def _hands(known: Game) -> Iterator[Section]:
    """Yield the cards that the viewer sees: his strategy cards and, in a battle, his battle cards."""
    board = known.board
    for hand in known.hands.values():
        if hand and UNSEEN not in hand:
            yield Section("Your strategy cards", tuple(_card(board.cards[card]) for card in hand))
    for cards in known.battle.hands.values() if known.battle is not None else ():
        if cards and FACE_DOWN not in cards:
            kinds = [f"{cards.count(kind)} {name}" for kind, name in board.battle_cards.items() if kind in cards]
            yield Section("Your battle cards", (Line(f"{', '.join(kinds)}."),))


def _card(card: StrategyCard) -> Line:
    """Return a strategy card as a line: number, operations number, name and type."""
    ship = ", ship" if card.ship else ""
    return Line(str(card.number), (f"{card.ops} ops", f"{card.name} ({card.type.replace('_', ' ')}{ship})"))
