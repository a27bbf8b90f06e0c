"""Checks the public events that do not come out of the rules, so that no replay makes them again: each has its ground.

Were there none, an adjudicator could add one where it does no harm, and choose by it the dice of the next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, takewhile
from typing import Any, Final

from pbem.audit.history import History
from pbem.audit.schemas import Record
from pbem.game import yaml as yamlio
from pbem.referee import ALL_SIDES
from pbem.repo.layout import request_path

_FOR_ONE: Final = (
    "order_lapsed",
    "order_unused",
    "ruled_apart",
    "ruled_ready",
    "standing_fired",
    "standing_over",
    "standing_passed",
)
_OF_ACTS: Final = {
    "rolled_back": "rollback",
    "migrated": "migration",
    "ruled_answer": "ruling",
    "ruled_patch": "ruling",
    "ruled_default": "ruling",
    "ruled_end": "ruling",
}
_AT_FIRST: Final = ("beacon_round", "beacon_missing", "request_void")


def check_told(n: int, turn: Record, before: Record, history: History, read: Callable[[bytes], bytes]) -> Iterator[str]:
    """Yield which events of a turn have no ground; `before` is the turn before, `read` returns a content."""
    act = turn.get("act", {}).get("kind")
    for kind in (event.get("kind") for event in turn["events"]):
        if kind in _FOR_ONE:
            yield f"it tells all of {kind}, which is for one side alone"
        elif _OF_ACTS.get(kind, act) != act:
            yield f"it tells of {kind}, and the game master did no such thing"
    requests = list(_requests(n, history, read))
    void = [each for each in requests if not str(each.get("outcome")).startswith("done")]
    told_of = [{"kind": "request_void", "request": each.get("request"), "to": each.get("to")} for each in void]
    yield from _consents(n, turn.get("act", {}), requests)
    expected = [*_beacon(turn, before), *told_of]
    told = [event for event in turn["events"] if event.get("kind") in _AT_FIRST]
    if told != expected or turn["events"][: len(told)] != told:
        yield f"of the beacon and of a request it tells {told or 'nothing'}, not {expected or 'nothing'}"


def _beacon(turn: Record, before: Record) -> Iterator[dict[str, Any]]:
    """Yield what is told of the round that decides a turn, in the first one that it decides."""
    share = turn.get("beacon", {})
    if not share or share.get("round") == before.get("beacon", {}).get("round"):
        return
    if "missing" in share:
        yield {"kind": "beacon_missing", "round": share["round"], "reason": share["missing"]}
    else:
        yield {"kind": "beacon_round", "round": share["round"]}


def _consents(n: int, act: Record, requests: Sequence[Record]) -> Iterator[str]:
    """Yield a complaint if all sides are said to have consented, and no request that was done then says so."""
    if act.get("by") == ALL_SIDES:
        words = ("request", "to", "undone", "consents")
        done = [each for each in requests if each.get("outcome") == f"done in adjudication {n}"]
        if not any(all(each.get(word) == act.get(word) for word in words) for each in done):
            yield "it says that all sides consented, and no request says so"


def _requests(n: int, history: History, read: Callable[[bytes], bytes]) -> Iterator[Record]:
    """Yield the requests that the commit of an adjudication closes."""
    for path in takewhile(history.files.__contains__, map(request_path, count(1))):
        for version in history.files[path]:
            if version.at == history.turns[n] and version.oid is not None:
                try:
                    said = yamlio.read(read(version.oid), name=path).value
                except yamlio.Unreadable:
                    continue  # blamed where the history is told
                if isinstance(said, dict):
                    yield said
