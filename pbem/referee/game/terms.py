"""The terms of a clock, as the charter publishes them, and the time zones that they name.

```
clock:
  zone: Europe/Berlin                          # deadlines, days and hours are those of this zone
  pace: {bank: 3d, bonus: 12h, most: 14d}      # a time bank for each side
  deadlines: [sunday 20:00]                    # deadlines at fixed times of the week
  notice: 24h                                  # such a deadline counts for whoever was asked so long before
  stopped: moved                               # one while a clock stands still is moved to later; or: skipped
  quiet: {days: [saturday], hours: 22:00-07:00}  # does not count for the bank
  away: 28                                     # days of vacation for each side in a calendar year
  pause: 30d                                   # the longest pause
  grace: 6h                                    # no deadline so soon after the service was down for longer
  hold: 20m                                    # how long a sheet waits before it is carried out
  newcomer: 2d                                 # the bank of a player who takes a side over holds at least so much
  late: default                                # or: bot, wait
  forfeit: 3                                   # a side that is late for the third time resigns
  master: rome                                 # the side that the game master plays
```

Zones are those of the package `tzdata` alone: every machine with the same version of it counts the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache, cached_property
from importlib.resources import files
from re import compile as pattern
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from pbem.game.wording import listing
from pbem.protocol import PbemError, Record, Side

T = TypeVar("T")
DEFAULT: Final = "default"
"""A late side's questions are answered by their defaults."""
BOT: Final = "bot"
"""The bot plays for a late side until another side is asked."""
WAIT: Final = "wait"
"""The game waits for a late side."""
WHEN_LATE: Final = (DEFAULT, BOT, WAIT)
MOVED: Final = "moved"
"""A fixed deadline at which a clock stands still is moved: the side has as much time then as it had left before."""
SKIPPED: Final = "skipped"
"""Such a deadline does not count for the side; the next one does."""
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS: Final = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_DURATION: Final = pattern(r"(?:(\d{1,3})w)?\s*(?:(\d{1,4})d)?\s*(?:(\d{1,5})h)?\s*(?:(\d{1,6})m)?\s*(?:(\d{1,7})s)?")
_TIME: Final = pattern(r"([01]?\d|2[0-3]):([0-5]\d)")
_ZONE: Final = pattern(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}")
_LONGEST: Final = timedelta(days=1000)
_NOTHING: Final = timedelta(0)
_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)
_PACE: Final = ("bank", "bonus", "most")


