"""A game master who sets up the post, by a script."""

from __future__ import annotations

from pbem.post.desk.setup import Dialogue
from tests.real.mailhost import MailHost


class Scripted(Dialogue):
    """A game master who answers by what stands in the questions, and otherwise takes what is offered."""

    def __init__(self, **answers: str) -> None:
        self._answers = answers
        self.heard = ""

    def ask(self, question: str, usual: str = "") -> str:
        return next((said for word, said in self._answers.items() if word in question), usual)

    def secret(self, question: str) -> str:
        return self.ask(question)

    def say(self, text: str) -> None:
        self.heard += f"{text}\n"


def master(host: MailHost, **more: str) -> Scripted:
    """Return one who knows the servers and the password of a host."""
    answers = {
        "letters come from": "Punic Wars <referee@pbem.test>",
        "IMAP": f"localhost:{host.ports['IMAPS']}",
        f"{host.ports['IMAPS']} encrypted": "implicit",
        "SMTP": f"localhost:{host.ports['SUBMISSION']}",
        f"{host.ports['SUBMISSION']} encrypted": "starttls",
        "certificate": str(host.certificate),
        "password": "secret-referee",
        "again": "no",
        "all the same": "no",
    }
    return Scripted(**{**answers, **more})
