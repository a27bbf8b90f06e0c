"""What several verbs share: arguments and options, many games at once, the headings of `pbem --help`.

Each game is dealt with by itself, and either all of it is done or nothing. One that fails keeps no other from being
dealt with. The summary names those that failed, and the command that is to be given again for them alone. With --json
all these verbs print the same shape:

    {"games": [{"game": "punica", "done": true, ...}, {"game": "zama", "done": false, "why": "..."}], "failed": 1}

What stands behind `done` is up to the verb.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from pbem.cli.escaped import escaped_output
from pbem.cli.runtime import WORLD, in_the_world, misuse, print_json
from pbem.protocol import Bug, PbemError

if TYPE_CHECKING:
    from pbem.referee.game.open_game import OpenGame


# ---- The arguments and options that several verbs share


Name = Annotated[str, typer.Argument(help="The game's name.")]
NameOrClone = Annotated[str, typer.Argument(help="The game's name, or the folder of a clone of its repo.")]
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


# ---- Verbs that act on many games: which games are meant, how far the command has come, what failed and why


GamePatterns = Annotated[
    list[str], typer.Argument(metavar="GAMES...", help="Games, by name or by a pattern: 'spring-*'.")
]
_PATTERN: Final = "*?["
_LEAST_FOR_A_BAR: Final = 2


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a verb has done in one game: a line for a person, and what is told to a program."""

    line: str
    facts: dict[str, Any] = field(default_factory=dict)


def games_meant(folder: Path, patterns: Sequence[str]) -> list[str]:
    """Return the names that patterns stand for, sorted, with those that are written out; end the command if none is."""
    there = sorted(path.name.removesuffix(".git") for path in folder.glob("*.git"))
    found: dict[str, None] = {}
    for pattern in patterns:
        plain = not any(each in pattern for each in _PATTERN)
        meant = [pattern] if plain else [name for name in there if fnmatchcase(name, pattern)]
        if not meant:
            misuse(f"no game in {folder} is called {pattern}")
        found.update(dict.fromkeys(meant))
    return list(found)


def require_sides(game: OpenGame, sides: Iterable[str]) -> None:
    """Raise CannotPlay unless a game has some sides. The command goes on with the other games."""
    from pbem.referee.game.open_game import CannotPlay

    for side in sides:
        if side not in game.rules.sides:
            raise CannotPlay(f"it has no side {side}; its sides are {', '.join(game.rules.sides)}")


def deal_with(
    names: Sequence[str],
    deal: Callable[[str], Dealt],
    json: bool,
    *,
    verb: str,
    again: Sequence[str] = (),
    at_end: Callable[[], Sequence[str]] | None = None,
) -> None:
    """Deal with each game, print what came of it, and end with exit code 1 if that failed in any.

    `verb` and `again` are the words of the command before and behind the names of the games. `at_end` writes letters
    that are about several of them, and returns their files.
    """
    rows = list(_rows(names, deal, verb))
    letters = None if at_end is None else list(at_end())
    failed = [row["game"] for row in rows if not row["done"]]
    if json:
        told = [{key: row[key] for key in row if key != "line"} for row in rows]
        print_json({"games": told, "failed": len(failed)} | ({} if letters is None else {"letters": letters}))
    else:
        for row in rows:
            if row["done"]:
                print(f"{row['game']}: {row['line']}")
            letters = [*(letters or ()), *row.get("letters", ())]
        for path in letters or ():
            print(f"Letter: {path}")
        for row in rows:
            if not row["done"]:
                print(f"{row['game']}: nothing was done: {row['why']}", file=sys.stderr)
        if len(rows) > 1:
            print(f"{len(rows)} games: {len(rows) - len(failed)} done, {len(failed)} failed.")
        if failed and len(rows) > 1:
            print(f"Once that is mended: {join(['pbem', verb, *failed, *again])}", file=sys.stderr)
    if failed:
        sys.exit(WORLD)


def _rows(names: Sequence[str], deal: Callable[[str], Dealt], verb: str) -> Iterator[dict[str, Any]]:
    with _progress(verb, names) as each_of:
        for name in each_of(names):
            try:
                dealt = deal(name)
            except Bug:
                raise
            except (PbemError, OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as wrong:
                why = str(wrong).partition("\n")[0] or type(wrong).__name__
                yield {"game": name, "done": False, "why": why}
            else:
                yield {"game": name, "done": True, "line": dealt.line, **dealt.facts}


@contextmanager
def _progress(verb: str, names: Sequence[str]) -> Iterator[Callable[[Sequence[str]], Iterable[str]]]:
    """Show a bar on a terminal while several games are gone through; it is gone when the command ends."""
    if len(names) < _LEAST_FOR_A_BAR or not sys.stderr.isatty():
        yield iter
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield lambda given: bar.track(given, description=verb)


# ---- The verbs by their readers: under which heading `pbem --help` lists each, and what holds for all of them


VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "For players": ("status", "report", "map", "form", "check", "forecast", "seal-orders", "open", "my-chain"),
    "For the game master": (
        *("shelf", "new", "player", "post", "letter", "submit", "adjudicate", "beacon", "thread"),
        *("press", "show", "ruling", "rollback", "draw", "resign", "migrate", "publish", "site"),
        *("remind", "extend", "pause", "resume", "hold", "broadcast", "observer", "archive"),
        *("reveal", "keys", "backup", "restore", "doctor"),
    ),
    "For sceptics": ("log", "verify", "explain", "replay", "what-if"),
    "About the rules": ("rules", "odds", "case", "coverage", "box"),
    "For a first look": ("demo",),
}
"""The verbs under their headings, in the order in which `pbem --help` lists them."""


class ByReader(TyperGroup):
    """The verbs, grouped by who uses them.

    Whatever the verb, an environment error is one sentence, and no text that it prints can steer a terminal.
    """

    def invoke(self, ctx: Any) -> Any:
        with escaped_output(), in_the_world():
            try:
                return super().invoke(ctx)
            except Exception as wrong:  # typer does not name the class of an unknown option
                if getattr(wrong, "option_name", None) == "--late":
                    misuse("--late is an option of `pbem adjudicate`: pbem adjudicate GAME --late SIDE")
                raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        room = formatter.width - 6 - max(map(len, self.commands))
        for heading, verbs in VERBS.items():
            with formatter.section(heading):
                formatter.write_dl([(verb, self.commands[verb].get_short_help_str(room)) for verb in verbs])
