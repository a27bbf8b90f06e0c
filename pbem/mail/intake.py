"""The intake of letters: carries out a player's letter, and writes to everybody concerned.

A letter is known by its sender and its Message-ID, or else by its content (`Letter`). What it changes and the note
that it was carried out are one commit. So a letter that is taken in again, after a crash or by mistake, changes
nothing. Only the letters that it still owes are written. Another letter under the same Message-ID is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from pbem.mail.answer.every_command import confirm_once, help_values
from pbem.mail.answer.questions import HELP
from pbem.mail.answer.table_talk import talk_letters
from pbem.mail.choose.routing import Route
from pbem.mail.choose.sheet_choice import may_order_without_sheet, may_say_orders, orders_outside
from pbem.mail.desk import Desk, Reply
from pbem.mail.due import carry_out_due, due_in, noted_due
from pbem.mail.inbox import by_sender, open_letter, with_orders
from pbem.mail.notes.correspondence import REPORTED, note_reported, set_back
from pbem.mail.read.commands import Instruction
from pbem.mail.read.letter import Letter
from pbem.mail.read.token import note_heard, token, tokens_of
from pbem.mail.shared_letter import SideShare, shared_out
from pbem.mail.tasks import Handled, Task, answer_unread, not_yours, refuse_letter, tasks_of
from pbem.mail.write.answer_letters import help_letter
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.mail.write.posting import Tells, bundled, post_letters
from pbem.mail.write.report_letters import closing_letters, first_letters, reports
from pbem.mail.write.time_letters import facts_so_far, time_letters
from pbem.paths import GAME_NAME
from pbem.protocol import PbemError, Side
from pbem.referee.game.open_game import CannotPlay, OtherRules
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import hold_ends
from pbem.render.map.pictures import Picture, legend_picture
from pbem.repo.files.charter import OtherFormat
from pbem.repo.git import NoSuchGame

_LOG: Final = logging.getLogger(__name__)
_TO_ALL: Final = (Reply.FIRST_REPORTS, Reply.REPORTS, Reply.CLOSED)
"""The answers that go to every side, which also answer what the sender's other sides have asked."""


def legends(route: Route) -> tuple[Picture, ...]:
    """Return the legend of the game that a letter is about; nothing if that is not clear, or it has not begun."""
    try:
        with route.settings.open(route.meant) as game:
            side = next(iter(game.sides_of(route.letter.sender)), None)
            if side is None or not game.begun:
                return ()
            return (legend_picture(game.rules.scene(game.view(side))),)
    except PbemError:
        return ()
    except Exception as wrong:  # a slip in a drawing must not hold a letter back
        _LOG.error("the legend for a letter cannot be drawn; it goes without one", exc_info=wrong)
        return ()


def take_in(raw: bytes, settings: MailSettings) -> Handled:
    """Carry out a player's letter and write the answers; nothing is sent, and no bytes make it raise.

    Raises only for faults of the keys, the disk or the rules here. Such a letter can be taken in again later.
    """
    handled = take_in_where_possible(raw, settings)
    for reason in handled.waits.values():  # the letter waits until the game master has dealt with it
        raise reason
    return handled


def take_in_where_possible(raw: bytes, settings: MailSettings) -> Handled:
    """Take in a letter as `take_in` does; games whose rules or format are not those here do not raise."""
    letter = open_letter(raw, by_sender(settings))
    handled = Handled()
    if letter.automatic or not letter.sender:
        handled.accepted = False
        why = "a program sent it" if letter.automatic else "its sender is not clear"
        handled.notes.append(f"letter {letter.digest[:12]} is left unanswered: {why}")
        return handled
    route = Route(letter, settings)
    in_words = may_say_orders(letter) and route.report is not None
    without = route.without_sheet if may_order_without_sheet(letter) or in_words else None
    if letter.refusal is not None and without is None:
        answer_unread(handled, route)
        return handled
    if Instruction(HELP.word) in letter.commands:
        handled.letters.append(help_letter(letter, settings, help_values(), legends(route)))
        handled.notes.append(f"letter {letter.digest[:12]} asks for help")
    for task in tasks_of(handled, route, without):
        try:
            _carry_out(handled, route, task)
        except NoSuchGame:
            refuse_letter(handled, route, not_yours(task.game, letter))
        except (OtherRules, OtherFormat) as wrong:
            handled.waits[task.game] = wrong
        except CannotPlay as refusal:
            refuse_letter(handled, route, str(refusal))
    return handled


