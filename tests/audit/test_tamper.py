"""Whatever is changed in a game's repo, `pbem verify` finds it and names the place.

Three forgers: one who spoils the repo's own files; one who rewrites the history without the signing key; and the
adjudicator, who has it. What is done in clear is found without any key, what is done to sealed files once the
secrets are revealed. What nobody can find by looking at a repo alone is tested as well: that it was cut off, or made
anew from some turn on, by the chain that was promised. Against that stand the letters and everybody's clones.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.record.findings import Word
from pbem.audit.verify import verify
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.dice import Chain, missing_link
from pbem.crypto.keys import Keys, Secrets
from pbem.crypto.seal import unseal
from pbem.crypto.signing import sign
from pbem.game import yaml as yamlio
from pbem.referee.acts.rollback import roll_back
from pbem.repo.files.charter import ChainPromise, OtherFormat
from pbem.repo.files.layout import record_path, sheet_path, turn_path
from pbem.repo.git import GameRepo
from tests.support.beacon_rounds import PUBLISHED
from tests.support.chance import seed_of
from tests.support.forging import FALSE_KEY, Sign, Tale, flipped, told, unchanged
from tests.support.live import SECRETS, Folder, git, give, order, play, sheet
from tests.support.soak import quick_first, scaled
from tests.support.walks import FOLDERS

FEW, MANY = 12, scaled(500, 24)
"""How many flips of each kind `make check` tries, and `make soak`; `make test` tries two."""
Turn = dict[str, Any]


@dataclass
class Scene:
    """A true game, its tale, and a folder for what is made of it."""

    folder: Folder
    tale: Tale
    true: Sign
    away: Path
    made: int = 0

    def told(self, tale: Tale, sign: Sign | None = None) -> Path:
        """Return a repo of another tale, signed by the adjudicator unless by another."""
        self.made += 1
        return tale.tell(self.away / str(self.made), sign or self.true)

    def found(self, tale: Tale, sign: Sign | None = None, *, with_key: bool = False) -> list[str]:
        """Return what `pbem verify` finds wrong with another tale, by the place; it must find the place."""
        path = self.told(tale, sign)
        try:
            return found(path, self.folder if with_key else None)
        finally:
            shutil.rmtree(path.parent)


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return a game that goes on and in which all has been used that a repo can hold."""
    folder = Folder(tmp_path_factory.mktemp("true"))
    with told(folder, most=20) as game:
        assert game.result is None
        key = partial(sign, game.ledger.keys.signing)
    return Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path_factory.mktemp("forged"))


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return a game that is over: its secrets are revealed."""
    folder = Folder(tmp_path_factory.mktemp("over"))
    with told(folder) as game:
        assert game.result is not None
        key = partial(sign, game.ledger.keys.signing)
    return Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path_factory.mktemp("forged"))


@pytest.fixture(
    params=[
        pytest.param(2, id="quick", marks=pytest.mark.quick),
        pytest.param(FEW, id="more", marks=pytest.mark.slow),
        pytest.param(MANY, id="long", marks=pytest.mark.soak),
    ]
)
def flips(request: pytest.FixtureRequest) -> range:
    """How many flips are tried."""
    count: int = request.param
    return range(count)


def found(path: Path, folder: Folder | None = None) -> list[str]:
    """Return what `pbem verify` finds, the first first; with a folder, also by the secrets that lie there.

    A game whose format was flipped is refused: nothing of it is called right.
    """
    keys = None if folder is None else lambda game: Keys.load(folder.keys, game)
    try:
        return [str(each) for each in verify(path, keys=keys, folders=FOLDERS).findings.sorted]
    except OtherFormat as refused:
        return [str(refused)]


# ---- the repo's own files


def test_a_flip_in_the_repos_own_files_is_found(true: Scene, flips: range, tmp_path: Path) -> None:
    copy, random = tmp_path / "punica.git", Random(f"flips in packs {seed_of()}")
    shutil.copytree(true.folder.repo("punica"), copy)
    git(copy, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q")
    packs = copy / "objects" / "pack"
    files = [*packs.glob("*.pack"), *packs.glob("*.idx"), copy / "refs" / "heads" / "main", copy / "HEAD"]
    for n in flips:
        path = files[n % len(files)]
        content = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(flipped(content, random))
        wrong = found(copy)
        assert wrong, (path, n)
        assert wrong[0].startswith("the repo: "), wrong[0]
        path.write_bytes(content)
    assert found(copy) == []


def test_a_lost_pack_is_found(true: Scene, tmp_path: Path) -> None:
    copy = tmp_path / "punica.git"
    shutil.copytree(true.folder.repo("punica"), copy)
    sorted((copy / "objects" / "pack").glob("pack-*.idx"))[3].unlink()
    assert found(copy)[0].startswith("the repo: the repo is damaged: ")


def test_a_shallow_clone_is_no_proof(true: Scene, tmp_path: Path) -> None:
    git(
        true.folder.repo("punica"),
        "clone",
        "-q",
        "--bare",
        "--depth",
        "3",
        f"file://{true.folder.repo('punica')}",
        str(tmp_path / "x"),
    )
    assert any("cannot be read" in each for each in found(tmp_path / "x"))


# ---- a forger without the signing key


def test_a_flip_without_the_key_is_found(true: Scene, flips: range) -> None:
    random = Random(f"flips without the key {seed_of()}")
    for n in flips:
        tale, path = true.tale.copy(), random.choice(true.tale.paths())
        version = random.randrange(len(tale.where(path)))
        tale.put(path, flipped(tale.content(path, version), random), version)
        at = tale.where(path)[version]
        forged = true.away / f"without {n}"
        wrong = found(tale.tell_with_old_signatures(forged))
        shutil.rmtree(forged)
        if path == "game.yaml":  # that names the key
            assert wrong
            continue
        unsigned = [each for each in wrong if each.startswith("commit ") and "not that of the key" in each]
        assert len(unsigned) == len(tale.commits) - at, path


@pytest.mark.parametrize("key", [FALSE_KEY, None], ids=["another key", "no signature"])
def test_a_commit_on_top_by_somebody_else_is_found(true: Scene, key: Sign | None, tmp_path: Path) -> None:
    copy = tmp_path / "punica.git"
    shutil.copytree(true.folder.repo("punica"), copy)
    with GameRepo.open(copy) as repo:
        repo.sign = key
        sha = repo.commit({"sealed/state.age": true.tale.content(sheet_path("red", 1))}, "punica: sheet 9 of red")
    said = "it is not signed" if key is None else "its signature is not that of the key in game.yaml"
    alone = "no commit of a game changes just these: sealed/state.age"
    assert found(copy) == [f"commit {sha[:12]}: {said} (punica: sheet 9 of red)", f"commit {sha[:12]}: {alone}"]


def test_a_commit_that_is_not_written_as_ours_is_found(true: Scene, tmp_path: Path) -> None:
    copy = tmp_path / "punica.git"
    shutil.copytree(true.folder.repo("punica"), copy)
    tree = git(copy, "rev-parse", "main^{tree}").strip()
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    sha = git(copy, *who, "commit-tree", "-p", "main", "-p", "main~3", "-m", "merged", tree).strip().split("\n")[-1]
    git(copy, "update-ref", "refs/heads/main", sha)
    number = len(true.tale.commits) + 1
    assert f"commit {sha[:12]}: it is not written as a game's commits are, the {number}. of them (merged)" in found(
        copy
    )


# ---- the adjudicator, in clear


def test_a_flip_in_clear_by_the_adjudicator_is_found(over: Scene, flips: range) -> None:
    """All but the last turn file, which nothing holds fast yet (the sealed record does, or a replay), and the pins."""
    random, free = Random(f"flips in clear {seed_of()}"), (turn_path(over.tale.last), "rules.yaml")
    paths = [path for path in over.tale.paths() if not path.endswith(".age") and path not in free]
    assert {path.split("/")[0] for path in paths} >= {"game.yaml", "position.yaml", "joined", "turns", "letters"}
    for _ in flips:
        tale, path = over.tale.copy(), random.choice(paths)
        version = random.randrange(len(tale.where(path)))
        before = tale.content(path, version)
        tale.put(path, after := flipped(before, random), version)
        wrong = over.found(tale)
        assert wrong, (path, version, before, after)
        assert any(named in each for named in places(tale, path, version) for each in wrong), (path, wrong)


def test_other_rules_are_said_to_be_others(true: Scene) -> None:
    tale = true.tale.copy()
    content = tale.content("rules.yaml").decode()
    digest = yamlio.read(content, name="rules.yaml").value["box"]
    tale.put("rules.yaml", yamlio.dump({**yamlio.read(content, name="rules.yaml").value, "box": digest[::-1]}).encode())
    verdict = verify(true.told(tale), folders=FOLDERS)
    rules, unknown = (each.text for each in verdict.findings.checked if each.subject == "rules")
    assert rules == "toy here, and as the game pins it: box differs, code the same"
    assert f"made by rules that are not here (box {digest[::-1][:12]}" in unknown
    assert verdict.findings.word is Word.NOT_PROVEN


def places(tale: Tale, path: str, version: int) -> list[str]:
    """Return how a place may be called: the file, the turn it belongs to, or the one that goes on from it."""
    if path == "game.yaml":
        return ["game.yaml", "turn 1", "commit "]
    turn = next((n for n in range(1, tale.last + 1) if path in (turn_path(n), record_path(n))), None)
    if path == "position.yaml" or turn is None:
        at = tale.where(path)[version]
        after = max((n for n in range(1, tale.last + 1) if tale.where(turn_path(n))[0] <= at), default=0)
        return [path, *([f"turn {after}:"] if path == "position.yaml" else []), "turn 1:" if "joined" in path else path]
    return [f"turn {turn}:", f"turn {turn},", f"turn {turn + 1}:"]


def test_a_flip_on_top_by_the_adjudicator_is_found(over: Scene, flips: range) -> None:
    random = Random(f"flips on top {seed_of()}")
    paths = [path for path in over.tale.paths() if path.split("/")[0] in ("game.yaml", "turns", "sheets", "letters")]
    for _ in flips:
        tale, path = over.tale.copy(), random.choice(paths)
        tale.commits.append(("punica: a correction", {path: flipped(tale.content(path), random)}))
        wrong = over.found(tale)
        name = turn_name(tale, path)
        assert any(each.startswith(name) and "is changed by commit" in each for each in wrong), (path, wrong)


def turn_name(tale: Tale, path: str) -> str:
    """Return what a file is called as a place."""
    turns = {name: n for n in range(1, tale.last + 1) for name in (turn_path(n), record_path(n))}
    return f"turn {turns[path]}: " if path in turns else f"{path}: "


@pytest.mark.parametrize("path", ["turns/000/0003.yaml", "position.yaml", "joined/red.yaml", "game.yaml"])
def test_another_layout_of_the_same_words_is_found(true: Scene, path: str) -> None:
    tale = true.tale.copy()
    tale.put(path, tale.content(path) + b"\n")
    assert true.found(tale)


def test_another_layout_of_the_last_turn_file_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    path = turn_path(tale.last)
    tale.put(path, tale.content(path).replace(b": ", b":  ", 1))
    said = "it says what it may say, but is not written as pbem writes it: somebody has changed it"
    assert true.found(tale) == [f"turn {tale.last}: {said}"]


def test_blanks_that_would_choose_the_next_dice_are_found(true: Scene) -> None:
    """The digest of a turn file goes into the dice of the next: who may write it in two ways may choose."""
    tale = true.tale.copy()
    tale.put(turn_path(5), tale.content(turn_path(5)).replace(b": ", b":  ", 1))
    tale.remade(6, unchanged)
    said = "it says what it may say, but is not written as pbem writes it: somebody has changed it"
    assert true.found(tale) == [f"turn 5: {said}"]


def test_words_in_another_order_are_found(true: Scene) -> None:
    tale = true.tale.copy()
    turn = tale.turn(5)
    tale.put(turn_path(5), yamlio.dump({"link": turn.pop("link"), **turn}).encode())
    tale.remade(6, unchanged)
    (wrong,) = true.found(tale)
    assert wrong.startswith("turn 5: the turn file is not written as they are: its words are not in their order: ")
    tale = true.tale.copy()
    n = next(n for n in range(1, tale.last) if len(tale.turn(n).get("sheets", ())) == 2)
    turn = tale.turn(n)
    turn["sheets"] = dict(reversed(turn["sheets"].items()))
    tale.put_turn(n, turn)
    tale.remade(n + 1, unchanged)
    assert true.found(tale) == [f"turn {n}: the sides of sheets do not stand in their order"]


def test_turn_files_that_change_places_are_found(true: Scene) -> None:
    tale = true.tale.copy()
    first, second = tale.content(turn_path(5)), tale.content(turn_path(6))
    tale.put(turn_path(5), second)
    tale.put(turn_path(6), first)
    wrong = true.found(tale)
    assert wrong[0] == "turn 5: the turn file calls itself adjudication 6"
    assert "turn 6: the turn file calls itself adjudication 5" in wrong


def test_a_turn_file_that_comes_twice_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    tale.put(turn_path(6), tale.content(turn_path(5)))
    assert true.found(tale)[0] == "turn 6: the turn file calls itself adjudication 5"
    tale = true.tale.copy()
    n = tale.last + 1
    tale.commits.append((f"punica: adjudication {n}", {turn_path(n): tale.content(turn_path(n - 1))}))
    assert f"turn {n}: the turn file calls itself adjudication {n - 1}" in true.found(tale)


def test_a_turn_file_that_is_left_out_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    tale.put(turn_path(5), None)
    assert "turn 5: there is no turn file" in true.found(tale)
    tale = true.tale.copy()
    tale.commits.append(("punica: tidied up", {turn_path(5): None}))
    assert any(each.startswith("turn 5: turns/000/0005.yaml is taken out by commit") for each in true.found(tale))


def test_a_commit_that_is_left_out_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    del tale.commits[tale.where(turn_path(5))[0]]
    assert "turn 5: there is no turn file" in true.found(tale)
    tale = true.tale.copy()
    (path,) = tale.turn(5)["sheets"]["red"]
    del tale.commits[tale.where(path)[0]]
    assert f"turn 5: it uses {path}, which was never committed" in true.found(tale)


def test_links_that_change_places_are_found(true: Scene) -> None:
    tale = true.tale.copy()
    fifth, sixth = tale.turn(5), tale.turn(6)
    fifth["link"], sixth["link"] = sixth["link"], fifth["link"]
    tale.put_turn(5, fifth)
    tale.put_turn(6, sixth)
    previous = tale.turn(4)["link"]
    said = f"turn 5: the link opened, {fifth['link']}, does not follow that of turn 4, {previous}"
    assert said in true.found(tale)
    tale.remade(5, unchanged)  # even where all else is made to fit
    assert true.found(tale)[0] == said


def test_a_link_that_is_passed_over_is_found(true: Scene) -> None:
    tale, chain = true.tale.copy(), Chain(SECRETS.chain)

    def skip(n: int, turn: Turn) -> None:
        turn["link"] = chain.link(n + 1)

    tale.remade(7, skip)
    assert true.found(tale) == [
        f"turn 7: the link opened, {chain.link(8)}, does not follow that of turn 6, {chain.link(6)}"
    ]


def test_dice_of_another_chain_are_found(true: Scene) -> None:
    tale, chain = true.tale.copy(), Chain(b"a chain that suits the game's master better"[:32])
    tale.remade(6, unchanged, chain=chain)
    assert true.found(tale) == [
        f"turn 6: the link opened, {chain.link(6)}, does not follow that of turn 5, {Chain(SECRETS.chain).link(5)}"
    ]


def rolls(tale: Tale) -> Iterator[tuple[int, int, Turn]]:
    """Yield turn, number and content of every roll."""
    for n in range(1, tale.last + 1):
        for number, roll in enumerate(tale.turn(n).get("rolls", ()), 1):
            yield n, number, roll


def test_another_face_is_found_with_turn_roll_and_name(true: Scene) -> None:
    tale = true.tale.copy()
    n, number, roll = next(rolls(tale))
    turn, face = tale.turn(n), roll["faces"][0]
    other = face % 6 + 1
    turn["rolls"][number - 1]["faces"][0] = other
    turn["rolls"][number - 1]["total"] += other - face
    tale.put_turn(n, turn)
    wrong = true.found(tale)
    assert wrong[0] == f"turn {n}, roll {number}, {roll['name']}: the turn file says {other}, the dice say {face}"
    assert any(each.startswith(f"turn {n + 1}: it goes on from another turn file {n}") for each in wrong)


def doubled(turn: Turn, at: int) -> None:
    turn["rolls"].insert(at, turn["rolls"][at])


def left_out(turn: Turn, at: int) -> None:
    turn["rolls"].pop(at)
    if not turn["rolls"]:
        del turn["rolls"]


EDITS: dict[str, tuple[Callable[[Turn, int], object], str]] = {
    "modifier": (lambda turn, at: turn["rolls"][at].setdefault("modifiers", {}).update(luck=1), "come to"),
    "total": (lambda turn, at: turn["rolls"][at].update(total=9), "the turn file says a total of 9"),
    "success": (lambda turn, at: turn["rolls"][at].update(success=not turn["rolls"][at]["success"]), "calls it"),
    "name": (lambda turn, at: turn["rolls"][at].update(name="assault/atlantis"), "goes on from another turn file"),
    "number": (lambda turn, at: turn["rolls"][at].update(number=7), "it is numbered 7"),
    "sides": (lambda turn, at: turn["rolls"][at].update(sides=1), "nobody rolls 1 dice of 1 sides"),
    "twice": (doubled, "its name is used twice in this turn"),
    "left out": (left_out, "its events tell of rolls 1, its list of rolls has none"),
    "strange": (lambda turn, at: turn["rolls"][at].update(mood="bad"), "'mood' has no place in rolls, item 1"),
    "no number": (lambda turn, at: turn["rolls"][at].update(total="nine"), "total is 'nine', which cannot stand there"),
}


@pytest.mark.parametrize("edit", quick_first(EDITS, 4))
def test_a_roll_that_was_edited_is_found(true: Scene, edit: str) -> None:
    tale = true.tale.copy()
    n, number, _ = next(each for each in rolls(tale) if "need" in each[2])
    turn = tale.turn(n)
    change, said = EDITS[edit]
    change(turn, number - 1)
    tale.put_turn(n, turn)
    wrong = true.found(tale)
    assert wrong[0].startswith((f"turn {n}", f"turn {n + 1}: it goes on from another turn file {n} "))
    assert any(said in each for each in wrong), wrong


def test_an_input_that_was_edited_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    turn = tale.turn(5)
    (path,) = turn["sheets"]["red"]
    turn["sheets"]["red"][path] = "0" * 64
    tale.put_turn(5, turn)
    assert true.found(tale)[0].startswith("turn 5: `inputs` is not the digest of what went in: ")
    tale = true.tale.copy()
    tale.remade(5, lambda n, turn: turn.pop("sheets") if n == 5 else None)
    assert f"turn 5: it passes over {path}, which was committed before it" in true.found(tale)


def test_a_phrase_that_was_put_in_later_is_found(true: Scene) -> None:
    tale = true.tale.copy()

    def add(n: int, turn: Turn) -> None:
        if n == 1:
            turn["joined"]["blue"]["phrase"] = "please be kind"

    tale.remade(1, add)
    assert true.found(tale) == ["turn 1: what blue mailed before the first shuffle is not what went in"]


def test_a_file_that_has_no_place_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    tale.commits[9][1]["turns/000/0042.yml"] = b"x"
    assert true.found(tale) == ["turns/000/0042.yml: the layout of a game has no such file"]


def test_a_position_between_the_turns_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    tale.commits.append(("punica: a small change", {"position.yaml": b"phase: bid\n"}))
    assert true.found(tale)[0].endswith(": no commit of a game changes just these: position.yaml")


def test_a_letter_that_tells_another_story_is_found(true: Scene) -> None:
    path = next(
        path for path in true.tale.paths() if path.startswith("letters/") and "sheet" in str(true.tale.content(path))
    )
    tale = true.tale.copy()
    note = yamlio.read(tale.content(path), name=path).value
    tale.put(path, yamlio.dump({**note, "sheet": note["sheet"] + 1}).encode())
    assert true.found(tale) == [f"{path}: it says sheet {note['sheet'] + 1} of {note['side']}, which came otherwise"]


def test_a_link_of_a_side_that_has_no_chain_is_found(true: Scene) -> None:
    tale = true.tale.copy()

    def add(n: int, turn: Turn) -> None:
        if n == 5:
            turn["player_chains"] = {"blue": {"link": "0" * 64}}

    tale.remade(5, add)
    assert true.found(tale) == ["turn 5: blue has no chain of its own and opens a link"]


def test_links_that_are_passed_over_are_found(tmp_path: Path) -> None:
    folder, chain = Folder(tmp_path / "game"), Chain(b"r" * 32, 9)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(chain.tip, 9))
        game.adjudicate()
        card = order("bury", card=game.view("red").hands["red"][0])
        text = sheet(game, "red", card).replace(b"orders:", f"link: {chain.link(1)}\norders:".encode())
        assert game.receive("red", text).number == 1
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        key = partial(sign, game.ledger.keys.signing)
    scene = Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path)
    for given, said in {
        "missing": "it says missing, but the turn names 1 sheet of the side",
        "lost": f"what stands for the missing link must be {missing_link(chain.tip, 2)}",
        "link": f"link {'0' * 64} does not follow {chain.tip}",
    }.items():
        tale = scene.tale.copy()
        tale.remade(2, lambda n, turn, word=given: turn["player_chains"].update(red={word: "0" * 64}))  # type: ignore[misc]
        assert scene.found(tale)[0].startswith(f"turn 2: the chain of red: {said}")
    tale = scene.tale.copy()
    tale.remade(2, lambda n, turn: turn.pop("player_chains"))
    assert scene.found(tale)[0] == "turn 2: red has a chain of its own; what it gives is not there"


@pytest.mark.slow
def test_a_beacon_that_is_not_the_one_named_is_found(tmp_path: Path) -> None:
    folder, published = Folder(tmp_path / "game"), list(PUBLISHED.items())
    with folder.create(begin=False, beacon="drand") as game:
        for n, signature in published[:2]:
            game.moment = time_of(n) - PATIENCE
            for side in ("red", "blue") if game.begun else ():
                game.receive(side, sheet(game, side, order("bury", card=game.view(side).hands[side][0])))
            game.adjudicate()
            game.put_in_round(n, signature)
        key = partial(sign, game.ledger.keys.signing)
    scene = Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path)
    (_, second), third = published[1], published[2][1]
    round = published[1][0]

    tale = scene.tale.copy()
    del tale.commits[tale.where("beacon.yaml")[2]]
    wrong = scene.found(tale)
    assert f"beacon.yaml: round {round} is put in, and no round is named that has not come" in wrong
    assert f"turn 2: round {round} of the beacon decides it, and was not named before" in wrong

    tale = scene.tale.copy()
    tale.put("beacon.yaml", tale.content("beacon.yaml", 3).replace(second.encode(), third.encode()), 3)
    tale.remade(2, lambda n, turn: turn["beacon"].update(signature=third) if n == 2 else None)
    assert f"turn 2: this is not drand's signature of round {round}" in scene.found(tale)

    tale = scene.tale.copy()
    (path,) = tale.turn(2)["sheets"]["red"]
    tale.remade(2, lambda n, turn: turn["sheets"]["red"].update({path: "0" * 64}) if n == 2 else None)
    said = "what went into it is not what was closed before its round was known"
    assert f"turn 2: {said}" in scene.found(tale)


def test_a_rollback_that_hides_what_it_undoes_is_found(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "game")
    with folder.create() as game:
        list(play(game, 3, 8))
        n = roll_back(game, game.adjudication - 3, "the wrong map was sent")
        key = partial(sign, game.ledger.keys.signing)
    scene = Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path)
    for edit, said in [
        ({"undone": [n - 1]}, f"going back to turn {n - 4} undoes turns {n - 3}, {n - 2}, {n - 1}; it says [{n - 1}]"),
        ({"to": n}, f"it goes back to turn {n}, which is none to go back to"),
        ({"reason": " "}, "the game master did something without a reason"),
        ({"kind": "whim"}, "the turn file is not written as they are: the game master cannot do 'whim'"),
    ]:
        tale = scene.tale.copy()
        tale.remade(n, lambda _, turn, edit=edit: turn["act"].update(edit))  # type: ignore[misc]
        assert f"turn {n}: {said}" in scene.found(tale)


# ---- the adjudicator, in sealed files


def test_a_flip_in_a_sealed_file_is_found_with_the_key(true: Scene, flips: range) -> None:
    """All but what is sealed to a side's own key, which nobody else can open."""
    random = Random(f"flips in sealed files {seed_of()}")
    paths = [path for path in true.tale.paths() if path.endswith(".age") and not path.startswith("views/")]
    for _ in flips:
        tale, path = true.tale.copy(), random.choice(paths)
        version = random.randrange(len(tale.where(path)))
        before = tale.content(path, version)
        tale.put(path, after := flipped(before, random), version)
        wrong = true.found(tale, with_key=True)
        assert wrong, (path, version, before, after)
        name = turn_name(tale, path)
        assert any(each.startswith(name) for each in wrong), (path, wrong)


