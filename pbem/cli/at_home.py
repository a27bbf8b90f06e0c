"""The verbs for players: how a game stands, its report and map, a sheet from form to sealed block, a chain of dice."""

from __future__ import annotations

import json as json_text
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from pbem.cli.runtime import (
    FAULTS,
    USUAL,
    WORLD,
    Boxes,
    Games,
    MapLink,
    Name,
    RulesDir,
    Shared,
    SideOf,
    Since,
    Viewer,
    judge,
    misuse,
    open_questions,
    opened_to_read,
    print_json,
    print_waiting,
    read_at_home,
    read_input,
    require_side,
    sheet_in_file,
)
from pbem.paths import TABLES, find_config, games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.orders.check import Receipt
    from pbem.post.tables.tables import Tables
    from pbem.referee.game.open_game import OpenGame
    from pbem.repo.git import GameRepo

my_chain = typer.Typer(
    name="my-chain", help="Keep a dice chain of your own, on any computer.", no_args_is_help=True, rich_markup_mode=None
)

HereOrAtHome = Annotated[str, typer.Argument(help="The game's name, or the file position.json from a report.")]
SheetFile = Annotated[Path, typer.Argument(help="The order sheet; - for standard input.")]
SheetOf = Annotated[str | None, typer.Option("--side", help="The side of the sheet; not needed with position.json.")]

_LINK: Final = re.compile(r"https?://[\w.:-]+/[\w./?&=%~+,;:!-]*")
_FORM_ONLY: Final = (
    "Only the form of the sheet was checked: the rest is not public. To check it against all that your side knows, "
    "give position.json of your last report, or with --identity the key that you mailed."
)


# ---- How a game stands: `pbem status`


def show_status(
    name: Annotated[str | None, typer.Argument(help="The game's name; by default, all games.")] = None,
    shared: Shared = USUAL,
) -> None:
    """Show the state of a game and whom it waits for, or of all games."""
    if name is None:
        _show_all(shared)
        return
    with opened_to_read(name, shared) as game:
        if shared.json:
            print_json(_status_record(game))
            return
        print(f"{name}: {game.box.title} ({game.charter.edition}), {_stands_after(game)}")
        for side in game.rules.sides:
            out = ", out of the game" if side in game.out else ""
            print(f"  {side}: {game.player(side)}{_deputy(game, side)}{out}")
        if watching := _watchers(game):
            print(f"It is watched by {', '.join(watching)}.")
        for file, correction in sorted(game.box.corrections.items()):
            print(f"  {file} is corrected: {correction.shown}")
        print_waiting(game)
        if (since := _asked_on(game)) and game.open_decisions:
            print(f"It has waited since {since}.")
        if request := game.requests.get("open", 0):
            from pbem.mail.write.consent_letters import outcome

            print(outcome(game, request))
        for line in [*_clock_lines(game), *_pinned(game), *_refusing(game), *_unconfirmed(game), *_silent(game)]:
            print(line)
    for line in _waiting_in_post(shared.games, name):
        print(line)


def _deputy(game: OpenGame, side: str) -> str:
    """Return who may write for a side beside its player; empty: nobody."""
    from pbem.referee.game.open_game import deputy_of

    deputy = deputy_of(game, side)
    return "" if deputy is None else f", and up to {deputy.until} {deputy.name} as deputy"


def _watchers(game: OpenGame) -> list[str]:
    """Return who watches a game, and how late."""
    from pbem.mail.notes.watching import observers

    return [each.address + (f" ({each.late} late)" if each.late else "") for each in observers(game.path)]


def _clock_lines(game: OpenGame) -> Iterator[str]:
    """Yield until when a game with a clock waits for each side, and how much time each has used."""
    if (terms := game.clock.terms) is None:
        return
    from pbem.mail.notes.reader_time import time_shown
    from pbem.referee.game.time_ledger import ledger_line, time_ledger

    if (ledger := time_ledger(game)) is None:
        return
    zone = terms.where.info
    if ledger.paused is not None and game.result is None:
        yield f"It is paused until {time_shown(ledger.paused.until, zone)}."
    for each in ledger.sides:
        if each.until is not None:
            yield f"{each.side} has time until {time_shown(each.until, zone)}."
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
    from pbem.post.who.mailbox_notes import refusing

    yield from (f"{each.text}." for each in refusing(game.path, game.rules.sides))


def _unconfirmed(game: OpenGame) -> Iterator[str]:
    """Yield whose letters wait until their player confirms them."""
    from pbem.game.wording import counted
    from pbem.post.who.mailbox_notes import ASKED

    for side in game.ledger.addresses:
        if count := len(ASKED.read(game.path, side).letters):
            yield f"{counted(count, 'letter')} in the name of {side} wait{'s' if count == 1 else ''} to be confirmed."


