"""`cardtable deck`: decks of one's own are learned from one look at each card, listed, tested, exported, imported."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.cli import port
from cardtable.errors import UsageError
from cardtable.telling import Teller
from cardtable.terminal import say
from engine.texts import spaced, text

if TYPE_CHECKING:
    from cardtable.config import TableConfig
    from cardtable.deck_lessons import Exam, Lesson, Misread
    from engine.cards import Card
    from vision.decks.deck import OwnDeck

SUMMARY = text("learn a deck of your own, list and test such decks, export and import one")
EXAMPLE = text("""cardtable deck learn my-deck --game its-15     (show each card once)
  cardtable deck learn my-deck --from pictures/   (or a picture of each, named brown-1.jpg, QS.png)
  cardtable deck test my-deck                     (lay the sorted deck card by card)
  cardtable deck list
  cardtable deck export my-deck my-deck.deck      (and: cardtable deck import my-deck.deck)
  cardtable deck learn try --game its-15 --source 'synthetic:deck?game=its-15' --no-page""")
WHAT: Final = ("learn", "list", "test", "export", "import")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=WHAT, metavar="|".join(WHAT), help=text("what to do"))
    parser.add_argument("name", nargs="?", metavar="NAME", help=text("the deck: small letters, numbers and -"))
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help=text("export: where to; import: NAME is the file")
    )
    parser.add_argument("-c", "--config", metavar="FILE", help=text("the table whose deck it is (default: table.toml)"))
    parser.add_argument("--game", metavar="G", help=text("learn: the game whose cards they are (default: the table's)"))
    parser.add_argument(
        "--cards", metavar="A,B", help=text("learn: these cards, as QS,10H or trump-1,trump-2, in this order")
    )
    parser.add_argument(
        "--from", dest="folder", type=Path, metavar="FOLDER", help=text("pictures, named by their cards")
    )
    parser.add_argument("--source", metavar="SOURCE", help=text("another camera than the table's, as for watch"))
    parser.add_argument("--anew", action="store_true", help=text("learn: forget what is known of this deck"))
    parser.add_argument("--no-page", action="store_true", help=text("only say in the terminal what to do"))
    parser.add_argument(
        "--port", type=port, metavar="N", help=text("serve the page here, whatever the configuration says")
    )
    parser.add_argument("--json", action="store_true", help=text("one JSON object for each card, or each deck"))


def run(args: argparse.Namespace) -> int:
    """0; 1 where a card was misread, or not learned."""
    from cardtable.config import TableConfig, read_config
    from cardtable.decks import FOLDER

    file = Path(args.config or "table.toml")
    config = read_config(file) if args.config is not None or file.exists() else None
    folder = file.parent / FOLDER
    if args.what == "list":
        return _list(folder, Teller(args.json))
    if args.name is None:
        raise UsageError(
            text("deck {what}: NAME is missing; for example: cardtable deck {what} my-deck", what=args.what)
        )
    if args.what in ("export", "import"):
        return _copy(args, folder, Teller(args.json))
    if args.file is not None:
        raise UsageError(text("deck {what}: {file!r} is one argument too many", what=args.what, file=str(args.file)))
    table = config or TableConfig(game="all-fives", players=("Ann", "Bo"))
    return _learn(args, table, folder) if args.what == "learn" else _test(args, table, folder)


def _learn(args: argparse.Namespace, config: TableConfig, folder: Path) -> int:
    from cardtable.deck_lessons import Lesson, alike
    from cardtable.decks import deck_file, find_deck, keep_deck
    from vision.decks.deck import OwnDeck, check_name

    try:
        name = check_name(args.name)
    except ValueError as error:
        raise UsageError(text("deck learn: {name!r}: {error}", name=args.name, error=str(error))) from error
    path = deck_file(name, folder.parent)
    deck = OwnDeck(name) if args.anew or not path.exists() else find_deck(name, folder.parent)
    teller = Teller(args.json)
    if args.folder is not None:
        failed = _learn_pictures(args, deck, teller)
        keep_deck(path, deck)
    else:
        lesson = Lesson(deck, _wanted(args, config))
        if lesson.next is None:
            raise UsageError(text("deck learn: {name} knows all its cards; to learn them once more: --anew", name=name))
        _show(args, config, lesson, teller, lambda: keep_deck(path, deck))
        done, of = lesson.progress
        failed = of - done
    for one, other in alike(deck):
        told = "{one} and {other} look nearly alike: where the picture is not sharp enough, neither is read"
        teller.warn(text(told, one=one.glyph, other=other.glyph))
    count = len(deck.faces)
    done_with = text("{deck}: {count} cards are learned", deck=name, count=count)
    if failed:
        done_with = text("{deck}: {count} cards are learned, {failed} are not", deck=name, count=count, failed=failed)
    teller.tell(
        done_with,
        {"deck": name, "file": str(path), "cards": len(deck.faces), "missing": failed},
    )
    return 1 if failed else 0


def _learn_pictures(args: argparse.Namespace, deck: OwnDeck, teller: Teller) -> int:
    """Learns from the folder; how many pictures were of no use."""
    failed = 0
    for card, face, trouble in _faces_in(args.folder):
        if face is None or card is None:
            failed += 1
            teller.tell(trouble, {"card": str(card) if card else None, "learned": False, "error": trouble})
        else:
            deck.faces[card] = face
            teller.tell(text("{card} is learned.", card=card.glyph), {"card": str(card), "learned": True})
    if not deck.faces:
        raise _no_pictures(args)
    return failed


def _no_pictures(args: argparse.Namespace) -> UsageError:
    told = "deck {what}: {folder} holds no picture of a card, named like QS.png or brown-1.jpg"
    return UsageError(text(told, what=args.what, folder=args.folder))


def _faces_in(folder: Path) -> Any:
    """The pictures of a folder: the card, its face, and why there is none."""
    from cardtable.decks import pictures_in
    from engine.cards import UnknownCard, parse_card
    from vision.decks.showing import whole_or_only_card
    from vision.see import NotAPicture, load_picture

    if not folder.is_dir():
        raise UsageError(text("deck: --from: there is no folder {folder}", folder=folder))
    for name, path in pictures_in(folder):
        card = None
        try:
            card = parse_card(name)
            face = whole_or_only_card(load_picture(path))
            told = "{file}: no card is found in it: lay it alone on plain dark cloth"
            yield card, face, text(told, file=path.name)
        except (UnknownCard, NotAPicture) as error:
            yield card, None, text("{file}: {error}", file=path.name, error=str(error))


def _test(args: argparse.Namespace, config: TableConfig, folder: Path) -> int:
    from cardtable.deck_lessons import Exam
    from cardtable.decks import find_deck

    deck = find_deck(args.name, folder.parent)
    teller = Teller(args.json)
    if args.folder is not None:
        found = [(card, face) for card, face, _ in _faces_in(args.folder) if card is not None and face is not None]
        if not found:
            raise _no_pictures(args)
        exam = Exam(deck, [card for card, _ in found])
        for _, face in found:
            exam.show(face)
    else:
        exam = Exam(deck, _given(args) or list(deck.faces))
        _show(args, config, exam, teller, lambda: None)
    done, of = exam.progress
    for wrong in exam.misread:
        teller.tell(*_misread(wrong))
    right = done - len(exam.misread)
    told = text("{deck}: {right} of {done} read", deck=args.name, right=right, done=done)
    if of > done:
        left = of - done
        told = text(
            "{deck}: {right} of {done} read; {left} not laid", deck=args.name, right=right, done=done, left=left
        )
    teller.tell(
        told,
        {"deck": args.name, "laid": done, "of": of, "misread": len(exam.misread)},
    )
    return 1 if exam.misread or done < of else 0


def _misread(wrong: Misread) -> tuple[str, dict[str, Any]]:
    out = {
        "card": str(wrong.shown),
        "read": str(wrong.read) if wrong.read else None,
        "nearest": str(wrong.nearest) if wrong.nearest else None,
    }
    card = wrong.shown.glyph
    if wrong.read:
        return text("{card} is read as {other}.", card=card, other=wrong.read.glyph), out
    if wrong.nearest:
        return text("{card} is not read; it is most like {other}.", card=card, other=wrong.nearest.glyph), out
    return text("{card} is not read.", card=card), out


def _list(folder: Path, teller: Teller) -> int:
    from cardtable.decks import deck_names, find_deck

    failed = 0
    names = deck_names(folder)
    for name in names:
        try:
            deck = find_deck(name, folder.parent)
        except UsageError as error:
            failed = 1
            teller.tell(text("{deck}: {error}", deck=name, error=str(error)), {"deck": name, "error": str(error)})
            continue
        cards = [str(card) for card in deck.faces]
        told = text("{deck}: {count} cards", deck=name, count=len(cards))
        if deck.size_mm:
            width, height = (f"{side:g}" for side in deck.size_mm)
            told = text(
                "{deck}: {count} cards, {width} × {height} mm", deck=name, count=len(cards), width=width, height=height
            )
        teller.tell(
            text("{deck}: {cards}", deck=told, cards=spaced([card.glyph for card in deck.faces])),
            {"deck": name, "file": str(folder / f"{name}.deck"), "size_mm": deck.size_mm, "cards": cards},
        )
    if not names:
        teller.say(text("no deck in {folder}; to learn one: cardtable deck learn my-deck", folder=folder))
    return failed


def _copy(args: argparse.Namespace, folder: Path, teller: Teller) -> int:
    """Exports a deck to a file, or imports one, looked at before it is taken."""
    from cardtable.decks import SUFFIX, deck_file, find_deck, keep_deck
    from vision.decks.deck import BadDeck, check_name, load_deck

    if args.what == "export":
        deck = find_deck(args.name, folder.parent)
        path = args.file or Path(f"{args.name}{SUFFIX}")
    else:
        try:
            deck = load_deck(Path(args.name))
            deck.name = check_name(str(args.file) if args.file else deck.name)
        except FileNotFoundError:
            raise UsageError(text("deck import: there is no file {name}", name=args.name)) from None
        except (BadDeck, ValueError) as error:
            raise UsageError(text("deck import: {error}", error=str(error))) from error
        path = deck_file(deck.name, folder.parent)
        if path.exists() and not args.anew:
            told = "deck import: {name} is here already; replace it with --anew, or name it: … NEW-NAME"
            raise UsageError(text(told, name=deck.name))
    keep_deck(path, deck)
    teller.tell(
        text("{deck}: {count} cards, in {file}", deck=deck.name, count=len(deck.faces), file=path),
        {"deck": deck.name, "file": str(path), "cards": len(deck.faces)},
    )
    return 0


def _wanted(args: argparse.Namespace, config: TableConfig) -> list[Card]:
    """The cards to be shown, in order: those given, or each different card of the game."""
    from cardtable.app import checked
    from engine.games import game_names, load_game
    from engine.record import Header

    given = _given(args)
    if given:
        return given
    game = args.game or config.game
    if game not in game_names():
        checked(Header(game, ("Ann", "Bo")))  # which says what games there are
    return list(load_game(game).deck)


def _given(args: argparse.Namespace) -> list[Card]:
    from engine.cards import UnknownCard, parse_card

    try:
        return [parse_card(name.strip()) for name in args.cards.split(",")] if args.cards else []
    except UnknownCard as error:
        raise UsageError(text("deck: --cards: {error}", error=str(error))) from error


def _show(args: argparse.Namespace, config: TableConfig, lesson: Lesson | Exam, teller: Teller, keep: Any) -> None:
    """Goes through the cards with somebody who lays them under the camera, until all are done or it is stopped."""
    from cardtable.board.guide import Guide
    from cardtable.deck_camera import DeckCamera

    board = config.board if args.port is None else config.board.model_copy(update={"port": args.port})
    with ExitStack() as stack:
        camera = stack.enter_context(closing(DeckCamera(args.source, config)))
        guide = None if args.no_page else stack.enter_context(closing(Guide(board, config.language)))
        if guide is not None:
            say(text("what to do, step by step: {url} (Ctrl-C ends)", url=guide.url), sys.stderr)
        try:
            camera.go_through(lesson, guide, args.name, teller, keep)
        finally:
            keep()
