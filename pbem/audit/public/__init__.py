"""The checks that need no key: dice, clock, talk."""
