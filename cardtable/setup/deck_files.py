"""Files of learned decks: store, list, export, import, and learn or test a deck with pictures from a folder.

A deck file is locked while a deck is learned, so that only one program at a time learns it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from cardtable.config.decks import cannot_write
from cardtable.errors import CardtableError, UsageError
from cardtable.journal.file import GameLock, GameLocked
from cardtable.terminal.progress import Reporter
from engine.texts import plural, spaced, text

if TYPE_CHECKING:
    from cardtable.setup.deck_lessons import Exam
    from engine.cards import Card
    from vision.decks.deck import LearnedDeck
    from vision.decks.pictures import PictureProblem
    from vision.frames import Image


class DeckStore:
    """Store the deck each time it is called. A deck without cards does not replace an existing one."""

    def __init__(self, path: Path, deck: LearnedDeck) -> None:
        self._path = path
        self._deck = deck
        self._begun = False

    def __call__(self) -> None:
        """Store the deck, unless nothing has been learned yet."""
        from cardtable.config.decks import keep_deck

        self._begun = self._begun or bool(self._deck.faces)
        if self._begun:
            keep_deck(self._path, self._deck)


def list_decks(folder: Path, reporter: Reporter) -> int:
    """Report every deck in `folder`; return 1 if one of them cannot be read, else 0."""
    from cardtable.config.decks import deck_names, find_deck

    failed = 0
    names = deck_names(folder)
    for name in names:
        try:
            deck = find_deck(name, folder.parent)
        except UsageError as error:
            failed = 1
            reporter.report(text("{deck}: {error}", deck=name, error=str(error)), {"deck": name, "error": str(error)})
            continue
        cards = [str(card) for card in deck.faces]
        about = plural("{deck}: {count} card", "{deck}: {count} cards", len(cards), deck=name)
        if deck.size_mm:
            width, height = (f"{side:g}" for side in deck.size_mm)
            about = text("{cards}, {width} × {height} mm", cards=about, width=width, height=height)
        reporter.report(
            text("{deck}: {cards}", deck=about, cards=spaced([card.glyph for card in deck.faces])),
            {"deck": name, "file": str(folder / f"{name}.deck"), "size_mm": deck.size_mm, "cards": cards},
        )
    if not names:
        reporter.say(text("no deck in {folder}; to learn one: cardtable deck learn my-deck", folder=folder))
    return failed


def export_deck(name: str, to: Path | None, folder: Path, reporter: Reporter) -> int:
    """Write the deck `name` to the file or folder `to`, by default the current folder; return 0.

    Raises `UsageError` if the deck does not exist, `CardtableError` if the file cannot be written.
    """
    from cardtable.config.decks import SUFFIX, find_deck, keep_deck

    deck = find_deck(name, folder.parent)
    deck.name = Path(name).name.removesuffix(SUFFIX)  # a renamed file gives the deck its new name
    path = to or Path()
    if path.is_dir():
        path /= f"{deck.name}{SUFFIX}"
    keep_deck(path, deck)
    return _report_deck(deck, path, reporter)


def import_deck(file: Path, name: str | None, replace: bool, folder: Path, reporter: Reporter) -> int:
    """Check the deck in `file`, and store it under `name` or its present name; return 0.

    `replace` allows an existing deck to be replaced. Raises `UsageError` and `CardtableError`.
    """
    from cardtable.config.decks import deck_file, keep_deck
    from vision.decks.deck import BadDeck, check_name, load_deck

    try:
        deck = load_deck(file)
    except FileNotFoundError:
        raise UsageError(text("deck import: there is no file {name}", name=file)) from None
    except BadDeck as error:
        raise UsageError(text("deck import: {error}", error=str(error))) from error
    try:
        deck.name = check_name(name or deck.name)
    except ValueError as error:
        message = "deck import: {name!r}: {error}; name it: cardtable deck import {file} my-deck"
        raise UsageError(text(message, name=name or deck.name, error=str(error), file=file)) from error
    path = deck_file(deck.name, folder.parent)
    if path.exists() and not replace:
        message = "deck import: {name} is here already; replace it with --anew, or name it: … NEW-NAME"
        raise UsageError(text(message, name=deck.name))
    with one_learner(path):
        keep_deck(path, deck)
    return _report_deck(deck, path, reporter)


def _report_deck(deck: LearnedDeck, path: Path, reporter: Reporter) -> int:
    reporter.report(
        plural(
            "{deck}: {count} card, in {file}",
            "{deck}: {count} cards, in {file}",
            len(deck.faces),
            deck=deck.name,
            file=path,
        ),
        {"deck": deck.name, "file": str(path), "cards": len(deck.faces)},
    )
    return 0


@contextmanager
def one_learner(path: Path) -> Iterator[None]:
    """Lock the deck file `path` within the `with` block, and create its folder if necessary.

    Raises `CardtableError` if another program holds the lock or the folder is not writable, before any card is shown.
    """
    lock = GameLock(path.with_name(f".{path.name}"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.take(0)
    except GameLocked:
        raise CardtableError(
            text("another program is learning {path} already: wait until it has ended", path=path)
        ) from None
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        yield
    finally:
        lock.release()


class _CardFace(NamedTuple):
    """The result for one picture: the card in its file name, and the card's face.

    Either is None if there is none; `trouble` then says why.
    """

    card: Card | None
    face: Image | None
    trouble: str


def learn_pictures(folder: Path, deck: LearnedDeck, reporter: Reporter) -> int:
    """Learn the pictures in `folder`; return the number of unusable ones. Raises `UsageError` if none is usable."""
    failed = learned = 0
    for card, face, trouble in _faces_in(folder, reporter):
        if face is None or card is None:
            failed += 1
            reporter.report(trouble, {"card": str(card) if card else None, "learned": False, "error": trouble})
        else:
            learned += 1
            deck.faces[card] = face
            reporter.report(text("{card} is learned.", card=card.glyph), {"card": str(card), "learned": True})
    if not learned:
        raise _no_pictures("learn", folder)
    return failed


def examine_pictures(folder: Path, deck: LearnedDeck, reporter: Reporter) -> tuple[Exam, int]:
    """Test the deck with the pictures in `folder`; return the result, and the number of unusable pictures.

    Raises `UsageError` if none is usable.
    """
    from cardtable.setup.deck_lessons import Exam

    failed = 0
    found: list[tuple[Card, Image]] = []
    for card, face, trouble in _faces_in(folder, reporter):
        if face is None or card is None:
            failed += 1
            reporter.report(trouble, {"card": str(card) if card else None, "read": None, "error": trouble})
        else:
            found.append((card, face))
    if not found:
        raise _no_pictures("test", folder)
    exam = Exam(deck, [card for card, _ in found])
    for _, face in found:
        exam.show(face)
    return exam, failed


def check_folder(folder: Path) -> None:
    """Raise `UsageError` unless `folder` is a folder."""
    if not folder.is_dir():
        raise UsageError(text("deck: --from: there is no folder {folder}", folder=folder))


def pictures_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each picture in a folder, in the order of a sorted deck.

    A file named after a card is included even if it does not look like a picture, so that an error is reported.
    """
    from vision.cameras.sources import PICTURES

    for position, path in sorted((_position(path.stem), path) for path in folder.iterdir()):
        if path.suffix.lower() in PICTURES or (position < _NO_CARD and path.is_file()):
            yield path.stem, path


