"""`cardtable print`: mat, marks and cards on paper, as PDF at true size."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cardtable.errors import UsageError, guess_or_all, why
from cardtable.languages import LANGUAGES, translator
from cardtable.terminal.output import say
from cardtable.terminal.progress import Progress, load
from engine.texts import Translate, both, plural, span, text

if TYPE_CHECKING:
    from cardtable.paper.drawings import Marks
    from cardtable.paper.pdf import Page
    from engine.cards import Card
    from engine.observations import ActionCard
    from engine.rules.game import Game
    from vision.frames import Image
    from vision.mat.layout import Mat

SUMMARY = text("make PDF files of corner marks, mats, marked cards and action cards")
ACTIVITY = text("preparing the sheets")
EXAMPLE = """cardtable print mat --game all-fives --players 3 -o mat.pdf
  cardtable print deck --marks aruco -o deck.pdf
  cardtable print actions --game all-fives -o actions.pdf --png pictures"""

THINGS: Final = ("corners", "mat", "deck", "actions")
PX_PER_MM: Final = 12.0
"""Resolution of the pictures that `--png` writes: 305 dots per inch."""
MAT_PX_PER_MM: Final = 4.0
_BELONGS: Final = {
    "game": ("mat", "deck", "actions"),
    "players": ("mat",),
    "zones": ("mat",),
    "a4": ("mat",),
    "plain": ("mat",),
    "marks": ("deck", "actions"),
    "labels": ("deck",),
    "copies": ("actions",),
}
"""Option → the things for which it is allowed."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("thing", choices=THINGS, metavar="|".join(THINGS), help=text("what to print"))
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.pdf", help=text("the PDF file to write"))
    parser.add_argument(
        "--png", type=Path, metavar="DIR", help=text("also write each card (or the mat) as a picture in DIR")
    )
    parser.add_argument(
        "--game",
        help=text(
            "the game that the mat, the deck or the action cards are for (default for action cards: those of the table)"
        ),
    )
    parser.add_argument("--players", type=int, metavar="N", help=text("mat: the number of players"))
    parser.add_argument("--zones", action="store_true", help=text("mat: print its geometry as JSON on standard output"))
    parser.add_argument("--a4", action="store_true", help=text("mat: divide it into A4 pages to be glued together"))
    parser.add_argument(
        "--plain", action="store_true", help=text("mat: leave the background white, which needs less ink")
    )
    parser.add_argument(
        "--marks", choices=("qr", "aruco"), help=text("deck, actions: the marks on the cards (default: aruco)")
    )
    parser.add_argument(
        "--labels", action="store_true", help=text("deck: print labels to stick on the cards of an ordinary deck")
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, help=text("language of the printed texts and of the terminal (default: en)")
    )
    parser.add_argument(
        "--copies", type=int, metavar="N", help=text("actions: the number of copies of each card (default: 1)")
    )


def run(args: argparse.Namespace) -> int:
    """Write the files and return 0. Raises `UsageError` for wrong arguments and files that cannot be written."""
    thing: str = args.thing
    for option, things in _BELONGS.items():
        if getattr(args, option) not in (None, False) and thing not in things:
            raise UsageError(
                text(
                    "print {thing}: --{option} belongs to {things}",
                    thing=thing,
                    option=option,
                    things=both([f"print {each}" for each in things]),
                )
            )
    if args.output is None and args.png is None and not args.zones:
        raise UsageError(text("print {thing}: say where to write it: -o {thing}.pdf", thing=thing))
    if args.output is not None and args.output.suffix.lower() in (".png", ".jpg", ".jpeg", ".svg"):
        raise UsageError(
            text(
                "print {thing}: {output} would be a PDF; pictures go into a folder: --png pictures",
                thing=thing,
                output=args.output,
            )
        )
    load("cv2", "fpdf", "cardtable.paper.pdf")
    with Progress(shown=not args.zones) as progress:
        {"corners": _corners, "mat": _mat, "deck": _deck, "actions": _actions}[thing](args, progress)
    return 0


def _corners(args: argparse.Namespace, progress: Progress) -> None:
    from cardtable.paper.drawings import corner_picture
    from cardtable.paper.pdf import corner_page
    from vision.marks.names import CORNER_IDS

    translate = translator(args.language or "en")
    _write_pdf(progress, args.output, [corner_page(translate)], translate("Corner marks"))
    _write_pictures(progress, args.png, ((f"corner-{id_}", corner_picture(id_, PX_PER_MM)) for id_ in CORNER_IDS))


def _mat(args: argparse.Namespace, progress: Progress) -> None:
    from cardtable.paper.drawings import mat_picture
    from cardtable.paper.pdf import mat_page, mat_tiles

    game = _game(args, "mat")
    mat, players = _laid_out(game, args.players)
    translate = translator(args.language or "en")
    title = translate("Mat for {game}, {players} players").format(game=game.title, players=players)
    if args.output is not None:
        pages = [mat_page(mat, plain=args.plain, translate=translate)]
        if args.a4:
            pages = mat_tiles(mat, title, plain=args.plain, translate=translate)
        _write_pdf(progress, args.output, pages, title, quiet=args.zones)
    if args.png is not None:
        picture = mat_picture(mat, MAT_PX_PER_MM, plain=args.plain, translate=translate)
        _write_pictures(progress, args.png, [("mat", picture)], quiet=args.zones)
    if args.zones:
        print(json.dumps(mat.to_json()))


