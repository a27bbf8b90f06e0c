"""The commands about a player's own orders: AGREED hands in what counts anyway, STANDING and WITHDRAW end orders.

AGREED hands in an ordinary sheet: the orders of the side that still wait, and the defaults of the decisions that no
order answers. So it is received, recorded and verified like any other. It counts only for the report that its sender
has seen. A default that came after it was never agreed to. Standing orders may stand beside the word: they answer
nothing that is asked now, and go into the same sheet.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem.crypto.player_chains import LINK_SHAPE, LOST
from pbem.game.yaml import dump
from pbem.mail.answer.command import Command, CommandTask
from pbem.mail.choose.routing import reports_in
from pbem.mail.read.commands import Word
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.sheet_finder import BareOrder, sheet_of_bare
from pbem.mail.write.outgoing import standing_list
from pbem.orders import sheet as sheets
from pbem.orders.check import nothing_chosen
from pbem.orders.forgive import FOR_AGREED, Answering, Known, for_word, forgive
from pbem.orders.sheet import (
    CANCEL,
    ORDERS,
    STANDING_ADD,
    STANDING_CANCEL,
    BadSheet,
    cancelled,
    fault_sentence,
    link_in,
)
from pbem.protocol import Decision, Order, Record, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.render.text.form import SheetHead, order_lines

WHICH_OF_THE_TWO: Final = (
    "which of the two? Your letter has orders beside it. Send the order sheet alone, or AGREED with nothing chosen"
)
_ADJUDICATION: Final = re.compile(r"(?im)^[^\S\n]*+adjudication\s*:\s*(\d{1,9})[^\S\n]*$")
_HEADING: Final = ("game", "side", "adjudication", ORDERS)
_SECTIONS: Final = (sheets.STANDING, STANDING_ADD, STANDING_CANCEL)
_STANDING: Final = re.compile(rb"(?im)^[^\S\n]*+standing(?:[ _-]\w+)?\s*:")
_ORDER: Final = re.compile(r"(?m)^[^\S\n]*+-[^\S\n]*(\w+)\s*:")


class StandingBeside(NamedTuple):
    """The standing orders in a letter with AGREED: the keys of a sheet that have them, and the lines they stand in."""

    keys: Record = MappingProxyType({})
    lines: Sequence[str] = ()


_NONE: Final = StandingBeside()


def agreed_sheet(game: OpenGame, side: Side, rest: str, seen: int, standing: StandingBeside = _NONE) -> Enclosure:
    """Return the sheet that AGREED hands in, for the report that its sender has `seen`. Raises CannotPlay.

    `rest` is what stands behind the word.
    """
    return Enclosure("AGREED", agreed_at(game, side, seen, rest, standing), "body")


def agreed_at(game: OpenGame, side: Side, seen: int, rest: str = "", standing: StandingBeside = _NONE) -> bytes:
    """Return the sheet of a side that agrees to what its last report says; `seen` must be that. Raises CannotPlay."""
    _questions_open(game, side)
    if seen != game.adjudication:
        raise CannotPlay(f"you answer report {seen}, and adjudication {game.adjudication} came after it")
    return sheet_of_agreed(game, side, rest, standing)


def report_seen(game: OpenGame, side: Side, letter: Letter, host: str) -> int:
    """Return the number of the report that a letter answers. Raises CannotPlay if it answers none, or none is due."""
    _questions_open(game, side)
    seen = next(_forms_quoted(game, letter), None)
    if seen is None:
        reports = reports_in(letter.references, host)
        seen = next((each.adjudication for each in reports if (each.game, each.side) == (game.name, side)), None)
    if seen is None:
        raise CannotPlay("your letter answers no report, so it does not say what you agree to. Answer this letter")
    return seen


def standing_beside(
    game: OpenGame, side: Side, outside: Sequence[BareOrder], sheets: Iterable[Enclosure]
) -> StandingBeside:
    """Return the standing orders beside AGREED, in sheets or outside any. Raises CannotPlay if there is more."""
    heading = Answering(game.name, side, game.adjudication)
    bare = [line for each in outside for line in each.lines]
    written = [(sheet_of_bare(outside, heading).encode(), bare)] if outside else []
    written += [(each.text, each.text.decode("utf-8", "replace").splitlines()) for each in sheets]
    found: list[StandingBeside] = []
    for text, lines in written:
        try:
            sheet = forgive(text, Known(game.box, game.periods)).sheet
        except BadSheet as bad:
            if lines is bare or has_orders(text, game.box.forms):
                raise CannotPlay(WHICH_OF_THE_TWO) from None
            if _STANDING.search(text):
                raise CannotPlay(f"the standing orders beside it: {fault_sentence(bad.complaints[0].fault)}") from None
            continue
        others = set(sheet.document.value) - {*_HEADING, *_SECTIONS}
        if sheet.orders or others or (lines is bare and not sheet.files):
            raise CannotPlay(WHICH_OF_THE_TWO)
        if sheet.files:
            keys = {key: sheet.document.value[key] for key in _SECTIONS if key in sheet.document.value}
            found += [] if any(keys == each.keys for each in found) else [StandingBeside(keys, lines)]
    if len(found) > 1:
        raise CannotPlay("the standing orders in your letter differ from those in the text that you quote")
    return found[0] if found else _NONE


def sheet_of_agreed(game: OpenGame, side: Side, rest: str, standing: StandingBeside = _NONE) -> bytes:
    """Return the orders of a side that still wait, and the defaults of what no order answers. Raises CannotPlay."""
    asked = _questions_open(game, side)
    ruled = game.defaults.get(side)
    if ruled is not None and any(game.session.is_for(ruled.order, decision) for decision in asked):
        raise CannotPlay("the game master has set an answer in your stead; choose an order in the form")
    if proposed := [game.box.forms[decision.kind] for decision in asked if game.box.forms[decision.kind].proposal]:
        raise CannotPlay(
            f"it could mean yes, or what counts without an answer. {proposed[0].title} Take the # off in front of one "
            "of the two orders"
        )
    if any(decision.default is None for decision in asked):
        raise CannotPlay(nothing_chosen(game.box, asked))
    state = game.current().state
    waiting = [] if state is None else [queued.order for queued in state.pending.get(side, ())]
    lines = [*SheetHead(game.name, side, game.adjudication).lines(), *_link_line(game, side, rest), "orders:"]
    defaults = [Order(decision.kind, decision.default or {}, decision.about) for decision in asked]
    # What waits goes before them only if it answers something now; the first order of a sheet has to.
    answers = bool(waiting) and any(game.session.is_for(waiting[0], decision) for decision in game.asked(side))
    for order in [*waiting, *defaults] if answers else [*defaults, *waiting]:
        lines += order_lines(order.kind, order.written)
    if standing.keys:
        lines.append(dump(dict(standing.keys)).rstrip("\n"))
    word = " ".join(["AGREED", *rest.split()])  # below the sheet it shows which letter handed it in
    return for_word("\n".join(lines), [word, *standing.lines], FOR_AGREED).encode()


def has_orders(raw: bytes, forms: Collection[str]) -> bool:
    """Tell whether a sheet orders anything, as far as it can be read: its orders are not all comments."""
    return any(found in forms for found in _ORDER.findall(raw.decode("utf-8", "replace")))


def _questions_open(game: OpenGame, side: Side) -> list[Decision]:
    """Return what is asked of a side and has no answer. Raises CannotPlay if there is nothing."""
    asked = [decision for decision in game.open_decisions if decision.side == side]
    if not asked:
        raise CannotPlay("nothing is asked of you that still has no answer")
    return asked


def _forms_quoted(game: OpenGame, letter: Letter) -> Iterator[int]:
    """Yield the adjudications whose forms a letter quotes."""
    enclosures: Iterable[Enclosure] = (*letter.enclosures, *letter.passed_over)
    for enclosure in enclosures:
        found = _ADJUDICATION.search(enclosure.text.decode("utf-8", "replace"))
        if found is not None and enclosure.game == game.name:
            yield int(found[1])


def _link_line(game: OpenGame, side: Side, rest: str) -> Iterator[str]:
    """Yield the line of the sheet that opens a link of the side's own chain. Raises CannotPlay for any other words."""
    words = rest.split()
    if words[:1] == [game.name]:
        words = words[1:]
    chain = game.player_chain(side)
    if chain is None or chain.lost:
        if words:
            raise CannotPlay("write it on a line of its own, without other words")
        return
    if len(words) != 1 or not (words[0] == LOST or LINK_SHAPE.fullmatch(words[0])):
        raise CannotPlay(
            "write the next link of your dice chain after it, on the same line: "
            f"pbem my-chain next FILE --after {chain.opened} prints it"
        )
    yield f"link: {words[0]}"


