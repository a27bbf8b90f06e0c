"""The runtime of the verbs: their shared options; opens games, posts letters, prints answers, sets exit codes."""

from __future__ import annotations

import errno
import json as json_text
import os
import sys
from codecs import lookup
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, get_type_hints

import typer

from pbem.cli.escaped import escaped_json, unescaped
from pbem.paths import cache_folder, find_config, games_folder, keys_folder
from pbem.protocol import FOR, Bug, PbemError, cited

if TYPE_CHECKING:
    from pbem.game.boxes.box_file import Correction
    from pbem.mail.read.sheet_finder import Unseal
    from pbem.mail.write.outgoing import MailSettings, Outgoing
    from pbem.orders.check import Receipt
    from pbem.post.settings import WhoConfig
    from pbem.referee.game.open_game import OpenGame
    from pbem.referee.play.adjudicator import Adjudicator

DONE: Final = 0
WORLD: Final = 1
USAGE: Final = 2
FAULTS: Final = 3
NOT_PROVEN: Final = 4

Name = Annotated[str, typer.Argument(help="The game's name.")]
NameOrClone = Annotated[str, typer.Argument(help="The game's name, or the folder of a clone of its repo.")]
SideOf = Annotated[str, typer.Option("--side", help="The side.")]
Viewer = Annotated[str | None, typer.Option("--side", help="The side that reads; by default an observer.")]
Games = Annotated[Path | None, typer.Option("--games", help="Folder of the games; or set PBEM_GAMES.")]
RulesDir = Annotated[list[Path] | None, typer.Option("--rules-dir", help="Another folder with boxes of games.")]
Correct = Annotated[
    list[Path] | None,
    typer.Option("--correct", help="A corrected file of the box, or a folder of them; the game's repo keeps them."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Since = Annotated[int | None, typer.Option(help="Report what happened after this adjudication.")]
MapLink = Annotated[
    str | None, typer.Option("--map", metavar="URL", help="The address of the map picture, for a forum post.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
WHY: Final = "The reason. It goes on record, and every side is told."
"""The help of every `--reason`."""
Why = Annotated[str, typer.Option("--reason", help=WHY)]
Reason = Annotated[str | None, typer.Option("--reason", help=WHY)]

Boxes = Sequence[Path] | None
"""Other folders with boxes of games, as `--rules-dir` names them."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The options that most verbs share. A verb takes them as its parameter `shared`; see `one_by_one`."""

    games: Games = None
    rules_dir: RulesDir = None
    json: Json = False

    @property
    def folder(self) -> Path:
        """The folder of the games."""
        return self.games or games_folder()

    @property
    def boxes(self) -> Sequence[Path]:
        """Other folders with boxes of games."""
        return self.rules_dir or ()


USUAL: Final = Shared()


def one_by_one(verb: Callable[..., object]) -> Callable[..., object]:
    """Return a verb as the command line sees it: the options of its parameter `shared` are parameters of their own."""
    asked = signature(verb, eval_str=True)
    own = [each for each in asked.parameters.values() if each.name != "shared"]
    if len(own) == len(asked.parameters):
        return verb
    types = get_type_hints(Shared, include_extras=True)
    options = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=types[each.name])
        for each in fields(Shared)
    ]

    @wraps(verb)
    def run(**given: Any) -> object:
        shared = Shared(*(given.pop(each.name) for each in options))
        return verb(**given, shared=shared)

    run.__signature__ = asked.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in [*own, *options]}
    return run


NO_SENDER: Final = "pbem <pbem@localhost>"
"""The address that letters come from where none is set: nobody can answer it."""
_MOST_ECHOED: Final = 60
"""The most lines that are printed of a sheet as it was read."""
_AGAIN: Final = "then give the same command again; nothing is lost"
_ADVICE: Final = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), f". Make room on the disk, {_AGAIN}."),
    errno.EROFS: f". Make the disk writable, {_AGAIN}.",
    **dict.fromkeys((errno.EACCES, errno.EPERM), f". Let the user who runs pbem read and write it, {_AGAIN}."),
    errno.EIO: f". Check the disk, or copy the folder to another one, {_AGAIN}.",
}
"""What to do after a system error, by its number."""


