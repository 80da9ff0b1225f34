"""States of the board for tests of its pages: those of whole games, and one of every other screen."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from cardtable.evening.lobby import Lobby, LobbyContent, lobby_state
from cardtable.evening.results import ways_on
from cardtable.languages import Language, translator
from cardtable.table.snapshot import LogEntry, Snapshot, lying_details
from cardtable.web.screens import AsleepState, Tally, common
from cardtable.web.state import HistoryLines, state_of
from engine.actions import Action
from engine.errors import Refused
from engine.games import load_game
from engine.record import Header
from engine.referee.prompts import turn
from engine.referee.referee import Done, Referee
from engine.rules.open_hand import LayOpen
from engine.rules.wording import describe
from engine.table import Table
from engine.texts import in_language, text
from engine.views import side_names

NAMES = ("Ann", "Bartholomew", "Cy", "Di", "Ed", "Maximiliane-Theodora", "Gus")
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {"contree": ("belote", {"form": "contree"})}
"""Forms of games that look another way: the game, and its options."""
LONGEST = 300
EVERY = 9
FEW = 6
"""More cards in a zone are drawn in another way, such as a hand laid open."""


@cache
def _states(game: str, players: int, seed: int, language: Language = "en") -> list[dict[str, Any]]:
    """Return the states of a random game, the fullest first."""
    title = load_game(VARIANTS.get(game, (game, {}))[0]).title
    translate = translator(language)
    lines = HistoryLines(translate)
    shown = random_game(game, players, seed)
    states = [dict(state_of(each, title, translate, {"camera"}, lines)) for each in shown]
    return sorted(states, key=lambda state: -len(state["lying"]) - 2 * len(state["facts"]) - 3 * len(state["counts"]))


def kinds_in(state: dict[str, Any]) -> set[tuple[str, ...]]:
    """Return what a state shows: its phase, with what lies where, facts, words, prompts, auction, counts."""
    zones = Counter(card["zone"] for card in state["lying"])
    parts = {("phase", state["phase"])}
    parts |= {("zone", state["phase"], zone, "many" if count > FEW else "") for zone, count in zones.items()}
    parts |= {("fact", name) for name, *_ in state["facts"]}
    parts |= {("prompt", prompt["kind"]) for prompt in state["prompts"]}
    words = [word for seat in state["seats"] for word in seat["words"]]
    parts |= {("word", word.get("group") or word["word"]) for word in words if not word["word"].isdigit()}
    parts |= {("with", state["phase"], key) for key in ("auction", "counts", "winners", "trump") if state[key]}
    return parts | ({("played for",)} if state["actor"] != state["turn"] else set())


@cache
def states_of_every_kind(game: str, players: int, seed: int = 1, language: Language = "en") -> list[dict[str, Any]]:
    """Return few states of a random game that show together every part that any of its states shows."""
    states, kept = _states(game, players, seed, language), list[dict[str, Any]]()
    missing = {part for state in states for part in kinds_in(state)}
    while missing:
        kept.append(max(states, key=lambda state: len(kinds_in(state) & missing)))
        missing -= kinds_in(kept[-1])
    return kept


@cache
def states_of_a_game(
    game: str, players: int, seed: int = 1, most: int = 12, language: Language = "en"
) -> list[dict[str, Any]]:
    """Return states of a random game: for each phase those that show the most, at most `most` in all."""
    fullest = _states(game, players, seed, language)
    kept = list({state["phase"]: state for state in reversed(fullest)}.values())  # the fullest of each phase
    others = [state for state in fullest if state not in kept]
    return kept + others[: max(0, most - len(kept))]


@cache
def random_game(game: str, players: int, seed: int) -> list[Snapshot]:
    """Return snapshots of a game played at random, of `LONGEST` actions at most: every ninth, and those of counts."""
    rng, snapshots = random.Random(seed), list[Snapshot]()
    name, options = VARIANTS.get(game, (game, {}))
    table = Table(Header(name, NAMES[:players], 0, options=options))
    history: list[LogEntry] = []
    while not table.over and len(history) < LONGEST:
        done = Done.of(table, choose(table, rng))
        points, events, moments = done.outcome
        line = len(history) + 2
        history.append(LogEntry(line, done.action, points, events, done.scores, done.turn, done.phase, moments))
        if len(history) % EVERY == 0 or table.view().counted or table.over:
            snapshots.append(snapshot_of(table, history))
    return snapshots


def snapshot_of(table: Table, history: Sequence[LogEntry]) -> Snapshot:
    """Return what a game loop without sources shows of a table after these actions."""
    return Snapshot(
        n=len(history),
        time=0.0,
        view=table.view(),
        prompts=tuple(Referee(table).prompts),
        news=(),
        history=tuple(history),
        sources=(),
        between_hands=table.between_hands,
        lying=lying_details(table, (), history),
    )


def choose(table: Table, rng: random.Random) -> Action:
    """Return an action that moves the game on: no dealing by name, no penalty. A dummy's hand is laid open."""
    legal = table.legal_actions()
    offer = table.question.offers.get("expose")
    opened = [action for action in offer.candidates() if table.can(action)] if isinstance(offer, LayOpen) else []
    if opened:
        return rng.choice(opened)
    usual = [action for action in legal if action.do in ("cut", "turn", "play", "bid", "show", "take")]
    usual += [action for action in legal if action.do == "say" and not action.against and action.card is None]
    turns = [action for action in legal if action.do == "turn"]
    if usual:
        return rng.choice(turns or usual)
    while True:  # cards that the table does not know are shown: no actions are listed, there are too many
        seat = rng.choice(("crib", *range(len(table.header.players))))
        count = rng.choice((4, 5)) if seat == "crib" else table.view().hands[int(seat)].size
        action = Action("show", seat, cards=tuple(rng.sample(list(table.view().deck), count)))  # type: ignore[arg-type]
        try:
            table.do(action)
        except Refused:
            continue
        table.undo()
        return action


