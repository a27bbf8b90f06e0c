"""The set-up of the post: asks for the mailbox, tries it with letters to itself, writes its config and unit file.

The servers of the best-known providers are listed here; those of any other are guessed from the address, and the game
master is asked. The letters show whether the provider says in `Authentication-Results` who sent a letter, under which
name, and that nobody can write such a header in its place; and whether `user+WORD@` is delivered to `user@`.

Where a config is there already, nothing is asked and nothing written: it is tried, and what it should say is shown.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from abc import ABC, abstractmethod
from base64 import b32encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Final, NamedTuple

from pbem.atomic import write
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.mail.notes.address import mailbox
from pbem.mail.read.mime import Headers
from pbem.paths import games_folder, keys_folder
from pbem.post.settings import LOOPBACK, PORTS, BadConfig, ImapIn, PostConfig, SmtpOut, load_config, parse_config
from pbem.post.transport import sender, sources
from pbem.post.transport.base import Accepted, Arrived, Gone, LoginRefused, Sender, Source, Unreachable
from pbem.post.who.signatures import read_results, vouched_for
from pbem.protocol import PbemError, Plain

_APP_PASSWORD: Final = (
    "it wants an app password, which you make in the security settings of your account, not the password that you log "
    "in with yourself"
)
_SWITCHED_ON: Final = "IMAP has to be switched on in the settings of your mailbox, on the provider's pages"
_OAUTH: Final = "it accepts no passwords, only OAuth: run a proxy such as email-oauth2-proxy, and name it as the server"
COMMON_CAUSES: Final = f"often {_APP_PASSWORD}; {_SWITCHED_ON} with some providers"
"""What may be wrong with a login, where the provider is not known."""
_WAIT_TURN: Final = 5.0
"""Seconds of one wait for letters."""
_FORGED: Final = "forged.example"
"""A domain that nobody has (RFC 2606), in the header that the trial forges."""
_BODY: Final = """\
This letter was sent by `pbem post --setup`, to see whether letters come and go.
You can delete it.
"""
_UNIT: Final = """\
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
_PASSWORD: Final = "post.password"
"""The file of the password, beside the config."""
_TLS_KINDS: Final = ("implicit", "starttls", "none")


class Provider(NamedTuple):
    """The servers of a provider, as HOST or HOST:PORT, and what is special about its logins; empty: nothing."""

    imap: str
    smtp: str
    special: str = ""


_GOOGLE: Final = Provider("imap.gmail.com", "smtp.gmail.com", f"{_APP_PASSWORD}; the account needs 2-step verification")
_MICROSOFT: Final = Provider("outlook.office365.com", "smtp-mail.outlook.com:587", _OAUTH)
_APPLE: Final = Provider("imap.mail.me.com", "smtp.mail.me.com:587", _APP_PASSWORD)
_PROVIDERS: Final = {
    "gmail.com": _GOOGLE,
    "googlemail.com": _GOOGLE,
    "outlook.com": _MICROSOFT,
    "hotmail.com": _MICROSOFT,
    "live.com": _MICROSOFT,
    "icloud.com": _APPLE,
    "me.com": _APPLE,
    "yahoo.com": Provider("imap.mail.yahoo.com", "smtp.mail.yahoo.com", _APP_PASSWORD),
    "fastmail.com": Provider("imap.fastmail.com", "smtp.fastmail.com", _APP_PASSWORD),
    "gmx.net": Provider("imap.gmx.net", "mail.gmx.net", _SWITCHED_ON),
    "gmx.de": Provider("imap.gmx.net", "mail.gmx.net", _SWITCHED_ON),
    "gmx.com": Provider("imap.gmx.com", "mail.gmx.com", _SWITCHED_ON),
    "web.de": Provider("imap.web.de", "smtp.web.de", _SWITCHED_ON),
    "posteo.de": Provider("posteo.de", "posteo.de"),
    "posteo.net": Provider("posteo.de", "posteo.de"),
    "mailbox.org": Provider("imap.mailbox.org", "smtp.mailbox.org"),
}


def provider(address: str) -> Provider:
    """Return the provider of an address; of one that is not known, a guess at its servers.

    >>> provider("pbem@example.org").imap
    'imap.example.org'
    """
    domain = address.rpartition("@")[2].lower()
    return _PROVIDERS.get(domain, Provider(f"imap.{domain}", f"smtp.{domain}", ""))


class NotTried(PbemError):
    """A trial of the mailbox that came to nothing: a letter was not accepted, or did not come."""


class TrialResult(NamedTuple):
    """What a trial has found."""

    hosts: tuple[str, ...]
    """The names under which the provider says who sent a letter, if it can be believed; none: it says nothing."""
    plus: bool
    """Whether `user+WORD@` is delivered."""


