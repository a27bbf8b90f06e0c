"""One open game: its repository, its rules and its clock.

`open_game` opens a game for reading. The modules of the clock are pure: no file, no current time, no chance. Instants
are aware datetimes in UTC, in whole seconds. `terms` reads what the charter says, and `calendar` counts time. `sides`
has the clock of each side, as it stands on record, and what is due at an instant. `facts` has what the referee states
and decides, and what each fact changes. `game_clock` is the clock of the open game, with its files.
"""
