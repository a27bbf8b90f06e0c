"""What observers get (`pbem publish`): everything that verifies, and nothing that anybody should not have."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from pbem.audit.verify import verify
from pbem.cli.verbs import app
from pbem.crypto.keys import Secrets
from pbem.crypto.seal import CannotOpen, new_identity, recipient_of, unseal
from pbem.protocol import Side
from pbem.referee.acts.ruling import break_off
from pbem.referee.acts.talk import speak
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import PLAYERS, PRESS, UNOPENED
from pbem.repo.files.talk_book import NOTE
from pbem.repo.git import GameRepo, StoreError
from pbem.repo.git.mirror import InTheWay
from pbem.repo.public import Publication, publish_game
from tests.support.live import ADDRESSES, SECRETS, Folder, files, git, give, pick
from tests.support.soak import quick_and_whole
from tests.support.walks import FOLDERS

DRAWN = Secrets(sha256(b"chain").digest(), sha256(b"hidden").digest(), SECRETS.identity, SECRETS.office)
"""Secrets whose bytes are found nowhere by chance."""


def encodings(secret: bytes | str) -> list[bytes]:
    """Return the ways in which a secret could stand in a file, in base64 at any place of a longer text."""
    raw = secret.encode() if isinstance(secret, str) else secret
    forms = [raw, raw.hex().encode(), raw.hex().upper().encode()]
    for skipped in range(3):
        whole = raw[skipped:]
        whole = whole[: len(whole) // 3 * 3]
        forms += [b64encode(whole), urlsafe_b64encode(whole)]
    return forms


def objects(repo: Path) -> dict[str, tuple[str, bytes]]:
    """Return every object that lies in a repo, whether or not a commit reaches it: id -> kind and content."""
    found = {}
    listed = git(repo, "cat-file", "--batch-all-objects", "--batch-check").splitlines()
    ids = "".join(f"{line.split()[0]}\n" for line in listed).encode()
    words = ["git", "--git-dir", str(repo), "cat-file", "--batch"]
    said = subprocess.run(words, input=ids, capture_output=True, check=True).stdout
    at = 0
    while at < len(said):  # for each a line with id, kind and length, the content, and the end of a line
        end = said.index(b"\n", at)
        oid, kind, size = said[at:end].decode().split()
        found[oid] = (kind, said[end + 1 : end + 1 + int(size)])
        at = end + 1 + int(size) + 1
    assert len(found) == len(listed)
    return found


def every_text(repo: Path) -> Iterator[tuple[str, bytes]]:
    """Yield whatever stands in a repo: its objects, and the files that are no objects."""
    yield from ((f"{kind} {oid}", content) for oid, (kind, content) in objects(repo).items())
    for path in sorted(repo.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(repo)), path.name.encode() + b"\n" + path.read_bytes()


def found(texts: Iterable[tuple[str, bytes]], secrets: dict[str, list[bytes]]) -> list[str]:
    """Return which secrets are found where."""
    told = [(name, form) for name, forms in secrets.items() for form in forms if form]
    return [f"{name} in {where}" for where, text in texts for name, form in told if form in text]


def for_ever(game: Adjudicator) -> dict[str, list[bytes]]:
    """Return what nobody may ever find: what makes the dice, what signs, what opens the addresses; they themselves."""
    keys = game.ledger.keys
    coming = game.adjudication + 1
    secrets: dict[str, list[bytes]] = {
        "chain": encodings(keys.chain),
        "signing": encodings(keys.signing),
        "office": encodings(keys.office),
        "the next link": encodings(bytes.fromhex(game.ledger.chain.link(coming))),
    }
    addresses = game.ledger.addresses.values()
    return secrets | {address: encodings(address) for address in addresses}


def until_the_end(game: Adjudicator) -> dict[str, list[bytes]]:
    """Return what nobody may find before the game is over."""
    return {"hidden": encodings(game.ledger.keys.hidden), "identity": encodings(game.ledger.keys.identity)}


def written(cards: list[int]) -> list[bytes]:
    """Return the ways in which YAML, JSON and Python write some cards."""
    flow = [f"[{mark.join(map(str, cards))}]" for mark in (", ", ",")]
    lists = ["".join(f"{indent}- {card}\n" for card in cards) for indent in ("", "  ", "    ")]
    return [text.encode() for text in (*flow, *lists)]


def give_advised(game: Adjudicator, side: Side) -> None:
    """Hand in what the stand-in would order."""
    rules = game.rules
    orders = [rules.bot_order(game.view(side), each) for each in game.open_decisions if each.side == side]
    give(game, side, *orders)


def publish_repo_of(game: Adjudicator, folder: Path) -> Publication:
    """Publish a game by its repo, as the command line does."""
    with GameRepo.open(game.path) as repo:
        return publish_game(repo, folder)


def play_on(game: Adjudicator, most: int) -> None:
    """Play on by random answers, at most so many sheets."""
    random = Random(most)
    for _ in range(most):
        if not game.open_decisions:
            break
        side = game.open_decisions[0].side
        give(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])


@pytest.mark.parametrize("letters", quick_and_whole(10, 25))
def test_a_publication_has_no_secret_in_it_and_verifies(folder: Folder, letters: int) -> None:
    """Each hand that a side has held, each card that nobody has seen yet, each key, each address: found nowhere."""
    secrets: dict[str, list[bytes]] = {}
    with folder.create("rome_carthage", secrets=DRAWN, players={}) as game:
        for side in game.rules.sides:
            game.join_side(side, key=recipient_of(new_identity()))
        seen: set[int] = set()
        held: set[int] = set()
        for _ in range(letters):
            position = game.session.position
            for side, hand in position.hands.items():
                if len(hand) > 3:
                    secrets[f"a hand of {side}: {hand}"] = written(hand)
            secrets[f"the deck at {game.adjudication}"] = written(position.deck)
            give_advised(game, game.open_decisions[0].side)
            before, held = held, {card for hand in game.session.position.hands.values() for card in hand}
            seen |= before - held
        unseen = position.board.cards.keys() - seen
        names = {card.name for number, card in position.board.cards.items() if number in unseen} - {
            card.name for number, card in position.board.cards.items() if number not in unseen
        }
        secrets |= {name: [name.encode()] for name in names}
        secrets |= until_the_end(game) | for_ever(game)
        made = publish_repo_of(game, folder.path / "observers.git")
    assert len(names) > 20
    assert len(secrets) > (40 if letters == 25 else 25)
    texts = list(every_text(made.folder))
    assert found(texts, secrets) == []
    blobs = [text for where, text in texts if where.startswith("blob")]
    assert [text for text in blobs if naming(unseen).search(text)] == []
    assert len([text for text in blobs if naming(seen).search(text)]) > letters // 3, (
        "a search that finds nothing proves nothing"
    )
    assert not grepped(made.folder, *sorted(names))
    verdict = verify(made.folder, folders=FOLDERS)
    assert verdict.findings.sorted == []
    assert verdict.game == "punica"


def test_a_publication_tells_nothing_of_who_talks(folder: Folder) -> None:
    """Before the end neither the words are found nor who said them, and afterwards not those that stay unopened."""
    said = {"signed": "the olive grove at dawn", "unsigned": "beware of the ferryman"}
    with folder.create("five", secrets=DRAWN, players={}, press="free", press_unsigned=True, press_opened=True) as game:
        speak(game, "oak", ["elm"], said["signed"], "a")
        speak(game, "yew", ["ash", "fir"], said["unsigned"], "b", unsigned=True)
        play_on(game, 6)
        speak(game, "elm", ["oak"], said["signed"], "c")
        secrets = {word: encodings(text) for word, text in said.items()} | for_ever(game)
        made = publish_repo_of(game, folder.path / "observers.git")
        assert found(every_text(made.folder), secrets | until_the_end(game)) == []
        assert not (made.folder / NOTE).exists()
        told = git(made.folder, "log", "--format=%s%n%b", "--name-status")
        assert "talk" not in told, "talk goes on record with an adjudication"
        assert "sealed/press.age" in told
        break_off(game, "the end")
        made = publish_repo_of(game, folder.path / "observers.git")
        opened = [unseal(game.ledger.keys.identity, PRESS, raw) for raw in versions(made.folder, PRESS)]
        assert sum(text.count(said["signed"].encode()) for text in opened) == 2
        for raw in versions(made.folder, UNOPENED):
            with pytest.raises(CannotOpen):
                unseal(game.ledger.keys.identity, UNOPENED, raw)
        words = {word: encodings(text) for word, text in said.items()}
        assert found(every_text(made.folder), words | for_ever(game)) == []
    assert verify(made.folder, folders=FOLDERS).findings.sorted == []


def versions(repo: Path, path: str) -> list[bytes]:
    """Return all contents of a file in a clone."""
    commits = git(repo, "log", "--format=%H", "--", path).split()
    with GameRepo.open(repo) as opened:
        return [opened.read(path, commit) or b"" for commit in commits]


def naming(cards: Iterable[int]) -> re.Pattern[bytes]:
    """Return a pattern for how turn files name cards by their numbers."""
    numbers = "|".join(map(str, sorted(cards)))
    return re.compile(rf"\bcard: ({numbers})\b|\bcards: \[({numbers})\b".encode())


def grepped(repo: Path, *words: str) -> bytes:
    """Return what `git grep` finds of some words in all revisions."""
    revisions = git(repo, "rev-list", "--all").split()
    patterns = [part for word in words for part in ("-e", word)]
    command = ["git", "--git-dir", str(repo), "grep", "--text", "-F", *patterns, *revisions]
    ran = subprocess.run(command, capture_output=True)
    assert ran.returncode in (0, 1), ran.stderr
    return ran.stdout


def test_the_search_finds_what_is_there(folder: Folder) -> None:
    """A search that finds nothing anywhere would prove nothing."""
    with folder.create(secrets=DRAWN, players={}) as game:
        every = {**until_the_end(game), **for_ever(game), "a hand": written([11, 12, 13])}
        told = {name: list(forms) for name, forms in every.items()}
        for at, forms in enumerate(told.values()):
            slip = b"so it goes: " + forms[at % len(forms)] + b", says he"
            game.ledger.repo.commit({f"notes/{at}": slip}, "a slip")
        made = publish_repo_of(game, folder.path / "observers.git")
    assert {each.split(" in ")[0] for each in found(every_text(made.folder), told)} == set(told)
    assert grepped(made.folder, "so it goes")


def test_a_publication_is_what_main_reaches_and_nothing_else(folder: Folder) -> None:
    with folder.create() as game:
        play_on(game, 4)
        repo = game.ledger.repo.path
        slip = folder.path / "slip"
        slip.write_bytes(b"the hands of both sides")
        stray = git(repo, "hash-object", "-w", str(slip)).strip()
        git(repo, "update-ref", "refs/heads/draft", game.ledger.repo.head)
        (repo / "hooks").mkdir()
        (repo / "hooks" / "post-update").write_text("echo")
        git(repo, "config", "remote.origin.url", "https://somebody:password@example.org/punica.git")
        with game.ledger.repo.lock():
            made = publish_repo_of(game, folder.path / "observers.git")
        assert made.commits == len(list(game.ledger.repo.history()))
        assert made.head == game.ledger.repo.head
    reached = set(git(made.folder, "rev-list", "--objects", "--no-object-names", "main").split())
    assert set(objects(made.folder)) == reached
    assert stray not in reached
    assert git(made.folder, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    git(made.folder, "fsck", "--strict", "--full")
    config = git(made.folder, "config", "--list", "--local")
    assert "core.bare=true" in config
    assert "remote" not in config
    names = {path.relative_to(made.folder).as_posix() for path in made.folder.rglob("*") if path.is_file()}
    packs = {name for name in names if name.startswith("objects/pack/pack-")}
    assert names - packs == {"HEAD", "config", "info/refs", "objects/info/packs", "refs/heads/main"}
    assert packs


def test_a_publication_is_brought_up_to_date(folder: Folder) -> None:
    clone = folder.path / "observers.git"
    with folder.create() as game:
        publish_repo_of(game, clone)
        before = len(list(game.ledger.repo.history()))
        play_on(game, 3)
        made = publish_repo_of(game, clone)
        assert made.commits == len(list(game.ledger.repo.history())) - before > 0
        assert made.head == git(clone, "rev-parse", "main").strip() == game.ledger.repo.head
        assert publish_repo_of(game, clone).commits == 0
    assert verify(clone, folders=FOLDERS).findings.sorted == []
    assert set(objects(clone)) == set(git(clone, "rev-list", "--objects", "--no-object-names", "main").split())
    assert [path.name for path in clone.parent.iterdir() if "observers" in path.name] == [clone.name]
    with GameRepo.open(clone) as published:
        assert publish_game(published, folder.path / "further.git").head == made.head


def test_nothing_else_is_overwritten(folder: Folder) -> None:
    clone = folder.path / "observers.git"
    with folder.create() as game, folder.create(name="other") as other:
        publish_repo_of(other, clone)
        note = folder.path / "note"
        note.write_text("mine")
        full = folder.path / "full"
        full.mkdir()
        (full / "note").write_text("mine")
        for place, reason in (
            (clone, "another repo"),
            (note, "is no repo"),
            (full, "is no repo"),
            (game.path, "the game itself"),
        ):
            with pytest.raises(InTheWay, match=reason):
                publish_repo_of(game, place)
        assert git(clone, "rev-parse", "main").strip() == other.ledger.repo.head
        assert (note.read_text(), [path.name for path in full.iterdir()]) == ("mine", ["note"])
        own_way = folder.path / "own-way.git"
        publish_repo_of(game, own_way)
        with GameRepo.open(own_way) as gone:
            ahead = gone.commit({"position.yaml": b"mine"}, "mine")
        play_on(game, 1)
        with pytest.raises(InTheWay, match="its own way"):
            publish_repo_of(game, own_way)
        assert git(own_way, "rev-parse", "main").strip() == ahead
        empty = folder.path / "empty"
        empty.mkdir()
        assert publish_repo_of(game, empty).head == game.ledger.repo.head


def test_what_is_no_game_is_not_published(folder: Folder) -> None:
    with (
        GameRepo.create(folder.path / "notes.git", {"note": b"mine"}, "notes") as repo,
        pytest.raises(StoreError, match="holds no game"),
    ):
        publish_game(repo, folder.path / "observers.git")
    assert not (folder.path / "observers.git").exists()


@pytest.mark.slow
def test_after_the_reveal_all_opens_but_what_is_private_for_ever(folder: Folder) -> None:
    clone = folder.path / "observers.git"
    with folder.create(secrets=DRAWN, players={}) as game:
        play_on(game, 200)
        assert game.result is not None
        made = publish_repo_of(game, clone)
        never = for_ever(game)
        history = [commit.sha for commit in game.ledger.repo.history()]
    assert found(every_text(made.folder), never) == []
    verdict = verify(clone, folders=FOLDERS)
    assert verdict.findings.sorted == []
    assert verdict.opened
    opened = []
    with GameRepo.open(clone) as repo:
        sealed = {
            (path, content) for sha in history for path, content in files(repo, sha).items() if path.endswith(".age")
        }
    for path, content in sealed:
        if path == PLAYERS:
            with pytest.raises(CannotOpen):
                unseal(DRAWN.identity, path, content)
            assert set(json.loads(unseal(DRAWN.office, path, content)).values()) <= set(ADDRESSES.values())
            continue
        text = unseal(DRAWN.identity, path, content)
        assert found([(path, text)], never) == []
        opened.append(text)
    assert len(opened) > 30
    plain = {"a digest without salt": [sha256(text).hexdigest().encode() for text in opened]}
    assert found(every_text(clone), plain) == [], "who guesses a sheet could find that it is the right one"


def test_the_verb_publishes_and_says_so(folder: Folder) -> None:
    clone = folder.path / "observers.git"
    with folder.create() as game:
        head = game.ledger.repo.head
    for words, text in ((["punica"], "has 2 new commits"), ([str(folder.repo("punica"))], "has 0 new commits")):
        ran = CliRunner().invoke(app, ["publish", *words, str(clone), "--games", str(folder.games)])
        assert ran.exit_code == 0, ran.output
        assert text in ran.output
        assert head[:12] in ran.output
    ran = CliRunner().invoke(app, ["publish", "punica", str(clone), "--games", str(folder.games), "--json"])
    assert json.loads(ran.output) == {"game": "punica", "folder": str(clone), "new_commits": 0, "head": head}
    ran = CliRunner().invoke(app, ["publish", "punica", str(folder.games), "--games", str(folder.games)])
    assert ran.exit_code == 1
    assert "is no repo of a game" in ran.output
