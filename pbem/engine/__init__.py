"""What drives the rules: resume a game, feed it answers, try what orders lead to, play it out, run test cases."""
