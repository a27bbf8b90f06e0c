"""The secrets by which what is sealed can be checked: out of the key store, or as the game has revealed them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.audit.findings import Findings
from pbem.audit.history import History
from pbem.audit.schemas import REVEALED as REVEALED_SHAPE
from pbem.audit.schemas import said_in
from pbem.crypto.keys import Keys
from pbem.crypto.seal import commitment, recipient_of
from pbem.repo.charter import Charter, check_keys
from pbem.repo.layout import REVEALED


class Opened(NamedTuple):
    """What opens the sealed files and makes the shuffles; `keys` are all the secrets, if they are at hand."""

    hidden: bytes
    identity: str
    keys: Keys | None = None


def secrets_of(
    history: History,
    charter: Charter,
    read: Callable[[bytes], bytes],
    keys: Callable[[str], Keys] | None,
    findings: Findings,
) -> Opened | None:
    """Return the secrets of a game, checked against what was promised; None: they are not at hand, or are others.

    `keys` returns those of the key store. Raises BadKeys if they are not those of this game.
    """
    revealed = _revealed(history, charter, read, findings)
    if keys is None:
        return revealed
    found = keys(charter.game)
    check_keys(charter, found)
    return Opened(found.hidden, found.identity, found)


def _revealed(history: History, charter: Charter, read: Callable[[bytes], bytes], findings: Findings) -> Opened | None:
    """Return the secrets that were revealed; blame them if they are not those that were promised."""
    oid = history.latest(REVEALED)
    if oid is None:
        return None
    place = history.place_of(REVEALED)
    said = said_in(read(oid), REVEALED_SHAPE, place, findings)
    if said is None:
        return None
    hidden, identity = bytes.fromhex(said["hidden"]), said["identity"]
    reasons = []
    if commitment(hidden) != charter.dice.hidden:
        reasons.append("the hidden secret is not the one whose digest the charter has")
    try:
        recipient = recipient_of(identity)
    except ValueError as wrong:
        reasons.append(f"identity: {wrong}")
    else:
        if recipient != charter.sealed_to:
            reasons.append(f"its key does not open what is sealed to {charter.sealed_to}")
    findings.blame(place, *reasons)
    return None if reasons else Opened(hidden, identity)
