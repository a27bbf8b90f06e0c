"""The interventions of a game master: rollbacks, draws, resignations, rulings, other rules, secrets revealed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pbem.cli.runtime import (
    FAULTS,
    USUAL,
    WORLD,
    Correct,
    Name,
    NameOrClone,
    Reason,
    Shared,
    Why,
    in_the_world,
    judge,
    listed_adjudications,
    mail_settings,
    misuse,
    open_questions,
    opened_to_change,
    post_all,
    print_adjudicated,
    print_json,
    read_input,
    require_side,
    tell_all,
)

if TYPE_CHECKING:
    from pbem.audit.explain.migrate import Move
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.referee.acts.ruling import BadPatch
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.repo.files.requests import Request

_MOST_TOLD: Final = 20
"""The most differences that are printed of a game that cannot be moved."""

AtOnce = Annotated[bool, typer.Option("--by-game-master", help="Do it at once, without asking; needs --reason.")]
ForSide = "A sheet for a side, as side=FILE; `pbem form` prints one to fill in."


# ---- With the consent of the sides, or at once: `pbem rollback`, `draw` and `resign`


def go_back(
    name: Name,
    to: Annotated[int, typer.Option("--to", help="The adjudication to go back to.")],
    by_game_master: AtOnce = False,
    reason: Reason = None,
    shared: Shared = USUAL,
) -> None:
    """Go back in a game: ask all sides for their consent by letter, or do it at once with a reason."""
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.referee.acts.rollback import roll_back

    _require_reason(by_game_master, reason)
    with opened_to_change(name, shared) as game:
        if by_game_master:
            _go_on(game, roll_back(game, to, reason or ""), shared)
            return
        _propose(game, Proposal("rollback", to=to), reason, f"{name} is to go back to adjudication {to}", shared)


def end_in_draw(
    name: Name,
    winner: Annotated[
        list[str] | None,
        typer.Option("--winner", help="A side that wins; repeat it for several. By default, nobody wins."),
    ] = None,
    by_game_master: AtOnce = False,
    reason: Reason = None,
    shared: Shared = USUAL,
) -> None:
    """End a game in a draw: ask all sides for their consent by letter, or do it at once with a reason."""
    from pbem.referee.acts.ending import end_by_game_master
    from pbem.referee.acts.request_kinds import Proposal

    _require_reason(by_game_master, reason)
    with opened_to_change(name, shared) as game:
        winners = winner or []
        for side in winners:
            require_side(game, side)
        if by_game_master:
            number = end_by_game_master(game, "draw", None, reason or "", winners)
            _go_on(game, number, shared)
            return
        _propose(game, Proposal("draw", winners=winners), reason, f"{name} is to end in a draw", shared)


def resign_side(
    name: Name,
    side: Annotated[str, typer.Option("--side", help="The side that resigns.")],
    by_game_master: AtOnce = False,
    reason: Reason = None,
    shared: Shared = USUAL,
) -> None:
    """Let a side resign: ask for its consent by letter, or do it at once with a reason. The last one left wins."""
    from pbem.referee.acts.ending import end_by_game_master
    from pbem.referee.acts.request_kinds import Proposal

    _require_reason(by_game_master, reason)
    with opened_to_change(name, shared) as game:
        require_side(game, side)
        if by_game_master:
            _go_on(game, end_by_game_master(game, "resignation", side, reason or ""), shared)
            return
        _propose(game, Proposal("resignation", resigns=side), reason, f"{side} is to resign in {name}", shared)


def _require_reason(by_game_master: bool, reason: str | None) -> None:
    """End the command if something is to be done at once, but not said why."""
    if by_game_master and reason is None:
        misuse("--by-game-master needs a reason, which every side is told: --reason TEXT")


def _propose(game: Adjudicator, proposal: Proposal, reason: str | None, what: str, shared: Shared) -> None:
    """Write the letters that ask for consent, and print the request."""
    from pbem.mail.write.consent_letters import request_letters
    from pbem.referee.acts.consents import propose
    from pbem.referee.acts.request_kinds import KINDS

    request = propose(game, None, proposal, reason or "asked by the game master")
    settings = mail_settings(shared)
    letters = post_all(request_letters(game, request, settings), settings.games / "outbox")
    if shared.json:
        print_json({**KINDS[request.kind].record(request), "letters": letters})
        return
    print(f"Request {request.request}: {what}.")
    for line in _undone(request):
        print(f"  {line}")
    have = "have" if (request.quorum or len(request.needed)) > 1 else "has"
    needed = f"{request.quorum} of {', '.join(request.needed)}" if request.quorum else ", ".join(request.needed)
    print(f"It is done once {needed} {have} answered CONSENT {game.name} {request.request}.")
    for path in letters:
        print(f"Letter: {path}")


def _undone(request: Request) -> Iterator[str]:
    """Yield the dice and the shuffles that a rollback would undo."""
    yield from (f"die {each}" for each in request.dice or ())
    yield from (f"shuffle {each}" for each in request.shuffles or ())


# ---- `pbem ruling`


def give_ruling(
    name: Name,
    reason: Why,
    answer: Annotated[str | None, typer.Option("--answer", metavar="SIDE=FILE", help=f"Answer. {ForSide}")] = None,
    default: Annotated[
        str | None,
        typer.Option("--default", metavar="SIDE=FILE", help=f"Set what counts if the deadline passes. {ForSide}"),
    ] = None,
    patch: Annotated[
        Path | None, typer.Option("--patch", help="Change the position: YAML, `dotted.path: value` (null removes).")
    ] = None,
    end: Annotated[bool, typer.Option("--end", help="End the game; no side wins.")] = False,
    shared: Shared = USUAL,
) -> None:
    """Give a ruling: answer for a side, set a default, change the position, or end the game."""
    if [answer is not None, default is not None, patch is not None, end].count(True) != 1:
        misuse("give exactly one of --answer side=FILE, --default side=FILE, --patch FILE, --end")
    from pbem.referee.acts import ruling as room
    from pbem.referee.acts.ruling import BadPatch

    with opened_to_change(name, shared) as game:
        if end:
            number: int | None = room.break_off(game, reason)
        elif patch is not None:
            try:
                number = room.change_position(game, _patch(patch), reason)
            except BadPatch as bad:
                _print_bad_patch(bad, patch, shared.json)
        else:
            side, file = _side_and_file(game, answer or default or "", "--answer" if answer else "--default")
            rule = room.answer_for_side if answer is not None else room.set_default
            receipt, number = rule(game, side, read_input(file), reason, name=file.name)
            if number is None:
                judge(receipt, shared.json, "")
        assert number is not None
        _go_on(game, number, shared)


def _go_on(game: Adjudicator, number: int, shared: Shared) -> None:
    """Continue the game, write to all sides, and print the result."""
    numbers = [number, *game.adjudicate()]
    letters = tell_all(game, numbers, shared)
    if shared.json:
        act = dict(game.ledger.adjudication(number).act or {})
        print_json({"adjudications": numbers, "act": act, "waiting": open_questions(game), "letters": letters})
        return
    print_adjudicated(game, numbers, letters)


def _patch(file: Path) -> dict[str, Any]:
    """Return the patch in a file."""
    from pbem.game import yaml as yamlio

    try:
        patch = yamlio.read(read_input(file), name=file.name).value
    except yamlio.Unreadable as wrong:
        misuse(f"--patch: {wrong}")
    if not isinstance(patch, dict):
        misuse(f"--patch: {file} must have lines such as `dotted.path: value`")
    return patch


def _print_bad_patch(bad: BadPatch, file: Path, json: bool) -> None:
    """Print the faults of a patch, and end with exit code 3."""
    if json:
        print_json([{"file": str(file), "complaint": each} for each in bad.complaints])
    else:
        for each in bad.complaints:
            print(f"{file}: {each}")
    sys.exit(FAULTS)


def _side_and_file(game: Adjudicator, entry: str, option: str) -> tuple[str, Path]:
    side, found, file = entry.partition("=")
    if not found or not file:
        misuse(f"{option} {entry}: write side=FILE, such as rome=orders.yaml")
    require_side(game, side)
    return side, Path(file)


# ---- A game that is over: `pbem reveal`


def reveal_game(
    name: NameOrClone,
    folder: Annotated[
        Path | None, typer.Option("--open", help="Write its whole history, opened, into this new or empty folder.")
    ] = None,
    shared: Shared = USUAL,
) -> None:
    """Publish the secrets of a game that is over, so that everybody can read its history."""
    from pbem.referee.acts.reveal import open_history
    from pbem.repo.files.layout import REVEALED
    from pbem.repo.git import GameRepo
    from pbem.repo.public import repo_of

    path = repo_of(shared.folder, name)
    with GameRepo.open(path) as repo:
        published = repo.read(REVEALED) is not None
    if not published:
        _publish(name, path, shared)
    history = open_history(path, folder) if folder is not None else None
    if shared.json:
        where = {} if history is None else {"folder": str(folder), "files": history.files, "sealed": history.sealed}
        print_json({"repo": str(path), "file": REVEALED, "new": not published, **where})
        return
    print(f"{name}: its secrets {'are' if published else 'are now'} published, in {REVEALED} of {path}.")
    if history is None:
        print(f"`pbem reveal {name} --open FOLDER` opens its history; `pbem verify {name} --after-reveal` checks it.")
    else:
        print(f"{history.files} files are written to {folder}.")
        for each in history.sealed:
            print(f"Still sealed, to a key that is not published: {each}")


def _publish(name: str, path: Path, shared: Shared) -> None:
    """Publish the secrets of a game that is over. Raises CannotPlay for a clone, which does not have them."""
    from pbem.referee.acts.reveal import reveal_secrets
    from pbem.referee.game.open_game import CannotPlay

    if path.exists() and path != (shared.folder) / f"{name}.git":
        raise CannotPlay(f"{path} is a clone without the published secrets; it may be older than the end of the game")
    with opened_to_change(name, shared) as game:
        reveal_secrets(game)


# ---- Other rules: `pbem migrate`


def migrate_games(
    name: Annotated[str | None, typer.Argument(help="The game's name; or --all.")] = None,
    reason: Why = "",
    accept: Annotated[
        bool, typer.Option("--accept", help="Move it even if its state would differ by the rules here.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Every game in the folder of the games.")] = False,
    correct: Correct = None,
    shared: Shared = USUAL,
) -> None:
    """Move a game to the rules that are here, if its state stays the same; otherwise only with --accept."""
    if (name is None) != every:
        misuse("name a game, or write --all")
    if correct and every:
        misuse("--correct is for one game, whose repo keeps the files")
    names = [name] if name is not None else _games_in(shared.folder)
    rows, failed = [], False
    for each in names:
        try:
            with in_the_world(), opened_to_change(each, shared, correct or ()) as game:
                rows.append(_move_game(game, reason, accept, shared, every))
        except SystemExit:  # the fault of one game has been printed, and must not stop the others
            if not every:
                raise
            failed = True
    if shared.json:
        print_json(rows if every else rows[0])
    if failed or any(row["refused"] for row in rows):
        sys.exit(WORLD if failed else FAULTS)


def _games_in(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix(".git") for path in folder.glob("*.git") if (path / "HEAD").is_file())


def _move_game(game: Adjudicator, reason: str, accept: bool, shared: Shared, every: bool) -> dict[str, Any]:
    """Move one game, print the result, and return it for --json."""
    from pbem.audit.explain.migrate import migrate

    if every and (game.result is not None or not game.begun):
        return {"game": game.name, "moved": None, "changed": [], "refused": []}
    move, number = migrate(game, reason, accept=accept)
    refused = [] if number is not None or move.odd is None else [str(d) for t in move.elsewhere for d in t.differences]
    numbers = [] if number is None else [number, *game.adjudicate()]
    letters = tell_all(game, numbers, shared)
    if not shared.json:
        for line in _lines_of_move(game, move, number, refused):
            print(line)
        for path in letters:
            print(f"Letter: {path}")
    return {"game": game.name, "moved": number, "changed": move.changed, "refused": refused, "letters": letters}


def _lines_of_move(game: Adjudicator, move: Move, number: int | None, refused: Sequence[str]) -> Iterator[str]:
    """Yield the result of moving a game."""
    if move.odd is None:
        yield f"{game.name} is played with the rules that are here; there is nothing to move."
        return
    if number is None:
        yield f"{game.name} is not moved: by the rules here its state would differ. Nothing was changed."
        yield from (f"  {line}" for line in refused[:_MOST_TOLD])
        if len(refused) > _MOST_TOLD:
            yield f"  ... and {len(refused) - _MOST_TOLD} more; `pbem replay {game.name} --verbose` lists them all."
        yield "With --accept and a --reason, it goes on from the recorded checkpoint."
        yield "Decisions since then that have changed are asked again."
        return
    yield f"{game.name} is moved to the rules here, by adjudication {number} (the {move.odd} differed)."
    if not move.changed:
        yield "Played again, every turn has the same result."
        return
    yield f"Played again, these turns would differ: {listed_adjudications(move.changed)}; what happened in them stands."
    for turn in move.turns:
        yield from (f"  {each}" for each in turn.differences[:1])