class Trial:
    """Letters from a mailbox to itself."""

    def __init__(self, config: PostConfig, source: Source, sender: Sender, say: Callable[[str], None]) -> None:
        self._source = source
        self._sender = sender
        self._config = config
        self._say = say
        self._before: set[tuple[str, str]] = set()
        self._arrived: dict[str, Headers] = {}
        """The trial letters that have come, by Message-ID."""
        self._plain = self._plus = ""

    def read(self) -> None:
        """Look which letters there are. None is touched. Raises Unreachable."""

        def known(source: str, uid: str) -> bool:
            self._before.add((source, uid))
            return True

        for _ in self._source.new(known):
            pass
        there = counted(len(self._before), "letter")
        self._say(f"Reading from {self._source.name} works: it has {there}, and none was touched.")

    def send(self) -> None:
        """Send a letter to the address itself, and one to `user+WORD@`. Raises Unreachable, NotTried."""
        own = self._config.address
        self._plain = self._letter(own)
        name, _, domain = own.partition("@")
        word = b32encode(secrets.token_bytes(12)).decode().lower().rstrip("=")
        self._plus = self._letter(f"{name}+{word}@{domain}", optional=True)
        self._say(f"Sending by {self._sender.name} works: a letter to {own} is on its way.")

    def result(self, patience: float) -> TrialResult:
        """Wait for the letters and return what they show. Raises Unreachable, NotTried."""
        began = time.monotonic()
        if not self._await(self._plain, patience):
            raise NotTried(
                f"the letter did not come within {patience:.0f} s. Look for it among the spam, or in another folder; "
                "`pbem post --setup` can be run again"
            )
        self._say(f"The letter came after {time.monotonic() - began:.0f} s.")
        hosts = self._hosts(patience)
        plus = bool(self._plus) and self._await(self._plus, patience / 2)
        own, _, domain = self._config.address.partition("@")
        said = (
            "is delivered: players answer to an address of their own" if plus else "is not delivered; that is no harm"
        )
        self._say(f"{own}+WORD@{domain} {said}.")
        return TrialResult(hosts, plus)

    def _hosts(self, patience: float) -> tuple[str, ...]:
        """Return the name under which the provider says who sent a letter, if nobody else can write it."""
        said = self._arrived[self._plain].every("authentication-results")
        for text in said:
            self._say(f"  Authentication-Results: {text}")
        host = next((name for text in said if (name := _host_named(text)) and self._vouches(self._plain, name)), "")
        if not host:
            what = "does not vouch for it" if said else "says nothing of who sent it"
            self._say(f"The provider {what} (Authentication-Results). Players prove by a token or a key who they are.")
            return ()
        forged = self._letter(self._config.address, f"{host}; dkim=pass header.d={_FORGED}")
        if not self._await(forged, patience):
            self._say(f"A letter with a forged word of {host} did not come: the word of {host} is not relied on.")
            return ()
        if vouched_for(self._arrived[forged], (host,), f"anybody@{_FORGED}"):
            self._say(f"The provider lets others write in the name of {host}: its word is not relied on.")
            return ()
        self._say(f"The provider says as {host} who sent a letter, and nobody else can. That is a proof.")
        return (host,)

    def _vouches(self, message_id: str, host: str) -> bool:
        return bool(vouched_for(self._arrived[message_id], (host,), self._config.address))

    def _letter(self, to: str, results: str = "", optional: bool = False) -> str:
        """Send one letter and return its Message-ID; empty: it was refused, and is `optional`. Raises NotTried."""
        letter = EmailMessage()
        if results:
            letter["Authentication-Results"] = results
        letter["From"] = self._config.sender
        letter["To"] = to
        letter["Subject"] = "pbem: a trial of this mailbox"
        letter["Date"] = format_datetime(datetime.now(UTC))
        letter["Message-ID"] = f"<trial.{secrets.token_hex(12)}@{self._config.address.partition('@')[2]}>"
        letter["Auto-Submitted"] = "auto-generated"
        letter.set_content(_BODY)
        outcome = self._sender.send(to, letter.as_bytes())
        if isinstance(outcome, Accepted):
            return str(letter["Message-ID"])
        if optional:
            return ""
        raise NotTried(f"{self._sender.name} does not take a letter to {to}: {outcome.reason}")

    def _await(self, message_id: str, patience: float) -> bool:
        """Wait for a trial letter; return whether it has come."""
        until = time.monotonic() + patience
        while message_id not in self._arrived:
            for letter in self._source.new(lambda *which: which in self._before):
                self._look(letter)
            left = until - time.monotonic()
            if message_id in self._arrived or left <= 0:
                break
            self._source.wait(min(left, _WAIT_TURN))
        return message_id in self._arrived

    def _look(self, letter: Arrived) -> None:
        """Look whether a new letter is one of the trial, and mark it as read then."""
        self._before.add((letter.source, letter.uid))
        try:
            headers = Headers(self._source.head(letter))
        except Gone:
            return
        found = headers.one("message-id").strip()
        if found.startswith("<trial."):
            self._arrived[found] = headers
            self._source.done(letter)


def _host_named(text: str) -> str:
    """Return the host that a header speaks for; empty: it cannot be read."""
    try:
        return read_results(text)[0]
    except ValueError:
        return ""


