"""`pbem post`, `doctor`, `backup` and `restore`: the post runs, is well, and is kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.master.key_store import Passphrase, first_line
from pbem.cli.options import Json
from pbem.cli.runtime import WORLD, misuse, print_json, read
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.post.desk.backup import Places
    from pbem.post.service.service import Post
    from pbem.post.settings import PostConfig


# ---- `pbem post`: letters come and go by themselves; as a service, or once for cron


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
    from pbem.post.settings import find_config, load_config

    if [once, setup, health, unit].count(True) > 1:
        misuse("give one of --once, --setup, --health and --unit")
    file = find_config(config)
    if setup:
        from pbem.post.desk.setup import set_up

        if not set_up(file):
            sys.exit(WORLD)
        return
    read = load_config(file)
    if unit:
        from pbem.post.desk.setup import unit_file

        print(unit_file(file.resolve(), read), end="")
    elif health:
        _health(read, json)
    else:
        _run(read, once)


def _run(config: PostConfig, once: bool) -> None:
    """Open the post; once, or until a signal comes."""
    import signal

    from pbem.post.service.service import Service, run_once
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    opened = _opened(config)

    def stop(*_: object) -> None:
        opened.stop.set()

    before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        if not once:
            Service(opened, config.workers).run()
        elif not run_once(opened):
            sys.exit(WORLD)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _opened(config: PostConfig) -> Post:
    """Return the parts of the post; nothing is connected yet."""
    from errno import ENOENT

    from pbem.post.service.service import Post
    from pbem.post.tables.open_tables import open_tables
    from pbem.post.transport import sender, sources

    if not config.games.is_dir():
        raise FileNotFoundError(ENOENT, "the folder of the games does not exist; `games:` names it", str(config.games))
    return Post(config, open_tables(config), list(sources(config)), sender(config))


def _health(config: PostConfig, json: bool) -> None:
    """Print how the post is; exit code 1 if it is not well."""
    from time import time

    from pbem.post.service.health import health
    from pbem.post.tables.open_tables import never_opened, open_tables

    if never_opened(config):
        misuse(f"{config.tables_file} does not exist: `pbem post` has never run with this config")
    found = health(open_tables(config), time())
    if json:
        print_json({"well": found.well, "line": found.line})
    else:
        print(found.line)
    if not found.well:
        sys.exit(WORLD)


# ---- `pbem doctor`, `pbem backup` and `pbem restore`: is all well, a copy of all of it, and back


def doctor(config: Config = None, json: Json = False) -> None:
    """Check the games, their secrets and rules, the disk, the post and the backup, and print what is wrong."""
    from pbem.post.desk.doctor import examine
    from pbem.post.settings import find_config, load_config

    well = True
    rows = []
    for found in examine(load_config(find_config(config))):
        well &= found.well
        rows.append({"what": found.what, "well": found.well, "warning": found.warning, "text": found.text})
        if not json:
            word = "note " if found.warning else "well " if found.well else "WRONG"
            print(f"{word}  {found.what}: {found.text}")
    if json:
        print_json(rows)
    if not well:
        sys.exit(WORLD)


def backup(
    folder: Annotated[Path, typer.Argument(help="The folder of the backups. Each gets a folder of its own there.")],
    to: Annotated[
        list[str] | None,
        typer.Option("--to", help="A public key to seal the secrets to: age1... or ssh-ed25519 AAAA..."),
    ] = None,
    passphrase_file: Passphrase = None,
    plain: Annotated[bool, typer.Option("--plain", help="Do not seal the secrets. The disk must be safe.")] = False,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, help="Keep this many of the newest, and delete the others."),
    ] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Copy all games, their secrets, the tables of the post and its config. The service may keep running."""
    from pbem.crypto.seal import BadRecipient, check_recipient
    from pbem.post.desk.backup import back_up_all, drop_old_backups

    if [bool(to), passphrase_file is not None, plain].count(True) != 1:
        misuse("say how to seal the secrets: --to age1... or --passphrase-file FILE (or --plain, not sealed)")
    try:
        recipients = [check_recipient(each) for each in to or ()]
    except BadRecipient as wrong:
        misuse(f"--to: {wrong}")
    words = first_line(passphrase_file) if passphrase_file else ""
    places = _places(config)
    made = back_up_all(places, folder, recipients, words)
    old = list(drop_old_backups(folder, keep)) if keep else []
    if json:
        row = {"folder": str(made.folder), "games": list(made.games), "sealed": not plain}
        print_json({**row, "left_out": list(map(str, made.left_out)), "deleted": list(map(str, old))})
    else:
        print(f"{made.folder}: {', '.join(made.games) or 'no games'}; the secrets are {'NOT ' if plain else ''}sealed.")
        if places.database is not None:
            print(f"What waits in {places.database} is not in it: pg_dump copies that.")
        for each in made.left_out:
            print(f"pbem: left out: {each}", file=sys.stderr)
        for path in old:
            print(f"Deleted: {path}")
    if made.left_out:
        sys.exit(WORLD)


def restore(
    folder: Annotated[Path, typer.Argument(help="The folder of one backup.")],
    identity: Annotated[
        Path | None, typer.Option("--identity", help="A file with the secret key that opens it: age or ssh-ed25519.")
    ] = None,
    passphrase_file: Passphrase = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Bring games, secrets and tables back from a backup. Nothing is overwritten."""
    from pbem.crypto.seal import identities_in
    from pbem.post.desk.backup import restore_all

    if identity is not None and passphrase_file is not None:
        misuse("give --identity or --passphrase-file, not both")
    identities = identities_in(read(identity).decode("utf-8", "replace")) if identity else []
    words = first_line(passphrase_file) if passphrase_file else ""
    places = _places(config)
    back = restore_all(folder, places, identities, words)
    if json:
        rows = [{"game": each.game, "good": each.good, "text": each.text} for each in back.keys]
        print_json({"folder": str(places.games), "games": list(back.games), "keys": rows})
    else:
        print(f"Restored to {places.games}: {', '.join(back.games) or 'no games'}.")
    for each in back.keys if not json else ():
        print(f"{each.game}: {each.text}.", file=sys.stdout if each.good else sys.stderr)
    if not all(each.good for each in back.keys):
        sys.exit(WORLD)


def _places(config: Path | None) -> Places:
    """Return where everything is, by the config if there is one."""
    from pbem.post.desk.backup import Places
    from pbem.post.settings import TABLES, find_config, load_config

    file = find_config(config)
    if config is None and not file.exists():
        return Places(games_folder(), keys_folder(), games_folder() / TABLES)
    read = load_config(file)
    return Places(read.games, read.keys, read.tables_file, file, read.database)
