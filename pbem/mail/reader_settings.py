"""The words about the letters that a player gets: NEWS, ZONE and CALENDAR. Nothing of it is part of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game.wording import listing
from pbem.mail.correspondence import News, choose_calendar, choose_news, choose_zone
from pbem.mail.last_reported import reported
from pbem.mail.reader_time import EXAMPLE, MORNING, shown, zone_named, zone_of
from pbem.mail.task import Task
from pbem.referee.open_game import CannotPlay


def news(task: Task) -> str:
    """Note when a side is told what has happened if nothing is asked of it, and return the answer."""
    game, side, word = task.game, task.side, _word(task).lower()
    if word not in [*News]:
        raise CannotPlay(f"write one of these words after it: {listing(list(News), 'or')}")
    told = reported(game.path)
    told = game.adjudication if told is None else min(told, game.adjudication)
    wanted = choose_news(game.path, side, News(word), told, task.digest)
    return f"NEWS: {_NEWS[wanted]}"


_NEWS: Final[Mapping[News, str]] = {
    News.EVERY: "you are told what happened after each adjudication.",
    News.ROUND: "you are told what happened when you are asked next, or when a round of the game is over.",
    News.DAILY: "you are told what happened when you are asked next, or else once a day, at "
    f"{MORNING} in your time zone, all in one letter.",
    News.ASKED: "you are told what happened when you are asked next, all in one letter.",
}


def zone(task: Task) -> str:
    """Note the time zone in which a player reads times, and return the answer."""
    named = zone_named(_word(task))
    if named is None:
        raise CannotPlay(f"write the name of a time zone after it, such as {EXAMPLE}, or UTC")
    choose_zone(task.game.path, task.side, named.key, task.digest)
    own = zone_of(task.game, task.side)
    return f"ZONE: times in your letters are those of {own.key}, and UTC. It is {shown(task.game.time, own)} now."


def calendar(task: Task) -> str:
    """Note whether letters that ask something bring a file for a calendar, and return the answer."""
    word = _word(task).lower()
    if word not in ("on", "off"):
        raise CannotPlay("write one of these words after it: on or off")
    if choose_calendar(task.game.path, task.side, word == "on", task.digest):
        return (
            "CALENDAR: each letter that asks something of you has its deadline enclosed, as a file for your calendar."
        )
    return "CALENDAR: your letters have no file for a calendar."


def _word(task: Task) -> str:
    """Return the word behind a command; the name of the game may stand between them. Empty: nothing fits."""
    *name, word = task.rest.split() or [""]
    return word if name in ([], [task.game.name]) else ""
