"""What needs the consent of all sides: a rollback that was asked for, in `requests/000/0001.yaml` of a game's repo.

The file is public and says what would be undone, who has consented, and what became of it. One request is open at a
time. It speaks of the game as it stood: it is void as soon as another adjudication is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.protocol import Event, Side
from pbem.repo.git import GameRepo
from pbem.repo.layout import request_path
from pbem.repo.state import State

OPEN: Final = "open"
VOID: Final = "void: the game went on"


@dataclass(slots=True)
class Request:
    """A rollback that was asked for, and what became of it."""

    request: int
    kind: str
    to: int
    at: int
    """The last adjudication when it was asked for."""
    reason: str
    undone: list[int]
    dice: list[str]
    """Every roll that would be undone, as `adjudication.roll name: faces`."""
    shuffles: list[str]
    """Every hidden draw that would be undone, as `adjudication.draw name: of how many`."""
    consents: list[Side] = field(default_factory=list)
    outcome: str = OPEN


@dataclass(slots=True)
class Settled:
    """What an adjudication does to an open request: its file, and what is told of it."""

    files: dict[str, bytes] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


def request_files(request: Request) -> dict[str, bytes]:
    """Return the file of a request."""
    return {request_path(request.request): yamlio.dump(plain.encode(request)).encode()}


def made(state: State) -> int:
    """Return how many requests there have been."""
    return int(state.requests.get("made", 0))


def open_request(repo: GameRepo, state: State) -> Request | None:
    """Return the request that is open; None: there is none."""
    number = state.requests.get(OPEN, 0)
    return request_of(repo, state.requests, number) if number else None


def request_of(repo: GameRepo, requests: Mapping[str, Any], number: int | None = None) -> Request | None:
    """Return a request by its number, or the last one; None: there is none."""
    path = request_path(requests.get("made", 0) if number is None else number)
    content = repo.read(path)
    return None if content is None else plain.decode(Request, yamlio.read(content, name=path).value)


def settle(repo: GameRepo, state: State, n: int, act: Mapping[str, Any] | None) -> Settled:
    """Close the open request, if there is one, because adjudication n is made: by it, or without it."""
    request = open_request(repo, state)
    if request is None:
        return Settled()
    state.requests = {"made": made(state)}
    done = act is not None and act.get("request") == request.request
    request.outcome = f"done in adjudication {n}" if done else VOID
    void = [] if done else [Event("request_void", {"request": request.request, "to": request.to})]
    return Settled(request_files(request), void)