def unit_file(file: Path, config: PostConfig) -> str:
    """Return a unit file for a config, for the manager of a user or that of the system."""
    return _UNIT.format(
        sender=config.address,
        command=_unit_word(str(_pbem_program())),
        config=_unit_word(str(file)),
        folder=file.parent,
        environment="".join(_environment(config, file)),
    )


def _pbem_program() -> Path:
    """Return the program that was called, or that lies beside the interpreter."""
    called = Path(sys.argv[0])
    return called.absolute() if called.name == "pbem" else Path(sys.executable).with_name("pbem")


def _environment(config: PostConfig, file: Path) -> Iterator[str]:
    """Yield lines for what the service needs of the environment: folders now set there, and names of passwords."""
    for name in ("PBEM_GAMES", "PBEM_KEYS", "PBEM_CACHE", "PBEM_RULES"):
        if value := os.environ.get(name):
            yield f"Environment={_unit_word(f'{name}={value}')}\n"
    ways = [each for each in config.sources if isinstance(each, ImapIn)]
    secrets = [each.password for each in ways]
    secrets += [config.out.password] if isinstance(config.out, SmtpOut) and config.out.password else []
    if any(each.env is not None for each in secrets):
        yield "# The passwords, one NAME=VALUE a line; nobody else may read it (chmod 600).\n"
        yield f"EnvironmentFile={file.parent}/post.env\n"


def _unit_word(text: str) -> str:
    """Return a word as unit files write one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if " " in text else escaped


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


def _anything(answer: str) -> str:
    """Return that nothing is wrong with an answer."""
    return ""


class _Questions:
    """Questions whose answers are offered when they are asked again."""

    def __init__(self, talk: Dialogue) -> None:
        self.talk = talk
        self._said: dict[str, str] = {}

    def ask(self, key: str, question: str, usual: str = "", wrong: Callable[[str], str] = _anything) -> str:
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
        config = load_config(file)
        found = _try(config, talk, patience)
        if found is not None:
            _compare_with_config(config, found, talk)
        return found is not None
    password = _password_file(file)
    keep = password.exists()
    try:
        return _make_config(file, talk, patience)
    except EOFError:
        talk.say("Nobody answers; no config was written.")
        return False
    finally:
        if not file.exists() and not keep:
            password.unlink(missing_ok=True)


def _make_config(file: Path, talk: Dialogue, patience: float) -> bool:
    """Ask until a mailbox works, or the game master has had enough, and write the config."""
    questions = _Questions(talk)
    while True:
        value = _ask_all(questions, file)
        try:
            config = parse_config(yamlio.dump(value), file)
        except BadConfig as wrong:
            talk.say(str(wrong))
            continue
        found = _try(config, talk, patience)
        if found is not None or not _yes(talk, "Answer the questions again", "yes"):
            break
    if found is not None:
        value["who"] = _who_settings(found)
    elif not _yes(talk, f"Write {file} all the same", "no"):
        return False
    write({file: yamlio.dump(value).encode()})
    talk.say(f"{file} is written. Next: `pbem new` makes a game, and `pbem post` lets its letters come and go.")
    return found is not None


def _yes(talk: Dialogue, question: str, usual: str) -> bool:
    return talk.ask(f"{question}? (yes or no)", usual).lower() in ("y", "yes")


def _ask_all(questions: _Questions, file: Path) -> dict[str, Plain]:
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
    return "" if answer in _TLS_KINDS else f"{answer} is none of these"


def _server(questions: _Questions, said: str, usual: int) -> dict[str, Plain]:
    """Return what the config says of a server, given as HOST or HOST:PORT; asks how an unusual port is encrypted."""
    host, _, number = said.rpartition(":") if said.count(":") == 1 else (said, "", "")
    port = int(number) if number.isdecimal() else usual
    if port in PORTS:
        return {"host": host, "port": port}
    likely = "none" if host in LOOPBACK else "implicit"
    tls: Plain = questions.ask(said, f"How is {said} encrypted: {', '.join(_TLS_KINDS)}", likely, _no_kind)
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


def _try(config: PostConfig, talk: Dialogue, patience: float) -> TrialResult | None:
    """Read the mailbox and send letters to itself; say what comes of it. None: it does not work."""
    hint = provider(config.address).special or COMMON_CAUSES
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


def _who_settings(found: TrialResult) -> dict[str, Plain]:
    """Return what the config should say of how it is known who wrote a letter."""
    return {"authentication_results": [*found.hosts], "plus": found.plus}


def _compare_with_config(config: PostConfig, found: TrialResult, talk: Dialogue) -> None:
    """Say what the config should say of how it is known who wrote a letter, if it says something else."""
    if (config.who.authentication_results, config.who.plus) == (found.hosts, found.plus):
        talk.say(f"{config.file} says the same.")
    else:
        talk.say(f"By this trial {config.file} should say:\n\n{yamlio.dump({'who': _who_settings(found)}).strip()}\n")
