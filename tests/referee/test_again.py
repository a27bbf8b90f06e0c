"""What is derived of a game, beside its repo: it can be lost, torn or forged, and the game is the same."""

from __future__ import annotations

import shutil
import stat
import subprocess
import zlib
from pathlib import Path
from random import Random

import pytest

from pbem.audit.verify import verify
from pbem.crypto.seal import CannotOpen, padded, recipient_of, seal
from pbem.game.order_form import compact
from pbem.protocol import Record
from pbem.referee.acts import consents, ruling
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.rollback import roll_back
from pbem.referee.again.engine import Again
from pbem.referee.again.remake import Remaker
from pbem.referee.game.open_game import position_at
from pbem.referee.opening import open_to_read
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.derived import DERIVED, KEPT, Derived, DerivedTurn
from pbem.repo.files import layout
from pbem.repo.files.requests import ROLLBACK
from pbem.repo.git import CommitChanges, GameRepo, Logged
from pbem.repo.ledger import Ledger, NotDerived, read_committed
from pbem.repo.public import publish_game
from tests.support.live import SECRETS, Folder, give, order, pick, play, sheet
from tests.support.walks import FOLDERS


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit the state with every fourth adjudication, so that short games have some."""
    monkeypatch.setattr(layout, "CHECKPOINT_EVERY", 4)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the subject of each commit is added that is made again."""
    subjects: list[str] = []
    make = Remaker._make

    def watched(self: Remaker, again: Again, logged: Logged, changes: CommitChanges) -> None:
        subjects.append(logged.message.partition("\n")[0])
        make(self, again, logged, changes)

    monkeypatch.setattr(Remaker, "_make", watched)
    return subjects


def everything(game: Adjudicator) -> list[object]:
    """Return all that is derived of a game: its state, its position, every adjudication, every position before."""
    state = game.ledger.state()
    assert state is not None
    turns = [game.ledger.adjudication(n) for n in range(1, game.adjudication + 1)]
    seen = [position_at(game, n) for n in range(1, game.adjudication + 1)]
    return [state.record(), game.rules.encode(game.session.position), turns, [game.rules.encode(each) for each in seen]]


def derived(game: Adjudicator) -> Path:
    return game.path / DERIVED


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("rules", ["toy", "five", "rome_carthage", "hannibal_italy", "sword_of_rome"])
def test_a_game_is_the_same_without_what_is_derived(rules: str, folder: Folder) -> None:
    with folder.create(rules) as game:
        list(play(game, 5, 14))
        there = everything(game)
    shutil.rmtree(folder.repo("punica") / DERIVED)
    with folder.open() as game:
        assert everything(game) == there
        list(play(game, 6, 2))
        assert verify(game.path, folders=FOLDERS, keys=lambda _: game.ledger.keys).findings.word == "proven"


def test_whatever_is_done_in_a_game_is_made_again(folder: Folder) -> None:
    """Every act of the game master, a rollback by consent, a player who comes later, waiting and standing orders."""
    with folder.create("toy") as game:
        random = Random(2)
        list(play(game, 5, 4))
        asked = consents.propose(game, None, Proposal(ROLLBACK, to=game.adjudication - 1), "a slip").request
        for side in game.rules.sides:
            consents.consent(game, side, asked, letter=f"of {side}")
        list(play(game, 6, 1))
        roll_back(game, 2, "a slip of the referee")
        side = game.open_decisions[0].side
        raw = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        assert ruling.answer_for_side(game, side, raw, "a letter was lost")[1] is not None
        game.adjudicate()
        game.change_player("blue", "Carl", "carl@example.org", replaced=True)
        game.join_side("blue", key=recipient_of(SECRETS.identity), letter="key")
        hill = next(iter(game.rules.encode(game.session.position)["guards"]))
        ruling.change_position(game, {f"guards.{hill}": 5}, "a guard was forgotten")
        assert game.receive(
            "red", sheet(game, "red").replace(b"orders:\n", b"standing:\n- react: {card: none}\n")
        ).number
        there = everything(game)
    shutil.rmtree(folder.repo("punica") / DERIVED)
    with folder.open() as game:
        assert everything(game) == there


