"""The database of a hub, opened with SQLAlchemy: PostgreSQL, or a file of SQLite that only its owner reads."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Engine

from cardtable.errors import UsageError
from engine.texts import text


def open_database(url: str) -> Engine:
    """Return the engine of the database at `url`, an address of SQLAlchemy such as `sqlite:///club.sqlite`.

    A new file of SQLite has mode 0600; an old one is closed to users outside of its group. Raises `UsageError` for an
    address that SQLAlchemy does not understand.
    """
    try:
        about = sql.make_url(url)
        name = about.get_backend_name()
        if name == "postgresql" and about.drivername == "postgresql":
            about = about.set(drivername="postgresql+psycopg")
        if name not in ("sqlite", "postgresql"):
            raise ValueError(name)
        waiting: dict[str, Any] = {"timeout": 5.0} if name == "sqlite" else {"connect_timeout": 5}
        engine = sql.create_engine(about, connect_args=waiting, pool_pre_ping=True)
    except (sql.exc.ArgumentError, ValueError, ImportError) as error:
        message = "{url!r} is not a database for the hub: write sqlite:///club.sqlite, or postgresql://USER@HOST/club"
        raise UsageError(text(message, url=url_without_password(url))) from error
    if name == "sqlite":
        sql.event.listen(engine, "connect", _durable)
        if about.database and not about.database.startswith((":memory:", "file:")):
            _close_to_others(Path(about.database))
    return engine


def _close_to_others(path: Path) -> None:
    with suppress(OSError):  # a folder that is missing, or a file of another user: opening it says so
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        mode = path.stat().st_mode & 0o777
        if mode & 0o007:
            path.chmod(mode & ~0o007)


def _durable(connection: Any, record: Any) -> None:
    """Make SQLite as durable as the journal of a table."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def url_without_password(url: str) -> str:
    """Return the address of a database as it may be shown."""
    try:
        return sql.make_url(url).render_as_string()
    except sql.exc.ArgumentError:
        return json.dumps(url.partition("@")[2] or url, ensure_ascii=False).strip('"')
