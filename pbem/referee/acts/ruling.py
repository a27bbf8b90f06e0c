"""Rulings of the game master: answer for a side, set a default, change the position, or break the game off.

Each is an adjudication of its own with its reason. Its turn file holds what is public, the sealed record beside it the
rest. A digest of the sealed part goes into the dice together with all other inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import Outcome, begin_at
from pbem.engine.answers import Expired, Sources
from pbem.engine.cases.compare import change, look_up
from pbem.engine.session import Queued, Session, Stuck
from pbem.game import plain
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.game.wording import on_one_line
from pbem.orders.check import Receipt
from pbem.orders.sheet import ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL, Sheet
from pbem.protocol import ILLEGAL, Event, Fault, Order, Record, Result, Side
from pbem.referee import GAME_MASTER
from pbem.referee.acts.preconditions import adjudications, reason_of, require_running, valid_adjudications
from pbem.referee.game.open_game import CannotPlay, Now
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Act, Adjudicator, Enacted
from pbem.repo.files.adjudication import Seed
from pbem.repo.files.records import as_plain, order_record
from pbem.repo.files.state import State

S = TypeVar("S")
Patch = Record
"""New values by dotted path; None: remove."""
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, Stuck)
RULING: Final = "ruling"
BROKEN_OFF: Final = "broken_off"


class BadPatch(CannotPlay):
    """A patch cannot be applied, or its result is no position of the game. The text lists every complaint."""

    def __init__(self, complaints: Iterable[str]) -> None:
        self.complaints = list(complaints)
        super().__init__("no such position can be:" + "".join(f"\n  {each}" for each in self.complaints))


def patched(rules: Rules[S], checkpoint: Record, patch: Patch) -> S:
    """Apply a patch to an encoded position and return the new position. Raises BadPatch with all complaints."""
    after = as_plain(checkpoint)
    wrong = [
        reason for dotted, value in patch.items() if (reason := change(after, dotted, as_plain(value))) is not None
    ]
    if wrong:
        raise BadPatch(wrong)
    try:
        position = rules.decode(after)
        wrong = list(plain.misfits(position)) or list(rules.audit(position))
    except _BROKEN as odd:
        raise BadPatch([f"it cannot be read: {type(odd).__name__}: {odd}"]) from None
    if wrong:
        raise BadPatch(wrong)
    return position


def check_playable(rules: Rules[S], position: S) -> None:
    """Raise BadPatch if the game cannot be played on from a position, or a side cannot be shown it."""
    try:
        for side in (*rules.sides, None):
            rules.scene(rules.view(position, side))
        dice = SeededDice("a patch, tried")
        begin_at(rules, plain.copy(position), dice, Table(dice))
    except _BROKEN as odd:
        raise BadPatch([f"the game cannot go on from there: {type(odd).__name__}: {odd}"]) from None


def changing(rules: Rules[S], patch: Patch, before: S, after: S) -> Patch:
    """Return the entries of a patch that change anything. The others could tell that a guess was right."""
    was, now = as_plain(rules.encode(before)), as_plain(rules.encode(after))
    # Of two equal items of a list the next takes the place of the one taken out.
    return {
        dotted: value
        for dotted, value in patch.items()
        if value is None or look_up(was, dotted) != look_up(now, dotted)
    }


def open_to(rules: Rules[S], side: Side | None, patch: Patch, before: S, after: S) -> list[str]:
    """Return the paths of a patch where a side (None: an observer) sees the true value, before and after."""
    seen = [(as_plain(rules.encode(rules.view(each, side))), as_plain(rules.encode(each))) for each in (before, after)]
    return [dotted for dotted in patch if all(look_up(view, dotted) == look_up(true, dotted) for view, true in seen)]


def described(patch: Patch, paths: Iterable[str], before: Record) -> list[str]:
    """Return changes as lines of text: the path, the new value, and the old one."""
    lines = []
    for dotted in paths:
        was = look_up(before, dotted)
        instead = "" if was is None else f" instead of {on_one_line(was)}"
        now = "nothing" if patch[dotted] is None else on_one_line(patch[dotted])
        lines.append(f"{dotted}: {now}{instead}")
    return lines


def patch_text(patch: Patch, paths: Iterable[str]) -> dict[str, str]:
    """Return entries of a patch as a turn file has them: the values as JSON, so that they can go into the dice."""
    return {dotted: json.dumps(as_plain(patch[dotted]), ensure_ascii=False) for dotted in paths}


def whole_patch(act: Record, whole: Record | None) -> Patch:
    """Return the whole patch of an act that made one; `whole` is its sealed part, with the hidden entries."""
    if whole:
        patch: Patch = whole["patch"]
        return patch
    return {dotted: json.loads(text) for dotted, text in act.get("patch", {}).items()}


def answer_for_side(
    game: Adjudicator, side: Side, raw: bytes, reason: str, *, name: str = "orders.yaml"
) -> tuple[Receipt, int | None]:
    """Answer for a side; return what is wrong with the sheet, and the adjudication if nothing is.

    The orders wait like those of a sheet of the side, in place of any that were waiting, and the next adjudication
    uses them. Raises CannotPlay if nothing is asked of the side.
    """
    with game.lock():
        receipt, sheet = _check_ruled(game, side, raw, name)
        if sheet is None:
            return receipt, None
        said, orders = reason_of(reason), sheet.orders
        kinds = list(dict.fromkeys(each.kind for each in orders))
        act = {"kind": RULING, "reason": said, "what": "answer", "side": side, "asked": kinds}
        whole = {"side": side, "orders": [order_record(each) for each in orders]}

        def play(now: Now, state: State, seed: Seed) -> Enacted:
            sources = Sources({of: list(queue) for of, queue in state.pending.items()})
            sources.expired = [Expired(side, queued, []) for queued in sources.sheets.get(side, ())]
            sources.sheets[side] = [Queued(order, GAME_MASTER) for order in orders]
            events = [
                Event("ruled_answer", {"side": side, "asked": kinds, "reason": said}),
                Event("ruled_ready", {"orders": [_order_text(each) for each in orders]}, None, (side,)),
            ]
            return Outcome([], events, [], [], _session(now), None), sources

        return receipt, _enact(game, act, play, whole)


def set_default(
    game: Adjudicator, side: Side, raw: bytes, reason: str, *, name: str = "orders.yaml"
) -> tuple[Receipt, int | None]:
    """Set the answer of a side whose deadline passes; return what is wrong with the sheet, and the adjudication.

    It holds until the open decisions are answered. Raises CannotPlay if nothing is asked of the side.
    """
    with game.lock():
        receipt, sheet = _check_ruled(game, side, raw, name)
        if sheet is not None and len(sheet.orders) != 1:
            many = sheet.placed(Fault(ILLEGAL, (ORDERS,), "a default is one order, which answers one open decision"))
            receipt, sheet = Receipt(side, name, receipt.lines, (many,)), None
        if sheet is None:
            return receipt, None
        said, order = reason_of(reason), sheet.orders[0]
        act = {"kind": RULING, "reason": said, "what": "default", "side": side, "order": order.kind}
        whole = {"side": side, "order": order_record(order)}

        def play(now: Now, state: State, seed: Seed) -> Enacted:
            state.defaults = {**state.defaults, side: Queued(order, GAME_MASTER)}
            events = [
                Event("ruled_default", {"side": side, "order": order.kind, "reason": said}),
                Event("ruled_ready", {"orders": [_order_text(order)], "late": True}, None, (side,)),
            ]
            return Outcome([], events, [], [], _session(now), None), _waiting_orders(state)

        return receipt, _enact(game, act, play, whole)


def change_position(game: Adjudicator, patch: Patch, reason: str) -> int:
    """Change the position of the last checkpoint, play on from it, and return the adjudication.

    The answers since then expire, and the adjudications that took them are undone. Raises BadPatch, with all
    complaints, if the result is no position of the game.
    """
    with game.lock():
        require_running(game)
        state = game.ledger.state()
        assert state is not None
        said = reason_of(reason)
        if not patch:
            raise BadPatch(["the patch is empty"])
        before = game.rules.decode(state.checkpoint)
        after = patched(game.rules, state.checkpoint, patch)
        patch = changing(game.rules, patch, before, after)
        if not patch:
            raise BadPatch(["everything stands as the patch wants it already; it would change nothing"])
        check_playable(game.rules, after)
        stands = valid_adjudications(state)
        to, undone = stands[-len(state.steps)], stands[len(stands) - len(state.steps) + 1 :]
        was = as_plain(game.rules.encode(before))
        public = open_to(game.rules, None, patch, before, after)
        act: dict[str, object] = {"kind": RULING, "reason": said, "what": "patch", "undone": undone, "to": to}
        if public:
            act["patch"] = patch_text(patch, public)
        whole = {"patch": as_plain(patch)} if len(public) < len(patch) else None
        told = {"changes": described(patch, public, was), "hidden": whole is not None, "to": to}
        told |= {"undone": undone, "what": adjudications(undone), "reason": said}
        events = [Event("ruled_patch", told)]
        for side in game.rules.sides:
            own = [path for path in open_to(game.rules, side, patch, before, after) if path not in public]
            if own:
                events.append(Event("ruled_apart", {"changes": described(patch, own, was)}, None, (side,)))

        def play(now: Now, state: State, seed: Seed) -> Enacted:
            sources = _waiting_orders(state)
            sources.drop_all()
            state.steps, state.defaults, state.opened = [], {}, state.adjudication + 1
            state.undone = sorted({*state.undone, *undone})
            now.dice.reseed(seed.key)
            outcome = begin_at(game.rules, after, now.dice, Table(now.dice))
            outcome.events = events + outcome.events
            return outcome, sources

        return _enact(game, act, play, whole, "hidden")


def break_off(game: Adjudicator, reason: str) -> int:
    """End a game that nobody plays on, so that its secrets are published; return the adjudication."""
    with game.lock():
        require_running(game, pinned=False)
        said = reason_of(reason)
        act = {"kind": RULING, "reason": said, "what": "end"}

        def play(now: Now, state: State, seed: Seed) -> Enacted:
            session = _session(now)
            session.result, session.open_decisions = Result((), BROKEN_OFF), ()
            sources = _waiting_orders(state)
            sources.drop_all()
            state.defaults = {}
            return Outcome([], [Event("ruled_end", {"reason": said})], [], [], session, None), sources

        return _enact(game, act, play, None)


def _check_ruled(game: Adjudicator, side: Side, raw: bytes, name: str) -> tuple[Receipt, Sheet | None]:
    """Check a sheet that the game master has written for a side: only orders, and no link of the player's chain."""
    require_running(game)
    if not game.asked(side):
        raise CannotPlay(f"{game.name} asks nothing of {side} now")
    receipt, sheet = sheet_check.check_sheet_of(game, side, raw, sheet_check.SheetOrigin(name, ruled=True))
    if sheet is not None:
        there = [key for key in (STANDING, STANDING_ADD, STANDING_CANCEL) if key in sheet.document.value]
        own = "standing orders are the player's own; a ruling sets none"
        if there:
            complaints = tuple(sheet.placed(Fault(ILLEGAL, (key,), own)) for key in there)
            return Receipt(side, name, sheet.document.lines, complaints), None
    return receipt, sheet


def _enact(game: Adjudicator, act: Record, play: Act, whole: Record | None, word: str = "sealed") -> int:
    """Enact a ruling, with the digest of its sealed part under a word: `sealed` goes into the dice."""
    if whole is not None:
        act = {**act, word: game.ledger.whole_digest(game.adjudication + 1, whole)}
    return game.enact(act, play, whole)


def _session(now: Now) -> Session[Any]:
    assert now.session is not None
    return now.session


def _waiting_orders(state: State) -> Sources:
    """Return the orders that are waiting, and no other source."""
    return Sources({side: list(queue) for side, queue in state.pending.items()})


def _order_text(order: Order) -> str:
    return f"{order.kind} {on_one_line(order.written)}"
