"""The tables of the post: what they hold, in a SQLite file or in a PostgreSQL database."""
