"""The page for a table whose board cannot be shown: it says why, and leads back to all tables."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.responses import HTMLResponse, Response

from engine.texts import Translate, in_language, text

_AGAIN_S: Final = 5
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">{again}
<title>{title}</title>
<link rel="stylesheet" href="../../club.css">
</head>
<body class="table">
<header><h1>{title}</h1><nav><a href="../../">{back}</a></nav></header>
<main><h2 role="alert">{said}</h2></main>
</body>
</html>
"""


def no_board(said: str, translate: Translate, language: str, again: bool = False) -> Response:
    """Return the page, with status 404. `said`: why it cannot be shown. `again`: whether it looks again by itself.

    `language`: of the page, to which `translate` translates.
    """
    values = {"title": text("Board"), "back": text("All tables"), "said": said}
    refresh = f'\n<meta http-equiv="refresh" content="{_AGAIN_S}">' if again else ""
    written = {key: escape(in_language(value, translate)) for key, value in values.items()}
    return HTMLResponse(_PAGE.format(language=language, again=refresh, **written), 404, {"cache-control": "no-store"})
