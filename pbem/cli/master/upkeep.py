"""The verbs of upkeep: the post runs (`pbem post`), all is well (`doctor`), and kept (`backup`, `restore`, `keys`)."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.runtime import WORLD, Games, Json, misuse, print_json, read_input
from pbem.paths import TABLES, find_config, games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.post.desk.backup import Places
    from pbem.post.service.service import Post
    from pbem.post.settings import PostConfig
    from pbem.repo.key_backup import KeptSecrets, Restored

keys = typer.Typer(
    name="keys", help="List, back up and restore the secrets of the games.", no_args_is_help=True, rich_markup_mode=None
)

Config = Annotated[Path | None, typer.Option("--config", help="The config; by default pbem.yaml, or set PBEM_CONFIG.")]
Passphrase = Annotated[
    Path | None, typer.Option("--passphrase-file", help="A file whose first line is the passphrase.")
]
IdentityFile = Annotated[
    Path | None, typer.Option("--identity", help="A file with the secret key that opens it: age or ssh-ed25519.")
]


# ---- Letters come and go by themselves, as a service, or once for cron: `pbem post`


def run_post(
    config: Config = None,
    once: Annotated[bool, typer.Option("--once", help="Fetch, take in and send what there is, and end.")] = False,
    setup: Annotated[bool, typer.Option("--setup", help="Ask for the mailbox, try it, and write the config.")] = False,
    health: Annotated[bool, typer.Option("--health", help="Print in one line how the service is.")] = False,
    unit: Annotated[bool, typer.Option("--unit", help="Print a unit file for systemd.")] = False,
    json: Json = False,
) -> None:
    """Fetch players' letters, take them in and send the answers, until it is stopped."""
    from pbem.post.settings import load_config

    if [once, setup, health, unit].count(True) > 1:
        misuse("give one of --once, --setup, --health and --unit")
    file = find_config(config)
    if setup:
        from pbem.post.desk.setup import set_up

        if not set_up(file):
            sys.exit(WORLD)
        return
    settings = load_config(file)
    if unit:
        from pbem.post.desk.setup import unit_file

        print(unit_file(file.resolve(), settings), end="")
    elif health:
        _health(settings, json)
    else:
        _run(settings, once)


def _run(config: PostConfig, once: bool) -> None:
    """Open the post; once, or until a signal comes."""
    import signal

    from pbem.post.service.service import Service, run_once
    from pbem.repo.git.locks import require_locks

    require_locks()
    opened = _post_of(config)

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


def _post_of(config: PostConfig) -> Post:
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


# ---- Is all well, a copy of all of it, and back: `pbem doctor`, `backup` and `restore`


def run_doctor(config: Config = None, json: Json = False) -> None:
    """Check the games, their secrets and rules, the disk, the post and the backup, and print what is wrong."""
    from pbem.post.desk.doctor import examine
    from pbem.post.settings import load_config

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


def back_up_everything(
    folder: Annotated[Path, typer.Argument(help="The folder of the backups. Each gets a folder of its own there.")],
    to: Annotated[
        list[str] | None,
        typer.Option("--to", help="A public key to seal the secrets to: age1... or ssh-ed25519 AAAA..."),
    ] = None,
    passphrase_file: Passphrase = None,
    plain: Annotated[bool, typer.Option("--plain", help="Do not seal the secrets. The disk must be safe.")] = False,
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="Keep this many of the newest, and delete the others.")
    ] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Copy all games, their secrets, the tables of the post and its config. The service may keep running."""
    from pbem.post.desk.backup import back_up_all, drop_old_backups

    recipients = _recipients("secrets", to, passphrase_file, plain)
    places = _backup_places(config)
    made = back_up_all(places, folder, recipients, _passphrase(passphrase_file))
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


def restore_everything(
    folder: Annotated[Path, typer.Argument(help="The folder of one backup.")],
    identity: IdentityFile = None,
    passphrase_file: Passphrase = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Bring games, secrets and tables back from a backup. Nothing is overwritten."""
    from pbem.post.desk.backup import restore_all

    identities = _identities_in_file(identity, passphrase_file)
    places = _backup_places(config)
    back = restore_all(folder, places, identities, _passphrase(passphrase_file))
    if not json:
        print(f"Restored to {places.games}: {', '.join(back.games) or 'no games'}.")
    _print_restored(back.keys, {"folder": str(places.games), "games": list(back.games)}, json)


def _backup_places(config: Path | None) -> Places:
    """Return where everything is, by the config if there is one."""
    from pbem.post.desk.backup import Places
    from pbem.post.settings import load_config

    file = find_config(config)
    if config is None and not file.exists():
        return Places(games_folder(), keys_folder(), games_folder() / TABLES)
    settings = load_config(file)
    return Places(settings.games, settings.keys, settings.tables_file, file, settings.database)


# ---- The secrets alone: `pbem keys`


