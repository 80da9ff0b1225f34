"""What a tournament is: its kind, its scoring, its entrants and tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final
from unicodedata import category

from cardtable.tournament.errors import TournamentError
from cardtable.tournament.movements import MOST_HOWELL, Movement, howell, mitchell
from engine.texts import text

KINDS: Final = ("round-robin", "swiss", "knock-out", "ladder", "mitchell", "howell")
PAIRS: Final = ("mitchell", "howell")
"""The kinds in which pairs play boards of duplicate bridge."""
SCORINGS: Final = ("wins", "cribbage", "matchpoints", "imps")
JOINED: Final = " & "
"""Joins the players of a pair."""
MOST_ENTRANTS: Final = 500
LONGEST_NAME: Final = 40
"""Letters in the name of a player, as at the tables."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a tournament is played. An entrant is a player, or the players of a pair joined by ` & `.

    `rounds`: of a Swiss tournament; the other kinds have as many as they need, or fewer if it is given. `boards`: of a
    round of duplicate bridge.
    """

    kind: str
    entrants: tuple[str, ...]
    tables: tuple[str, ...]
    scoring: str = "wins"
    rounds: int | None = None
    boards: int = 3
    name: str = "Tournament"

    def check(self) -> None:
        """Raise `TournamentError` if it cannot be played."""
        if self.kind not in KINDS:
            raise TournamentError(text("{kind!r} is not a kind of tournament", kind=self.kind))
        if (self.scoring in ("matchpoints", "imps")) != (self.kind in PAIRS) or self.scoring not in SCORINGS:
            message = "a tournament of kind {kind} cannot be scored by {scoring}: matchpoints and imps are for bridge"
            raise TournamentError(text(message, kind=self.kind, scoring=self.scoring))
        self._check_names()
        least = 4 if self.kind in PAIRS else 2
        most = 2 * MOST_HOWELL if self.kind == "howell" else MOST_ENTRANTS
        if not least <= len(self.entrants) <= most:
            message = "a tournament of kind {kind} has {least} to {most} entrants"
            raise TournamentError(text(message, kind=self.kind, least=least, most=most))
        if self.kind in PAIRS and any(len(players_of(entrant)) != 2 for entrant in self.entrants):
            raise TournamentError(text("bridge is played by pairs: write Ann & Bo in each line"))
        if len({*self.tables}) != len(self.tables) or not self.tables:
            raise TournamentError(text("name each table once: --tables table-1,table-2"))
        needed = (len(self.entrants) + (self.kind in PAIRS)) // 2
        if self.kind != "ladder" and len(self.tables) < needed:
            message = "{entrants} entrants need {needed} tables, but there are {tables}: name more tables"
            raise TournamentError(text(message, entrants=len(self.entrants), needed=needed, tables=len(self.tables)))
        if self.kind in PAIRS:
            self.movement()

    def _check_names(self) -> None:
        seen: set[str] = set()
        for entrant in self.entrants:
            players = players_of(entrant)
            if entrant != JOINED.join(players) or not all(map(_is_name, players)):
                message = "{name!r} cannot be a name: write 1 to {most} letters, without spaces around them"
                raise TournamentError(text(message, name=entrant[: 3 * LONGEST_NAME], most=LONGEST_NAME))
            for player in players:
                if player in seen:
                    raise TournamentError(text("{name} is in the list twice: give each player one place", name=player))
                seen.add(player)

    def movement(self) -> Movement:
        """Return the movement of a tournament of bridge. Raises `TournamentError` if there is none for these rounds."""
        pairs = len(self.entrants)
        found = howell(pairs) if self.kind == "howell" else mitchell(pairs, self.rounds)
        return found._replace(rounds=found.rounds[: self.rounds]) if self.rounds else found

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return asdict(self) | {"entrants": list(self.entrants), "tables": list(self.tables)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Setup:
        """Return what `to_json` has written."""
        return cls(**value | {"entrants": tuple(value["entrants"]), "tables": tuple(value["tables"])})


def _is_name(player: str) -> bool:
    return 0 < len(player) <= LONGEST_NAME and not any(category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in player)


def players_of(entrant: str) -> tuple[str, ...]:
    """Return the players of an entrant.

    >>> players_of("Ann & Bo")
    ('Ann', 'Bo')
    """
    return tuple(player.strip() for player in entrant.split(JOINED))
