"""Attacks on the answers: orders that nobody gave, from sources that never were, and notices that nobody is sent."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from pbem.crypto.closing import Circumstances
from pbem.crypto.dice import ChainDice
from pbem.engine.answers import Sources
from pbem.engine.session import Queued
from pbem.game import yaml as yamlio
from pbem.orders.standing import InForce
from pbem.protocol import Event, Roll
from pbem.referee.acts.rollback import roll_back
from pbem.referee.play.played import Played
from pbem.repo.files.layout import POSITION, turn_path
from pbem.repo.files.state import State
from tests.attacks.base import Dishonest, answers, begun, found, found_by_small, go_on, written
from tests.support.live import Folder, order


class InventsADefault(Dishonest):
    """Buries a card for blue by default: that question has no default, and blue has sent nothing."""

    def _sources(self, state: State, at: Circumstances) -> tuple[Sources, InForce]:
        sources, standing = super()._sources(state, at)
        if state.adjudication == 1:
            card = self.view("blue").hands["blue"][0]
            sources.sheets["blue"] = [Queued(order("bury", card=card), "default")]
        return sources, standing


def test_an_invented_default_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, InventsADefault) as game:
        go_on(game, 9)
        assert "blue" not in game.ledger.public_turn(2)["sheets"]
        assert found(game) == []
        said = "turn 2: it cannot be derived: nothing was at hand that could have been adjudicated"
        assert found(game, with_key=True)[0] == said


class UsesAWithdrawnSheet(Dishonest):
    """Uses the first sheet of blue, which another has replaced."""

    def _sources(self, state: State, at: Circumstances) -> tuple[Sources, InForce]:
        sources, standing = super()._sources(state, at)
        if state.adjudication == 1 and state.sheets.get("blue") == 2:
            card = self.view("blue").hands["blue"][0]
            sources.sheets["blue"] = [Queued(order("bury", card=card), "sheet 1")]
        return sources, standing


def test_a_withdrawn_sheet_that_is_used_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, UsesAWithdrawnSheet) as game:
        for card in game.view("blue").hands["blue"][:2]:
            assert game.receive("blue", written(game, "blue", order("bury", card=card))).number
        go_on(game, 9)
        assert found(game) == []
        said = "turn 2: what stays hidden of it, the record, "
        assert found(game, with_key=True)[0].startswith(said)


class WordsTheSource(Dishonest):
    """Words freely where an answer of turn 3 came from, which is published with the bids."""

    word = "on the telephone"

    def played(self, n: int, played: Played) -> Played:
        if n == 3:
            played.outcome.answers[0].by = self.word
        return played


def test_a_source_of_another_form_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, WordsTheSource) as game:
        go_on(game, 9)
        assert "by is 'on the telephone', which cannot stand there" in found(game)[0]
        assert found(game)[0].startswith("turn 3: ")
        said = "turn 3: an answer cannot come from on the telephone"
        assert found_by_small(game, tmp_path) == said


class NamesASheetToCome(WordsTheSource):
    """Says that an answer of turn 3 came from a sheet that comes later."""

    word = "sheet 4"


def test_a_sheet_that_has_not_come_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, NamesASheetToCome) as game:
        go_on(game, 9)
        assert found(game)[0] == "turn 3: sheet 4 of red answers, which had not come by then"
        assert found_by_small(game, tmp_path) == "turn 3: an answer cannot come from sheet 4"


class NamesAnotherSource(WordsTheSource):
    """Says that the sheet of red in turn 3 was a default."""

    word = "default"


def test_another_source_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, NamesAnotherSource) as game:
        go_on(game, 9)
        assert found(game) == []
        said = 'turn 3: answers 1.by: on record is "default"; what was handed in makes it "sheet 2"'
        assert found(game, with_key=True)[0] == said


class HidesAnAnswer(Dishonest):
    """Keeps an answer of turn 3 out of the turn file, as if its question were secret."""

    def played(self, n: int, played: Played) -> Played:
        if n == 3:
            played.outcome.answers[0].secret = True
        return played


def test_an_answer_that_is_hidden_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, HidesAnAnswer) as game:
        go_on(game, 9)
        assert found(game) == []
        assert found(game, with_key=True)[0].startswith("turn 3: answers 1.side: on record is ")


class InventsANotice(Dishonest):
    """Tells red alone that an order has expired."""

    def played(self, n: int, played: Played) -> Played:
        if n == 3:
            facts: dict[str, Any] = {"order": "bid", "by": "sheet 1", "reasons": ["it is too late"]}
            played.outcome.events.append(Event("order_expired", facts, None, ("red",)))
        return played


def test_an_invented_notice_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, InventsANotice) as game:
        go_on(game, 9)
        assert found(game) == []
        assert found(game, with_key=True)[0].startswith("turn 3: what stays hidden of it, the record, ")


class DropsNotices(Dishonest):
    """Does not tell red that an order has come to nothing."""

    def played(self, n: int, played: Played) -> Played:
        played.sources.expired.clear()
        return played


def test_a_dropped_notice_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, DropsNotices) as game:
        go_on(game, 2)
        game.receive("red", written(game, "red", *answers(game, "red", Random(1))))
        n = roll_back(game, 1, "the wrong map was sent")
        go_on(game, 9)
        assert found(game) == []
        assert found(game, with_key=True)[0].startswith(f"turn {n}: what stays hidden of it, the record, ")


class RollsOnceMore(Dishonest):
    """Rolls for rain in turn 3, which no rule asks for; the dice fall right."""

    def played(self, n: int, played: Played) -> Played:
        if n == 3:
            faces = ChainDice(played.seed.key, b"").faces("rain", 1, 6)
            roll = Roll("rain", faces, {}, faces[0], None, False, "9")
            played.outcome.rolls.append(roll)
            played.outcome.events.append(Event("roll", {}, "9", roll=roll))
        return played


def test_a_roll_that_no_rule_asks_for_shows_at_the_end(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, RollsOnceMore) as game:
        go_on(game, 9)
        assert "rain" in [roll["name"] for roll in game.ledger.public_turn(3)["rolls"]]
        assert (found(game), found_by_small(game, tmp_path)) == ([], "")
        said = "turn 3: events 2: on record is "
        assert found(game, with_key=True)[0].startswith(said)


class ChangesARoll(Dishonest):
    """Turns the first face of the first roll of the game round."""

    changed = 0

    def played(self, n: int, played: Played) -> Played:
        if played.outcome.rolls and not self.changed:
            self.changed, roll = n, played.outcome.rolls[0]
            roll.total += 7 - 2 * roll.faces[0]
            roll.faces[0] = 7 - roll.faces[0]
            roll.success = roll.total >= 5
        return played


def test_a_roll_that_is_changed_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, ChangesARoll) as game:
        go_on(game, 18, seed=2)
        n = game.changed
        (roll,) = game.ledger.public_turn(n)["rolls"]
        face = roll["faces"][0]
        said = f"the turn file says {face}, the dice say {7 - face}"
        assert found(game)[0] == f"turn {n}, roll 1, {roll['name']}: {said}"
        assert found_by_small(game, tmp_path).startswith(
            f"turn {n}: roll 1, {roll['name']}: the faces are [{7 - face}]"
        )


class AltersThePosition(Dishonest):
    """Shows another round after turn 4, and its digest into the turn file."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if message.startswith("punica: adjudication 4"):
            path = turn_path(4)
            files[POSITION] = files[POSITION].replace(b"round: 2", b"round: 3")
            turn = yamlio.read(files[path], name=path).value
            turn["position"] = sha256(files[POSITION]).hexdigest()
            files[path] = yamlio.dump(turn).encode()
        return files


def test_another_position_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, AltersThePosition) as game:
        go_on(game, 9)
        assert found(game) == []
        assert found(game, with_key=True)[1].startswith("turn 4: position.yaml, round: on record is 3;")
