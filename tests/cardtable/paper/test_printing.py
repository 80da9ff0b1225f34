from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from pypdf import PdfReader

from cardtable.cli import main
from cardtable.paper.drawings import card_drawing
from cardtable.paper.pdf import label_pages, mat_page
from cardtable.paper.shapes import picture
from engine.cards import STANDARD_DECK, Card, parse_card
from engine.games import game_names, load_game, word_marks
from engine.observations import ActionCard
from tests.cardtable.paper.pdf_back import PrintedPage, printed
from vision.atomic_files import store
from vision.marks import ArucoReader, QrReader
from vision.marks.aruco import find_marks
from vision.marks.names import ARUCO_MM, aruco_id
from vision.mat.corner_finder import TableFinder
from vision.mat.layout import MARK_MM, lay_out
from vision.readings import CARD_MM, Reader

PX = 5.0
A4 = pytest.approx((210, 297), abs=0.1)


def print_(tmp_path: Path, *arguments: str) -> list[PrintedPage]:
    out = tmp_path / "out.pdf"
    assert main(["print", *arguments, "-o", str(out)]) == 0
    return printed(out)


def marks_mm(page: PrintedPage) -> dict[int, list[np.ndarray]]:
    """The ArUco marks on a printed page: their corners in mm, by id."""
    grey = cv2.cvtColor(page.picture(PX), cv2.COLOR_BGR2GRAY)
    found: dict[int, list[np.ndarray]] = {}
    for mark in find_marks(np.asarray(grey, np.uint8)):
        found.setdefault(mark.id, []).append((mark.corners + 0.5) / PX)
    return found


def has_ruler(page: PrintedPage) -> bool:
    """Whether there is a line of 100 mm on the page."""
    lengths = [float(np.ptp(rings[0][:, 0])) for filled, _, rings in page.painted if not filled and len(rings[0]) == 2]
    return any(length == pytest.approx(100, abs=0.02) for length in lengths)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("marks", "reader"), [("aruco", ArucoReader(word_marks())), ("qr", QrReader())])
def test_a_printed_deck_is_read_at_true_size(tmp_path: Path, marks: str, reader: Reader) -> None:
    pages = print_(tmp_path, "deck", "--marks", marks)
    assert len(pages) == 6
    read: list[Card | ActionCard] = []
    for page in pages:
        assert page.size_mm == A4
        assert has_ruler(page)
        for reading in reader.read(page.picture(PX)):
            read.append(reading.face)
            outline = (reading.outline + 0.5) / PX
            assert np.linalg.norm(outline[1] - outline[0]) == pytest.approx(CARD_MM[0], abs=1.0)
            assert np.linalg.norm(outline[3] - outline[0]) == pytest.approx(CARD_MM[1], abs=1.0)
            left, top = outline.min(axis=0)
            column, row = (left - 10.5) / CARD_MM[0], (top - 12) / CARD_MM[1]
            assert column == pytest.approx(round(column), abs=0.02) and row == pytest.approx(round(row), abs=0.02)
    assert sorted(map(str, read)) == sorted(map(str, STANDARD_DECK))


def test_no_scaling(tmp_path: Path) -> None:
    print_(tmp_path, "corners")
    wishes = PdfReader(tmp_path / "out.pdf").viewer_preferences
    assert wishes is not None and str(wishes.print_scaling) == "/None"


def test_corner_marks_at_true_size(tmp_path: Path) -> None:
    (page,) = print_(tmp_path, "corners")
    assert page.size_mm == A4
    assert has_ruler(page)
    found = marks_mm(page)
    assert sorted(found) == [0, 1, 2, 3]
    places = {}
    for id_, (corners,) in found.items():
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        assert sides == pytest.approx(np.full(4, MARK_MM), abs=0.2)
        assert corners[0][0] < corners[1][0] and corners[0][1] < corners[3][1], "upright"
        # The rendered page is accurate to a pixel; the drawn geometry is exact.
        drawn = [rings[0] for filled, _, rings in page.painted if filled]
        near = min(drawn, key=lambda ring: float(np.abs(ring.min(axis=0) - corners.min(axis=0)).sum()))
        assert np.ptp(near, axis=0) == pytest.approx([MARK_MM, MARK_MM], abs=0.001)
        places[id_] = corners.mean(axis=0)
    assert places[0][0] < places[1][0] and places[0][1] < places[3][1] < places[2][1] + 1


