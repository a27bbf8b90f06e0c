"""`pbem post`: letters come and go by themselves; as a service, or once for cron."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.options import Json
from pbem.cli.runtime import WORLD, misuse, print_json

if TYPE_CHECKING:
    from pbem.post.service import Post
    from pbem.post.settings import PostConfig

Config = Annotated[Path | None, typer.Option("--config", help="The config; by default pbem.yaml, or set PBEM_CONFIG.")]


def post(
    config: Config = None,
    once: Annotated[bool, typer.Option("--once", help="Fetch, take in and send what there is, and end.")] = False,
    setup: Annotated[bool, typer.Option("--setup", help="Ask for the mailbox, try it, and write the config.")] = False,
    health: Annotated[bool, typer.Option("--health", help="Print in one line how the service is.")] = False,
    unit: Annotated[bool, typer.Option("--unit", help="Print a unit file for systemd.")] = False,
    json: Json = False,
) -> None:
    """Fetch players' letters, take them in and send the answers, until it is stopped."""
    from pbem.post.config import find, load

    if [once, setup, health, unit].count(True) > 1:
        misuse("give one of --once, --setup, --health and --unit")
    file = find(config)
    if setup:
        from pbem.post.setup import set_up

        if not set_up(file):
            sys.exit(WORLD)
        return
    read = load(file)
    if unit:
        from pbem.post.unit import unit_file

        print(unit_file(file.resolve(), read), end="")
    elif health:
        _health(read, json)
    else:
        _run(read, once)


def _run(config: PostConfig, once: bool) -> None:
    """Open the post; once, or until a signal comes."""
    import signal

    from pbem.post.service import Service
    from pbem.post.service import once as go_once
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    opened = _opened(config)

    def stop(*_: object) -> None:
        opened.stop.set()

    before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        if not once:
            Service(opened, config.workers).run()
        elif not go_once(opened):
            sys.exit(WORLD)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _opened(config: PostConfig) -> Post:
    """Return the parts of the post; nothing is connected yet."""
    from errno import ENOENT

    from pbem.post.open_tables import open_tables
    from pbem.post.service import Post
    from pbem.post.transport.ways import sender, sources

    if not config.games.is_dir():
        raise FileNotFoundError(ENOENT, "the folder of the games does not exist; `games:` names it", str(config.games))
    return Post(config, open_tables(config), list(sources(config)), sender(config))


def _health(config: PostConfig, json: bool) -> None:
    """Print how the post is; exit code 1 if it is not well."""
    from time import time

    from pbem.post.health import health
    from pbem.post.open_tables import never_opened, open_tables

    if never_opened(config):
        misuse(f"{config.tables_file} does not exist: `pbem post` has never run with this config")
    found = health(open_tables(config), time())
    if json:
        print_json({"well": found.well, "line": found.line})
    else:
        print(found.line)
    if not found.well:
        sys.exit(WORLD)
