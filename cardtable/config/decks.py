"""Find and store learned decks, which are files in the folder `decks` beside the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.errors import CardtableError, UsageError, suggestion, why
from engine.games import load_game
from engine.texts import Text, spaced, text

if TYPE_CHECKING:
    from vision.decks.deck import LearnedDeck
    from vision.faces.reader_nets import Suits

FOLDER: Final = "decks"
SUFFIX: Final = ".deck"
ORDINARY: Final = "ordinary"
"""The name for any deck with French suits and printed indices. It needs no learning."""
GERMAN: Final = "german-suits"
"""The name for any deck with German suits (acorns, leaves, hearts, bells) and printed indices."""


def deck_file(deck: str, folder: Path = Path()) -> Path:
    """Return the path of a deck's file. `deck` is a name or a path, `folder` the folder of the configuration."""
    return folder / (deck if deck.endswith(SUFFIX) else f"{FOLDER}/{deck}{SUFFIX}")


def find_deck(deck: str, folder: Path = Path()) -> LearnedDeck:
    """Load a deck by its name or path. Raises `UsageError`, which lists the existing decks."""
    from vision.decks.deck import BadDeck, load_deck

    path = deck_file(deck, folder)
    try:
        return load_deck(path)
    except FileNotFoundError:
        raise UsageError(_no_such_deck(deck, path)) from None
    except BadDeck as error:
        raise UsageError(str(error)) from error


def is_printed(deck: str) -> bool:
    """Return whether the deck is read by its printed indices, and so needs no learning."""
    return deck in (ORDINARY, GERMAN)


def suits_of(deck: str | None) -> Suits:
    """Return the suit symbols by which the cards of a deck are read, if they are read by their indices."""
    return "german" if deck == GERMAN else "french"


def needs_no_learning(deck: str) -> Text:
    """Return the message that this deck is read by its indices."""
    return text("the deck {wanted} needs no learning: its cards are read by their indices", wanted=deck)


def learned_deck(deck: str | None, game: str) -> LearnedDeck | None:
    """Load the learned deck (a name or path) for `game`; return None for a deck with printed indices.

    Raises `UsageError` if the deck cannot be loaded, or has no card of the game.
    """
    if deck is None or is_printed(deck):
        return None
    learned = find_deck(deck)
    if learned.faces and not any(card in learned.faces for card in load_game(game).deck):
        message = "the deck {deck} has no card of {game}: cardtable deck list shows what each has"
        raise UsageError(text(message, deck=_name_of(deck), game=game))
    return learned


def unlearned(deck: str | None, game: str) -> Text | None:
    """Return a message that lists the cards of `game` missing from the deck; None if it has all of them.

    Raises `UsageError` as `learned_deck` does.
    """
    learned = learned_deck(deck, game)
    wanted = list(load_game(game).deck)
    missing = [card for card in wanted if learned is not None and card not in learned.faces]
    if not missing:
        return None
    message = (
        "the deck {deck} has not learned {count} of the {of} cards of {game}, which will not be read: {cards}; "
        "to learn them: cardtable deck learn {deck} --game {game}"
    )
    return text(
        message,
        deck=_name_of(deck or ""),
        count=len(missing),
        of=len(wanted),
        game=game,
        cards=spaced([card.glyph for card in missing]),
    )


def _name_of(deck: str) -> str:
    return Path(deck).name.removesuffix(SUFFIX)


def _no_such_deck(deck: str, path: Path) -> Text:
    """Return the message that the deck does not exist, with the existing decks and how to make a new one."""
    from vision.decks.deck import check_name

    names = (ORDINARY, GERMAN, *deck_names(path.parent))
    wanted = _name_of(deck)
    if is_printed(wanted):
        return needs_no_learning(wanted)
    message = "there is no deck {wanted!r} in {parent}{guess}; decks known here: {names}"
    known = {"wanted": wanted, "parent": path.parent, "guess": suggestion(wanted, names), "names": ", ".join(names)}
    known_decks = text(message, **known)
    try:
        check_name(wanted)
    except ValueError as error:
        return text("{message}; {error}", message=known_decks, error=str(error))
    return text("{message}; a new one: cardtable deck learn {wanted}", message=known_decks, wanted=wanted)


def deck_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the decks in a folder, sorted."""
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")))


def keep_deck(path: Path, deck: LearnedDeck) -> None:
    """Store the deck, and create its folder if necessary. Raises `CardtableError`."""
    from vision.decks.deck import save_deck

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_deck(path, deck)
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> CardtableError:
    """Return the error that the file `path` cannot be written."""
    return CardtableError(
        text("{path} cannot be written: {why}; make room, or change its permissions", path=path, why=why(error))
    )
