"""Battles, retreats and what a victory brings."""
