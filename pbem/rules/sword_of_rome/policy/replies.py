"""The bot's answers: responses and bribes, the enemy's march, in battle and between the turns (5, 7.1.1, 9 to 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pbem.game import Answers
from pbem.protocol import Decision, Order, Record, Side
from pbem.rules.sword_of_rome.battle.battle import armies_in_battle
from pbem.rules.sword_of_rome.battle.odds import Ground
from pbem.rules.sword_of_rome.battle.spoils import losers, most_unrest, taker, why_not_add_own, why_not_take_away
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.events.effects import Played
from pbem.rules.sword_of_rome.events.effects.moments import ambushes
from pbem.rules.sword_of_rome.events.responses import why_no_response
from pbem.rules.sword_of_rome.movement.entering import as_many
from pbem.rules.sword_of_rome.movement.reactions import refuges
from pbem.rules.sword_of_rome.movement.voyages import card_choices
from pbem.rules.sword_of_rome.policy.acts import DESPERATE, worth_of_desperate
from pbem.rules.sword_of_rome.policy.events import RATED, look_at
from pbem.rules.sword_of_rome.policy.plans import MARKER, UNREST_POINT, Plans, unrest_chance
from pbem.rules.sword_of_rome.policy.worth import ARMY, army, chance, chief, rivalry, taken, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DIFFICULT, ETRUSCANS, GAULS, WALLED
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game
from pbem.rules.sword_of_rome.turn.action import MOMENT as GALLIC_EVENT

# ---- responses, bribes, and what Carthage does with its fleet (7.1.1, 7.2.2, S 9.6)


DANGER: Final = 5
"""CU of an enemy from which its voyage is contested."""
SURE: Final = 0.85
"""The chance of victory from which no card is spent on a battle."""
HOPELESS: Final = 0.08
"""The chance below which none is spent either."""
RISKY: Final = 0.4
"""The chance below which a battle without losses is better."""
AGAIN: Final = 0.1
"""The chance from which a lost battle is fought again."""
AMBUSH: Final = 0.45
"""The chance of victory from which an army comes out of an ambush."""
FURTHER: Final = 0.1
"""What a plan must be worth more for a response that lets the army go further."""
DEAR: Final = 2
"""The value of the cards whose event is worth stopping."""
SEEKS: Final = 0.62
"""The chance of victory from which the bot intercepts."""
AFRAID: Final = 0.4
"""The chance below which it avoids a battle."""
RESPONSES_KEPT: Final = 1
"""Responses that are kept for the next turn."""
GREAT: Final = 0.8
"""The worth of a space that an army defends against odds."""
LOYALTY_SPARED: Final = 0.1


def best_response(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the responses that help, and none (7.1.1)."""
    side = decision.side
    for card in view.hands[side]:
        if view.board.cards[card].when == decision.facts["moment"] and why_no_response(view, side, card) is None:
            effect = _told(view, decision, card)
            if effect is not None:
                yield Order("respond", {"card": card, "effect": effect} if effect else {"card": card})
    yield Order("respond", {"card": NONE})


def _told(view: Game, decision: Decision, card: str) -> dict[str, object] | None:
    """Return what a response needs to be told; None: it is not worth playing now."""
    here = _Here(view, decision)
    effect: dict[str, object] = {}
    for each in view.board.cards[card].effects:
        for word, told in each.items():
            if word == "ambush":
                ambush = _ambush(here, card, told)
                if ambush is None:
                    return None
                effect.update(ambush)
            elif word in WORTH_AT:
                if not WORTH_AT[word](here, told):
                    return None
            else:
                found = _on_the_board(view, decision.side, card, word, told)
                if found is None:
                    return None
                effect.update(found)
    return effect


def _on_the_board(view: Game, side: Side, card: str, word: str, told: Any) -> dict[str, object] | None:
    """Return what an effect on the board is told, if it is worth something."""
    rate = RATED.get(word)
    found = rate(look_at(view, side), Played(side, card, told)) if rate is not None else None
    return found[1] if found is not None and found[0] > 0 else None


