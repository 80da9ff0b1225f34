"""`cardtable deck`: check any deck; learn a custom deck, one look at each card; list, test, export, import decks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.errors import UsageError
from cardtable.setup.deck_files import (
    DeckStore,
    check_folder,
    examine_pictures,
    export_deck,
    import_deck,
    learn_pictures,
    list_decks,
)
from cardtable.terminal.arguments import add_config, add_port
from cardtable.terminal.output import say
from cardtable.terminal.progress import Reporter, load
from engine.texts import Text, plural, spaced, text

if TYPE_CHECKING:
    from cardtable.config.model import TableConfig
    from cardtable.setup.deck_lessons import Exam, Lesson, Misread
    from cardtable.web.guide import Guide
    from engine.cards import Card
    from vision.decks.deck import LearnedDeck

SUMMARY = text("check any deck; learn, test, list, export or import your own decks")
ACTIVITY = text("preparing the deck")
EXAMPLE = text("""cardtable deck check                            (lay the cards in any order: which are read?)
  cardtable deck learn my-deck --game its-15     (show each card once)
  cardtable deck learn my-deck --from pictures/   (or a picture of each, named brown-1.jpg, QS.png)
  cardtable deck test my-deck                     (lay the sorted deck card by card)
  cardtable deck list
  cardtable deck export my-deck my-deck.deck      (and: cardtable deck import my-deck.deck)
  cardtable deck learn try --game its-15 --source 'synthetic:deck?game=its-15' --no-page""")
WHAT: Final = ("check", "learn", "list", "test", "export", "import")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = text(
        "{summary}.\ncheck, learn and test end with status 0 if every card was read or learned, 1 if not, and 2 if an "
        "argument is wrong.",
        summary=SUMMARY,
    )
    parser.add_argument(
        "what",
        choices=WHAT,
        metavar="|".join(WHAT),
        help=text(
            "check: report which cards of any deck are read, laid in any order, six at a time (about two minutes); "
            "learn: learn a deck; test: read a learned deck card by card; list: list the learned decks; "
            "export, import: write one to a file, read one from a file"
        ),
    )
    about_name = text("the deck's name: small letters, digits and -; check: german-suits, or a learned deck")
    parser.add_argument("name", nargs="?", metavar="NAME", help=about_name)
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help=text("export: the file to write; import: the deck's name (NAME is then the file)"),
    )
    add_config(parser, None, text("the configuration of the table that the deck is for (default: table.toml)"))
    parser.add_argument(
        "--game", metavar="G", help=text("check, learn: the game that the cards are for (default: the table's)")
    )
    parser.add_argument(
        "--cards",
        metavar="A,B",
        help=text("check, learn, test: only these cards, in this order, such as QS,10H or trump-1,trump-2"),
    )
    parser.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="FOLDER",
        help=text("learn, test: read pictures in FOLDER, each named after its card"),
    )
    parser.add_argument(
        "--source", metavar="SOURCE", help=text("use this source, as for watch, instead of the table's camera")
    )
    parser.add_argument(
        "--anew",
        dest="replace",
        action="store_true",
        help=text("learn: forget what was learned of this deck; import: replace it"),
    )
    parser.add_argument("--no-page", action="store_true", help=text("print the steps only in the terminal"))
    add_port(parser)
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each card or deck"))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return 1 if a card was misread or not learned, else 0. Raises `CardtableError`."""
    from cardtable.config.decks import FOLDER
    from cardtable.config.load import find_config

    config = find_config(args.config)
    folder = Path(args.config or "table.toml").parent / FOLDER
    if args.folder is not None and args.what not in ("learn", "test"):
        message = "deck {what} takes no pictures from a folder: leave --from out, and lay the cards before the camera"
        raise UsageError(text(message, what=args.what))
    if args.what == "list":
        return list_decks(folder, Reporter(args.json))
    if args.what == "check":
        return _check(args, config)
    if args.name is None:
        raise UsageError(
            text("deck {what}: NAME is missing; for example: cardtable deck {what} my-deck", what=args.what)
        )
    if args.what == "export":
        return export_deck(args.name, args.file, folder, Reporter(args.json))
    if args.what == "import":
        name = str(args.file) if args.file else None
        return import_deck(Path(args.name), name, args.replace, folder, Reporter(args.json))
    if args.file is not None:
        raise UsageError(text("deck {what}: {file!r} is one argument too many", what=args.what, file=str(args.file)))
    return _learn(args, config, folder) if args.what == "learn" else _test(args, config, folder)


