"""The time as readers of letters know it: in their own zone, and in UTC."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pbem.mail.correspondence import correspondence
from pbem.protocol import Side
from pbem.referee.clock.zones import UnknownZone
from pbem.referee.clock.zones import zone_of as named_zone
from pbem.referee.open_game import OpenGame

MORNING: Final = "07:00"
"""When daily news goes out, in the zone of its reader."""
EXAMPLE: Final = "Europe/Berlin"


def zone_named(text: str) -> ZoneInfo | None:
    """Return the time zone of a name, in capitals or not; None: there is none of that name.

    >>> zone_named("europe/berlin")
    zoneinfo.ZoneInfo(key='Europe/Berlin')
    """
    for name in (text, text.upper(), "/".join("_".join(map(_capital, part.split("_"))) for part in text.split("/"))):
        with suppress(UnknownZone):
            return named_zone(name).info
    return None


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:].lower()


def zone_of(game: OpenGame, side: Side) -> ZoneInfo:
    """Return the time zone of the player of a side: their own, else that of the game's clock, else UTC."""
    own, terms = correspondence(game.path, side).zone, game.clock.terms
    with suppress(UnknownZone):
        return named_zone(own or (terms.zone if terms is not None else "UTC")).info
    return named_zone("UTC").info


def shown(at: datetime, zone: ZoneInfo) -> str:
    """Return a time in a zone and, if that is another one, in UTC.

    >>> shown(datetime(2026, 11, 29, 19, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    'Sun 29 Nov 20:00 CET (19:00 UTC)'
    >>> shown(datetime(2026, 11, 29, 23, 30, tzinfo=UTC), ZoneInfo("Asia/Dubai"))
    'Mon 30 Nov 03:30 UTC+04 (Sun 29 Nov 23:30 UTC)'
    """
    own, world = at.astimezone(zone), at.astimezone(UTC)
    if own.utcoffset() == timedelta():
        return f"{_day(world)} {world:%H:%M} UTC"
    name = own.tzname() or ""
    name = f"UTC{name}" if name[:1] in "+-" else name
    again = "" if own.date() == world.date() else f"{_day(world)} "
    return f"{_day(own)} {own:%H:%M} {name} ({again}{world:%H:%M} UTC)"


_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _day(at: datetime) -> str:
    """Return a day in English, whatever the locale."""
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}"


def morning_after(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first time after another that daily news goes out in a zone.

    >>> morning_after(datetime(2026, 3, 28, 12, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin")).isoformat()
    '2026-03-29T05:00:00+00:00'
    """
    own = at.astimezone(zone)
    day = own.date()
    while True:
        found = datetime.combine(day, time.fromisoformat(MORNING), zone).astimezone(UTC)
        if found > at:
            return found
        day += timedelta(days=1)
