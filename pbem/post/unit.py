"""The unit file for systemd, made for a config: the service starts with the machine, and again if it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pbem.post.settings import ImapIn, PostConfig, SmtpOut

_UNIT = """\
[Unit]
Description=pbem post: {sender}
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
NotifyAccess=main
ExecStart={command} post --config {config}
WorkingDirectory={folder}
{environment}Restart=always
RestartSec=10
WatchdogSec=120
TimeoutStopSec=60
KillMode=mixed

[Install]
WantedBy=default.target
"""


def unit_file(file: Path, config: PostConfig) -> str:
    """Return a unit file for a config, for the manager of a user or that of the system."""
    return _UNIT.format(
        sender=config.address,
        command=_quoted(str(_command())),
        config=_quoted(str(file)),
        folder=file.parent,
        environment="".join(_environment(config, file)),
    )


def _command() -> Path:
    """Return the program that was called, or that lies beside the interpreter."""
    called = Path(sys.argv[0])
    return called.absolute() if called.name == "pbem" else Path(sys.executable).with_name("pbem")


def _environment(config: PostConfig, file: Path) -> Iterator[str]:
    """Yield lines for what the service needs of the environment: folders now set there, and names of passwords."""
    for name in ("PBEM_GAMES", "PBEM_KEYS", "PBEM_CACHE", "PBEM_RULES"):
        if value := os.environ.get(name):
            yield f"Environment={_quoted(f'{name}={value}')}\n"
    ways = [each for each in config.sources if isinstance(each, ImapIn)]
    secrets = [each.password for each in ways]
    secrets += [config.out.password] if isinstance(config.out, SmtpOut) and config.out.password else []
    if any(each.env is not None for each in secrets):
        yield "# The passwords, one NAME=VALUE a line; nobody else may read it (chmod 600).\n"
        yield f"EnvironmentFile={file.parent}/post.env\n"


def _quoted(text: str) -> str:
    """Return a word as unit files write one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if " " in text else escaped