def _learn(args: argparse.Namespace, config: TableConfig, folder: Path) -> int:
    from cardtable.config.decks import deck_file, is_printed, needs_no_learning
    from cardtable.setup.deck_files import one_learner
    from vision.decks.deck import check_name

    if is_printed(args.name):
        raise UsageError(needs_no_learning(args.name))
    try:
        name = check_name(args.name)
    except ValueError as error:
        raise UsageError(text("deck learn: {name!r}: {error}", name=args.name, error=str(error))) from error
    if args.folder is not None:
        check_folder(args.folder)
    wanted = _wanted(args, config) if args.folder is None or args.game or args.cards else []
    path = deck_file(name, folder.parent)
    with one_learner(path):
        return _learn_locked(args, config, name, path, wanted)


def _learn_locked(args: argparse.Namespace, config: TableConfig, name: str, path: Path, wanted: list[Card]) -> int:
    """Learn the deck while its file is locked. `wanted`: the cards to show."""
    from cardtable.config.decks import find_deck, keep_deck
    from cardtable.setup.deck_lessons import Lesson, alike
    from vision.decks.deck import LearnedDeck

    deck = LearnedDeck(name) if args.replace or not path.exists() else find_deck(name, path.parent.parent)
    reporter = Reporter(args.json)
    if args.folder is not None:
        failed = learn_pictures(args.folder, deck, reporter)
        keep_deck(path, deck)
        if missing := [card.glyph for card in wanted if card not in deck.faces]:
            failed += len(missing)
            reporter.warn(text("{folder} has no picture of {cards}", folder=args.folder, cards=spaced(missing)))
    else:
        lesson = Lesson(deck, wanted)
        if lesson.next is None:
            raise UsageError(
                text("deck learn: all cards of {name} are learned; to learn them again: --anew", name=name)
            )
        try:
            _show(args, config, lesson, reporter, DeckStore(path, deck))
        except KeyboardInterrupt:
            learned = _learned(deck, name)
            message = text("{learned}; the same command learns the others", learned=learned)
            if args.replace:
                message = text("{learned}; the same command without --anew learns the others", learned=learned)
            if not deck.faces:
                message = text("{deck}: nothing was learned, and nothing has changed", deck=name)
            reporter.warn(message)
            raise
        done, of = lesson.progress
        failed = of - done
    for first, second in alike(deck):
        warning = "{first} and {second} look nearly alike: where the picture is not sharp enough, neither is read"
        reporter.warn(text(warning, first=first.glyph, second=second.glyph))
    summary = _learned(deck, name)
    if failed:
        failures = plural("{count} is not", "{count} are not", failed)
        summary = text("{learned}, {failures}", learned=summary, failures=failures)
    reporter.report(
        summary,
        {"deck": name, "file": str(path), "cards": len(deck.faces), "missing": failed},
    )
    return 1 if failed else 0


def _learned(deck: LearnedDeck, name: str) -> Text:
    return plural("{deck}: {count} card is learned", "{deck}: {count} cards are learned", len(deck.faces), deck=name)


def _check(args: argparse.Namespace, config: TableConfig) -> int:
    load("cv2", "cardtable.setup.deck_course")
    from cardtable.setup.deck_course import check_deck
    from engine.games import load_game

    reporter = Reporter(args.json)
    wanted = _wanted(args, config)
    if not args.cards:  # every copy is laid once
        wanted = list(load_game(args.game or config.header.game).deck.cards)
    with ExitStack() as stack:
        page = _page(args, config, stack)
        report = check_deck(wanted, config, args.source, args.name, page, reporter)
    if args.json:
        reporter.report("", report.to_json())
    else:
        for line in report.lines():
            reporter.report(line, {})
    return 0 if report.complete else 1


