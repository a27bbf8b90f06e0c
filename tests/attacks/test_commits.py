"""Attacks between the turns: commits of no kind, files sealed again, commits that nothing handed in makes."""

from __future__ import annotations

import pytest

from pbem.engine.session import Queued
from pbem.repo.files import layout
from pbem.repo.files.layout import POSITION, STATE, sheet_path, standing_path
from pbem.repo.files.state import State
from tests.attacks.base import STANDING, Dishonest, begun, found, go_on
from tests.support.live import Folder, order


def state_of(game: Dishonest) -> State:
    state = game.ledger.state()
    assert state is not None
    return state


def test_a_position_changed_between_the_turns_shows(folder: Folder) -> None:
    with begun(folder, Dishonest) as game:
        go_on(game, 6)
        position = game.ledger.repo.read(POSITION)
        assert position is not None
        sha = game.ledger.commit({POSITION: position.replace(b"west: red", b"west: blue")}, "punica: a small change")
        go_on(game, 4)
        assert found(game)[0] == f"commit {sha[:12]}: no commit of a game changes just these: position.yaml"


class MovesWithASheet(Dishonest):
    """Changes the position with the commit of a sheet."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        position = self.ledger.repo.read(POSITION)
        if message == "punica: sheet 4 of red" and position is not None:
            files[POSITION] = position.replace(b"west: red", b"west: blue")
        return files


def test_a_position_changed_with_a_sheet_shows(folder: Folder) -> None:
    with begun(folder, MovesWithASheet) as game:
        go_on(game, 9)
        assert "no commit of a game changes just these: position.yaml, sheet" in found(game)[0]


def test_a_state_sealed_again_for_nothing_shows(folder: Folder) -> None:
    with begun(folder, Dishonest) as game:
        go_on(game, 3)
        sha = game.ledger.commit(game.ledger.checkpoint_files(state_of(game)), "punica: sheet 2 of blue")
        game.forget()
        go_on(game, 4)
        assert found(game)[0] == f"commit {sha[:12]}: no commit of a game changes just these: sealed/state.age"


def test_a_sheet_sealed_again_shows(folder: Folder) -> None:
    with begun(folder, Dishonest) as game:
        go_on(game, 3)
        files, path = (
            game.ledger.sheet_files(State(0, {}, []), "red", game.ledger.sheet("red", 1)),
            sheet_path("red", 1),
        )
        sha = game.ledger.commit(files, "punica: sheet 1 of red")
        go_on(game, 4)
        said = f"{path}: is changed by commit {sha[:12]} (punica: sheet 1 of red); it must stay as it was"
        assert found(game)[0] == said


def test_a_consent_to_nothing_shows_at_the_end(folder: Folder) -> None:
    """A letter that consents to a request which was never made: nothing that was handed in makes such a commit."""
    with begun(folder, Dishonest) as game:
        go_on(game, 3)
        note = game.ledger.letter_files("ab", {"side": "blue", "consents": 1, "after": game.adjudication})
        sha = game.ledger.commit(note, "punica: blue consents to request 1")
        game.forget()
        go_on(game, 4)
        assert found(game) == []
        said = f"commit {sha[:12]}: it cannot be derived: there is no request"
        assert found(game, with_key=True) == [said]


class OtherOrdersWait(Dishonest):
    """Puts other orders into the state that it keeps than the second sheet of red gives, and plays on with them."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if message == "punica: sheet 2 of red" and (now := self.current().state) is not None:
            now.pending["red"] = [Queued(order("bid", card="lowest"), "sheet 2")]
        return files


def test_other_orders_in_the_sealed_state_show_at_the_end(folder: Folder) -> None:
    with begun(folder, OtherOrdersWait) as game:
        go_on(game, 9)
        assert found(game) == []
        assert found(game, with_key=True)[0].startswith("turn 3: answers 1.order.card: on record is ")


class SaysOtherwise(Dishonest):
    """Puts another message on the commit of turn 4."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes] | None:
        if message.startswith("punica: adjudication 4\n"):
            self.ledger.repo.commit(files, "punica: adjudication 4\n\nall is well")
            return None
        return files


def test_another_message_of_a_commit_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, SaysOtherwise) as game:
        go_on(game, 9)
        assert found(game) == []
        assert (
            r"its message is 'punica: adjudication 4\n\nall is well'; what was handed in makes it"
            in found(game, with_key=True)[0]
        )


class KeepsAStandingOrder(Dishonest):
    """Leaves the file of the standing orders as it was, although the sheet cancels them."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if message == "punica: sheet 2 of red":
            files.pop(standing_path("red"))
        return files


def test_a_file_left_as_it_was_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, KeepsAStandingOrder) as game:
        head = b"game: punica\nside: red\nadjudication: 1\n"
        game.file("red", head + STANDING)
        game.file("red", head + b"standing: []\n")
        go_on(game, 6)
        said = "standing/red.age, it is not changed, but what was handed in changes it"
        assert any(each.endswith(said) for each in found(game, with_key=True))


class FilesStandingOrders(Dishonest):
    """Writes the file of the standing orders with a sheet that has none."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if message == "punica: sheet 2 of red" and (now := self.current().state) is not None:
            now.standing["red"] = []
            files |= self.ledger.standing_files(now, "red")
        return files


def test_a_file_changed_for_nothing_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, FilesStandingOrders) as game:
        go_on(game, 9)
        said = "standing/red.age, it is changed, and nothing that was handed in changes it"
        assert any(each.endswith(said) for each in found(game, with_key=True))


class CommitsAnotherState(Dishonest):
    """Commits a state in which the hands are swapped, where an opening without the cache of the referee would begin."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if STATE in files:
            state = state_of(self)
            hands = state.checkpoint["hands"]
            hands["red"], hands["blue"] = hands["blue"], hands["red"]
            files |= self.ledger.checkpoint_files(state)
        return files


def test_another_state_on_record_shows_at_the_end(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "CHECKPOINT_EVERY", 4)
    with begun(folder, CommitsAnotherState) as game:
        go_on(game, 5)
        assert found(game) == []
        assert found(game, with_key=True)[0].startswith("turn 4: sealed/state.age, checkpoint.hands.")