def test_a_sheet_that_was_edited_is_found_after_the_reveal(over: Scene) -> None:
    tale = over.tale.copy()
    (path,) = tale.turn(5)["sheets"]["red"]
    tale.put_sealed(path, b"game: punica\nside: red\nadjudication: 4\norders:\n- bid: {card: 1}\n")
    wrong = over.found(tale)
    assert f"{path}: it is not the sheet whose digest went into turn 5" in wrong
    assert any("it cannot be derived: this sheet has faults and would have been sent back" in each for each in wrong)


def test_a_remark_that_was_edited_is_found_after_the_reveal(over: Scene) -> None:
    """It turns no die, and is bound all the same: the player's own words stand there."""
    tale = over.tale.copy()
    (path,) = tale.turn(5)["sheets"]["red"]
    content = unseal(SECRETS.identity, path, tale.content(path))
    tale.put_sealed(path, content + b"# I never meant this\n")
    assert f"{path}: its remarks are not those whose digest stands in turn 5" in over.found(tale)


def test_what_is_no_age_file_is_found(true: Scene) -> None:
    tale = true.tale.copy()
    path = sheet_path("red", 1)
    tale.put(path, b"game: punica\n" + tale.content(path))
    assert f"{path}: is no sealed file: it is not written as age writes them" in true.found(tale)