class _Here:
    """The moment as a side sees it that may respond."""

    def __init__(self, view: Game, decision: Decision) -> None:
        self.view, self.side, self.facts = view, decision.side, decision.facts
        self.own = view.board.powers_of[decision.side]
        self.ours = decision.facts.get("power") in self.own
        """Whether an own power acts."""
        self.against_us = decision.facts.get("other") in self.own

    @property
    def fights(self) -> str | None:
        """The own power in the battle; None: there is none."""
        battle = self.view.battle
        powers = (battle.attacker, battle.defender, battle.flank) if battle is not None else ()
        return next((power for power in powers if power in self.own), None)

    @property
    def likely(self) -> float:
        """The chance that the own side wins the battle, events counted so far."""
        view, battle = self.view, self.view.the_battle
        if not battle.defender:
            leader = next(iter(view.force(CARTHAGE, battle.space).leaders), "")
            tactics = view.board.leaders[leader].tactics if leader else 0
            return unrest_chance(view, view.cu(CARTHAGE, battle.space), tactics)
        ground = Ground(battle.came_by in DIFFICULT, battle.intercepted, battle.failed_avoidance)
        attacker, defender = armies_in_battle(view)
        added = battle.modifiers.get(battle.attacker, 0) - battle.modifiers.get(battle.defender, 0)
        wins = chance(view.board, attacker, defender, ground, added)
        return 1 - wins if self.fights == battle.defender else wins

    @property
    def open(self) -> bool:
        """Whether the battle is ours and a card can decide it."""
        return self.fights is not None and HOPELESS < self.likely < SURE

    @property
    def friend(self) -> bool:
        """Whether an ally acts."""
        actor = self.facts.get("power") or ""
        return any(self.view.allied(actor, each) for each in self.own)

    @property
    def dangerous(self) -> bool:
        """Whether it is worth a card to stop what another does with an army: no ally's, and a large one."""
        actor = self.facts.get("power")
        if self.ours or actor is None or self.friend:
            return False
        march = self.view.march
        cu = march.force.cu if march is not None else self.view.cu(actor, self.facts.get("space") or "")
        return cu >= ARMY


def _roll(here: _Here, told: Record) -> bool:
    helps = (told["by"] < 0) == (told["of"] not in (*here.own, "own"))
    return helps and here.open


def _cancel(here: _Here, told: str) -> bool:
    if told == GALLIC_EVENT:
        return here.against_us
    if told == "event":
        return not here.ours and not here.friend and here.facts["value"] >= DEAR
    return here.dangerous and (told == "activation" or here.against_us)


def _further(here: _Here, told: int) -> bool:
    """Tell whether the leader who is activated does better with more movement points."""
    if not here.ours:
        return False
    view, power, value = here.view, here.facts["power"], here.facts["value"]
    plans, points = Plans(view, here.side, power), view.board.powers[power].points[value - 1]
    best = 0.0
    for leader in view.force(power, here.facts["space"]).leaders[:1]:
        now, further = plans.of(leader, points, value), plans.of(leader, points + told, value)
        best = (further[0].worth if further else 0.0) - (now[0].worth if now else 0.0)
    return best > FURTHER


WORTH_AT: Final[Mapping[str, Callable[[_Here, Any], bool]]] = {
    "roll": _roll,
    "dice": lambda here, told: here.open,
    "no_losses": lambda here, told: here.fights is not None and here.likely < RISKY,
    "battle_again": lambda here, told: here.ours and here.likely >= AGAIN,
    "flight": lambda here, told: here.open,
    "no_city": lambda here, told: not here.ours,
    "cancel": _cancel,
    "storm": lambda here, told: here.dangerous,
    "sail": lambda here, told: here.ours,
    "siege_points": lambda here, told: here.ours,
    "siege_modifier": lambda here, told: here.ours if told > 0 else here.against_us,
    "march": _further,
    "intercept": lambda here, told: here.ours if told < 0 else here.against_us,
    "avoid": lambda here, told: here.ours,
}
"""Word of `do` -> whether it is worth a card at the moment that is open."""


def _ambush(here: _Here, card: str, told: Any) -> dict[str, object] | None:
    """Return from where an army waylays one that has come near, if it is likely to beat it (9.3.3)."""
    view, march = here.view, here.view.the_march
    best = max(ambushes(view, Played(here.side, card, told)), key=lambda way: int(way["cu"]), default=None)
    if best is None:
        return None
    power, space = told["power"], march.at
    force = view.force(power, best["from"])
    enemy, own = army(view, march.power, space, march.force), army(view, power, space, force, view.cu(power, space))
    ground = Ground(march.came_by in DIFFICULT)
    return {"ambush": best} if 1 - chance(view.board, enemy, own, ground) >= AMBUSH else None


