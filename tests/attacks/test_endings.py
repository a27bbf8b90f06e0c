"""A draw or a resignation is made up, or its record altered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pbem.audit.verify import verify
from pbem.referee.acts import consents, ending
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import DRAW, RESIGNATION
from tests.attacks.base import opened
from tests.support.live import Folder
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS


@pytest.fixture
def folder(both_buried: Folder) -> Folder:
    return both_buried


class _Forges(Adjudicator):
    """Writes something else into the next turn file or request."""

    def forge(self, path: str, old: bytes, new: bytes) -> None:
        true = self.ledger.commit

        def commit(files: Mapping[str, bytes], message: str, *derived: Any) -> str:
            forged = {
                p: c.replace(old, new) if p.startswith(path) and p.endswith(".yaml") else c for p, c in files.items()
            }
            return true(forged, message, *derived)

        self.ledger.commit = commit  # type: ignore[method-assign,assignment]


@pytest.mark.parametrize(
    ("path", "old", "new", "found"),
    quick_first(
        [
            ("turns/", b"winner: red", b"winner: blue", "result"),
            ("turns/", b"by: blue", b"by: red", "by red, who cannot do that alone"),
            ("requests/", b"needed: [blue]", b"needed: [red, blue]", "needed"),
            ("turns/", b"reason: resigned", b"reason: draw_agreed", "result"),
            ("turns/", b"kind: resignation,", b"kind: draw,", "'side' has no place in act"),
        ],
        2,
    ),
)
def test_a_forged_resignation_is_found(folder: Folder, path: str, old: bytes, new: bytes, found: str) -> None:
    with opened(folder, _Forges) as game:
        game.forge(path, old, new)
        request = consents.propose(game, "blue", Proposal(RESIGNATION, resigns="blue"))
        ending.end_by_request(game, request)
        wrong = [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted]
    assert wrong
    assert found in " ".join(wrong)


def test_a_draw_that_nobody_agreed_to_is_found(folder: Folder) -> None:
    """The turn file says that all sides consented; the request does not."""
    with folder.open() as game:
        request = consents.propose(game, "red", Proposal(DRAW))
        request.consents = ["red", "blue"]
        ending.end_by_request(game, request)
        wrong = [str(each) for each in verify(game.path, folders=FOLDERS).findings.sorted]
    assert any("it says that the sides consented, and no request says so" in each for each in wrong)