def withdraw_by_word(task: CommandTask) -> str:
    """Take back the orders of a side that are not used yet, and return the answer."""
    if task.letter is not None:
        task.game.withdraw(task.side, _link_behind(task.rest.split(), WITHDRAW.name), task.letter)
    asked = any(each.side == task.side for each in task.game.open_decisions)
    return (
        "WITHDRAW: your orders are taken back. An empty sheet of yours is on record in their place. Standing orders "
        "stay in force."
    ) + (" The game waits for you again; FORM, alone on a line, brings your order sheet." if asked else "")


def standing_by_word(task: CommandTask) -> str:
    """List the standing orders of a side, or cancel some, and return the answer."""
    word, *rest = task.rest.split() or [""]
    if not word:
        return "\n".join(["STANDING: your standing orders.", *standing_list(task.game, task.side)])
    if word.upper() != "CANCEL":
        raise CannotPlay(
            "STANDING alone lists your standing orders, STANDING CANCEL 2 cancels one, STANDING CANCEL ALL all of "
            "them. New ones are filed by a sheet with `standing:` or `standing_add:`"
        )
    if task.letter is not None:
        found = cancelled(rest)
        if found is None:
            raise CannotPlay("write which: STANDING CANCEL 2, STANDING CANCEL 2 5, or STANDING CANCEL ALL")
        numbers, more = found
        link = _link_behind(more, f"{CANCEL} {' '.join(map(str, numbers)) or 'ALL'}")
        task.game.cancel_standing(task.side, numbers, link, task.letter)
    return "\n".join(["STANDING CANCEL: on record. In force now:", *standing_list(task.game, task.side)])