def _carry_out(handled: Handled, route: Route, task: Task) -> None:
    """Carry out a letter in one game, under the game's lock: it may be taken in twice at the same time."""
    name, letter, settings = task.game, route.letter, route.settings
    if not GAME_NAME.fullmatch(name):
        called = task.sheets[0].name if task.sheets else "Your letter"
        raise CannotPlay(f"{called} does not name its game in a line such as `game: punica`.")
    with settings.open(name) as game, game.lock():
        before = carry_out_due(game, settings.letter_time, settings)
        handled.letters += before.letters
        handled.log += before.log
        game.carry_out_letter_of(settings.letter_time, settings.now)
        handled.due[name] = noted_due(game, before.next)
        sides = game.written_by(letter.sender)
        first = len(handled.letters)
        if settings.door is not None and (turned := settings.door.turned(game, letter, sides)) is not None:
            handled.accepted = False
            handled.log.append(f"{name}: {turned.log}")
            handled.letters += turned.letters
            if settings.outbox is not None:
                for out in turned.letters:
                    out.put_into(settings.outbox)
            return
        if not sides:
            raise CannotPlay(not_yours(name, letter))
        for side in _shown_by_token(game, letter, game.sides_of(letter.sender), settings):
            note_heard(game, side, settings.letter_time, "token")
        route = replace(route)  # what was found on it before may be out of date: the game may have gone on by itself
        shares = shared_out(game, sides, route, task)
        for reason in shares.refused:
            refuse_letter(handled, route, reason)
        desks = [desk for share in shares.shares if (desk := _desk(handled, share, game)) is not None]
        if desks:
            _Sitting(handled, settings, game, desks).carry_out(first)
            handled.due[name] = noted_due(game, due_in(game, settings))


def _shown_by_token(game: Adjudicator, letter: Letter, sides: Sequence[Side], settings: MailSettings) -> Sequence[Side]:
    """Return the sides of a letter's sender if it brings back a token of one of them: letters then go both ways."""
    return sides if not tokens_of(letter, settings.host).isdisjoint(token(game, side) for side in sides) else ()


def _desk(handled: Handled, share: SideShare, game: Adjudicator) -> Desk | None:
    """Return what a letter brings for one side, ready to be carried out; None: nothing is found in it."""
    route, letter, task = share.route, share.route.letter, share.task
    in_words = may_say_orders(letter) and route.report is not None
    may_order = task.sheets or may_order_without_sheet(letter) or in_words
    outside = orders_outside(letter, game, share.side if task.sheets or in_words else None) if may_order else []
    if outside and all(each.where == "quoted" or each.only_names for each in letter.enclosures):
        route = replace(route, letter=with_orders(letter, [line for each in outside for line in each.lines]))
    if letter.refusal is not None and not outside:
        answer_unread(handled, route)
        return None
    return Desk(handled, route, game, share.side, task, outside)


