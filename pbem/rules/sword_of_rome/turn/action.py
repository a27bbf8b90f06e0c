"""The Action Phase: five rounds, in which each side is active once and acts as long as it likes (5.4).

The position stands between any two actions: `activation` says who is active, `to_act` who still will be in the round.

With three players nobody leads the Gauls: in their seat a table of Gallic events is rolled on in each round. The event
says who suffers; where is not chosen by anybody. A card with the sign cancels it, as a response that any side may
play, clockwise (7.1, 7.1.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from pbem.game import NOTHING, UNTOLD, Kind, Lazy, OneOf, Part, Refusal, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import (
    alliances,
    card_uses,
    desperate_times,
    minor_leaders,
    nonplayers,
    responses,
)
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.events.support import remove, room_to_remove, settle_support
from pbem.rules.sword_of_rome.movement import activation as movement
from pbem.rules.sword_of_rome.position.board import LEADER, WALLED, GallicEvent
from pbem.rules.sword_of_rome.position.state import ROUND, UNSEEN, Activation, Game
from pbem.rules.sword_of_rome.siege import siege, unrest
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp
from pbem.rules.sword_of_rome.turn.overseas import fall_overseas

MOMENT: Final = "gallic_event"
LOSES_LOYALTY: Final = "loyalty"
DICE: Final = 2


# ---- Gallic events


def is_due(game: Game) -> bool:
    """Tell whether the turn of the Gauls has come up in this round: all seated before them have been active (5.4)."""
    after = game.board.seats.events_after
    if not game.event_due or after is None or game.first is None:
        return False
    seats = game.board.sides
    at = seats.index(game.first)
    before = (*seats[at:], *seats[:at])
    return not {*before[: before.index(after) + 1]} & {*game.to_act}


def play_gallic_event(game: Game, table: Table) -> Flow[None]:
    """Roll for the Gallic event of the round, let all respond, and let it take place (5.4, 7.1.1)."""
    game.event_due = False
    roll = table.roll(f"gallic/turn-{game.turn}/round-{game.round}", DICE, rule="5.4")
    event = game.board.gallic_events[roll.total]
    power, space = victim(game, event)
    table.tell("gallic_event", name=event.name, power=power, space=space, rule="5.4")
    if power is None or space is None:
        return
    moment = yield from responses.window(game, table, MOMENT, about={"space": space, "other": power})
    if moment.cancelled:
        return
    remove(game, space)
    table.tell("gallic_event_lost", power=power, space=space, rule="7.3.3")
    yield from settle_support(game, table, [space])


def victim(game: Game, event: GallicEvent) -> tuple[str | None, str | None]:
    """Return the power and the space that an event strikes, the first on the map; None twice: it strikes nobody."""
    if event.of is None:
        return None, None
    powers = game.board.powers_of[by_vp(game)[0]] if event.of == LEADER else [event.of]
    for space in game.board.spaces:
        holder = game.control.get(space)
        if holder in powers and _strikes(game, event, space):
            return holder, space
    return None, None


def _strikes(game: Game, event: GallicEvent, space: str) -> bool:
    """Tell whether an event can take a marker, or a point of loyalty but not the last, in a space (7.3.3)."""
    if (game.kind(space) == WALLED) != (event.takes == LOSES_LOYALTY) or not room_to_remove(game, space):
        return False
    return event.takes != LOSES_LOYALTY or game.loyalty[space] > 1


# ---- rounds and actions


def act_on(game: Game, table: Table) -> Flow[None]:
    """Take the next step of the Action Phase: an action, a window, the next activation, round or phase (5.4, 7.4.1).

    Before each activation there is one window for Desperate Times, and one after the last round. With three players a
    Gallic event comes in the seat of the Gauls.
    """
    assert game.first is not None
    if game.round == 0:
        begin_round(game, table)
    elif game.activation is not None:
        yield from take_action(game, table)
    elif is_due(game):
        yield from play_gallic_event(game, table)
    elif not game.to_act and game.round < game.board.tables["rounds"]:
        begin_round(game, table)
    elif not game.to_act:
        yield from desperate_times.last_chances(game, table)
        if game.activation is None:
            end_rounds(game)
    elif not game.window_shut:
        game.window_shut = True
        yield from desperate_times.announcement_window(game, table)
    else:
        game.activation = Activation(game.to_act.pop(0))
        table.tell("active", side=game.activation.side, round=game.round, rule="5.4")


def begin_round(game: Game, table: Table) -> None:
    """Begin the next round: all are active once more, powers without a player may be activated again (5.4, 16.1.1)."""
    assert game.first is not None
    game.round += 1
    game.to_act = game.clockwise(game.first)
    game.activated, game.unrest_raised, game.window_shut = [], False, False
    game.event_due = game.board.seats.events_after is not None
    game.marks = [mark for mark in game.marks if mark.until != ROUND]
    table.tell("round_begins", turn=game.turn, round=game.round, rule="5.4")


def end_rounds(game: Game) -> None:
    """End the Action Phase."""
    game.round = 0
    game.window_shut = False
    game.phase = "attrition"


def take_action(game: Game, table: Table) -> Flow[None]:
    """Ask the active side for its next action and carry it out (5.4)."""
    activation = game.the_activation
    order = yield from table.ask(
        activation.side,
        "act",
        rule="5.4",
        turn=game.turn,
        round=game.round,
        played=activation.played,
        cards=len(game.hands[activation.side]),
    )
    yield from USES[order["do"]].carry_out(game, table, order)
    if activation.desperate and activation.played and game.activation is activation:
        yield from end_activation(game, table, order)


def end_activation(game: Game, table: Table, order: Order) -> Flow[None]:
    """End the activation: after a Desperate Times the interrupted side proceeds at once (5.4, 7.4.4)."""
    activation = game.the_activation
    table.tell("passes_on", side=activation.side, played=activation.played, rule="5.4")
    if not activation.desperate:
        game.window_shut = False
    game.activation = None
    yield from fall_overseas(game, table)


def end_choices(view: Game, decision: Decision) -> Part:
    """Return what ends an activation, which is always legal (5.4)."""
    return NOTHING


def check_end(view: Game, decision: Decision, order: Order) -> Iterable[Fault]:
    """Find nothing wrong with the end of an activation."""
    return ()


def action_choices(view: Game, decision: Decision) -> Part:
    """Return every action of the active side (5.4)."""
    if UNSEEN in view.hands[decision.side]:
        return UNTOLD
    return OneOf("do", [_value(view, decision, word) for word in USES], inferred=True)


def _value(view: Game, decision: Decision, word: str) -> Value:
    """Return one thing that the active side may do, or why it is shut; whoever names a leader activates him (5.4)."""
    use, says_it = USES[word], word != "activate"
    refusal = why_not_use(view, word)
    if refusal is not None:
        return Value(word, says=use.says, must=says_it, why=refusal.reason)
    return Value(word, Lazy(partial(use.choices, view, decision)), says=use.says, must=says_it)


def check_action(view: Game, decision: Decision, order: Order) -> Iterable[Fault]:
    """Yield what is wrong with an action (5.4)."""
    use = USES.get(order["do"])
    if use is None:
        return [order.fault(("do",), f"{order['do']} cannot be done now", rule="5.4")]
    refusal = why_not_use(view, order["do"])
    if refusal is not None:
        return [order.fault(("do",), refusal.reason, rule=refusal.rule)]
    return use.check(view, decision, order)


def why_not_use(view: Game, word: str) -> Refusal | None:
    """Say why something cannot be done in this activation: a Desperate Times is for one action (7.4.2, 7.4.3)."""
    activation = view.the_activation
    if not activation.desperate or word in desperate_times.USES_OF_IT:
        return None
    if word == nonplayers.NONPLAYER and nonplayers.bound(view, activation.side):
        return None  # a card of value 3 activates who is bound by a treaty (18)
    return Refusal("a Desperate Times is for one action by that card; do this in your own activation", "7.4.3")


USES: Final[Mapping[str, Use]] = {
    **movement.ACTIVATION_USES,
    **card_uses.CARD_USES,
    **nonplayers.NONPLAYER_USES,
    **alliances.ALLIANCE_USES,
    **minor_leaders.MINOR_LEADER_USES,
    **desperate_times.DESPERATE_USES,
    **siege.PLUNDER_USES,
    **unrest.UNREST_USES,
    "end": Use(end_choices, check_end, end_activation, ("end", "pass", "done")),
}
"""All that the active side may do, by the word of the order, in the order of the rulebook."""


def _ends(order: Order) -> bool:
    """Tell whether an order ends an activation: it waits if an action before it cannot be carried out (5.4)."""
    return bool(order["do"] == "end")


ACTION_KINDS: Final = (
    Kind(
        "act",
        action_choices,
        check_action,
        hints="views.hints:act_hints",
        bot="policy.acts:best_act",
        close_up="views.summary:close_up_of_action",
        ends=_ends,
        is_last=lambda view, decision, order: _ends(order),  # its queue is dropped then
        successors="views.forecast:successors",
        foresee="views.forecast:foresee_act",
    ),
)
