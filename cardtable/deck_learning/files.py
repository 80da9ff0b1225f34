"""The files of the learned decks: kept while one is learned, listed, exported and imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.errors import UsageError
from cardtable.terminal.progress import Reporter
from engine.texts import plural, spaced, text

if TYPE_CHECKING:
    from vision.decks.deck import OwnDeck


class DeckStore:
    """Stores the deck each time it is called; an existing deck is not replaced by one without cards."""

    def __init__(self, path: Path, deck: OwnDeck) -> None:
        self._path = path
        self._deck = deck
        self._begun = False

    def __call__(self) -> None:
        """Store it, unless nothing has been learned yet."""
        from cardtable.decks.library import keep_deck

        self._begun = self._begun or bool(self._deck.faces)
        if self._begun:
            keep_deck(self._path, self._deck)


def list_decks(folder: Path, reporter: Reporter) -> int:
    """Report every deck in `folder`; return 1 if one of them cannot be read, else 0."""
    from cardtable.decks.library import deck_names, find_deck

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
    """Write the deck `name` to the file `to`, or into that folder (None: the current one); return 0.

    Raises `UsageError` if the deck does not exist, `CardtableError` if the file cannot be written.
    """
    from cardtable.decks.library import SUFFIX, find_deck, keep_deck

    deck = find_deck(name, folder.parent)
    deck.name = Path(name).name.removesuffix(SUFFIX)  # a renamed file gives the deck its new name
    path = to or Path()
    if path.is_dir():
        path /= f"{deck.name}{SUFFIX}"
    keep_deck(path, deck)
    return _report_deck(deck, path, reporter)


def import_deck(file: Path, name: str | None, replace: bool, folder: Path, reporter: Reporter) -> int:
    """Check the deck in `file` and store it as `name` (None: its own name); return 0.

    `replace`: a deck of that name may exist already. Raises `UsageError`, `CardtableError`.
    """
    from cardtable.deck_learning.learner_lock import one_learner
    from cardtable.decks.library import deck_file, keep_deck
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


def _report_deck(deck: OwnDeck, path: Path, reporter: Reporter) -> int:
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
