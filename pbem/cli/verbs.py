"""The verbs of the command line: one table of them under their headings, and the program that finds them in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from pbem.cli.escaped import escaped_output
from pbem.cli.runtime import in_the_world, misuse, one_by_one

VERBS: Final[Mapping[str, Mapping[str, str]]] = {
    "For players": {
        "status": "at_home:show_status",
        "report": "at_home:print_report",
        "map": "at_home:draw_map",
        "form": "at_home:print_form",
        "check": "at_home:check_orders",
        "forecast": "at_home:forecast_sheet",
        "seal-orders": "at_home:seal_orders",
        "open": "at_home:open_sealed",
        "my-chain": "at_home:my_chain",
    },
    "For the game master": {
        "shelf": "master.new:list_shelf",
        "new": "master.new:make_game",
        "player": "master.new:replace_player",
        "post": "master.upkeep:run_post",
        "letter": "master.play:receive_letter",
        "submit": "master.play:submit_sheet",
        "adjudicate": "master.play:adjudicate_game",
        "beacon": "master.play:enter_round",
        "thread": "master.publish:print_thread",
        "press": "master.play:pass_on_talk",
        "show": "master.play:show_holding",
        "ruling": "master.rulings:give_ruling",
        "rollback": "master.rulings:go_back",
        "draw": "master.rulings:end_in_draw",
        "resign": "master.rulings:resign_side",
        "migrate": "master.rulings:migrate_games",
        "publish": "master.publish:publish_clone",
        "site": "master.publish:make_site",
        "remind": "master.many_games:send_reminders",
        "extend": "master.many_games:give_more_time",
        "pause": "master.many_games:pause_clocks",
        "resume": "master.many_games:resume_clocks",
        "hold": "master.many_games:hold_games",
        "broadcast": "master.many_games:send_broadcast",
        "observer": "master.many_games:change_observers",
        "archive": "master.many_games:archive_games",
        "reveal": "master.rulings:reveal_game",
        "keys": "master.upkeep:keys",
        "backup": "master.upkeep:back_up_everything",
        "restore": "master.upkeep:restore_everything",
        "doctor": "master.upkeep:run_doctor",
    },
    "For sceptics": {
        "log": "sceptics:print_log",
        "verify": "sceptics:verify_game",
        "explain": "sceptics:explain_turn",
        "replay": "sceptics:replay_game",
        "what-if": "sceptics:ask_what_if",
    },
    "About the rules": {
        "rules": "rulebook:show_rules",
        "odds": "rulebook:compute_odds",
        "case": "rulebook:run_cases",
        "coverage": "rulebook:print_coverage",
        "box": "rulebook:box",
    },
    "For a first look": {"demo": "verbs:play_demo"},
}
"""The verbs under their headings, in the order in which `pbem --help` lists them: the module and function of each."""
_HOMES: Final = {verb: home for verbs in VERBS.values() for verb, home in verbs.items()}
_TAKES_ANY_OPTION: Final = {"odds": {"allow_extra_args": True, "ignore_unknown_options": True}}
"""The verbs whose options a box names."""


class ByReader(TyperGroup):
    """The verbs, grouped by who uses them. Only the module of the verb that is called is imported.

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

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_HOMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _command_of(cmd_name) if cmd_name in _HOMES else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        room = formatter.width - 6 - max(map(len, _HOMES))
        for heading, verbs in VERBS.items():
            with formatter.section(heading):
                formatter.write_dl([(verb, _short_help(verb, room)) for verb in verbs])


@cache
def _command_of(verb: str) -> Any:
    """Return the command of a verb, from the function or the group of verbs that the table names."""
    found = _found(verb)
    if isinstance(found, typer.Typer):
        for command in found.registered_commands:
            command.callback = command.callback and one_by_one(command.callback)
        return get_command(found)
    alone = _app()
    alone.command(verb, context_settings=_TAKES_ANY_OPTION.get(verb))(one_by_one(found))
    return get_command(alone)


def _short_help(verb: str, room: int) -> str:
    """Return what a verb does in a few words; its options, which take longer to read, are not looked at."""
    found = _found(verb)
    text = found.info.help if isinstance(found, typer.Typer) else getdoc(found)
    return str(TyperCommand(verb, help=text).get_short_help_str(room))


def _found(verb: str) -> Any:
    module, _, name = _HOMES[verb].partition(":")
    return getattr(import_module(f"pbem.cli.{module}"), name)


def _app(**more: Any) -> typer.Typer:
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, **more)


app = _app(name="pbem", help="Referee board wargames that are played by e-mail.", cls=ByReader, no_args_is_help=True)


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


def play_demo(
    folder: Annotated[Path, typer.Argument(help="An empty or new folder for the results.")] = Path("demo"),
) -> None:
    """Play the opening of a game by letters, and keep the repo, the letters and the pictures."""
    from pbem.cli import demo  # it imports all that a game needs, and `--help` only wants the line above

    demo.run(folder)
