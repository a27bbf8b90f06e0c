"""The options of an edition, with their types; what each means stands in `game.yaml`."""

from __future__ import annotations

from typing import Final, TypedDict

PERSON: Final = "person"
"""The value of options that ask, with two players, what the rules mean by a player: a side, or who leads two."""


class Options(TypedDict):
    """The options in force in a game, in the order of `game.yaml`."""

    players: int
    kept_hand: str
    windows: str
    responses: str
    last_desperate_times: bool
    greek_great_fleet: str
    friendly_voyage: str
    loss_column: str
    no_retreat_counts: bool
    sea_way_back: str
    intercepted_flank: bool
    last_raider: bool
    active_player_decides: bool
    victim_decides: bool
    unrest_losses: str
    unrest_automatic: bool
    besieged_attrition: bool
    surrender_roll: bool
    vp_steps: str
    renewals: str
    leaving_mercenaries: str
    box_mercenaries: bool
    box_is_map: bool
    pooled_levies: bool
    eased_leader: bool
    price_to_nothing: bool
    own_alliance: bool
    player_besieged: str
    player_decides: str
    player_ally: str
    player_rank: str
    player_out: str
