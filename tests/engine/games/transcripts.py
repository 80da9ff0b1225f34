"""Transcripts of games: what everybody at the table sees after each action, as text that reads like a protocol.

    python -m tests.engine.games.transcripts [FILE ...]

plays the actions in the files again and writes what follows from them: run it after a change of the rules, and read the
difference. The first line of a transcript is the header of a record. A line that begins with `>` is an action; the
indented lines after it say what has changed, or `refused` with the code and the sentence. A game that is described in
data has its description beside the transcript, `.toml`.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.actions import Action
from engine.errors import Refused
from engine.games import add_game
from engine.record import Header
from engine.table import Outcome, Table
from engine.toml_games.game import game_of
from engine.toml_games.keys import read_description

FOLDER: Final = Path(__file__).parent / "transcripts"


def state(table: Table) -> dict[str, str]:
    """What everybody sees, each part in one line."""
    view = table.view()
    names = table.header.players
    dealer = "nobody" if view.dealer is None else names[view.dealer]
    return {
        "deals": dealer,
        "asks": f"{view.phase}, {'all' if view.turn is None else names[view.turn]}: {view.hint}",
        "acts": "" if view.actor in (None, view.turn) else names[view.actor or 0],
        "words": "; ".join(f"{names[seat]}: {', '.join(words)}" for seat, words in enumerate(view.words) if words),
        "accused": "; ".join(
            f"{word} {names[seat]}: {costs}" for word, seats in view.accused.items() for seat, costs in seats.items()
        ),
        "legal": str(len(table.legal_actions())),
        "shown": "; ".join(
            f"{name}: {_written(hand.cards)}" for name, hand in zip(names, view.hands, strict=True) if hand.cards
        ),
        "table": " ".join(f"{entry.card}@{entry.zone}{'!' * entry.firm}" for entry in view.lying),
        "trump": view.trump or "",
        "led": view.led or "",
        "calls": " ".join(f"{names[seat]}:{word}" for seat, word in view.calls),
        "bids": " ".join(map(str, view.bids)),
        "won": " ".join(map(str, view.won)),
        "facts": "; ".join(f"{name} {value}" for name, value in view.facts),
        "counted": "; ".join(
            f"{hand.name or names[hand.seat]} {_written(hand.cards)}: "
            + ", ".join(
                f"{found.points} {found.reason} {_written(found.cards)}".rstrip() for found in hand.combinations
            )
            for hand in view.counted
        ),
        "scores": " ".join(map(str, table.scores)),
        "won by": " ".join(map(str, table.winners)),
        "result": json.dumps(table.result) if table.result else "",
        "remarks": " ".join(table.remarks),
    }


def _written(cards: Iterable[object]) -> str:
    return " ".join(map(str, cards))


def _outcome(outcome: Outcome, names: tuple[str, ...]) -> Iterator[str]:
    if outcome.points:
        yield f"points: {', '.join(f'{names[each.seat]} {each.points} {each.reason}' for each in outcome.points)}"
    for event in outcome.events:
        who = "" if event.seat is None else names[event.seat]
        yield f"event: {' '.join(filter(None, (event.event, who, str(event.card or ''))))}"


def transcript(header: Header, actions: Iterable[Action]) -> Iterator[str]:
    """Yield the lines of the game with these actions, some of which may be refused."""
    yield json.dumps(header.to_json())
    table = Table(header)
    before = state(table)
    yield from (f"  {name}: {value}" for name, value in before.items() if value)
    for action in actions:
        yield f"> {action}"
        try:
            outcome = table.do(action)
        except Refused as error:
            yield f"  refused, {error.code}: {error.message}"
            assert state(table) == before
            continue
        after = state(table)
        yield from (f"  {line}" for line in _outcome(outcome, header.players))
        yield from (f"  {name}: {value}".rstrip() for name, value in after.items() if value != before[name])
        before = after


def read(path: Path) -> tuple[Header, list[Action]]:
    """The header and the actions of a transcript; its game, if it is a described one, is added."""
    description = path.with_suffix(".toml")
    if description.exists():
        add_game(game_of(path.stem, read_description(tomllib.loads(description.read_text("utf-8")))))
    first, *lines = path.read_text("utf-8").splitlines()
    return Header.from_json(json.loads(first)), [Action.parse(line[2:]) for line in lines if line.startswith("> ")]


if __name__ == "__main__":
    for each in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob("*.txt")):
        each.write_text("".join(f"{line}\n" for line in transcript(*read(each))), "utf-8")
