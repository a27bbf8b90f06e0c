"""The rounds of a battle: the attacker leads a card, the defender matches it or loses (11.4, 11.5, 11.7, 11.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pbem.game import UNTOLD, Fixed, Kind, OneOf, Part, Refusal, Table, Value, listing
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.battle.events import call_cavalry, last_resort, round_events, why_no_maharbal
from pbem.rules.rome_carthage.battle.withdrawal import (
    DOUBLE_ENVELOPMENT,
    after_match,
    attempt_withdrawal,
    why_no_withdrawal,
)
from pbem.rules.rome_carthage.events.playing import ADVANCE, cards_of, hand_hidden, may_hold
from pbem.rules.rome_carthage.orders import BattleCardOrder
from pbem.rules.rome_carthage.position.board import Board
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, FACE_DOWN, MAHARBAL, Game
from pbem.rules.rome_carthage.position.under_way import Battle, Played

RESERVE: Final = "reserve"
PROBE: Final = "probe"
NONE: Final = "none"
ANY: Final = "any"
"""Match with the card itself, else with a general's Probe, else with a Reserve, else not at all."""
STRONGEST: Final = "strongest"
"""Lead the kind that the enemy is least likely to match, and stay with it; a Reserve only as the last resort."""
COMMONEST: Final = "commonest"
"""Lead the kind of which the hand holds most, the rulebook's own advice (11.5); a Reserve only as the last resort."""
SINGLE: Final = "single"
"""Lead a kind of which the hand holds one, and keep the pairs."""


def fight_rounds(game: Game, table: Table) -> Flow[None]:
    """Play round after round until somebody loses or gets away (11.4, 11.8).

    An attacker with no card left when a round begins has lost, even if the defender has none either.
    """
    battle = game.the_battle
    while battle.loser is None and battle.withdrawer is None:
        side = battle.initiative
        if not battle.withdrawals:
            yield from round_events(game, table)
        if not battle.hands[side]:
            if not (yield from last_resort(game, table, side)):
                lose(battle, table, side, None)
                return
            yield from fight_round(game, table, MAHARBAL)
            continue
        order = yield from table.ask(
            side,
            "battle_card",
            rule="11.4",
            default={"card": STRONGEST},
            space=battle.space,
            round=battle.round + 1,
            cards=len(battle.hands[side]),
            enemy_cards=len(battle.hands[ENEMY[side]]),
        )
        led = BattleCardOrder.read(order)
        if led.card is None:
            yield from attempt_withdrawal(game, table)
            continue
        if led.card == MAHARBAL:
            call_cavalry(game, table)
        yield from fight_round(game, table, led.card, led.name)


def fight_round(game: Game, table: Table, card: str, name: str | None = None) -> Flow[None]:
    """Play one round: the card led, its match, and the fight for the initiative (11.4 to 11.6)."""
    battle, board = game.the_battle, game.board
    side, other = battle.initiative, ENEMY[battle.initiative]
    battle.round += 1
    battle.withdrawals = 0
    if card in POLICIES:
        card = POLICIES[card](board, battle, side)
    if card == MAHARBAL:
        battle.led = DOUBLE_ENVELOPMENT
    else:
        battle.led = name or (card if card != RESERVE else next(iter(board.battle_cards)))
    lay(battle, table, "leads", Played(battle.round, side, card, battle.led))
    answer = NONE
    if battle.hands[other]:
        order = yield from table.ask(
            other,
            "match",
            rule="11.5",
            default={"card": ANY},
            waits=not _has_no_choice(game, other),
            space=battle.space,
            round=battle.round,
            led=battle.led,
            cards=len(battle.hands[other]),
            enemy_cards=len(battle.hands[side]),
        )
        answer = order["card"]
        if answer == ANY:
            answer = next(iter(matches(board, battle, other)), NONE)
        elif answer == MAHARBAL:
            call_cavalry(game, table)
    elif battle.led == DOUBLE_ENVELOPMENT and (yield from last_resort(game, table, other)):
        answer = MAHARBAL
    if answer == NONE:
        lose(battle, table, other, battle.led)
        return
    lay(battle, table, "matches", Played(battle.round, other, answer, battle.led))
    yield from after_match(game, table)
    battle.led = None


