"""Checks, once it can be opened, where the answers come from, and that the game goes on from them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from re import compile as pattern
from typing import Any, Final

from pbem.audit.findings import Findings, number
from pbem.audit.history import History
from pbem.audit.schemas import Record, same_words
from pbem.audit.turn_files import Books
from pbem.crypto.dice import step_key
from pbem.game.order_form import OrderForm
from pbem.orders.sheet import BadSheet, read_sheet
from pbem.protocol import Side
from pbem.repo.layout import STATE, sheet_path
from pbem.repo.records import public_answer, reached_checkpoint

_BY_SHEET: Final = pattern(r"sheet ([0-9]+)")
Digest = Callable[[str], str | None]


@dataclass(slots=True)
class Span:
    """What has been answered since the game last rested: by adjudication, the key of its dice and its answers."""

    steps: list[dict[str, Any]] = field(default_factory=list)

    def with_step(self, key: str, answers: Sequence[Any], rested: bool) -> Span:
        """Return the span after one more adjudication."""
        return Span([{"key": key, "answers": []}] if rested else [*self.steps, {"key": key, "answers": list(answers)}])


def spans(books: Books, records: Mapping[int, Record], game: str) -> Iterator[tuple[int, Span, Span]]:
    """Yield, of each adjudication, the span before it and after it; from the first gap in the records on, no more."""
    after = {0: Span()}
    for n, turn in books.turns.items():
        if n not in records or n - 1 not in after:
            return
        act = turn.get("act", {})
        before = after[n - 1]
        if act.get("kind") == "rollback":
            before = after.get(act.get("to"), Span())
        elif act.get("what") == "patch":
            before = Span()
        key = step_key(turn["link"], game, n, turn["inputs"]).hex()
        after[n] = before.with_step(key, records[n]["answers"], reached_checkpoint(turn))
        yield n, before, after[n]


def check_published(
    history: History, books: Books, records: Mapping[int, Record], game: str, findings: Findings
) -> None:
    """Check that the answers of each turn file are those of the sealed records since the game last rested."""
    for n, before, _ in spans(books, records, game):
        if "answers" not in books.turns[n]:
            continue
        given = [answer for step in before.steps for answer in step["answers"]] + records[n]["answers"]
        expected = [public_answer(answer) for answer in given if not answer.get("secret")]
        said = books.turns[n]["answers"]
        if not same_words(said, expected):
            findings.blame(history.place(n), "its answers are not those of the sealed records since the last rest")


def check_states(
    history: History,
    books: Books,
    records: Mapping[int, Record],
    states: Mapping[int, Any],
    digest: Digest,
    game: str,
    findings: Findings,
) -> None:
    """Check what the game goes on from, in every commit that says so.

    `states` are those that could be opened, by the number of the commit; `digest` tells the salted one of a sheet.
    """
    undone: set[int] = set()
    at = sorted(states)
    came = _Came(history, digest)
    for n, _, span in spans(books, records, game):
        undone |= set(books.turns[n].get("act", {}).get("undone", ()))
        steady = {"adjudication": n, "undone": sorted(undone), "result": books.turns[n].get("result")}
        if steady["result"] is None:  # nobody goes on from the end
            steady["steps"] = span.steps
        until = history.turns.get(n + 1, len(history.commits))
        for commit in at[bisect_left(at, history.turns[n]) : bisect_left(at, until)]:
            came.by(commit)
            expected = {**steady, "sheets": came.counts, "new_sheets": came.since(n)}
            for word, value in expected.items():
                if states[commit].get(word) != value:
                    reason = f"what the game goes on from is not what was answered and handed in: {word}"
                    findings.blame(history.place_of(STATE, commit), reason)
    findings.check("states", f"{number(len(states), 'sealed state')} held against answers and sheets on record")


class _Came:
    """The sheets that had come by a commit; ask for later and later ones."""

    def __init__(self, history: History, digest: Digest) -> None:
        self.counts: dict[Side, int] = {}
        """How many sheets of each side had come."""
        self._new: dict[int, dict[Side, dict[str, str | None]]] = {}
        self._digest = digest
        self._ahead = sorted(
            (history.files[path][0].at, after, side, path)
            for after, by_side in history.sheets.items()
            for side, paths in by_side.items()
            for path in paths
        )[::-1]

    def by(self, commit: int) -> None:
        """Go on to a commit."""
        while self._ahead and self._ahead[-1][0] <= commit:
            _, after, side, path = self._ahead.pop()
            self.counts[side] = self.counts.get(side, 0) + 1
            self._new.setdefault(after, {}).setdefault(side, {})[path] = self._digest(path)

    def since(self, n: int) -> dict[Side, dict[str, str | None]]:
        """Return the sheets that have come since an adjudication: side, path, salted digest."""
        return self._new.get(n, {})


class Sheets:
    """The sheets of a game, opened and read."""

    def __init__(self, forms: Mapping[str, OrderForm], open_sheet: Callable[[str], bytes | None]) -> None:
        """`open_sheet` returns a sheet by its path; None: it cannot be opened."""
        self._forms = forms
        self._open = open_sheet
        self._orders: dict[str, list[tuple[str, Any]] | str | None] = {}

    def wrong_with(self, side: Side, n: int, answer: Record) -> str | None:
        """Return what is wrong with an answer that is said to come out of a sheet; None: nothing."""
        path = sheet_path(side, n)
        if path not in self._orders:
            self._orders[path] = self._read(path)
        orders = self._orders[path]
        if orders is None:
            return None
        if isinstance(orders, str):
            return f"sheet {n} of {side} cannot be read: {orders}"
        if any(answer["kind"] == kind and same_words(answer["order"], body) for kind, body in orders):
            return None
        return f"sheet {n} of {side} has no such order: {answer['kind']} {answer['order']}"

    def _read(self, path: str) -> list[tuple[str, Any]] | str | None:
        raw = self._open(path)
        if raw is None:
            return None
        try:
            sheet = read_sheet(raw, name=path, forms=self._forms)
        except BadSheet as bad:
            return str(bad).splitlines()[0]
        return [(order.kind, order.body) for order in sheet.orders]


def check_answers(
    history: History, books: Books, records: Mapping[int, Record], sheets: Sheets, findings: Findings
) -> None:
    """Check that every order that is said to come out of a sheet stands in it, and that the sheet was used by then."""
    answers = 0
    used: set[str] = set()
    for n, turn in books.turns.items():
        used |= {path for paths in turn.get("sheets", {}).values() for path in paths}
        for answer in records.get(n, {}).get("answers", ()):
            found = _BY_SHEET.fullmatch(answer["by"])
            if found is None:
                continue
            answers += 1
            if sheet_path(answer["side"], int(found[1])) not in used:
                findings.blame(
                    history.place(n), f"{answer['by']} of {answer['side']} answers, which had not come by then"
                )
            elif (wrong := sheets.wrong_with(answer["side"], int(found[1]), answer)) is not None:
                findings.blame(history.place(n), wrong)
    findings.check("answers", f"{number(answers, 'answer')} of sheets stand in them")