class UnknownZone(PbemError, LookupError):
    """A name that is no time zone."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone: from local time to instants and back."""

    name: str
    info: ZoneInfo

    def local(self, at: datetime) -> datetime:
        """Return the local time of an instant."""
        return at.astimezone(self.info)

    def instant(self, local: datetime) -> datetime:
        """Return the instant of a local time without a zone.

        A time that does not exist is the next that does. A time that comes twice is the first.
        """
        at = local.replace(tzinfo=self.info, fold=0).astimezone(UTC)
        if at.astimezone(self.info).replace(tzinfo=None) == local:
            return at
        early = local.replace(tzinfo=self.info, fold=1).astimezone(UTC)  # in a gap: before the clocks are changed
        offset = at.astimezone(self.info).utcoffset()
        while at - early > _SECOND:
            middle = early + timedelta(seconds=(at - early) // _SECOND // 2)
            if middle.astimezone(self.info).utcoffset() == offset:
                at = middle
            else:
                early = middle
        return at


@cache
def time_zone(name: str) -> Zone:
    """Return a time zone by its name, such as `Europe/Berlin`. Raises UnknownZone."""
    folder, found = files("tzdata.zoneinfo"), _ZONE.fullmatch(name)
    path = folder.joinpath(*name.split("/")) if found else folder
    try:
        with path.open("rb") as file:
            return Zone(name, ZoneInfo.from_file(file, key=name))
    except (OSError, ValueError):
        raise UnknownZone(
            f"{name!r} is no time zone; write one such as Europe/Berlin, America/New_York or UTC"
        ) from None


class BadTerms(PbemError, ValueError):
    """The terms of a clock that cannot be played with; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A time bank of each side: what it begins with, what each awaited answer adds, and the most that it holds."""

    bank: timedelta
    bonus: timedelta
    most: timedelta


@dataclass(frozen=True, slots=True, order=True)
class Weekly:
    """A deadline at a time of the week, in the zone of the game; Monday is day 0."""

    day: int
    at: time

    def __str__(self) -> str:
        return f"{DAYS[self.day]} {self.at:%H:%M}"


@dataclass(frozen=True, slots=True)
class Quiet:
    """The time that does not count: days of the week, and hours of each day, which may go over midnight."""

    days: frozenset[int] = frozenset()
    hours: tuple[time, time] | None = None


@dataclass(frozen=True)
class Terms:
    """The terms of a game's clock."""

    zone: str = "UTC"
    pace: Pace | None = None
    deadlines: tuple[Weekly, ...] = ()
    notice: timedelta = timedelta(days=1)
    """A fixed deadline counts for a side that was asked at least so long before."""
    stopped: str = ""
    """What becomes of a fixed deadline at which the clock of a side stands still: `MOVED` or `SKIPPED`; empty: the
    terms are of a game made before they could say it, and it is skipped."""
    quiet: Quiet = field(default_factory=Quiet)
    away: int = 28
    """The days of vacation of each side in a calendar year."""
    pause: timedelta = timedelta(days=30)
    """The longest pause."""
    grace: timedelta = timedelta(hours=6)
    """No deadline falls due so soon after the service was down for longer than that."""
    hold: timedelta = _NOTHING
    """How long a sheet waits before it is carried out."""
    newcomer: timedelta = _NOTHING
    """What the bank of a player who takes a side over holds at least, if that is more than the bonus."""
    late: str = WAIT
    """What happens when a side is late: one of `WHEN_LATE`."""
    forfeit: int = 0
    """A side that is late so often resigns; 0: never."""
    master: Side | None = None
    """The side that the game master plays: pausing, extending and replacing then need the consent of the others."""

    @cached_property
    def where(self) -> Zone:
        """The zone of the game."""
        return time_zone(self.zone)

    @property
    def runs(self) -> bool:
        """Whether any side can be late at all."""
        return self.pace is not None or bool(self.deadlines)

    @property
    def least(self) -> timedelta:
        """What the bank of a player who takes a side over holds at least."""
        bonus = self.pace.bonus if self.pace is not None else _NOTHING
        return max(bonus, self.newcomer) or _DAY

    def record(self) -> dict[str, object]:
        """Return the terms as the charter has them: in one order, each in one way."""
        quiet: dict[str, object] = {}
        if self.quiet.days:
            quiet["days"] = [DAYS[day] for day in sorted(self.quiet.days)]
        if self.quiet.hours is not None:
            first, last = self.quiet.hours
            quiet["hours"] = f"{first:%H:%M}-{last:%H:%M}"
        pace = None if self.pace is None else self.pace
        return {
            "zone": self.zone,
            **({} if pace is None else {"pace": {word: duration_text(getattr(pace, word)) for word in _PACE}}),
            **({"deadlines": [str(each) for each in self.deadlines]} if self.deadlines else {}),
            **({"notice": duration_text(self.notice)} if self.deadlines else {}),
            **({"stopped": self.stopped} if self.deadlines and self.stopped else {}),
            **({"quiet": quiet} if quiet else {}),
            "away": self.away,
            "pause": duration_text(self.pause),
            "grace": duration_text(self.grace),
            "hold": duration_text(self.hold),
            **({"newcomer": duration_text(self.newcomer)} if self.newcomer else {}),
            "late": self.late,
            **({"forfeit": self.forfeit} if self.forfeit else {}),
            **({"master": self.master} if self.master is not None else {}),
        }


def terms_of_new_game(record: Record, sides: Collection[Side], *, has_bot: bool = True) -> Terms:
    """Return the terms of a game that is made now. Raises BadTerms.

    Where they do not say what becomes of a deadline at which a clock stands still, it is moved.
    """
    terms = read_terms(record, sides, has_bot=has_bot)
    return terms if terms.stopped else replace(terms, stopped=MOVED)


def read_terms(record: Record, sides: Collection[Side], *, has_bot: bool = True) -> Terms:
    """Return the terms that a mapping says, for a game of these sides. Raises BadTerms."""
    if not isinstance(record, Mapping):
        raise BadTerms("the terms of a clock are a mapping, such as `pace: {bank: 3d, bonus: 12h, most: 14d}`")
    usual = Terms()
    known = {**_READERS, "master": lambda value: _one_of(value, sides, "master"), "zone": _read_zone}
    if strange := [str(word) for word in record if word not in known]:
        raise BadTerms(f"a clock has no {listing(strange)}; it may have {listing(sorted(known))}")
    said = {word: read(record[word]) for word, read in known.items() if word in record}
    terms = Terms(**{**{word: getattr(usual, word) for word in known}, **said})
    if not terms.runs and terms.hold == _NOTHING:
        raise BadTerms("a clock needs a pace, such as {bank: 3d, bonus: 12h, most: 14d}, or deadlines, or both")
    if terms.newcomer > (terms.pace.most if terms.pace is not None else _NOTHING):
        raise BadTerms("`newcomer` is at most what a bank holds at most, and needs a pace")
    if terms.late == BOT and not has_bot:
        raise BadTerms("this game has no bot to play for a late side: `late` is default or wait")
    return terms


def duration(text: object, longest: timedelta = _LONGEST) -> timedelta:
    """Return a duration that is written in weeks, days, hours, minutes and seconds. Raises BadTerms.

    >>> duration("3d 12h"), duration("20m"), duration("0s")
    (datetime.timedelta(days=3, seconds=43200), datetime.timedelta(seconds=1200), datetime.timedelta(0))
    """
    written = str(text).strip().lower()
    found = _DURATION.fullmatch(written) if written != "0" else _DURATION.fullmatch("0s")
    if found is None or not any(found.groups()):
        raise BadTerms(f"{text!r} is no duration; write it as 3d, 12h, 20m or 3d 12h")
    parts = zip(found.groups(), _UNITS.values(), strict=True)
    total = timedelta(seconds=sum(int(number or 0) * seconds for number, seconds in parts))
    if total > longest:
        raise BadTerms(f"{text!r} is longer than {longest.days} days")
    return total


def duration_text(span: timedelta) -> str:
    """Return a duration as `duration` reads it.

    >>> duration_text(timedelta(days=3, hours=12)), duration_text(timedelta(0))
    ('3d 12h', '0s')
    """
    left, parts = int(span.total_seconds()), []
    for unit, seconds in list(_UNITS.items())[1:]:
        number, left = divmod(left, seconds)
        if number:
            parts.append(f"{number}{unit}")
    return " ".join(parts) or "0s"


def weekly(text: object) -> Weekly:
    """Return a deadline at a time of the week, such as `sunday 20:00`. Raises BadTerms."""
    word, _, at = str(text).strip().lower().partition(" ")
    return Weekly(_read_day(word), _read_time(at))


def _read_pace(value: object) -> Pace:
    said = _read_mapping(value, _PACE, "pace")
    if "bank" not in said:
        raise BadTerms("a pace needs a bank, such as {bank: 3d, bonus: 12h, most: 14d}")
    bank = duration(said["bank"])
    bonus = duration(said.get("bonus", "0s"))
    most = duration(said["most"]) if "most" in said else max(bank, bonus)
    if bank <= _NOTHING:
        raise BadTerms("the bank of a pace must be more than nothing")
    if most < bank or most < bonus:
        raise BadTerms("a pace has `most` of at least its bank and its bonus")
    return Pace(bank, bonus, most)


def _read_quiet(value: object) -> Quiet:
    said = _read_mapping(value, ("days", "hours"), "quiet")
    days = frozenset(_read_day(each) for each in _as_list(said.get("days", [])))
    if len(days) == len(DAYS):
        raise BadTerms("quiet days: on at least one day of the week time must count")
    if "hours" not in said:
        return Quiet(days)
    first, _, last = str(said["hours"]).partition("-")
    hours = _read_time(first), _read_time(last)
    if hours[0] == hours[1]:
        raise BadTerms("quiet hours must begin and end at two times, such as 22:00-07:00")
    return Quiet(days, hours)


def _read_day(value: object) -> int:
    word = str(value).strip().lower()
    found = [number for number, day in enumerate(DAYS) if len(word) >= 2 and day.startswith(word)]
    if len(found) != 1:
        raise BadTerms(f"{value!r} is no day of the week; write {listing(list(DAYS), 'or')}")
    return found[0]


def _read_time(value: object) -> time:
    found = _TIME.fullmatch(str(value).strip())
    if found is None:
        raise BadTerms(f"{str(value).strip()!r} is no time of a day; write it as 20:00")
    return time(int(found[1]), int(found[2]))


def _read_zone(value: object) -> str:
    try:
        return time_zone(str(value)).name
    except UnknownZone as wrong:
        raise BadTerms(str(wrong)) from None


def _read_number(value: object, most: int, word: str) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise BadTerms(f"{word} is a number from 0 to {most}, not {value!r}")
    return value


def _one_of(value: object, words: Collection[str], what: str) -> str:
    if str(value) not in words:
        raise BadTerms(f"{what} is {listing(sorted(words), 'or')}, not {value!r}")
    return str(value)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _read_mapping(value: object, words: Collection[str], what: str) -> Record:
    if not isinstance(value, Mapping) or not value.keys() <= set(words):
        raise BadTerms(f"{what} is a mapping of {listing(list(words))}")
    return value


_READERS: Final[dict[str, Callable[[object], object]]] = {
    "pace": _read_pace,
    "deadlines": lambda value: tuple(sorted({weekly(each) for each in _as_list(value)})),
    "notice": duration,
    "stopped": lambda value: _one_of(value, (MOVED, SKIPPED), "stopped"),
    "quiet": _read_quiet,
    "away": lambda value: _read_number(value, 366, "away"),
    "pause": duration,
    "grace": duration,
    "hold": duration,
    "newcomer": duration,
    "late": lambda value: _one_of(value, WHEN_LATE, "late"),
    "forfeit": lambda value: _read_number(value, 99, "forfeit"),
}
