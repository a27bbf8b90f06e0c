"""The clock of a game: its terms, the time that counts, the clock of each side, and what is due.

Everything here is pure: no file, no current time, no chance. Instants are aware datetimes in UTC, in whole seconds.
`terms` reads what the charter says. `calendar` counts time. `sides` has the clock of each side, as it stands on record.
`facts` has what the referee states and decides, and what each fact changes. `decide` says what is due at an instant.
"""