def _silent(game: OpenGame) -> Iterator[str]:
    """Yield from which players no letter has come yet that answers one of ours."""
    from pbem.mail.read.token import never_heard

    sides = [side for side in game.rules.sides if side in game.ledger.addresses]
    silent = [side for side in sides if never_heard(game.path, side)]
    if game.result is None and silent and (not game.begun or len(silent) < len(sides)):
        yield f"No answer to a letter has come yet from {_sides_and_players(game, silent)}."


def _status_record(game: OpenGame) -> dict[str, object]:
    """Return the state of a game for --json."""
    from pbem.referee.game.time_ledger import time_ledger

    return {
        "game": game.name,
        "rules": game.charter.rules,
        "edition": game.charter.edition,
        "adjudication": game.adjudication,
        "players": {side: game.player(side) for side in game.rules.sides},
        "deputies": {side: each.until for side, each in game.ledger.deputies.items() if _deputy(game, side)},
        "observers": _watchers(game),
        "out": list(game.out),
        "awaited": list(game.awaited),
        "waiting": open_questions(game),
        "since": _asked_on(game),
        **({} if (ledger := time_ledger(game)) is None else {"clock": ledger.record()}),
        "mailboxes": [*_refusing(game), *_unconfirmed(game), *_silent(game)],
        "result": None if game.result is None else game.result.record(),
    }


