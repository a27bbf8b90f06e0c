"""The actions of a letter's commands, and the table that says which does what.

Those about a player's own orders are in `pbem.mail.answer.own_orders`, all others are here.

Each command is answered by a paragraph. A command that is refused does not keep the others from being carried out. What
a command changes is committed together with the note that its letter was carried out. If a letter was carried out
before, only its answers are given again.

A phrase may be replaced until the first shuffle. A player who writes last sees the other phrases, but neither the dice
chain nor the seed of the hidden draws. Without these no phrase is better than another, and every phrase that was tried
stays in the history of the repo. A player who conspires with the adjudicator, who knows both, cannot try several
either: the game begins with the last phrase that it waits for. A player who does not trust that can use a chain of
their own, or the beacon.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pbem.crypto.seal import BadRecipient, check_recipient
from pbem.game.plain import Record
from pbem.game.wording import hint, listing
from pbem.mail.answer.clock_words import announce_away, announce_back, propose_pause
from pbem.mail.answer.own_orders import standing_by_word, withdraw_by_word
from pbem.mail.answer.proposals import propose_draw, propose_replacement, resign_by_word
from pbem.mail.answer.table_talk import press_by_word, say_by_word, show_to_others
from pbem.mail.notes.correspondence import NewsWish, choose_calendar, choose_news, choose_zone, reported
from pbem.mail.notes.reader_time import EXAMPLE, MORNING, deadline_line, reader_zone, time_shown, zone_named
from pbem.mail.read.commands import TALK, Command, CommandTask, Instruction, is_question
from pbem.mail.read.token import renew
from pbem.mail.write.consent_letters import outcome
from pbem.mail.write.deputies import OF_THE_PLAYER, name_deputy_by_word
from pbem.mail.write.outgoing import as_written, side_name, side_report
from pbem.protocol import Side
from pbem.referee.acts.consents import consent, refuse_request
from pbem.referee.acts.players import deputy_of
from pbem.referee.game.open_game import CannotPlay, OtherRules
from pbem.referee.game.time_ledger import ledger_line
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import on_hold_until
from pbem.render.text.messages import sentences
from pbem.render.text.reference import one_order, order_list
from pbem.render.text.report import happened
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.requests import OPEN
from pbem.repo.ledger import LetterId

# ---- The words that ask for more than how the game stands: HISTORY and HELP ORDERS


_USUAL: Final = 5
"""HISTORY without a number tells of so many adjudications."""
_MOST: Final = 100


def history(task: CommandTask) -> str:
    """Return what happened in the last adjudications, as the side was told of it."""
    game, word = task.game, task.rest.strip()
    if word and not (word.isascii() and word.isdigit() and len(word) < 10 and int(word)):
        raise CannotPlay(f"write a number after it, such as HISTORY {_USUAL}: that many adjudications are told again")
    if not game.begun:
        raise CannotPlay("the game has not begun")
    last = game.adjudication
    asked = min(int(word or _USUAL), _MOST)
    return "\n".join(_told_again(task, max(last - asked, 0), last))


def _told_again(task: CommandTask, since: int, last: int) -> Iterator[str]:
    """Yield what happened after an adjudication, those that were undone left out."""
    game, side = task.game, task.side
    yield f"HISTORY: adjudication {since + 1} to {last}." if since + 1 < last else f"HISTORY: adjudication {last}."
    told = as_written(game, side, game.told(side, since))
    seen = False
    for n in dict.fromkeys(each.adjudication for each in told):
        if lines := happened(game.box, [each for each in told if each.adjudication == n]):
            seen = True
            yield from ("", f"ADJUDICATION {n}", *lines)
    if not seen:
        yield from ("", "Nothing that you could see.")


def help_orders(task: CommandTask) -> str:
    """Return the orders of the game, or all about one kind of order."""
    box = task.game.box
    _, _, kind = task.rest.partition(" ")
    kind = kind.strip().lower()
    if not kind:
        first = next(iter(box.forms))
        return "\n".join(
            [
                f"HELP ORDERS: the orders of {box.title}, each with an example. HELP ORDERS {first} tells all about "
                "one kind. Your order sheet shows what is legal at the moment. Before you are asked, an order may "
                "stand below a line `ahead: true`, for once, or below `standing:`, for good.",
                "",
                *order_list(box),
            ]
        ).rstrip()
    if kind not in box.forms:
        better = hint(kind, box.forms, "there are", "and") or f"; there are {', '.join(box.forms)}"
        raise CannotPlay(f"ORDERS: there is no order {kind[:40]}{better}")
    return "\n\n".join([f"HELP ORDERS {kind}", *one_order(box, kind)])


# ---- The words about the letters that a player gets: NEWS, ZONE and CALENDAR. Nothing of it is part of the game


def choose_news_by_word(task: CommandTask) -> str:
    """Note when a side is told what has happened if nothing is asked of it, and return the answer."""
    game, side, word = task.game, task.side, _word_behind(task).lower()
    if word not in [*NewsWish]:
        raise CannotPlay(f"write one of these words after it: {listing(list(NewsWish), 'or')}")
    told = reported(game.path)
    told = game.adjudication if told is None else min(told, game.adjudication)
    wanted = choose_news(game.path, side, NewsWish(word), told, task.digest)
    return f"NEWS: {_NEWS[wanted]}"


_NEWS: Final[Mapping[NewsWish, str]] = {
    NewsWish.EVERY: "you are told what happened after each adjudication.",
    NewsWish.ROUND: "you are told what happened when you are asked next, or when a round of the game is over.",
    NewsWish.DAILY: "you are told what happened when you are asked next, or else once a day, at "
    f"{MORNING} in your time zone, all in one letter.",
    NewsWish.ASKED: "you are told what happened when you are asked next, all in one letter.",
}


def choose_zone_by_word(task: CommandTask) -> str:
    """Note the time zone in which a player reads times, and return the answer."""
    named = zone_named(_word_behind(task))
    if named is None:
        raise CannotPlay(f"write the name of a time zone after it, such as {EXAMPLE}, or UTC")
    choose_zone(task.game.path, task.side, named.key, task.digest)
    own = reader_zone(task.game, task.side)
    return f"ZONE: times in your letters are those of {own.key}, and UTC. It is {time_shown(task.game.time, own)} now."


def choose_calendar_by_word(task: CommandTask) -> str:
    """Note whether letters that ask something bring a file for a calendar, and return the answer."""
    word = _word_behind(task).lower()
    if word not in ("on", "off"):
        raise CannotPlay("write one of these words after it: on or off")
    if choose_calendar(task.game.path, task.side, word == "on", task.digest):
        return (
            "CALENDAR: each letter that asks something of you has its deadline enclosed, as a file for your calendar."
        )
    return "CALENDAR: your letters have no file for a calendar."


def _word_behind(task: CommandTask) -> str:
    """Return the word behind a command; the name of the game may stand between them. Empty: nothing fits."""
    *name, word = task.rest.split() or [""]
    return word if name in ([], [task.game.name]) else ""


# ---- The actions of a letter's commands: PHRASE, KEY and CHAIN to join, CONSENT and REFUSE, STATUS and FORM


MOST_OF_A_PHRASE: Final = 300
_SAMPLE: Final = "any words of yours"


Value = TypeVar("Value")


@dataclass(slots=True)
class CommandResults:
    """What the commands of a letter did: paragraphs for the answer, and whether all of them were carried out."""

    paragraphs: list[str] = field(default_factory=list)
    good: bool = True
    done: list[Command] = field(default_factory=list)
    """The commands that changed something."""
    questions: list[Command] = field(default_factory=list)
    """The commands that only ask."""
    carried_out: list[Instruction] = field(default_factory=list)
    """The commands that changed something, as they were given."""
    confirmed: dict[Instruction, str] = field(default_factory=dict)
    """What was answered to each of them; it is one of the paragraphs."""


def carry_out_commands(
    game: Adjudicator,
    side: Side,
    commands: Iterable[Instruction],
    letter: LetterId | None,
    digest: str,
    noted: Record | None = None,
    said: Collection[Instruction] = (),
    *,
    deputy: bool = False,
) -> CommandResults:
    """Carry out the commands of a letter, and return what they did.

    `letter` are its digests; None: it was carried out before, and only the answers are given again. `digest` is the one
    by which notes outside the game know it. `noted` is what was noted of a letter that was carried out before. `said`
    are the commands that were carried out for another side of the same player. If one of them is refused for this side,
    the answer does not mention it. `deputy`: the letter is not the player's own.
    """
    results, seen = CommandResults(), set[Command]()
    for number, each in enumerate(commands):
        command, known = each.command, f"{digest} {side} {number}" if each.command in TALK else digest
        task = CommandTask(game, side, each.rest, letter, known, noted or {})
        try:
            if is_question(each):
                if command in _TELLS:
                    results.paragraphs.append(_TELLS[command](task))
                results.questions.append(command)
                continue
            if command in seen and command not in TALK:
                raise CannotPlay("a letter may give it only once. The first one counts")
            seen.add(command)
            if deputy and command in OF_THE_PLAYER:
                raise CannotPlay(f"that is for the player of {side_name(game, side)} alone, and you are the deputy")
            results.confirmed[each] = _ACTIONS[command](task)
            results.paragraphs.append(results.confirmed[each])
            results.done.append(command)
            results.carried_out.append(each)
        except OtherRules:  # the letter waits until the game master has dealt with it
            raise
        except CannotPlay as refusal:
            if each in said:
                continue
            line = f"line {each.line}: " if each.line else ""
            results.paragraphs.append(f"{command} was not carried out: {line}{refusal}".rstrip(".") + ".")
            results.good = False
    return results


def confirm_once(game: Adjudicator, results: Mapping[Side, CommandResults]) -> None:
    """Let a command that was carried out for several sides of one player be confirmed once, with all their names.

    What it says of the state of a request is what all of them together have come to.
    """
    for said in dict.fromkeys(each for done in results.values() for each in done.confirmed):
        sides = [side for side, done in results.items() if said in done.confirmed]
        told = {side: results[side].confirmed[said] for side in sides}
        if said.command in _ON_REQUESTS:
            told = {side: _ACTIONS[said.command](CommandTask(game, side, said.rest, None, "", {})) for side in sides}
        alike = {text.replace(f" for {side_name(game, side)}", " for {}", 1) for side, text in told.items()}
        if len(sides) > 1 and len(alike) == 1:
            names = listing([side_name(game, side) for side in sides], "and")
            whole = alike.pop().replace(" for {}", f" for {names}", 1)
            for side in sides:
                paragraphs, own = results[side].paragraphs, results[side].confirmed[said]
                at = paragraphs.index(own)
                paragraphs[at : at + 1] = [whole] if side == sides[0] else []


# ---------------------------------------------------------------------------------------------- joining


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
    return f"PHRASE: on record for {side_name(game, side)}: {_on_record(game.ledger.joined(side).phrase)}"


def join_by_key(task: CommandTask) -> str:
    """Put on record the key to which a side's view of the game is sealed."""
    game, side = task.game, task.side
    if task.letter is not None:
        try:
            check_recipient(task.rest)
        except BadRecipient:
            raise CannotPlay(_why_no_key(task.rest)) from None
        game.join_side(side, key=task.rest, letter=task.letter)
    kind, _, rest = _on_record(game.ledger.joined(side).key).partition(" ")
    return (
        f"KEY: on record for {side_name(game, side)}:\n  {kind}" + (f"\n  {rest}" if rest else "") + "\n"
        f"From the next adjudication on, what you may know is also kept in the game's repo, sealed to this key. "
        f"With the repo and your secret key, read it with\n  pbem open views/{side}.age --identity KEYFILE"
    )


