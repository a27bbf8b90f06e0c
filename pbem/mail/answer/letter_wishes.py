"""The commands about the letters that a player gets: NEWS, RENEW, ZONE and CALENDAR. None of it is part of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game.wording import listing
from pbem.mail.answer.command import Command, CommandTask
from pbem.mail.notes.correspondence import REPORTED, NewsWish, choose_calendar, choose_news, choose_zone
from pbem.mail.notes.reader_time import EXAMPLE, MORNING, reader_zone, time_shown, zone_named
from pbem.mail.read.commands import Word
from pbem.mail.read.token import renew
from pbem.referee.game.open_game import CannotPlay

_NEWS: Final[Mapping[NewsWish, str]] = {
    NewsWish.EVERY: "you are told what happened after each adjudication.",
    NewsWish.ROUND: "you are told what happened when you are asked next, or when a round of the game is over.",
    NewsWish.DAILY: "you are told what happened when you are asked next, or else once a day, at "
    f"{MORNING} in your time zone, all in one letter.",
    NewsWish.ASKED: "you are told what happened when you are asked next, all in one letter.",
}


def choose_news_by_word(task: CommandTask) -> str:
    """Note when a side is told what has happened if nothing is asked of it, and return the answer."""
    game, side, word = task.game, task.side, task.last_word.lower()
    if word not in [*NewsWish]:
        raise CannotPlay(f"write one of these words after it: {listing(list(NewsWish), 'or')}")
    told = REPORTED.read(game.path)
    told = game.adjudication if told is None else min(told, game.adjudication)
    wanted = choose_news(game.path, side, NewsWish(word), told, task.digest)
    return f"NEWS: {_NEWS[wanted]}"


def renew_token(task: CommandTask) -> str:
    """Give a side a new token. The number of tokens it has had is noted, and is not part of the game."""
    if task.rest not in ("", task.game.name):
        raise CannotPlay("write it on a line of its own, without other words")
    renew(task.game, task.side, task.digest)
    return (
        "RENEW: your letters have a new key from this one on. Answer this letter or a later one; a letter that has "
        "only an earlier key is refused."
    )


def choose_zone_by_word(task: CommandTask) -> str:
    """Note the time zone in which a player reads times, and return the answer."""
    named = zone_named(task.last_word)
    if named is None:
        raise CannotPlay(f"write the name of a time zone after it, such as {EXAMPLE}, or UTC")
    choose_zone(task.game.path, task.side, named.key, task.digest)
    own = reader_zone(task.game, task.side)
    return f"ZONE: times in your letters are those of {own.key}, and UTC. It is {time_shown(task.game.time, own)} now."


def choose_calendar_by_word(task: CommandTask) -> str:
    """Note whether letters that ask something bring a file for a calendar, and return the answer."""
    word = task.last_word.lower()
    if word not in ("on", "off"):
        raise CannotPlay("write one of these words after it: on or off")
    if choose_calendar(task.game.path, task.side, word == "on", task.digest):
        return (
            "CALENDAR: each letter that asks something of you has its deadline enclosed, as a file for your calendar."
        )
    return "CALENDAR: your letters have no file for a calendar."


NEWS: Final = Command(
    word=Word("NEWS", shape=r"(?i:(?:[\w.-]+\s+)?(?:every|round|daily|asked))"),
    does=choose_news_by_word,
    is_of_the_player=True,
    is_explained=True,
    help=("NEWS asked", "what happened is told with your next question"),
    docs=(("NEWS word", "`every`, `round`, `daily` or `asked`: when you are [told what happened](#fewer-letters)"),),
)
RENEW: Final = Command(
    word=Word("RENEW"),
    does=renew_token,
    is_of_the_player=True,
    help=("RENEW", "a new key for your letters, if somebody has seen yours"),
    docs=(("RENEW", "gives your letters a [new key](#how-the-referee-knows-you)"),),
)
ZONE: Final = Command(
    word=Word("ZONE", shape=r"(?:[\w.-]+\s+)?(?:UTC|[A-Za-z]+(?:/[\w+-]+){1,2})"),
    does=choose_zone_by_word,
    is_of_the_player=True,
    help=("ZONE", "and the name of your time zone, such as Europe/Berlin: times are then told in it, and in UTC"),
    docs=(("ZONE Europe/Berlin", "tells times in your letters in that time zone, too"),),
)
CALENDAR: Final = Command(
    word=Word("CALENDAR", shape=r"(?i:(?:[\w.-]+\s+)?(?:on|off))"),
    does=choose_calendar_by_word,
    is_of_the_player=True,
    help=("CALENDAR on", "deadlines are enclosed, as files for your calendar"),
    docs=(
        ("CALENDAR on", "encloses each [deadline](#deadlines) as a file for your calendar; `CALENDAR off` ends that"),
    ),
)
COMMANDS: Final = (NEWS, RENEW, ZONE, CALENDAR)
