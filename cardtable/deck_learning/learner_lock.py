"""A lock on a deck file: only one program at a time learns a deck."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cardtable.decks.library import cannot_write
from cardtable.errors import CardtableError
from cardtable.play.game_lock import GameLock, GameLocked
from engine.texts import text


@contextmanager
def one_learner(path: Path) -> Iterator[None]:
    """Lock the deck file at `path` for the `with` block; its folder is created if needed.

    Raises `CardtableError` while another program holds the lock, or if the folder cannot be written: better than after
    all cards have been shown.
    """
    lock = GameLock(path.with_name(f".{path.name}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.take(0)
    except GameLocked:
        raise CardtableError(
            text("another program is learning {path} already: wait until it has ended", path=path)
        ) from None
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        yield
    finally:
        lock.release()
