"""The first letters to a reader: of a game that begins, to the new address of a side, and to its deputy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pbem.game.wording import listing
from pbem.mail.write.draft import Attachments, framed
from pbem.mail.write.enclosures import Maps, enclosed
from pbem.mail.write.outgoing import (
    About,
    MailSettings,
    NewLetter,
    Outgoing,
    ReportScope,
    build_letter,
    folded_paragraphs,
    report_contents,
    side_name,
    standing_list,
)
from pbem.mail.write.report_letters import attachments, heading
from pbem.protocol import Side
from pbem.referee.acts.players import last_wrote
from pbem.referee.game.open_game import deputy_of
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import Report, mail


def welcome_letters(game: Adjudicator, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter that asks for a phrase before a game begins, to every side that has an address."""
    for side in game.rules.sides:
        if side in game.ledger.addresses:
            yield welcome_letter(game, side, settings)


def welcome_letter(game: Adjudicator, side: Side, settings: MailSettings, *, again: str = "") -> Outgoing:
    """Return the letter that asks a side for a phrase before a game begins; `again` names one that reminds of it."""
    words = mail("welcome", begins=_begins(game, side), key=game.charter.signed_by.split()[:2], **heading(game, side))
    count = game.ledger.joined(side).addresses
    stamp = f"welcome.{game.name}.{side}" + (f".{count}" if count else "") + (f".again-{again}" if again else "")
    # An id of its own for each: mail programs throw a second letter of the same id away.
    return build_letter(
        settings,
        NewLetter(
            game.ledger.addresses[side],
            stamp,
            words,
            attached=Attachments(receipt=enclosed(game, side)),
            about=About(game, side),
            id=f"{stamp}.{settings.now:%Y%m%d%H%M%S}",
        ),
    )


def _begins(game: Adjudicator, side: Side) -> list[str]:
    """Return the lines that tell when the game begins."""
    own = [side, *game.ledger.sides_of(game.ledger.addresses.get(side, ""))]
    others = [side_name(game, each) for each in game.awaited if each not in own]
    if not others:
        return folded_paragraphs(["The game begins when you have sent it. You then get your first report."])
    players = listing([*others, "you"])
    return folded_paragraphs(
        [
            f"The game begins when {players} have sent a phrase. You then get your first report. Until then, a second "
            "phrase replaces the first."
        ]
    )


def new_address_letter(game: Adjudicator, side: Side, replaced: bool, settings: MailSettings) -> Outgoing:
    """Return the letter to a side whose player or address has changed.

    It has the whole position, and what happened since the player before last wrote. Before a game begins it is the
    letter that asks for a phrase.
    """
    if not game.begun:
        return welcome_letter(game, side, settings)
    since = last_wrote(game, side)
    contents = report_contents(game, side, ReportScope(since, game.asked(side)))
    told = Report(contents)
    values: dict[str, object] = {
        "intro": folded_paragraphs(_new_player_intro(game, side, replaced)),
        "replaced": replaced,
        "orders": folded_paragraphs(_orders_left(game, side)),
        "asked": told.asked,
        "key": game.charter.signed_by.split()[:2],
        **heading(game, side),
    }
    words = framed("new_player", game, contents, told, values)
    joined = game.ledger.joined(side)
    pictures, lies = Maps(settings.drawings).new_pictures(game, side, since, "", legend=replaced)
    attached = replace(attachments(game, side, told, since), pictures=pictures)
    stamp = f"{game.name}.{side}.address-{joined.addresses}"
    about = About(game, side, game.adjudication, lies, shared=False)
    return build_letter(settings, NewLetter(game.ledger.addresses[side], stamp, words, attached=attached, about=about))


def _new_player_intro(game: Adjudicator, side: Side, replaced: bool) -> Iterator[str]:
    if replaced:
        others = [side_name(game, each) for each in game.rules.sides if each != side]
        yield (
            f"you take over {side_name(game, side)} in {game.name}, a game of {game.box.title}. It goes on where it "
            f"stands. {listing(others)} will read in the next report that {side_name(game, side)} has a new player."
        )
    else:
        yield f"from now on the letters of {game.name} for {side_name(game, side)} come to this address. Write from it."
    yield "What happened since a sheet of your side was last used stands below, and the order sheet that counts now."


def _orders_left(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield what the side has left with the referee."""
    if game.waits(side):
        yield (
            "Orders of your side are waiting to be used. Another sheet takes their place; WITHDRAW on a line of its "
            "own takes them back."
        )
    if game.standing(side):
        yield "\n".join(["Standing orders of your side are in force:", *standing_list(game, side)])
        yield "STANDING CANCEL ALL on a line of its own cancels them, STANDING CANCEL 1 only the first."


def deputy_letter(game: Adjudicator, side: Side, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter to the deputy of a side, if it has one."""
    deputy = deputy_of(game, side)
    if deputy is None:
        return
    since = last_wrote(game, side)
    contents = report_contents(game, side, ReportScope(since, game.asked(side)))
    told = Report(contents)
    values: dict[str, object] = {
        "deputy": deputy.name,
        "until": deputy.until,
        "intro": folded_paragraphs(_deputy_intro(game, side, deputy.until)),
        "asked": told.asked,
        **heading(game, side),
    }
    words = framed("deputy", game, contents, told, values)
    pictures = Maps(settings.drawings).pictures(game, side, since, legend=True)
    attached = replace(attachments(game, side, told, since), pictures=pictures)
    named = game.ledger.deputyship(side).named
    stamp = f"{game.name}.{side}.deputy-{named}"
    yield build_letter(
        settings, NewLetter(deputy.address, stamp, words, attached=attached, about=About(game, side, shared=False))
    )


def _deputy_intro(game: Adjudicator, side: Side, until: str) -> Iterator[str]:
    player, name = game.player(side), side_name(game, side)
    yield (
        f"{player} plays {name} in {game.name}, a game of {game.box.title}, and has named you as deputy up to {until}, "
        f"that day included. Write in place of {player} from this address. {player} may still write as well: the last "
        "sheet that came before it is used is the one that counts. What the side is written goes to both of you."
    )
    yield (
        "You give its orders, ask, and talk to the others. To resign or agree to a draw or a rollback, and to change "
        "keys and settings of the side, is for the player alone. If you do not want this, you need not do anything."
    )
