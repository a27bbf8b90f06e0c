"""Victory points, which Carthage scores at the end of each winter, and the end of the scenario (12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.game import Table
from pbem.rules.hannibal_italy.position.board import CAPUA, TARENTUM
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, Game, Result

ROME_FALLS = "rome_falls"
POINTS = "points"
DRAW = "draw"


def score(game: Game, table: Table) -> None:
    """Add what Carthage scores this winter, and end the game after its last one (12.2, 12.312, 12.322)."""
    for reason, points, facts in scored(game):
        game.vp += points
        amounts: dict[str, int | str] = {"count": "", "sp": "", **facts}
        table.tell("scored", reason=reason, points=points, vp=game.vp, rule=RULES[reason], to=None, **amounts)
    game.foot_lost = 0
    if game.year == game.plan["end"]["year"]:
        end(game, table, game.plan["victory"])


RULES = {"provinces": "12.2", "cities": "12.2", "foot": "12.2", "capua": "12.21", "tarentum": "12.22"}


def scored(game: Game) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Yield what Carthage would score now: for what, how many points, and the facts of the sentence (12.2)."""
    board = game.board
    provinces = [province for province, side in game.provinces.items() if side == CARTHAGE]
    if provinces:
        yield "provinces", sum(board.provinces[each].vp for each in provinces), {"count": len(provinces)}
    cities = [city for city, side in game.cities.items() if side == CARTHAGE and board.cities[city].loyalty]
    if cities:
        yield "cities", sum(board.cities[each].loyalty or 0 for each in cities), {"count": len(cities)}
    if game.foot_lost:
        yield "foot", game.foot_lost, {"sp": game.foot_lost}
    if game.cities[CAPUA] == CARTHAGE:
        yield "capua", board.tables["capua"]["vp"], {}
    if game.cities[TARENTUM] == ROME and _tarentum_counts(game):
        yield "tarentum", board.tables["tarentum"]["vp"], {}


def _tarentum_counts(game: Game) -> bool:
    """Tell whether a Roman Tarentum costs points: from 216 on, or once Carthage has lost it again (12.22)."""
    lost_again = game.options["tarentum_from"] == "once_lost" and game.tarentum_taken
    return game.year <= game.board.tables["tarentum"]["from"] or lost_again


def end(game: Game, table: Table, victory: Mapping[str, int]) -> None:
    """End the game by its points (12.312, 12.322)."""
    if game.vp >= victory[CARTHAGE]:
        game.result = Result(CARTHAGE, POINTS)
    elif game.vp < victory["draw"]:
        game.result = Result(ROME, POINTS)
    else:
        game.result = Result(None, DRAW)
    table.tell("game_over", winner=game.result.winner or "nobody", reason=game.result.reason, vp=game.vp, rule="12.3")


def fall_of_rome(game: Game, table: Table) -> None:
    """End the game with the fall of Rome, if that is agreed on (12)."""
    if game.options["fall_of_rome"] == "carthage_wins":
        game.result = Result(CARTHAGE, ROME_FALLS)
        table.tell("game_over", winner=CARTHAGE, reason=ROME_FALLS, vp=game.vp, rule="12")
