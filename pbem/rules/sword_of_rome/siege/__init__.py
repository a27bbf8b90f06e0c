"""Sieges, subjugation, raids, plunder and the attack on the unrest."""