@pytest.mark.usefixtures("often")
def test_it_is_made_again_from_the_last_known_state(folder: Folder, made: list[str]) -> None:
    with folder.create() as game:
        list(play(game, 5, 9))
        n = game.adjudication
    assert made == []
    names = sorted(each.name for each in (folder.repo("punica") / DERIVED).iterdir())
    (folder.repo("punica") / DERIVED / names[-1]).unlink()  # as if the machine had stopped before it was written
    with folder.open() as game:
        assert game.adjudication == n
        assert [each for each in made if "adjudication" in each] == [f"punica: adjudication {n}"]
    made.clear()
    shutil.rmtree(folder.repo("punica") / DERIVED)
    with folder.open() as game:
        assert game.adjudication == n
        first = n // 4 * 4
        turns = [f"punica: adjudication {each}" for each in range(first, n + 1)]
        assert [each for each in made if "adjudication" in each] == turns


@pytest.mark.parametrize("torn", [b"", b"age-encryption.org/v1\n", None])
def test_what_is_torn_is_made_again(torn: bytes | None, folder: Folder) -> None:
    with folder.create() as game:
        list(play(game, 5, 3))
        there = everything(game)
        for path in derived(game).iterdir():
            path.write_bytes(path.read_bytes()[:-100] if torn is None else torn)
    with folder.open() as game:
        assert everything(game) == there


def test_what_somebody_else_has_put_there_stops_no_game(folder: Folder) -> None:
    """Files of other names, folders, and what is sealed properly and says nothing."""
    with folder.create() as game:
        list(play(game, 5, 3))
        there, head = everything(game), game.ledger.repo.head
        (derived(game) / "turn-x-y").touch()
        (derived(game) / f"head-{'ab' * 20}").mkdir()
        (name,) = [each for each in derived(game).iterdir() if each.name.endswith(head)]
        name.write_bytes(seal([recipient_of(SECRETS.identity)], f"{DERIVED}/{head}", zlib.compress(b"nothing")))
    with folder.open() as game:
        assert everything(game) == there
        list(play(game, 6, 1))
        assert (derived(game) / "turn-x-y").exists()


def test_a_state_of_another_commit_is_not_taken(folder: Folder) -> None:
    """Each file names the commit that it belongs to, inside as well."""
    with folder.create() as game:
        list(play(game, 5, 3))
        there = everything(game)
        older, newer = sorted(derived(game).iterdir())[-2:]
        newer.write_bytes(older.read_bytes())
    with folder.open() as game:
        assert everything(game) == there


def test_other_hands_in_what_is_derived_are_not_dealt(folder: Folder) -> None:
    """A state that is sealed properly but does not follow from the commits is thrown away: the turn file binds it."""
    with folder.create() as game:
        list(play(game, 5, 3))
        there = everything(game)
        head, state = game.ledger.repo.head, game.ledger.state()
        assert state is not None
        hands = state.checkpoint["hands"]
        hands["red"], hands["blue"] = hands["blue"], hands["red"]
        turn = Derived(game.path, SECRETS.identity).turn(head)
        Derived(game.path, SECRETS.identity).put(head, state.record(), turn)
    with folder.open() as game:
        assert game.rules.encode(game.session.position) == there[1]


def test_only_the_last_are_kept_and_nobody_else_reads_them(folder: Folder, tmp_path: Path) -> None:
    state: Record = {"adjudication": 1}
    kept = Derived(tmp_path, SECRETS.identity)
    for n in range(1, KEPT + 10):
        kept.put(f"{n:040x}", state, DerivedTurn(n, {"answers": [n]}))
        kept.put(f"{n:039x}a", state)
    names = [each.name for each in (tmp_path / DERIVED).iterdir()]
    assert len(names) == KEPT + 1
    assert stat.S_IMODE((tmp_path / DERIVED).stat().st_mode) == 0o700
    assert all(each.stat().st_size < 3000 for each in (tmp_path / DERIVED).iterdir())
    again = Derived(tmp_path, SECRETS.identity)
    assert again.turn(f"{KEPT + 9:040x}") == DerivedTurn(KEPT + 9, {"answers": [KEPT + 9]})
    assert again.turn(f"{9:040x}") is None


def test_a_clone_has_nothing_of_it(folder: Folder) -> None:
    with folder.create() as game:
        list(play(game, 5, 3))
        repo = game.ledger.repo
        assert isinstance(repo, GameRepo)
        publish_game(repo, folder.path / "observers.git")
        subprocess.run(["git", "clone", "-q", "--bare", str(game.path), str(folder.path / "clone.git")], check=True)
    for name in ("observers.git", "clone.git"):
        assert not (folder.path / name / DERIVED).exists()


