"""A grammar of forgeries, made while a game is played: what an adjudicator is about to commit is altered, once.

The forger holds all the secrets: sealed files are opened and sealed again in the same room, digests that follow are put
right if he takes the trouble, and the commit is signed as all are. Then the honest code plays on from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any, Final

from pbem.crypto.dice import Chain, ChainDice, inputs_digest, step_key
from pbem.crypto.seal import MARK, open_padded, recipient_of, unpadded, wrap
from pbem.game import yaml as yamlio
from pbem.protocol import Side
from pbem.referee.acts import consents, rollback, ruling
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.layout import LETTERS, PLAYERS, POSITION, STATE, VIEWS, turn_path
from pbem.repo.files.requests import DRAW, ROLLBACK
from tests.support.live import SECRETS, Folder, pick, sheet

Files = dict[str, bytes | None]
CHAIN: Final = Chain(b"r" * 32, 200)
SECOND_CHAIN: Final = Chain(b"s" * 32, 200)
COMMITS: Final = 33
"""How many commits the game has in which something is forged."""
KEY: Final = recipient_of("AGE-SECRET-KEY-1RZ5CJD3AH2FCRCMFMJYYZQCPPWZ70ULEHYP6KDU6AXZCD8FPXLQSF0Q3VR")


@dataclass
class Forged:
    """What a forger did: the commit, the sort of file, what was done to it, at which place."""

    commit: int
    path: str
    deed: str
    at: str = ""

    @property
    def sort(self) -> str:
        """The sort of the file, without numbers and sides."""
        head, _, rest = self.path.partition("/")
        return f"{head}/*{'.age' if rest.endswith('.age') else ''}" if rest and head != "sealed" else self.path

    @property
    def kind(self) -> str:
        """The class of forgery that is counted."""
        word = self.at.partition(".")[0].partition(" ")[0]
        return f"{self.sort}: {self.deed}" + (f" {word}" if word else "")


class Forger:
    """Stands between an adjudicator and its repo, and alters the commit of a number."""

    def __init__(self, game: Adjudicator, target: int, random: Random) -> None:
        self.game = game
        self.target = target
        self.random = random
        self.count = 0
        self.done: Forged | None = None
        self.sha = ""
        self.sorts: list[list[str]] = []
        """The paths of each commit."""
        repo = game.ledger.repo
        self._commit: Callable[[Mapping[str, bytes | None], str], str] = repo.commit
        repo.commit = self.commit  # type: ignore[method-assign]

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Commit files, altered if it is their turn."""
        self.count += 1
        self.sorts.append(sorted(files))
        altered, said, due = dict(files), message, self.done is None and self.count >= self.target
        if due:
            said = self._forge(altered, message)
            if (altered, said) == (files, message):
                self.done = None  # what was put right was all that was altered
        sha = self._commit(altered, said)
        if self.done is not None:
            self.sha = self.sha if not due else sha
            self.game.forget()  # the honest code goes on from what is committed
        return sha

    @property
    def landed(self) -> bool:
        """Whether what was forged is in the repo: a transaction that the honest code broke off is not."""
        return self.done is not None and any(each.sha == self.sha for each in self.game.ledger.repo.history())

    def _forge(self, files: Files, message: str) -> str:
        """Alter one thing of a commit and return its message."""
        random, deed = self.random, self.random.random()
        if deed < 0.04:
            self.done = Forged(self.count, "message", "alter")
            return message + random.choice(".!x")
        path = random.choice(sorted(files))
        if deed < 0.10 and len(files) > 1:
            del files[path]
            self.done = Forged(self.count, path, "drop the file")
        elif deed < 0.16:
            other = random.choice([*(each for paths in self.sorts for each in paths), turn_path(self.count)])
            content = self.game.ledger.repo.read(other)
            if other not in files and content is not None and not other.startswith(LETTERS):
                files[other] = _again(other, content)
                self.done = Forged(self.count, other, "add the file")
        else:
            self._edit(files, path)
        return message

    def _edit(self, files: Files, path: str) -> None:
        content = files[path]
        if content is None or path == PLAYERS or path.startswith(VIEWS):
            return  # sealed to keys that nobody who verifies has
        value, write = _opened(path, content)
        if isinstance(value, str):
            at, deed, edited = "", "alter", value + "# altered\n"
        else:
            deed, at, edited = altered(value, self.random)
            if edited == value and json.dumps(edited) == json.dumps(value):
                return
        files[path] = write(edited)
        self.done = Forged(self.count, path, deed, at)
        if self.random.random() < 0.5:
            self._put_right(files, path)

    def _put_right(self, files: Files, path: str) -> None:
        """Put right what follows from the file that was altered: digests, dice, and the state beside it."""
        turns = [each for each in files if each.startswith("turns/") and each.endswith(".yaml")]
        if not turns or self.done is None:
            return
        turn = _opened(turns[0], files[turns[0]] or b"")[0]
        if path == POSITION:
            turn["position"] = sha256(files[POSITION] or b"").hexdigest()
        if path == turns[0]:
            with suppress(Exception):
                self._dice(turn, files)
        files[turns[0]] = yamlio.dump(turn).encode()
        self.done.deed += ", put right"

    def _dice(self, turn: dict[str, Any], files: Files) -> None:
        game, n = self.game, turn["adjudication"]
        before = game.ledger.public_turn(n - 1)["inputs"] if n > 1 else game.ledger.turn_digest(0)
        turn["inputs"] = inputs_digest(before, turn)
        dice = ChainDice(step_key(turn["link"], game.name, n, turn["inputs"]), b"")
        for roll in turn.get("rolls", ()):
            roll["faces"] = dice.faces(roll["name"], len(roll["faces"]), roll.get("sides", 6))
            roll["total"] = sum(roll["faces"]) + sum(roll.get("modifiers", {}).values())
            if "need" in roll:
                sense, need = roll["need"].split(" ")
                roll["success"] = roll["total"] <= int(need) if sense == "<=" else roll["total"] >= int(need)
        state, write = _opened(STATE, files[STATE] or b"")
        if state["inputs"] != turn["inputs"]:
            state["inputs"] = turn["inputs"]
            files[STATE] = write(state)


