"""The engine: drives the rules. It resumes a game, feeds it answers, forecasts orders, plays out, runs test cases."""