_NO_CARD: Final = (2, "", 0)


def _position(name: str) -> tuple[int, str, int]:
    """Return a sort key: cards suit by suit, then numbered cards colour by colour, then all other names."""
    from engine.cards import RANKS, SUITS, UnknownCard, parse_card

    try:
        card = parse_card(name)
    except UnknownCard:
        return _NO_CARD
    if card.suit in SUITS:
        return 0, str(SUITS.index(card.suit)), RANKS.index(card.rank)
    return 1, card.suit, int(card.rank)


def _no_pictures(action: str, folder: Path) -> UsageError:
    message = "deck {what}: {folder} has no picture of a card, named like QS.png or brown-1.jpg"
    return UsageError(text(message, what=action, folder=folder))


def _faces_in(folder: Path, reporter: Reporter) -> list[_CardFace]:
    """Return the results for all pictures in a folder. They are judged together, because they show one deck."""
    from engine.cards import UnknownCard, parse_card
    from vision.decks.pictures import CardPicture, analyze_picture, extract_faces
    from vision.image_files import NotAPicture, load_picture

    check_folder(folder)
    first: dict[Card, str] = {}
    looked: list[tuple[str, Card | None, CardPicture | str]] = []
    with reporter.progress() as progress:
        for name, path in progress.each(list(pictures_in(folder)), text("reading the pictures")):
            card = None
            seen: CardPicture | str
            try:
                card = parse_card(name)
                if card in first:
                    message = "{file}: {card} is in {other} already: take one of them away"
                    seen = text(message, file=path.name, card=card.glyph, other=first[card])
                else:
                    seen = analyze_picture(load_picture(path, upright=True))
                    first[card] = path.name
            except (UnknownCard, NotAPicture) as error:
                seen = text("{file}: {error}", file=path.name, error=str(error))
            looked.append((path.name, card, seen))
    found = iter(extract_faces([seen for _, _, seen in looked if isinstance(seen, CardPicture)]))
    return [
        _CardFace(card, None, seen) if isinstance(seen, str) else _result(card, next(found), file)
        for file, card, seen in looked
    ]


def _result(card: Card | None, face: Image | PictureProblem, file: str) -> _CardFace:
    if not isinstance(face, str):
        return _CardFace(card, face, "")
    if face == "no card":
        message = "{file}: no card is found in it: lay it alone on plain dark cloth, or cut the picture at its edges"
        return _CardFace(card, None, text(message, file=file))
    return _CardFace(card, None, text("{file}: several cards are found in it: lay one alone", file=file))