def mail_settings(shared: Shared) -> MailSettings:
    """Return the mail settings: the games' folder, the keys, the address that letters come from."""
    from datetime import UTC, datetime

    from pbem.mail.notes.address import mailbox
    from pbem.mail.write.outgoing import MailSettings

    sender, who = _sender_and_who()
    found = MailSettings(
        shared.folder, keys_folder(), sender, datetime.now(UTC), tuple(shared.boxes), cache_folder() / "drawings"
    )
    if mailbox(sender) is None:
        misuse(f"PBEM_FROM is not a mail address: {sender}")
    return found if who is None else replace(found, plus=who.plus, must_sign=who.must_sign)


def _sender_and_who() -> tuple[str, WhoConfig | None]:
    """Return the address that letters come from, and how the post knows who answers there; None: it does not read it.

    Both are those of the post's config, if there is one, so that letters of all commands belong to one thread.
    `PBEM_FROM` names another address, unless it is the same.
    """
    from pbem.mail.notes.address import mailbox

    named, config = os.environ.get("PBEM_FROM"), None
    if (file := find_config()).exists():
        from pbem.post.settings import load_config  # it reads YAML by a schema: only where there is one

        config = load_config(file)
    if config is None or named is None:
        return (named or NO_SENDER, None) if config is None else (config.sender, config.who)
    own = mailbox(named)
    return named, config.who if own is not None and own.address == config.address else None


def post_letter(out: Outgoing, outbox: Path) -> str:
    """Write a letter to the outbox, a maildir, and return its file."""
    from pbem.mail.notes.outboxes import MaildirOutbox

    return out.put_into(MaildirOutbox(outbox))


def post_all(letters: Iterable[Outgoing], outbox: Path, game: Adjudicator | None = None) -> list[str]:
    """Write letters to the outbox, one to each reader for all their sides, and return their files.

    With a `game`, the clocks of the sides that they ask run from now on.
    """
    from datetime import UTC, datetime

    from pbem.mail.write.posting import bundled, note_handed_over

    whole = list(bundled(letters))
    written = [post_letter(out, outbox) for out in whole]
    if game is not None:
        note_handed_over(game, whole, datetime.now(UTC))
    return written


def done_by_now(game: Adjudicator, shared: Shared) -> list[str]:
    """Carry out what has fallen due in a game with a clock; return the files of the letters. The lock is held."""
    from pbem.mail.due import carry_out_due
    from pbem.mail.notes.outboxes import MaildirOutbox

    if game.clock.terms is None:
        return []
    settings = mail_settings(shared)
    done = carry_out_due(game, settings.now, replace(settings, outbox=MaildirOutbox(settings.games / "outbox")))
    game.today, game.moment, game.ledger.repo.letter_time = None, None, None
    return [out.file for out in done.letters if out.file is not None]


@contextmanager
def opened_to_read(name: str, shared: Shared) -> Iterator[OpenGame]:
    """Open a game to look at it."""
    from pbem.referee.opening import open_to_look

    with open_to_look(shared.folder, keys_folder(), name, folders=shared.boxes) as game:
        yield game


@contextmanager
def opened_to_change(name: str, shared: Shared, correct: Sequence[Path] = ()) -> Iterator[Adjudicator]:
    """Open a game to change it, with corrected files beside those that it keeps.

    Raises NoLocks, before anything is written, on a system where games cannot be changed.
    """
    from pbem.mail.notes.correspondence import set_back
    from pbem.referee.opening import open_game
    from pbem.repo.git import GameRepo
    from pbem.repo.git.locks import require_locks
    from pbem.repo.public import charter_in

    require_locks()
    found = None
    if correct:
        with GameRepo.open(shared.folder / f"{name}.git") as repo:
            found = corrections(charter_in(repo).rules, correct, shared.boxes)
    with open_game(shared.folder, keys_folder(), name, folders=shared.boxes, corrections=found) as game:
        with game.lock():
            ahead = set_back(game.path, game.adjudication)
        if ahead is not None:
            print(f"pbem: {ahead}.", file=sys.stderr)
        yield game


@contextmanager
def in_the_world() -> Iterator[None]:
    """Turn environment errors into a sentence and exit code 1; bugs keep their traceback. All verbs run in it."""
    try:
        yield
    except (BrokenPipeError, Bug):
        raise  # a broken pipe is not an error: nobody reads the rest
    except OSError as wrong:
        advice = _ADVICE.get(wrong.errno or 0, "")
        print(f"pbem: {wrong.filename or 'the system'}: {wrong.strerror or wrong}{advice}", file=sys.stderr)
        sys.exit(WORLD)
    except PbemError as wrong:
        print(f"pbem: {wrong}", file=sys.stderr)
        sys.exit(WORLD)