def _has_no_choice(game: Game, side: Side) -> bool:
    """Tell whether everybody can see that a side has one card to match with, and may not decline to (11.4, 11.5).

    Against a Double Envelopment Carthage may also hold Maharbal's Cavalry. To ask only then would show it: where nobody
    waits for counter events, it is claimed in advance as they are, by a standing order (card 6, 7.4.1).
    """
    battle = game.the_battle
    if len(battle.hands[side]) > 1 or game.options["decline_match"]:
        return False
    cavalry = battle.led == DOUBLE_ENVELOPMENT and any(
        may_hold(game, side, card) for card in cards_of(game.board, MAHARBAL)
    )
    return not cavalry or game.options["windows"] == ADVANCE


def lay(battle: Battle, table: Table, kind: str, play: Played) -> None:
    """Take a card from a hand and lay it on the table, for all to see; one that lies open goes first (11.4, card 20).

    Maharbal's Cavalry is no battle card but counts as one (card 6).
    """
    side, card, used_as = play.side, play.card, play.used_as
    battle.played.append(play)
    rule, laid = "11.4", {"card": card}
    if card == MAHARBAL:
        rule, laid = "card 6", {"card": used_as}
    else:
        battle.hands[side].remove(card)
        if card in battle.shown.get(side, ()):
            battle.shown[side].remove(card)
        if card != used_as:
            kind, rule, laid = f"{kind}_as", "11.7", {"card": card, "used_as": used_as}
            battle.probe_used = battle.probe_used or card == PROBE
    table.tell(kind, rule=rule, side=side, space=battle.space, round=play.round, **laid)


def lose(battle: Battle, table: Table, side: Side, won_by: str | None) -> None:
    """End the battle with a loser; `won_by` is the card they did not match, None if they had nothing to lead (11.8)."""
    battle.loser, battle.won_by = side, won_by
    table.tell(
        "battle_won" if won_by else "attack_spent",
        rule="11.8",
        winner=ENEMY[side],
        loser=side,
        space=battle.space,
        rounds=battle.round,
        won_by=won_by,
    )


def commonest(board: Board, battle: Battle, side: Side) -> str:
    """Return the kind of card that a hand holds most of, Reserves aside (11.5)."""
    hand = battle.hands[side]
    return max(_kinds(board, hand), key=hand.count, default=RESERVE)


def single(board: Board, battle: Battle, side: Side) -> str:
    """Return a kind that a hand holds once, so that pairs are kept for matching; else the commonest (11.5)."""
    hand = battle.hands[side]
    lone = (kind for kind in _kinds(board, hand) if hand.count(kind) == 1)
    return next(lone, None) or commonest(board, battle, side)


def strongest(board: Board, battle: Battle, side: Side) -> str:
    """Return the kind of which a hand holds the largest share of the deck, or the one that its side led last (11.5).

    The enemy holds the less of a kind the more of it is in the own hand, and has fewer with each that it spent on a
    match: so a side stays with the kind that it led, also when it has lost the initiative and won it back. A matched
    Double Envelopment hands the initiative over (11.6), so it is led only by the better general, or if nothing else is
    left but Reserves.
    """
    hand = battle.hands[side]
    held = _kinds(board, hand)
    kinds = [kind for kind in held if kind != DOUBLE_ENVELOPMENT or _outrates(board, battle, side)] or held
    last = led_last(battle, side)
    if last in kinds:
        return last
    return max(kinds, key=lambda kind: hand.count(kind) / board.battle_deck.count(kind), default=RESERVE)


