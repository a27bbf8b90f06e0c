"""How long a player's letter keeps a server busy: from its bytes to the turn committed and both sides' answers.

The letters are replies as mail programs send them (text and HTML, the last report quoted below), to a game of
random play that has been going on for a while. Only letters that carried the game on count.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from unittest.mock import patch

from bench import Figure
from pbem.cli import demo as demonstration
from pbem.crypto import seal as seal_room
from pbem.crypto.seal import new_identity, recipient_of, seal, unseal
from pbem.crypto.signing import sign
from pbem.mail.intake import take_in
from pbem.mail.write import enclosures
from pbem.mail.write.outgoing import MailSettings, side_report
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.new_game import NewGame
from pbem.render.map.pictures import pictures
from pbem.render.text.form import order_lines
from pbem.repo import ledger

GAME = "punica"
RULES = "rome_carthage"
SECRETS = replace(
    demonstration.SECRETS, chain=b"the chain of the bench of letters", hidden=b"the hidden secret of the letters!"
)
PLAYERS = {"carthage": "bob@example.org", "rome": "ann@example.org"}
NOW = datetime(2026, 3, 15, 18, 0, tzinfo=UTC)
BEFORE, COUNTED = 40, 60


def figures() -> Iterator[Figure]:
    """Yield the median milliseconds of a letter, of the pictures in its answers, and of all the rest."""
    with tempfile.TemporaryDirectory() as folder:
        settings = MailSettings(Path(folder), Path(folder) / "keys", "pbem <pbem@example.org>", NOW)
        begin(settings)
        measured = list(letters(settings, Random(218)))
    whole, pictures, sealing = zip(*measured, strict=True)
    rest = [all_of_it - drawn for all_of_it, drawn, _ in measured]
    yield Figure("letter: in all", 1000 * statistics.median(whole), "ms", 150.0)
    yield Figure("letter: the pictures of both sides", 1000 * statistics.median(pictures), "ms", 100.0)
    yield Figure("letter: without the pictures", 1000 * statistics.median(rest), "ms", 40.0)
    yield Figure("letter: sealing, opening, signing", 1000 * statistics.median(sealing), "ms", 5.0)
    yield Figure("letter: in all, one in twenty takes longer", 1000 * statistics.quantiles(whole, n=20)[-1], "ms")


def begin(settings: MailSettings) -> None:
    """Make the game; both players have given a key, so that all is sealed that may have to be."""
    new = NewGame(GAME, RULES, players=PLAYERS, addresses=PLAYERS, secrets=SECRETS)
    with create_game(settings.games, settings.keys, new) as game:
        for side in PLAYERS:
            game.join_side(side, key=recipient_of(new_identity()))


def letters(settings: MailSettings, rng: Random) -> Iterator[tuple[float, float, float]]:
    """Mail random letters; yield the seconds that each took which counts, and those for pictures and for sealing."""
    drawn: list[float] = []
    sealed: list[float] = []
    mailed = 0
    with (
        patch.object(enclosures, "pictures", timed(pictures, drawn)),
        patch.object(seal_room, "seal", timed(seal, sealed)),
        patch.object(seal_room, "unseal", timed(unseal, sealed)),
        patch.object(ledger, "sign", timed(sign, sealed)),
    ):
        while mailed < BEFORE + COUNTED:
            raw = letter(settings, rng)
            drawn.clear()
            sealed.clear()
            started = perf_counter()
            handled = take_in(raw, settings)
            taken = perf_counter() - started
            assert handled.accepted, handled.complaints or handled.notes
            if len(handled.letters) < len(PLAYERS):
                continue  # the other side has to answer too before the game goes on
            mailed += 1
            if mailed > BEFORE:
                yield taken, sum(drawn), sum(sealed)


def timed(call: Callable[..., Any], into: list[float]) -> Callable[..., Any]:
    """Return a call that also notes how many seconds it took."""

    def timing(*args: Any, **options: Any) -> Any:
        begun = perf_counter()
        result = call(*args, **options)
        into.append(perf_counter() - begun)
        return result

    return timing


def letter(settings: MailSettings, rng: Random) -> bytes:
    """Return a letter with random answers to all that the game asks a side now."""
    with open_game(settings.games, settings.keys, GAME) as game:
        side = game.open_decisions[0].side
        view = game.view(side)
        lines = [f"game: {GAME}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
        for decision in game.open_decisions:
            if decision.side == side:
                order = game.rules.legal_orders(view, decision).pick(rng.random)
                assert order is not None
                lines += order_lines(order.kind, order.body)
        return reply(side, "\n".join(lines), side_report(game, side, game.adjudication - 1).text, rng)


def reply(side: str, sheet: str, report: str, rng: Random) -> bytes:
    """Return a sheet as a reply on top of the quoted report, as text and as HTML."""
    said = "On Sun, 15 Mar 2026 at 18:00, pbem <pbem@example.org> wrote:"
    quoted = "\n".join(f"> {line}".rstrip() for line in report.splitlines())
    mail = EmailMessage()
    mail["From"] = f"{side.title()} <{PLAYERS[side]}>"
    mail["To"] = "pbem <pbem@example.org>"
    mail["Subject"] = f"Re: {GAME}"
    mail["Date"] = NOW
    mail["Message-ID"] = f"<{rng.getrandbits(64):x}@mail.example.org>"
    mail.set_content(f"{sheet}\n\nGood luck!\n\n{said}\n\n{quoted}\n", cte="quoted-printable")
    mail.add_alternative(f"<pre>{sheet}</pre><p>{said}</p><blockquote><pre>{report}</pre></blockquote>", subtype="html")
    return mail.as_bytes()
