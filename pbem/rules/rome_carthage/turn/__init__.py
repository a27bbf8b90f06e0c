"""The course of a turn, phase by phase: set-up, reinforcements, card plays, winter, victory (4 to 7, 15, 17 to 19)."""
