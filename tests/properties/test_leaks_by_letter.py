"""What a side cannot know reaches it neither by letter nor by what anybody can read of the game's repo.

Two games go on from positions that a viewer cannot tell apart, with the same letters. Then nothing that is open to the
viewer may differ: commits and their messages, the names and sizes of all files, what stands in those that it can open,
who is written to after each letter, and every byte of its own letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from pbem.crypto.seal import new_identity, recipient_of, room_for, salt_of, salted, seal, unseal
from pbem.game.contract import Rules
from pbem.mail.intake import take_in
from pbem.mail.write import enclosures
from pbem.mail.write.outgoing import Outgoing, side_report
from pbem.mail.write.report_letters import first_letters
from pbem.pages.game_page import read_record
from pbem.pages.site import build
from pbem.protocol import Decision, Side
from pbem.referee.acts.consents import propose
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.rollback import roll_back
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo import ledger
from pbem.repo.files.requests import ROLLBACK, Request
from pbem.repo.ledger import Ledger
from tests.support.blank import blank_legend, spelled_pictures
from tests.support.garbled import garbled_sheets
from tests.support.live import ADDRESSES, Folder, files, letter, sheet
from tests.support.soak import quick_and_whole, scaled
from tests.support.twins import about, lays_open, misplaced, played, resampled, same_orders, some_answers, viewers
from tests.support.walks import FOLDERS, GAMES, Walk, loaded, plain, walk

NAME = "punica"
EDITION = "edition"
"""The key of an edition among the options of a game."""
PAIRS = scaled(15)
"""How many pairs of games `make soak` plays for each viewer; else there is one."""
LAST = (-2, None) if PAIRS == 1 else (None,)
"""The viewers of the soak: the shortest has a side and an observer only."""
QUICK, LETTERS = 3, 8
"""So many letters are written to two games at most, by `make test` and else."""
IDENTITIES = {side: new_identity() for side in ("viewer", "other")}


def windows() -> Iterator[Any]:
    """Yield each game with each way to ask for what may be done beside the ordinary play, and with each edition.

    The soak has them all.
    """
    for game in GAMES:
        ways = loaded(game).box.table("game").get("options", {}).get("windows", {}).get("values", [])
        for number, options in enumerate([{"windows": way} for way in ways] or [{}]):
            yield pytest.param(game, options, marks=pytest.mark.soak if number else ())
        for edition in loaded(game).box.editions[1:]:
            yield pytest.param(game, {EDITION: edition}, marks=pytest.mark.soak)


each_way = pytest.mark.parametrize(("game", "options"), list(windows()), ids=lambda word: str(word) if word else "-")


@dataclass
class Twin:
    """One of two live games, and what is read of it letter by letter."""

    folder: Folder
    viewer: Side | None
    read_so_far: int = 0

    @cached_property
    def game(self) -> Adjudicator:
        return self.folder.open()

    @property
    def rules(self) -> Rules[Any]:
        return self.game.rules

    @property
    def position(self) -> Any:
        return self.game.session.position

    @property
    def open_decisions(self) -> tuple[Decision, ...]:
        return self.game.open_decisions

    def hand_in(self, raw: bytes) -> list[Any]:
        """Take in a letter; return who is written to, and what the viewer reads in its own letters."""
        handled = take_in(raw, self.folder.office)
        with self.game.ledger.repo.lock():  # which looks where the game stands now
            return self.open_letters(handled.letters)

    def letters_at_first(self) -> list[Any]:
        """Return what is seen of the letters with which the game begins."""
        return self.open_letters(first_letters(self.game, self.folder.office))

    def open_letters(self, letters: Iterable[Outgoing]) -> list[Any]:
        """Return to whom letters go and under which names, and the content of those to the viewer."""
        mine = ADDRESSES.get(self.viewer or "")
        return [(out.to, out.name, out.content if out.to == mine else None) for out in letters]

    def news(self) -> list[Any]:
        """Return what the viewer can read of the commits made since it last looked."""
        history = list(self.game.ledger.repo.history())[::-1]
        new = history[self.read_so_far :]
        self.read_so_far = len(history)
        return [(commit.message, commit.when, dict(self.openly(commit.sha))) for commit in new]

    def openly(self, sha: str) -> Iterator[tuple[str, Any]]:
        """Yield each file of a commit with what the viewer can see of it: its content, or its size."""
        for path, content in files(self.game.ledger.repo, sha).items():
            if path == f"views/{self.viewer}.age":
                yield path, unseal(IDENTITIES["viewer"], path, content)
            else:
                yield path, size(content) if path.endswith(".age") else content

    def site(self) -> dict[str, bytes]:
        """Return the files of the site that anybody can make of the game."""
        out = self.folder.path / "site"
        build([read_record(self.folder.repo(NAME), FOLDERS)], out)
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.*") if path.is_file()}

    def taken_back(self, to: int) -> tuple[Request, str]:
        """Roll the game back after a request; return the request, and what the viewer is told."""
        last, reason = self.game.adjudication, "a sheet was lost"
        request = propose(self.game, None, Proposal(ROLLBACK, to=to), reason)
        roll_back(self.game, to, reason)
        return request, side_report(self.game, self.viewer, last).text

    def laid_open(self, since: int) -> bool:
        """Tell whether a rule has laid open to the viewer what was hidden, after an adjudication."""
        turns = [self.game.ledger.adjudication(n) for n in range(since + 1, self.game.adjudication + 1)]
        return any(lays_open(self.rules, turn.events, self.viewer) for turn in turns)


def size(sealed: bytes) -> int:
    """Return the size of what is sealed in an age file; its head has a random length."""
    return len(sealed) - sealed.index(b"\n--- ")


@pytest.fixture
def same_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the salted digests say nothing of what is sealed: without the salt nobody can tell one from another.

    They enter the dice, which would else fall differently in two games. Nor does the id of a commit, which everybody
    can read: it depends on how the sealed files turned out, and each is sealed differently each time.
    """
    whole = enclosures.receipt_of
    monkeypatch.setattr(
        enclosures, "receipt_of", lambda *words, **more: replace(whole(*words, **more), commit="0" * 40)
    )
    monkeypatch.setattr(Ledger, "salted", lambda self, path, content: salted(salt_of(b"", path), b""))
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", spelled_pictures)
    monkeypatch.setattr("pbem.mail.write.outgoing.slimmed", lambda draft: draft)  # all that is spelled is compared


