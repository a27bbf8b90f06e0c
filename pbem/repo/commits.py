"""The commits of a game: their messages, and which of them made an adjudication."""

from __future__ import annotations

from collections.abc import Iterable
from re import compile as pattern
from typing import Final

from pbem.repo.adjudication import Adjudication
from pbem.repo.git import Logged

_SUBJECT: Final = pattern(r"[^:]+: adjudication (\d+)(?:$|[^\d])")


def charter_message(game: str) -> str:
    """Return the message of the first commit of a game."""
    return f"{game}: the charter"


def adjudication_message(game: str, made: Adjudication) -> str:
    """Return the message of the commit of an adjudication, with nothing in it that is not public."""
    if made.act is not None:
        return f"{game}: adjudication {made.n}, {made.act['kind']}"
    waiting = ", ".join(f"{each['side']}: {each['kind']}" for each in made.open_decisions)
    return f"{game}: adjudication {made.n}" + (f"\n\nwaiting for {waiting}" if waiting else "\n\nthe game is over")


def commits_of_adjudications(history: Iterable[Logged]) -> dict[int, str]:
    """Return the commit that made each adjudication."""
    found = ((_SUBJECT.match(commit.message), commit.sha) for commit in history)
    return {int(subject[1]): sha for subject, sha in found if subject is not None}


def commit_of_adjudication(history: Iterable[Logged], n: int) -> str | None:
    """Return the commit that made an adjudication, looked for from the head back; None: there is none."""
    for commit in history:
        subject = _SUBJECT.match(commit.message)
        if subject is not None and int(subject[1]) <= n:
            return commit.sha if int(subject[1]) == n else None
    return None
