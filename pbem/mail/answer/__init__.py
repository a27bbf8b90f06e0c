"""What the commands of a letter do, a module a subject."""
