"""The set-up of the post: asks for the mailbox, tries it with letters to itself, and writes the config.

Where a config is there already, nothing is asked and nothing written: it is tried, and what it should say is shown.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.atomic import write
from pbem.game import yaml as yamlio
from pbem.mail.address import mailbox
from pbem.paths import games_folder, keys_folder
from pbem.post.config import LOOPBACK, PORTS, load, parse
from pbem.post.providers import ANY, provider
from pbem.post.settings import BadConfig, PostConfig
from pbem.post.transport.base import LoginRefused, Unreachable
from pbem.post.transport.ways import sender, sources
from pbem.post.trial import Found, Trial
from pbem.protocol import PbemError, Plain

_PASSWORD: Final = "post.password"
"""The file of the password, beside the config."""
_KINDS: Final = ("implicit", "starttls", "none")


class Dialogue(ABC):
    """Somebody who is asked."""

    @abstractmethod
    def ask(self, question: str, usual: str = "") -> str:
        """Return the answer to a question; `usual` if there is none."""

    @abstractmethod
    def secret(self, question: str) -> str:
        """Return the answer to a question, which is not shown as it is typed."""

    @abstractmethod
    def say(self, text: str) -> None:
        """Tell something."""


def _fits(answer: str) -> str:
    """Return that nothing is wrong with an answer."""
    return ""


class _Questions:
    """Questions whose answers are offered when they are asked again."""

    def __init__(self, talk: Dialogue) -> None:
        self.talk = talk
        self._said: dict[str, str] = {}

    def ask(self, key: str, question: str, usual: str = "", wrong: Callable[[str], str] = _fits) -> str:
        """Ask until nothing is `wrong` with the answer, and return it."""
        offered = self._said.get(key) or usual
        answer = self.talk.ask(question, offered)
        while reason := wrong(answer):
            answer = self.talk.ask(f"{reason}. {question}", offered)
        self._said[key] = answer
        return answer


class Terminal(Dialogue):
    """The user of the command. Raises EOFError when nobody answers any more."""

    def ask(self, question: str, usual: str = "") -> str:
        print(f"{question} [{usual}]:" if usual else f"{question}:", end=" ", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.strip() or usual

    def secret(self, question: str) -> str:
        from getpass import getpass

        return getpass(f"{question}: ", sys.stderr) if sys.stdin.isatty() else self.ask(question)

    def say(self, text: str) -> None:
        print(text, flush=True)


def set_up(file: Path, dialogue: Dialogue | None = None, patience: float = 60.0) -> bool:
    """Ask for the mailbox, try it, and write the config; or try one that is there. Return whether all went well.

    `patience` is how many seconds a letter may take. Raises BadConfig for a config that cannot be read.
    """
    talk = dialogue or Terminal()
    if file.exists():
        talk.say(f"{file} is there; this tries what it says. Nothing is changed.")
        config = load(file)
        found = _try(config, talk, patience)
        if found is not None:
            _compare(config, found, talk)
        return found is not None
    password = _password_file(file)
    keep = password.exists()
    try:
        return _make(file, talk, patience)
    except EOFError:
        talk.say("Nobody answers; no config was written.")
        return False
    finally:
        if not file.exists() and not keep:
            password.unlink(missing_ok=True)


def _make(file: Path, talk: Dialogue, patience: float) -> bool:
    """Ask until a mailbox works, or the game master has had enough, and write the config."""
    questions = _Questions(talk)
    while True:
        value = _asked(questions, file)
        try:
            config = parse(yamlio.dump(value), file)
        except BadConfig as wrong:
            talk.say(str(wrong))
            continue
        found = _try(config, talk, patience)
        if found is not None or not _yes(talk, "Answer the questions again", "yes"):
            break
    if found is not None:
        value["who"] = _who(found)
    elif not _yes(talk, f"Write {file} all the same", "no"):
        return False
    write({file: yamlio.dump(value).encode()})
    talk.say(f"{file} is written. Next: `pbem new` makes a game, and `pbem post` lets its letters come and go.")
    return found is not None


def _yes(talk: Dialogue, question: str, usual: str) -> bool:
    return talk.ask(f"{question}? (yes or no)", usual).lower() in ("y", "yes")


def _asked(questions: _Questions, file: Path) -> dict[str, Plain]:
    """Ask the questions, and return what the config says by the answers."""
    ask, talk = questions.ask, questions.talk
    from_ = ask("from", "The address that letters come from, such as Punic Wars <pbem@example.org>", "", _no_address)
    own = mailbox(from_)
    assert own is not None
    known = provider(own.address)
    if known.special:
        talk.say(f"About this provider: {known.special}.")
    imap = _server(questions, ask("imap", "The server for reading (IMAP)", known.imap), 993)
    user = ask("user", "The user name there", own.address)
    secret = _password(talk, file)
    folder = ask("folder", "The folder that players' letters come into", "INBOX")
    smtp = _server(questions, ask("smtp", "The server for sending (SMTP)", known.smtp), 465)
    games = ask("games", "The folder of the games", str(games_folder().absolute()))
    login: dict[str, Plain] = {"user": user, "password": secret}
    today = datetime.now(UTC).date().isoformat()
    return {
        "from": from_,
        "games": games,
        "keys": str(keys_folder().absolute()),
        "in": {"imap": {**imap, **login, "folder": folder, "since": today}},
        "out": {"smtp": {**smtp, **login}},
    }


def _no_address(answer: str) -> str:
    return "" if mailbox(answer) is not None else f"{answer or 'Nothing'} is not a mail address"


def _no_kind(answer: str) -> str:
    return "" if answer in _KINDS else f"{answer} is none of these"


def _server(questions: _Questions, said: str, usual: int) -> dict[str, Plain]:
    """Return what the config says of a server, given as HOST or HOST:PORT; asks how an unusual port is encrypted."""
    host, _, number = said.rpartition(":") if said.count(":") == 1 else (said, "", "")
    port = int(number) if number.isdecimal() else usual
    if port in PORTS:
        return {"host": host, "port": port}
    likely = "none" if host in LOOPBACK else "implicit"
    tls: Plain = questions.ask(said, f"How is {said} encrypted: {', '.join(_KINDS)}", likely, _no_kind)
    if tls != "none" and host in LOOPBACK:
        ca = questions.ask("ca", "The file with its certificate, if the system does not know that")
        tls = {"kind": tls, "ca": ca} if ca else tls
    return {"host": host, "port": port, "tls": tls}


def _password(talk: Dialogue, file: Path) -> dict[str, Plain]:
    """Ask for the password and keep it in a file that only its owner can read; or for a variable that holds it."""
    password = talk.secret("The password (nothing: a variable of the environment holds it)")
    if not password:
        return {"env": talk.ask("The name of that variable", "PBEM_PASSWORD")}
    place = _password_file(file)
    with suppress(FileNotFoundError):
        place.unlink()
    write({place: f"{password}\n".encode()}, mode=0o600)
    talk.say(f"The password is in {place}, which only you can read.")
    return {"file": _PASSWORD}


def _password_file(config: Path) -> Path:
    return config.absolute().parent / _PASSWORD


def _try(config: PostConfig, talk: Dialogue, patience: float) -> Found | None:
    """Read the mailbox and send letters to itself; say what comes of it. None: it does not work."""
    hint = provider(config.address).special or ANY
    (mailbox_, *_), out = sources(config), sender(config)
    trial = Trial(config, mailbox_, out, talk.say)
    with mailbox_, out:
        try:
            for step, what in ((trial.read, mailbox_.name), (trial.send, out.name)):
                try:
                    step()
                except LoginRefused as wrong:
                    talk.say(f"{what}: {wrong}\nIf the password is right: {hint}.")
                    return None
                except Unreachable as wrong:
                    talk.say(f"{what} cannot be reached: {wrong}")
                    return None
            return trial.result(patience)
        except PbemError as wrong:
            talk.say(str(wrong))
            return None


def _who(found: Found) -> dict[str, Plain]:
    """Return what the config should say of how it is known who wrote a letter."""
    return {"authentication_results": [*found.hosts], "plus": found.plus}


def _compare(config: PostConfig, found: Found, talk: Dialogue) -> None:
    """Say what the config should say of how it is known who wrote a letter, if it says something else."""
    if (config.who.authentication_results, config.who.plus) == (found.hosts, found.plus):
        talk.say(f"{config.file} says the same.")
    else:
        talk.say(f"By this trial {config.file} should say:\n\n{yamlio.dump({'who': _who(found)}).strip()}\n")