def test_orders_that_were_never_given_are_found_after_the_reveal(over: Scene) -> None:
    tale, n = over.tale.copy(), 5
    record = tale.record(n)
    at, answer = next(each for each in enumerate(record["answers"], 1) if each[1]["by"].startswith("sheet"))
    true_card, answer["order"] = answer["order"]["card"], {**answer["order"], "card": 30}
    tale.put_record(n, record)
    said = f"answers {at}.order.card: on record is 30; what was handed in makes it {true_card}"
    assert over.found(tale) == [f"turn {n}: the whole of it, {said}"]


def test_another_order_of_the_cards_is_found_after_the_reveal(over: Scene) -> None:
    tale = over.tale.copy()
    record = tale.record(1)
    (draw,) = record["draws"]
    draw["order"][0], draw["order"][1] = draw["order"][1], draw["order"][0]
    tale.put_record(1, record)
    assert over.found(tale)[0].startswith("turn 1: the whole of it, draws 1.order 1: on record is ")


def test_another_record_is_found_after_the_reveal(over: Scene) -> None:
    tale = over.tale.copy()
    tale.put_record(7, {**tale.record(7), "events": []})
    wrong = over.found(tale)
    assert wrong[0].startswith("turn 7: the whole of it, events 1: on record is nothing; what was handed in makes it ")


