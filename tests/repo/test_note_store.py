"""Notes beside a repo: what lies in their files, and what counts where one is damaged."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import pytest

from pbem.repo.files.note_store import number_note, record_note, write_notes


class Mood(StrEnum):
    FAIR = "fair"
    FOUL = "foul"


@dataclass(frozen=True, slots=True)
class Weather:
    mood: Mood = Mood.FAIR
    wind: int | None = None
    gusts: tuple[tuple[str, int], ...] = ()
    of_port: dict[str, tuple[str, ...]] | None = None


WEATHER: Final = record_note("weather.", Weather(), damaged=Weather(Mood.FOUL))
COUNT: Final = number_note("count")


def test_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    now = Weather(Mood.FOUL, 3, (("north", 8),), {"Ostia": ("calm",)})
    WEATHER.write(tmp_path, now, "red")
    file = tmp_path / "weather.red"
    assert WEATHER.read(tmp_path, "red") == now
    assert file.read_bytes() == b'{"gusts": [["north", 8]], "mood": "foul", "of_port": {"Ostia": ["calm"]}, "wind": 3}'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_note_of_each_side_is_its_own(tmp_path: Path) -> None:
    WEATHER.write(tmp_path, Weather(wind=1), "red")
    WEATHER.write(tmp_path, Weather(wind=2), "blue")
    WEATHER.forget(tmp_path, "red")
    WEATHER.forget(tmp_path, "green")
    assert WEATHER.sides(tmp_path) == ["blue"]
    assert not WEATHER.exists(tmp_path, "red")
    assert WEATHER.read(tmp_path, "red") == Weather()


def test_number_is_a_line(tmp_path: Path) -> None:
    assert COUNT.read(tmp_path) is None
    COUNT.write(tmp_path, 12)
    assert (tmp_path / "count").read_bytes() == b"12\n"
    assert COUNT.read(tmp_path) == 12


@pytest.mark.parametrize(
    "content",
    [
        *(
            "",
            "{",
            "[]",
            "12",
            '{"mood": "odd"}',
            '{"mood": 1}',
            '{"wind": "3"}',
            '{"wind": true}',
            '{"gusts": [["n"]]}',
        ),
        *('{"gusts": "n"}', '{"of_port": [1]}', '{"of_port": {"Ostia": "calm"}}', '{"tide": 1}', "\ufffd"),
    ],
)
def test_damaged_note_counts_as_declared(tmp_path: Path, content: str) -> None:
    (tmp_path / "weather.red").write_bytes(content.encode())
    assert WEATHER.exists(tmp_path, "red")
    assert WEATHER.read(tmp_path, "red") == Weather(Mood.FOUL)


def test_draft_is_taken_away_if_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "full").touch()
    with pytest.raises(IsADirectoryError):
        write_notes(tmp_path, {"first": b"1", "second": b"2"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]
