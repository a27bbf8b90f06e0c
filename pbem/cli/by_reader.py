"""The verbs by their readers: under which heading `pbem --help` lists each, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from typer.core import TyperGroup

from pbem.cli.escaped import escaped_output
from pbem.cli.runtime import in_the_world, misuse

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
