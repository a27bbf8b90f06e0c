"""What the engine itself tells, whatever is played: of sheets, of the beacon, of what the game master does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EVERY_GAME: Final[Mapping[str, Mapping[str, str]]] = {
    "events": {
        "standing_fired": "Your standing orders gave {answered}.",
        "standing_passed": "Your order {order} ({by}) stopped: {reasons}.",
        "beacon_round": "Round {round} of drand decides.",
        "beacon_missing": "Round {round} of drand is missing; the dice are made without it. Reason: {reason}",
        "standing_over": "Your order {order} ({by}) has lapsed; it held until {until}.",
        "order_lapsed": "Your order {order} ({by}) no longer fits and was left out: {reasons}.",
        "order_unused": "Your order {order} ({by}) was not needed and has lapsed.",
        "rolled_back": "TAKEN BACK by {by}: the game stands again as after adjudication {to}. What happened in "
        "{what} is undone. Reason: {reason}",
        "request_void": "Request {request}, to go back to adjudication {to}, is void: the game has gone on.",
        "ruled_answer": "RULING by the game master: he answers for {side} ({asked}). Reason: {reason}",
        "ruled_default": "RULING by the game master: if the deadline of {side} passes, an answer that he has set "
        "counts ({order}). Reason: {reason}",
        "ruled_ready": "  [[For you counts{!late}: {orders}.]][[For you would count{?late}: {orders}.]]",
        "ruled_patch": "RULING by the game master: the position of adjudication {rest} is changed[[: {changes}]]"
        "[[, also where it is hidden{?hidden}]]. The game goes on from there.[[ What happened in {what} is undone.]] "
        "Reason: {reason}",
        "ruled_apart": "  For you to know: {changes}.",
        "migrated": "OTHER RULES: from here on the game is played with newer ones.[[ By them it would stand otherwise: "
        "{accepted}.]] Reason: {reason}",
        "ruled_end": "RULING by the game master: the game is broken off. Reason: {reason}",
    },
    "results": {
        "broken_off": "The game master broke it off; nobody wins.",
    },
}
