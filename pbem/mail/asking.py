"""The words that ask for more than how the game stands: HISTORY and HELP ORDERS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game.wording import hint
from pbem.mail.own_orders import as_written
from pbem.mail.task import Task
from pbem.referee.open_game import CannotPlay
from pbem.render.order_reference import one_order, order_list
from pbem.render.report import happened

_USUAL: Final = 5
"""HISTORY without a number tells of so many adjudications."""
_MOST: Final = 100


def history(task: Task) -> str:
    """Return what happened in the last adjudications, as the side was told of it."""
    game, word = task.game, task.rest.strip()
    if word and not (word.isascii() and word.isdigit() and len(word) < 10 and int(word)):
        raise CannotPlay(f"write a number after it, such as HISTORY {_USUAL}: that many adjudications are told again")
    if not game.begun:
        raise CannotPlay("the game has not begun")
    last = game.adjudication
    asked = min(int(word or _USUAL), _MOST)
    return "\n".join(_told(task, max(last - asked, 0), last))


def _told(task: Task, since: int, last: int) -> Iterator[str]:
    """Yield what happened after an adjudication, those that were undone left out."""
    game, side = task.game, task.side
    yield f"HISTORY: adjudication {since + 1} to {last}." if since + 1 < last else f"HISTORY: adjudication {last}."
    told = as_written(game, side, game.told(side, since))
    seen = False
    for n in dict.fromkeys(each.adjudication for each in told):
        if lines := happened(game.box, [each for each in told if each.adjudication == n]):
            seen = True
            yield from ("", f"ADJUDICATION {n}", *lines)
    if not seen:
        yield from ("", "Nothing that you could see.")


def help_orders(task: Task) -> str:
    """Return the orders of the game, or all about one kind of order."""
    box = task.game.box
    _, _, kind = task.rest.partition(" ")
    kind = kind.strip().lower()
    if not kind:
        first = next(iter(box.forms))
        return "\n".join(
            [
                f"HELP ORDERS: the orders of {box.title}, each with an example. HELP ORDERS {first} tells all about "
                "one kind. Your order sheet shows what is legal at the moment. Before you are asked, an order may "
                "stand below a line `ahead: true`, for once, or below `standing:`, for good.",
                "",
                *order_list(box),
            ]
        ).rstrip()
    if kind not in box.forms:
        better = hint(kind, box.forms, "there are", "and") or f"; there are {', '.join(box.forms)}"
        raise CannotPlay(f"ORDERS: there is no order {kind[:40]}{better}")
    return "\n\n".join([f"HELP ORDERS {kind}", *one_order(box, kind)])
