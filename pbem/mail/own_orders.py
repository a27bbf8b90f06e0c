"""The words about a player's own orders: STANDING, STANDING CANCEL and WITHDRAW; and how reports name those orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pbem.game import yaml as yamlio
from pbem.mail.task import Task
from pbem.orders.sheet import STANDING, STANDING_ADD, shortened
from pbem.orders.sheet.by_word import CANCEL, WITHDRAW, cancelled, link_in
from pbem.protocol import Event, Side
from pbem.referee.by_word import cancel_standing, withdraw
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.referee.told import Told
from pbem.render.form import standing_text

_LONGEST: Final = 100
"""Of a standing order as it is named in a report."""
_FILED: Final = re.compile(r"standing ([0-9]+) of (?:sheet ([0-9]+)|the default set)")
_ANSWERED: Final = "standing_fired"
"""The kind of the event which says that standing orders answered."""
_FIRED: Final = re.compile(r"(\w+) \(([0-9]+ of (?:sheet [0-9]+|the default set))(, [0-9]+ times)?\)")
"""How the record says that a standing order answered."""


# ---------------------------------------------------------------------------------------------- words


def withdrawn(task: Task) -> str:
    """Take back the orders of a side that are not used yet, and return the answer."""
    if task.letter is not None:
        withdraw(task.game, task.side, _link(task.rest.split(), WITHDRAW), task.letter)
    asked = any(each.side == task.side for each in task.game.open_decisions)
    return (
        "WITHDRAW: your orders are taken back. An empty sheet of yours is on record in their place. Standing orders "
        "stay in force."
    ) + (" The game waits for you again; FORM, alone on a line, brings your order sheet." if asked else "")


def standing(task: Task) -> str:
    """List the standing orders of a side, or cancel some, and return the answer."""
    word, *rest = task.rest.split() or [""]
    if not word:
        return "\n".join(["STANDING: your standing orders.", *standing_list(task.game, task.side)])
    if word.upper() != "CANCEL":
        raise CannotPlay(
            "STANDING alone lists your standing orders, STANDING CANCEL 2 cancels one, STANDING CANCEL ALL all of "
            "them. New ones are filed by a sheet with `standing:` or `standing_add:`"
        )
    if task.letter is not None:
        found = cancelled(rest)
        if found is None:
            raise CannotPlay("write which: STANDING CANCEL 2, STANDING CANCEL 2 5, or STANDING CANCEL ALL")
        numbers, more = found
        link = _link(more, f"{CANCEL} {' '.join(map(str, numbers)) or 'ALL'}")
        cancel_standing(task.game, task.side, numbers, link, task.letter)
    return "\n".join(["STANDING CANCEL: on record. In force now:", *standing_list(task.game, task.side)])


def _link(words: Sequence[str], command: str) -> str | None:
    """Return the link that stands behind a command; None: none does. Raises CannotPlay for anything else."""
    try:
        return link_in(words)
    except ValueError:
        raise CannotPlay(
            f"write {command} and nothing else on its line, or behind it the next link of your own dice chain, if you "
            "have one: 64 digits 0-9 and small letters a-f"
        ) from None


def standing_list(game: OpenGame, side: Side) -> Iterator[str]:
    """Yield the standing orders of a side in force, numbered, as the player wrote them."""
    filed = game.standing(side)
    for number, each in enumerate(filed, 1):
        yield f"  {number}. {standing_text(each.written())}"
    if not filed:
        yield "  none"


# ---------------------------------------------------------------------------------------------- names in reports


def as_written(game: OpenGame, side: Side | None, told: Sequence[Told]) -> list[Told]:
    """Return what a side is told, with its standing orders as it wrote them in place of their names on record."""
    if side is None or not any(each.event.to is not None and _names_standing(each.event) for each in told):
        return list(told)
    names = _Names(game, side)
    return [replace(each, event=names.named(each.event)) for each in told]


def _names_standing(event: Event) -> bool:
    """Tell whether an event may name a standing order."""
    return event.kind == _ANSWERED or "standing" in str(event.facts)


class _Names:
    """The standing orders of a side by their names on record."""

    def __init__(self, game: OpenGame, side: Side) -> None:
        self._game = game
        self._side = side
        self._in_force = {(each.by, each.kind): n for n, each in enumerate(game.standing(side), 1)}

    def named(self, event: Event) -> Event:
        """Return an event of the side with each standing order in it as it was written."""
        facts = event.facts
        if event.kind == _ANSWERED:
            answered = [_FIRED.sub(self._fired, str(each)) for each in facts["answered"]]
            return Event(event.kind, {**facts, "answered": answered}, event.rule, event.to)
        if _FILED.fullmatch(str(facts.get("by"))):
            order, by = self._of(str(facts["order"]), str(facts["by"]))
            return Event(event.kind, {**facts, "order": order, "by": by}, event.rule, event.to)
        return event

    def _fired(self, found: re.Match[str]) -> str:
        order, by = self._of(found[1], f"standing {found[2]}")
        return f"{order} ({by}{found[3] or ''})"

    def _of(self, kind: str, by: str) -> tuple[str, str]:
        """Return a standing order as it was written, and where it is found."""
        written = self._written(kind, by)
        number = self._in_force.get((by, kind))
        where = by if number is None else f"standing order {number}"
        return (kind if written is None else shortened(standing_text(written), _LONGEST)), where

    def _written(self, kind: str, by: str) -> Mapping[str, Any] | None:
        """Return a standing order as its sheet has it; None: that cannot be told."""
        for each in self._game.standing(self._side):
            if (each.by, each.kind) == (by, kind):
                return each.written()
        found = _FILED.fullmatch(by)
        if found is None:
            return None
        if not found[2]:
            lists: list[Any] = [self._game.box.standing_of(self._side)]
        else:
            sheet = yamlio.read(self._game.ledger.sheet(self._side, int(found[2])), name="sheet").value
            lists = [sheet.get(key) for key in (STANDING_ADD, STANDING)]
        at = int(found[1]) - 1
        items = [each[at] for each in lists if isinstance(each, (list, tuple)) and at < len(each)]
        fitting = [item for item in items if isinstance(item, Mapping) and kind in item]
        return fitting[0] if len(fitting) == 1 else None
