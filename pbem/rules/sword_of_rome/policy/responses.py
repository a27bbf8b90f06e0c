"""The bot's responses, bribes, and what Carthage does with its fleet (7.1.1, 7.2.2, S 9.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.battle.battle import armies_in_battle
from pbem.rules.sword_of_rome.battle.odds import Ground
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.events.effects import Played
from pbem.rules.sword_of_rome.events.effects.moves import ambushes
from pbem.rules.sword_of_rome.events.responses import why_no_response
from pbem.rules.sword_of_rome.movement.entering import bribes
from pbem.rules.sword_of_rome.policy.events import RATED, look_at
from pbem.rules.sword_of_rome.policy.plans import Plans, unrest_chance
from pbem.rules.sword_of_rome.policy.worth import ARMY, army, chance, chief
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DIFFICULT, ETRUSCANS
from pbem.rules.sword_of_rome.position.state import NONE, Game
from pbem.rules.sword_of_rome.turn.action import MOMENT as GALLIC_EVENT

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


def best_response(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the responses that help, and none (7.1.1)."""
    side = decision.side
    for card in view.hands[side]:
        if view.board.cards[card].when == decision.facts["moment"] and why_no_response(view, side, card) is None:
            effect = _told(view, decision, card)
            if effect is not None:
                yield Order("respond", {"card": card, "effect": effect} if effect else {"card": card})
    yield Order("respond", {"card": NONE})


def _told(view: Game, decision: Decision, card: str) -> dict[str, Any] | None:
    """Return what a response needs to be told; None: it is not worth playing now."""
    here = _Here(view, decision)
    effect: dict[str, Any] = {}
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


def _on_the_board(view: Game, side: Side, card: str, word: str, told: Any) -> dict[str, Any] | None:
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


def _roll(here: _Here, told: Mapping[str, Any]) -> bool:
    helps = (told["by"] < 0) == (told["of"] not in (*here.own, "own"))
    return helps and here.open


def _cancel(here: _Here, told: str) -> bool:
    if told == GALLIC_EVENT:
        return here.against_us
    if told == "event":
        return not here.ours and not here.friend and here.facts["value"] >= DEAR
    return here.dangerous and (told == "activation" or here.against_us)


def _siege_modifier(here: _Here, told: int) -> bool:
    return here.ours if told > 0 else here.against_us


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
    "siege_modifier": _siege_modifier,
    "march": _further,
    "intercept": lambda here, told: here.ours if told < 0 else here.against_us,
    "avoid": lambda here, told: here.ours,
}
"""Word of `do` -> whether it is worth a card at the moment that is open."""


def _ambush(here: _Here, card: str, told: Any) -> dict[str, Any] | None:
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
            yield from (each for each in bribes(view, decision) if each["card"] != NONE)
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
