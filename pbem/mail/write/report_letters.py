"""The letters that tell sides what happened: reports, receipts of sheets, closings of the sheets.

A side is told what happened since its own last report (`correspondence`). Who wants the news only when asked gets a
receipt for a sheet meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pbem.crypto.beacon import address
from pbem.game.boxes.printed import as_printed
from pbem.game.wording import listing
from pbem.mail.notes.correspondence import CORRESPONDENCES, NewsWish, note_owed
from pbem.mail.notes.reader_time import MORNING, calendar_file, morning_after, reader_zone, time_shown
from pbem.mail.read.own_text import OWN_SHEET
from pbem.mail.write.answer_letters import echo
from pbem.mail.write.draft import Attachments, framed
from pbem.mail.write.enclosures import Maps, enclosed, unanswered_sheets
from pbem.mail.write.outgoing import (
    About,
    Answered,
    MailSettings,
    NewLetter,
    Outgoing,
    ReportScope,
    build_letter,
    folded_paragraphs,
    report_contents,
    side_name,
)
from pbem.protocol import Side
from pbem.referee.game.home_check import take_home
from pbem.referee.game.open_game import OpenGame, on_hold_until, position_at
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import Report, mail
from pbem.render.text.text_lines import WIDTH, folded
from pbem.repo.files.charter import PUBLIC, SILENT

_INDENT: Final = "  "
_STANDING: Final = re.compile(rb"(?m)^standing\w*\s*:")
_LATER: Final[Mapping[NewsWish, str]] = {
    NewsWish.EVERY: "What happened is told with your next question.",
    NewsWish.ROUND: "What happened is told with your next question, or at the end of the turn, as you have chosen by "
    "NEWS.",
    NewsWish.DAILY: f"What happened is told with your next question, or at {MORNING}, as you have chosen by NEWS.",
    NewsWish.ASKED: "What happened is told with your next question, as you have chosen by NEWS.",
}


def first_letters(game: Adjudicator, settings: MailSettings, answered: Sequence[Answered] = ()) -> Iterator[Outgoing]:
    """Yield the first report to every side that has an address; `answered` is the letter that began the game.

    Of a letter from a player of several sides it is the share of each.
    """
    maps = Maps(settings.drawings)
    for side in game.rules.sides:
        yield from turn_letter(game, side, TurnNews(0, _answered_to(answered, side)), settings, maps)


def _answered_to(answered: Sequence[Answered], side: Side) -> Answered | None:
    """Return the letter that came from a side."""
    return next((each for each in answered if each.side == side), None)


def reports(
    game: Adjudicator, since: int, settings: MailSettings, answered: Sequence[Answered] = ()
) -> Iterator[Outgoing]:
    """Yield a report to every side that is to be told now, and a receipt to who is not but has sent a sheet.

    `since` is the last adjudication that all sides have been told of, as far as no note of their own says otherwise;
    `answered` is the letter by which the game moved on, if one did.
    """
    maps = Maps(settings.drawings)
    for side in game.rules.sides:
        to_it = _answered_to(answered, side)
        known = CORRESPONDENCES.read(game.path, side)
        start = since if known.told is None else min(known.told, game.adjudication)
        if start == game.adjudication:  # its report lies in the outbox; others were still to be written
            continue
        if _is_told(game, side, known.news, start):
            yield from turn_letter(game, side, TurnNews(start, to_it), settings, maps)
            continue
        if known.news == NewsWish.DAILY and settings.outbox is not None and side in game.ledger.addresses:
            note_owed(game.path, side, settings.letter_time)
        if to_it is not None:
            yield from receipt_letter(game, side, settings, to_it)


def daily_news(game: Adjudicator, now: datetime, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield a report to every side that wants its news once a day, and is to be told by now what was held back."""
    maps = Maps(settings.drawings)
    for side in game.rules.sides:
        known, when = CORRESPONDENCES.read(game.path, side), news_due(game, side)
        if when is not None and when <= now and known.told is not None:
            yield from turn_letter(game, side, TurnNews(min(known.told, game.adjudication)), settings, maps)


