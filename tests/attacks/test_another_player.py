"""A side is given away in silence, or what the record says of its new player is altered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pbem import verify_one
from pbem.audit.verify import verify
from pbem.game import yaml as yamlio
from pbem.repo.files.layout import joined_path
from tests.attacks.base import Dishonest, opened
from tests.support.live import Folder, git
from tests.support.new_players import OLD, go_on, joined, replaced
from tests.support.new_players import folder as folder
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS


class _Forges(Dishonest):
    """Changes what a file of the record says as it is committed."""

    what: tuple[str, bytes, bytes] = "", b"", b""

    def files(self, files: dict[str, bytes], message: str) -> Mapping[str, bytes]:
        path, old, new = self.what
        return {
            each: content.replace(old, new) if path and path in each else content for each, content in files.items()
        }


class _Quiet(Dishonest):
    """States nothing of a new player, so that nobody is told why their chain has ended."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        return {word: value for word, value in stated.items() if word != "joined" or n == 1}


@pytest.mark.parametrize(
    ("what", "found"),
    quick_first(
        [
            (("joined/", b"player: 2", b"player: 3"), "red has player 3 after player 1"),
            (("joined/", b"player: 2\n", b"key: age1\nplayer: 2\n"), "red has a new player, who begins with a key"),
            (("turns/", b"new_player, side: red", b"new_player, side: blue"), ""),
            (("turns/", b"player: 2", b"player: 3"), "what it states of new players"),
        ],
        2,
    ),
)
def test_a_forged_player_is_found(folder: Folder, what: tuple[str, bytes, bytes], found: str) -> None:
    with opened(folder, _Forges) as game:
        game.what = what
        replaced(game)
        n = game.adjudication
        try:
            go_on(game, 2, OLD)
        except Exception:
            assert game.adjudication >= n
        keys = game.ledger.keys
        wrong = [str(each) for each in verify(game.path, folders=FOLDERS, keys=lambda _: keys).findings.sorted]
    assert wrong
    assert found in " ".join(wrong)


def test_a_chain_that_ends_without_a_new_player_shows(
    folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a side that is given away in silence the links are missing, and both verifiers say so on the day."""
    with opened(folder, _Quiet) as game:
        replaced(game)
        go_on(game, 1, OLD)
        wrong = [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted]
        assert any("what it states of new players is not what is on file" in each for each in wrong)
        assert any("red has a chain of its own; what it gives is not there" in each for each in wrong)
        git(game.path, "clone", "-q", str(game.path), str(tmp_path / "clone"))
        with pytest.raises(SystemExit):
            verify_one.main(str(tmp_path / "clone"))
        assert capsys.readouterr().err.endswith("who joins opens links later\n")


def test_a_chain_cannot_be_taken_away_from_the_same_player(folder: Folder) -> None:
    """Its tip stands in the file of what they mailed; to drop it is seen there."""
    with folder.open() as game:
        files = {joined_path("red"): yamlio.dump({"key": joined(game)["key"]}).encode()}
        game.ledger.commit(files, "punica: red joins")
        wrong = [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted]
    assert any("phrase and chain of red are changed after the first shuffle" in each for each in wrong)
