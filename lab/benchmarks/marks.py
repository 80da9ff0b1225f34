"""Accuracy and speed of reading marks in 1080p pictures of twelve cards: `python -m lab.benchmarks.marks`.

For each module size (2 to 6 pixels) several pictures are drawn: printed cards at random positions and angles on a
cloth, the camera slightly tilted, uneven light, blur of 0.8 pixels, sensor noise of 4 grey levels. Every reader gets
the same pictures in the same run, on one thread.

- ArUco: ours, and `cv2.aruco.ArucoDetector` with its default settings;
- QR: ours (zxing-cpp, enlarging small codes), pyzbar alone, zxing-cpp alone, OpenCV's own.

A mark counts as read if its text or id is returned once for each mark in the picture; `wrong` counts everything else
that is returned. Times are milliseconds of processor time per picture, including the conversion to grey.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
import zxingcpp

from cardtable.paper.drawings import Marks
from engine.games import word_marks
from lab.benchmarks.score import Score
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing.marks import camera, lay, seen_mat, twelve_cards, worn
from vision.faces.net_threads import use_one_thread
from vision.frames import Image
from vision.marks import QrReader, aruco_id, qr_text
from vision.marks.aruco import ArucoReader, find_marks
from vision.marks.names import CARDS as CARD_OF_ID
from vision.marks.names import DICTIONARY
from vision.mat.corner_finder import TableFinder
from vision.mat.layout import lay_out

SIZES: Final = (2.0, 2.5, 3.0, 4.0, 6.0)
GOAL_PX: Final = 4.0
CARDS: Final = 12
Read = Callable[[Image], list[str]]


def _cell(score: Score) -> str:
    wrong = f" ({score.wrong} wrong)" if score.wrong else ""
    return f"{score.recall:.3f} {score.mean_ms:4.0f} ms {share_of_yolo(score.mean_ms)}{wrong}"


def aruco_readers() -> dict[str, Read]:
    """Return the readers of ArUco marks; they give ids as text."""
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY))

    def default(image: Image) -> list[str]:
        quads, ids, _ = detector.detectMarkers(_grey(image))
        return [str(id_) for id_ in ids.ravel().tolist()] if quads else []

    return {"ours": lambda image: [str(mark.id) for mark in find_marks(_grey(image))], "cv2 ArucoDetector": default}


def qr_readers() -> tuple[dict[str, Read], list[str]]:
    """Return the readers of QR codes, and notes about those that cannot run on this machine."""
    ours, notes = QrReader(), []
    detector = cv2.QRCodeDetector()

    def alone(image: Image) -> list[str]:
        return [code.text for code in zxingcpp.read_barcodes(_grey(image))]

    def cv2s(image: Image) -> list[str]:
        return [text for text in detector.detectAndDecodeMulti(_grey(image))[1] if text]

    readers: dict[str, Read] = {"ours": lambda image: [qr_text(reading.face) for reading in ours.read(image)]}
    try:
        from pyzbar import pyzbar

        kinds = [pyzbar.ZBarSymbol.QRCODE]
        readers["pyzbar"] = lambda image: [code.data.decode() for code in pyzbar.decode(_grey(image), symbols=kinds)]
    except ImportError as error:
        notes.append(f"pyzbar cannot run here: {error}")
    readers |= {"zxing-cpp, as it comes": alone, "cv2 QRCodeDetector": cv2s}
    return readers, notes


def measure(marks: Marks, readers: dict[str, Read], pictures: int) -> dict[str, dict[float, Score]]:
    """Return the score of every reader on the same pictures of every size."""
    scores = {name: {size: Score() for size in SIZES} for name in readers}
    for read in readers.values():
        read(twelve_cards(marks, SIZES[-1], 0)[0])  # warm up
    for size in SIZES:
        for seed in range(pictures):
            image, cards = twelve_cards(marks, size, seed)
            faces = [face for face, _ in cards]
            laid = (
                Counter(str(aruco_id(f, word_marks())) for f in faces for _ in "12")
                if marks == "aruco"
                else Counter(map(qr_text, faces))
            )
            for name, read in readers.items():
                score = scores[name][size]
                begin = time.thread_time()
                found = read(image)
                score.count(laid.elements(), found, time.thread_time() - begin)
    return scores


def still_frames(frames: int = 60) -> tuple[float, float]:
    """Return milliseconds per frame for checking the table's frame of reference, and for reading a whole frame."""
    mat, view = lay_out(3, ("play", "say", "show", "turn-up")), camera(1.9, turn=1, tilt=0.5)
    image = seen_mat(mat, view)
    for place, face in enumerate(list(CARD_OF_ID.values())[:CARDS]):
        lay(image, face, "aruco", view, (140 + 120 * (place % 6), 190 + 120 * (place // 6)), 31.0 * place)
    seen = [worn(image, seed) for seed in range(4)]
    finder, reader = TableFinder(mat), ArucoReader(word_marks())
    finder.update(seen[0])
    times = []
    for work in (finder.update, reader.read):
        begin = time.thread_time()
        for number in range(frames):
            work(seen[number % len(seen)])
        times.append(1000 * (time.thread_time() - begin) / frames)
    return times[0], times[1]


def _grey(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _table(title: str, scores: dict[str, dict[float, Score]]) -> None:
    print(f"{title:<24}" + "".join(f"{f'{size:g} px/module':>24}" for size in SIZES))
    for name, by_size in scores.items():
        print(f"{name:<24}" + "".join(f"{_cell(by_size[size]):>24}" for size in SIZES))
    print()


def main(argv: Sequence[str] = ()) -> int:
    """Print the tables; return 1 if ours misses a mark that it must read, or reads a wrong one."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.marks", description="how marks are read")
    parser.add_argument("--pictures", type=int, default=8, metavar="N", help="pictures of each size (8)")
    args = parser.parse_args(argv)
    use_one_thread()
    aruco = measure("aruco", aruco_readers(), args.pictures)
    _table("ArUco marks", aruco)
    readers, notes = qr_readers()
    codes = measure("qr", readers, args.pictures)
    _table("QR codes", codes)
    for note in notes:
        print(note)
    table, whole = still_frames()
    print("the second number of each time: its share of a graph shaped like YOLOv8n in the same run")
    frame, again = (f"{ms:.2f} ms {share_of_yolo(ms)}" for ms in (table, whole))
    print(f"a still 1080p frame: the table's frame of reference {frame}; read whole once more {again}")
    required = [score for scores in (aruco, codes) for size, score in scores["ours"].items() if size >= GOAL_PX]
    reached = all(score.right == score.cards and not score.wrong for score in required)
    print(f"goal: every mark of {GOAL_PX:g} px a module and more: {'reached' if reached else 'NOT reached'}")
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
