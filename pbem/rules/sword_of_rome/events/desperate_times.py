"""Desperate Times: two for each side, played before an activation or after the last round (7.4).

All sides answer at once and in secret whether they announce one, and whom they contest. Of those who announce, the
fewest VP play theirs (4.4), the others keep theirs. Who plays is active for one action (`Activation.desperate`): with
the card as one of value 3, or by `redraw` or `named_event`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Kind, OneOf, Part, Refusal, Some, Table, Value, listing
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events import card_uses, effects
from pbem.rules.sword_of_rome.events.card_play import Use, lay_down, put_away
from pbem.rules.sword_of_rome.position.board import DESPERATE_TIMES
from pbem.rules.sword_of_rome.position.naming import card_value, cards
from pbem.rules.sword_of_rome.position.state import Activation, Game, window_decision
from pbem.rules.sword_of_rome.turn.draw import draw, lay_off
from pbem.rules.sword_of_rome.turn.order_of_play import ranked, standing, tie_winner

REDRAW: Final = "redraw"
NAMED_EVENT: Final = "named_event"
USES_OF_IT: Final = frozenset(
    {"support", "levy", "hire", "activate", "colony", "attack_unrest", REDRAW, NAMED_EVENT, "end"}
)
"""What a side may do in the activation of its Desperate Times: one action by that card, or nothing (7.4.3)."""

# ---- who plays (7.4.1, 7.4.2, 7.4.5)


def announcement_window(game: Game, table: Table) -> Flow[None]:
    """Let all announce a Desperate Times before the next activation (7.4.1)."""
    yield from _announcements(game, table, game.to_act[0], _able(game), last=False)


def last_chances(game: Game, table: Table) -> Flow[None]:
    """Give each side its chance after the last round, by descending VP, until one is played (7.4.5).

    With option `last_desperate_times` those who still have a chance may contest it; who is contested in vain keeps it.
    """
    if not game.window_shut:
        game.window_shut = True
        game.last_chances = [side for side in (yield from ranked(game, table)) if game.desperate_times[side]]
    while game.last_chances and game.activation is None:
        able = [side for side in game.last_chances if side not in game.out]
        if not game.options["last_desperate_times"]:
            able = able[:1]
        holder = game.last_chances[0]
        yield from _announcements(game, table, holder, able, last=True)
        if game.activation is None:
            game.last_chances.remove(holder)
        else:
            game.last_chances.remove(game.the_activation.side)


def _able(game: Game) -> list[Side]:
    return [side for side in game.in_play if game.desperate_times[side]]


def _announcements(game: Game, table: Table, upcoming: Side, able: Sequence[Side], *, last: bool) -> Flow[None]:
    """Ask some sides at once and in secret, and let one of those who announce be active (7.4.2)."""
    if not able:
        return
    decisions = [
        window_decision(
            game,
            Decision(
                "desperate_times",
                side,
                "7.4.5" if last else "7.4.1",
                {"next": upcoming, "left": game.desperate_times[side], "last": last},
                {"announce": False},
                secret=True,
            ),
        )
        for side in able
    ]
    orders = yield from table.ask_all(decisions)
    answers = dict(zip(able, orders, strict=True))
    announced = announcing(answers)
    if not announced:
        return
    for side in announced:
        table.tell("desperate_announced", side=side, rule="7.4.2")
    least = min(standing(game, side) for side in announced)
    player = tie_winner(game, [side for side in announced if standing(game, side) == least])
    game.desperate_times[player] -= 1
    game.activation = Activation(player, desperate=True)
    table.tell("desperate_played", side=player, rule="7.4.2")
    for side in announced:
        if side != player:
            table.tell("desperate_kept", side=side, rule="7.4.2")


def announcing(answers: Mapping[Side, Order]) -> list[Side]:
    """Return the sides that announce: those that do so anyway, and those that contest one that does (7.4.2)."""
    found = [side for side, order in answers.items() if order["announce"]]
    more = True
    while more:
        contesting = [
            side for side, order in answers.items() if side not in found and {*order.get("contest", ())} & {*found}
        ]
        found += contesting
        more = bool(contesting)
    return [side for side in answers if side in found]


def contestable(view: Game, side: Side, holder: Side | None) -> list[Side]:
    """Return whom a side can contest: others with a Desperate Times left, after the last round who has the chance."""
    if holder is not None:
        return [holder] if holder != side else []
    return [other for other in view.in_play if other != side and view.desperate_times[other]]


def _holder(decision: Decision) -> Side | None:
    return decision.facts["next"] if decision.facts["last"] else None


def announcements(view: Game, decision: Decision) -> Part:
    """Return: none, one, or one if some others announce theirs (7.4.2)."""
    holder = _holder(decision)
    others = [Value(side) for side in contestable(view, decision.side, holder)]
    why = "" if holder in (None, decision.side) else f"it is the chance of {holder}: you can only contest it"
    contest = Some("contest", others, 0, len(others), of="side", optional=True, says=("contest",))
    return OneOf(
        "announce",
        [
            Value(False, contest, label="announce none", says=("no", "none", "nothing", "keep")),
            Value(True, label="announce one", says=("yes", "announce", "play"), must=True, why=why),
        ],
    )


def check_announcement(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an announcement (7.4.2, 7.4.5)."""
    holder = _holder(decision)
    contest: Sequence[Side] = order.get("contest", ())
    if order["announce"] and contest:
        yield order.fault(("contest",), "you announce one anyway: leave contest out", rule="7.4.2")
    if order["announce"] and holder not in (None, decision.side):
        reason = f"it is the chance of {holder}: you can only contest it"
        yield order.fault(("announce",), reason, rule="7.4.5")
    others = contestable(view, decision.side, holder)
    for i, side in enumerate(contest):
        if side not in others:
            reason = f"{side} cannot announce one now; you can contest {listing(others, 'or') or 'nobody'}"
            yield order.fault(("contest", i), reason, rule="7.4.2")