def news_due(game: OpenGame, side: Side) -> datetime | None:
    """Return when a side is to be told what was held back from it; None: nothing is, or only when it is asked next."""
    known = CORRESPONDENCES.read(game.path, side)
    if known.news != NewsWish.DAILY or not known.owed or known.told is None or known.told >= game.adjudication:
        return None
    return morning_after(datetime.fromisoformat(known.owed), reader_zone(game, side))


def _is_told(game: Adjudicator, side: Side, news: NewsWish, since: int) -> bool:
    """Tell whether a side is told now what happened after an adjudication.

    Acts of the game master and the end of the game are always told. Where nothing happened that it may know, and
    nothing is asked of it, there is nothing to tell.
    """
    if game.result is not None or any(each.side == side for each in game.open_decisions):
        return True
    if any("act" in game.public_turn(n) for n in range(since + 1, game.adjudication + 1)):
        return True
    if news == NewsWish.EVERY:
        return not since or bool(game.told(side, since))
    return news == NewsWish.ROUND and _period_is_over(game, game.rules.round, position_at(game, since))


def _period_is_over(game: Adjudicator, period: str, before: object | None) -> bool:
    """Tell whether a period of the game has ended since it stood so (None: that is not known)."""
    return before is None or (bool(period) and game.rules.periods(before).get(period) != game.periods.get(period))


@dataclass(frozen=True, slots=True)
class TurnNews:
    """What a letter tells a side of: what happened after an adjudication (0: it is the first letter)."""

    since: int
    answered: Answered | None = None
    """The letter of that side that it answers."""
    stamp: str = ""
    """The letter's name, if it is not the usual one; it then says in full how things stand."""


def turn_letter(
    game: Adjudicator, side: Side, news: TurnNews, settings: MailSettings, maps: Maps
) -> Iterator[Outgoing]:
    """Yield the letter that tells a side what happened, if it has an address."""
    since, answered, stamp = news.since, news.answered, news.stamp
    if side not in game.ledger.addresses:
        return
    before = position_at(game, since) if since and not stamp else None
    full = _period_is_over(game, game.rules.turn, before)
    view = None if full else game.rules.view(before, side)
    number = answered.sheet if answered and since else None
    filed, unknown = _files_standing(game, side, number), unanswered_sheets(game, side, since, number)
    scope = ReportScope(since, game.open_decisions, view, filed=filed, sheets=unknown)
    contents = report_contents(game, side, scope)
    told = Report(contents)
    values: dict[str, object] = {
        "answers": folded_paragraphs(answered.paragraphs if answered else ()),
    }
    if since:
        receipt = {} if number is None or answered is None else _receipt(game, side, number, answered.after)
        values.update(number=game.adjudication, over=game.result is not None, receipt=receipt)
        values.update(summary=told.summary, asked=told.asked)
        text = framed("turn", game, contents, told, values)
    else:
        welcomed = bool(game.public_turn(1).get("joined", {}).get(side))  # it had the letter that asks for it
        values.update(phrases=_went_in(game), asked=told.asked, welcomed=welcomed, **heading(game, side))
        text = framed("first", game, contents, told, values)
    known = CORRESPONDENCES.read(game.path, side)
    pictures, lies = maps.new_pictures(
        game, side, since, "" if stamp or not since else known.picture, legend=not since and not stamp
    )
    if (
        number is not None and known.news != NewsWish.EVERY
    ):  # their own order: they will see it with the answer of others
        pictures, lies = (), ""
    telling = "" if stamp else game.ledger.turn_digest(game.adjudication)
    stamp = stamp or f"{game.name}.{side}.{game.adjudication}"
    attached = replace(attachments(game, side, told, since, number), pictures=pictures)
    about = About(game, side, game.adjudication, lies, telling=telling)
    to = game.ledger.addresses[side]
    yield build_letter(settings, NewLetter(to, stamp, text, answered.letter if answered else None, attached, about))


def attachments(game: Adjudicator, side: Side, told: Report, since: int, number: int | None = None) -> Attachments:
    """Return what a letter with a report encloses beside pictures; `number` is the sheet that it answers."""
    return Attachments(
        sheet=told.sheet,
        standing=told.position,
        position=json.dumps(take_home(game, side), indent=1, ensure_ascii=False) if told.sheet else None,
        own_sheet=None if number is None else (OWN_SHEET, game.ledger.sheet(side, number)),
        receipt=enclosed(game, side, since, number),
        calendar=_calendar(game, side) if told.sheet else None,
    )


