"""Routing: finds the game that a letter is about, by its text, the letters it answers, and its subject.

A game is looked into only to see whether the sender plays in it, and they are told of no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.seal import CannotOpen
from pbem.game.wording import listing
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.token import without_token
from pbem.mail.write.outgoing import MailSettings
from pbem.orders.forgive import Answering
from pbem.paths import GAME_NAME
from pbem.protocol import PbemError, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.repo.files.layout import PLAYERS
from pbem.repo.files.seats import written_by
from pbem.repo.git import StoreError

_GAME: Final = re.compile(r"""(?im)^(?:[^\S\n]|\{)*+(["']?)game\1\s*:\s*(["']?)([^\s"'#,}]*)\2""")
_ONLY_NAMES: Final = re.compile(r"\s*(?:(?:game|side)\s*:.*|#.*)?", re.IGNORECASE)
_OURS: Final = re.compile(r"<(?:[a-z]+\.(?P<one>[^@]+)\.[0-9a-f]{24}|(?:welcome\.)?(?P<other>[^@]+?))@(?P<host>[^@]+)>")
_REPORT: Final = re.compile(
    r"<(?:[a-z]+\.(?=[^@]*\.[0-9a-f]{24}@))?(?P<game>[^@]+)\.(?P<side>[\w+]+)\.(?P<number>\d{1,9})"
    r"(?:\.sheet-\d+)?(?:\.[0-9a-f]{24})?@(?P<host>[^@]+)>"
)
"""The id of a letter of ours that carries a form, or might have: it tells game, sides (`oak+elm`) and adjudication."""
_TALK: Final = re.compile(r"<talk\.[^@]+@(?P<host>[^@]+)>")
"""The id of a letter of ours that passes on what another side says."""
_SIDE: Final = re.compile(r"""(?im)^[^\S\n]*+side\s*:\s*["']?(\w+)""")
_NUMBER: Final = re.compile(r"(?im)^[^\S\n]*+adjudication\s*:\s*(\d{1,9})\b")
_FIRST_WORDS: Final = 8
"""Of a subject; a few of them are `Re:` and the like."""


def game_named(enclosure: Enclosure) -> str:
    """Return the name of the game that a sheet is for, as far as it can be read."""
    found = _GAME.search(enclosure.text.decode("utf-8", "replace"))
    return found[3] if found else ""


def only_names(enclosure: Enclosure) -> bool:
    """Tell whether what begins like a sheet is but the line `game: NAME`, for the words of its letter."""
    return all(_ONLY_NAMES.fullmatch(line) for line in enclosure.text.decode("utf-8", "replace").splitlines())


def meant(letter: Letter, settings: MailSettings) -> str:
    """Return the name of the game that the words of a letter are about. Raises CannotPlay.

    It is the game that the letter shows, else the only one in which the sender plays.
    """
    if (name := game_shown(letter, settings)) is not None:
        return name
    games = games_of(settings, letter.sender)
    if not games:
        raise CannotPlay(f"{letter.sender} plays in no game here. Write from the address that you joined with.")
    if len(games) == 1:
        return games[0]
    how = "Which game is meant? Answer one of its letters, or add a line such as"
    raise CannotPlay(f"{how} `game: {games[0]}`. You play in {listing(games)}.")


def game_shown(letter: Letter, settings: MailSettings) -> str | None:
    """Return the name of the game that a letter shows; None: it shows none. Raises CannotPlay: it shows several.

    First what its sheets, or a line `game: NAME`, say; then the words themselves (`CONSENT punica 1`), the letters it
    answers, the latest first, and the first words of its subject. These count only where the sender plays.
    """
    named = [game_named(each) for each in letter.enclosures if only_names(each)]
    named += list(dict.fromkeys(game_named(each) for each in letter.enclosures)) if not named else []
    if len(named) > 1:
        raise CannotPlay(f"Are its words about {listing(named, 'or')}? Send them in a letter of their own.")
    if named:
        return named[0]
    requests = [each.rest for each in letter.commands if each.word.names_game]
    said = [rest.split()[0] for rest in requests if rest]
    names = dict.fromkeys([*said, *games_named(letter.references, settings.host), *_in_subject(letter.subject)])
    return next((name for name in names if _plays(settings, name, letter.sender)), None)


def may_be_about(letter: Letter, own: Sequence[str], host: str) -> list[str]:
    """Return the games that a letter may be about, by what stands in it; no game is opened.

    `own` are the games in which its sender plays. It may turn out to be about another game.
    """
    named = [*dict.fromkeys(game_named(each) for each in letter.enclosures)]
    if named := [name for name in named if name in own]:
        return named
    said = [each.rest.split()[0].lower() for each in letter.commands if each.rest]
    hints = [*said, *games_named(letter.references, host), *_in_subject(letter.subject)]
    found = next((name for name in hints if name in own), None)
    return [found] if found is not None else list(own[:1])


def games_of(settings: MailSettings, sender: str) -> list[str]:
    """Return the games in which an address plays."""
    return [name for name in _games_here(settings) if _plays(settings, name, sender)]


def report_answered(letter: Letter, settings: MailSettings) -> Answering | None:
    """Return the report that a letter answers; None: it does not show.

    The letter that it replies to tells it, else those before that, the latest first; else the form that it quotes. Last
    comes the game that its subject names, if it is the only one that asks its sender anything. A letter that answers
    what another side says answers no report.
    """
    if answers_talk(letter, settings):
        return None
    for report in reports_in(letter.references, settings.host):
        if report.side in sides_of(settings, report.game, letter.sender) and letter.seat in ("", report.side):
            return report
    for sheet in letter.enclosures:
        if sheet.where == "quoted" and (named_in := report_named(sheet)) is not None:
            return named_in
    named = next((name for name in _in_subject(letter.subject) if _plays(settings, name, letter.sender)), None)
    asking = {name: _asks(settings, name, letter) for name in _games_here(settings)} if named else {}
    asked = [name for name, reports in asking.items() if reports]
    return asking[asked[0]][0] if asked == [named] and len(asking[asked[0]]) == 1 else None


def answers_talk(letter: Letter, settings: MailSettings) -> bool:
    """Tell whether a letter replies to one of ours that passes on what another side says."""
    found = _TALK.fullmatch(letter.references[-1]) if letter.references else None
    return found is not None and found["host"] == settings.host


def report_named(sheet: Enclosure) -> Answering | None:
    """Return the report that the heading of a sheet names; None: it names none."""
    text = sheet.text.decode("utf-8", "replace")
    side, number = _SIDE.search(text), _NUMBER.search(text)
    return Answering(game_named(sheet), side[1].lower(), int(number[1])) if side and number else None


def side_in_heading(sheet: Enclosure) -> Side:
    """Return the side that the heading of a sheet names; empty: it names none."""
    found = _SIDE.search(sheet.text.decode("utf-8", "replace"))
    return found[1].lower() if found else ""


def reports_in(references: Sequence[str], host: str | None = None) -> Iterator[Answering]:
    """Yield the reports of ours that a letter refers to, the latest first; of any host, if none is given."""
    for reference in reversed(references):
        found = _REPORT.fullmatch(without_token(reference))
        if found is not None and host in (None, found["host"]):
            for side in found["side"].split("+"):
                yield Answering(found["game"], side, int(found["number"]))


def about(letter: Letter, settings: MailSettings) -> str | None:
    """Return the game that orders without a sheet are about: that of the report that they answer, or of a line."""
    if named := [game_named(each) for each in letter.enclosures if only_names(each)]:
        return named[0]
    if (report := report_answered(letter, settings)) is not None:
        return report.game
    names = [*games_named(letter.references, settings.host), *_in_subject(letter.subject)]
    return next((name for name in names if _plays(settings, name, letter.sender)), None)


def _asks(settings: MailSettings, name: str, letter: Letter) -> list[Answering]:
    """Return the last reports of a game to a player that ask them anything: one for each such side of theirs."""
    sides = [side for side in sides_of(settings, name, letter.sender) if letter.seat in ("", side)]
    if not sides:
        return []
    try:
        with OpenGame.open(settings.games, settings.keys, name, folders=settings.boxes) as game:
            return [Answering(name, side, game.adjudication) for side in sides if game.begun and game.asked(side)]
    except (PbemError, OSError, ValueError, TypeError, KeyError):
        return []  # as in `sides_of`


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


def _plays(settings: MailSettings, name: str, sender: str) -> bool:
    """Tell whether there is a game of this name in which an address plays."""
    return bool(sides_of(settings, name, sender))


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


def _games_here(settings: MailSettings) -> Iterator[str]:
    yield from sorted(path.name.removesuffix(".git") for path in settings.games.glob("*.git"))