def best_bribe(view: Game, decision: Decision) -> Iterator[Order]:
    """Pay a bribe to an army that is likely to beat the Etruscans, with a Desperate Times last (7.2.2)."""
    march = view.the_march
    if march.power != ETRUSCANS:
        own = view.force(ETRUSCANS, march.at).cu
        if march.force.cu > own + 1:
            yield from (each for each in Answers("bribe", card_choices(view, decision)) if each["card"] != NONE)
    yield Order("bribe", {"card": NONE})


def best_contest(view: Game, decision: Decision) -> Iterator[Order]:
    """Contest the voyage of an army that comes to Carthage's own coasts, with the cheapest card (S 9.6.4)."""
    to = decision.facts["to"]
    near = (to, *view.board.neighbours[to])
    comes = any(view.control.get(space) == CARTHAGE for space in near) or view.board.spaces[to].home == CARTHAGE
    if comes and decision.facts["cu"] >= DANGER - 2 * (view.control.get(to) == CARTHAGE):
        for card in sorted(view.hands[CARTHAGE], key=lambda each: (value_of(view, each), each)):
            if view.board.cards[card].when is None:
                yield Order("contest_voyage", {"card": card})
                break
    yield Order("contest_voyage", {"card": NONE})


def best_loan(view: Game, decision: Decision) -> Iterator[Order]:
    """Lend the fleet to an ally who does not lead, for a card that the rounds left do not need (S 9.6.3)."""
    hand = view.hands[CARTHAGE]
    ally = view.board.powers[decision.facts["power"]].side
    spare = len(hand) > int(view.board.tables["rounds"]) - view.round + 1
    if spare and ally != chief(view, CARTHAGE):
        for card in sorted(hand, key=lambda each: (value_of(view, each), each)):
            if view.board.cards[card].when is None:
                yield Order("lend_fleet", {"card": card})
    yield Order("lend_fleet", {"card": NONE})


# ---- answers on the march, in battle and between the turns (5, 9.3, 10, 11, 14.4)


def _holds(view: Game, power: str, space: str, own: Force, *, intercepts: bool = False) -> float:
    """Return the chance that a force beats the one under way in a space."""
    march = view.the_march
    enemy = army(view, march.power, space, march.force)
    ground = Ground(march.came_by in DIFFICULT, intercepts)
    return 1 - chance(view.board, enemy, army(view, power, space, own), ground)


