"""The table's own action cards on the mat: *same again*, *new game*, *good night*, and one for each game.

In the lobby, after a game and at a sleeping table, a card acts when it is laid. During a game the table first asks: the
card acts when it is lifted and laid once more, unless something was played in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from cardtable.evening.states import Screen
from cardtable.table.messages import Again, Begin, BreakOff, ChooseGame, GoodNight, HostMessage, OtherGame, Wake
from engine.games import card_label, game_names, table_words
from engine.observations import ActionCard, Scene
from engine.texts import Text, text

_AWAY_S: Final = 0.5
"""A card that comes back in less time, in seconds, was not lifted, but out of sight for a moment."""


def messages_of(word: str, screen: Screen) -> list[HostMessage]:
    """Return the messages for the action card with `word`; during a game, after the players have confirmed it."""
    match screen:
        case "lobby":
            return _in_lobby(word)
        case "asleep":
            return [] if word == "night" else [Wake(do="wake"), *_in_lobby(word)]
        case "game":
            return [BreakOff(do="break-off"), *([] if word == "new-game" else _in_lobby(word))]
    if word in game_names():
        return [OtherGame(do="other-game"), *_in_lobby(word)]
    if word == "night":
        return [GoodNight(do="good-night")]
    return [Again(do="again")] if word == "again" else [OtherGame(do="other-game")]


def _in_lobby(word: str) -> list[HostMessage]:
    if word == "night":
        return [GoodNight(do="good-night")]
    begin = Begin(do="begin")
    return [ChooseGame(do="choose-game", game=word), begin] if word in game_names() else [begin]


def question_of(word: str) -> Text:
    """Return the question when the card is laid during a game: what it would do, and how to confirm it."""
    title = card_label(word)
    asks = {
        "again": text("“{card}”: begin this game again from the start?", card=title),
        "new-game": text("“{card}”: break this game off?", card=title),
        "night": text("“{card}”: break this game off and end the evening?", card=title),
    }.get(word, text("“{card}”: break this game off and begin that one?", card=title))
    return text("{asks} If so, lift the card and lay it again; this game stays stored.", asks=asks)


@dataclass(slots=True)
class ActionCards:
    """The table's own action cards that lie on the mat.

    A card counts when it is laid. One that lies there when the screen changes must be lifted first.
    """

    _words: frozenset[str] = field(default_factory=lambda: frozenset(table_words()))
    _lying: dict[str, frozenset[str]] = field(default_factory=dict)
    _lifted: dict[tuple[str, str], float] = field(default_factory=dict)
    _asked: tuple[str, int] | None = None

    def see(self, scene: Scene) -> tuple[Scene, list[str]]:
        """Return the scene without such cards, and the words on those just laid."""
        source, time = scene.source, scene.time
        kept, words = [], []
        for sighting in scene.sightings:
            if isinstance(sighting.face, ActionCard) and sighting.face.text in self._words:
                words.append(sighting.face.text)
            else:
                kept.append(sighting)
        first = source not in self._lying
        lay = self._lying.get(source, frozenset())
        before = frozenset[str]().union(*self._lying.values())
        self._lying[source] = frozenset(words)
        new = [] if first else [word for word in dict.fromkeys(words) if word not in before]
        new = [word for word in new if time - self._lifted.get((source, word), -_AWAY_S) >= _AWAY_S]
        self._lifted |= {(source, word): time for word in lay.difference(words)}
        return (replace(scene, sightings=tuple(kept)) if words else scene), new

    def observe(self, scene: Scene, screen: Screen, actions: int) -> tuple[Scene, list[HostMessage], Text | None]:
        """Return the scene without such cards, the messages of those just laid, and a question to ask first, if any.

        `actions`: the number of actions in the present game.
        """
        kept, words = self.see(scene)
        messages: list[HostMessage] = []
        question: Text | None = None
        for word in words:
            if screen != "game" or self._asked == (word, actions):
                self._asked = None
                messages += messages_of(word, screen)
            else:
                self._asked = word, actions
                question = question_of(word)
        return kept, messages, question

    @property
    def asks(self) -> bool:
        """Whether a card waits to be laid once more."""
        return self._asked is not None

    def answered(self, actions: int) -> bool:
        """Return whether the players have played on since the question, and drop the question."""
        if self._asked is None or self._asked[1] == actions:
            return False
        self._asked = None
        return True

    def forget(self) -> None:
        """Forget the cards on the mat: the sources are opened again, and report them once more."""
        self._lying.clear()
        self._lifted.clear()
        self._asked = None
