"""The seats of one person: a letter from an address that plays several sides, shared out among these.

A sheet is for the side that its line `side:` names. Commands count for all sides of their sender, unless a line
`side: NAME` of its own stands with them. What can only be meant for one side (RESIGN, CHAIN, STANDING CANCEL) needs
that line. Each share is a letter of its own to all that follows: it is carried out, noted and answered by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from pbem.game.wording import listing
from pbem.game.words import Vocabulary
from pbem.mail.answer.every_command import command_of
from pbem.mail.choose.routing import Route
from pbem.mail.choose.sheet_choice import forms_of, is_form, orders_outside
from pbem.mail.read.commands import Instruction
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.sheet_finder import BareOrder
from pbem.mail.tasks import Task
from pbem.mail.write.outgoing import all_names, side_name
from pbem.orders.forgive import Answering
from pbem.orders.forgive.known import SIDE
from pbem.protocol import Side
from pbem.referee.play.adjudicator import Adjudicator

_SIDE: Final = re.compile(
    r"""(?im)^(?:[^\S\n]|[>*-])*+side\s*:\s*["'*]{0,3}([^\W_][\w /-]{0,60}?)["'*]{0,3}[^\S\n]*+(?:#.*)?$"""
)


@dataclass(frozen=True, slots=True)
class SideShare:
    """What a letter brings for one side."""

    side: Side
    route: Route
    """The way of its letter, which is its part of the one that came."""
    task: Task


@dataclass(frozen=True, slots=True)
class Shares:
    """What a letter brings for each side of its sender, and why parts of it are refused."""

    shares: Sequence[SideShare]
    refused: Sequence[str] = ()


def shared_out(game: Adjudicator, sides: Sequence[Side], route: Route, task: Task) -> Shares:
    """Share a letter out among the sides that its sender plays."""
    if len(sides) == 1:
        return Shares([SideShare(sides[0], route, task)])
    seats = _Seats(game, sides, route)
    shares = [each for side in sides if _brings(each := seats.share(side, task), game)]
    refused = [*seats.unclear(task), *(seats.which(each) for each in seats.of_one(task))]
    full = [each for each in shares if not _is_blank(each, game)]
    if not (full or shares or refused):  # nothing is found in it, which its sender is told as well
        return Shares([seats.share(seats.usual or sides[0], task)])
    return Shares(full or ([] if refused else shares[:1]), refused)


def _brings(share: SideShare, game: Adjudicator) -> bool:
    """Tell whether there is anything for a side in its share."""
    letter = share.route.letter
    return bool(share.task.commands or share.task.sheets or letter.commands or _bare(letter, game))


def _is_blank(share: SideShare, game: Adjudicator) -> bool:
    """Tell whether there is nothing in a share but our form, quoted as it was sent."""
    if share.route.letter.commands or _bare(share.route.letter, game) or not game.begun:
        return False
    forms = forms_of(game, share.side)
    return all(each.where == "quoted" and is_form(each, forms) for each in share.task.sheets)


def _bare(letter: Letter, game: Adjudicator) -> list[BareOrder]:
    """Return what stands in no sheet and looks like an order, but for the line that names a side."""
    return [each for each in orders_outside(letter, game) if each.word != SIDE]


