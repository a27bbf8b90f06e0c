"""A letter survives the death of the process between any two calls to the system, from its bytes to the outbox."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.audit.explain.replay import replay
from pbem.mail.due import go_on
from pbem.mail.notes.correspondence import REPORTED
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.repo.git import GameRepo
from tests.support.crash import dies, recorded
from tests.support.crashed_letter import LETTER, outbox, take_in
from tests.support.live import NOON, Folder, git, give, letter, order, readable, sheet
from tests.support.soak import quick_first, stride

COMMITS = 4
"""What the letter below sets off: its sheet, and three adjudications by standing orders."""
EVERY = 31
"""In the quick test, so many calls lie between two deaths."""
STANDING = b"standing: [bid: {card: lowest, when: {round: 1}}, assault: {hold: true, when: {round: 1}}]\n"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a game waits for red alone, with its letter beside it."""
    folder = Folder(tmp_path_factory.mktemp("begun"))
    with folder.create() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        for side in ("red", "blue"):
            text = sheet(game, side).replace(b"orders:\n", STANDING)
            assert game.receive(side, text).number is not None
        text = sheet(game, "red", order("bury", card=game.view("red").hands["red"][0]))
    (folder.path / LETTER).write_bytes(letter("red", text))
    return folder.path


@pytest.fixture(scope="module")
def whole(begun: Path) -> Path:
    """Return the folder after the letter was taken in without a death."""
    path = begun.with_name("whole")
    shutil.copytree(begun, path)
    assert not dies(partial(take_in, path), 1_000_000)
    assert len(commits(path)) == len(commits(begun)) + COMMITS
    assert outbox(path) == {"<punica.red.4@localhost>": 1, "<punica.blue.4@localhost>": 1}
    return path


def commits(path: Path) -> list[tuple[str, dict[str, bytes]]]:
    """Return message and what anybody can read of each commit, youngest first; what is sealed differs each time."""
    with GameRepo.open(path / "games" / "punica.git") as repo:
        return [(commit.message, readable(repo, commit.sha)) for commit in repo.history()]


def dies_and_is_taken_in_again(begun: Path, whole: Path, path: Path, at: int, torn: bool) -> bool:
    """Let the process die at a call, look at what is left, take the letter in again; tell whether it died."""
    shutil.copytree(begun, path)
    died = dies(partial(take_in, path), at, torn=torn)
    left, end = commits(path), commits(whole)
    assert left in [end[n:] for n in range(COMMITS + 1)], at
    assert set(outbox(path)) <= set(outbox(whole)), at
    if left != end:
        assert outbox(path) == {}, at
    for _ in range(2):
        take_in(path)
        assert commits(path) == end, at
        assert outbox(path) == outbox(whole), at
    with Folder(path).open() as game:
        assert list(replay(game)) == [], at
    assert git(path / "games" / "punica.git", "fsck", "--strict", "--full", "--no-dangling") == "", at
    shutil.rmtree(path)
    return died


@pytest.mark.parametrize("torn", quick_first([False, True]))
def test_a_letter_whose_reader_dies_is_taken_in_again(begun: Path, whole: Path, tmp_path: Path, torn: bool) -> None:
    first = EVERY // 2 if torn else 1
    for at in count(first, EVERY):
        if not dies_and_is_taken_in_again(begun, whole, tmp_path / str(at), at, torn):
            break
    assert at > 100, "the hook saw too few calls to mean anything"


def test_report_in_the_outbox_is_not_written_again(begun: Path, whole: Path, tmp_path: Path) -> None:
    """The process dies before it notes what it has told; then the service pays what it takes for owed."""
    path = tmp_path / "owed"
    shutil.copytree(begun, path)
    with patch("pbem.mail.write.posting.write_notes", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        take_in(path)
    assert outbox(path) == outbox(whole)
    outbox_there = MaildirOutbox(path / "games" / "outbox")
    settings = replace(Folder(path).office, sender="pbem@localhost", outbox=outbox_there, looked=NOON)
    assert REPORTED.read(path / "games" / "punica.git") != 4
    go_on("punica", NOON, settings)
    assert REPORTED.read(path / "games" / "punica.git") == 4
    assert outbox(path) == outbox(whole)
    take_in(path)
    assert outbox(path) == outbox(whole)


def test_report_of_another_course_is_another_letter(begun: Path, tmp_path: Path) -> None:
    """The game is restored from a copy, and comes to its fourth adjudication by another sheet."""
    path = tmp_path / "restored"
    shutil.copytree(begun, path)
    take_in(path)
    shutil.rmtree(path / "games" / "punica.git")
    shutil.copytree(begun / "games" / "punica.git", path / "games" / "punica.git")
    with Folder(path).open() as game:
        other = sheet(game, "red", order("bury", card=game.view("red").hands["red"][1]))
    (path / LETTER).write_bytes(letter("red", other))
    take_in(path)
    assert outbox(path) == {"<punica.red.4@localhost>": 2, "<punica.blue.4@localhost>": 2}


@pytest.mark.soak
@pytest.mark.parametrize("torn", [False, True])
def test_a_letter_whose_reader_dies_anywhere_is_taken_in_again(
    begun: Path, whole: Path, tmp_path: Path, torn: bool
) -> None:
    for at in count(1, stride(EVERY)):
        if not dies_and_is_taken_in_again(begun, whole, tmp_path / str(at), at, torn):
            break
    assert at > 100


def test_answer_is_written_after_what_it_tells_of_is_on_the_disk(begun: Path, tmp_path: Path) -> None:
    """No answer is written before what it tells of is on the disk."""
    path = tmp_path / "recorded"
    shutil.copytree(begun, path)
    with recorded() as calls:
        take_in(path)
    renamed = [Path(args[1]) for name, args, _ in calls if name in ("rename", "replace")]
    last_commit = max(at for at, target in enumerate(renamed) if target.name == "main")
    answers = [at for at, target in enumerate(renamed) if target.parent == path / "games" / "outbox" / "new"]
    assert len(answers) == 2
    assert min(answers) > last_commit