def _show_all(shared: Shared) -> None:
    """Print a line for each game. One that cannot be read is a line, too, and keeps no other from being shown."""
    from pbem.protocol import PbemError

    folder = shared.folder
    names = sorted(path.name.removesuffix(".git") for path in folder.glob("*.git"))
    rows, damaged = list[dict[str, object]](), False
    for name in names:
        try:
            with opened_to_read(name, shared) as game:
                more = "".join(f"\n  {line}" for line in _refusing(game))
                rows.append(_status_record(game) if shared.json else {"line": f"{name}: {_status_line(game)}{more}"})
        except (PbemError, OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as wrong:
            damaged = True
            reason = str(wrong).partition("\n")[0] or type(wrong).__name__
            rows.append({"game": name, "wrong": reason, "line": f"{name}: cannot be read: {reason}"})
    if shared.json:
        print_json([{word: value for word, value in row.items() if word != "line"} for row in rows])
    elif not rows:
        print(f"There are no games in {folder}. PBEM_GAMES names another folder.")
    else:
        for row in rows:
            print(row["line"])
        for line in _waiting_in_post(shared.games, None):
            print(line)
    if damaged:
        sys.exit(WORLD)


def _waiting_in_post(games: Path | None, name: str | None) -> Iterator[str]:
    """Yield what waits in the post, of one game or of all; nothing where it has never run."""
    try:
        tables = _tables(games)
        if tables is not None:
            from pbem.post.service.health import waiting

            yield from (f"Post: {line}" for line in waiting(tables, name))
            tables.close()
    except OSError as wrong:
        from pbem.post.service_log import error_text

        yield f"Post: what waits cannot be told: {error_text(wrong)}"


def _tables(games: Path | None) -> Tables | None:
    """Open the tables of the post; None: it has never run."""
    file = find_config()
    if file.exists():
        from pbem.post.settings import load_config
        from pbem.post.tables.open_tables import never_opened, open_tables

        config = load_config(file)
        return None if never_opened(config) else open_tables(config)
    if not (tables_file := (games or games_folder()) / TABLES).exists():
        return None
    from pbem.post.tables.sqlite_tables import SqliteTables

    return SqliteTables(tables_file)


def _status_line(game: OpenGame) -> str:
    """Return in one line how a game stands, whom it waits for, and since when."""
    stands = f"{game.box.title}, {_stands_after(game)}"
    if game.result is not None:
        from pbem.render.text.messages import sentences

        return f"{stands}, over: {sentences(game.box).result(game.result)}"
    if (closed := game.closed) is not None:
        return f"{stands}, waits for round {closed.round} of drand, published {closed.time}"
    if not game.begun:
        return f"{stands}, waits for a phrase from {_sides_and_players(game, game.awaited) or 'nobody'}"
    sides = dict.fromkeys(each.side for each in game.open_decisions)
    if not sides:
        return f"{stands}, waits for nobody: `pbem adjudicate {game.name}` plays on"
    since = f" since {day}" if (day := _asked_on(game)) else ""
    pinned = "; its letters wait: it is played with other rules than those here" if game.differs else ""
    return f"{stands}, waits for {_sides_and_players(game, sides)}{since}{pinned}"


def _sides_and_players(game: OpenGame, sides: Iterable[str]) -> str:
    return ", ".join(f"{side} ({game.player(side)})" for side in sides)


def _stands_after(game: OpenGame) -> str:
    return f"after adjudication {game.adjudication}" if game.begun else "not begun"


def _asked_on(game: OpenGame) -> str | None:
    """Return the day on which the open decisions were asked; None: none are open."""
    state = game.current(resumed=False).state
    if state is None or state.result is not None:
        return None
    day: str = game.ledger.public_turn(state.opened)["day"]
    return day


# ---- What has happened: `pbem report` and `pbem map`


def print_report(
    name: Name,
    side: Viewer = None,
    since: Since = None,
    format: Annotated[
        str, typer.Option("--format", help="text, or for a private message in a forum: bbcode, markdown or html.")
    ] = "text",
    map: MapLink = None,
    shared: Shared = USUAL,
) -> None:
    """Print a side's report: what happened, the position, the open decisions."""
    if format != "text":
        require_forum_format(format, map, "text, ")
    with opened_to_read(name, shared) as game:
        if side is not None:
            require_side(game, side)
        after = last_or(game, since)
        if format == "text":
            from pbem.mail.write.outgoing import side_report

            text = side_report(game, side, after).text
        else:
            text = forum_text(game, side, after, ForumStyle(format, map or "")).removesuffix("\n")
        print_text(game, side, text, shared.json)


def print_text(game: OpenGame, side: str | None, text: str, json: bool) -> None:
    """Print what a game has to tell a side, or an observer."""
    if json:
        print_json({"game": game.name, "side": side, "adjudication": game.adjudication, "text": text})
        return
    print(text)


def require_forum_format(format: str, link: str | None, more: str = "") -> None:
    """End the command unless there is such a format, and the link of the map is one that no format can break at."""
    from pbem.render.text.forum_post import FORMATS

    if format not in FORMATS:
        misuse(f"--format {format}: there are {more}{', '.join(FORMATS)}")
    if link is not None and not _LINK.fullmatch(link):
        misuse(f"--map {link}: write the address of a picture, such as https://example.org/map.png")


def last_or(game: OpenGame, since: int | None) -> int:
    """Return the adjudication after which a report tells what happened: by default it tells of the last one."""
    return max(0, game.adjudication - 1) if since is None else since


class ForumStyle(NamedTuple):
    """How a post is written: its format, and its map, by an address or by the name of a file."""

    format: str
    link: str = ""
    picture: str = ""


def forum_text(game: OpenGame, side: str | None, since: int, style: ForumStyle) -> str:
    """Return the post of a game to a side, or to all."""
    from pbem.mail.write.outgoing import ReportScope, report_request
    from pbem.render.text.forum_post import FORMATS, Around, forum_post

    players = {each: game.player(each) for each in game.rules.sides}
    # A form that goes into a forum is copied into its threads: it must not have the key that proves letters.
    request = replace(report_request(game, side, ReportScope(since, game.open_decisions)), key="")
    around = Around(players, game.ledger.repo.head, style.link, style.picture)
    return FORMATS[style.format].post(forum_post(game.rules, game.box, request, around))


def draw_map(
    name: Name,
    output: Annotated[Path, typer.Option("-o", "--output", help="The PNG file to write.")] = Path("map.png"),
    side: Viewer = None,
    shared: Shared = USUAL,
) -> None:
    """Draw the map as a side, or an observer, may see it."""
    from pbem.mail.write.enclosures import map_picture

    with opened_to_read(name, shared) as game:
        if side is not None:
            require_side(game, side)
        output.write_bytes(map_picture(game, side, game.adjudication - 1))
        if shared.json:
            print_json({"game": name, "side": side, "adjudication": game.adjudication, "file": str(output)})
            return
        print(output)


# ---- A sheet: `pbem form`, `check` and `forecast`


def print_form(name: Name, side: SideOf, shared: Shared = USUAL) -> None:
    """Print the order form of a side: a sheet to fill in."""
    from pbem.mail.write.outgoing import side_report

    with opened_to_read(name, shared) as game:
        require_side(game, side)
        sheet = side_report(game, side, game.adjudication).sheet
        if shared.json:
            print_json({"game": name, "side": side, "adjudication": game.adjudication, "sheet": sheet})
            return
        print(sheet if sheet else f"# {side} has nothing to decide in {name} now")


def check_orders(game: HereOrAtHome, sheet: SheetFile, side: SheetOf = None, shared: Shared = USUAL) -> None:
    """Check a sheet without sending it. At home, the file position.json from the report is enough."""
    if Path(game).suffix == ".json":
        from pbem.referee.game.home_check import check_at_home

        judge(check_at_home(Path(game), read_at_home(sheet), sheet.name, shared.boxes), shared.json, "no faults")
        return
    from pbem.referee.play import sheet_check

    if side is None:
        misuse("say whose sheet it is: --side rome")
    with opened_to_read(game, shared) as found:
        require_side(found, side)
        receipt, _ = sheet_check.check_sheet_of(
            found, side, sheet_in_file(found, side, sheet), sheet_check.SheetOrigin(sheet.name)
        )
        judge(receipt, shared.json, "no faults", how_to_agree(receipt, found))


def forecast_sheet(game: HereOrAtHome, sheet: SheetFile, side: SheetOf = None, shared: Shared = USUAL) -> None:
    """Show what a sheet may lead to: possible decisions and odds. Nothing is changed or rolled."""
    from pbem.game.prospects import prospect_record
    from pbem.render.text.forecast_text import foreseen

    if Path(game).suffix == ".json":
        from pbem.referee.game.home_check import forecast_at_home

        receipt, home, prospects = forecast_at_home(Path(game), read_at_home(sheet), sheet.name, shared.boxes)
        box, side = home.loaded.box, home.side
    elif side is None:
        misuse("say whose sheet it is: --side rome")
    else:
        from pbem.referee.play import sheet_check

        with opened_to_read(game, shared) as found:
            require_side(found, side)
            receipt, prospects = sheet_check.forecast_sheet_of(
                found, side, sheet_in_file(found, side, sheet), sheet_check.SheetOrigin(sheet.name)
            )
            box = found.box
    if receipt.complaints:
        judge(receipt, shared.json, "")
    if shared.json:
        print_json([prospect_record(each) for each in prospects])
    else:
        print(foreseen(box, side, prospects, costs=receipt.costs), end="")


def how_to_agree(receipt: Receipt, game: OpenGame) -> str:
    """Return how to agree from the command line, if a sheet has nothing chosen and AGREED would do."""
    from pbem.orders.check import WRITE_AGREED

    if not any(WRITE_AGREED in each.fault.reason for each in receipt.complaints):
        return ""
    return f"Here that is: pbem submit {game.name} --side {receipt.side} --agreed {game.adjudication}"


# ---- A sheet that only the referee can read: `pbem seal-orders`; and any sealed file: `pbem open`


class _Checked(NamedTuple):
    """A sheet that was checked: for whom it is to be sealed, and how far the check went."""

    receipt: Receipt
    game: str
    side: str
    sealed_to: str
    note: str = ""


def seal_orders(
    game: Annotated[
        str,
        typer.Argument(help="The file position.json from a report, a clone of the game's repo, or the game's name."),
    ],
    sheet: Annotated[Path, typer.Argument(help="The order sheet; - for standard input.")],
    side: Annotated[str | None, typer.Option("--side", help="Your side; not needed with position.json.")] = None,
    identity: Annotated[
        Path | None,
        typer.Option("--identity", "-i", help="The file with your secret key, if you have mailed a KEY: for a clone."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the block to a file; by default, print it.")
    ] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
) -> None:
    """Check an order sheet and seal it for the referee: a block to paste into a forum, a letter, anywhere."""
    from pbem.crypto.sealed_orders import sealed_orders

    raw = read_at_home(sheet)
    if Path(game).suffix == ".json":
        found = _by_position(Path(game), side, sheet.name, raw, rules_dir)
    elif side is None:
        misuse("say whose sheet it is: --side rome")
    else:
        found = _by_repo(game, side, sheet.name, raw, identity, Shared(games, rules_dir))
    if found.receipt.complaints:
        print(found.receipt)
        print("Nothing was sealed.", file=sys.stderr)
        sys.exit(FAULTS)
    block = sealed_orders(found.sealed_to, found.game, found.side, raw)
    _show_reading(found)
    if output is None:
        print(block, end="")
    else:
        output.write_text(block, "ascii")
        print(output)


def _show_reading(found: _Checked) -> None:
    """Print how a sheet was read, beside the output: what is copied from there must not show it."""
    from pbem.mail.write.answer_letters import echo

    lines = ["This is how your sheet was read; below is the block to paste, which shows nothing of it:"]
    lines += [f"  {line}" for line in echo(found.receipt.canonical, 60, "and more")]
    print("\n".join([*lines, *([found.note] if found.note else [])]), file=sys.stderr)


def _by_position(file: Path, side: str | None, name: str, raw: bytes, boxes: Boxes) -> _Checked:
    """Check a sheet against the file `position.json` of a report, which also says to which key it is sealed."""
    from pbem.referee.game.home_check import check_at_home
    from pbem.referee.game.open_game import CannotPlay

    receipt = check_at_home(file, raw, name, boxes or ())
    known = json_text.loads(file.read_text("utf-8"))
    if side not in (None, known["side"]):
        misuse(f"{file} came with a report to {known['side']}, not to {side}")
    if "sealed_to" not in known:
        raise CannotPlay(f"{file} does not say to which key orders are sealed; a clone of the game's repo does")
    return _Checked(receipt, known["game"], known["side"], known["sealed_to"])


def _by_repo(game: str, side: str, name: str, raw: bytes, identity: Path | None, shared: Shared) -> _Checked:
    """Check a sheet against a game of which only the repo is at hand, or the keys as well."""
    from pbem.crypto.keys import key_file
    from pbem.referee.game.home_check import check_in_clone
    from pbem.referee.opening import open_to_read
    from pbem.referee.play import sheet_check
    from pbem.repo.git import GameRepo
    from pbem.repo.public import charter_in, repo_of

    folder = shared.folder
    with GameRepo.open(repo_of(folder, game)) as repo:
        charter = charter_in(repo)
        if side not in charter.players:
            misuse(f"{charter.game} has no side {side}; its sides are {', '.join(charter.players)}")
        if identity is None and key_file(keys_folder(), charter.game).is_file():
            with open_to_read(folder, keys_folder(), game, folders=shared.boxes) as found:
                receipt, _ = sheet_check.check_sheet_of(found, side, raw, sheet_check.SheetOrigin(name))
            return _Checked(receipt, charter.game, side, charter.sealed_to)
        view = None if identity is None else _opened_view(repo, side, identity)
        receipt = check_in_clone(repo, view, side, raw, name, shared.boxes)
    return _Checked(receipt, charter.game, side, charter.sealed_to, "" if view is not None else _FORM_ONLY)


def _opened_view(repo: GameRepo, side: str, identity: Path) -> bytes:
    """Return the view of a side, opened with its player's key. Raises CannotOpen."""
    from pbem.crypto.seal import CannotOpen, identities_in, open_with
    from pbem.repo.files.layout import view_path

    sealed = repo.read(view_path(side))
    if sealed is None:
        raise CannotOpen(f"{side} has mailed no KEY, so that the repo has no view of it to open; leave out --identity")
    return open_with(identities_in(identity.read_text("utf-8")), sealed)[1]


def open_sealed(
    file: Annotated[Path, typer.Argument(help="A sealed file, such as views/rome.age; - for standard input.")],
    identity: Annotated[
        Path, typer.Option("--identity", "-i", help="The file with your secret key: age or ssh-ed25519.")
    ],
) -> None:
    """Print the content of a sealed file of a game's repo, if your key opens it."""
    from pbem.crypto.seal import CannotOpen, identities_in, open_with

    try:
        keys = identities_in(identity.read_text("utf-8"))
    except UnicodeDecodeError:
        raise CannotOpen(f"{identity} is not a key file of age or ssh") from None
    _, content = open_with(keys, read_input(file))
    if sys.stdout.isatty():  # a file or a pipe gets the bytes as they are
        print(content.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n"))
        return
    sys.stdout.buffer.write(content)
    if not content.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")


# ---- Dice of a player's own: `pbem my-chain`


@my_chain.command("new")
def make_chain(
    file: Annotated[Path, typer.Argument(help="The file to make. Keep it secret, and make a copy.")],
    length: Annotated[int, typer.Option(help="For how many sheets it is.")] = 500,
) -> None:
    """Make a chain and print the line to mail before the first shuffle."""
    from pbem.crypto.chain_file import new_chain

    print(new_chain(file, length).promise)
    print(f"# Mail the line above before the first shuffle. Keep {file} secret, and make a copy of it.")


@my_chain.command("next")
def print_next_link(
    file: Annotated[Path, typer.Argument(help="The file that `pbem my-chain new` made.")],
    after: Annotated[
        int | None, typer.Option(min=0, help="How many links the referee has; by default as counted in the file.")
    ] = None,
) -> None:
    """Print the next link as a line for the sheet, and count it in the file."""
    from pbem.crypto.chain_file import open_next

    found = open_next(file, after)
    print(f"link: {found.link} # {found.number}")
    if found.given_before:
        typer.echo(
            f"Link {found.number} was printed before. Use it again only for a sheet that was sent back: a referee who "
            "has seen it knew it before your new sheet came.",
            err=True,
        )