def _test(args: argparse.Namespace, config: TableConfig, folder: Path) -> int:
    from cardtable.config.decks import find_deck
    from cardtable.setup.deck_lessons import Exam

    deck = find_deck(args.name, folder.parent)
    if not deck.faces:
        message = "deck test: {deck} has no cards yet: cardtable deck learn {deck}"
        raise UsageError(text(message, deck=args.name))
    reporter = Reporter(args.json)
    failed = 0
    if args.folder is not None:
        exam, failed = examine_pictures(args.folder, deck, reporter)
    else:
        exam = Exam(deck, _named_cards(args) or list(deck.faces))
        _show(args, config, exam, reporter, lambda: None)
    for wrong in exam.misread:
        reporter.report(*_misread(wrong))
    laid, of = exam.laid, exam.progress[1] + failed
    summary = text("{deck}: {right} of {done} read", deck=args.name, right=laid - len(exam.misread), done=laid)
    if of > laid:
        summary = text(
            "{deck}: {right} of {done} read; {left} not laid",
            deck=args.name,
            right=laid - len(exam.misread),
            done=laid,
            left=of - laid,
        )
    reporter.report(summary, {"deck": args.name, "laid": laid, "of": of, "misread": len(exam.misread)})
    return 1 if exam.misread or laid < of else 0


def _misread(wrong: Misread) -> tuple[str, dict[str, Any]]:
    return wrong.text, {
        "card": str(wrong.shown),
        "read": str(wrong.read) if wrong.read else None,
        "nearest": str(wrong.nearest) if wrong.nearest else None,
    }


def _wanted(args: argparse.Namespace, config: TableConfig) -> list[Card]:
    """Return the cards to show, in order: those of `--cards`, or each different card of the game."""
    from cardtable.evening.playing import checked
    from engine.games import game_names, load_game
    from engine.record import Header

    if args.cards:
        return _named_cards(args)
    game = args.game or config.header.game
    if game not in game_names():
        checked(Header(game, ("Ann", "Bo")))  # raises an error that lists the games
    return list(load_game(game).deck)


def _named_cards(args: argparse.Namespace) -> list[Card]:
    """Return the cards of `--cards`. Raises `UsageError`."""
    from engine.cards import UnknownCard, parse_card

    try:
        return [parse_card(name.strip()) for name in args.cards.split(",")] if args.cards else []
    except UnknownCard as error:
        raise UsageError(text("deck: --cards: {error}", error=str(error))) from error


def _show(
    args: argparse.Namespace, config: TableConfig, lesson: Lesson | Exam, reporter: Reporter, store: Callable[[], None]
) -> None:
    """Go through the cards in front of the camera, until all are done or the user stops."""
    load("cv2", "cardtable.setup.deck_course")
    from cardtable.setup.deck_course import Course, open_deck_camera
    from cardtable.table.cameras import mat_for
    from cardtable.terminal.input import Typed

    with ExitStack() as stack:
        source = stack.enter_context(closing(open_deck_camera(args.source, config)))
        guide = _page(args, config, stack)
        typed = Typed(sys.stdin) if sys.stdin is not None and sys.stdin.isatty() and not args.json else None
        Course(lesson, source, mat_for(config.header), args.name, reporter, store, guide, typed).run()


def _page(args: argparse.Namespace, config: TableConfig, stack: ExitStack) -> Guide | None:
    """Serve the page with instructions until `stack` is closed; return None with `--no-page`."""
    from cardtable.web.access import Access
    from cardtable.web.access_file import phones_file
    from cardtable.web.guide import Guide

    if args.no_page:
        return None
    board = config.board if args.port is None else config.board.model_copy(update={"port": args.port})
    access = Access(config.access, phones_file(config.journal))
    guide = stack.enter_context(closing(Guide(board, config.language, access)))
    say(text("what to do, step by step: {url} (Ctrl-C ends)", url=guide.url), sys.stderr)
    return guide
