"""The order of play: descending VP, ties, who goes first (4.4, 5.3), and who decides for nonplayers (16.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from pbem.game import Kind, OneOf, Part, Some, Table, Value, listing, once
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.position.naming import one_of_the_facts
from pbem.rules.sword_of_rome.position.state import Game


def tie_winner(game: Game, tied: Sequence[Side]) -> Side:
    """Return the side that wins a tie among some (4.4)."""
    return min(tied, key=game.board.side_rank)


def standing(game: Game, side: Side) -> int:
    """Return the VP by which a side acts before others or after them (5).

    They are its own, or by option `player_rank` the sum of all sides of its person.
    """
    return sum(game.vp[each] for each in game.player(side, game.options["player_rank"]))


def by_vp(game: Game) -> list[Side]:
    """Return the sides in play by descending VP, tied ones in the order of ties (4.4)."""
    return sorted(game.in_play, key=lambda side: (-standing(game, side), game.board.side_rank(side)))


def ranked(game: Game, table: Table) -> Flow[list[Side]]:
    """Return the sides in play by descending VP; who wins a tie says in which order those tied act (4.4).

    Nobody waits for that: without an answer it is the order of ties.
    """
    order: list[Side] = []
    for _, group in groupby(by_vp(game), key=lambda side: standing(game, side)):
        tied = list(group)
        if len(tied) > 1:
            answer = yield from table.ask(
                tie_winner(game, tied),
                "tie_order",
                rule="4.4",
                default={"order": tied},
                waits=False,
                phase=game.phase,
                tied=tied,
            )
            tied = list(answer["order"])
        order += tied
    return order


def fewest_vp(game: Game, table: Table, among: Sequence[Side], what: str) -> Flow[Side]:
    """Return the side with the fewest VP among some; of several the winner of the tie chooses (4.4).

    `what` says for what: the phase, or the power to be decided for. Nobody waits: without an answer it is the winner.
    """
    least = min(standing(game, side) for side in among)
    tied = sorted((side for side in among if standing(game, side) == least), key=game.board.side_rank)
    if len(tied) == 1:
        return tied[0]
    answer = yield from table.ask(
        tied[0], "tie_choice", rule="4.4", default={"side": tied[0]}, waits=False, what=what, tied=tied
    )
    side: Side = answer["side"]
    return side


def choose_first_player(game: Game, table: Table) -> Flow[None]:
    """Let the side with the fewest VP name who goes first (5.3)."""
    chooser = yield from fewest_vp(game, table, game.in_play, "first_player")
    order = yield from table.ask(chooser, "first_player", rule="5.3", default={"side": chooser}, turn=game.turn)
    game.first = order["side"]
    table.tell("goes_first", side=game.first, by=chooser, rule="5.3")
    game.phase = "action"


def tie_choices(view: Game, decision: Decision) -> Part:
    """Return every order of those tied (4.4)."""
    tied = decision.facts["tied"]
    return Some("order", [Value(side) for side in tied], len(tied), len(tied), of="side", ordered=True)


def check_tie_order(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an order of those tied: each of them stands in it once (4.4)."""
    tied = decision.facts["tied"]
    if sorted(order["order"]) != sorted(tied):
        yield order.fault(("order",), f"the order must have each of these once: {listing(tied, 'and')}", rule="4.4")


def first_players(view: Game, decision: Decision) -> Part:
    """Return the sides in play (5.3)."""
    return OneOf("side", [Value(side) for side in view.in_play], of="side")


def check_first_player(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a first player: a side that is out cannot go first (5.3)."""
    if order["side"] not in view.in_play:
        gone = "is out of the game" if order["side"] in view.board.sides else "does not play"
        yield order.fault(("side",), f"{order['side']} {gone}", rule="5.3")


ORDER_OF_PLAY_KINDS: Final = (
    Kind("tie_order", tie_choices, check_tie_order),
    Kind("tie_choice", *one_of_the_facts("side", "tied", "choose one of those tied: {}")),
    Kind("first_player", first_players, check_first_player, bot="policy.replies:best_first_player", is_last=once),
)


# ---- powers without a player (16.1)


def is_friend(game: Game, side: Side, power: str) -> bool:
    """Tell whether a side leads a power or is allied with it by any of its own.

    With two players the other side of its person may count as well (option `player_decides`).
    """
    sides = game.player(side, game.options["player_decides"])
    return any(game.allied(own, power) for each in sides for own in game.board.powers_of[each])


def decider(game: Game, table: Table, power: str) -> Flow[Side]:
    """Return who decides for a power now (16.1).

    For a power without a player that is the side that has activated it. Out of its activation it is the side with the
    fewest VP that is not allied with the active player, nor the active player themselves (option
    `active_player_decides`). At the end of a turn it is the side with the fewest VP that is neither the power's natural
    victim nor allied with it (option `victim_decides`: nor in the Action Phase). A side that is bound to a power by a
    treaty decides everything for it (18).
    """
    side = game.board.powers[power].side
    if side is not None:
        return side
    if game.card is not None and game.card.power == power:
        return game.card.side
    guardian = game.guardian(power)
    if guardian is not None:
        return guardian
    victim, free = game.board.powers[power].victim, game.in_play
    if victim is not None and (game.activation is None or not game.options["victim_decides"]):
        free = [each for each in free if not is_friend(game, each, victim)]
    if game.activation is not None:
        active = game.activation.side
        own = game.board.powers_of[active]
        strangers = [each for each in free if not any(is_friend(game, each, one) for one in own)]
        free = [*strangers, active] if active in free and game.options["active_player_decides"] else strangers
    return (yield from fewest_vp(game, table, free or game.in_play, power))


def without_players(game: Game) -> list[str]:
    """Return the powers without a player that have CU, in the order of the board (16)."""
    return [
        power.id
        for power in game.board.powers.values()
        if power.side is None and any(force.cu for _, force in game.everywhere(power.id))
    ]
