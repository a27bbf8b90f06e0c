"""The commands by which a side joins: PHRASE, KEY and CHAIN.

A phrase may be replaced until the first shuffle. A player who writes last sees the other phrases, but neither the dice
chain nor the seed of the hidden draws. Without these no phrase is better than another, and every phrase that was tried
stays in the history of the repo. A player who conspires with the adjudicator, who knows both, cannot try several
either: the game begins with the last phrase that it waits for. A player who does not trust that can use a chain of
their own, or the beacon.
"""

from __future__ import annotations

from typing import Final

from pbem.crypto.seal import BadRecipient, check_recipient
from pbem.mail.answer.command import Command, CommandTask, Topic, on_record
from pbem.mail.read.commands import Word
from pbem.mail.write.outgoing import side_name
from pbem.referee.game.open_game import CannotPlay
from pbem.repo.files.charter import ChainPromise

MOST_OF_A_PHRASE: Final = 300
_SAMPLE: Final = "any words of yours"
"""The words that stand for a phrase in our letters."""


def join_by_phrase(task: CommandTask) -> str:
    """Put a phrase on record (until the first shuffle, in place of an earlier one)."""
    game, side = task.game, task.side
    if task.letter is not None:
        # The other players read it, so it holds nothing that could play tricks on their screens.
        phrase = " ".join("".join(each if each.isprintable() else " " for each in task.rest).split())
        if phrase.strip(".…") in ("", _SAMPLE):
            raise CannotPlay("write any words of your own after it, on the same line.")
        if len(phrase) > MOST_OF_A_PHRASE:
            raise CannotPlay(f"a phrase has at most {MOST_OF_A_PHRASE} characters; this one has {len(phrase)}.")
        game.join_side(side, phrase=phrase, letter=task.letter)
    return f"PHRASE: on record for {side_name(game, side)}: {on_record(game.ledger.joined(side).phrase)}"


def join_by_key(task: CommandTask) -> str:
    """Put on record the key to which a side's view of the game is sealed."""
    game, side = task.game, task.side
    if task.letter is not None:
        try:
            check_recipient(task.rest)
        except BadRecipient:
            raise CannotPlay(_why_no_key(task.rest)) from None
        game.join_side(side, key=task.rest, letter=task.letter)
    kind, _, rest = on_record(game.ledger.joined(side).key).partition(" ")
    return (
        f"KEY: on record for {side_name(game, side)}:\n  {kind}" + (f"\n  {rest}" if rest else "") + "\n"
        f"From the next adjudication on, what you may know is also kept in the game's repo, sealed to this key. "
        f"With the repo and your secret key, read it with\n  pbem open views/{side}.age --identity KEYFILE"
    )


def _why_no_key(text: str) -> str:
    """Return what is wrong with a key, and what a public key looks like. A secret key is never repeated."""
    right = "A public key is `age1` and 58 more letters and digits (from age-keygen), or `ssh-ed25519 AAAA...`."
    kind, _, rest = text.partition(" ")
    if "SECRET" in text.upper() or "PRIVATE" in text.upper():
        return (
            "this is a secret key, which must never be mailed: anybody who reads your letter can now open what is "
            f"sealed to it. Make another key, and send its public half. {right}"
        )
    if not text:
        return f"the key is missing: write it on the same line. {right}"
    if kind == "ssh-ed25519":
        return f"the key after `ssh-ed25519` is not complete: a whole one has 68 characters. {right}"
    if kind.startswith("ssh-") or kind.startswith("ecdsa-"):
        return f"a key of type {kind[:30]} cannot be used; of the ssh keys, only ssh-ed25519 can. {right}"
    if kind.startswith("age1") and not rest:
        count = f"it has {len(kind)} characters instead of 62" if len(kind) != 62 else "a character in it is wrong"
        return f"this age key was not copied completely: {count}. {right}"
    return f"this is not a public key. {right}"


def join_by_chain(task: CommandTask) -> str:
    """Put the promise of a side's own dice chain on record (until the first shuffle, in place of an earlier one)."""
    game, side = task.game, task.side
    if task.letter is not None:
        match task.rest.split():
            case [tip, length] if length.isascii() and length.isdigit() and len(length) < 10:
                game.join_side(side, chain=ChainPromise(tip, int(length)), letter=task.letter)
            case _:
                raise CannotPlay("write the tip and the length after it, as `pbem my-chain new` prints them.")
    chain = on_record(game.ledger.joined(side).chain)
    return (
        f"CHAIN: on record for {side_name(game, side)}, with {chain.length} links and the tip\n  {chain.tip}\n"
        "From the next report on, each of your sheets opens one of them with a line `link: ...`, which "
        "`pbem my-chain next` prints."
    )


_SEALED: Final = Topic(of_the_beginning=True)
_BEFORE: Final = Topic("Before a game begins,", of_the_beginning=True)
KEY: Final = Command(
    word=Word(
        "KEY",
        shape=r"(?i:(?:age1|age-secret|ssh-|ecdsa-|-----BEGIN)\S.*)",
        filled_in=r"age1[0-9a-z]{58}\b|ssh-ed25519 AAAA[\w+/=]{64}",
        cut_short="(?:ssh-ed25519)?",
    ),
    does=join_by_key,
    is_of_the_player=True,
    topic=_SEALED,
    help=(
        "KEY, followed by a public key (age1..., or ssh-ed25519 AAAA...):",
        "what you may know is then also kept in the game's repo, sealed to your key.",
    ),
    docs=(("KEY key", "has what you may know encrypted to your key from the next adjudication on"),),
)
PHRASE: Final = Command(
    word=Word("PHRASE", may_begin_a_sentence=True, filled_in=rf"(?!(?i:{_SAMPLE}|was not carried out\b))\S.*"),
    does=join_by_phrase,
    is_of_the_player=True,
    topic=_BEFORE,
    help=("PHRASE, followed by any words of yours:", "they go into its dice."),
    docs=(("PHRASE words", "before the game begins: your words for the dice"),),
)
CHAIN: Final = Command(
    word=Word(
        "CHAIN",
        shape=r"(?i:[0-9a-f]{16,}(?:\s.*)?)",
        filled_in=r"[0-9a-f]{64} \d+",
        cut_short="(?:[0-9A-Fa-f]{64})?",
    ),
    does=join_by_chain,
    is_of_the_player=True,
    is_of_one_side=True,
    topic=_BEFORE,
    help=("CHAIN, a tip and a length:", "a dice chain of your own."),
    docs=(("CHAIN tip length", "before the game begins: a dice chain of your own"),),
)
COMMANDS: Final = (KEY, PHRASE, CHAIN)