def _opened(path: str, content: bytes) -> tuple[Any, Callable[[Any], bytes]]:
    """Return what a file says, and what writes it again."""
    if not path.endswith(".age"):
        return yamlio.read(content, name=path).value, lambda value: yamlio.dump(value).encode()
    padded = open_padded(SECRETS.identity, path, content)
    inside = unpadded(path, padded)

    def sealed(value: Any) -> bytes:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        raw = text.encode()
        return _sealed((b"%b %b %d\n" % (MARK, path.encode(), len(raw)) + raw).ljust(len(padded), b"\0"))

    return (inside.decode() if path.startswith("sheets/") else json.loads(inside)), sealed


def _sealed(padded: bytes) -> bytes:
    return wrap(padded, [recipient_of(SECRETS.identity)])


def _again(path: str, content: bytes) -> bytes:
    """Return another content of the same: sealed once more, or with something altered."""
    if not path.endswith(".age") or path == PLAYERS or path.startswith(VIEWS):
        return content + b"altered: 1\n"
    return _sealed(open_padded(SECRETS.identity, path, content))


def altered(value: Any, random: Random) -> tuple[str, str, Any]:
    """Return what was done, at which place, and a plain value in which one thing is otherwise."""
    value = deepcopy(value)
    places = list(_places(value))
    at, holder, key = random.choice(places)
    deed = random.choice(("drop", "add", "alter", "alter", "alter", "reorder"))
    if deed == "drop":
        del holder[key]
    elif deed == "add":
        more = random.choice([0, "more", {}, [], holder[key]])
        if isinstance(holder, dict):
            holder[f"{key}_more"] = more
        else:
            holder.insert(key, deepcopy(more))
    elif deed == "alter":
        holder[key] = _other(holder[key], random)
    elif isinstance(holder, dict):
        first = holder.pop(key)
        holder[key] = first
    else:
        holder.append(holder.pop(key))
    return deed, at, value


