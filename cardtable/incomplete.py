"""If a file of the program is missing or damaged: a page that says so, made with the standard library alone.

The page of safe mode (`cardtable.safe_mode`) needs files of the program itself.
"""

from __future__ import annotations

import html
import sys
import time
import tomllib
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

_PORT: Final = 8015
_SHOWN_S: Final = 60.0
"""Seconds until the program ends, and is started again by systemd."""
_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>cardtable</title>
<body style="font: 5vmin sans-serif; margin: 8vmin; background: #0b3d2e; color: #fff">
<p>The table cannot start: a file of the program is missing or damaged. Install the program again:
games and settings stay.
<p lang="de">Der Tisch kann nicht starten: Eine Datei des Programms fehlt oder ist beschädigt. Installiere das Programm
neu: Spiele und Einstellungen bleiben.
<p lang="es">La mesa no puede arrancar: falta un archivo del programa o está dañado. Reinstala el programa:
las partidas y los ajustes se conservan.
<p lang="fr">La table ne peut pas démarrer : un fichier du programme manque ou est endommagé. Réinstallez le
programme : parties et réglages restent.
<p style="opacity: .7">{why}
<script>setInterval(() => fetch("").then(() => location.reload()).catch(() => {}), 5000)</script>"""


def say_so(error: BaseException, arguments: list[str]) -> int:
    """Show the page for a minute at the port of the board, to this machine only; return 1."""
    sys.stderr.write(f"cardtable: a file of the program is missing or damaged: install it again ({error!r})\n")
    page = _PAGE.replace("{why}", html.escape(repr(error))).encode()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(503)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    end = time.monotonic() + _SHOWN_S
    with HTTPServer(("127.0.0.1", _port(arguments)), Answer) as server:
        server.timeout = 1
        sys.stderr.write(f"safe mode: http://127.0.0.1:{server.server_port}\n")
        while time.monotonic() < end:
            server.handle_request()
    return 1


def _port(arguments: list[str]) -> int:
    """Return the port on the command line, or else in the configuration."""
    with suppress(ValueError, IndexError):
        return int(arguments[arguments.index("--port") + 1])
    with suppress(ValueError, IndexError, OSError, LookupError, TypeError):
        config = Path(arguments[arguments.index("-c") + 1])
        return int(tomllib.loads(config.read_text("utf-8"))["board"]["port"])
    return _PORT