def best_city(view: Game, decision: Decision) -> Iterator[Order]:
    """Stand before the city if that is likely to win; else as many go inside as can (9.3.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    there = view.force(power, space)
    if _holds(view, power, space, there) > 0.5:
        yield Order("city", {"cu": 0})
    yield Order("city", as_many(view, there))


def best_interception(view: Game, decision: Decision) -> Iterator[Order]:
    """Intercept with the army that is most likely to win, if it may leave its space (10)."""
    power, space = decision.facts["power"], decision.facts["at"]
    found = []
    for origin in decision.facts["from"]:
        stack = view.force(power, origin)
        likely = _holds(view, power, space, stack, intercepts=True)
        guards = view.control.get(origin) == power and worth(view, power, origin) > worth(view, power, space) + GREAT
        if likely >= SEEKS and stack.leaders and not guards and origin not in view.sieges:
            found.append((likely, origin, stack))
    for _, origin, stack in sorted(found, key=lambda each: -each[0]):
        leader = stack.leaders[0]
        body = {"from": origin, "leader": leader, "cu": stack.cu, "with": stack.leaders[1:]}
        if stack.mercenaries:
            body["mercenaries"] = stack.mercenaries
        yield Order("intercept", {"with": [body]})
    yield Order("intercept", {"with": []})


def best_avoidance(view: Game, decision: Decision) -> Iterator[Order]:
    """Avoid a battle that is likely to be lost, where the space is not worth it (11)."""
    power, space = decision.facts["power"], decision.facts["at"]
    stack = view.force(power, space)
    likely = _holds(view, power, space, stack)
    dear = view.control.get(space) == power and worth(view, power, space) >= GREAT
    if likely < (AFRAID / 2 if dear else AFRAID):
        for to in sorted(refuges(view, power, space), key=lambda near: (-view.cu(power, near), near)):
            yield Order("avoid", {"to": to, "leader": stack.leaders[0], "with": stack.leaders[1:]})
    yield Order("avoid", {"to": NONE})


def best_refusal(view: Game, decision: Decision) -> Iterator[Order]:
    """Go back before a stronger army that has intercepted (10.5.1)."""
    facts, march = decision.facts, view.the_march
    enemy = next(iter(view.enemies_in(march.power, march.at)), None)
    back = facts["enemy_cu"] > facts["own_cu"]
    if enemy is not None:
        likely = 1 - _holds(view, enemy, march.at, view.force(enemy, march.at), intercepts=True)
        back = likely < AFRAID
    yield Order("refuse", {"back": back})


def best_announcement(view: Game, decision: Decision) -> Iterator[Order]:
    """Announce one before the own activation, if there is much to be done with it (7.4)."""
    side, facts = decision.side, decision.facts
    mine = facts["next"] == side
    announce = mine and worth_of_desperate(view, side) >= DESPERATE - 0.4 * facts["last"]
    yield Order("desperate_times", {"announce": announce})


def best_first_player(view: Game, decision: Decision) -> Iterator[Order]:
    """Let the next side clockwise go first, so that the own one goes last (5.3)."""
    seats = view.clockwise(decision.side)
    yield Order("first_player", {"side": seats[1] if len(seats) > 1 else seats[0]})


def best_discard(view: Game, decision: Decision) -> Iterator[Order]:
    """Discard the cards of value 1, and all responses but the dearest few: they are of no use as the hand (6.2.1)."""
    cards = view.board.cards
    hand = sorted(view.hands[decision.side], key=lambda card: (-value_of(view, card), card))
    kept = [card for card in hand if cards[card].when is not None][:RESPONSES_KEPT]
    weak = [
        card
        for card in hand
        if card not in kept and (cards[card].when is not None or (value_of(view, card) == 1 and not cards[card].extra))
    ]
    yield Order("discard", {"cards": weak})


def best_sack(view: Game, decision: Decision) -> Iterator[Order]:
    """Loot as the Gauls, for five markers are a VP; keep a city that Transalpine Gauls take from a rival (14.4)."""
    yield Order("sack", {"loot": decision.facts["power"] == GAULS or GAULS not in view.board.powers_of[decision.side]})


def best_consent(view: Game, decision: Decision) -> Iterator[Order]:
    """Lend an army to an ally's Campaign where it is not needed (9.5.5)."""
    leader = decision.facts["leader"]
    space, power = view.where(leader), view.board.leaders[leader].power
    spare = space is not None and view.force(power, space).cu >= ARMY and space not in view.sieges
    yield Order("join_campaign", {"consent": spare and worth(view, power, space or "") < GREAT})


def best_spoils(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield how points are spent, by what each point is worth; then the same with fewer (12.5)."""
    points: int = decision.facts["points"]
    bought = sorted(_purchases(view, decision), key=lambda each: -each[0])
    for known in range(len(bought), -1, -1):
        left, body = points, dict[str, Any]()
        for _, cost, word, space in bought[:known]:
            if cost > left:
                continue
            left -= cost
            if word in ("plunder", "unrest"):
                body[word] = body.get(word, 0) + cost
            else:
                body[word] = [*body.get(word, ()), *[space] * cost]
        yield Order("spoils", body)
        if known < len(bought) - 3:
            return


def _purchases(view: Game, decision: Decision) -> Iterator[tuple[float, int, str, str]]:
    """Yield what can be bought: its worth for a point, the points, the word and the space."""
    side, facts = decision.side, decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    own = winner in view.board.powers_of[side]
    for space in view.board.spaces:
        holder = view.control.get(space)
        if holder in losers(view, loser) and why_not_take_away(view, losers(view, loser), space) is None:
            cost = view.loyalty[space] if view.kind(space) == WALLED else 1
            goes_to_us = own and taker(view, winner, space) == winner
            denied = rivalry(view, side, holder) * worth(view, holder or "", space)
            value = taken(view, side, winner, space) if goes_to_us else denied
            if cost <= points:
                yield value / cost, cost, "remove", space
        elif own and why_not_add_own(view, winner, space) is None:
            value = LOYALTY_SPARED if holder == winner else worth(view, winner, space)
            yield value, 1, "add", space
    if own and view.board.powers[winner].raids:
        yield from [(MARKER, 1, "plunder", "")] * points
    change = min(points, most_unrest(view, winner, loser))
    per_point = UNREST_POINT if winner == CARTHAGE and own else UNREST_POINT * rivalry(view, side, CARTHAGE)
    yield from [(per_point, 1, "unrest", "")] * change