def _on_record(found: Value | None) -> Value:
    """Return what a side has on record. Raises CannotPlay if there is nothing: its letter was refused before."""
    if found is None:
        raise CannotPlay("nothing is on record.")
    return found


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
    chain = _on_record(game.ledger.joined(side).chain)
    return (
        f"CHAIN: on record for {side_name(game, side)}, with {chain.length} links and the tip\n  {chain.tip}\n"
        "From the next report on, each of your sheets opens one of them with a line `link: ...`, which "
        "`pbem my-chain next` prints."
    )


# ---------------------------------------------------------------------------------------------- consent


def consent_by_word(task: CommandTask) -> str:
    """Put on record that a side consents to a request, and carry the request out once all sides have."""
    number = _request_number(task)
    if task.letter is not None:
        consent(task.game, task.side, number, task.letter)
    return f"CONSENT: on record for {side_name(task.game, task.side)}. {outcome(task.game, number)}"


def refuse_by_word(task: CommandTask) -> str:
    """Put on record that a side does not consent, which ends the request."""
    number = _request_number(task)
    if task.letter is not None:
        refuse_request(task.game, task.side, number, task.letter)
    return f"REFUSE: on record for {side_name(task.game, task.side)}. {outcome(task.game, number)}"


def _request_number(task: CommandTask) -> int:
    """Return the number of the request that a command is about: it follows the name of the game."""
    *game, number = task.rest.split() or [""]
    if game not in ([], [task.game.name]) or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise CannotPlay(f"write the game and the number of the request after it, such as: {task.game.name} 1")
    return int(number)


