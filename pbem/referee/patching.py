"""Changes a position by hand: dotted paths and what is to stand there, as in the rulings of `pbem case`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pbem.crypto.dice import SeededDice
from pbem.engine.cases.compare import change, look_up, shown
from pbem.engine.session import Stuck, begin_at
from pbem.game import plain
from pbem.game.table import Table
from pbem.protocol import Rules, Side
from pbem.referee.open_game import CannotPlay
from pbem.repo.ledger import Turn
from pbem.repo.records import as_plain

Patch = Mapping[str, Any]
"""Dotted path -> the value that is to stand there; None: take it away."""
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, Stuck)


class BadPatch(CannotPlay):
    """A patch cannot be made, or what it makes is no position of the game; the text lists every complaint."""

    def __init__(self, complaints: Iterable[str]) -> None:
        self.complaints = list(complaints)
        super().__init__("no such position can be:" + "".join(f"\n  {each}" for each in self.complaints))


def patched(rules: Rules[Any], checkpoint: Mapping[str, Any], patch: Patch) -> Any:
    """Return the position that a patch makes of an encoded one. Raises BadPatch with all that is wrong."""
    after = as_plain(checkpoint)
    wrong = [
        reason for dotted, value in patch.items() if (reason := change(after, dotted, as_plain(value))) is not None
    ]
    if wrong:
        raise BadPatch(wrong)
    try:
        position = rules.decode(after)
        wrong = list(plain.misfits(position)) or list(rules.audit(position))
    except _BROKEN as odd:
        raise BadPatch([f"it cannot be read: {type(odd).__name__}: {odd}"]) from None
    if wrong:
        raise BadPatch(wrong)
    return position


def check_playable(rules: Rules[Any], position: Any) -> None:
    """Raise BadPatch if the game cannot go on from a position, or it cannot be shown to a side."""
    try:
        for side in (*rules.sides, None):
            rules.scene(rules.view(position, side))
        dice = SeededDice("a patch, tried")
        begin_at(rules, plain.copy(position), dice, Table(dice))
    except _BROKEN as odd:
        raise BadPatch([f"the game cannot go on from there: {type(odd).__name__}: {odd}"]) from None


def changing(rules: Rules[Any], patch: Patch, before: Any, after: Any) -> Patch:
    """Return the entries of a patch that change anything; of another nobody shall learn that it was right."""
    was, now = as_plain(rules.encode(before)), as_plain(rules.encode(after))
    # Of two equal items of a list the next takes the place of the one taken out.
    return {
        dotted: value
        for dotted, value in patch.items()
        if value is None or look_up(was, dotted) != look_up(now, dotted)
    }


def open_to(rules: Rules[Any], side: Side | None, patch: Patch, before: Any, after: Any) -> list[str]:
    """Return the paths of a patch where a side (None: an onlooker) sees what stands there, before and after."""
    seen = [(as_plain(rules.encode(rules.view(each, side))), as_plain(rules.encode(each))) for each in (before, after)]
    return [dotted for dotted in patch if all(look_up(view, dotted) == look_up(true, dotted) for view, true in seen)]


def described(patch: Patch, paths: Iterable[str], before: Mapping[str, Any]) -> list[str]:
    """Return changes in words: the path, what stands there now, and what did."""
    lines = []
    for dotted in paths:
        was = look_up(before, dotted)
        instead = "" if was is None else f" instead of {shown(was)}"
        now = "nothing" if patch[dotted] is None else shown(patch[dotted])
        lines.append(f"{dotted}: {now}{instead}")
    return lines


def as_text(patch: Patch, paths: Iterable[str]) -> dict[str, str]:
    """Return entries of a patch as a turn file has them: the values as JSON, so that they can turn the dice."""
    return {dotted: json.dumps(as_plain(patch[dotted]), ensure_ascii=False) for dotted in paths}


def whole_patch(turn: Turn) -> Patch:
    """Return the patch of a turn that made one, with what was hidden in it."""
    if turn.whole is not None:
        patch: Patch = turn.whole["patch"]
        return patch
    return {dotted: json.loads(text) for dotted, text in (turn.act or {}).get("patch", {}).items()}
