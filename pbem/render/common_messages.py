"""Sentences for the events of every game: sheets, standing orders, the beacon, acts of the game master."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

UNUSED: Final = "order_unused"
"""The kind of the events that tell of an order that was not needed; a report tells several of them as one."""

EVERY_GAME: Final[Mapping[str, Mapping[str, str]]] = {
    "events": {
        "standing_fired": "Your standing orders gave {answered:answer}.",
        "standing_passed": "{by} ({order:kind_of}) stopped: {reasons}.",
        "beacon_round": "The dice come from round {round} of drand.",
        "beacon_missing": "Round {round} of drand is missing, so the dice are made without it. Reason: {reason}",
        "standing_expired": "Your order {order:as_written} ({by}) has expired; it was in force until {until}.",
        "order_expired": "Your order {order:as_written} ({by}) was dropped because it is no longer legal: {reasons}.",
        UNUSED: "Your order {order:as_written} ({by}) was not needed and has expired.",
        "orders_unused": "Of your orders, {orders:counted} were not needed and have expired.",
        "rolled_back": "ROLLBACK by {by}: the game is back at the end of adjudication {to}. What happened in "
        "{what} is undone. Reason: {reason}",
        "request_void": "Request {request}, to go back to adjudication {to}, is void: the game has gone on.",
        "ruled_answer": "RULING: the game master answers for {side} ({asked}). Reason: {reason}",
        "ruled_default": "RULING: if the deadline of {side} passes, an answer that the game master has set "
        "counts ({order}). Reason: {reason}",
        "ruled_ready": "  [[Your answer is{!late}: {orders}.]][[Your answer would be{?late}: {orders}.]]",
        "ruled_patch": "RULING: the game master changes the position of adjudication {to}[[: {changes}]]"
        "[[, hidden parts too{?hidden}]]. The game goes on from there.[[ What happened in {what} is undone.]] "
        "Reason: {reason}",
        "ruled_apart": "  Only you are told: {changes}.",
        "migrated": "OTHER RULES: from now on the game is played with newer rules.[[ By these, its state would differ: "
        "{accepted}.]] Reason: {reason}",
        "new_player": "{side} has a new player.",
        "draw_agreed": "[[RULING: the game master ends the game in a draw. Reason: {ruled}]][[{agreed} agree to a "
        "draw.]][[All sides agree to a draw.{!ruled}{!agreed}]][[ {winners} win together.]]",
        "resigned": "[[RULING: the game master records that {?ruled}]]{side} resigns.[[ {left} play on.]]"
        "[[ Reason: {ruled}]]",
        "ruled_end": "RULING: the game master ends the game. Reason: {reason}",
    },
    "results": {
        "broken_off": "The game master ended it; no side wins.",
        "draw_agreed": "It is a draw[[: {winners} win together]].",
        "resigned": "{side} has resigned[[; {winner} wins]][[; {winners} win together]].",
    },
}
