"""What is generated in `docs/`: the command line, the orders of each game, the table of commands in a letter.

`make reference` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from typer.main import get_command

from pbem.cli.runtime import DONE, FAULTS, NOT_PROVEN, USAGE, WORLD
from pbem.cli.verbs import VERBS, app
from pbem.game.boxes.box import open_box
from pbem.mail.answer.every_command import command_table
from pbem.paths import rules_folders
from pbem.render.text.reference import WORDS, card_reference, order_reference

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PLAYING: Final = DOCS / "playing.md"
MARK: Final = "<!-- Generated. Do not edit: change the source and run `make reference`. -->\n"
EXIT_CODES: Final = {
    DONE: "Success.",
    WORLD: "Something outside is wrong: a file, a repository, a key, the disk. Nothing is lost.",
    USAGE: "The command line is wrong.",
    FAULTS: "What was looked at has faults: an order sheet, a case, a game that does not verify or replay.",
    NOT_PROVEN: "A game is not proven: something that should be checked was not. The text says what.",
}
_INTRODUCTION: Final = """\
`pbem VERB --help` shows what stands here about a verb, `pbem --version` the version.
`python -m pbem` is the same program. Options may stand before or after arguments."""
_VALUES: Final = {"str": "TEXT", "int": "N", "int range": "N"}
"""What stands for a value of a type; the name of the type, if it is not listed here."""


def pages() -> dict[Path, str]:
    """Return the text of every generated page."""
    boxes = [open_box(folder.name) for folder in sorted(rules_folders()[-1].iterdir()) if folder.is_dir()]
    orders = {DOCS / box.id / "orders.md": MARK + order_reference(box) for box in boxes}
    cards = {DOCS / box.id / "cards.md": MARK + card_reference(box) for box in boxes if WORDS in box.files}
    return {DOCS / "cli.md": MARK + command_line(), PLAYING: playing()} | orders | cards


def playing() -> str:
    """Return the page about playing by mail, with the table of commands as their records have it."""
    above, table, below = re.split(r"(?m)^(\| command \| effect \|\n(?:\|.*\n)+)", PLAYING.read_text("utf-8"))
    assert table
    return above + _table("command", "effect", list(command_table())) + "\n" + below


def command_line() -> str:
    """Return a page about all verbs, under the headings that `pbem --help` has."""
    group: Any = get_command(app)
    commands = {verb: group.get_command(None, verb) for verb in group.list_commands(None)}
    pieces = [
        "# The command line",
        _INTRODUCTION,
        "## Exit codes",
        _table("code", "meaning", _exit_codes()),
        "## Verbs",
    ]
    for heading, verbs in VERBS.items():
        rows = [(f"[`pbem {verb}`](#pbem-{verb})", _plain(commands[verb].help)) for verb in verbs]
        pieces += [f"### {heading}", _table("verb", "what it does", rows)]
    for verbs in VERBS.values():
        for verb in verbs:
            pieces += _about(f"pbem {verb}", commands[verb], "##")
    return "\n\n".join(pieces) + "\n"


def _exit_codes() -> list[tuple[str, str]]:
    return [(str(code), meaning) for code, meaning in EXIT_CODES.items()]


def _table(first: str, second: str, rows: list[tuple[str, str]]) -> str:
    return "\n".join([f"| {first} | {second} |", "| --- | --- |", *(f"| {one} | {other} |" for one, other in rows)])


def _about(name: str, command: Any, heading: str) -> Iterator[str]:
    """Yield the paragraphs about a verb, and about the verbs below it."""
    yield f"{heading} {name}"
    yield _plain(command.help)
    if below := getattr(command, "commands", {}):
        for verb, inner in below.items():
            yield from _about(f"{name} {verb}", inner, f"{heading}#")
        return
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    options = [each for each in shown if each.param_type_name == "option"]
    required = [f"{option.opts[0]} {_value(option)}" for option in options if option.required]
    words = [name, *map(_argument, arguments), *required, *(["[OPTIONS]"] if options else [])]
    yield f"```\n{' '.join(words)}\n```"
    if arguments:
        yield "Arguments:"
        yield "\n".join(f"* `{_metavar(each)}`: {_plain(each.help)}{_remarks(each)}" for each in arguments)
    if options:
        yield "Options:"
        yield "\n".join(f"* `{_option(each)}`: {_plain(each.help)}{_remarks(each)}" for each in options)


def _metavar(argument: Any) -> str:
    return str(argument.metavar or argument.name).upper()


def _argument(argument: Any) -> str:
    """Return an argument as the usage line has it."""
    word = _metavar(argument) + ("..." if argument.nargs == -1 else "")
    return word if argument.required else f"[{word}]"


def _option(option: Any) -> str:
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {_value(option)}"


def _value(option: Any) -> str:
    return str(_VALUES.get(option.type.name, option.type.name.upper()))


def _remarks(parameter: Any) -> str:
    """Return what holds for a parameter beside its help: that it must be given, its default, its repetition."""
    remarks = []
    if parameter.param_type_name == "option" and parameter.required:
        remarks.append("Required.")
    if parameter.default not in (None, False, ""):
        remarks.append(f"Default: `{parameter.default}`.")
    if parameter.param_type_name == "option" and parameter.multiple:
        remarks.append("May be given more than once.")
    return "".join(f" {remark}" for remark in remarks)


def _plain(text: str | None) -> str:
    """Return a help text on one line, so that Markdown shows it as it is."""
    return " ".join((text or "").split()).replace("<", r"\<")


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        print(path.relative_to(DOCS.parent))
