"""Transport: the ways that a config names, in which letters come (IMAP, maildir, standard input) and leave."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.post.settings import ImapIn, MaildirIn, PostConfig, SendmailOut, SmtpOut
from pbem.post.transport.base import Sender, Source


def sources(config: PostConfig) -> Iterator[Source]:
    """Yield the mailboxes that a config names. Nothing is connected before it is used."""
    for each in config.sources:
        if isinstance(each, ImapIn):
            from pbem.post.transport.imap import ImapSource

            yield ImapSource(each)
        elif isinstance(each, MaildirIn):
            from pbem.post.transport.maildir import MaildirSource

            yield MaildirSource(each)
        else:
            from pbem.post.transport.pipes import StdinSource

            yield StdinSource()


def sender(config: PostConfig) -> Sender:
    """Return the way out that a config names. Nothing is connected before it is used."""
    if isinstance(config.out, SmtpOut):
        from pbem.post.transport.smtp import SmtpSender

        return SmtpSender(config.out, config.address)
    if isinstance(config.out, SendmailOut):
        from pbem.post.transport.pipes import SendmailSender

        return SendmailSender(config.out, config.address)
    from pbem.post.transport.maildir import MaildirSender

    return MaildirSender(config.out)
