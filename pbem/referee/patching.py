"""Patches of a position: new values by dotted path, as in the cases of `pbem case`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import begin_at
from pbem.engine.cases.compare import change, look_up
from pbem.engine.session import Stuck
from pbem.game import plain
from pbem.game.plain import Record
from pbem.game.table import Table
from pbem.game.wording import on_one_line
from pbem.protocol import Rules, Side
from pbem.referee.open_game import CannotPlay
from pbem.repo.adjudication import Adjudication
from pbem.repo.records import as_plain

S = TypeVar("S")
Patch = Record
"""New values by dotted path; None: remove."""
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, Stuck)


class BadPatch(CannotPlay):
    """A patch cannot be applied, or its result is no position of the game. The text lists every complaint."""

    def __init__(self, complaints: Iterable[str]) -> None:
        self.complaints = list(complaints)
        super().__init__("no such position can be:" + "".join(f"\n  {each}" for each in self.complaints))


def patched(rules: Rules[S], checkpoint: Record, patch: Patch) -> S:
    """Apply a patch to an encoded position and return the new position. Raises BadPatch with all complaints."""
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


def check_playable(rules: Rules[S], position: S) -> None:
    """Raise BadPatch if the game cannot be played on from a position, or a side cannot be shown it."""
    try:
        for side in (*rules.sides, None):
            rules.scene(rules.view(position, side))
        dice = SeededDice("a patch, tried")
        begin_at(rules, plain.copy(position), dice, Table(dice))
    except _BROKEN as odd:
        raise BadPatch([f"the game cannot go on from there: {type(odd).__name__}: {odd}"]) from None


def changing(rules: Rules[S], patch: Patch, before: S, after: S) -> Patch:
    """Return the entries of a patch that change anything. The others could tell that a guess was right."""
    was, now = as_plain(rules.encode(before)), as_plain(rules.encode(after))
    # Of two equal items of a list the next takes the place of the one taken out.
    return {
        dotted: value
        for dotted, value in patch.items()
        if value is None or look_up(was, dotted) != look_up(now, dotted)
    }


def open_to(rules: Rules[S], side: Side | None, patch: Patch, before: S, after: S) -> list[str]:
    """Return the paths of a patch where a side (None: an observer) sees the true value, before and after."""
    seen = [(as_plain(rules.encode(rules.view(each, side))), as_plain(rules.encode(each))) for each in (before, after)]
    return [dotted for dotted in patch if all(look_up(view, dotted) == look_up(true, dotted) for view, true in seen)]


def described(patch: Patch, paths: Iterable[str], before: Record) -> list[str]:
    """Return changes as lines of text: the path, the new value, and the old one."""
    lines = []
    for dotted in paths:
        was = look_up(before, dotted)
        instead = "" if was is None else f" instead of {on_one_line(was)}"
        now = "nothing" if patch[dotted] is None else on_one_line(patch[dotted])
        lines.append(f"{dotted}: {now}{instead}")
    return lines


def as_text(patch: Patch, paths: Iterable[str]) -> dict[str, str]:
    """Return entries of a patch as a turn file has them: the values as JSON, so that they can go into the dice."""
    return {dotted: json.dumps(as_plain(patch[dotted]), ensure_ascii=False) for dotted in paths}


def whole_patch(made: Adjudication) -> Patch:
    """Return the whole patch of an adjudication that made one, with its hidden entries."""
    if made.whole is not None:
        patch: Patch = made.whole["patch"]
        return patch
    return {dotted: json.loads(text) for dotted, text in (made.act or {}).get("patch", {}).items()}
