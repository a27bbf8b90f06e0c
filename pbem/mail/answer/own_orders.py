"""The words about a player's own orders: STANDING, STANDING CANCEL and WITHDRAW; and how reports name those orders."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.mail.read.commands import CommandTask
from pbem.mail.write.outgoing import standing_list
from pbem.orders.sheet import CANCEL, WITHDRAW, cancelled, link_in
from pbem.referee.game.open_game import CannotPlay

# ---------------------------------------------------------------------------------------------- words


def withdraw_by_word(task: CommandTask) -> str:
    """Take back the orders of a side that are not used yet, and return the answer."""
    if task.letter is not None:
        task.game.withdraw(task.side, _link_behind(task.rest.split(), WITHDRAW), task.letter)
    asked = any(each.side == task.side for each in task.game.open_decisions)
    return (
        "WITHDRAW: your orders are taken back. An empty sheet of yours is on record in their place. Standing orders "
        "stay in force."
    ) + (" The game waits for you again; FORM, alone on a line, brings your order sheet." if asked else "")


def standing_by_word(task: CommandTask) -> str:
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
        link = _link_behind(more, f"{CANCEL} {' '.join(map(str, numbers)) or 'ALL'}")
        task.game.cancel_standing(task.side, numbers, link, task.letter)
    return "\n".join(["STANDING CANCEL: on record. In force now:", *standing_list(task.game, task.side)])


def _link_behind(words: Sequence[str], command: str) -> str | None:
    """Return the link that stands behind a command; None: none does. Raises CannotPlay for anything else."""
    try:
        return link_in(words)
    except ValueError:
        raise CannotPlay(
            f"write {command} and nothing else on its line, or behind it the next link of your own dice chain, if you "
            "have one: 64 digits 0-9 and small letters a-f"
        ) from None


# ---------------------------------------------------------------------------------------------- names in reports
