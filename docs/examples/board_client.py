"""An example of a client of the board: print what the table shows. `python board_client.py http://127.0.0.1:8015`.

Needs the package `websockets`, which is installed with the program.
"""

from __future__ import annotations

import json
import sys
from typing import Any

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
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8015")
