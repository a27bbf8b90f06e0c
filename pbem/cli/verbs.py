"""The verbs of the command line with their options. The modules that they import when called do the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.master.key_store import keys
from pbem.cli.master.master_desk import archive, broadcast, extend, hold, observer, pause, remind, resume
from pbem.cli.master.new import player
from pbem.cli.master.publish import publish, site
from pbem.cli.master.rulings import draw, resign, reveal, rollback, ruling
from pbem.cli.master.upkeep import backup, doctor, post, restore
from pbem.cli.options import ByReader, Correct, Games, Json, MapLink, Name, NameOrClone, RulesDir, Since, Viewer, Yes
from pbem.cli.players.chain_and_beacon import beacon, my_chain
from pbem.cli.players.press_and_show import press, show
from pbem.cli.players.reports import thread
from pbem.cli.players.sealing import seal_orders
from pbem.cli.players.status import status
from pbem.cli.rulebook.box_verbs import box
from pbem.cli.rulebook.rule_verbs import case, coverage, odds, rules
from pbem.cli.sceptics.disputes import explain, migrate, replay, what_if

app = typer.Typer(
    name="pbem",
    help="Referee board wargames that are played by e-mail.",
    cls=ByReader,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)


def _print_version(asked: bool) -> None:
    """Print which version this is, and end."""
    if asked:
        from pbem import __version__

        print(f"pbem {__version__}")
        raise typer.Exit


@app.callback()
def pbem(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Referee board wargames that are played by mail."""


app.add_typer(keys)
app.add_typer(box)
app.add_typer(my_chain)
app.command()(beacon)
app.command()(player)
app.command()(status)
app.command()(publish)
app.command()(site)
app.command()(post)
app.command()(doctor)
app.command()(backup)
app.command()(restore)
app.command("seal-orders")(seal_orders)
app.command()(thread)
app.command()(remind)
app.command()(broadcast)
app.command()(extend)
app.command()(pause)
app.command()(resume)
app.command()(hold)
app.command()(archive)
app.command()(observer)
app.command()(press)
app.command()(show)
app.command()(rollback)
app.command()(draw)
app.command()(resign)
app.command()(ruling)
app.command()(reveal)
app.command()(replay)
app.command()(explain)
app.command("what-if")(what_if)
app.command()(migrate)
app.command()(rules)
app.command()(case)
app.command()(coverage)
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(odds)

HereOrAtHome = Annotated[str, typer.Argument(help="The game's name, or the file position.json from a report.")]
SheetFile = Annotated[Path, typer.Argument(help="The order sheet; - for standard input.")]
SheetOf = Annotated[str | None, typer.Option("--side", help="The side of the sheet; not needed with position.json.")]
SideOf = Annotated[str, typer.Option("--side", help="The side.")]


