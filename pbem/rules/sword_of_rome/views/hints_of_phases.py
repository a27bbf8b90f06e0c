"""Hints on the phases of a turn: what cards that are kept do, and where new CU may come (5.2, 5.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pbem.game import counted, listing
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.turn.draw import hand_limit
from pbem.rules.sword_of_rome.turn.reinforcements import MERCENARIES, lots
from pbem.rules.sword_of_rome.views.event_words import event_in_words, who
from pbem.rules.sword_of_rome.views.hinting import MOST, Hint, HintsOf


def _discard(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each card of the hand does, how many are drawn, and each card alone (6.2.1, 6.2.2)."""
    side = decision.side
    hand = [card for card in view.hands[side] if card != UNSEEN]
    yield f"Then you draw up to {counted(hand_limit(view, side), 'card')}."
    for card in hand:
        record = view.board.cards[card]
        yield f"  {card} {record.name}, {record.value}: {event_in_words(view.board, record)}"
    yield from (Order("discard", {"cards": [card]}) for card in hand[:MOST])


def _reinforce(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the new CU may go, and all of them at the largest forces that are there (5.10)."""
    found = lots(view, decision.facts["powers"])
    places = list(dict.fromkeys(place for lot in found for place in lot.places))
    for power in dict.fromkeys(power for power, _ in places):
        yield f"For {who(view.board, power)}: {listing(space for each, space in places if each == power)}."
    yield "They may be split among these in any way."
    for power, space in sorted(places, key=lambda place: -view.cu(*place))[:MOST]:
        body: dict[str, Any] = {}
        for lot in found:
            body |= {MERCENARIES: {space: lot.cu}} if lot.mercenaries else {"place": {power: {space: lot.cu}}}
        yield Order("reinforce", body)


HINTS: Final[Mapping[str, HintsOf]] = {"discard": _discard, "reinforce": _reinforce}
