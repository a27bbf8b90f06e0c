"""The games: one package each, found by the id of its box (`pbem.game.boxes.shelf`)."""
