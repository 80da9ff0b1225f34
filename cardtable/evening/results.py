"""The end of a game: its result, what decided it, and who deals the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from cardtable.history.decisive import decisive_play, told
from cardtable.history.statistics import player_tallies
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Games
from cardtable.table.snapshot import Snapshot
from cardtable.web.screens import Decided, Result, SideResult, Tally, UnfinishedGame, UnreadableGameEntry, WayOn
from cardtable.web.state import scored
from engine.games import load_game, title_of
from engine.record import Header
from engine.table import Table
from engine.texts import Translate, in_language, text
from engine.views import View, ranked_sides, side_names

MOST_OFFERED: Final = 8
"""Number of unfinished games that the lobby lists. The history has all of them."""


@dataclass(frozen=True, slots=True)
class PastGames:
    """The games that can be continued, and those that cannot, newest first."""

    unfinished: list[UnfinishedGame] = field(default_factory=list)
    unreadable: list[UnreadableGameEntry] = field(default_factory=list)


def past_games(games: Games, failed: Mapping[int, str], translate: Translate) -> PastGames:
    """Return the newest unfinished games, and the newest that cannot be read: up to `MOST_OFFERED` of each.

    `failed`: the faults that have stopped games since the program was started, by number. Raises `JournalError`.
    """
    found = PastGames()
    for entry in games.entries(over=False, newest=True):
        if len(found.unfinished) >= MOST_OFFERED:
            break
        if not entry.actions:
            continue
        reason = failed.get(entry.id)
        if reason is None:
            try:
                stored, table = games.replayed(entry.id)
            except UnreadableGame as error:
                reason = str(error)
        if reason is not None:
            if len(found.unreadable) < MOST_OFFERED:
                found.unreadable.append(
                    {
                        "id": entry.id,
                        "title": title_of(entry.name),
                        "players": list(entry.players),
                        "started": entry.started,
                        "reason": in_language(reason, translate),
                    }
                )
            continue
        found.unfinished.append(
            {
                "id": entry.id,
                "game": entry.name,
                "title": title_of(entry.name),
                "players": list(stored.header.players),
                "scores": list(table.scores),
                "started": entry.started,
                "last": entry.ended or entry.started,
                "actions": entry.actions,
            }
        )
    return found


def no_games() -> Tally:
    """Return the tally of an evening without games."""
    return {"games": 0, "players": []}


def tally_of(games: Games, since: float | None) -> Tally:
    """Return the tally of the games begun from `since` on that are over. Raises `JournalError`."""
    entries = games.entries(over=True, since=since) if since is not None else ()
    over = [entry for entry in entries if entry.result is not None]
    return {
        "games": len(over),
        "players": [
            {"name": each.player, "played": each.played, "won": each.won, "shared": each.shared}
            for each in player_tallies(over)
        ],
    }


def last_game(games: Games, since: float | None) -> int | None:
    """Return the number of the last game begun from `since` on that is over. Raises `JournalError`."""
    entries = games.entries(over=True, since=since, newest=True, most=1) if since is not None else []
    return entries[0].id if entries else None


def first_dealer(table: Table) -> int | None:
    """Return the seat that dealt first in the game on `table`; None if it was never decided."""
    if table.header.dealer is not None:
        return table.header.dealer
    again = Table(table.header)
    for action in table.actions:
        again.do(action)
        if (dealer := again.view().dealer) is not None:
            return dealer
    return None


def rematch(table: Table) -> Header:
    """Return the header of the next game with the same players, in which the first deal passes on.

    The next seat after the first dealer of this game deals, in the direction of play. In a game in which the loser
    deals (`Game.loser_deals`), a seat of the side with the worst score deals: the first one after the first dealer.
    """
    header = table.header
    first = first_dealer(table)
    if first is None:
        return header
    kind = load_game(header.game)
    game = kind(header.players, header.dealer, header.options)
    order = [*game.seats_from(first)[1:], first]
    if kind.loser_deals and table.over:
        scores = {side: score for side, score in enumerate(table.scores) if side not in table.winners}
        worst = (max if kind.lowest_wins else min)(scores.values(), default=0)
        losers = [seat for seat in order if scores.get(game.side_of(seat)) == worst]
        order = losers or order
    return replace(header, dealer=order[0])


def result_of(
    shown: Snapshot,
    header: Header,
    number: int,
    seconds: float,
    tally: Tally,
    translate: Translate,
    choices: bool = True,
) -> Result:
    """Return the result of a game that is over, for the board.

    `number`: its number in the journal. `seconds`: how long it took. `choices`: whether the page can choose what comes
    next.
    """
    table = Table(header)
    for done in shown.history:
        table.do(done.action)
    view = shown.view
    over = next((prompt.text for prompt in shown.prompts if prompt.kind == "over"), text("The game is over."))
    remarks = [prompt.text for prompt in shown.prompts if prompt.kind in ("corrected", "check")]
    return {
        "id": number,
        "headline": in_language(over, translate),
        "notes": [in_language(note, translate) for note in (*remarks, *table.remarks)],
        "sides": _sides(view, translate),
        "decided": _decided(shown, header, translate),
        "seconds": seconds,
        "tally": tally,
        "ways_on": ways_on(table, translate) if choices else [],
    }


def _sides(view: View, translate: Translate) -> list[SideResult]:
    names, count = side_names(view.players, len(view.scores)), max(len(view.scores), 1)
    return [
        {
            "name": in_language(names[side], translate),
            "seats": [seat for seat in range(len(view.players)) if seat % count == side],
            "score": view.scores[side],
            "won": side in view.winners,
        }
        for side in ranked_sides(view.scores, view.winners)
    ]


def _decided(shown: Snapshot, header: Header, translate: Translate) -> Decided | None:
    """Return the play that decided the game; None without one."""
    found = decisive_play(header, [done.action for done in shown.history])
    if found is None:
        return None
    return {
        "text": in_language(told(shown.history[found.at - 1], shown.view), translate),
        "points": scored(shown.history[found.scored - 1]),
        "cards": [str(card) for card in found.cards],
    }


def ways_on(table: Table, translate: Translate) -> list[WayOn]:
    """Return the choices after the game at `table`, a rematch first."""
    header = rematch(table)
    game = load_game(header.game)
    again = text("{title} with the same players: the players cut for the deal.", title=game.title)
    if header.dealer is not None:
        name, does = header.players[header.dealer], game.first_does
        again = text("{title} with the same players: {name} {does}.", title=game.title, name=name, does=does)
    ways: list[WayOn] = [
        {"do": "again", "label": text("Again"), "about": again},
        {
            "do": "other-game",
            "label": text("Another game"),
            "about": text("Choose another game for the same players."),
        },
        {"do": "other-players", "label": text("Other players"), "about": text("Change who plays, and where they sit.")},
        {
            "do": "good-night",
            "label": text("Good night"),
            "about": text("Lights, displays and voice go off, and the cameras close."),
        },
    ]
    for way in ways:
        way["label"], way["about"] = in_language(way["label"], translate), in_language(way["about"], translate)
    return ways