def test_edited_standing_orders_are_found_after_the_reveal(over: Scene) -> None:
    """Standing orders that were edited are found after the reveal."""
    tale = over.tale.copy()
    path = next(path for path in tale.paths() if path.startswith("standing/"))
    tale.put_sealed(path, b'{"written":[1,1],"orders":[]}')
    assert any("are not those whose digest went in" in each for each in over.found(tale))


def test_other_secrets_are_no_reveal(over: Scene) -> None:
    tale, others = over.tale.copy(), Secrets.drawn()
    said: dict[str, Any] = {"hidden": others.hidden.hex(), "identity": others.identity}
    tale.put("revealed.yaml", yamlio.dump(said).encode())
    wrong = over.found(tale)
    assert wrong[0] == "revealed.yaml: the hidden secret is not the one whose digest the charter has"
    assert wrong[1].startswith("revealed.yaml: its key does not open what is sealed to age1")


# ---- what no repo can tell by itself


def test_a_history_that_was_cut_off_is_right_by_itself(true: Scene) -> None:
    """Against that stand the letters and the clones: each report names the adjudication it is about."""
    tale = true.tale.copy()
    del tale.commits[-6:]
    assert true.found(tale) == []


def test_a_game_made_anew_by_its_own_chain_is_right_by_itself(true: Scene) -> None:
    """Another outcome of turn 5 and all that follows, out of other inputs: only the letters know better."""
    tale = true.tale.copy()

    def elsewhere(n: int, turn: Turn) -> None:
        if n == 5:
            turn["events"].append({"kind": "rain"})

    tale.remade(5, elsewhere)
    assert true.found(tale) == []