def terms_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the edition and the other options by which a game is played."""
    return {"edition": options.get(EDITION), "options": {key: of for key, of in options.items() if key != EDITION}}


def begun(path: Path, rules: Rules[Any], options: dict[str, Any], position: Any, viewer: Side | None) -> Twin:
    """Return a live game that begins at a position, or as it is set up; both sides have given a key."""
    with pytest.MonkeyPatch.context() as patch:
        if position is not None:
            written = plain(rules.encode(position))
            patch.setattr(type(rules), "setup", lambda self, scenario, table: self.decode(plain(written)))
        folder = Folder(path)
        with folder.create(rules.id, NAME, begin=False, **terms_of(options)) as game:
            for side in rules.sides:
                game.join_side(side, key=recipient_of(IDENTITIES["viewer" if side == viewer else "other"]))
            game.adjudicate()
    return Twin(folder, viewer)


AT_MOST = 12
"""So many times the pairs asked for are played where they end early."""


def starts(rules: Rules[Any], scenario: str, most: int, played: int) -> Iterator[Any]:
    """Yield positions in which games rest, much is hidden, and nobody is about to be dealt anything."""
    for seed in range(1, most + 1):
        games = walk(rules, scenario, seed, played)
        rests = [at.checkpoint for at in games if not at.answers and at.session.result is None and quiet(at)]
        some = [rules.decode(plain(rest)) for rest in Random(seed).choices(rests, k=5)]
        yield max(some, key=lambda position: hidden(rules, position))


def hidden(rules: Rules[Any], position: Any) -> int:
    """Return how many cards an observer could find elsewhere."""
    other = resampled(rules, position, None, 0, near=False)
    return len(list(misplaced(rules.encode(position), rules.encode(other))))


def quiet(at: Walk) -> bool:
    return not any(lays_open(at.rules, at.session.table.events, side) for side in at.rules.sides)


def next_letter(twins: tuple[Twin, Twin], number: int, rng: Random) -> tuple[Side, bytes] | None:
    """Return a letter that can be written to both games alike, and its side: orders, a spoilt sheet, or a word."""
    game, viewer = twins[0].game, twins[0].viewer
    orders = same_orders(twins, viewer, rng)
    if not orders:
        return None
    asked = list(zip((decision.side for decision in twins[0].open_decisions), orders, strict=True))
    side = rng.choice(asked)[0]
    text = sheet(game, side, *(order for of, order in asked if of == side))
    if side == viewer and rng.random() < 0.3:
        view = game.view(side)
        (text,) = garbled_sheets(game.rules, game.box, view, side, twins[0].open_decisions, rng, 1)
        text = text.replace(b"adjudication: 7\n", b"adjudication: %d\n" % game.adjudication)
    elif side == viewer and rng.random() < 0.3:
        word = rng.choice(
            [b"FORECAST", b"STATUS", b"REPORT", b"FORM", b"HISTORY 3", b"STANDING", b"NEWS asked", b"NEWS every"]
        )
        return side, letter(side, word, *([text] if word == b"FORECAST" else []), number=number)
    elif game.box.standing_of(side) and rng.random() < 0.3:
        text += b"standing: default\n"
    return side, letter(side, text, number=number)


class Reach(NamedTuple):
    """How many pairs of games are played for each viewer, how many letters of each are compared, and for which viewers.

    The observer comes last.
    """

    most: int
    letters: int
    viewers: slice
    played: int = 1_000_000
    """So many questions of a random game are answered before one of its positions is taken."""


@pytest.fixture(
    params=[
        "quick",
        pytest.param("whole", marks=pytest.mark.slow),
        pytest.param("long", marks=pytest.mark.soak),
    ]
)
def reach(request: pytest.FixtureRequest) -> Reach:
    if request.param == "long":
        return Reach(PAIRS, LETTERS, slice(*LAST))
    if request.param == "whole":
        return Reach(1, LETTERS, slice(-3, None))
    ours = loaded(request.getfixturevalue("game")).box.ours  # larger than the games of the tests
    return Reach(1, QUICK, slice(-2, -1 if ours else None), 100)


@each_way
@pytest.mark.usefixtures("same_digests")
def test_nothing_that_a_viewer_can_read_tells_what_is_hidden(
    game: str, options: dict[str, Any], reach: Reach, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most, enough = reach.most, 4 * reach.most if reach.letters > QUICK else QUICK - 1
    tried = AT_MOST * most if reach.letters > QUICK else 2 * AT_MOST
    monkeypatch.setattr(Walk, "pick", played)
    monkeypatch.setattr(
        "pbem.mail.write.enclosures.legend_picture", blank_legend
    )  # the signs of a map say nothing of a game
    loads, compared, sites = loaded(game, options.get(EDITION)), 0, 0
    for at, position in enumerate(starts(loads.rules, loads.scenarios[0], tried, reach.played)):
        if at >= most and compared > enough:
            break  # a game whose rules lay much open ends its pairs early, and needs more of them
        for viewer in viewers(loads.rules)[reach.viewers]:
            rng = Random(f"{at} {viewer}")
            other = resampled(loads.rules, position, viewer, at, near=at % 3 != 2)
            first, second = (
                begun(tmp_path / f"{at}-{viewer}-{name}", loads.rules, options, each, viewer)
                for name, each in (("first", position), ("second", other))
            )
            with first.game, second.game:
                count = compare((first, second), rng, reach.letters)
                if viewer is None and count == reach.letters and not sites:  # nothing was laid open
                    sites += 1
                    assert first.site() == second.site()
                compared += count
    assert compared > enough


def compare(twins: tuple[Twin, Twin], rng: Random, most: int) -> int:
    """Write the same letters to two games and compare all that the viewer can read; return how many were compared."""
    first, second = twins
    letters = first.letters_at_first()
    assert letters == second.letters_at_first()
    assert all(b"text/html" in content for *_, content in letters if content is not None)  # pages are compared, too
    assert first.news() == second.news()
    for number in range(most):
        written = next_letter(twins, number, rng)
        if written is None:
            return number
        before = first.game.adjudication
        answers = [twin.hand_in(written[1]) for twin in twins]
        if any(twin.laid_open(before) for twin in twins):
            return number
        assert answers[0] == answers[1], written
        assert first.news() == second.news(), written
    last = first.game.adjudication
    if last > 1 and first.game.result is None:
        back = [twin.taken_back(last // 2) for twin in twins]
        assert back[0] == back[1]
        assert first.news() == second.news()
    return most


# ---- sizes


@each_way
@pytest.mark.parametrize("rounds", quick_and_whole(8, 30))
def test_the_size_of_what_is_sealed_follows_from_what_is_public(
    game: str, options: dict[str, Any], rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room is given by public lengths. What did not fit would be given more, and its size would tell of it."""
    needed: dict[str, float] = {}

    def measured(recipients: Any, path: str, content: bytes, *, public: int = 0) -> bytes:
        sealed = seal(recipients, path, content, public=public)
        kind = path if path.startswith("sealed") else path.split("/")[0]
        needed[kind] = max(needed.get(kind, 0), (len(content) + len(path) + 30) / room_for(public))
        return sealed

    monkeypatch.setattr(ledger, "seal", measured)
    monkeypatch.setattr("pbem.crypto.seal.seal", measured)
    twin, random = begun(tmp_path, loaded(game, options.get(EDITION)).rules, options, None, None), Random(1)
    with twin.game as live:
        for at in range(rounds):
            if not live.open_decisions:
                break
            side = live.open_decisions[0].side
            asked = [decision for decision in live.open_decisions if decision.side == side]
            answers = [next(some_answers(twin, each, random, every=False)) for each in asked]
            text = sheet(live, side, *map(about, answers, asked))
            if live.box.standing_of(side) and at < 4:
                text += b"standing: default\n"
            form = side_report(live, side, live.adjudication).sheet or ""
            receipt = live.receive(side, text + b"".join(b"# %b\n" % line.encode() for line in form.splitlines()))
            assert receipt.number is not None, str(receipt)
            live.adjudicate()
    assert {"sealed/players.age", "sheets", "views"} <= needed.keys()
    assert all(most < (1 if kind == "sheets" else 0.8) for kind, most in needed.items()), needed
