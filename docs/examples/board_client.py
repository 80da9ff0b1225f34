"""An example of a client of the board: print what the table shows. `python board_client.py http://127.0.0.1:8015`.

Needs the package `websockets`, which is installed with the program.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect


def line(state: dict[str, Any]) -> str:
    """Return the state in one line."""
    match state["screen"]:
        case "lobby":
            return f"lobby: {', '.join(state['players']) or 'no players'}: {state['prompt']}"
        case "game":
            names = [seat["name"] for seat in state["seats"]]
            scores = ", ".join(f"{seat['name']} {seat['score']}" for seat in state["seats"])
            turn = "" if state["turn"] is None else f"; {names[state['turn']]} to act"
            return f"{state['title']}: {scores}{turn}"
        case "result":
            return f"{state['title']}: {state['result']['headline']}"
        case _:
            return "asleep"


def main(address: str) -> None:
    """Print each new state of the board at `address` until Ctrl-C."""
    with connect(address.rstrip("/").replace("http", "ws", 1) + "/live", proxy=None) as board:
        for message in board:
            state = json.loads(message)
            if "screen" in state:
                print(line(state), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print what a card table shows, until Ctrl-C.")
    parser.add_argument("address", nargs="?", default="http://127.0.0.1:8015", help="of the board (%(default)s)")
    chosen = parser.parse_args().address
    try:
        main(chosen)
    except KeyboardInterrupt:
        pass
    except (OSError, ValueError, WebSocketException) as error:
        sys.exit(f"There is no board at {chosen}: {error}")