def _link_behind(words: Sequence[str], command: str) -> str | None:
    """Return the link that stands behind a command; None: none does. Raises CannotPlay for anything else."""
    try:
        return link_in(words)
    except ValueError:
        raise CannotPlay(
            f"write {command} and nothing else on its line, or behind it the next link of your own dice chain, if you "
            "have one: 64 digits 0-9 and small letters a-f"
        ) from None


_LINK: Final = r"(?i:[0-9a-f]{64})?"
AGREED: Final = Command(
    word=Word("AGREED", shape=_LINK, ends_with_link=True, names_game=True, is_agreement=True),
    does=None,
    counts_for=lambda game, side: any(each.side == side for each in game.open_decisions),
    is_explained=True,
    help=(
        "AGREED",
        "takes what counts without an answer: what the report says, if you answer that report and choose nothing else",
    ),
    docs=(("AGREED", "takes what counts without an answer to the report that you answer"),),
)
STANDING: Final = Command(
    word=Word("STANDING", asks=True, ends_with_link=True, is_sheet_key=True),
    does=standing_by_word,
    is_of_one_side=True,
    help=(
        "STANDING",
        "your standing orders. STANDING CANCEL 2 cancels the second, STANDING CANCEL ALL all of them",
    ),
    docs=(
        ("STANDING", "lists your standing orders with their numbers"),
        (
            "STANDING CANCEL 2",
            "cancels a standing order by its number; `STANDING CANCEL 2 5` two, `STANDING CANCEL ALL` all",
        ),
    ),
)
WITHDRAW: Final = Command(
    word=Word("WITHDRAW", shape=_LINK, ends_with_link=True),
    does=withdraw_by_word,
    counts_for=lambda game, side: game.waits(side),
    help=("WITHDRAW", "takes back a sheet of yours that is not used yet"),
    docs=(("WITHDRAW", "takes back a sheet that has not been used yet"),),
)
COMMANDS: Final = (AGREED, STANDING, WITHDRAW)
