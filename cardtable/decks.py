"""Where decks of one's own are kept: in the folder `decks`, beside the configuration, a file each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.errors import CardtableError, UsageError, suggestion, why
from engine.texts import text

if TYPE_CHECKING:
    from vision.decks.deck import OwnDeck

FOLDER: Final = "decks"
SUFFIX: Final = ".deck"


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
        names = ("ordinary", *deck_names(path.parent))
        wanted = path.name.removesuffix(SUFFIX)
        guess = suggestion(wanted, names)
        raise UsageError(
            text(
                "there is no deck {wanted!r} in {parent}{guess}; decks known here: {names}; "
                "a new one: cardtable deck learn {wanted}",
                wanted=wanted,
                parent=path.parent,
                guess=guess,
                names=", ".join(names),
            )
        ) from None
    except BadDeck as error:
        raise UsageError(str(error)) from error


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
        raise CardtableError(
            text("{path} cannot be written: {why}; make room, or allow it", path=path, why=why(error))
        ) from error


def pictures_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The pictures of a folder, each with the name of the card that its file is called by."""
    from vision.sources import PICTURES

    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in PICTURES:
            yield path.stem, path
