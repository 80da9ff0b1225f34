"""`cardtable deck … --from FOLDER`: learn a deck from pictures, or test it with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from cardtable.errors import UsageError
from cardtable.terminal.progress import Reporter
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.deck_learning.lessons import Exam
    from engine.cards import Card
    from vision.decks.deck import OwnDeck
    from vision.decks.pictures import PictureProblem
    from vision.frames import Image


class _CardFace(NamedTuple):
    """The result for one picture.

    `card`: the one that the file is named after, None if it is named after none. `face`: its picture, None if it cannot
    be used; `trouble` then says why.
    """

    card: Card | None
    face: Image | None
    trouble: str


def learn_pictures(folder: Path, deck: OwnDeck, reporter: Reporter) -> int:
    """Learn the pictures of `folder`; return how many could not be used. Raises `UsageError` if none could."""
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


def examine_pictures(folder: Path, deck: OwnDeck, reporter: Reporter) -> tuple[Exam, int]:
    """Test the deck with the pictures of `folder`; return the result, and how many pictures could not be used.

    Raises `UsageError` if none could.
    """
    from cardtable.deck_learning.lessons import Exam

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
    """Yield the pictures of a folder and the card names that they are called by, in the order of a sorted deck.

    A file named after a card is included even if it does not look like a picture, so that an error is reported for it.
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


def _no_pictures(what: str, folder: Path) -> UsageError:
    message = "deck {what}: {folder} has no picture of a card, named like QS.png or brown-1.jpg"
    return UsageError(text(message, what=what, folder=folder))


def _faces_in(folder: Path, reporter: Reporter) -> list[_CardFace]:
    """Return the results for all pictures of a folder; they are judged together, because they show one deck."""
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
