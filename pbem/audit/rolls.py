"""Makes every roll of a game again from what stands in clear, and checks what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pbem.audit.findings import Findings
from pbem.audit.history import History
from pbem.audit.schemas import Record
from pbem.audit.turn_files import Books
from pbem.crypto.dice import MAX_SIDES, ChainDice, step_key
from pbem.game.wording import counted

_USUAL = 6
_MOST_DICE = 10_000


def check_rolls(history: History, books: Books, game: str, findings: Findings) -> None:
    """Check every roll and, as far as it is public, every draw."""
    rolls = dice = draws = 0
    chain_dice = ChainDice(b"", b"")
    for n, turn in books.turns.items():
        chain_dice.reseed(step_key(turn["link"], game, n, turn["inputs"]))
        names: set[str] = set()
        for at, roll in enumerate(turn.get("rolls", ()), 1):
            reasons = [*_in_order(at, roll, names), *wrong_with(roll, chain_dice)]
            if reasons:
                findings.blame(history.place(n, at, roll["name"]), *reasons)
            rolls, dice = rolls + 1, dice + len(roll["faces"])
        for at, draw in enumerate(turn.get("draws", ()), 1):
            reasons = list(_in_order(at, draw, names))
            if draw["of"] < 0:
                reasons.append(f"{draw['of']} things cannot be shuffled")
            findings.blame(history.place(n, at, draw["name"], "draw"), *reasons)
            draws += 1
    made = f"{counted(rolls, 'roll')} of {counted(dice, 'die', 'dice')}"
    findings.check("rolls", f"{made} made again, with sums and needs")
    findings.check("draws", f"{counted(draws, 'hidden draw')}, numbered and named")


def _in_order(at: int, said: Record, names: set[str]) -> Iterator[str]:
    """Yield what is wrong with running number and name; put the name on record."""
    if said["number"] != at:
        yield f"it is numbered {said['number']}; the {at}. in the list has number {at}"
    if said["name"] in names:
        yield "its name is used twice in this turn"
    names.add(said["name"])


def wrong_with(roll: Record, dice: ChainDice) -> Iterator[str]:
    """Yield what is wrong with a roll, by dice that are turned to its adjudication."""
    faces, sides = roll["faces"], roll.get("sides", _USUAL)
    if not (2 <= sides <= MAX_SIDES and len(faces) <= _MOST_DICE):
        yield f"nobody rolls {len(faces)} dice of {sides} sides"
        return
    if roll.get("sides") == _USUAL:
        yield f"it says that its dice have {_USUAL} sides, which goes without saying"
    rolled = dice.faces(roll["name"], len(faces), sides)
    if rolled != faces:
        yield f"the turn file says {_said(faces)}, the dice say {_said(rolled)}"
    modifiers = roll.get("modifiers", {})
    total = sum(faces) + sum(modifiers.values())
    if total != roll["total"]:
        yield f"the turn file says a total of {roll['total']}; the faces and modifiers come to {total}"
    need = roll.get("need")
    if need is None:
        if "success" in roll:
            yield "it says whether it was a success, and not what was needed"
    elif "success" not in roll:
        yield f"it says that {need} was needed, and not whether that was reached"
    elif reaches(roll["total"], need) != roll["success"]:
        verdict = "a success" if roll["success"] else "a failure"
        yield f"the turn file calls it {verdict}: needed {need}, total {roll['total']}"


def reaches(total: int, need: str) -> bool:
    """Tell whether a total is what was needed, such as `>= 5`."""
    sense, number = _needed(need)
    return total <= number if sense == "<=" else total >= number


@lru_cache(maxsize=256)
def _needed(need: str) -> tuple[str, int]:
    sense, number = need.split(" ")
    return sense, int(number)


def _said(faces: list[int]) -> str:
    return " ".join(map(str, faces)) or "nothing"
