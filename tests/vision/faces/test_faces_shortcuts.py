"""What the reader leaves out to save time, and that it makes no difference."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.cards import parse_card
from tests.drawing.cards import DrawnTable, apart, row
from tests.drawing.faces import face_of, photographed
from vision.faces import FaceReader, index_detector
from vision.faces.crops import card_homography
from vision.faces.detector_gate import SIDES, DetectorGate, boxes
from vision.faces.fitted_cards import UsualIndex, fitted
from vision.faces.geometry import Box, Floats, Quad, iou
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.index_places import ends_on
from vision.faces.index_reader import IndexReader
from vision.faces.outline_finder import OutlineFinder, Proposal
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.pyramid import halved, image_pyramid
from vision.faces.settings import DEFAULTS
from vision.faces.suit_finder import SuitFinder
from vision.frames import Image
from vision.readings import Reading


def _with(certain: float, least: float) -> IndexReader:
    indices = replace(DEFAULTS.indices, certain=certain, min_probability_to_shift=least)
    return IndexReader(replace(DEFAULTS, indices=indices))


def _counted(reader: IndexReader, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []
    classify = reader._classify

    def counting(crops: list[Image]) -> object:
        counts.append(len(crops))
        return classify(crops)

    monkeypatch.setattr(reader, "_classify", counting)
    return counts


def test_a_certain_index_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cards with fewer crops than if every index were read three times, and shifted wherever in doubt."""
    picture, cards = row(2.0, 1)
    levels = image_pyramid(picture)
    thorough, quick = _with(2.0, 0.0), _with(DEFAULTS.indices.certain, DEFAULTS.indices.min_probability_to_shift)
    many, few = _counted(thorough, monkeypatch), _counted(quick, monkeypatch)
    before = {reading.card for reading in thorough.find(levels, (0.0, np.inf)) if reading.confidence > 0.9}
    now = {reading.card for reading in quick.find(levels, (0.0, np.inf)) if reading.confidence > 0.9}
    assert set(cards) <= now and now == before
    assert sum(few) < 0.85 * sum(many)


def test_the_pips_of_cards_that_both_nets_read_are_hardly_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    picture, cards = apart(3.0, 2)
    asked: list[str] = []
    ask = SuitFinder.__call__

    def asking(self: SuitFinder, levels: list[Image], quad: Quad, rank: str) -> Floats:
        asked.append(rank)
        return ask(self, levels, quad, rank)

    monkeypatch.setattr(SuitFinder, "__call__", asking)
    assert {str(reading.face) for reading in FaceReader().read(picture)} == {str(card) for card in cards}
    assert len(asked) <= len(cards) / 3
    asked.clear()
    reader = FaceReader(replace(DEFAULTS, fusion=replace(DEFAULTS.fusion, unsure=(0.0, 1.0), unsure_together=1.0)))
    assert {str(reading.face) for reading in reader.read(picture)} == {str(card) for card in cards}
    assert len(asked) >= len(cards), "the pips of every card are asked if no reading counts as sure"


def test_an_index_has_the_same_place_on_a_card_by_either_matrix() -> None:
    card = np.array([[100, 80], [230, 110], [190, 300], [70, 260]], np.float32)
    pose = IndexPose(115, 120, -5, 30, 1.0)
    ends = ends_on(pose, card)
    assert ends is not None
    for (right, down), sign in zip(ends, (-0.5, 0.5), strict=True):
        x, y, depth = card_homography(card) @ np.array([right, down, 1.0])
        assert (x / depth, y / depth) == pytest.approx((115 - 5 * sign, 120 + 30 * sign), abs=1e-3)


def test_an_index_far_from_a_card_has_no_place_on_it() -> None:
    card = np.array([[100, 80], [163, 80], [163, 168], [100, 168]], np.float32)
    assert ends_on(IndexPose(400, 80, 0, 20, 1.0), card) is None


def test_of_two_near_detections_the_better_is_kept() -> None:
    """As if each were compared with all better ones, one by one."""
    picture, _ = row(2.0, 3)
    detector = IndexDetector()
    poses = detector([picture])
    assert len(poses) > 10
    assert [pose.score for pose in poses] == sorted((pose.score for pose in poses), reverse=True)
    for k, pose in enumerate(poses):
        for other in poses[:k]:
            apart_px = np.hypot(pose.x - other.x, pose.y - other.y)
            assert apart_px >= 0.999 * DEFAULTS.detector.min_distance * max(pose.height, other.height)
    generous = IndexDetector(settings=replace(DEFAULTS.detector, min_distance=0.0))
    assert len(generous([picture])) >= len(poses)


