"""Requests that need consent, such as rollbacks, draws and pauses: `requests/000/0001.yaml` in a game's repo.

The file is public. It says what is asked for, who has consented, and the outcome. One request is open at a time. The
next adjudication voids it, unless its kind stays. What each kind is about, and what is done once enough sides have
consented, stands in `pbem.referee.acts.request_kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.protocol import Record, Side
from pbem.repo.files.layout import Store, request_path
from pbem.repo.files.state import State

ROLLBACK: Final = "rollback"
DRAW: Final = "draw"
RESIGNATION: Final = "resignation"
PAUSE: Final = "pause"
EXTENSION: Final = "extension"
REPLACEMENT: Final = "replacement"
STAYING: Final = frozenset({PAUSE, EXTENSION, REPLACEMENT})
"""The kinds that stay open while the game goes on, because they do not depend on the position."""
OPEN: Final = "open"
VOID: Final = "void: the game went on"


@dataclass(slots=True, kw_only=True)
class Request:
    """A request, and what became of it. Fields that another kind of request has keep their defaults, and no file."""

    request: int
    kind: str
    side: Side = ""
    """The side that asks, or the game master; in a resignation the side that resigns. Empty in a rollback."""
    to: int = 0
    """The adjudication that a rollback goes back to."""
    at: int
    """The last adjudication when it was asked for."""
    reason: str
    undone: list[int] | None = None
    """The adjudications that a rollback would undo; None: it is none."""
    needed: list[Side]
    """The sides whose consent it needs: those that are asked by letter."""
    dice: list[str] | None = None
    """Every roll that a rollback would undo, as `adjudication.roll name: faces`; None: it is none."""
    shuffles: list[str] | None = None
    """Every hidden draw that a rollback would undo, as `adjudication.draw name: of how many`; None: it is none."""
    consents: list[Side] = field(default_factory=list)
    outcome: str = OPEN
    quorum: int | None = None
    """How many of these sides must consent; None: all."""
    refusals: list[Side] = field(default_factory=list)
    winners: list[Side] = field(default_factory=list)
    """The sides that a draw names as its winners; none: no side wins."""
    until: str = ""
    """Until when the game is to be paused, as `pbem.referee.game.calendar` writes it."""
    extended: dict[str, str] = field(default_factory=dict)
    """Side -> until when it is to have time."""
    replaced: Side = ""
    """The side that is to have another player."""

    @property
    def is_open(self) -> bool:
        """Whether it waits for consents."""
        return self.outcome == OPEN


@dataclass(slots=True)
class Settled:
    """What an adjudication does to an open request: its file, and what the state says of requests then."""

    requests: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)


def still_needed(request: Request) -> list[Side]:
    """Return the sides whose consent a request waits for; none once enough have consented."""
    missing = [side for side in request.needed if side not in request.consents]
    agreed = len(request.needed) - len(missing)
    return [] if request.quorum is not None and agreed >= request.quorum else missing


def can_be_agreed(request: Request) -> bool:
    """Tell whether enough sides are left that have not refused a request."""
    refused = sum(side in request.needed for side in request.refusals)
    return len(request.needed) - refused >= (request.quorum or len(request.needed))


def request_files(request: Request) -> dict[str, bytes]:
    """Return the file of a request."""
    return {request_path(request.request): yamlio.dump(plain.encode(request)).encode()}


def made(state: State) -> int:
    """Return how many requests there have been."""
    return int(state.requests.get("made", 0))


def open_request(files: Store, state: State) -> Request | None:
    """Return the open request; None: there is none."""
    number = state.requests.get(OPEN, 0)
    return request_of(files, state.requests, number) if number else None


def request_of(files: Store, requests: Record, number: int | None = None) -> Request | None:
    """Return a request by its number, or the last one; None: there is none."""
    path = request_path(requests.get("made", 0) if number is None else number)
    content = files.read(path)
    if content is None:
        return None
    return plain.decode(Request, {"needed": [], **yamlio.read(content, name=path).value})


def settle(files: Store, state: State, n: int, act: Record | None) -> Settled:
    """Return how adjudication n closes the open request, if there is one: it was granted by it, or is void."""
    request = open_request(files, state)
    if request is None or request.kind in STAYING:
        return Settled(state.requests)
    done = act is not None and act.get("request") == request.request
    request.outcome = f"done in adjudication {n}" if done else VOID
    return Settled({"made": made(state)}, request_files(request))
