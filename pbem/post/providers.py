"""Mail providers: the servers of the best known, and what each wants in place of the ordinary password.

Of any other provider the servers are guessed from the address, and the game master is asked.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_APP_PASSWORD: Final = (
    "it wants an app password, which you make in the security settings of your account, not the password that you log "
    "in with yourself"
)
_SWITCHED_ON: Final = "IMAP has to be switched on in the settings of your mailbox, on the provider's pages"
_OAUTH: Final = "it accepts no passwords, only OAuth: run a proxy such as email-oauth2-proxy, and name it as the server"
ANY: Final = f"often {_APP_PASSWORD}; {_SWITCHED_ON} with some providers"
"""What may be wrong with a login, where the provider is not known."""


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
