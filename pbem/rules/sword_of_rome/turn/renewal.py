"""The Alliance Phase: every alliance ends unless both powers renew it (5.9, 15.4)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, yes_or_no
from pbem.protocol import Decision, Flow, Side
from pbem.rules.sword_of_rome.events.alliances import part
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.order_of_play import ranked

IN_TURN: Final = "in_turn"


def renew_alliances(game: Game, table: Table) -> Flow[None]:
    """Ask by descending VP for each alliance: the first answer is an offer, the second accepts it (5.9).

    The permanent ones never end (15.4), nor does a treaty with a power that has no player (18).
    """
    open_pairs = [pair for pair in game.alliances if _may_end(game, pair)]
    if open_pairs:
        for side in (yield from ranked(game, table)):
            for pair in [pair for pair in open_pairs if side in _sides(game, pair)]:
                open_pairs.remove(pair)
                yield from _renew(game, table, side, pair)
    game.phase = "reinforcement"


def _may_end(game: Game, pair: str) -> bool:
    powers = pair.split("+")
    led = all(game.board.powers[power].side is not None for power in powers)
    return led and tuple(powers) not in game.board.permanent


def _sides(game: Game, pair: str) -> list[str]:
    return [str(game.board.powers[power].side) for power in pair.split("+")]


def _renew(game: Game, table: Table, side: str, pair: str) -> Flow[None]:
    """Ask both sides of an alliance, this one first, and end it unless both renew it (5.9).

    By an option both answer at once. With two players both may be of one person: they are asked once, and renew it
    unless they say otherwise.
    """
    powers = pair.split("+")
    if _sides(game, pair)[0] != side:
        powers.reverse()
    own, other = powers
    partner = str(game.board.powers[other].side)
    one_person = partner in game.board.seats_of(side)
    in_turn = game.options["renewals"] == IN_TURN

    def asked(whom: Side, power: str, ally: str) -> Decision:
        facts = {"power": power, "ally": ally, "offered": in_turn and whom != side}
        return Decision("renew", whom, "5.9", facts, {"renew": one_person}, waits=not one_person)

    both = [asked(side, own, other), asked(partner, other, own)][: 1 if one_person else 2]
    for some in [[each] for each in both] if in_turn else [both]:
        orders = yield from table.ask_all(some)
        if not all(order["renew"] for order in orders):
            table.tell("alliance_ends", power=own, ally=other, rule="5.9")
            part(game, table, pair)
            return
    table.tell("alliance_renewed", power=own, ally=other, rule="5.9")


RENEWAL_KINDS: Final = (Kind("renew", *yes_or_no("renew"), hints="views.hints:renew", bot="policy.alliances:renewal"),)
