"""Routing: finds the game that a letter is about, by its text, the letters it answers, and its subject.

A game is looked into only to see whether the sender plays in it, and they are told of no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.seal import CannotOpen
from pbem.game.wording import listing
from pbem.mail.read.letter import Letter
from pbem.mail.read.token import without_token
from pbem.mail.write.outgoing import MailSettings
from pbem.orders.forgive import Answering
from pbem.paths import GAME_NAME
from pbem.protocol import PbemError, Side
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.opening import open_to_look
from pbem.repo.files.layout import PLAYERS
from pbem.repo.files.seats import written_by
from pbem.repo.git import StoreError

_OURS: Final = re.compile(r"<(?:[a-z]+\.(?P<one>[^@]+)\.[0-9a-f]{24}|(?:welcome\.)?(?P<other>[^@]+?))@(?P<host>[^@]+)>")
_REPORT: Final = re.compile(
    r"<(?:[a-z]+\.(?=[^@]*\.[0-9a-f]{24}@))?(?P<game>[^@]+)\.(?P<side>[\w+]+)\.(?P<number>\d{1,9})"
    r"(?:\.sheet-\d+)?(?:\.[0-9a-f]{24})?@(?P<host>[^@]+)>"
)
"""The id of a letter of ours that carries a form, or might have: it tells game, sides (`oak+elm`) and adjudication."""
_TALK: Final = re.compile(r"<talk\.[^@]+@(?P<host>[^@]+)>")
"""The id of a letter of ours that passes on what another side says."""
_FIRST_WORDS: Final = 8
"""Of a subject; a few of them are `Re:` and the like."""


@dataclass(frozen=True)
class Route:
    """The way of one letter to its game. What it shows is looked up once, when it is first asked for."""

    letter: Letter
    settings: MailSettings

    @cached_property
    def meant(self) -> str:
        """The name of the game that the words of the letter are about. Raises CannotPlay.

        It is the game that the letter shows, else the only one in which the sender plays.
        """
        if self.shown is not None:
            return self.shown
        games = self.own_games
        if not games:
            raise CannotPlay(
                f"{self.letter.sender} plays in no game here. Write from the address that you joined with."
            )
        if len(games) == 1:
            return games[0]
        how = "Which game is meant? Answer one of its letters, or add a line such as"
        raise CannotPlay(f"{how} `game: {games[0]}`. You play in {listing(games)}.")

    @cached_property
    def shown(self) -> str | None:
        """The name of the game that the letter shows; None: it shows none. Raises CannotPlay: it shows several.

        First what its sheets, or a line `game: NAME`, say; then the words themselves (`CONSENT punica 1`), the letters
        it answers, the latest first, and the first words of its subject. These count only where the sender plays.
        """
        sheets = self.letter.enclosures
        named = [each.game for each in sheets if each.only_names] or list(dict.fromkeys(each.game for each in sheets))
        if len(named) > 1:
            raise CannotPlay(f"Are its words about {listing(named, 'or')}? Send them in a letter of their own.")
        if named:
            return named[0]
        said = [each.rest.split()[0] for each in self.letter.commands if each.word.names_game and each.rest]
        return self._first_played([*said, *self._hints])

    @cached_property
    def without_sheet(self) -> str | None:
        """The game that orders without a sheet are about: that of the report that they answer, or of a line."""
        if named := [each.game for each in self.letter.enclosures if each.only_names]:
            return named[0]
        return self._first_played(self._hints) if self.report is None else self.report.game

    @cached_property
    def report(self) -> Answering | None:
        """The report that the letter answers; None: it does not show.

        The letter that it replies to tells it, else those before that, the latest first; else the form that it quotes.
        Last comes the game that its subject names, if it is the only one that asks its sender anything. A letter that
        answers what another side says answers no report.
        """
        letter = self.letter
        if self.answers_talk:
            return None
        for report in reports_in(letter.references, self.settings.host):
            if report.side in self._sides_of(report.game) and letter.seat in ("", report.side):
                return report
        for sheet in letter.enclosures:
            if sheet.where == "quoted" and sheet.report is not None:
                return sheet.report
        named = self._first_played(_in_subject(letter.subject))
        asking = {name: self._asks(name) for name in _games_here(self.settings)} if named else {}
        asked = [name for name, reports in asking.items() if reports]
        return asking[asked[0]][0] if asked == [named] and len(asking[asked[0]]) == 1 else None

    @property
    def answers_talk(self) -> bool:
        """Whether the letter replies to one of ours that passes on what another side says."""
        found = _TALK.fullmatch(self.letter.references[-1]) if self.letter.references else None
        return found is not None and found["host"] == self.settings.host

    @cached_property
    def own_games(self) -> list[str]:
        """The games in which the sender plays."""
        return games_of(self.settings, self.letter.sender)

    @property
    def _hints(self) -> Iterator[str]:
        """The games that the letters it answers are about, and the first words of its subject."""
        yield from games_named(self.letter.references, self.settings.host)
        yield from _in_subject(self.letter.subject)

    def _first_played(self, names: Iterator[str] | Sequence[str]) -> str | None:
        """Return the first of some games in which the sender plays."""
        return next((name for name in dict.fromkeys(names) if self._sides_of(name)), None)

    def _sides_of(self, game: str) -> list[Side]:
        return sides_of(self.settings, game, self.letter.sender)

    def _asks(self, name: str) -> list[Answering]:
        """Return the last reports of a game to a player that ask them anything: one for each such side of theirs."""
        sides = [side for side in self._sides_of(name) if self.letter.seat in ("", side)]
        if not sides:
            return []
        settings = self.settings
        try:
            with open_to_look(settings.games, settings.keys, name, folders=settings.boxes) as game:
                return [Answering(name, side, game.adjudication) for side in sides if game.begun and game.asked(side)]
        except (PbemError, OSError, ValueError, TypeError, KeyError):
            return []  # as in `sides_of`


def may_be_about(letter: Letter, own: Sequence[str], host: str) -> list[str]:
    """Return the games that a letter may be about, by what stands in it; no game is opened.

    `own` are the games in which its sender plays. It may turn out to be about another game.
    """
    named = [*dict.fromkeys(each.game for each in letter.enclosures)]
    if named := [name for name in named if name in own]:
        return named
    said = [each.rest.split()[0].lower() for each in letter.commands if each.rest]
    hints = [*said, *games_named(letter.references, host), *_in_subject(letter.subject)]
    found = next((name for name in hints if name in own), None)
    return [found] if found is not None else list(own[:1])


def games_of(settings: MailSettings, sender: str) -> list[str]:
    """Return the games in which an address plays."""
    return [name for name in _games_here(settings) if sides_of(settings, name, sender)]


def sides_of(settings: MailSettings, name: str, sender: str) -> list[Side]:
    """Return the sides that an address may write for in a game; none if there is no such game."""
    if not GAME_NAME.fullmatch(name):
        return []
    try:
        with settings.open_repo(name) as repo:
            day = settings.letter_time.date().isoformat()
            return written_by(repo.read(PLAYERS) or b"", Keys.load(settings.keys, name), sender, day)
    except (StoreError, BadKeys, CannotOpen, OSError, ValueError, TypeError, KeyError):
        return []  # one damaged game must not keep the letters of all the others from being read


def reports_in(references: Sequence[str], host: str | None = None) -> Iterator[Answering]:
    """Yield the reports of ours that a letter refers to, the latest first; of any host, if none is given."""
    for reference in reversed(references):
        found = _REPORT.fullmatch(without_token(reference))
        if found is not None and host in (None, found["host"]):
            for side in found["side"].split("+"):
                yield Answering(found["game"], side, int(found["number"]))


def games_named(references: Sequence[str], host: str) -> Iterator[str]:
    """Yield the names of games that may stand in the ids of our letters, those of the latest first."""
    for reference in reversed(references):
        found = _OURS.fullmatch(without_token(reference))
        if found is None or found["host"] != host:
            continue
        if found["one"]:
            yield found["one"]
        parts = (found["other"] or "").split(".")
        yield from (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))


def _in_subject(subject: str) -> Iterator[str]:
    yield from (word.strip("\"'.,:;!?()[]").lower() for word in subject.split()[:_FIRST_WORDS])


def _games_here(settings: MailSettings) -> Iterator[str]:
    yield from sorted(path.name.removesuffix(".git") for path in settings.games.glob("*.git"))