@keys.command("list")
def list_keys(games: Games = None, json: Json = False) -> None:
    """List the games whose secrets are in the key store, and faults in them."""
    from pbem.repo.key_backup import kept_secrets

    folder = keys_folder()
    rows = [_key_row(each) for each in kept_secrets(folder, games or games_folder())]
    if json:
        print_json({"folder": str(folder), "keys": rows})
    elif not rows:
        print(f"There are no secrets in {folder}. Set PBEM_KEYS to use another folder.")
    else:
        print(f"In {folder}:")
        for row in rows:
            print(f"{row['game']}: {row['scheme'] or 'scheme unknown'}, mode {row['mode']}, {_fit_of_keys(row)}")
    if any(row["wrong"] for row in rows):
        sys.exit(WORLD)


def _key_row(each: KeptSecrets) -> dict[str, Any]:
    return {
        "game": each.game,
        "file": str(each.file),
        "scheme": each.keys.scheme if each.keys else None,
        "mode": f"{stat.S_IMODE(each.file.stat().st_mode):o}",
        "repo": each.repo or None,
        "wrong": each.wrong,
    }


def _fit_of_keys(row: dict[str, Any]) -> str:
    """Return a sentence that says whether secrets fit their game."""
    if row["wrong"]:
        return f"WRONG: {row['wrong']}"
    return f"fit {row['repo']}" if row["repo"] else "no such game here"


@keys.command("backup")
def back_up_keys(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")],
    game: Annotated[list[str] | None, typer.Argument(help="The games; by default all.")] = None,
    to: Annotated[
        list[str] | None, typer.Option("--to", help="A public key to seal it to: age1... or ssh-ed25519 AAAA...")
    ] = None,
    passphrase_file: Passphrase = None,
    plain: Annotated[bool, typer.Option("--plain", help="Do not seal it. The disk must be safe.")] = False,
    json: Json = False,
) -> None:
    """Save the secrets of games in one sealed file."""
    from pbem.repo.key_backup import back_up

    recipients = _recipients("backup", to, passphrase_file, plain)
    saved, left_out = back_up(keys_folder(), game or [], file, recipients, _passphrase(passphrase_file))
    if json:
        row = {"file": str(file), "games": list(saved), "sealed": not plain, "left_out": list(map(str, left_out))}
        print_json(row)
    else:
        print(f"{file}: the secrets of {', '.join(saved)}" + (", NOT sealed." if plain else ", sealed."))
    for each in left_out if not json else ():
        print(f"pbem: left out: {each}", file=sys.stderr)
    if left_out:
        sys.exit(WORLD)


@keys.command("restore")
def bring_keys_back(
    file: Annotated[Path, typer.Argument(help="The backup.")],
    identity: IdentityFile = None,
    passphrase_file: Passphrase = None,
    games: Games = None,
    json: Json = False,
) -> None:
    """Restore secrets from a backup. Nothing is overwritten."""
    from pbem.repo.key_backup import restore_secrets

    identities, words = _identities_in_file(identity, passphrase_file), _passphrase(passphrase_file)
    _print_restored(
        restore_secrets(keys_folder(), games or games_folder(), read_input(file), identities, words), {}, json
    )


# ---- How a backup is sealed, and opened


def _recipients(what: str, to: list[str] | None, passphrase_file: Path | None, plain: bool) -> list[str]:
    """Return the keys to which something is sealed; end the command unless there is one way of sealing it."""
    from pbem.crypto.seal import BadRecipient, check_recipient

    if [bool(to), passphrase_file is not None, plain].count(True) != 1:
        misuse(f"say how to seal the {what}: --to age1... or --passphrase-file FILE (or --plain, not sealed)")
    try:
        return [check_recipient(each) for each in to or ()]
    except BadRecipient as wrong:
        misuse(f"--to: {wrong}")


def _identities_in_file(identity: Path | None, passphrase_file: Path | None) -> list[Any]:
    """Return the secret keys in a file that open a backup; none: a passphrase opens it, or it is not sealed."""
    from pbem.crypto.seal import identities_in

    if identity is not None and passphrase_file is not None:
        misuse("give --identity or --passphrase-file, not both")
    return [] if identity is None else identities_in(read_input(identity).decode("utf-8", "replace"))


def _passphrase(file: Path | None) -> str:
    """Return the first line of a file; empty: there is no file."""
    if file is None:
        return ""
    words = read_input(file).decode("utf-8", "replace").partition("\n")[0].rstrip("\r")
    if not words:
        misuse(f"{file}: the first line must be the passphrase, but it is empty")
    return words


def _print_restored(restored: Iterable[Restored], more: dict[str, Any], json: bool) -> None:
    """Print what came of each game's secrets; end with exit code 1 if some are not restored."""
    rows = list(restored)
    if json:
        print_json({**more, "keys": [{"game": each.game, "good": each.good, "text": each.text} for each in rows]})
    for each in rows if not json else ():
        print(f"{each.game}: {each.text}.", file=sys.stdout if each.good else sys.stderr)
    if not all(each.good for each in rows):
        sys.exit(WORLD)