@pytest.mark.parametrize("plain", [False, True])
def test_the_mat_on_one_page_of_its_size(tmp_path: Path, plain: bool) -> None:
    (page,) = print_(tmp_path, "mat", "--game", "all-fives", "--players", "3", *(["--plain"] if plain else []))
    mat = lay_out(3, load_game("all-fives").zones)
    assert page.size_mm == pytest.approx(mat.size_mm, abs=0.1)
    frame = TableFinder(mat).update(page.picture(2.0))
    assert frame is not None
    corners = np.array([(0, 0), (880, 0), (880, 500), (0, 500)]) * 2.0 - 0.5
    assert frame.to_mm(corners) == pytest.approx(np.array([(0, 0), (880, 0), (880, 500), (0, 500)]), abs=0.3)


def test_the_mat_on_a4_pages(tmp_path: Path) -> None:
    pages = print_(tmp_path, "mat", "--game", "all-fives", "--a4")
    assert len(pages) == 10
    found = [(id_, corners) for page in pages for id_, all_ in marks_mm(page).items() for corners in all_]
    whole = [id_ for id_, corners in found if np.ptp(corners, axis=0) == pytest.approx([MARK_MM, MARK_MM], abs=0.2)]
    assert set(whole) == {0, 1, 2, 3}
    assert all(page.size_mm == A4 and has_ruler(page) for page in pages)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", game_names())
def test_every_game_has_its_mat_and_deck(game: str) -> None:
    rules = load_game(game)
    for players in rules.seats:
        mat = lay_out(players, rules.zones)
        assert len(mat_page(mat).drawing) == 1 + len(mat.areas) * 2 + 2 * len(mat.marks)
    for card in rules.deck:
        assert card_drawing(card, "aruco") and card_drawing(card, "qr")
    for word in rules.vocabulary:
        assert aruco_id(ActionCard(word), word_marks(game)) >= 100


def test_the_zones_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", "mat", "--game", "all-fives", "--players", "2", "--zones"]) == 0
    assert json.loads(capsys.readouterr().out) == lay_out(2, load_game("all-fives").zones).to_json()


