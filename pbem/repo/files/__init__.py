"""The files of a game's repository: a module for each kind of file."""
