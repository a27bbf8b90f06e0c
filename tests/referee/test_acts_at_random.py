"""Play, rollbacks and rulings in any order: the game always resumes, replays, verifies, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.referee.acts import consents, rollback, ruling
from pbem.referee.acts.preconditions import valid_adjudications
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import ROLLBACK
from tests.support.chance import seed_of
from tests.support.live import Folder, pick, play, sheet
from tests.support.soak import quick_first, scaled
from tests.support.walks import FOLDERS

REASON = "at random"


class _Course:
    """One game under a random course of acts."""

    def __init__(self, folder: Folder, game: Adjudicator, seed: int) -> None:
        self.folder, self.game, self.random = folder, game, Random(seed)
        self.stood: dict[int, Any] = {}

    def state(self) -> Any:
        return self.game.ledger.state()

    def stand(self) -> Any:
        """Return all that a rollback must bring back."""
        session = self.game.session
        asked = [(each.side, each.kind, dict(each.facts)) for each in session.open_decisions]
        return self.game.rules.encode(session.position), asked

    def play(self) -> None:
        for _ in range(self.random.randint(1, 4)):
            list(play(self.game, self.random.randrange(10**6), 1))
            self.stood[self.game.adjudication] = self.stand()

    def roll_back(self) -> None:
        stands = valid_adjudications(self.state())[:-1]
        if stands:
            to = self.random.choice(stands[-12:])
            if self.random.random() < 0.5:
                rollback.roll_back(self.game, to, REASON)
            else:
                request = consents.propose(self.game, None, Proposal(ROLLBACK, to=to), REASON)
                for side in self.game.rules.sides:
                    consents.consent(self.game, side, request.request)
            if to in self.stood:
                assert self.stand() == self.stood[to]

    def answer(self, rule: Any = ruling.answer_for_side) -> None:
        if self.game.open_decisions:
            decision = self.random.choice(self.game.open_decisions)
            text = sheet(self.game, decision.side, pick(self.game, decision, self.random))
            receipt, n = rule(self.game, decision.side, text, REASON)
            assert n is not None, str(receipt)

    def set_default(self) -> None:
        self.answer(ruling.set_default)
        if self.random.random() < 0.5:
            self.game.adjudicate(late=self.game.rules.sides)

    def change(self) -> None:
        checkpoint = self.state().checkpoint
        if self.game.charter.rules == "toy":
            hill = self.random.choice(sorted(checkpoint["guards"]))
            ruling.change_position(self.game, {f"guards.{hill}": checkpoint["guards"][hill] + 1}, REASON)
        else:
            ruling.change_position(self.game, {"turn": checkpoint.get("turn", 1) % 8 + 1}, REASON)

    def ask_in_vain(self) -> None:
        stands = valid_adjudications(self.state())[:-1]
        if stands:
            request = consents.propose(self.game, None, Proposal(ROLLBACK, to=self.random.choice(stands)), REASON)
            if self.random.random() < 0.5:
                consents.refuse_request(self.game, self.random.choice(self.game.rules.sides), request.request)

    def step(self) -> None:
        acts = [self.play, self.play, self.roll_back, self.answer, self.set_default, self.change, self.ask_in_vain]
        self.random.choice(acts)()
        self.game.adjudicate()
        self.stood[self.game.adjudication] = self.stand()


def course(folder: Folder, rules: str, seed: int, steps: int) -> None:
    """Let a random course run, and look at what it leaves."""
    with folder.create(rules) as game:
        way = _Course(folder, game, seed)
        for _ in range(steps):
            if game.result is not None:
                break
            way.step()
            with folder.open() as again:
                assert _Course(folder, again, 0).stand() == way.stand()
                assert again.open_decisions == game.open_decisions
        if game.result is None:
            ruling.break_off(game, REASON)
        assert list(replay(game)) == []
    verdict = verify(folder.repo("punica"), keys=lambda name: Keys.load(folder.keys, name), folders=FOLDERS)
    assert [str(each) for each in verdict.findings.sorted] == []


@pytest.mark.parametrize("seed", quick_first(range(3)))
def test_a_course_of_the_toy(tmp_path: Path, seed: int) -> None:
    course(Folder(tmp_path), "toy", seed_of(seed), 14)


@pytest.mark.slow
def test_a_course_of_a_great_game(tmp_path: Path) -> None:
    course(Folder(tmp_path), "rome_carthage", seed_of(), 14)


@pytest.mark.soak
@pytest.mark.parametrize("rules", ["toy", "rome_carthage"])
@pytest.mark.parametrize("seed", range(100, 100 + scaled(30)))
def test_long_courses(tmp_path: Path, rules: str, seed: int) -> None:
    course(Folder(tmp_path), rules, seed_of(seed), 40)
