"""Time zones, of the package `tzdata` alone: every machine with the same version of it counts the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from re import compile as pattern
from typing import Final
from zoneinfo import ZoneInfo

from pbem.protocol import PbemError

_NAME: Final = pattern(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}")
_SECOND: Final = timedelta(seconds=1)


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
def zone_of(name: str) -> Zone:
    """Return a time zone by its name, such as `Europe/Berlin`. Raises UnknownZone."""
    folder, found = files("tzdata.zoneinfo"), _NAME.fullmatch(name)
    path = folder.joinpath(*name.split("/")) if found else folder
    try:
        with path.open("rb") as file:
            return Zone(name, ZoneInfo.from_file(file, key=name))
    except (OSError, ValueError):
        raise UnknownZone(
            f"{name!r} is no time zone; write one such as Europe/Berlin, America/New_York or UTC"
        ) from None
