"""`pbem status`: the state of one game, or of all games, and whom they wait for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.options import Games, Json, RulesDir
from pbem.cli.runtime import WORLD, Boxes, open_questions, opened, print_json, print_waiting
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.post.tables.tables import Tables
    from pbem.referee.game.open_game import OpenGame


def status(
    name: Annotated[str | None, typer.Argument(help="The game's name; by default, all games.")] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Show the state of a game and whom it waits for, or of all games."""
    if name is None:
        _all(games, rules_dir, json)
        return
    with opened(name, games, rules_dir) as game:
        if json:
            print_json(_row(game))
            return
        print(f"{name}: {game.box.title} ({game.charter.edition}), {_after(game)}")
        for side in game.rules.sides:
            out = ", out of the game" if side in game.out else ""
            print(f"  {side}: {game.player(side)}{_deputy(game, side)}{out}")
        if watching := _observers(game):
            print(f"It is watched by {', '.join(watching)}.")
        for file, correction in sorted(game.box.corrections.items()):
            print(f"  {file} is corrected: {correction.shown}")
        print_waiting(game)
        if (since := _since(game)) and game.open_decisions:
            print(f"It has waited since {since}.")
        if request := game.requests.get("open", 0):
            from pbem.mail.write.consent_letters import outcome

            print(outcome(game, request))
        for line in [*_time(game), *_pinned(game), *_refusing(game), *_unconfirmed(game), *_silent(game)]:
            print(line)
    for line in _waiting(games, name):
        print(line)


def _deputy(game: OpenGame, side: str) -> str:
    """Return who may write for a side beside its player; empty: nobody."""
    from pbem.referee.acts.players import deputy_of

    deputy = deputy_of(game, side)
    return "" if deputy is None else f", and up to {deputy.until} {deputy.name} as deputy"


def _observers(game: OpenGame) -> list[str]:
    """Return who watches a game, and how late."""
    from pbem.mail.write.observers import observers

    return [each.address + (f" ({each.late} late)" if each.late else "") for each in observers(game.path)]


def _time(game: OpenGame) -> Iterator[str]:
    """Yield until when a game with a clock waits for each side, and how much time each has used."""
    from pbem.mail.notes.reader_time import shown
    from pbem.referee.game.time_ledger import ledger_line, time_ledger

    ledger, terms = time_ledger(game), game.clock.terms
    if ledger is None or terms is None:
        return
    zone = terms.where.info
    if ledger.paused is not None and game.result is None:
        yield f"It is paused until {shown(ledger.paused.until, zone)}."
    for each in ledger.sides:
        if each.until is not None:
            yield f"{each.side} has time until {shown(each.until, zone)}."
    yield ledger_line(game)


def _pinned(game: OpenGame) -> Iterator[str]:
    """Yield that a game is played with other rules than those here: its letters wait."""
    if game.result is None and (odd := game.differs) is not None:
        yield (
            f"It is played with other rules than those here: the {odd} differs. Its letters wait; "
            f"`pbem replay {game.name}` says what would change, `pbem migrate {game.name}` moves it."
        )


def _refusing(game: OpenGame) -> Iterator[str]:
    """Yield which players' mailboxes refuse our letters."""
    from pbem.post.who.bounces import refusing

    yield from (f"{each.text}." for each in refusing(game.path, game.rules.sides))


def _unconfirmed(game: OpenGame) -> Iterator[str]:
    """Yield whose letters wait until their player confirms them."""
    from pbem.game.wording import counted
    from pbem.post.who.confirm import asked

    for side in game.ledger.addresses:
        if count := len(asked(game.path, side).letters):
            yield f"{counted(count, 'letter')} in the name of {side} wait{'s' if count == 1 else ''} to be confirmed."


def _silent(game: OpenGame) -> Iterator[str]:
    """Yield from which players no letter has come yet that answers one of ours."""
    from pbem.mail.read.token import never_heard

    sides = [side for side in game.rules.sides if side in game.ledger.addresses]
    silent = [side for side in sides if never_heard(game.path, side)]
    if game.result is None and silent and (not game.begun or len(silent) < len(sides)):
        yield f"No answer to a letter has come yet from {_names(game, silent)}."


