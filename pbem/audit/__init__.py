"""The audit: proves a game (verify), and explains it or plays it again (replay, explain, what-if, migrate)."""
