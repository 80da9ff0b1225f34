"""The words that players can say in a game, and what each of them needs besides the word itself.

A game lists its words in `Game.words`; everything else reads that list: the referee, the page, the buttons, the
displays and the printed action cards. Only `engine/games` and the ready-made parts in `engine/rules` name a
word of a game.

    >>> Word("take-one").keys
    ()
    >>> Word("revoke", needs=("against", "evidence"), cards="led").keys
    ('against', 'card')
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal
from zlib import crc32

Need = Literal["against", "card", "evidence"]
Cards = Literal["any", "open", "led"]

MARKS: Final = range(100, 250)
"""The ArUco ids for action cards."""
FREE_MARKS: Final = range(120, 250)
"""The ids in `MARKS` for words that do not declare one. 100 to 119 are only declared."""
TABLE_MARKS: Final = {"again": 87, "new-game": 88, "night": 89}
"""The words on the table's own action cards, which say what is played next, with their ArUco ids. More cards choose a
game by its name (`engine.games.HOUSE`)."""
TABLE_LABELS: Final = {"again": "same again", "new-game": "new game", "night": "good night"}
"""The text on such a card."""

_NAME: Final = re.compile(r"[a-z]+(-[a-z]+)*|0|[1-9][0-9]*|[1-9](c|d|h|s|nt)", re.ASCII)
_LONGEST: Final = 32


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a game.

    `name`: as a record writes it: lower-case letters and hyphens, at most 32 characters; a whole number in digits; or a
    bid of a number and a suit, `1c` to `9s`, or of no trumps, `1nt`.

    `needs`: what must be named besides the word:

    - `against`: another seat;
    - `card`: a card;
    - `evidence`: a card of the seat in `against`, laid face up in its `show` zone. Needs `against`.

    A word without needs can be said with a button. With an action card a word can be said if everything that it needs
    can be seen on the table; the page asks for the rest.

    `cards`: which cards can be named, as far as everybody knows: `any` card of the deck except those played or turned
    up; the `open` cards in the show zone of the seat on turn; or those of the suit `led` to the trick that
    are neither played nor turned up.

    The texts are for people. All of them are optional, and must be in the catalogues to be translated:

    - `label`: the page's button, if it says more than the word;
    - `group`: the button under which the page lists this word with the others of its group, if there are many;
    - `question`: how the page asks for the card; `{name}` is the seat in `against`, or else the seat on turn;
    - `prompt`: the request for evidence while the action card lies there alone; `{name}` says the word, `{card}` is
      wanted ("a card of hearts").

    `mark`: the ArUco id of the printed action card, one of `MARKS`. Cards are printed with it, so it must not change.
    Without one the word gets an id that depends on its name (see `marks_of`).

    `rare`: the word is hardly ever said. Without `mark` it gets an id only for the game that is played, and that of
    another game's word if no id is free.

    Raises `ValueError` for a name, needs or a mark of another form.
    """

    name: str
    needs: tuple[Need, ...] = ()
    cards: Cards = "any"
    label: str = ""
    question: str = ""
    prompt: str = ""
    mark: int | None = None
    group: str = ""
    rare: bool = False

    def __post_init__(self) -> None:
        """Check the form of the name, the needs and the mark."""
        if not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST:
            raise ValueError(
                f"a word is a number, a bid, or lower-case letters and hyphens, at most {_LONGEST}: {self.name!r}"
            )
        if "evidence" in self.needs and ("against" not in self.needs or "card" in self.needs):
            raise ValueError(f"evidence is a card of another seat: {self.name!r} needs 'against', and no other card")
        if self.mark is not None and self.mark not in MARKS:
            raise ValueError(f"the mark of an action card is one of {MARKS[0]} to {MARKS[-1]}, not {self.mark}")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the action `say` has with this word, besides `seat` and `word`."""
        against = ("against",) if "against" in self.needs else ()
        return (*against, "card") if {"card", "evidence"}.intersection(self.needs) else against


def marks_of(words: Iterable[Word], others: Iterable[int] = ()) -> dict[str, int]:
    """Return the ArUco id of every word, by name. `others`: ids that no word without `mark` gets.

    A word without `mark` gets that of another word of the same name, or else the first free id counted from one that
    depends on its name only; so a game that adds words at the end of its list keeps the ids of the others. Words that
    find all ids taken are left out: their cards can be printed with QR codes. So are rare words.

    >>> marks_of([Word("stand", mark=100), Word("hello")])
    {'stand': 100, 'hello': 160}
    """
    marks: dict[str, int] = {}
    words = tuple(words)
    declared = {word.name: word.mark for word in reversed(words) if word.mark is not None}
    taken = {*declared.values(), *others}
    for word in words:
        if word.name in marks:
            continue
        mark = declared.get(word.name)
        if mark is None and not word.rare:
            mark = _free_mark(word.name, taken)
        if mark is not None:
            taken.add(mark)
            marks[word.name] = mark
    return marks


def rare_marks(words: Iterable[Word], marks: Mapping[str, int], others: Iterable[int] = ()) -> dict[str, int]:
    """Return the ArUco ids of those of a game's `words` that have none in `marks`. `others`: ids that no word gets.

    >>> words = [Word("18", mark=130), Word("264", rare=True)]
    >>> rare_marks(words, marks_of(words))
    {'264': 198}
    """
    words = tuple(words)
    taken = {*others, *(marks[word.name] for word in words if word.name in marks)}
    found: dict[str, int] = {}
    for word in words:
        if word.name not in marks and (mark := _free_mark(word.name, {*taken, *found.values()})) is not None:
            found[word.name] = mark
    return found


def _free_mark(name: str, taken: Container[int]) -> int | None:
    """Return the first of `FREE_MARKS` that is not taken, counted from one that depends on `name`; None if all are."""
    first = crc32(name.encode()) % len(FREE_MARKS)
    order = (*FREE_MARKS[first:], *FREE_MARKS[:first])
    return next((each for each in order if each not in taken), None)