def _row(game: OpenGame) -> dict[str, Any]:
    """Return the state of a game for --json."""
    from pbem.referee.game.time_ledger import time_ledger

    return {
        "game": game.name,
        "rules": game.charter.rules,
        "edition": game.charter.edition,
        "adjudication": game.adjudication,
        "players": {side: game.player(side) for side in game.rules.sides},
        "deputies": {side: each.until for side, each in game.ledger.deputies.items() if _deputy(game, side)},
        "observers": _observers(game),
        "out": list(game.out),
        "awaited": list(game.awaited),
        "waiting": open_questions(game),
        "since": _since(game),
        **({} if (ledger := time_ledger(game)) is None else {"clock": ledger.record()}),
        "mailboxes": [*_refusing(game), *_unconfirmed(game), *_silent(game)],
        "result": None if game.result is None else game.result.record(),
    }


def _all(games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print a line for each game. One that cannot be read is a line, too, and keeps no other from being shown."""
    from pbem.protocol import PbemError

    folder = games or games_folder()
    names = sorted(path.name.removesuffix(".git") for path in folder.glob("*.git"))
    rows, damaged = list[dict[str, Any]](), False
    for name in names:
        try:
            with opened(name, games, boxes) as game:
                more = "".join(f"\n  {line}" for line in _refusing(game))
                rows.append(_row(game) if json else {"line": f"{name}: {_line(game)}{more}"})
        except (PbemError, OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as wrong:
            damaged = True
            reason = str(wrong).partition("\n")[0] or type(wrong).__name__
            rows.append({"game": name, "wrong": reason, "line": f"{name}: cannot be read: {reason}"})
    if json:
        print_json([{word: value for word, value in row.items() if word != "line"} for row in rows])
    elif not rows:
        print(f"There are no games in {folder}. PBEM_GAMES names another folder.")
    else:
        for row in rows:
            print(row["line"])
        for line in _waiting(games, None):
            print(line)
    if damaged:
        sys.exit(WORLD)


def _waiting(games: Path | None, name: str | None) -> Iterator[str]:
    """Yield what waits in the post, of one game or of all; nothing where it has never run."""
    from pbem.post.service_log import error_text

    try:
        tables = _tables(games)
        if tables is not None:
            from pbem.post.service.health import waiting

            yield from (f"Post: {line}" for line in waiting(tables, name))
            tables.close()
    except OSError as wrong:
        yield f"Post: what waits cannot be told: {error_text(wrong)}"


def _tables(games: Path | None) -> Tables | None:
    """Open the tables of the post; None: it has never run."""
    from pbem.post.settings import TABLES, find_config, load_config

    file = find_config()
    if file.exists():
        from pbem.post.tables.open_tables import never_opened, open_tables

        config = load_config(file)
        return None if never_opened(config) else open_tables(config)
    if not (tables_file := (games or games_folder()) / TABLES).exists():
        return None
    from pbem.post.tables.sqlite_tables import SqliteTables

    return SqliteTables(tables_file)


def _line(game: OpenGame) -> str:
    """Return in one line how a game stands, whom it waits for, and since when."""
    stands = f"{game.box.title}, {_after(game)}"
    if game.result is not None:
        from pbem.render.text.messages import sentences

        return f"{stands}, over: {sentences(game.box).result(game.result)}"
    if (closed := game.closed) is not None:
        return f"{stands}, waits for round {closed.round} of drand, published {closed.time}"
    if not game.begun:
        return f"{stands}, waits for a phrase from {_names(game, game.awaited) or 'nobody'}"
    sides = dict.fromkeys(each.side for each in game.open_decisions)
    if not sides:
        return f"{stands}, waits for nobody: `pbem adjudicate {game.name}` plays on"
    since = f" since {day}" if (day := _since(game)) else ""
    pinned = "; its letters wait: it is played with other rules than those here" if game.differs else ""
    return f"{stands}, waits for {_names(game, sides)}{since}{pinned}"


def _names(game: OpenGame, sides: Any) -> str:
    return ", ".join(f"{side} ({game.player(side)})" for side in sides)


def _after(game: OpenGame) -> str:
    return f"after adjudication {game.adjudication}" if game.begun else "not begun"


def _since(game: OpenGame) -> str | None:
    """Return the day on which the open decisions were asked; None: none are open."""
    state = game.current(resumed=False).state
    if state is None or state.result is not None:
        return None
    day: str = game.ledger.public_turn(state.opened)["day"]
    return day
