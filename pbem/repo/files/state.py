"""The state from which a game is resumed: the checkpoint, the adjudications since, the waiting orders.

It is derived from the commits, and committed itself, sealed, with a few of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from pbem.crypto.dice import Dice
from pbem.engine.session import Queued, Session, Step, resume
from pbem.game.contract import Rules
from pbem.protocol import Record, Result, S, Side
from pbem.repo.files.records import answer_record, as_plain, queued_record, read_answer, read_queued, result_in


@dataclass(slots=True)
class State:
    """The state from which a game is resumed. `record` and `read_state` convert it to plain data and back."""

    adjudication: int
    """The number of the last adjudication."""
    checkpoint: Record
    steps: list[Step]
    pending: dict[Side, list[Queued]] = field(default_factory=dict)
    new_sheets: dict[Side, dict[str, str]] = field(default_factory=dict)
    """The sheets accepted since the last adjudication: path -> salted digest of what it says."""
    new_texts: dict[Side, dict[str, str]] = field(default_factory=dict)
    """The same sheets: path -> salted digest of the whole text, with its remarks."""
    sheets: dict[Side, int] = field(default_factory=dict)
    """How many sheets of each side have been accepted."""
    standing: dict[Side, list[Record]] = field(default_factory=dict)
    """Each side's standing orders in force, first to last, as `Filed.record` keeps them."""
    standing_digests: dict[Side, str] = field(default_factory=dict)
    """The salted digest of the file of each side's standing orders."""
    opened: int = 1
    """The adjudication that opened the decisions now open."""
    open_decisions: list[Record] = field(default_factory=list)
    """The open decisions with their facts, so that other rules can be compared with them."""
    result: Result | None = None
    pins: Mapping[str, str] | None = None
    """Digests of the box and the code that the game has been moved to; None: those of the charter."""
    undone: list[int] = field(default_factory=list)
    """Adjudications that were rolled back."""
    links: dict[Side, str] = field(default_factory=dict)
    """The link of each player's chain that went into the dice last; its tip, if none did."""
    new_links: dict[Side, str] = field(default_factory=dict)
    """The last link that each side has opened since the last adjudication, or the word `lost`."""
    defaults: dict[Side, Queued] = field(default_factory=dict)
    """The orders that the game master has set for sides whose deadline passes."""
    inputs: str = ""
    """The digest of the inputs of the last adjudication, with which those of the next begin."""
    day: str = ""
    """The day of the last adjudication; the next is on no earlier one."""
    requests: dict[str, Any] = field(default_factory=dict)
    """How many requests there have been, and the number of the open one."""
    newcomers: dict[Side, bool] = field(default_factory=dict)
    """The sides whose player has changed since the last adjudication, or has only promised a chain (False)."""

    resigned: list[Side] = field(default_factory=list)
    """The sides that have resigned while the game goes on without their players."""

    def resumed(self, rules: Rules[S], dice: Dice, *more: Step) -> Session[S]:
        """Return the game as it stands: from the checkpoint on with all that was answered since, and `more`."""
        return resume(rules, rules.decode(self.checkpoint), [*self.steps, *more], dice)

    def record(self) -> dict[str, object]:
        """Return the state as plain data."""
        plain = {word: as_plain(getattr(self, word)) for word in _PLAIN}
        return {
            **plain,
            "result": None if self.result is None else as_plain(self.result.record()),
            "steps": [
                {"key": step.key.hex(), "answers": [answer_record(answer) for answer in step.answers]}
                for step in self.steps
            ],
            "pending": {side: [queued_record(order) for order in orders] for side, orders in self.pending.items()},
            "defaults": {side: queued_record(order) for side, order in self.defaults.items()},
            **({"newcomers": dict(self.newcomers)} if self.newcomers else {}),
            **({"resigned": list(self.resigned)} if self.resigned else {}),
        }


_PLAIN: Final = tuple(
    each.name for each in fields(State) if each.name not in ("steps", "pending", "defaults", "newcomers", "resigned")
)
"""The fields that are plain data as they are, in the order in which they are written."""


def read_state(record: Record) -> State:
    """Return the state that `State.record` was called on."""
    return State(
        **{word: record[word] for word in _PLAIN if word != "result"},
        steps=[
            Step(bytes.fromhex(step["key"]), [read_answer(answer) for answer in step["answers"]])
            for step in record["steps"]
        ],
        pending={side: [read_queued(order) for order in orders] for side, orders in record["pending"].items()},
        defaults={side: read_queued(order) for side, order in record["defaults"].items()},
        result=result_in(record),
        newcomers=dict(record.get("newcomers", {})),
        resigned=list(record.get("resigned", ())),
    )