def _calendar(game: OpenGame, side: Side) -> str | None:
    """Return the deadline of a side as a file for its calendar, if its player wants that."""
    return calendar_file(game, side, game.clock.now) if CORRESPONDENCES.read(game.path, side).calendar else None


def receipt_letter(game: Adjudicator, side: Side, settings: MailSettings, answered: Answered) -> Iterator[Outgoing]:
    """Yield the letter that answers a sheet, if its side has an address: it is on record, and what is asked now.

    What happened is not told: there is nothing new, or the side wants its news later.
    """
    if side not in game.ledger.addresses:
        return
    number, view = answered.sheet, game.view(side)
    filed = _files_standing(game, side, number)
    scope = ReportScope(game.adjudication, game.open_decisions, view, filed=filed)
    contents = report_contents(game, side, scope)
    told = Report(contents)
    values: dict[str, object] = {
        "number": number,
        "asked": told.asked,
        "later": folded_paragraphs([_LATER[CORRESPONDENCES.read(game.path, side).news]])
        if game.adjudication > answered.after
        else [],
        "receipt": {} if number is None else _receipt(game, side, number, answered.after),
        "answers": folded_paragraphs(answered.paragraphs),
    }
    text = framed("receipt", game, contents, told, values)
    attached = Attachments(
        sheet=told.sheet,
        standing=told.position if told.sheet else None,
        own_sheet=None if number is None else (OWN_SHEET, game.ledger.sheet(side, number)),
        receipt=enclosed(game, side, answered.after, number, tells=False),
        calendar=_calendar(game, side) if told.sheet else None,
    )
    stamp = f"{game.name}.{side}.{game.adjudication}.sheet-{number or game.sheets(side)}"
    to = game.ledger.addresses[side]
    yield build_letter(settings, NewLetter(to, stamp, text, answered.letter, attached, About(game, side)))


def _files_standing(game: Adjudicator, side: Side, number: int | None) -> bool:
    """Tell whether a sheet files standing orders: the letter that answers it then lists those in force."""
    return number is not None and _STANDING.search(game.ledger.sheet(side, number)) is not None


def last_report(
    game: Adjudicator, side: Side, settings: MailSettings, answered: Answered, stamp: str
) -> Iterator[Outgoing]:
    """Yield the letter that answers REPORT: the last report again, in full, and what the side has not been told."""
    told = CORRESPONDENCES.read(game.path, side).told
    since = min(before_last_report(game), game.adjudication if told is None else told)
    yield from turn_letter(game, side, TurnNews(since, answered, stamp), settings, Maps(settings.drawings))


def before_last_report(game: Adjudicator) -> int:
    """Return the adjudication before those that the last letters reported: where sheets were last used."""
    n = game.adjudication
    while n > 1 and not game.public_turn(n).get("sheets"):
        n -= 1
    return n - 1


def closing_letters(game: Adjudicator, settings: MailSettings, answered: Sequence[Answered] = ()) -> Iterator[Outgoing]:
    """Yield the letters that tell every side that has an address that the sheets are closed, while they are.

    `answered` is the letter that closed them, if one did.
    """
    if (closed := game.closed) is not None:
        for side, to in game.ledger.addresses.items():
            to_it = _answered_to(answered, side)
            number = to_it.sheet if to_it else None
            text = mail(
                "closed",
                game=game.name,
                player=game.player(side),
                adjudication=closed.adjudication,
                round=closed.round,
                time=closed.time,
                address=address(closed.round),
                closed=closed.closed,
                answers=folded_paragraphs(to_it.paragraphs if to_it else ()),
                receipt={} if number is None else _receipt(game, side, number, closed.adjudication - 1),
            )
            own_sheet = None if number is None else (OWN_SHEET, game.ledger.sheet(side, number))
            stamp, telling = f"{game.name}.{side}.closed-{closed.round}", closed.closed
            if number is not None and number != game.sheets(side):  # an earlier letter, taken in again
                stamp, telling = f"{stamp}.sheet-{number}", ""
            answers = to_it.letter if to_it else None
            attached = Attachments(own_sheet=own_sheet, receipt=enclosed(game, side, answered=number))
            yield build_letter(
                settings, NewLetter(to, stamp, text, answers, attached, About(game, side, telling=telling))
            )