def _laid_out(game: type[Game], players: int | None) -> tuple[Mat, int]:
    from vision.mat.layout import lay_out

    seats = game.seats
    count = seats[0] if players is None else players
    if count not in seats:
        message = "print mat: {title} is for {span} players, not {players}"
        raise UsageError(text(message, title=game.title, span=span(seats), players=count))
    return lay_out(count, game.zones), count


def _deck(args: argparse.Namespace, progress: Progress) -> None:
    from cardtable.paper.pdf import card_pages, label_pages
    from engine.cards import STANDARD_DECK

    deck = STANDARD_DECK if args.game is None else _game(args, "deck").deck
    marks: Marks = args.marks or "aruco"
    translate = translator(args.language or "en")
    title = translate("Labels") if args.labels else translate("Deck")
    cards = progress.each(deck.cards, text("drawing the cards"))
    pages = label_pages(cards, marks, title, translate) if args.labels else card_pages(cards, marks, title, translate)
    _write_pdf(progress, args.output, pages, title)
    _write_cards(progress, args.png, list(deck), marks, translate)


def _actions(args: argparse.Namespace, progress: Progress) -> None:
    from cardtable.paper.pdf import card_pages
    from engine.games import table_words, word_marks
    from engine.observations import ActionCard

    translate = translator(args.language or "en")
    if args.game is None:
        vocabulary, ids = table_words(), word_marks()
        title = translate("Action cards for the table")
    else:
        game = _game(args, "actions")
        if not game.words:
            message = "print actions: nothing is said in {title}, so it has no action cards"
            raise UsageError(text(message, title=game.title))
        vocabulary, ids = tuple(game.vocabulary), word_marks(game.name)
        title = translate("Action cards for {game}").format(game=game.title)
    copies = 1 if args.copies is None else args.copies
    if not 1 <= copies <= 20:
        raise UsageError(text("print actions: --copies is a number from 1 to 20, not {copies}", copies=copies))
    words = [ActionCard(word) for word in vocabulary]
    marks: Marks = args.marks or ("aruco" if set(vocabulary) <= ids.keys() else "qr")
    cards = [word for word in words for _ in range(copies)]
    _write_pdf(
        progress,
        args.output,
        card_pages(progress.each(cards, text("drawing the cards")), marks, title, translate, ids),
        title,
    )
    _write_cards(progress, args.png, words, marks, translate, ids)


def _game(args: argparse.Namespace, thing: str) -> type[Game]:
    from engine.games import game_names, load_game

    names = game_names()
    if args.game is None:
        raise UsageError(
            text("print {thing}: --game is missing; choose from {names}", thing=thing, names=", ".join(names))
        )
    if args.game not in names:
        guess = guess_or_all(args.game, names)
        raise UsageError(
            text("print {thing}: there is no game {game!r}{guess}", thing=thing, game=args.game, guess=guess)
        )
    return load_game(args.game)


def _write_pdf(
    progress: Progress, path: Path | None, pages: Sequence[Page], title: str, *, quiet: bool = False
) -> None:
    from cardtable.paper.pdf import pdf_bytes
    from vision.atomic_files import store

    if path is None:
        return
    try:
        store(path, pdf_bytes(progress.each(pages, text("drawing the pages")), title))
    except OSError as error:
        raise _unwritable(path, error) from None
    if not quiet:
        progress.clear()
        single = "{path}: {count} page; print at 100 %, not “fit to page”"
        many = "{path}: {count} pages; print at 100 %, not “fit to page”"
        say(plural(single, many, len(pages), path=path))


def _write_cards(
    progress: Progress,
    folder: Path | None,
    faces: Iterable[Card | ActionCard],
    marks: Marks,
    translate: Translate,
    words: Mapping[str, int] | None = None,
) -> None:
    from cardtable.paper.drawings import card_picture
    from engine.observations import ActionCard

    def name(face: Card | ActionCard) -> str:
        return face.text if isinstance(face, ActionCard) else str(face)

    _write_pictures(
        progress, folder, ((name(face), card_picture(face, marks, PX_PER_MM, translate, words or {})) for face in faces)
    )


def _write_pictures(
    progress: Progress, folder: Path | None, pictures: Iterable[tuple[str, Image]], *, quiet: bool = False
) -> None:
    import cv2

    from vision.atomic_files import store

    if folder is None:
        return
    count = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, image in pictures:
            progress.at(text("drawing picture {name}", name=name))
            _, data = cv2.imencode(".png", image)
            store(folder / f"{name}.png", data.tobytes())
            count += 1
    except OSError as error:
        raise _unwritable(folder, error) from None
    if not quiet:
        progress.clear()
        say(plural("{folder}: {count} picture", "{folder}: {count} pictures", count, folder=folder))


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(
        text(
            "print: cannot write {path}: {reason}; name a file in a folder that you can write to",
            path=path,
            reason=why(error),
        )
    )