def test_what_lies_beside_a_clone_is_not_trusted(folder: Folder) -> None:
    """Anybody can seal to the key of a game, so a clone may come with a state that somebody made up."""
    with folder.create() as game:
        list(play(game, 5, 200))
        assert game.result is not None
        there, head = game.ledger.state(), game.ledger.repo.head
        assert there is not None
        clone = folder.path / "clone.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(game.path), str(clone)], check=True)
        Derived(clone, SECRETS.identity).put(head, {**there.record(), "adjudication": 1, "result": None})
    with open_to_read(folder.path / "none", folder.path / "no keys", str(clone), folders=FOLDERS) as read:
        assert (read.adjudication, read.result) == (there.adjudication, there.result)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"version":"1","state":"////"}', b'{"version":"1","state":"eJw="}']
)
def test_what_is_no_committed_state_is_told_in_a_sentence(content: bytes) -> None:
    with pytest.raises(CannotOpen, match=r"^sealed/state\.age: holds no state of a game: "):
        read_committed(padded(layout.STATE, content))


def test_a_commit_of_somebody_else_is_named(folder: Folder) -> None:
    with folder.create() as game:
        list(play(game, 5, 3))
        game.ledger.repo.commit({layout.POSITION: b"none: of your business\n"}, "a small change")
    with folder.open() as game, pytest.raises(NotDerived, match=r"\(a small change\) is no commit of a game"):
        game.current()


def test_rules_that_come_out_otherwise_are_named(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what is derived, a game whose commits come out otherwise here is not opened, and says what made it."""
    with folder.create() as game:
        list(play(game, 5, 3))
        digest = Ledger.position_digest
        monkeypatch.setattr(Ledger, "position_digest", lambda self, n, at: digest(self, n, {**at, "other": 1}))
        shutil.rmtree(derived(game))
    with folder.open() as game, pytest.raises(NotDerived) as told:
        game.current()
    assert "comes out otherwise here (turns/000/0001.yaml, what stays hidden of it, the position," in str(told.value)
    assert "begun with pbem " in str(told.value)


def test_the_whole_of_a_finished_game_is_published(folder: Folder) -> None:
    """Records of turns are in clear in its last commit, and are read from there."""
    with folder.create() as game:
        list(play(game, 5, 200))
        assert game.result is not None
        turns = [game.ledger.adjudication(n) for n in range(1, game.adjudication + 1)]
        clone = folder.path / "clone.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(game.path), str(clone)], check=True)
        assert {layout.record_path(n) for n in range(1, game.adjudication + 1)} == {
            f"turns/000/{name}" for name in game.ledger.repo.listdir("turns/000") if name.endswith(".whole.yaml")
        }
    with open_to_read(folder.path / "none", folder.path / "no keys", str(clone), folders=FOLDERS) as read:
        read.ledger.make_again = None
        assert [read.ledger.adjudication(n) for n in range(1, len(turns) + 1)] == turns


@pytest.mark.usefixtures("often")
def test_a_clone_opened_again_cannot_hold_other_hands(folder: Folder) -> None:
    """Every clear file may be the same; the digest of what is hidden is not."""
    with folder.create() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        n = game.adjudication
        turn = game.ledger.public_turn(n)
        state = game.ledger.state()
        assert state is not None
        position = dict(game.rules.encode(game.session.position))
        assert game.ledger.position_digest(n, position) == turn["sealed"]["position"]
        position["hands"] = {**position["hands"], "red": position["hands"]["red"][::-1]}
        assert game.ledger.position_digest(n, position) != turn["sealed"]["position"]


def test_a_sealed_file_holds_no_zeros_of_the_state() -> None:
    """Derived files are padded to whole KiB, at least two."""
    key = recipient_of(SECRETS.identity)
    for length in (1, 1900, 1930, 5000):
        sealed = seal([key], "head-1", bytes(length), public=length)
        assert 0 <= len(sealed) - (2048 if length <= 1920 else -(-(length + 128) // 1024) * 1024) < 700
    assert compact({"a": 1}) == b'{"a":1}'


def test_a_commit_that_changes_nothing_is_not_made(toy: Adjudicator) -> None:
    head = toy.ledger.repo.head
    same = toy.ledger.join_files("blue", toy.ledger.joined("blue"))
    toy.ledger.commit(same, "punica: blue joins")
    first = toy.ledger.repo.head
    assert toy.ledger.commit(same, "punica: blue joins") == first == toy.ledger.repo.head
    assert len(list(toy.ledger.repo.history())) == len({head, first}) + 1
