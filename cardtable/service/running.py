"""Whether a table runs on this machine, for commands that need its cameras or its files."""

from __future__ import annotations

import http
import json
import urllib.error
import urllib.request
from typing import Final

from cardtable.errors import CardtableError
from engine.texts import Text

_ANSWER_S: Final = 2.0


def refuse_while_running(port: int, message: Text) -> None:
    """Raise `CardtableError` with `message` if a table answers at the board's port."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=_ANSWER_S) as answer:
            running = isinstance(json.load(answer), dict)
    except urllib.error.HTTPError as error:  # a table that has a trouble, which is status 503
        running = error.code == http.HTTPStatus.SERVICE_UNAVAILABLE
        error.close()
    except (OSError, ValueError):
        return
    if running:
        raise CardtableError(message)
