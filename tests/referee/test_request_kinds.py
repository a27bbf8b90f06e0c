"""The kinds of requests: each has all of its words, and every field of a request belongs to a kind."""

from __future__ import annotations

from dataclasses import fields

import pytest

from pbem.game import plain
from pbem.referee.acts.request_kinds import KINDS, RequestKind, proposal_of
from pbem.repo.files import requests
from pbem.repo.files.requests import STAYING, Request

_ONE: dict[str, dict[str, object]] = {
    "rollback": {"to": 3, "undone": [4, 5], "dice": [], "shuffles": []},
    "draw": {"side": "rome", "winners": ["rome"]},
    "resignation": {"side": "rome", "consents": ["rome"]},
    "pause": {"side": "rome", "until": "2026-12-01T20:00:00Z"},
    "extension": {"side": "the game master", "extended": {"rome": "2026-12-01T20:00:00Z"}},
    "replacement": {"side": "rome", "replaced": "carthage"},
}
"""What a request of each kind says in its file, besides what all say."""
_ALL: dict[str, object] = {"request": 1, "at": 5, "reason": "a slip", "needed": ["carthage"]}


class _Plain:
    def side(self, side: str) -> str:
        return side.title()

    def time(self, written: str) -> str:
        return written


def test_every_name_of_a_kind_has_its_record() -> None:
    names = {value for name, value in vars(requests).items() if name.isupper() and isinstance(value, str)}
    assert set(KINDS) == names - {requests.OPEN, requests.VOID}
    assert set(KINDS) >= STAYING


def test_every_field_of_a_request_belongs_to_a_kind_or_to_all() -> None:
    own = {field for kind in KINDS.values() for field in kind.fields}
    of_all = set.intersection(*({*kind.record(_request(kind))} for kind in KINDS.values()))
    assert own | of_all == {field.name for field in fields(Request)}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_keeps_its_file_and_says_what_it_asks_for(kind: RequestKind) -> None:
    request = _request(kind)
    assert plain.encode(request) == {"kind": kind.name, **_ALL, **_ONE[kind.name]}
    assert set(_ONE[kind.name]) <= {*kind.fields, "consents"}
    assert kind.asked_for(request, _Plain()).split()[0] in ("to", "for", "by")
    assert kind.log(request)
    assert kind.subject or kind.letter != "request"


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_was_proposed_is_read_back_from_the_request(kind: RequestKind) -> None:
    by, proposal = proposal_of(_request(kind))
    assert by == (None if kind.name in ("rollback", "extension") else "rome")
    assert proposal.kind == kind.name
    assert proposal.replaced == ("carthage" if kind.name == "replacement" else "")
    assert proposal.to == (3 if kind.name == "rollback" else 0)


def _request(kind: RequestKind) -> Request:
    return plain.decode(Request, {"kind": kind.name, **_ALL, **_ONE[kind.name]})
