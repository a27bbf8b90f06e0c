"""The part of a position that a question is about: its space and the next ones, who stands there, the cards (3, 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Line, Section
from pbem.protocol import Decision
from pbem.rules.rome_carthage.position.state import SIDES, Game
from pbem.rules.rome_carthage.views.facts import space_of
from pbem.rules.rome_carthage.views.summary import battle_hands, hand_in_short, led, stacks

_PLAYS: Final = frozenset({"claim_first", "first_player", "play"})
"""The questions that are answered with the whole hand of strategy cards in mind."""
_ALONE: Final = frozenset({"remove_markers", "reinforce", "consuls"})
"""The questions that are about no space, although a battle or a march may be under way."""


def close_up(view: Game, decision: Decision, names: Mapping[str, str]) -> Iterator[Section]:
    """Yield what a question is about; `names` are those of sides."""
    if decision.kind in _PLAYS:
        yield from hand_in_short(view)
        return
    if decision.kind in _ALONE:
        return
    yield from battle_hands(view)
    space = space_of(view, decision)
    if space is None:
        return
    board = view.board
    near = list(board.neighbours[space])
    yield Section(board.spaces[space].name, tuple(_there(view, space, names)) or (Line("nobody"),))
    held = [(each, list(_there(view, each, names))) for each in near]
    if any(lines for _, lines in held):
        yield Section("Next to it", tuple(line for each, lines in held if lines for line in _headed(view, each, lines)))


def places(view: Game, decision: Decision) -> Iterator[str]:
    """Yield the spaces that a question is about."""
    if decision.kind not in _PLAYS | _ALONE:
        space = space_of(view, decision)
        if space is not None:
            yield space


def _headed(view: Game, space: str, lines: list[Line]) -> Iterator[Line]:
    yield Line(view.board.spaces[space].name)
    yield from (Line(line.label, line.cells, 1) for line in lines)


def _there(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield what each side has in a space."""
    for side in SIDES:
        for at, stack, where in stacks(view, side):
            if at == space:
                yield Line(names[side] + where, (f"{stack.cu} CU" if stack.cu else "", led(view, stack)))