@dataclass(slots=True)
class _Seats:
    """The sides of the sender of a letter, in one game."""

    game: Adjudicator
    sides: Sequence[Side]
    route: Route
    named: Sequence[Side] = ()
    """The sides that stand in a line of their own."""
    usual: Side | None = None
    """The side that everything is for that names none; None: that cannot be told."""
    owners: dict[int, Side | None] = field(default_factory=dict)

    @property
    def letter(self) -> Letter:
        """The letter as it came."""
        return self.route.letter

    def __post_init__(self) -> None:
        names = [each.text.decode("utf-8", "replace") for each in self.letter.enclosures if each.only_names]
        lines = "\n".join([*self.letter.loose, *names])
        found = [side for word in _SIDE.findall(lines) if (side := self._meant(word)) is not None]
        self.named = [side for side in self.sides if side in found]
        self.usual = self._usual()

    def _meant(self, word: str) -> Side | None:
        """Return the side of the sender that a word names."""
        meant = Vocabulary(all_names(self.game)).readings(word)
        return meant[0] if len(meant) == 1 and meant[0] in self.sides else None

    def _usual(self) -> Side | None:
        if len(self.named) == 1:
            return self.named[0]
        if (report := self._report()) is not None:
            return report.side
        if not self.game.begun:
            return None
        asked: dict[Side, set[str]] = {}
        for each in self.game.open_decisions:
            if each.side in self.sides:
                asked.setdefault(each.side, set()).add(each.kind)
        if len(asked) > 1 and (kinds := {each.word for each in _bare(self.letter, self.game)}):
            asked = {side: own for side, own in asked.items() if own & kinds}
        return next(iter(asked)) if len(asked) == 1 else None

    def _report(self) -> Answering | None:
        """Return the report that the letter answers, if that is a report to one side alone."""
        found = {
            side: report
            for side in self.sides
            if (report := replace(self.route, letter=replace(self.letter, seat=side)).report) is not None
            and (report.game, report.side) == (self.game.name, side)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def owner(self, sheet: Enclosure) -> Side | None:
        """Return the side that a sheet is for; None: that cannot be told.

        One for a side that the sender does not play goes to the first of theirs, whose check says so.
        """
        found = _SIDE.search(sheet.text.decode("utf-8", "replace"))
        return self.usual if found is None else self._meant(found[1]) or self.sides[0]

    def unclear(self, task: Task) -> Iterator[str]:
        """Yield why sheets are refused of which it cannot be told for which side they are."""
        for each in task.sheets:
            if each.where != "quoted" and not each.only_names and self.owner(each) is None:
                yield f"The order sheet in it ({each.name}) does not say for which of your sides it is. {self._write()}"
        if self.usual is None and (bare := _bare(self.letter, self.game)):
            lines = "\n".join(f"  | {line.rstrip()[:100]}" for each in bare for line in each.lines)
            yield f"The orders in your letter do not say for which of your sides they are. {self._write()}\n{lines}"

    def of_one(self, task: Task) -> list[Instruction]:
        """Return the commands that are for one side, and do not say for which."""
        return [] if self.named else [each for each in task.commands if _is_of_one(each)]

    def which(self, said: Instruction) -> str:
        """Return why a command is refused that does not say for which side it is."""
        return f"{said.word} counts for one side. {self._write()}"

    def _write(self) -> str:
        lines = listing([f"`side: {side}`" for side in self.sides], "or")
        return f"You play {listing([side_name(self.game, side) for side in self.sides])}: add the line {lines}."

    def share(self, side: Side, task: Task) -> SideShare:
        """Return what the letter brings for a side."""
        letter = self.letter
        commands = tuple(each for each in letter.commands if self._counts(each, side))
        loose = self.usual == side
        own = replace(
            letter,
            digest=sha256(f"{letter.digest} {side}".encode()).hexdigest(),
            seat=side,
            commands=commands,
            enclosures=self._own(letter.enclosures, side),
            passed_over=self._own(letter.passed_over, side),
            beside=self._own(letter.beside, side),
            loose=tuple(line for line in letter.loose if not _SIDE.fullmatch(line)) if loose else (),
            quoted_lines=letter.quoted_lines if loose else (),
            unclear=letter.unclear if loose or (self.usual is None and side == self.sides[0]) else (),
        )
        said = [each for each in task.commands if each in commands]
        return SideShare(
            side, replace(self.route, letter=own), Task(task.game, said, self._own(tuple(task.sheets), side))
        )

    def _own(self, sheets: tuple[Enclosure, ...], side: Side) -> tuple[Enclosure, ...]:
        return tuple(each for each in sheets if self.owner(each) == side and not each.only_names)

    def _counts(self, said: Instruction, side: Side) -> bool:
        """Tell whether a command is for a side, too."""
        if self.named:
            return side in self.named
        if _is_of_one(said):
            return False
        counts_for = command_of(said).counts_for
        meant = self.sides if counts_for is None else [each for each in self.sides if counts_for(self.game, each)]
        return side in (meant or self.sides[:1])


def _is_of_one(said: Instruction) -> bool:
    """Tell whether only one side can mean a command."""
    return command_of(said).is_of_one_side and not said.is_question