@contextmanager
def progress(what: str, *, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal, of how many of how many are done; it is gone when the command ends."""
    if not shown or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=unescaped(sys.stderr))  # a bar consists of escapes
    with Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def on_a_terminal() -> bool:
    """Tell whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> str:
    """Ask whoever sits at the terminal; the question goes beside the output."""
    print(question, end=" ", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def require_agreement(question: str, yes: bool) -> None:
    """End the command unless its user wants to go on; who is at no terminal, or has said `--yes`, is not asked."""
    if yes or not on_a_terminal():
        return
    if ask(f"{question} [y/N]").lower() not in ("y", "yes"):
        print("pbem: nothing was done", file=sys.stderr)
        sys.exit(WORLD)


def print_remark(text: str, json: bool) -> None:
    """Print what the user should know; beside the output, if a program reads that."""
    print(f"pbem: {text}" if json else f"{text}.", file=sys.stderr if json else sys.stdout)


def misuse(text: str) -> NoReturn:
    """End the command with exit code 2, because its arguments are wrong."""
    print(f"pbem: {text}", file=sys.stderr)
    sys.exit(USAGE)


def corrections(rules: str, files: Iterable[Path], boxes: Boxes) -> dict[str, Correction]:
    """Return the corrected files of a box that a command names."""
    from pbem.game.boxes.box import open_box
    from pbem.game.boxes.box_file import read_named

    return read_named(files, open_box(rules, boxes or ()).correctable)


def require_in_the_box(
    rules: str, sides: Iterable[str], scenario: str | None, edition: str | None, options: dict[str, Any], boxes: Boxes
) -> Sequence[str]:
    """Return the sides that play a new game; end the command unless the box has everything that it needs."""
    from pbem.game.boxes.box import NotInTheBox
    from pbem.game.boxes.shelf import load

    try:
        loaded = load(rules, edition=edition, options=options, folders=boxes or ())
        if scenario is not None:
            loaded.require_scenario(scenario)
    except NotInTheBox as wrong:
        misuse(str(wrong))
    playing = loaded.rules.sides
    for side in sides:
        if side not in playing:
            misuse(f"--player {side}=...: there is no side {side}; the sides are {', '.join(playing)}")
    return playing


def require_beacon(beacon: str | None) -> None:
    """End the command unless a beacon is known, and can be checked here."""
    from pbem.crypto.beacon import require_library
    from pbem.crypto.closing import DRAND

    if beacon is None:
        return
    if beacon != DRAND:
        misuse(f"--beacon {beacon}: the only beacon is {DRAND}")
    require_library()


def require_side(game: OpenGame, side: str) -> None:
    """End the command unless a game has a side."""
    if side not in game.rules.sides:
        misuse(f"{game.name} has no side {side}; its sides are {', '.join(game.rules.sides)}")


def judge(receipt: Receipt, json: bool, good: str, advice: str = "") -> None:
    """Print the faults of a sheet, with advice if there is any, and end with exit code 3; or print that it has none."""
    if json:
        print_json(receipt.rows())
    elif receipt.complaints:
        print("\n".join([str(receipt), *([advice] if advice else [])]))
    else:
        print(f"{receipt.name}: {good}.")
        print_echo(receipt)
        for line in receipt.costs:
            print(f"  {line}")
    if receipt.complaints:
        sys.exit(FAULTS)


def print_echo(receipt: Receipt) -> None:
    """Print how an accepted sheet was read."""
    from pbem.mail.write.answer_letters import echo

    print("This is how it was read:")
    for line in echo(receipt.canonical, _MOST_ECHOED, "and more"):
        print(f"  {line}")


def open_questions(game: OpenGame) -> list[dict[str, str]]:
    """Return what a game waits for, for --json."""
    return [
        {"side": each.side, "kind": each.kind, **({FOR: each.about} if each.about else {}), "rule": each.rule}
        for each in game.open_decisions
    ]


def print_waiting(game: OpenGame) -> None:
    """Print what a game waits for, or how it ended."""
    from pbem.crypto.beacon import address
    from pbem.referee.game.open_game import on_hold_until

    if game.result is not None:
        from pbem.render.text.messages import sentences

        print(f"The game is over. {sentences(game.box).result(game.result)}")
    if (closed := game.closed) is not None:
        print(f"The sheets are closed; it waits for round {closed.round} of drand, published {closed.time}.")
        print(f"Look it up at {address(closed.round)}, then: pbem beacon {game.name} {closed.round} SIGNATURE")
    if game.awaited and game.closed is None:
        who = ", ".join(f"{side} ({game.player(side)})" for side in game.awaited)
        print(f"It waits for a phrase from {who}. To begin without: `pbem adjudicate {game.name}`.")
    if (until := on_hold_until(game)) is not None:
        print(f"It is on hold until {until:%Y-%m-%d %H:%M:%S} UTC: until then orders can be taken back.")
    for each in game.open_decisions:
        asked = f"{each.kind}, {FOR}: {each.about}" if each.about else each.kind
        print(f"It waits for {each.side}: {game.box.forms[each.kind].title} ({asked}, {cited(each.rule)})")


def owes(game: Adjudicator) -> bool:
    """Tell whether an earlier command ended before its letters were written. Call it before continuing the game."""
    from pbem.mail.notes.correspondence import REPORTED, note_reported

    known = REPORTED.read(game.path)
    if known is None:
        note_reported(game.path, game.adjudication)
    return known is not None and known < game.adjudication


def tell_all(game: Adjudicator, numbers: Sequence[int], shared: Shared) -> list[str]:
    """Write a report of new adjudications to every side that has an address; return the files of the letters.

    The reports include what an earlier command still owes, if it ended before its letters were written.
    """
    from pbem.mail.notes.correspondence import CLOSED, REPORTED
    from pbem.mail.write.report_letters import closing_letters, reports

    settings = mail_settings(shared)
    with game.lock():
        known = REPORTED.read(game.path)
        since = known if known is not None else numbers[0] - 1 if numbers else game.adjudication
        letters = list(reports(game, since, settings)) if since < game.adjudication else []
        closed = game.closed
        if closed is not None and CLOSED.read(game.path) != closed.round:
            letters += closing_letters(game, settings)
        return post_told(game, letters, settings)


def post_told(game: Adjudicator, letters: Iterable[Outgoing], settings: MailSettings) -> list[str]:
    """Write letters that tell all sides how a game stands, note that they are told, and return the files."""
    from pbem.mail.notes.outboxes import MaildirOutbox
    from pbem.mail.write import posting
    from pbem.mail.write.posting import bundled

    whole = bundled(list(letters))
    settings = replace(settings, outbox=MaildirOutbox(settings.games / "outbox"))
    posting.post_letters(game, whole, settings, settings.now)
    return [out.file for out in whole if out.file is not None]


def listed_adjudications(numbers: Sequence[int]) -> str:
    """Return adjudications as a sentence lists them: 3 to 5, 8."""
    from pbem.referee.acts.preconditions import spans

    return ", ".join(spans(numbers))


def print_adjudicated(game: Adjudicator, numbers: Sequence[int], letters: Sequence[str]) -> None:
    """Print new adjudications, what the game waits for now, and the letters written."""
    print(f"Adjudicated: {', '.join(map(str, numbers))}." if numbers else "Nothing could be adjudicated.")
    print_waiting(game)
    for path in letters:
        print(f"Letter: {path}")


def print_json(value: object) -> None:
    """Print a value as JSON; as ASCII where the terminal could not show every letter."""
    unicode = lookup(sys.stdout.encoding or "ascii").name == "utf-8"
    print(escaped_json(json_text.dumps(value, indent=1, ensure_ascii=not unicode)))


def read_input(path: Path) -> bytes:
    """Return the content of a file, or of standard input for `-`."""
    return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()


def sheet_in_file(game: OpenGame, side: str, path: Path) -> bytes:
    """Return the sheet in a file, which may be a copied post; end the command if its sealed orders do not open."""
    from pbem.mail.inbox import for_side

    return _in_post(path, game.box.forms, for_side(game, side))


def read_at_home(path: Path) -> bytes:
    """Return the sheet in a file of a player, which may be a copied forum post."""
    return _in_post(path, (), None)


def _in_post(path: Path, kinds: Collection[str], unseal: Unseal | None) -> bytes:
    from pbem.crypto.sealed_orders import BadBlock
    from pbem.mail.inbox import sheet_in_post

    try:
        return sheet_in_post(read_input(path), kinds, unseal)
    except BadBlock as wrong:
        print(f"{path.name}: {wrong}", file=sys.stderr)
        sys.exit(FAULTS)