_LOBBY: dict[str, Any] = {
    **common(),
    "screen": "lobby",
    "focus": None,
    "game": "cribbage",
    "players": list(NAMES),
    "remembered": ["Flo", "Gus"],
    "most_players": 8,
    "dealer": 1,
    "first_does": text("deals first"),
    "is_cut_for": True,
    "ready": False,
    "asks_dealer": False,
    "sources": [
        {
            "name": "camera",
            "kind": "camera",
            "state": "warning",
            "picture": "camera.jpg?of=camera",
            "checks": [
                {
                    "what": "light",
                    "state": "warning",
                    "text": text("The camera sees nothing: switch a lamp on, or take away what covers its lens."),
                }
            ],
        }
    ],
    "cards": [{"source": "camera", "card": "QS", "label": "Q♠", "zone": None, "seat": None, "sure": True}] * 12,
    "hands": 0,
    "unfinished": [
        {
            "id": 3,
            "game": "fifteen",
            "title": "Fifteen",
            "players": ["Ann", "Bo"],
            "scores": [7, 9],
            "started": 1763800000,
            "last": 1763803000,
            "actions": 40,
        }
    ],
    "unreadable": [
        {"id": 2, "title": "Tarock", "players": ["Ann"], "started": 1763700000, "reason": "its game is not installed"}
    ],
    "tally": {"games": 0, "players": []},
    "next_round": {"round": 3, "players": list(NAMES), "ready": False},
    "setup": [{"step": "readers", "label": text("RFID readers…")}, {"step": "buttons", "label": text("Buttons…")}],
}


def in_words(value: Any, language: Language) -> Any:
    """Return a state with its `Text`s translated."""
    if isinstance(value, dict):
        return {key: in_words(each, language) for key, each in value.items()}
    if isinstance(value, list):
        return [in_words(each, language) for each in value]
    return in_language(value, translator(language)) if isinstance(value, str) else value


@cache
def lobby(language: Language = "en") -> dict[str, Any]:
    """Return the state of a full lobby, with everything that it can show."""
    chosen = Lobby("cribbage", NAMES, options={"cribbage": {"target": 61}})
    real = lobby_state(LobbyContent(chosen), [], [], translator(language))
    return in_words(_LOBBY, language) | {key: real[key] for key in ("games", "why_not", "prompt")}  # type: ignore[literal-required]


LOBBY = lobby()
_TITLES = ("Euchre", "Skat", "Bridge", "Belote", "German Whist", "Knock-out Whist", "Doppelkopf", "Piquet", "Tarot")
_NAMED = {game["title"] for game in LOBBY["games"]}
_MORE = [LOBBY["games"][0] | {"game": title, "title": title} for title in _TITLES if title not in _NAMED]
MANY_GAMES = LOBBY | {"games": [*LOBBY["games"], *_MORE][:17]}
"""The lobby with 17 games."""
ASLEEP: AsleepState = {
    **common(),
    "screen": "asleep",
    "text": text("Good night. Touch the screen, or press a button, to wake the table."),
    "tally": {"games": 3, "players": [{"name": name, "played": 3, "won": 1, "shared": 0} for name in NAMES[:3]]},
    "keepsake": 4,
}


def result_state(game: str = "cribbage", players: int = 4, language: Language = "en") -> dict[str, Any]:
    """Return the state of a game that is over, with its result: the first side has won."""
    state, translate = states_of_a_game(game, players, language=language)[-1], translator(language)
    table = Table(Header(game, NAMES[:players], 0))
    view = table.view()
    skunked = game == "cribbage"
    scores = tuple(121 - (40 if skunked else 30) * side for side in range(len(view.scores)))
    names = [in_language(name, translate) for name in side_names(NAMES[:players], len(scores))]
    points = [{"seat": 0, "points": 2, "for": "fifteen"}] * 3
    tally: Tally = {
        "games": 3,
        "players": [
            {"name": name, "played": 3, "won": seat % 3, "shared": 0} for seat, name in enumerate(NAMES[:players])
        ],
    }
    return state | {
        "screen": "result",
        "over": True,
        "turn": None,
        "result": {
            "id": 4,
            "headline": in_language(turn(replace(view, over=True, scores=scores, winners=(0,))).text, translate),
            "notes": [translate("A skunk.")] if skunked else [],
            "sides": [
                {"name": name, "seats": [*range(players)][side :: len(scores)], "score": score, "won": not side}
                for side, (name, score) in enumerate(zip(names, scores, strict=True))
            ],
            "decided": {
                "text": in_language(describe(Action.parse("1 play 7D"), NAMES), translate),
                "points": points,
                "cards": ["5H", "JC", "5S", "7D", "8D"],
            },
            "seconds": 1400.0,
            "tally": tally,
            "ways_on": ways_on(table, translate),
        },
    }


MENU = {
    "seat": 0,
    "title": text("What next?"),
    "entries": [text("Again"), text("Another game"), text("Other players"), text("Good night")],
    "chosen": 1,
    "spoken": text("What next?"),
}


@cache
def screens_of_an_evening() -> list[dict[str, Any]]:
    """Return the states of the screens besides a game."""
    return [
        LOBBY,
        MANY_GAMES,
        LOBBY | {"players": ["Ann", "Bo"], "why_not": None, "ready": True, "menu": MENU},
        cast(dict[str, Any], ASLEEP),
        result_state(),
        result_state("its-15", 6),
    ]
