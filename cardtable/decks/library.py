"""Where decks of one's own are kept: in the folder `decks`, beside the configuration, a file each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.errors import CardtableError, UsageError, suggestion, why
from cardtable.play.game_lock import GameLock, Taken
from engine.cards import RANKS, SUITS, UnknownCard, parse_card
from engine.games import load_game
from engine.texts import Text, spaced, text

if TYPE_CHECKING:
    from vision.decks.deck import OwnDeck

FOLDER: Final = "decks"
SUFFIX: Final = ".deck"
ORDINARY: Final = "ordinary"
"""What any deck with printed indices is called: it is read without being learned."""


def deck_file(deck: str, folder: Path = Path()) -> Path:
    """The file of a deck, by its name or by a path; `folder`: that of the configuration."""
    return folder / (deck if deck.endswith(SUFFIX) else f"{FOLDER}/{deck}{SUFFIX}")


def find_deck(deck: str, folder: Path = Path()) -> OwnDeck:
    """The deck of that name, or in that file. Raises `UsageError` with what there is."""
    from vision.decks.deck import BadDeck, load_deck

    path = deck_file(deck, folder)
    try:
        return load_deck(path)
    except FileNotFoundError:
        raise UsageError(_not_there(deck, path)) from None
    except BadDeck as error:
        raise UsageError(str(error)) from error


def own_deck(deck: str | None, game: str) -> OwnDeck | None:
    """The deck of one's own that `game` is played with, by its name or its file; None where it is the ordinary one.

    Raises `UsageError`, also where it has no card of the game.
    """
    if deck is None or deck == ORDINARY:
        return None
    own = find_deck(deck)
    if own.faces and not any(card in own.faces for card in load_game(game).deck):
        told = "the deck {deck} has no card of {game}: cardtable deck list shows what each has"
        raise UsageError(text(told, deck=_called(deck), game=game))
    return own


def unlearned(deck: str | None, game: str) -> Text | None:
    """That the deck has not all cards of `game`, and which; None where nothing is to be said. Raises `UsageError`."""
    own = own_deck(deck, game)
    wanted = list(load_game(game).deck)
    missing = [card for card in wanted if own is not None and card not in own.faces]
    if not missing:
        return None
    told = (
        "the deck {deck} has not learned {count} of the {of} cards of {game}, which will not be read: {cards}; "
        "to learn them: cardtable deck learn {deck} --game {game}"
    )
    return text(
        told,
        deck=_called(deck or ""),
        count=len(missing),
        of=len(wanted),
        game=game,
        cards=spaced([card.glyph for card in missing]),
    )


def _called(deck: str) -> str:
    return Path(deck).name.removesuffix(SUFFIX)


def _not_there(deck: str, path: Path) -> Text:
    """That there is no such deck, what decks there are, and how one is made."""
    from vision.decks.deck import check_name

    names = (ORDINARY, *deck_names(path.parent))
    wanted = _called(deck)
    if wanted == ORDINARY:
        return text("the ordinary deck needs no learning: it is read wherever no other deck is named")
    told = "there is no deck {wanted!r} in {parent}{guess}; decks known here: {names}"
    known = {"wanted": wanted, "parent": path.parent, "guess": suggestion(wanted, names), "names": ", ".join(names)}
    try:
        check_name(wanted)
    except ValueError as error:
        return text("{told}; {error}", told=text(told, **known), error=str(error))
    return text("{told}; a new one: cardtable deck learn {wanted}", told=text(told, **known), wanted=wanted)


def deck_names(folder: Path) -> tuple[str, ...]:
    """The decks in a folder of decks."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")))


def keep_deck(path: Path, deck: OwnDeck) -> None:
    """Stores the deck. Raises `CardtableError`."""
    from vision.decks.deck import save_deck

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_deck(path, deck)
    except OSError as error:
        raise _not_written(path, error) from error


@contextmanager
def one_learner(path: Path) -> Iterator[None]:
    """While this lasts nobody else may store the deck in that file. Raises `CardtableError`, also where nobody can:
    that is told before all its cards have been shown.
    """
    claim = GameLock(path.with_name(f".{path.name}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        claim.take(0)
    except Taken:
        raise CardtableError(
            text("{path} is being learned already, by another program: wait until that has ended", path=path)
        ) from None
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        yield
    finally:
        claim.release()


def _not_written(path: Path, error: OSError) -> CardtableError:
    return CardtableError(text("{path} cannot be written: {why}; make room, or allow it", path=path, why=why(error)))


def pictures_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The pictures of a folder, each with the name of the card that its file is called by, as a deck is sorted.

    Whatever is called by a card is among them: that it cannot be read is to be told.
    """
    from vision.cameras.sources import PICTURES

    for place, path in sorted((_place(path.stem), path) for path in folder.iterdir()):
        if path.suffix.lower() in PICTURES or (place < _NO_CARD and path.is_file()):
            yield path.stem, path


_NO_CARD: Final = (2, "", 0)


def _place(name: str) -> tuple[int, str, int]:
    """Where the card of that name lies in a sorted deck: suit by suit, or colour by colour; behind all: no card."""
    try:
        card = parse_card(name)
    except UnknownCard:
        return _NO_CARD
    if card.suit in SUITS:
        return 0, str(SUITS.index(card.suit)), RANKS.index(card.rank)
    return 1, card.suit, int(card.rank)
