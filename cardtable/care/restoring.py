"""A backup that is put back from a page: it waits beside the configuration until the table is opened again.

Only then nothing has the journal open. A power cut in between loses nothing: the next start puts it back.
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError, why
from cardtable.service.backup import check_backup, restore_backup
from engine.texts import Text, text

_LOG: Final = logging.getLogger(__name__)
_WAITING: Final = ".waiting-backup.zip"


def waiting_path(config: Path) -> Path:
    """Return where the backup waits."""
    return config.with_name(_WAITING)


def queue_restore(packed: Path, config: Path) -> None:
    """Check a backup and keep it until the table with this configuration is opened again.

    Raises `UsageError` for a file that is not a backup, `CardtableError`.
    """
    check_backup(packed, config)
    waiting = waiting_path(config)
    fresh = waiting.with_suffix(".new")
    try:
        with (
            packed.open("rb") as source,
            open(fresh, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as to,
        ):
            shutil.copyfileobj(source, to)
            to.flush()
            os.fsync(to.fileno())
        os.replace(fresh, waiting)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CardtableError(
            text("backup: {packed} cannot be put back: {why}", packed=packed, why=why(error))
        ) from error


def put_waiting_back(config: Path) -> Text | None:
    """Put the waiting backup back, and return what has happened; None if none waits.

    A backup that cannot be put back is given up: the table starts as it was.
    """
    waiting = waiting_path(config)
    if not waiting.exists():
        return None
    try:
        restore_backup(waiting, config)
    except CardtableError as error:
        _LOG.error("the backup is not put back: %s", error)
        done = text("the backup is not put back: {why}", why=str(error))
    else:
        done = text("the backup is put back; what was there is kept beside it, as .before")
    waiting.unlink(missing_ok=True)
    return done