def _receipt(game: Adjudicator, side: Side, number: int, after: int) -> dict[str, object]:
    """Return what a letter says of the sheet that it answers: its number, how it was read, whether it has been used.

    As long as the sheet is not used, that is also what its orders will cost, and until when it can be taken back. Later
    the report says so.
    """
    used = game.adjudication > after
    return {
        "number": number,
        "used": after + 1 if used else 0,
        "echo": echo(game.ledger.sheet(side, number)),
        "held": [] if used else folded_paragraphs(_on_hold(game, side)),
        "costs": [] if used else _indented_costs(sheet_check.costs(game, side)),
    }


def _on_hold(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield until when a side can take its orders back, if the game waits for that alone."""
    if (until := on_hold_until(game)) is not None and game.waits(side):
        yield (
            f"It is on hold until {time_shown(until, reader_zone(game, side))}. Until then WITHDRAW takes it back, and "
            "a new sheet takes its place."
        )


def _indented_costs(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in folded(line, WIDTH, _INDENT, 2 * _INDENT)]


def _went_in(game: Adjudicator) -> list[str]:
    """Return the lines that say what went into the first dice from each side: a side can deny what it never sent."""
    lines = []
    went_in = game.public_turn(1).get("joined", {})
    for side in game.rules.sides:
        joined = went_in.get(side, {})
        phrase = joined.get("phrase")
        told = f"{side_name(game, side)} sent no phrase." if phrase is None else f"{side_name(game, side)}: {phrase}"
        # The bar keeps another player's words from being read as the start of a sheet when they are quoted.
        lines += folded(told, WIDTH, _INDENT, f"{_INDENT}| ")
        if (chain := joined.get("chain")) is not None:
            lines += [f"{_INDENT}| With a dice chain of its own:", f"{_INDENT}| {chain['tip']} {chain['length']}"]
        if (key := joined.get("key")) is not None:
            lines += folded(f"| With the key: {key}", WIDTH, _INDENT, f"{_INDENT}| ")
    return lines


def heading(game: Adjudicator, side: Side) -> dict[str, object]:
    """Return what the first letters say of a game: title and how much is as printed, edition, players, dice."""
    dice = game.charter.dice
    return {
        "title": game.box.title,
        "printed": as_printed(game.rules, game.box),
        "edition": _edition_title(game),
        "game": game.name,
        "player": game.player(side),
        "side": side_name(game, side),
        "players": {side_name(game, each): game.player(each) for each in game.rules.sides},
        "scheme": dice.scheme,
        "tip": dice.tip,
        "hidden": dice.hidden,
        "pins": game.ledger.pins_digest,
        "beacon": dice.beacon,
        "talk": folded_paragraphs([*_seats_of(game, side), *_talk(game)]),
    }


def _edition_title(game: OpenGame) -> str:
    title: str = game.box.table("game")["editions"][game.charter.edition]["title"]
    return f"{title} (experimental)" if game.box.is_experimental(game.charter.edition) else title


def _seats_of(game: OpenGame, side: Side) -> Iterator[str]:
    """Yield how a player writes who plays other sides, too."""
    own = game.ledger.sides_of(game.ledger.addresses.get(side, ""))
    if len(own) > 1:
        lines = listing([f"`side: {each}`" for each in own], "or")
        yield (
            f"You play {listing([side_name(game, each) for each in own])}. Each order sheet says for which side it is; "
            f"with an order alone, write the line {lines}. Other words count for all your sides, unless such a line "
            "stands with them."
        )


def _talk(game: OpenGame) -> Iterator[str]:
    """Yield how the players may talk to each other, if the charter says anything of it."""
    charter = game.charter
    if charter.press == SILENT:
        yield "This game is played in silence: the referee passes nothing on from side to side."
    elif charter.talks:
        whom = (
            "all other sides, PRESS ALL:" if charter.press == PUBLIC else "other sides, PRESS, the sides and a colon,"
        )
        unsigned = " UNSIGNED before the sides tells nobody who says it." if charter.press_unsigned else ""
        opened = "Signed talk is" if charter.press_opened else "No talk is"
        yield (
            f"Table talk: the referee passes on what you write to {whom} with your words behind it or below it."
            f"{unsigned} {opened} opened when the game is over. HELP says more."
        )