def test_the_detector_finds_the_same_indices_in_parts_of_the_picture() -> None:
    picture, _ = row(2.0, 5)
    below, beside = (-side % SIDES for side in picture.shape[:2])
    padded = cv2.copyMakeBorder(picture, 0, below, 0, beside, cv2.BORDER_REPLICATE)
    parts = DetectorGate(DEFAULTS.detector)(halved(np.asarray(padded, np.uint8)))
    assert parts is not None and 0 < sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in parts) < 0.5 * picture[..., 0].size
    everywhere = IndexDetector(settings=replace(DEFAULTS.detector, gate_score=0.0))
    expected = [pose for pose in everywhere([picture]) if pose.score > 0.5]
    found = IndexDetector()([picture])
    assert len(expected) > 10
    for pose in expected:
        near = min(found, key=lambda other: np.hypot(other.x - pose.x, other.y - pose.y))
        assert np.hypot(near.x - pose.x, near.y - pose.y) < 0.1 * pose.height
        assert near.score == pytest.approx(pose.score, abs=0.1)


@pytest.mark.parametrize("cut", [0, *(pytest.param(cut, marks=pytest.mark.long) for cut in (1, 13)), 7])
def test_the_levels_of_a_pyramid_are_not_computed_again(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not the sides of the picture are multiples of those that the nets need."""
    whole, _ = row(2.0, 5)
    picture = np.ascontiguousarray(whole[cut:, : whole.shape[1] - cut])
    detect, levels = IndexDetector(), image_pyramid(picture)
    computed: list[Image] = []

    def noting(level: Image) -> Image:
        computed.append(level)
        return halved(level)

    monkeypatch.setattr(index_detector, "halved", noting)
    for heights in ((20, np.inf), (0, np.inf)):
        computed.clear()
        alone = detect([picture], heights)
        count = len(computed)
        computed.clear()
        assert detect(levels, heights) == alone and len(alone) > 5
        assert len(computed) == count - (len(levels) - 1)


def test_an_index_at_the_border_of_a_picture_of_odd_size_is_located() -> None:
    whole, _ = row(2.0, 5)
    last = max(IndexDetector()([whole]), key=lambda pose: pose.score * (pose.score > 0.5) * pose.x)
    reach = 0.8 * last.height
    for cut in range(4):
        right, foot = round(last.x + reach) + cut, round(last.y + reach) + cut
        picture = np.ascontiguousarray(whole[:foot, :right])
        near = min(IndexDetector()([picture]), key=lambda pose: np.hypot(pose.x - last.x, pose.y - last.y))
        assert np.hypot(near.x - last.x, near.y - last.y) < 0.1 * last.height and near.score > 0.5


def test_the_reader_gives_the_detector_its_pyramid(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    detect = IndexDetector.__call__

    def noting(self: IndexDetector, levels: list[Image], heights: tuple[float, float]) -> list[IndexPose]:
        counts.append(len(levels))
        return detect(self, levels, heights)

    monkeypatch.setattr(IndexDetector, "__call__", noting)
    picture, _ = apart(3.0, 2)
    FaceReader().read(picture)
    assert counts and set(counts) == {len(image_pyramid(picture))}


def test_without_a_least_score_the_net_of_the_gate_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.full((320, 480, 3), 90, np.uint8)
    gate, without = (DetectorGate(replace(DEFAULTS.detector, gate_score=least)) for least in (0.1, 0.0))
    for either in (gate, without):
        monkeypatch.setattr(either, "_session", None)
    assert without(picture) is None
    with pytest.raises(AttributeError):
        gate(picture)


def test_a_picture_of_one_colour_has_no_part_for_the_detector() -> None:
    assert DetectorGate(DEFAULTS.detector)(np.full((320, 480, 3), 90, np.uint8)) == []


@pytest.mark.parametrize("count", [0, 1, 4, 25, 90])
def test_the_parts_contain_every_cell_and_do_not_overlap(count: int) -> None:
    rng = np.random.default_rng(count)
    cells = np.zeros((60, 90), bool)
    for y, x in zip(rng.integers(0, 58, count), rng.integers(0, 87, count), strict=True):
        cells[y : y + 2, x : x + 3] = True
    covered = np.zeros(cells.shape, int)
    for left, top, right, foot in boxes(cells, 3, 20):
        covered[top:foot, left:right] += 1
    assert covered.max() <= 1 and (covered[cells] == 1).all()


def test_two_cells_are_in_two_parts_if_that_costs_less() -> None:
    """Both with a margin of two cells: 2 * (5 * 5) + 20 against 5 * (away + 5)."""
    for away, count in ((8, 1), (9, 1), (10, 2), (20, 2)):
        cells = np.zeros((3, 40), bool)
        cells[1, [2, 2 + away]] = True
        assert len(boxes(cells, 2, 20)) == count


def test_rectangles_are_searched_only_if_an_index_belongs_to_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A white table around a cloth is as bright as paper, but shows no index."""
    searched: list[Floats] = []
    search = OutlineFinder.rectangles

    def noting(finder: OutlineFinder, size: tuple[float, float], near: Floats, paper: Box) -> list[Proposal]:
        searched.append(near)
        return search(finder, size, near, paper)

    monkeypatch.setattr(OutlineFinder, "rectangles", noting)
    table = DrawnTable((1200, 800), (235, 238, 236))
    cv2.rectangle(table.picture, (150, 120), (1050, 680), (60, 90, 40), -1)
    for card, x in (("7H", 300), ("QS", 560), ("2D", 820)):
        table.lay(face_of(parse_card(card)), (x, 400), 4.0)
    rng = np.random.default_rng(1)
    assert {str(reading.face) for reading in FaceReader().read(photographed(table.picture, rng))} == {"7H", "QS", "2D"}
    assert searched == []
    table.lay(face_of(parse_card("9C")), (850, 470), 4.0)  # it covers all but the index of the last
    picture = photographed(table.picture, rng)
    assert {str(reading.face) for reading in FaceReader().read(picture)} >= {"7H", "QS", "9C"}
    (near,) = searched
    assert near[:, 0].min() > 750  # the indices of the two upper cards alone
    more = replace(DEFAULTS, outlines=replace(DEFAULTS.outlines, min_paper_in_single=99.0))
    assert {str(reading.face) for reading in FaceReader(more).read(picture)} >= {"7H", "QS", "9C"}
    assert len(searched) == 1


def test_paper_that_was_not_read_is_noticed() -> None:
    picture = np.full((400, 500, 3), 60, np.uint8)
    cards = [np.array([[x, 100], [x + 100, 100], [x + 100, 240], [x, 240]], np.float32) for x in (60, 300)]
    for quad in cards:
        cv2.fillConvexPoly(picture, quad.astype(np.int32), (230, 235, 240))
    finder, margin = OutlineFinder(image_pyramid(picture)), DEFAULTS.rectangles.paper_margin_px
    found = finder.unread_paper(cards[:1], 14000, 0.3)
    assert found == pytest.approx((300 - margin, 100 - margin, 400 + margin, 240 + margin), abs=2)
    assert finder.unread_paper(cards, 14000, 0.3) is None
    assert finder.unread_paper(cards[:1], 60000, 0.3) is None  # less than three tenths of a card of that size
    picture[140:150, 300:401] = 60  # something divides it, and only one piece is large enough by itself
    divided = OutlineFinder(image_pyramid(picture))
    assert divided.unread_paper(cards[:1], 14000, 0.4) == found
    assert divided.unread_paper(cards[:1], 14000, 0.9) is None


def test_outlines_that_fit_are_checked_again_only_if_one_was_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Quad] = []
    check = OutlineFitter.is_on_edges

    def noting(fitter: OutlineFitter, quad: Quad, others: list[Quad]) -> bool:
        checked.append(quad)
        return check(fitter, quad, others)

    monkeypatch.setattr(OutlineFitter, "is_on_edges", noting)
    picture, cards = apart(3.0, 2)
    levels = image_pyramid(picture)
    finder = OutlineFinder(levels)
    readings = FaceReader().read(picture)
    checked.clear()

    def outlines(readings: list[Reading]) -> list[Reading]:
        return fitted(levels, *finder.fitter(), readings, [], UsualIndex([], []))[0]

    assert len(readings) == len(cards) and outlines(readings) == readings and checked == []
    away = replace(readings[0], outline=readings[0].outline + np.float32(12))
    moved = outlines([away, *readings[1:]])
    assert len(checked) == len(cards) and iou(moved[0].outline, readings[0].outline) > 0.97