# ---- how it is used (7.4.3)


def why_not_use_announced(view: Game) -> Refusal | None:
    """Say why the uses of a Desperate Times are not open; None: one was announced, and not used yet (7.4.3)."""
    activation = view.the_activation
    if not activation.desperate:
        return Refusal("only a Desperate Times does that, once it was announced before an activation", "7.4.3")
    return Refusal("your Desperate Times is used", "7.4.3") if activation.played else None


def redraw_choices(view: Game, decision: Decision) -> Part:
    """Return every selection of the hand that can be replaced (7.4.3)."""
    hand = view.hands[decision.side] if why_not_use_announced(view) is None else []
    return Some("cards", [card_value(view, card) for card in hand], 1, len(hand), of="card")


def check_redraw(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with replacing cards (7.4.3)."""
    refusal = why_not_use_announced(view)
    if refusal is not None:
        yield order.fault(("do",), refusal.reason, rule=refusal.rule)
        return
    replaced: Sequence[str] = order.get("cards", ())
    if not replaced:
        yield order.fault(("cards",), "say which cards are replaced", rule="7.4.3")
    for i, card in enumerate(replaced):
        if card not in view.hands[decision.side] or card in replaced[:i]:
            yield order.fault(("cards", i), f"{card} is not in your hand, or it is named twice", rule="7.4.3")


def redraw(game: Game, table: Table, order: Order) -> Flow[None]:
    """Discard cards and draw as many (7.4.3)."""
    side, cards = game.the_activation.side, list(order["cards"])
    lay_down(game, table, DESPERATE_TIMES, REDRAW)
    lay_off(game, side, cards)
    table.tell("redrawn", side=side, cards=cards, rule="7.4.3")
    draw(game, side, table, len(cards), f"round-{game.round}/desperate-{game.desperate_times[side]}")
    put_away(game, table)
    yield from ()


def named_events(view: Game, side: Side) -> Collection[str]:
    """Return the events that the Desperate Times of a side name, and that are not out of the game (7.4.3)."""
    return [card for card in view.board.named_events.get(side, ()) if card not in view.removed]


def named_choices(view: Game, decision: Decision) -> Part:
    """Return the named events, each in every way to play it (7.4.3)."""
    side = decision.side
    able = named_events(view, side) if why_not_use_announced(view) is None else ()
    return cards(
        view,
        able,
        lambda card: effects.choices(view, side, card),
        lambda card: card_uses.why_no_event(view, side, card),
    )


def check_named(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a named event (7.4.3)."""
    refusal = why_not_use_announced(view)
    if refusal is not None:
        yield order.fault(("do",), refusal.reason, rule=refusal.rule)
        return
    side, card = decision.side, order.get("card")
    if card not in named_events(view, side):
        names = listing(named_events(view, side), "or") or "an event that is out of the game"
        yield order.fault(("card",), f"your Desperate Times names {names}", rule="7.4.3")
        return
    refusal = card_uses.why_not_now(view, side, card)
    if refusal is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
        return
    yield from effects.faults(view, side, card, order)


def named_event(game: Game, table: Table, order: Order) -> Flow[None]:
    """Fetch the named event from hand, discards or deck, which is then shuffled, and play it (7.4.3)."""
    side, card = game.the_activation.side, order["card"]
    places = {"deck": game.decks[side], "discards": game.discards[side], "hand": game.hands[side]}
    origin = next(place for place, cards in places.items() if card in cards)
    table.tell("fetched", side=side, card=card, place=origin, rule="7.4.3")
    if origin == "deck":
        game.decks[side].remove(card)
        name = f"deck/{side}/turn-{game.turn}/round-{game.round}/named-{game.desperate_times[side]}"
        game.decks[side] = table.shuffle(name, sorted(game.decks[side]))
        game.hands[side].append(card)
    elif origin == "discards":
        game.discards[side].remove(card)
        game.hands[side].append(card)
    yield from card_uses.play_event(game, table, order)
    game.the_activation.played = True


DESPERATE_USES: Final[Mapping[str, Use]] = {
    REDRAW: Use(redraw_choices, check_redraw, redraw, ("redraw", "replace")),
    NAMED_EVENT: Use(named_choices, check_named, named_event, ("named event", "event")),
}
DESPERATE_KINDS: Final = (
    Kind(
        "desperate_times",
        announcements,
        check_announcement,
        hints="views.hints:desperate_times_hints",
        bot="policy.replies:best_announcement",
    ),
)
