"""What an installed program makes of given records and pictures, and of one simulated game, as JSON.

    /opt/cardtable/bin/python proof.py FOLDER > result.json

FOLDER holds `records/*.record.jsonl` and `pictures/*`; the cards of each picture are stored in `cards`. The result has
no times and no versions: two installations that work alike print the same bytes, apart from confidences, which are
left out. Imports only the installed program.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cardtable.cli import main as cardtable
from engine import Table
from engine.games import game_names

SEEDS: Final = range(3)
ACTIONS: Final = 120
"""The longest random game, in actions."""
SHORT_GAME: Final = (
    "demo",
    "--headless",
    "--fast",
    "--whole",
    "--game",
    "its-15",
    "--marks",
    "aruco",
    "--seed",
    "43",
    "--json",
)
"""A simulated game of 58 actions, seen by the camera."""


def output(arguments: list[str]) -> list[str]:
    """Return the lines that a command prints, and its exit status: a record with a refused action gives 1."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = cardtable(arguments)
    return [*printed.getvalue().splitlines(), f"exit status {status}"]


def random_game(game: str, seed: int) -> list[str]:
    """Return a game of random legal actions, each with its points and the number of actions that were legal."""
    rng = random.Random(f"{game}/{seed}")
    table = next(table for count in (2, 3, 4) if (table := _table(game, count)) is not None)
    lines = []
    for _ in range(ACTIONS):
        legal = sorted(table.legal_actions(), key=str)
        if not legal:
            break
        action = rng.choice(legal)
        outcome = table.do(action)
        lines.append(f"{len(legal)} {action} {[str(point) for point in outcome.points]}")
    return lines


def _table(game: str, count: int) -> Table | None:
    try:
        return Table(game, ["Ann", "Bo", "Cy", "Di"][:count], dealer=0)
    except ValueError:
        return None


def cards_in(folder: Path) -> dict[str, list[str]]:
    """Return the cards of each picture in `folder`/pictures, stored in `folder`/cards once they are read.

    What is stored there already is not read again, and each processor reads its share: an emulated one takes ten
    seconds or more for a picture.
    """
    pictures, processors = sorted((folder / "pictures").iterdir()), os.cpu_count() or 1
    (folder / "cards").mkdir(exist_ok=True)
    todo = [str(picture) for picture in pictures if not stored(picture).exists()]
    command = [sys.executable, __file__, "--cards"]
    readers = [subprocess.Popen([*command, *todo[number::processors]]) for number in range(processors)]
    if any([reader.wait() for reader in readers]):
        raise SystemExit("a reader of pictures has failed")
    return {picture.name: json.loads(stored(picture).read_text("utf-8")) for picture in pictures}


def stored(picture: Path) -> Path:
    """Return the file with the cards of a picture."""
    return picture.parents[1] / "cards" / f"{picture.name}.json"


def read_share(pictures: list[Path]) -> int:
    """Store the cards of each picture."""
    for picture in pictures:
        fresh = stored(picture).with_suffix(".new")
        fresh.write_text(json.dumps(cards(picture)), "utf-8")
        fresh.rename(stored(picture))
    return 0


def cards(picture: Path) -> list[str]:
    """Return the names of the cards in a picture, sorted."""
    line, _ = output(["see", "--json", str(picture)])
    return sorted(each["card"] for each in json.loads(line)["cards"])


def main() -> int:
    """Print the result; each part is in `FOLDER/part-NAME.json` as soon as it is known."""
    folder = Path(sys.argv[1])
    result: dict[str, Any] = {}
    for name, part in parts(folder):
        result[name] = part
        (folder / f"part-{name}.json").write_text(json.dumps(part, indent=1, ensure_ascii=False), "utf-8")
    print(json.dumps(result, indent=1, ensure_ascii=False))
    return 0


def parts(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the parts of the result, the quick ones first."""
    records = sorted((folder / "records").glob("*.record.jsonl"))
    yield "records", {file.name: output(["replay", "--json", str(file)]) for file in records}
    yield "random games", {f"{game} {seed}": random_game(game, seed) for game in game_names() for seed in SEEDS}
    yield "pictures", cards_in(folder)
    line, status = output(list(SHORT_GAME))
    summary = json.loads(line)
    yield "simulated game", {"status": status, **{key: value for key, value in summary.items() if key != "seconds"}}


if __name__ == "__main__":
    sys.exit(read_share([Path(name) for name in sys.argv[2:]]) if sys.argv[1] == "--cards" else main())
