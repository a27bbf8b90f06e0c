"""The comparison of a player's mailbox with the closings of sheets on record (part of `pbem verify --letters`).

In a game with a beacon the sheets are closed before the round is known that decides. The letter that says so shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from pbem.audit.findings import Findings, listed
from pbem.audit.letters_clone import Clone
from pbem.crypto.beacon import BadBeacon, time_of
from pbem.game.wording import counted
from pbem.render.receipt import ClosedSheets, KeptLetter, LetterReceipt


def check_closings(
    clone: Clone,
    found: Sequence[tuple[KeptLetter, LetterReceipt]],
    told: Mapping[int, KeptLetter],
    findings: Findings,
) -> None:
    """Check that the sheets were closed as letters say, and before anybody knew the round that decided."""
    first: dict[ClosedSheets, tuple[KeptLetter, LetterReceipt]] = {}
    for letter, receipt in found:  # the earliest first
        if receipt.closed is not None:
            first.setdefault(receipt.closed, (letter, receipt))
    for closed, (letter, receipt) in first.items():
        said = f"{letter}, written at commit {receipt.commit}, says that sheets are closed until round {closed.round}"
        findings.blame(clone.place(closed.adjudication), *(f"{said}; {why}" for why in _closed_wrongly(clone, closed)))
        if letter.own and (why := _late(closed.round, letter.time)) is not None:
            findings.blame(clone.place(closed.adjudication), f"{said}; {why}")
    rounds = {closed.round for closed in first}
    for n, letter in sorted(told.items()):
        turn = clone.turns.get(n)
        if turn is None or turn.round is None or turn.round in rounds:
            continue
        rounds.add(turn.round)
        findings.blame(
            clone.place(n),
            f"{letter}, tells of it, and commit {turn.commit} says that round {turn.round} decided it; no letter here "
            "says before that the sheets are closed until that round. They were closed late, or that letter is missing",
        )
    if first:
        findings.check("closings", f"{counted(len(first), 'closing')} told of, each before its round was published")


def _closed_wrongly(clone: Clone, closed: ClosedSheets) -> Iterator[str]:
    """Yield why a closing that a letter tells of is not the one of the clone."""
    turn, n = clone.turns.get(closed.adjudication), closed.adjudication
    there = [(each, commit) for each, commit in clone.closings if each.adjudication == n]
    if turn is not None and "act" not in turn.content and turn.round != closed.round:
        yield f"turn {n}, brought by commit {turn.commit}, was decided by round {turn.round or 'none'}"
    elif not any(each == closed for each, _ in there) and (there or turn is not None):
        others = [f"commit {commit} closed {each.digest} until round {each.round}" for each, commit in there]
        yield f"it has the digest {closed.digest} for what is closed, but {listed(others) or 'no commit has it'}"


def _late(round: int, time: datetime | None) -> str | None:
    """Return why a letter does not show that a round was still unknown; None: it does, or has no time."""
    try:
        known = time_of(round)
    except BadBeacon as wrong:
        return str(wrong)
    if time is None or time < known:
        return None
    return f"the round was published before, at {known:%Y-%m-%d %H:%M:%S} UTC, so this closing came too late"
