"""The bot's responses, bribes, and what Carthage does with its fleet (7.1.1, 7.2.2, S 9.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pbem.game import Reply
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.events.responses import why_no_response
from pbem.rules.sword_of_rome.movement.bribes import bribes
from pbem.rules.sword_of_rome.movement.orders import NONE
from pbem.rules.sword_of_rome.policy.worth import ARMY
from pbem.rules.sword_of_rome.position.board import CARTHAGE, ETRUSCANS, SAMNITES
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.gallic_events import MOMENT

DANGER: Final = 5
"""CU of an enemy from which its voyage is contested."""
HELPS_ACTOR: Final = frozenset({"siege_points", "siege_modifier", "dice", "flight", "no_city", "march", "sail"})
"""Effects that help who acts: the bot plays them for its own powers."""
HINDERS_ACTOR: Final = frozenset({"storm", "cancel"})
"""Effects that hinder who acts: it plays them against others."""


def respond(view: Game, decision: Decision) -> Iterator[Order]:
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
    facts, own = decision.facts, view.board.powers_of[decision.side]
    ours, we_fight = facts.get("power") in own, bool(_fighters(view) & {*own})
    for each in view.board.cards[card].effects:
        for word, told in each.items():
            if (word in HELPS_ACTOR and ours) or (word == "dice" and we_fight):
                continue
            if word in HINDERS_ACTOR and not ours and _is_dangerous(view, decision):
                continue
            if told == MOMENT and facts.get("other") in own:
                continue
            if word == "roll" and we_fight and (told["by"] < 0) == (told["of"] not in own):
                continue
            if word == "battle_again" and ours:
                continue
            if word == "marker" and ours:
                continue
            if word == "no_losses" and we_fight and _outnumbered(view, own):
                continue
            if (word == "avoid" and ours) or (word == "intercept" and ours):
                continue
            if word == "ambush":
                return _ambush(view, facts["space"])
            return None
    return {}


def _fighters(view: Game) -> set[str]:
    battle = view.battle
    return {battle.attacker, battle.defender, battle.flank or ""} if battle is not None else set()


def _outnumbered(view: Game, own: tuple[str, ...]) -> bool:
    battle = view.the_battle
    ours = sum(view.cu(power, battle.space) for power in own)
    return 2 * ours < sum(view.cu(power, battle.space) for power in _fighters(view) if power)


def _is_dangerous(view: Game, decision: Decision) -> bool:
    """Tell whether it is worth a card to stop what another does: a large army that comes, or any activation."""
    actor = decision.facts.get("power")
    own = view.board.powers_of[decision.side]
    if actor is None or any(view.allied(actor, each) for each in own):
        return False
    march = view.march
    return march is None or march.force.cu >= ARMY


def _ambush(view: Game, space: str) -> dict[str, Any] | None:
    """Return from where the Samnites attack an army that has come near, if they are more (9.3.3)."""
    march = view.march
    if march is None or view.allied(march.power, SAMNITES):
        return None
    near = [at for at in (space, *view.board.neighbours[space]) if view.force(SAMNITES, at).army]
    best = max(near, key=lambda at: view.force(SAMNITES, at).cu, default=None)
    if best is None or view.force(SAMNITES, best).cu < march.force.cu:
        return None
    return {"ambush": {"from": best}}


def bribe(view: Game, decision: Decision) -> Iterator[Order]:
    """Pay a bribe to an army that is likely to beat the Etruscans, with a Desperate Times last (7.2.2)."""
    march = view.the_march
    if march.power != ETRUSCANS:
        own = view.force(ETRUSCANS, march.at).cu
        if march.force.cu > own + 1:
            yield from (each for each in bribes(view, decision) if each["card"] != NONE)
    yield Order("bribe", {"card": NONE})


def contest(view: Game, decision: Decision) -> Iterator[Order]:
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


RESPONSES: Final[Mapping[str, Reply]] = {"respond": respond, "bribe": bribe, "contest_voyage": contest}
