"""The site: static files made of what `pbem publish` gives, with a list of games, a page for each, turn files, a feed.

The same games give the same bytes, and a file that would say the same is not written. Nothing is ever deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pbem.pages.game_page import INDEX, GameRecord, RecordedTurn, game_pages, players, policy, style
from pbem.pages.templates import markup, page
from pbem.render.text.messages import sentences
from pbem.repo.files.layout import CHARTER, turn_path

FEED: Final = "feed.xml"
_MOST_ENTRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Listed:
    """A game as the list of games shows it."""

    name: str
    title: str
    players: str
    stands: str
    last: int
    day: str
    href: str


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An adjudication as the feed tells it."""

    id: str
    title: str
    day: str
    href: str
    summary: str
    at: tuple[str, str, int]


def build(records: Sequence[GameRecord], out: Path, base: str = "") -> list[Path]:
    """Write the site of some games into a folder; return the files that are new or say something new.

    `base` is the address of the site, for links in the feed that must hold anywhere; empty: they are relative.
    """
    files = dict[str, str]()
    for record in records:
        files |= dict(_game_files(record))
    games = [_index_row(record) for record in sorted(records, key=lambda record: record.game)]
    files[INDEX] = page("list.html", title="Games", style=markup(style()), policy=policy(), up="", games=games)
    files[FEED] = _feed(records, base)
    return [path for name, text in sorted(files.items()) if (path := _write_if_changed(out / name, text)) is not None]


def _game_files(record: GameRecord) -> Iterator[tuple[str, str]]:
    """Yield the files of a game: its pages, its charter and its turn files, where its repo has them."""
    folder = record.game
    yield f"{folder}/{CHARTER}", record.charter_text
    for each in record.played:
        yield f"{folder}/{turn_path(each.n)}", each.text
    for name, text in game_pages(record):
        yield f"{folder}/{name}", text


def _write_if_changed(path: Path, text: str) -> Path | None:
    """Write a file unless it says the same; return it if it was written."""
    content = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == content:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content)
    new.replace(path)
    return path


def _index_row(record: GameRecord) -> Listed:
    last = record.played[-1] if record.played else None
    return Listed(
        record.game,
        record.loaded.box.title,
        players(record),
        _standing_after(record, last),
        last.n if last else 0,
        str(last.turn.get("day", "")) if last else "",
        f"{record.game}/{INDEX}",
    )


def _standing_after(record: GameRecord, each: RecordedTurn | None) -> str:
    """Return where a game stands after an adjudication."""
    if each is None:
        return "It has not begun."
    if each.result is not None:
        return f"It is over. {sentences(record.loaded.box).result(each.result)}"
    stands = None if each.view is None else record.loaded.rules.summary(each.view)
    return f"{stands.headline}." if stands is not None and stands.headline else ""


def _feed(records: Iterable[GameRecord], base: str) -> str:
    entries = sorted((each for record in records for each in _entries(record)), key=lambda each: each.at)[::-1]
    entries = entries[:_MOST_ENTRIES]
    updated = entries[0].day if entries else "1970-01-01"
    return page("feed.xml", base=base, updated=updated, entries=entries)


def _entries(record: GameRecord) -> Iterator[FeedEntry]:
    for each in record.played[-_MOST_ENTRIES:]:
        day = str(each.turn.get("day") or "1970-01-01")
        said = [line.text for line in sentences(record.loaded.box).tell(each.events) if not line.tag]
        yield FeedEntry(
            f"urn:x-pbem:{record.charter.dice.tip[:16]}:{each.n}",
            f"{record.game} {each.n}: {_standing_after(record, each)}".rstrip(": "),
            day,
            f"{record.game}/{INDEX}#n={each.n}",
            " ".join(said)[:500],
            (day, record.game, each.n),
        )