def _places(value: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield every place of a plain value: how it is called, what holds it, and its key there."""
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, item in items:
        here = f"{at}.{key}" if at else str(key)
        yield here, value, key
        if isinstance(item, dict | list):
            yield from _places(item, here)


def _other(value: Any, random: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 10))
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]
    return random.choice([0, "other", {"other": 1}, ["other"]]) if not value else type(value)()


# ---- the game in which it is done


def play(folder: Folder, rules: str, target: int, seed: int) -> tuple[Adjudicator, Forger]:
    """Play a game in which all happens that a repo can hold, with one commit forged; the caller closes it."""
    game = folder.create(rules, begin=False)
    forger = Forger(game, target, Random(seed))
    for step in _steps(game, Random(7)):
        try:
            step()
        except Exception:
            if forger.done is None:
                raise
            game.forget()  # the honest code cannot go on from a forgery; what comes next may do
    return game, forger


def finish(game: Adjudicator) -> None:
    """End the game if it can be ended, so that its secrets are published."""
    with suppress(Exception):
        ruling.break_off(game, "the players agree")


def _steps(game: Adjudicator, random: Random) -> Iterator[Callable[[], object]]:
    """Yield what happens in the game, one thing after another."""
    first, second = game.rules.sides[:2]
    yield lambda: game.join_side(first, phrase="Three hills", letter="1")
    yield lambda: game.join_side(first, chain=ChainPromise(CHAIN.tip, 200))
    yield lambda: game.join_side(second, key=KEY, letter="2")
    yield game.adjudicate
    letters = count()

    def link_of(side: Side) -> bytes:
        chain = game.player_chain(side)
        own = CHAIN if side == first else SECOND_CHAIN
        return b"" if chain is None else f"link: {own.link(chain.opened + 1)}\n".encode()

    def hand_in(standing: bytes = b"", again: bool = False) -> None:
        side = game.open_decisions[0].side
        text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        for _ in range(1 + again):
            receipt = game.receive(side, link_of(side) + text + standing, letter=f"letter {next(letters)}")
            assert receipt.number is not None, str(receipt)
        game.adjudicate()

    def late() -> None:
        game.adjudicate(late=[game.open_decisions[0].side])

    def ruled() -> None:
        side = game.open_decisions[0].side
        orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
        ruling.answer_for_side(game, side, sheet(game, side, *orders), "a letter was lost")
        game.adjudicate()

    def asked() -> None:
        back = Proposal(ROLLBACK, to=game.adjudication - 1)
        request = consents.propose(game, None, back, "a slip of the pen").request
        for side in game.rules.sides:
            consents.consent(game, side, request, letter=f"consent {side}")

    def taken_back() -> None:
        """Hand in a sheet that waits, if both sides are asked, and take it back."""
        for side in game.rules.sides:
            if any(each.side == side for each in game.open_decisions):
                text = sheet(game, side, *[pick(game, each, random) for each in game.asked(side)])
                receipt = game.receive(side, link_of(side) + text, letter=f"letter {next(letters)}")
                assert receipt.number is not None, str(receipt)
                link = link_of(side).decode().removeprefix("link: ").strip() or None
                game.withdraw(side, link, f"letter {next(letters)}")
                return

    def draw_refused() -> None:
        request = consents.propose(game, first, Proposal(DRAW), letter="a draw").request
        consents.refuse_request(game, second, request, letter="no draw")

    standing = b"standing:\n- react: {card: none}\n" if game.charter.rules == "toy" else b"standing: default\n"
    yield lambda: hand_in(standing)
    yield lambda: hand_in(again=True)
    yield hand_in
    yield lambda: hand_in(again=True)
    yield late
    yield asked
    yield hand_in
    yield taken_back
    yield draw_refused
    yield ruled
    yield lambda: game.change_player(second, "Carl", "carl@example.net", replaced=False)
    yield lambda: game.change_player(second, "Dora", "dora@example.net", replaced=True)
    yield lambda: game.join_side(second, chain=ChainPromise(SECOND_CHAIN.tip, 200), letter="3")
    yield hand_in
    yield lambda: rollback.roll_back(game, game.adjudication - 1, "a slip of the referee")
    yield hand_in
    yield hand_in
