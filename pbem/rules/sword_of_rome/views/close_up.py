"""The part of a position that a question is about: its space and the next ones, who stands there, the hand (3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Line, Section
from pbem.protocol import Decision
from pbem.rules.sword_of_rome.position.board import TRIBE, WALLED
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.views.summary import hand, strength

_PLACES: Final = ("space", "at", "from")
"""The facts that name the space of a question."""


def close_up(view: Game, decision: Decision, names: Mapping[str, str]) -> Iterator[Section]:
    """Yield the space that a question is about, who stands there and next to it, and what the side holds.

    The hand is left out where the form says of each card what it does.
    """
    space = place_of(view, decision)
    if space is not None:
        yield Section(names[space], tuple(_space(view, space, names)))
        near = [line for to in view.board.neighbours[space] for line in _headed(view, to, names)]
        if near:
            yield Section("Next to it", tuple(near))
    if decision.kind != "act" or view.the_activation.played or view.the_activation.desperate:
        yield from hand(view, names)


def place_of(view: Game, decision: Decision) -> str | None:
    """Return the space that a question is about; None: it is about none in particular."""
    found = (decision.facts.get(word) for word in _PLACES)
    return next((space for space in found if isinstance(space, str) and space in view.board.spaces), None)


def _headed(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    lines = list(_forces(view, space, names))
    if lines:
        yield Line(names[space])
        yield from (Line(line.label, line.cells, 1) for line in lines)


def _space(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield whose a space is, its loyalty and siege, and who stands there."""
    holder = view.control.get(space)
    kind = view.kind(space)
    words = [names[holder] if holder is not None else "independent", kind]
    if kind == WALLED and not view.board.is_capital(space):  # a capital overseas has none (17)
        words.append(f"loyalty {view.loyalty[space]}")
    if kind == TRIBE:
        words.append(f"subjugation factor {view.board.spaces[space].subjugation}")
    siege = view.sieges.get(space)
    if siege is not None:
        words.append(f"besieged by {names[siege.by]}, level {siege.level}")
    yield Line("Control", (", ".join(words),))
    yield from _forces(view, space, names)


def _forces(view: Game, space: str, names: Mapping[str, str]) -> Iterator[Line]:
    """Yield what each power has in a space, on the march and inside its city too."""
    for power in view.board.powers:
        force = view.forces[power].get(space)
        if force is not None:
            yield Line(names[power], (strength(force, names),))
    march = view.march
    if march is not None and march.at == space and not march.force.empty:
        yield Line(f"{names[march.power]}, on the march", (strength(march.force, names),))
    inside = view.inside.get(space)
    if inside is not None:
        yield Line(f"{names[view.control[space]]}, inside", (strength(inside, names),))
