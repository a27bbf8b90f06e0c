"""The unrest of Carthage: its cap, who raises and lowers it, and the attack on it (S 20).

`fight_unrest` is called by `UNREST_USES`, by a force that has sailed into the Garrison box with its last point, and by
each half of a Campaign. The unrest fights with its level as size and tactics 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import OneOf, Part, Refusal, Share, Table, Throw, Value
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner, modifiers
from pbem.rules.sword_of_rome.battle.retreat import Loss, bear_alone
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.card_play import Use, card_faults, lay_down, playable, put_away, value_of
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, Board, Options
from pbem.rules.sword_of_rome.position.changes import displace_leaders, pull_out, settle_spaces
from pbem.rules.sword_of_rome.position.naming import cards, no_such_leader
from pbem.rules.sword_of_rome.position.state import Battle, Game

ATTACK: Final = "attack_unrest"
SAYS: Final = ("attack unrest", "attack the unrest")
ATTACKERS: Final = "attackers"
UNREST_ROLLS: Final = "unrest"
"""The unrest in the names of its rolls; it is no power."""


def cap(game: Game) -> int:
    """Return how high the unrest can be raised: CU in the Garrison box hold it down (S 20.1)."""
    most: int = game.board.tables["unrest"]["most"]
    return max(0, most - game.cu(CARTHAGE, GARRISON_BOX))


def raise_by(game: Game, table: Table, points: int, rule: str) -> int:
    """Raise the unrest as far as its cap, and return by how much; the cap never lowers it (S 20.1)."""
    raised = max(0, min(points, cap(game) - game.unrest))
    game.unrest += raised
    table.tell("unrest", level=game.unrest, by=raised, rule=rule)
    return raised


def lower_by(game: Game, table: Table, points: int, rule: str) -> int:
    """Lower the unrest and return by how much (S 12.5.3, S 20.3)."""
    lowered = min(points, game.unrest)
    game.unrest -= lowered
    table.tell("unrest", level=game.unrest, by=-lowered, rule=rule)
    return lowered


# ---- the attack (S 20.3)


def fresh_cu(game: Game) -> int:
    """Return the CU in the Garrison box that may attack: those that have by the same card may not again (S 20.3)."""
    spent = game.card.attacked if game.card is not None else 0
    return max(0, game.force(CARTHAGE, GARRISON_BOX).cu - spent)


def why_not_attack(game: Game, leader: str, cu: int) -> tuple[str, Refusal] | None:
    """Say why a leader cannot attack the unrest with so many CU, and which word of the order says so (S 20.3)."""
    if not game.unrest:
        return "do", Refusal("there is no unrest", "S 20.3")
    unknown = no_such_leader(game, leader)
    if unknown is not None:
        return "leader", unknown
    name = game.board.leaders[leader].name
    if leader not in game.force(CARTHAGE, GARRISON_BOX).leaders:
        return "leader", Refusal(f"{name} is not in the Garrison box", "S 20.3")
    if game.card is not None and leader in game.card.moved:
        return "leader", Refusal(f"{name} has been activated by this card", "S 20.3")
    if not 0 < cu <= fresh_cu(game):
        return "cu", Refusal(f"{fresh_cu(game)} CU in the Garrison box can attack", "S 20.3")
    return None


def fight_unrest(game: Game, table: Table, leader: str, cu: int, name: str) -> Flow[None]:
    """Attack the unrest with a leader and so many CU in the Garrison box (S 20.3, 19.2).

    Only these CU are lost, by an option others in the box after them. They alone bring the unrest points. The points of
    either side change the unrest and nothing else. `name` goes into the names of the rolls.
    """
    game.battle = Battle(GARRISON_BOX, CARTHAGE, "")
    about = {"space": GARRISON_BOX, "power": CARTHAGE}
    table.tell("unrest_attacked", leader=leader, cu=cu, level=game.unrest, rule="S 20.3")
    yield from responses.window(game, table, "battle_begins", about=about)
    automatic = wins_automatically(game.board, game.options, *_armies(game, leader, cu))
    if automatic is None:
        yield from responses.window(game, table, "battle_roll", about=about)
        # a response may have changed its level
        automatic = wins_automatically(game.board, game.options, *_armies(game, leader, cu))
    if automatic is None:
        wins, inflicted, suffered = _roll(game, table, leader, cu, name)
    else:
        wins, inflicted, suffered = automatic == "attacker", 0, 0 if automatic == "attacker" else cu
        table.tell("automatic_win", winner=CARTHAGE if wins else UNREST_ROLLS, space=GARRISON_BOX, rule="12.2.1")
    most = cu if game.options["unrest_losses"] == ATTACKERS else suffered
    lost = yield from bear_alone(game, table, Loss(CARTHAGE, GARRISON_BOX, min(suffered, most), "S 20.3"))
    if game.card is not None:
        game.card.attacked += max(0, cu - lost)
    if lost >= cu:
        pull_out(game, leader)
        displace_leaders(game, table, CARTHAGE, GARRISON_BOX, [leader])  # the others in the box stay
    if wins:
        points = game.unrest if automatic is not None else (inflicted + 1) // 2
        table.tell("unrest_beaten", points=points, rule="S 20.3")
        lower_by(game, table, points, "S 20.3")
    else:
        points = (min(lost, cu) + 1) // 2
        table.tell("unrest_wins", points=points, rule="S 20.3")
        raise_by(game, table, points, "S 20.3")
    game.battle = None
    settle_spaces(game, table)


def wins_automatically(board: Board, options: Options, attacker: Army, unrest: Army) -> str | None:
    """Return who wins without dice, "attacker" or "defender"; None: nobody (12.2.1, S 20.3).

    Whether the unrest can is an option: the rules speak of the automatic victory of Carthage only.
    """
    winner = automatic_winner(board, attacker, unrest)
    return winner if winner == "attacker" or options["unrest_automatic"] else None


def sized_for_dice(board: Board, attacker: Army, unrest: Army) -> tuple[Army, Army]:
    """Return both armies as they roll: an unrest that may not win without dice has the largest modifier (12.2.1)."""
    size = unrest.size
    while size > attacker.size and board.force_ratio(size, attacker.size) is None:
        size -= 1
    return attacker, Army(size)


def _armies(game: Game, leader: str, cu: int) -> tuple[Army, Army]:
    return Army(cu, game.board.leaders[leader].tactics), Army(game.unrest)


def _roll(game: Game, table: Table, leader: str, cu: int, name: str) -> tuple[bool, int, int]:
    """Roll for Carthage and for the unrest (S 20.3).

    Return whether Carthage wins, what it inflicts, and what it suffers.
    """
    battle, both = game.the_battle, sized_for_dice(game.board, *_armies(game, leader, cu))
    usual = game.board.tables["battle"]["dice"]
    own, theirs = modifiers(game.board, *both, Ground())
    own["event"] = battle.modifiers.get(CARTHAGE, 0)
    side = game.board.powers[CARTHAGE].side or ""
    throws = [
        Throw(
            f"unrest/{name}/{who}",
            added,
            battle.dice.get(who, usual),
            side if who == CARTHAGE else "",
            {"power": who, "space": GARRISON_BOX},
        )
        for who, added in ((CARTHAGE, own), (UNREST_ROLLS, theirs))
    ]
    contest = table.opposed(*throws, rule="S 20.3")
    carthage, unrest = ((army.size, roll.faces) for army, roll in zip(both, (contest.own, contest.other), strict=True))
    wins = contest.won
    if battle.no_losses:
        return wins, 0, 0
    by_winner, by_loser = game.board.losses(carthage, unrest) if wins else game.board.losses(unrest, carthage)
    return (wins, by_loser, by_winner) if wins else (wins, by_winner, by_loser)


def attack_choices(view: Game, decision: Decision) -> Part:
    """Return every attack on the unrest: a card, a leader whom it activates, and CU (S 20.3)."""
    if decision.side != view.board.powers[CARTHAGE].side or not view.unrest:
        return OneOf("card", [])
    box = view.force(CARTHAGE, GARRISON_BOX)
    share = Share(("cu", None), box.cu, 0, range(box.cu, 0, -1), fresh_cu(view) or None)

    def with_card(card: str) -> Part:
        able = [each for each in box.leaders if view.board.leaders[each].initiative <= value_of(view, card)]
        return OneOf("leader", [Value(leader, share, at=GARRISON_BOX) for leader in able], of="leader")

    return cards(view, playable(view, decision.side), with_card)


def check_attack(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an attack on the unrest (S 20.3)."""
    if decision.side != view.board.powers[CARTHAGE].side:
        yield order.fault(("do",), "only Carthage attacks the unrest", rule="S 20.3")
        return
    yield from card_faults(view, decision, order)
    leader = order.get("leader")
    if leader is None:
        yield order.fault(("leader",), "say who attacks", rule="S 20.3")
        return
    cu = order.get("cu", fresh_cu(view))
    refused = why_not_attack(view, leader, cu)
    if refused is not None:
        word, refusal = refused
        yield order.fault((word,), refusal.reason, rule=refusal.rule)
    elif order.get("card") in playable(view, decision.side):
        record, value = view.board.leaders[leader], value_of(view, order["card"])
        if record.initiative > value:
            reason = f"{record.name} is activated by a card of {record.initiative} or more"
            yield order.fault(("card",), reason, rule="8.1")


def attack_by_card(game: Game, table: Table, order: Order) -> Flow[None]:
    """Activate a leader in the Garrison box with the card of the round, to attack the unrest (S 20.3)."""
    play = lay_down(game, table, order["card"], ATTACK, CARTHAGE)
    about = {"space": GARRISON_BOX, "power": CARTHAGE, "value": play.value}
    yield from responses.window(game, table, "activation", about=about)
    cu, leader = order.get("cu", fresh_cu(game)), order["leader"]
    if not play.cancelled and why_not_attack(game, leader, min(cu, fresh_cu(game))) is None:
        play.moved.append(leader)
        yield from fight_unrest(game, table, leader, min(cu, fresh_cu(game)), leader)
    put_away(game, table)


UNREST_USES: Final[Mapping[str, Use]] = {ATTACK: Use(attack_choices, check_attack, attack_by_card, SAYS)}
