"""The first letter to a side: what game it is, how letters are written, and the phrase that goes into the dice."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.boxes.printed import as_printed
from pbem.game.wording import listing
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs
from pbem.protocol import Side
from pbem.referee.game.open_game import OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail
from pbem.repo.files.charter import PUBLIC, SILENT


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
    return letter(
        settings,
        game.ledger.addresses[side],
        stamp,
        words,
        attached=Attachments(receipt=enclosed(game, side)),
        about=About(game, side),
        id=f"{stamp}.{settings.now:%Y%m%d%H%M%S}",
    )


def heading(game: Adjudicator, side: Side) -> dict[str, object]:
    """Return what the first letters say of a game: title and how much is as printed, edition, players, dice."""
    dice = game.charter.dice
    return {
        "title": game.box.title,
        "printed": as_printed(game.rules, game.box),
        "edition": _edition(game),
        "game": game.name,
        "player": game.player(side),
        "side": called(game, side),
        "players": {called(game, each): game.player(each) for each in game.rules.sides},
        "scheme": dice.scheme,
        "tip": dice.tip,
        "hidden": dice.hidden,
        "beacon": dice.beacon,
        "talk": paragraphs([*_seats(game, side), *_talk(game)]),
    }


def _edition(game: OpenGame) -> str:
    title: str = game.box.table("game")["editions"][game.charter.edition]["title"]
    return f"{title} (experimental)" if game.box.is_experimental(game.charter.edition) else title


def _seats(game: OpenGame, side: Side) -> Iterator[str]:
    """Yield how a player writes who plays other sides, too."""
    own = game.ledger.sides_of(game.ledger.addresses.get(side, ""))
    if len(own) > 1:
        lines = listing([f"`side: {each}`" for each in own], "or")
        yield (
            f"You play {listing([called(game, each) for each in own])}. Each order sheet says for which side it is; "
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


def _begins(game: Adjudicator, side: Side) -> list[str]:
    """Return the lines that tell when the game begins."""
    own = [side, *game.ledger.sides_of(game.ledger.addresses.get(side, ""))]
    others = [called(game, each) for each in game.awaited if each not in own]
    if not others:
        return paragraphs(["The game begins when you have sent it. You then get your first report."])
    players = listing([*others, "you"])
    return paragraphs(
        [
            f"The game begins when {players} have sent a phrase. You then get your first report. Until then, a second "
            "phrase replaces the first."
        ]
    )
