"""Requests that need consent: rollbacks, draws, resignations and motions; `requests/000/0001.yaml` in a game's repo.

The file is public. It says what is asked for, who has consented, and the outcome. One request is open at a time. The
next adjudication voids it. Motions stay open, because they do not depend on the position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.plain import Record
from pbem.protocol import Side
from pbem.repo.files.layout import request_path
from pbem.repo.files.state import State

ROLLBACK: Final = "rollback"
DRAW: Final = "draw"
RESIGNATION: Final = "resignation"
PAUSE: Final = "pause"
EXTENSION: Final = "extension"
REPLACEMENT: Final = "replacement"
MOTIONS: Final = (PAUSE, EXTENSION, REPLACEMENT)
OPEN: Final = "open"
VOID: Final = "void: the game went on"


class Files(Protocol):
    """The files of a game's repo, such as a ledger or the repo itself."""

    def read(self, path: str) -> bytes | None:
        """Return a file; None if it is not there."""


@dataclass(slots=True)
class Request:
    """A request for a rollback, and what became of it."""

    request: int
    kind: str
    to: int
    at: int
    """The last adjudication when it was asked for."""
    reason: str
    undone: list[int]
    needed: list[Side]
    """The sides whose consent it needs: those that are asked by letter."""
    dice: list[str]
    """Every roll that would be undone, as `adjudication.roll name: faces`."""
    shuffles: list[str]
    """Every hidden draw that would be undone, as `adjudication.draw name: of how many`."""
    consents: list[Side] = field(default_factory=list)
    outcome: str = OPEN
    quorum: int | None = None
    """How many of these sides must consent; None: all."""
    refusals: list[Side] = field(default_factory=list)


@dataclass(slots=True)
class Proposed:
    """The common part of all requests other than rollbacks."""

    request: int
    kind: str
    side: Side
    """The side that asks, or the game master."""
    at: int
    """The last adjudication when it was asked for."""
    reason: str
    needed: list[Side]
    """The sides whose consent it needs."""
    consents: list[Side] = field(default_factory=list)
    outcome: str = OPEN
    quorum: int | None = None
    """How many of these sides must consent; None: all."""
    refusals: list[Side] = field(default_factory=list)


@dataclass(slots=True)
class Ending(Proposed):
    """A request to end the game by agreement, in a draw or because `side` resigns."""

    winners: list[Side] = field(default_factory=list)
    """The sides that a draw names as its winners; none: no side wins."""


@dataclass(slots=True)
class Motion(Proposed):
    """A request to pause the game, to give sides more time, or to give a side another player."""

    until: str = ""
    """Until when the game is to be paused, as `pbem.referee.game.calendar` writes it."""
    extended: dict[str, str] = field(default_factory=dict)
    """Side -> until when it is to have time."""
    replaced: Side = ""
    """The side that is to have another player."""


AnyRequest: TypeAlias = Request | Ending | Motion


@dataclass(slots=True)
class Settled:
    """What an adjudication does to an open request: its file, and what the state says of requests then."""

    requests: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)


def still_needed(request: AnyRequest) -> list[Side]:
    """Return the sides whose consent a request waits for; none once enough have consented."""
    missing = [side for side in request.needed if side not in request.consents]
    agreed = len(request.needed) - len(missing)
    return [] if request.quorum is not None and agreed >= request.quorum else missing


def can_be_agreed(request: AnyRequest) -> bool:
    """Tell whether enough sides are left that have not refused a request."""
    refused = sum(side in request.needed for side in request.refusals)
    return len(request.needed) - refused >= (request.quorum or len(request.needed))


def request_files(request: AnyRequest) -> dict[str, bytes]:
    """Return the file of a request."""
    return {request_path(request.request): yamlio.dump(plain.encode(request)).encode()}


def made(state: State) -> int:
    """Return how many requests there have been."""
    return int(state.requests.get("made", 0))


def open_request(files: Files, state: State) -> AnyRequest | None:
    """Return the open request; None: there is none."""
    number = state.requests.get(OPEN, 0)
    return request_of(files, state.requests, number) if number else None


def request_of(files: Files, requests: Record, number: int | None = None) -> AnyRequest | None:
    """Return a request by its number, or the last one; None: there is none."""
    path = request_path(requests.get("made", 0) if number is None else number)
    content = files.read(path)
    if content is None:
        return None
    said = {"needed": [], **yamlio.read(content, name=path).value}
    if said["kind"] in MOTIONS:
        return plain.decode(Motion, said)
    return plain.decode(Request, said) if said["kind"] == ROLLBACK else plain.decode(Ending, said)


def settle(files: Files, state: State, n: int, act: Record | None) -> Settled:
    """Return how adjudication n closes the open request, if there is one: it was granted by it, or is void."""
    request = open_request(files, state)
    if request is None or isinstance(request, Motion):
        return Settled(state.requests)
    done = act is not None and act.get("request") == request.request
    request.outcome = f"done in adjudication {n}" if done else VOID
    return Settled({"made": made(state)}, request_files(request))
