"""How much post a game makes: the lines of a letter, the letters that answer one, the bytes of a game turn.

Two bots play each of the sample games anew by letters, with the standing orders of the game and `NEWS asked`. Every
letter that they get is measured: its text without what is enclosed, and its bytes with all of it.

A letter that is taken is answered by one to its sender, and by one to the side that is asked next, if that is another:
with `NEWS asked` nobody else is written to. So a game comes near two letters for each one taken if its sides take turns
card by card, as in zama, and near one if a side is asked again and again.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Final

from bench import AT_LEAST, Figure
from pbem.cli.demo import SECRETS
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.write.outgoing import MailSettings, Outgoing
from pbem.protocol import Decision
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines

GAMES: Final = {"zama": ("rome_carthage", "standard"), "cannae": ("hannibal_italy", "short")}
"""The sample games: the rules and the scenario of each."""
PLAYERS: Final = {"carthage": "bob@example.org", "rome": "ann@example.org"}
BEGUN: Final = datetime(2026, 3, 15, 18, 0, tzinfo=UTC)
PLAYS: Final = frozenset({"play", "move"})
"""The questions that a turn is made of: which card to play, which army to march."""
TURNS: Final = frozenset({"turn_begins", "segment_begins"})
"""The events with which a turn of a game begins."""
WORDS: Final = b"standing: default\n\nNEWS asked\n"
SMALL, PLAY, NOTHING = "a small question", "a play", "nothing asked"
MOST_LINES: Final = {SMALL: 40, PLAY: 60, NOTHING: 12}
SHEET_BY: Final = 30
"""The line by which the sheet is to begin."""
BEFORE: Final = {"zama": 20_450, "cannae": 11_217}
"""The KiB of a game turn when every letter told everything to everybody."""
MOST_LETTERS: Final = 2_000


@dataclass(slots=True)
class Post:
    """What the post of one game came to."""

    got: int = 0
    written: int = 0
    bytes: int = 0
    turns: int = 0
    lines: dict[str, list[int]] = field(default_factory=lambda: {SMALL: [], PLAY: [], NOTHING: []})
    """How many lines each letter has, by what it asks."""
    sheets: list[int] = field(default_factory=list)
    """The line at which the sheet of each letter begins that has one."""


def figures() -> Iterator[Figure]:
    """Yield the figures of each sample game, and of both how many letters answer one."""
    got = written = 0
    for name in GAMES:
        post = play(name)
        got, written = got + post.got, written + post.written
        for asks, most in MOST_LINES.items():
            if counts := post.lines[asks]:
                yield Figure(f"{name}: median letter, {asks}", statistics.median(counts), "lines", most)
        early = sum(line <= SHEET_BY for line in post.sheets) / max(len(post.sheets), 1)
        yield Figure(f"{name}: sheet by line {SHEET_BY}", 100 * early, "%", 90, AT_LEAST)
        yield Figure(f"{name}: letters written for each one taken", post.written / post.got, "letters")
        yield Figure(f"{name}: post of a game turn", post.bytes / max(post.turns, 1) / 1024, "KiB", BEFORE[name] / 3)
    yield Figure("both: letters written for each one taken", written / got, "letters", 1.7)


def play(name: str) -> Post:
    """Play a sample game by letters, two bots; return what its post came to."""
    rules, scenario = GAMES[name]
    post = Post()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settings = MailSettings(
            home / "games", home / "keys", "pbem <pbem@example.org>", BEGUN, outbox=MaildirOutbox(home / "out")
        )
        new = NewGame(name, rules, scenario=scenario, players=PLAYERS, addresses=PLAYERS, secrets=SECRETS)
        with create_game(settings.games, settings.keys, new) as game:
            game.today = BEGUN.date()
            told = 0
            for side in game.rules.sides:
                take_in(_letter(0, side, _sheet(game, side, []).replace(b"orders:\n", WORDS)), settings)
            for count in range(1, MOST_LETTERS):
                if not game.open_decisions:
                    break
                side = game.open_decisions[0].side
                asked = [each for each in game.open_decisions if each.side == side]
                at = replace(settings, now=BEGUN + timedelta(hours=count))
                handled = take_in(_letter(count, side, _sheet(game, side, asked)), at)
                assert handled.accepted, handled.complaints or handled.notes
                post.got += 1
                with game.lock():
                    for out in handled.letters:
                        _measure(post, game, out)
                events = (each.event.kind for each in game.told(None, told))
                post.turns += sum(kind in TURNS for kind in events)
                told = game.adjudication
    return post


def _sheet(game: Adjudicator, side: str, asked: list[Decision]) -> bytes:
    """Return the sheet of a bot."""
    orders = [game.rules.bot_order(game.view(side), each) for each in asked]
    lines = [line for order in orders for line in order_lines(order.kind, order.body)]
    head = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
    return "\n".join([*head, *lines, ""]).encode()


def _letter(count: int, side: str, text: bytes) -> bytes:
    head = (
        f"From: {PLAYERS[side]}\nTo: pbem@example.org\nSubject: Re: your move\nMessage-ID: <{count}.{side}@example.org>"
        "\nContent-Type: text/plain; charset=utf-8\n\n"
    )
    return head.encode() + text


def _measure(post: Post, game: Adjudicator, out: Outgoing) -> None:
    """Count a letter to a side: its bytes, its lines, the line at which its sheet begins."""
    post.written += 1
    post.bytes += len(out.content)
    text = _text(message_from_bytes(out.content))
    post.lines[_asks(game, out)].append(len(text))
    begin = [at for at, line in enumerate(text, 1) if line.startswith("----- BEGIN ORDERS")]
    post.sheets += begin[:1]


def _text(letter: Message) -> list[str]:
    """Return the lines of a letter's text."""
    first = next(part for part in letter.walk() if part.get_content_type() == "text/plain")
    raw = first.get_payload(decode=True)
    assert isinstance(raw, bytes)
    return raw.decode().strip().splitlines()


def _asks(game: Adjudicator, out: Outgoing) -> str:
    """Return what a letter asks of its sides."""
    sides = game.ledger.sides_of(out.to)
    kinds = {each.kind for each in game.open_decisions if each.side in sides}
    return NOTHING if not kinds else PLAY if kinds & PLAYS else SMALL
