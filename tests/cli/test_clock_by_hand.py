"""Games with a clock whose letters are taken in by hand: when a letter came, and what has fallen due by then."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pbem.cli.runtime import DONE, USAGE, WORLD
from tests.support.blank import blank_pictures
from tests.support.command_line import pbem
from tests.support.live import Folder, git

PLAYERS = ("--player", "red=Ann <ann@example.org>", "--player", "blue=Bob <bob@example.org>")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    return Folder(tmp_path)


pytestmark = pytest.mark.usefixtures("in_the_folder")


def new(*more: str) -> str:
    ran = pbem("new", "punica", "--rules", "toy", *PLAYERS, "--begin", "--yes", *more)
    return str(ran.output) if ran.exit_code == DONE else f"{ran.exit_code}: {ran.output}"


def letter(text: str, came: datetime) -> bytes:
    return (
        f"Received: from mx by mail.example.org; {format_datetime(came)}\nReceived: from far; {format_datetime(came)}\n"
        f"From: ann@example.org\nTo: pbem@example.org\nSubject: Re: punica\nMessage-ID: <{came:%H%M%S}@x>\n\n{text}"
    ).encode()


def test_letter_came_when_its_topmost_line_says(folder: Folder) -> None:
    new("--pace", "3d+12h/14d", "--zone", "Europe/Berlin")
    came = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
    first = (came + timedelta(days=9)).date()
    ran = pbem("letter", stdin=letter(f"game: punica\n\nAWAY {first} to {first}", came))
    assert ran.exit_code == DONE, ran.output
    dates = git(folder.repo("punica"), "log", "--format=%at %s", "main").splitlines()
    assert dates[0].endswith(" punica: red away")
    assert int(dates[0].split()[0]) >= int(dates[1].split()[0])  # time on record never goes back
    row = json.loads(pbem("status", "punica", "--json").output)
    assert row["clock"]["sides"]["red"]["bank"] > 2 * 86_400
    assert len(row["clock"]["sides"]["red"]["away"]) == 1
    assert "red has time until" in pbem("status", "punica").output


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (("--pace", "soon"), USAGE, "no duration"),
        (("--pace", "3d+12h/14d/9d"), USAGE, "such as 3d+12h/14d"),
        (("--deadline", "sunday"), USAGE, "no time of a day"),
        (("--zone", "Berlin", "--pace", "3d"), USAGE, "no time zone"),
        (("--zone", "UTC"), USAGE, "needs a pace"),
    ],
)
def test_clock_that_cannot_be_says_why(folder: Folder, options: tuple[str, ...], code: int, reason: str) -> None:
    said = new(*options)
    assert said.startswith(f"{code}: ")
    assert reason in said
    assert not folder.repo("punica").exists()


def test_terms_stand_in_a_file_and_options_beside_it(folder: Folder) -> None:
    file = folder.path / "clock.yaml"
    file.write_text("pace: {bank: 2d}\nlate: default\nquiet: {days: [saturday]}\n")
    new("--clock", str(file), "--deadline", "wednesday 20:00", "--pace", "4d")
    charter = git(folder.repo("punica"), "show", "main:game.yaml")
    assert 'deadlines: ["wednesday 20:00"]' in charter
    assert 'pace: {bank: "4d"' in charter
    assert "quiet: {days: [saturday]}" in charter


@pytest.mark.parametrize("text", ["clock: 5", "clock: null", "[3d]", "3d"])
def test_file_that_is_no_mapping_says_what_to_write(folder: Folder, text: str) -> None:
    file = folder.path / "clock.yaml"
    file.write_text(text)
    assert "write a mapping, such as `pace: {bank: 3d" in new("--clock", str(file), "--pace", "4d")


def test_nobody_else_says_who_is_late(folder: Folder) -> None:
    new("--pace", "3d")
    ran = pbem("adjudicate", "punica", "--late", "red")
    assert ran.exit_code == WORLD
    assert "the clock of punica says who is late" in ran.output