def test_action_cards_are_read_and_named_by_their_words(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    (page,) = print_(tmp_path, "actions", "--game", "all-fives", "--png", str(folder))
    words = set(load_game("all-fives").vocabulary)
    assert {str(reading.face) for reading in ArucoReader(word_marks()).read(page.picture(PX))} == {
        f"say:{word}" for word in words
    }
    assert {path.name for path in folder.iterdir()} == {f"{word}.png" for word in words}
    for path in folder.iterdir():
        image = cv2.imread(str(path))
        assert image is not None
        (reading,) = ArucoReader(word_marks()).read(np.asarray(image, np.uint8))
        assert reading.face == ActionCard(path.stem)


def test_several_copies_of_action_cards(tmp_path: Path) -> None:
    pages = print_(tmp_path, "actions", "--game", "all-fives", "--copies", "3", "--marks", "qr")
    faces = [reading.face for page in pages for reading in QrReader().read(page.picture(PX))]
    assert sorted(map(str, faces)) == sorted(f"say:{word}" for word in [*load_game("all-fives").vocabulary] * 3)


def test_pictures_of_a_deck_are_named_by_their_cards(tmp_path: Path) -> None:
    assert main(["print", "deck", "--game", "euchre", "--marks", "qr", "--png", str(tmp_path / "qr")]) == 0
    names = {path.name for path in (tmp_path / "qr").iterdir()}
    assert names == {f"{card}.png" for card in load_game("euchre").deck}
    image = cv2.imread(str(tmp_path / "qr" / "10H.png"))
    assert image is not None
    assert image.shape[:2] == (88 * 12, 63 * 12)
    assert [reading.face for reading in QrReader().read(np.asarray(image, np.uint8))] == [parse_card("10H")]


def test_each_copy_of_a_card_gets_a_label_with_two_marks(tmp_path: Path) -> None:
    deck = load_game("its-15").deck
    counts: Counter[int] = Counter()
    for page in print_(tmp_path, "deck", "--labels", "--game", "its-15"):
        for id_, marks in marks_mm(page).items():
            counts[id_] += len(marks)
            for corners in marks:
                assert np.ptp(corners, axis=0) == pytest.approx([ARUCO_MM, ARUCO_MM], abs=0.2)
    assert counts == {aruco_id(card): 2 * deck.copies(card) for card in deck}


@pytest.mark.long
def test_labels_with_qr_codes(tmp_path: Path) -> None:
    pages = print_(tmp_path, "deck", "--labels", "--game", "euchre", "--marks", "qr")
    codes = [reading.face for page in pages for reading in QrReader().read(page.picture(PX))]
    assert sorted(map(str, codes)) == sorted(map(str, load_game("euchre").deck))


def test_a_label_covers_the_mark_of_a_printed_face() -> None:
    card = parse_card("9D")
    page = label_pages([card], "aruco", "Labels")[0]
    label = picture(page.drawing, *page.size_mm, 6.0)
    face = picture(card_drawing(card, "aruco"), *CARD_MM, 6.0)
    left, top = round(9 * 6.0), round(12 * 6.0)
    assert np.abs(label[top + 12 : top + 130, left + 12 : left + 130].astype(int) - face[12:130, 12:130]).mean() < 3


@pytest.mark.parametrize(
    ("kind", "game"), [("actions", "all-fives"), pytest.param("deck", "its-15", marks=pytest.mark.long)]
)
def test_french_cards_have_french_words_and_the_same_marks(tmp_path: Path, kind: str, game: str) -> None:
    english, french = (
        print_(tmp_path, kind, "--game", game, "--language", language)[0].picture(PX) for language in ("en", "fr")
    )
    assert english.shape == french.shape and not np.array_equal(english, french)
    read = [sorted(str(r.face) for r in ArucoReader(word_marks()).read(page)) for page in (english, french)]
    assert read[0] == read[1] and len(read[0]) > 4


def test_the_words_of_a_mat_are_in_the_language_chosen(tmp_path: Path) -> None:
    mats = [print_(tmp_path, "mat", "--game", "cribbage", "--language", lang)[0].picture(1.0) for lang in ("en", "fr")]
    assert not np.array_equal(*mats)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["corners"], "say where to write it: -o corners.pdf"),
        (["corners", "-o", "corners.PNG"], "corners.PNG would be a PDF; pictures go into a folder: --png pictures"),
        (["mat", "--game", "allfives", "-o", "x.pdf"], "there is no game 'allfives'; did you mean 'all-fives'?"),
        (["mat", "-o", "x.pdf"], "--game is missing; choose from"),
        (["mat", "--game", "all-fives", "--players", "7", "-o", "x.pdf"], "All Fives is for 2 or 3 players, not 7"),
        (["corners", "--players", "3", "-o", "x.pdf"], "--players belongs to print mat"),
        (["corners", "-o", "nowhere/x.pdf"], "cannot write nowhere/x.pdf"),
        (["deck", "--png", "file/pictures"], "cannot write file/pictures"),
        (["deks", "-o", "x.pdf"], "did you mean 'deck'?"),
        (["actions", "--game", "all-fives", "--copies", "0", "-o", "x.pdf"], "from 1 to 20, not 0"),
    ],
)
def test_an_error_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert main(["print", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and says in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_symbolic_link_is_followed_and_a_folder_is_refused(tmp_path: Path) -> None:
    target, link = tmp_path / "there.pdf", tmp_path / "link.pdf"
    target.write_bytes(b"old")
    link.symlink_to(target)
    store(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    with pytest.raises(OSError, match="directory"):
        store(tmp_path, b"new")
