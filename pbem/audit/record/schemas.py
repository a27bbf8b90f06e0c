"""The shapes of what stands in clear in a game's repo: files may say anything once somebody has changed them.

A shape is a type; a pattern for text; a list of one shape; a mapping from `str` to one shape; or a mapping of words,
where those that end in `?` may be left out, no others may stand, and all stand in that order: who could write the same
in two ways could choose between the digests of both. So what is empty and may be left out is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from re import Pattern
from re import compile as pattern
from typing import Any, Final

from pbem.audit.record.findings import Findings, Place
from pbem.game import yaml as yamlio
from pbem.protocol import Record

HEX: Final = pattern("[0-9a-f]{64}")
NEED: Final = pattern("(<=|>=) (0|-?[1-9][0-9]*)")
WORD: Final = pattern(".+")
DAY: Final = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MAY_BE_EMPTY: Final = ("answers?", "dice?", "shuffles?")
"""A turn that rests says so by its answers, even if none of them is public; a rollback may undo no dice."""

_CHAIN: Final = {"tip": HEX, "length": int}
JOINED_SHAPE: Final = {"phrase?": str, "chain?": _CHAIN, "key?": str, "player?": int, "addresses?": int}
_ROLL: Final = {
    "number": int, "name": WORD, "faces": [int], "sides?": int, "modifiers?": {str: int}, "total": int,
    "need?": NEED, "success?": bool, "rule": str,
}  # fmt: skip
_ROUND: Final = {"round": int, "signature?": str, "missing?": str}
BY: Final = pattern(r"sheet [1-9][0-9]*|standing|only|default|bot|the game master")
"""The sources of an answer, as a turn file names them."""
TURN_SHAPE: Final = {
    "adjudication": int, "previous": HEX, "day": DAY, "late?": [str], "absent?": [str], "link": HEX,
    "joined?": {str: JOINED_SHAPE}, "sheets?": {str: {str: HEX}}, "standing?": {str: HEX},
    "player_chains?": {str: {str: HEX}}, "beacon?": _ROUND, "act?": dict, "inputs": HEX, "renewal?": HEX,
    "texts?": {str: {str: HEX}},
    "answers?": [{"side": str, "kind": str, "about?": WORD, "order": dict, "by": BY}], "rolls?": [_ROLL],
    "draws?": [{"number": int, "name": WORD, "of": int}], "events": [dict],
    "open_decisions": [{"side": str, "kind": str}], "result?": dict, "position": HEX,
    "sealed": {"record": HEX, "position": HEX},
}  # fmt: skip
_ACTS: Final = {
    "rollback": {
        "kind": str, "reason": WORD, "to": int, "undone": [int], "by": str, "request?": int, "consents?": [str],
    },
    "draw": {
        "kind": str, "reason": WORD, "by": str, "winners?": [str], "request?": int, "consents?": [str],
    },
    "resignation": {"kind": str, "reason": WORD, "side": str, "by": str, "request?": int, "consents?": [str]},
    "answer": {"kind": str, "reason": WORD, "what": str, "side": str, "asked": [str], "sealed": HEX},
    "default": {"kind": str, "reason": WORD, "what": str, "side": str, "order": str, "sealed": HEX},
    "patch": {
        "kind": str, "reason": WORD, "what": str, "undone": list, "to": int, "patch?": {str: str}, "hidden?": HEX,
    },
    "end": {"kind": str, "reason": WORD, "what": str},
    "migration": {
        "kind": str, "reason": WORD, "box": HEX, "code": HEX, "changed?": [int], "accepted?": [str],
    },
}  # fmt: skip
NOTE_SHAPE: Final = {
    "side": str,
    "sheet?": int,
    "joined?": bool,
    "consents?": int,
    "refuses?": int,
    "fact?": int,
    "after?": int,
}
DEPUTY_SHAPE: Final = {"named": int, "until?": DAY}
"""That a side has a deputy: how often one was named or dismissed, and until when the last one may write."""
REVEALED_SHAPE: Final = {"hidden": HEX, "identity": str}
PINS_SHAPE: Final = {"box": HEX, "code": HEX}
CHARTER_SHAPE: Final = {
    "format": int, "made_by": WORD, "game": WORD, "rules": WORD, "edition": str, "scenario": str,
    "players": {str: str}, "by_mail": [str], "options": dict,
    "dice": {"scheme": str, "length": int, "tip": HEX, "hidden": HEX, "beacon?": str},
    "sealed_to": str, "signed_by": str, "printed?": WORD, "quorum?": int, "one_side_each?": bool,
    "press?": pattern("free|public|silent"), "press_unsigned?": bool, "press_opened?": bool, "clock?": dict,
}  # fmt: skip
REQUEST_SHAPE: Final = {
    "request": int, "kind": str, "to?": int, "side?": str, "at": int, "reason": str, "undone?": [int], "needed": [str],
    "dice?": [str], "shuffles?": [str], "consents?": [str], "outcome?": str,
    "quorum?": int, "refusals?": [str], "winners?": [str],
    "until?": WORD, "extended?": {str: WORD}, "replaced?": WORD,
}  # fmt: skip
ACT_SHAPE: Final = {"act": dict}
"""The part of an act of the game master that is sealed."""
TALK_SHAPE: Final = {
    "last": int,
    "talk": [
        {
            "number": int,
            "day": DAY,
            "after": int,
            "side": WORD,
            "to": [str],
            "letter": WORD,
            "text?": str,
            "unsigned?": bool,
            "shows?": WORD,
            "event?": {"facts": dict, "kind": WORD, "rule?": str},
        }
    ],
}
"""A file of talk: what was said since the version before."""


def misfit_act(act: Record) -> str | None:
    """Return what is wrong with the words of an act of the game master; None: nothing."""
    kind = str(act.get("what", act.get("kind")) if act.get("kind") == "ruling" else act.get("kind"))
    return misfit(act, _ACTS[kind], "act") if kind in _ACTS else f"the game master cannot do {kind!r}"


def misfit(value: object, shape: object, at: str = "") -> str | None:
    """Return what does not fit a shape, and where; None: all fits."""
    if isinstance(shape, Pattern):
        fits = type(value) is str and shape.fullmatch(value)
        return None if fits else f"{at or 'it'} is {_cut_short(value)}, which cannot stand there"
    if isinstance(shape, list):
        if type(value) is not list:
            return f"{at} is no list"
        found = (misfit(item, shape[0], f"{at}, item {n}") for n, item in enumerate(value, 1))
        return next(filter(None, found), None)
    if isinstance(shape, dict):
        if type(value) is not dict:
            return f"{at or 'it'} is no mapping"
        if str in shape:
            for key, item in value.items():
                if wrong := _left_out(item, f"{at}, {key}") if item == {} else misfit(item, shape[str], f"{at}, {key}"):
                    return wrong
            return None
        return _misfit_words(value, shape, at)
    return None if type(value) is shape else f"{at} is {_cut_short(value)}, which cannot stand there"


def same_words(one: object, other: object) -> bool:
    """Tell whether two plain values are the same, down to the order in which their words stand."""
    return bool(one == other) and json.dumps(one) == json.dumps(other)


def _misfit_words(value: dict[str, object], shape: dict[str, object], at: str) -> str | None:
    order = []
    for word, inner in shape.items():
        key = word.removesuffix("?")
        if key not in value:
            if key == word:
                return f"{key} is missing" + (f" in {at}" if at else "")
            continue
        order.append(key)
        if key != word and word not in _MAY_BE_EMPTY and value[key] in ({}, []):
            return _left_out(value[key], f"{at}, {key}" if at else key)
        if wrong := misfit(value[key], inner, f"{at}, {key}" if at else key):
            return wrong
    if len(order) < len(value):
        strange = next(key for key in value if key not in order)
        return f"{strange!r} has no place" + (f" in {at}" if at else " in it")
    if list(value) != order:
        return f"its words are not in their order: {', '.join(order)}" + (f" in {at}" if at else "")
    return None


def _left_out(nothing: object, at: str) -> str:
    return f"{at} is {nothing}, which is left out and not written"


def _cut_short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def said_in(content: bytes, shape: object, place: Place, findings: Findings) -> dict[str, Any] | None:
    """Return what a file in clear says; blame it, and return None, if that is not of its shape."""
    try:
        said: dict[str, Any] = yamlio.read(content, name=place.file or str(place)).value
    except yamlio.Unreadable as wrong:
        findings.blame(place, f"it cannot be read: {wrong}")
        return None
    wrong_shape = misfit(said, shape)
    findings.blame(place, *([wrong_shape] if wrong_shape else not_canonical(said, content)))
    return None if wrong_shape else said


def not_canonical(value: object, content: bytes) -> Iterator[str]:
    """Yield a complaint if a file of YAML is not written as we write it: then somebody else did."""
    if yamlio.dump(value).encode() != content:  # type: ignore[arg-type]
        yield "it says what it may say, but is not written as pbem writes it: somebody has changed it"