def led_last(battle: Battle, side: Side) -> str | None:
    """Return what a side led last, a Reserve under its name; None: it has led nothing yet (11.4)."""
    opening = {each.round: each for each in reversed(battle.played)}
    return next((led.used_as for _, led in sorted(opening.items(), reverse=True) if led.side == side), None)


def _kinds(board: Board, hand: Sequence[str]) -> list[str]:
    return [kind for kind in board.battle_cards if kind != RESERVE and kind in hand]


def _outrates(board: Board, battle: Battle, side: Side) -> bool:
    """Tell whether the commander of a side has a higher battle rating than the enemy's, nobody counting 0."""
    own, enemy = (battle.commanders.get(each) for each in (side, ENEMY[side]))
    ratings = [board.generals[each].battle if each else 0 for each in (own, enemy)]
    return ratings[0] > ratings[1]


POLICIES: Final[Mapping[str, Callable[[Board, Battle, Side], str]]] = {
    STRONGEST: strongest,
    COMMONEST: commonest,
    SINGLE: single,
}
"""Words for a card that is picked out of the hand when it is led."""


def probe_as(board: Board, battle: Battle, side: Side) -> tuple[str, ...]:
    """Return the cards as which a side's commander may still use one Probe in this battle (board: Hannibal)."""
    commander = battle.commanders.get(side)
    return board.generals[commander].probe_as if commander and not battle.probe_used else ()


def matches(board: Board, battle: Battle, side: Side) -> list[str]:
    """List the kinds of card in a hand that match the card led, the best spent first (11.5, 11.7)."""
    led, hand = battle.the_led, battle.hands[side]
    able = [led]
    if led in probe_as(board, battle, side):
        able.append(PROBE)
    able.append(RESERVE)
    return [kind for kind in able if kind in hand]


def battle_card_choices(view: Game, decision: Decision) -> Part:
    """Return the cards that the attacker may lead, under every name, and withdrawal (11.4, 11.7, 11.11)."""
    battle, board, side = view.the_battle, view.board, decision.side
    hand = battle.hands[side]
    if FACE_DOWN in hand or (side == CARTHAGE and hand_hidden(view, side)):
        return UNTOLD
    leads: list[Value] = []
    for card in [card for card in board.battle_cards if card in hand]:
        if card == RESERVE:
            names = [Value(kind) for kind in board.battle_cards if kind != RESERVE]
            leads.append(Value(card, OneOf("as", names, of="battle_card")))
        elif card == PROBE and (others := probe_as(board, battle, side)):
            names = [Value(None), *[Value(name) for name in others]]
            leads.append(Value(card, OneOf("as", names, of="battle_card", default=0)))
        else:
            leads.append(Value(card))
    if why_no_maharbal(view, side) is None:
        leads.append(Value(MAHARBAL))
    if any(card != RESERVE for card in hand):
        leads += [Value(word, says=(word,), unlisted=True) for word in POLICIES]
    why = why_no_withdrawal(view, side)
    out = Value("withdraw", Fixed({"withdraw": True}), says=("withdraw",), must=True, why=why.reason if why else "")
    return OneOf(None, [Value("lead", OneOf("card", leads, of="battle_card"), weight=len(leads)), out], inferred=True)


