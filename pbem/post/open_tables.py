"""Opens the tables of a config: in a file, or in a database. Nothing of the latter is imported for the former."""

from __future__ import annotations

from pbem.post.settings import BadConfig, PostConfig
from pbem.post.tables import Tables


def open_tables(config: PostConfig) -> Tables:
    """Open the tables, which are made if they are not there. Raises OSError, TablesDamaged, BadConfig."""
    if config.database is None:
        from pbem.post.sqlite_tables import SqliteTables

        return SqliteTables(config.tables_file)
    _require_cluster()
    from pbem.post.postgres_tables import PostgresTables

    return PostgresTables(config.database)


def _require_cluster() -> None:
    """Raise BadConfig if what a database needs is not installed."""
    try:
        import procrastinate  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as missing:
        raise BadConfig(
            f"a `database:` needs {missing.name}, which is not installed; give: pip install 'pbem[cluster]'"
        ) from None


def never_opened(config: PostConfig) -> bool:
    """Tell whether the post has never run with a config."""
    return config.database is None and not config.tables_file.exists()