@dataclass(slots=True)
class _Sitting:
    """One letter that is being carried out in one game, whose lock is held: a desk for each side that it is for."""

    handled: Handled
    settings: MailSettings
    game: Adjudicator
    desks: Sequence[Desk]
    reported_to_all: bool = False
    """Whether the letters written tell every side everything that has happened."""
    closing_told: bool = False
    """Whether they tell every side that the sheets are closed, if they are."""
    talk: list[str] = field(default_factory=list)
    """The talk, by its digests, that the letters written pass on."""

    def carry_out(self, first: int) -> None:
        """Carry out the letter and write the answers; those in `handled` from `first` on are its own."""
        game, handled = self.game, self.handled
        facts = facts_so_far(game)
        for desk in self.desks:
            desk.attempt(desk.forecast_sheet)
        desks = [desk for desk in self.desks if desk.acts]
        if self.settings.outbox is not None and desks:
            if REPORTED.read(game.path) is None:
                note_reported(game.path, game.adjudication)
            elif (ahead := set_back(game.path, game.adjudication)) is not None:
                handled.notes.append(ahead)
        with game.transaction():
            said: list[Instruction] = []
            for desk in desks:
                desk.attempt(partial(desk.take_in, said))
                said += desk.done.carried_out
            goes_on = any(desk.number is not None for desk in desks) or _left_behind(game)
            numbers = game.adjudicate() if (goes_on if game.begun else not game.awaited) and desks else []
            numbers += self._when_hold_is_over()
        confirm_once(game, {desk.side: desk.done for desk in desks})
        handled.notes += [f"{game.name}: adjudication {n}" for n in numbers]
        for desk in desks:
            desk.note(numbers)
        self._write([desk for desk in desks if desk.problem is None])
        handled.letters += time_letters(game, facts, self.settings)
        for desk in self.desks:
            desk.write_refusals()
            desk.log()
        handled.letters[first:] = bundled(handled.letters[first:])
        self._post(handled.letters[first:])
        game.talk.note_sent(self.talk)

    def _when_hold_is_over(self) -> list[int]:
        """Play on where the hold of a sheet that came is over by now, and nothing else came meanwhile."""
        game, looked = self.game, self.settings.looked
        ends = hold_ends(game, game.ready) if game.begun else None
        if ends is None or looked is None or ends > looked:
            return []
        game.carry_out_letter_of(ends, self.settings.now)
        return game.adjudicate()

    def _post(self, letters: Sequence[Outgoing]) -> None:
        """Put the letters into the outbox, and note what they tell."""
        tells = Tells(self.reported_to_all, self.closing_told)
        post_letters(self.game, letters, self.settings, self.settings.letter_time, tells)

    def _write(self, desks: Sequence[Desk]) -> None:
        """Write the letters: reports to all if the game has moved on, else an answer to the sender."""
        if not desks:
            return
        game, settings, handled = self.game, self.settings, self.handled
        before = min(desk.before for desk in desks)
        known = before if settings.outbox is None else REPORTED.read(game.path)
        since = before if known is None else known  # what an earlier letter still owes is reported with this one
        replies = [desk.reply(since) for desk in desks]
        to_all = next((each for each in _TO_ALL if each in replies), None)
        self.reported_to_all = to_all in (Reply.FIRST_REPORTS, Reply.REPORTS) or game.adjudication == since
        self.closing_told = to_all in (Reply.CLOSED, Reply.REPORTS)
        replies = [desk.write_faults(reply) for desk, reply in zip(desks, replies, strict=True)]
        answered = [desk.answered for desk in desks]
        match to_all:
            case Reply.FIRST_REPORTS:
                handled.letters += first_letters(game, settings, answered)
            case Reply.REPORTS:
                handled.letters += reports(game, since, settings, answered)
                handled.letters += closing_letters(game, settings)
            case Reply.CLOSED:
                handled.letters += closing_letters(game, settings, answered)
            case _:
                for desk, reply in zip(desks, replies, strict=True):
                    desk.answer(reply)
        for desk in desks:
            desk.write_requests()
        handled.letters += talk_letters(game, settings, self.talk)


def _left_behind(game: Adjudicator) -> bool:
    """Tell whether a side is asked that has resigned: the game goes on without its player."""
    state = game.current().state
    return state is not None and any(each.side in state.resigned for each in game.session.open_decisions)