def check_battle_card(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card to lead or with a withdrawal (11.4, 11.7, 11.11)."""
    battle, board, side = view.the_battle, view.board, decision.side
    led = BattleCardOrder.read(order)
    card, name = led.card, led.name
    if (card is not None) == led.withdraw:
        yield order.fault((), "name a card to lead, or write withdraw: true, one of the two", rule="11.4")
    elif card is None:
        if (why := why_no_withdrawal(view, side)) is not None:
            yield why.at(("withdraw",))
    elif card == MAHARBAL:
        if (why := why_no_maharbal(view, side)) is not None:
            yield why.at(("card",))
        elif name not in (None, DOUBLE_ENVELOPMENT):
            envelopment = board.battle_cards[DOUBLE_ENVELOPMENT]
            yield order.fault(("as",), f"Maharbal's Cavalry counts as a {envelopment}; leave out `as`", rule="card 6")
    elif card not in (*battle.hands[side], *POLICIES):
        yield order.fault(("card",), not_held(board, battle.hands[side], card), rule="11.4")
    elif card == RESERVE:
        if name in (None, RESERVE):
            names = listing((name for kind, name in board.battle_cards.items() if kind != RESERVE), "or")
            at = ("card",) if name is None else ("as",)
            yield order.fault(at, f"say with `as` what the Reserve stands for: {names}", rule="11.7")
    elif name not in (None, card, *(probe_as(board, battle, side) if card == PROBE else ())):
        yield why_no_name(board, battle, side, card).at(("as",))


def not_held(board: Board, hand: Sequence[str], card: str) -> str:
    """Say that a hand has no such card, and what it has (11.4, 11.5)."""
    held = ", ".join(f"{hand.count(kind)} {board.battle_cards[kind]}" for kind in board.battle_cards if kind in hand)
    return f"you hold no {board.battle_cards[card]}; you hold {held}"


def why_no_name(board: Board, battle: Battle, side: Side, card: str) -> Refusal:
    """Say why a card cannot be led under another name (11.7)."""
    commander = battle.commanders.get(side)
    record = board.generals[commander] if commander else None
    if card in POLICIES:
        return Refusal(f"the {card} card is led under its own name; leave out `as`", "11.7")
    if card != PROBE or record is None or not record.probe_as:
        reason = f"only a Reserve is played under another name; a {board.battle_cards[card]} is what it is"
        return Refusal(reason, "11.7")
    if battle.probe_used:
        return Refusal(f"{record.name} has already used a Probe as another card in this battle", "11.7")
    names = ", ".join(board.battle_cards[kind] for kind in record.probe_as)
    return Refusal(f"{record.name} may use a Probe as {names}", "11.7")


def match_choices(view: Game, decision: Decision) -> Part:
    """Return the cards that match the card led, and the choice to lose instead (11.5)."""
    battle, side = view.the_battle, decision.side
    if FACE_DOWN in battle.hands[side] or (side == CARTHAGE and hand_hidden(view, side)):
        return UNTOLD
    able = matches(view.board, battle, side)
    values = [Value(card) for card in able]
    if view.options["decline_match"] or not able:
        values.append(Value(NONE, says=(NONE,), must=True))
    if why_no_maharbal(view, side) is None:
        values.append(Value(MAHARBAL))
    return OneOf("card", [*values, Value(ANY, says=(ANY,), unlisted=True)], of="battle_card")


def check_match(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card to match the one led (11.5, 11.7)."""
    battle, board, side, card = view.the_battle, view.board, decision.side, order["card"]
    able = matches(board, battle, side)
    if card == ANY or card in able:
        return
    if card == MAHARBAL:
        if (why := why_no_maharbal(view, side)) is not None:
            yield why.at(("card",))
        return
    if card == NONE:
        if able and not view.options["decline_match"]:
            can = board.battle_cards[able[0]]
            yield order.fault(("card",), f"you hold a {can} and must match (option decline_match)", rule="11.4")
    elif card not in battle.hands[side]:
        yield order.fault(("card",), not_held(board, battle.hands[side], card), rule="11.5")
    else:
        can = " or ".join(board.battle_cards[kind] for kind in able) or "nothing you hold does; write none"
        reason = f"{board.battle_cards[card]} does not match {board.battle_cards[battle.the_led]}; {can}"
        yield order.fault(("card",), reason + (" does" if able else ""), rule="11.5")


ROUND_KINDS: Final = (
    Kind(
        "battle_card",
        battle_card_choices,
        check_battle_card,
        hints="views.hints:battle_card",
        bot="policy.answers:battle_card",
    ),
    Kind("match", match_choices, check_match, hints="views.hints:match"),
)