@app.command()
def shelf(
    check: Annotated[bool, typer.Option("--check", help="Check every file of every box against its schema.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """List the games that can be played, with their editions and scenarios."""
    from pbem.cli.players import play

    play.shelf(check, rules_dir, json)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="A name of lower-case letters, digits, - and _.")],
    rules: Annotated[str, typer.Option("--rules", help="The game to play: an id of `pbem shelf`.")],
    player: Annotated[
        list[str] | None,
        typer.Option("--player", help="A player: 'rome=Ann <ann@example.org>'. One for each side."),
    ] = None,
    scenario: Annotated[str | None, typer.Option(help="The scenario; by default the first.")] = None,
    edition: Annotated[str | None, typer.Option(help="The edition of the rules; see `pbem rules`.")] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="An option that differs from the edition: name=value."),
    ] = None,
    beacon: Annotated[
        str | None, typer.Option("--beacon", help="drand: mix the public beacon drand into the dice; see docs/dice.md.")
    ] = None,
    quorum: Annotated[
        int | None,
        typer.Option(
            "--quorum", min=1, help="How many sides must consent to a rollback or a draw; by default all still playing."
        ),
    ] = None,
    one_side_each: Annotated[
        bool, typer.Option("--one-side-each", help="No address may play two sides. In a game of two it is always so.")
    ] = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin at once, without waiting for the players' phrases.")
    ] = False,
    press: Annotated[
        str | None,
        typer.Option(
            "--press",
            metavar="FREE|PUBLIC|SILENT",
            help="How players may talk through the referee: free, public or silent; by default free.",
        ),
    ] = None,
    press_unsigned: Annotated[bool, typer.Option("--press-unsigned", help="Allow unsigned talk.")] = False,
    press_opened: Annotated[
        bool, typer.Option("--press-opened", help="Publish signed talk when the game is over.")
    ] = False,
    clock: Annotated[
        Path | None, typer.Option("--clock", help="A YAML file with the terms of the clock; see docs/clock.md.")
    ] = None,
    pace: Annotated[
        str | None, typer.Option("--pace", metavar="BANK+BONUS/MOST", help="A time bank for each side: 3d+12h/14d.")
    ] = None,
    deadline: Annotated[
        list[str] | None, typer.Option("--deadline", metavar="DAY TIME", help="A weekly deadline: 'sunday 20:00'.")
    ] = None,
    zone: Annotated[
        str | None, typer.Option("--zone", help="The time zone of the clock: Europe/Berlin; by default UTC.")
    ] = None,
    correct: Correct = None,
    yes: Yes = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Make a new game: its repo, its secrets, its dice chain, and a letter that asks each player for a phrase.

    On a terminal it first asks who plays the sides without a player, and shows the letters.
    """
    from pbem.cli.master import new as new_game
    from pbem.cli.master.new import ClockOptions

    new_game.new(
        *(name, rules, player or [], scenario, edition, option or [], beacon, quorum, one_side_each, begin),
        *(correct or [], yes, games, rules_dir, json),
        talk=new_game.Talk(press, press_unsigned, press_opened),
        clock=ClockOptions(clock, pace, deadline or [], zone),
    )


@app.command()
def form(name: Name, side: SideOf, games: Games = None, rules_dir: RulesDir = None, json: Json = False) -> None:
    """Print the order form of a side: a sheet to fill in."""
    from pbem.cli.players import play

    play.form(name, side, games, rules_dir, json)


@app.command()
def check(
    game: HereOrAtHome,
    sheet: SheetFile,
    side: SheetOf = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Check a sheet without sending it. At home, the file position.json from the report is enough."""
    from pbem.cli.players import play

    play.check(game, sheet, side, games, rules_dir, json)


@app.command()
def forecast(
    game: HereOrAtHome,
    sheet: SheetFile,
    side: SheetOf = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Show what a sheet may lead to: possible decisions and odds. Nothing is changed or rolled."""
    from pbem.cli.players import play

    play.forecast(game, sheet, side, games, rules_dir, json)


@app.command()
def submit(
    name: Name,
    side: SideOf,
    sheet: Annotated[Path | None, typer.Argument(help="An order sheet; - is standard input.")] = None,
    agreed: Annotated[
        int | None,
        typer.Option("--agreed", metavar="REPORT", help="Instead of a sheet: the report that the side agrees to."),
    ] = None,
    link: Annotated[str, typer.Option(help="With --agreed: the next link of the side's own dice chain.")] = "",
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Hand in a side's sheet, or its agreement to the last report, and continue the game."""
    from pbem.cli.players import play

    play.submit(name, play.HandedIn(side, sheet, agreed, link), games, rules_dir, json)


@app.command()
def letter(
    file: Annotated[Path | None, typer.Argument(help="A letter (.eml); by default standard input.")] = None,
    outbox: Annotated[Path | None, typer.Option(help="Maildir for the answers; by default GAMES/outbox.")] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Take in a player's letter, continue the game, and write the answers to the outbox."""
    from pbem.cli.players import play

    play.letter(file, outbox, games, rules_dir, json)


@app.command()
def adjudicate(
    name: Name,
    late: Annotated[
        list[str] | None,
        typer.Option("--late", help="A side whose deadline has passed: its defaults count."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", help="A side whose player is away: the game's bot plays for it."),
    ] = None,
    stand_in: Annotated[list[str] | None, typer.Option("--stand-in", hidden=True)] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Continue a game as far as the answers that have come allow."""
    from pbem.cli.players import play

    play.adjudicate(name, late or [], [*(bot or []), *(stand_in or [])], games, rules_dir, json)


@app.command()
def report(
    name: Name,
    side: Viewer = None,
    since: Since = None,
    format: Annotated[
        str, typer.Option("--format", help="text, or for a private message in a forum: bbcode, markdown or html.")
    ] = "text",
    map: MapLink = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Print a side's report: what happened, the position, the open decisions."""
    from pbem.cli.players import reports as forum

    forum.report(name, side, since, format, map, games, rules_dir, json)


@app.command("map")
def map_(
    name: Name,
    output: Annotated[Path, typer.Option("-o", "--output", help="The PNG file to write.")] = Path("map.png"),
    side: Viewer = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Draw the map as a side, or an observer, may see it."""
    from pbem.cli.players import play

    play.draw_map(name, output, side, games, rules_dir, json)


@app.command()
def log(
    name: NameOrClone,
    first: Annotated[int, typer.Option("--from", min=1, help="The first adjudication to print.")] = 1,
    last: Annotated[int | None, typer.Option("--to", min=1, help="The last adjudication.")] = None,
    dice: Annotated[bool, typer.Option("--dice", help="Print every roll, and whether the dice look fair.")] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="The dice as a CSV file: two tables; - for standard output.")
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", help="The dice as a picture.")] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Print the published turn files (orders, rolls, events), or their dice. No key is needed."""
    from pbem.cli.sceptics import proof as log_verb

    log_verb.log(name, first, last, dice, csv, png, games, rules_dir, json)


@app.command()
def verify(
    game: NameOrClone,
    after_reveal: Annotated[
        bool, typer.Option("--after-reveal", help="Also check what is sealed; the game must have revealed its secrets.")
    ] = False,
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Also check what is sealed, with the secrets in the key store.")
    ] = False,
    letters: Annotated[
        list[Path] | None,
        typer.Option(
            "--letters",
            help="Also compare letters that a player got and sent: a maildir, an mbox file, a folder of .eml files, or "
            "one of them.",
        ),
    ] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Check every die, digest and signature of a game, without trusting anybody. No key is needed."""
    from pbem.cli.sceptics import proof as verify_verb

    verify_verb.verify(game, after_reveal, with_key, letters or [], games, rules_dir, json)


@app.command("open")
def open_(
    file: Annotated[Path, typer.Argument(help="A sealed file, such as views/rome.age; - for standard input.")],
    identity: Annotated[
        Path, typer.Option("--identity", "-i", help="The file with your secret key: age or ssh-ed25519.")
    ],
) -> None:
    """Print the content of a sealed file of a game's repo, if your key opens it."""
    from pbem.cli.players import sealing as sealed

    sealed.open_sealed(file, identity)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="An empty or new folder for the results.")] = Path("demo"),
) -> None:
    """Play the opening of a game by letters, and keep the repo, the letters and the pictures."""
    from pbem.cli import demo as demonstration

    demonstration.run(folder)