# ---------------------------------------------------------------------------------------------- keys of letters


def renew_token(task: CommandTask) -> str:
    """Give a side a new token. The number of tokens it has had is noted, and is not part of the game."""
    if task.rest not in ("", task.game.name):
        raise CannotPlay("write it on a line of its own, without other words")
    renew(task.game, task.side, task.digest)
    return (
        "RENEW: your letters have a new key from this one on. Answer this letter or a later one; a letter that has "
        "only an earlier key is refused."
    )


# ---------------------------------------------------------------------------------------------- questions


def answers(game: Adjudicator, side: Side, questions: Collection[Command]) -> Iterator[str]:
    """Yield a paragraph for each command that only asks."""
    if Command.STATUS in questions:
        yield "\n".join(status_lines(game, side))
    if game.begun:
        if Command.FORM in questions:
            yield "FORM: see below." if game.asked(side) else "FORM: you have nothing to decide now."
    elif Command.STATUS not in questions and not {Command.FORM, Command.REPORT}.isdisjoint(questions):
        yield "There is no report yet."


def status_lines(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield the public state of a game, for a side to read."""
    yield f"{game.name}: {game.box.title} ({game.charter.edition})."
    if not game.begun:
        yield from before_the_beginning(game, side)
        return
    report = side_report(game, side, game.adjudication)
    yield f"After adjudication {game.adjudication}." + (f" {report.summary}." if report.summary else "")
    if game.result is not None:
        yield f"The game is over. {sentences(game.box).result(game.result)}"
    elif game.closed is not None:
        yield f"The sheets are closed until round {game.closed.round} of the beacon has come."
    elif report.asked:
        yield f"You are asked: {report.asked} {deadline_line(game, side)}".rstrip()
    elif (until := on_hold_until(game)) is not None:
        yield f"It is on hold until {time_shown(until, reader_zone(game, side))}: until then orders can be taken back."
    else:
        names = dict.fromkeys(side_name(game, each.side) for each in game.open_decisions if each.side != side)
        yield f"It waits for {listing(names)}." if names else "It waits for nobody."
    if (deputy := deputy_of(game, side)) is not None and game.result is None:
        yield f"Your deputy up to {deputy.until} is {deputy.name} <{deputy.address}>."
    if (out := game.out) and game.result is None:
        yield f"Out of the game: {listing([side_name(game, each) for each in out])}."
    if time := ledger_line(game):
        yield time
    if number := game.requests.get(OPEN, 0):
        yield outcome(game, number)


def before_the_beginning(game: Adjudicator, side: Side | None = None) -> Iterator[str]:
    """Yield what a game that has not begun waits for."""
    awaited = game.awaited
    if game.closed is not None:
        yield f"The game has not begun: its first shuffle waits for round {game.closed.round} of the beacon."
    elif awaited:
        names = ["you" if each == side else side_name(game, each) for each in awaited]
        yield f"The game has not begun: it waits for a phrase from {listing(names)}."
    else:
        yield "The game has not begun."


_ON_REQUESTS: Final = frozenset({Command.CONSENT, Command.REFUSE})
_TELLS: Final[Mapping[Command, Callable[[CommandTask], str]]] = {
    Command.HELP: help_orders,
    Command.HISTORY: history,
    Command.STANDING: standing_by_word,
}
"""The commands that ask and are answered at once; the others are answered once the letter has been carried out."""
_ACTIONS: Final[Mapping[Command, Callable[[CommandTask], str]]] = {
    Command.AWAY: announce_away,
    Command.BACK: announce_back,
    Command.CALENDAR: choose_calendar_by_word,
    Command.PHRASE: join_by_phrase,
    Command.KEY: join_by_key,
    Command.NEWS: choose_news_by_word,
    Command.PAUSE: propose_pause,
    Command.PRESS: press_by_word,
    Command.CHAIN: join_by_chain,
    Command.CONSENT: consent_by_word,
    Command.DEPUTY: name_deputy_by_word,
    Command.DRAW: propose_draw,
    Command.REFUSE: refuse_by_word,
    Command.RENEW: renew_token,
    Command.REPLACE: propose_replacement,
    Command.RESIGN: resign_by_word,
    Command.SAY: say_by_word,
    Command.SHOW: show_to_others,
    Command.STANDING: standing_by_word,
    Command.WITHDRAW: withdraw_by_word,
    Command.ZONE: choose_zone_by_word,
}
"""The commands that change something."""
